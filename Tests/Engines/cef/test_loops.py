"""How often the pack asks, and how long a daemon that falls silent stops the thread on which CEF does everything."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from driver import CefDriver

from rig.case import SiteCase
from rig.driver import WORK_VIEWER
from rig.silence import MANY_FRAMES, PICTURES, Beats, Silence, silence


class Loops(SiteCase):
    @contextmanager
    def browser(self) -> Iterator[tuple[Silence, CefDriver]]:
        with silence() as daemon:
            driver = CefDriver(daemon.daemon.path, "alloy")
            try:
                yield daemon, driver
            finally:
                driver.close()

    def test_a_page_asks_as_page_and_as_load_and_once_for_each_of_what_it_loads(self) -> None:
        """A page is asked about on two threads: CEF tells what shows it apart from what loads it."""
        with self.browser() as (daemon, driver):
            driver.load(WORK_VIEWER, self.site.url("/cost/0?first"))
            daemon.questions()
            driver.load(WORK_VIEWER, self.site.url(f"/cost/{PICTURES}?counted"))
            driver.wait(lambda: self.complete(driver), "all is loaded")
            self.assertEqual(daemon.questions(), {"main": 2, "resource": PICTURES})
            driver.load(WORK_VIEWER, self.site.url("/frames/3?counted"))
            driver.wait(lambda: self.complete(driver), "all is loaded")
            self.assertEqual(daemon.questions(), {"main": 2, "sub": 6})

    def complete(self, driver: CefDriver) -> bool:
        return bool(driver.value(WORK_VIEWER, "document.readyState === 'complete'"))

    def test_many_questions_of_a_silence_stop_it_once(self) -> None:
        """What the browser answers by itself tells how its thread is."""
        with self.browser() as (daemon, driver):
            driver.load(WORK_VIEWER, self.site.url("/cost/0?first"))
            beats = Beats()
            daemon.begin()
            driver.script(WORK_VIEWER, MANY_FRAMES)
            self.beating(driver, beats)
            for number in range(5):
                path = f"/later-{number}"
                driver.begin(WORK_VIEWER, self.site.url(path))
                text = "document.body ? document.body.innerText : ''"
                driver.wait(lambda path=path: path in str(driver.value(WORK_VIEWER, text)), "the notice is shown")
                self.beating(driver, beats)
            self.assertLessEqual(len(beats.standstills()), 1)
            self.assertFalse([visit for visit in self.site.visits if visit.path.startswith(("/silent", "/later"))])

    def beating(self, driver: CefDriver, beats: Beats) -> None:
        for _ in range(20):
            driver.targets()
            beats.beat()
            time.sleep(0.02)


def cases() -> list[Any]:
    return [Loops]
