"""How often the pack asks, and how long its hooks, which are synchronous, stop the event loop when nobody answers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engine import APP, WORK, QtCase, application
from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from rig.case import SiteCase
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.silence import BEAT_MS, MANY, PICTURES, Beats, Silence, silence, until
from rig.threads import asked_from_a_thread
from webviewguard.qt import GuardedPage, GuardedView, start


class TestLoops(SiteCase):
    @classmethod
    def setUpClass(cls) -> None:
        application()
        super().setUpClass()

    @contextmanager
    def page(self) -> Iterator[tuple[Silence, GuardedPage]]:
        with silence() as daemon:
            embedder = start(APP, socket=str(daemon.daemon.path), on_problem=lambda _: None)
            embedder.sign_in("main", WORK, viewer_class="documents")
            view = GuardedView(embedder.open("main", viewer_class="documents"))
            view.show()
            try:
                yield daemon, view.page()
            finally:
                view.close()
                embedder.sign_out("main")
                embedder.close()

    def until(self, holds: Callable[[], bool]) -> None:
        until(holds, lambda: QTest.qWait(3))

    def standstills(self, beats: Beats) -> int:
        """The latest may have no end yet."""
        count = len(beats.times)
        self.until(lambda: len(beats.times) > count)
        return len(beats.standstills())

    def load(self, page: GuardedPage, path: str) -> None:
        page.go(self.site.url(path))
        self.until(lambda: page.title().startswith(path) and not page.isLoading())

    def test_a_page_asks_once_for_itself_and_for_each_of_what_it_loads(self) -> None:
        with self.page() as (daemon, page):
            self.load(page, "/cost/0?first")
            daemon.questions()
            self.load(page, f"/cost/{PICTURES}?counted")
            self.assertEqual(daemon.questions(), {"main": 1, "resource": PICTURES})
            self.load(page, "/frames/3?counted")
            self.assertEqual(daemon.questions(), {"main": 1, "sub": 3})

    def test_many_questions_of_a_silence_stop_the_loop_once_and_a_later_one_does_not(self) -> None:
        with self.page() as (daemon, page):
            self.load(page, "/cost/0?first")
            beats, timer = Beats(), QTimer()
            timer.timeout.connect(beats.beat)
            timer.start(BEAT_MS)
            self.standstills(beats)
            daemon.begin()
            fetches = f"[...Array({MANY}).keys()].map(n => fetch('/picture/' + n).catch(() => 0))"
            page.runJavaScript(f"Promise.all({fetches}).then(() => document.title = 'all ended')")
            self.until(lambda: page.title() == "all ended")
            self.assertEqual(self.standstills(beats), 1)
            # Each attempt to connect has its own time, and clicks come meanwhile.
            for number in range(5):
                page.go(self.site.url(f"/later-{number}"))
                self.until(lambda: page.shows_notice)
                QTest.qWait(200)
            self.assertEqual(self.standstills(beats), 1)
            self.assertFalse([visit for visit in self.site.visits if "later" in visit.path])


class TestThreads(QtCase):
    def test_a_thread_that_joins_the_programs_instance_is_judged_as_its_viewers_are(self) -> None:
        self.show("/")
        answers = asked_from_a_thread(self, self.driver.guard.instance)
        self.assertEqual((answers[WORK_VIEWER].outcome, answers[WORK_VIEWER].identity), ("block", WORK))
        self.assertEqual(answers[PRIVATE_VIEWER].outcome, "allow")
        self.assertEqual(len({record["instance"] for record in self.records.all}), 1)
        self.show("/behind")
