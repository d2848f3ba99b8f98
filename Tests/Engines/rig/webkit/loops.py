"""How often the library asks, and that a daemon that falls silent stops no program, with each WebKit."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rig.case import SiteCase
from rig.driver import WORK_VIEWER
from rig.silence import MANY, MANY_FRAMES, PICTURES, Beats, Silence, silence, until


class Loops(SiteCase):
    """Each rig derives one class that makes its driver; with none there is nothing to test."""

    def make_driver(self, socket: Path) -> Any:
        """The browser of the rig, and when it has found the daemon."""
        raise NotImplementedError

    @contextmanager
    def browser(self) -> Iterator[tuple[Silence, Any]]:
        with silence() as daemon:
            driver = self.make_driver(daemon.daemon.path)
            try:
                yield daemon, driver
            finally:
                driver.close()

    def load(self, driver: Any, path: str) -> None:
        driver.load(WORK_VIEWER, self.site.url(path))
        complete = "document.readyState === 'complete'"
        driver.wait(lambda: driver.script(WORK_VIEWER, complete), f"`{path}` is loaded")

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
        """A program whose loop stands still runs no script of a test either."""
        with self.browser() as (daemon, driver):
            self.load(driver, "/cost/0?first")
            daemon.begin()
            beats = Beats()

            def turn() -> None:
                driver.script(WORK_VIEWER, "1")
                beats.beat()

            driver.script(WORK_VIEWER, MANY_FRAMES)
            until(lambda: len(driver.person.said) >= MANY, turn)
            for number in range(5):
                path = f"/later-{number}"
                driver.begin(WORK_VIEWER, self.site.url(path))
                self.until_shown(driver, path, turn)
                driver.settle(0.2)
                beats.beat()
            self.assertEqual(beats.standstills(), [])
            self.assertFalse([visit for visit in self.site.visits if visit.path.startswith(("/silent", "/later"))])

    def until_shown(self, driver: Any, words: str, turn: Callable[[], None]) -> None:
        """Waits for a notice that says this."""
        shown = "document.body ? document.body.innerText : ''"
        until(lambda: words in str(driver.script(WORK_VIEWER, shown)), turn)
