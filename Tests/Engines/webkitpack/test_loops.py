"""How often the library asks, and that a daemon that falls silent stops no event loop."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gi.repository import GLib
from gtk_case import PRIVATE_VIEWER, WORK_VIEWER, GtkCase
from pack import PackDriver
from rig.case import BrowserCase
from rig.hosts import Host
from rig.policy import APP
from rig.silence import BEAT_MS, MANY, PICTURES, Beats, Silence, silence
from rig.site import Site
from webviewguard import Guard


class Loops(BrowserCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.site = Site()
        cls.addClassCleanup(cls.site.close)

    @contextmanager
    def browser(self) -> Iterator[tuple[Silence, PackDriver]]:
        with silence() as daemon:
            driver = PackDriver(daemon.daemon.path, ["echo", "[]"])
            try:
                driver.wait(lambda: driver.guard.is_connected(), "the browser has found the daemon")
                yield daemon, driver
            finally:
                driver.close()

    def load(self, driver: PackDriver, path: str) -> None:
        driver.begin(WORK_VIEWER, self.site.url(path))
        driver.wait(lambda: driver.title(WORK_VIEWER) == path and not driver.view(WORK_VIEWER).is_loading(), path)

    def test_a_page_asks_once_and_tells_once_what_is_shown(self) -> None:
        """The engine asks nobody about what a page loads by itself: the exported rules decide."""
        with self.browser() as (daemon, driver):
            self.load(driver, "/cost/0?first")
            daemon.questions()
            self.load(driver, f"/cost/{PICTURES}?counted")
            self.assertEqual(daemon.questions(), {"main": 1, "SetDocument": 1})
            self.load(driver, "/frames/3?counted")
            self.assertEqual(daemon.questions(), {"main": 1, "SetDocument": 1, "unknown": 3})

    def test_many_questions_of_a_silence_stop_no_loop_and_wait_together(self) -> None:
        with self.browser() as (daemon, driver):
            self.load(driver, "/cost/0?first")
            beats = Beats()
            ticking = GLib.timeout_add(BEAT_MS, lambda: beats.beat() or True)
            daemon.begin()
            add = "f => { f.src = `/silent-${n++}`; document.body.append(f) }"
            many = f"for (let n = 0; n < {MANY};) ({add})(document.createElement('iframe'))"
            driver.script(WORK_VIEWER, f"(() => {{ {many} }})()")
            driver.wait(lambda: len(driver.person.said) >= MANY, "each is refused")
            for number in range(5):
                path = f"/later-{number}"
                driver.begin(WORK_VIEWER, self.site.url(path))
                text = "document.body ? document.body.innerText : ''"
                driver.wait(lambda path=path: path in str(driver.script(WORK_VIEWER, text)), "the notice is shown")
                driver.settle(0.2)
            GLib.source_remove(ticking)
            self.assertEqual(beats.standstills(), [])
            self.assertFalse([visit for visit in self.site.visits if visit.path.startswith(("/silent", "/later"))])


class Threads(GtkCase):
    def test_a_thread_that_joins_the_programs_instance_is_judged_as_its_viewers_are(self) -> None:
        self.show("/")
        answers: dict[str, Any] = {}
        token = self.driver.guard.get_instance()

        def asks() -> None:
            guard = Guard(app=APP, path=self.daemon.guard_socket, instance=token)
            guard.start()
            for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
                url = self.site.url("/joined", Host.BLOCKED)
                answers[viewer] = guard.decide("navigate", viewer=viewer, url=url, frame="main").outcome
            guard.close()

        thread = threading.Thread(target=asks)
        thread.start()
        self.driver.wait(lambda: not thread.is_alive(), "the thread has its answers")
        self.assertEqual(answers, {WORK_VIEWER: "block", PRIVATE_VIEWER: "allow"})
        self.assertEqual(len({record["instance"] for record in self.records.all}), 1)
        self.show("/behind")


del BrowserCase, GtkCase
