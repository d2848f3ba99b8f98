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

    def test_a_page_and_each_frame_ask_once_and_so_does_each_of_what_they_load(self) -> None:
        """CEF tells what shows a page apart from what loads it: the first answer is good for that load."""
        with self.browser() as (daemon, driver):
            driver.load(WORK_VIEWER, self.site.url("/cost/0?first"))
            daemon.questions()
            driver.load(WORK_VIEWER, self.site.url(f"/cost/{PICTURES}?counted"))
            driver.wait(lambda: self.complete(driver), "all is loaded")
            self.assertEqual(daemon.questions(), {"main": 1, "resource": PICTURES})
            driver.load(WORK_VIEWER, self.site.url("/frames/3?counted"))
            driver.wait(lambda: self.complete(driver), "all is loaded")
            self.assertEqual(daemon.questions(), {"main": 1, "sub": 3})

    def test_an_answer_is_good_for_one_load_of_its_own(self) -> None:
        """Not for the same URL in a frame, by a script, again, or for where it leads."""
        url = self.site.url("/cost/0?same")
        frame = f"document.body.append(Object.assign(document.createElement('iframe'), {{ src: {url!r}, onload }}))"
        again = {
            "a frame": (f"new Promise(onload => {frame})", {"sub": 1}),
            "a script": (f"fetch({url!r}).then(() => 0)", {"resource": 1}),
            "a beacon": (f"navigator.sendBeacon({url!r})", {"resource": 1}),
        }
        with self.browser() as (daemon, driver):
            for name, (source, wanted) in again.items():
                with self.subTest(name):
                    driver.load(WORK_VIEWER, url)
                    self.assertEqual(daemon.questions().get("main"), 1)
                    driver.script(WORK_VIEWER, f"Promise.resolve({source}).then(() => 0)")
                    driver.wait(lambda wanted=wanted: daemon.questions() == wanted, "it is asked about")
            for _ in range(3):
                driver.tabs[WORK_VIEWER].call("Page.reload")
                driver.load(WORK_VIEWER, url)
                self.assertEqual(daemon.questions(), {"main": 2})
            driver.begin(WORK_VIEWER, self.site.url(f"/302?to={self.site.url('/cost/0?end')}"))
            driver.wait(lambda: driver.title(WORK_VIEWER).endswith("?end"), "the hop is shown")
            self.assertGreaterEqual(daemon.questions()["main"], 2)

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
