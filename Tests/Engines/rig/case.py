"""A site, a daemon and a browser for each class of tests, and the steps that tests are made of."""

import itertools
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

from daemon import PROGRAM, Daemon

from rig.driver import PRIVATE_VIEWER, WORK_VIEWER, Driver
from rig.hosts import Host
from rig.judge import BEHIND_SECONDS, PATIENCE_SECONDS, Judge
from rig.policy import BrowserConfiguration, ManagedBrowser
from rig.records import Records
from rig.site import Site
from rig.ways import Trip, Way

numbers = itertools.count(1)


class SiteCase(unittest.TestCase):
    """The site, and nothing else: for tests whose daemon and browser are their own."""

    site: ClassVar[Site]

    @classmethod
    def setUpClass(cls) -> None:
        cls.site = Site()
        cls.addClassCleanup(cls.site.close)


class BrowserCase(SiteCase):
    """Each engine derives one class from this that makes its driver; the suites of the rig are mixed in."""

    daemon: ClassVar[Daemon]
    records: ClassVar[Records]
    managed_browser: ClassVar[ManagedBrowser]
    driver: ClassVar[Driver]
    # How long the contract lets a question take.
    answer_ms: ClassVar[int] = 2000

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        """The daemon's configuration; a class that wants another one says so here."""
        return BrowserConfiguration(cls.managed_browser.program, answer_ms=cls.answer_ms)

    @classmethod
    def make_driver(cls) -> Driver:
        """The browser, with both viewers open and signed in."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        cls.addClassCleanup(shutil.rmtree, directory, ignore_errors=True)
        cls.managed_browser = ManagedBrowser(directory)
        cls.daemon = Daemon(cls.configuration())
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.start()
        cls.records = Records(cls.daemon.log_file)
        cls.driver = cls.make_driver()
        cls.addClassCleanup(cls.driver.close)

    # Steps

    def reload(self, configuration: BrowserConfiguration) -> None:
        """The daemon has another configuration from now on."""
        configuration.write(self.daemon.config)
        command = [str(PROGRAM), "reload", "--wait", "--socket-dir", str(self.daemon.sockets)]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def show(self, path: str, viewer: str = WORK_VIEWER) -> None:
        """Shows an internal page, under a title that no page had before."""
        self.driver.load(viewer, self.site.url(f"{path}?{next(numbers)}"))

    def go(self, trip: Trip, viewer: str) -> None:
        """Shows the page of a way, and goes it."""
        if not trip.way.trigger:
            self.driver.begin(viewer, self.site.url(trip.page))
        else:
            self.driver.load(viewer, self.site.url(trip.page))
            self.driver.click(viewer, "go", "middle" if trip.way.trigger == "middle" else "left")

    def send(self, judge: Judge, way: Way, host: Host, viewer: str = WORK_VIEWER, *, arrives: bool) -> Trip:
        """Goes a way, and waits until it is known what became of it. What shall arrive is waited for longer."""
        trip = Trip(way, host, next(numbers))
        self.go(trip, viewer)
        settled = judge.arrived if arrives else judge.is_settled
        self._give(
            5.0 if arrives else PATIENCE_SECONDS, lambda: settled(trip) or (not arrives and judge.is_behind(trip))
        )
        self._give(BEHIND_SECONDS, lambda: settled(trip))
        self.driver.close_popups()
        return trip

    def _give(self, seconds: float, holds: Callable[[], bool]) -> None:
        """Waits, and is content when it does not come about: the judge says what that means."""
        with suppress(TimeoutError):
            self.driver.wait(holds, "a trip is settled", seconds)

    def result(self, viewer: str = WORK_VIEWER) -> str:
        """What a button of the clipboard page came to."""
        source = "document.documentElement.dataset.result || ''"
        return str(self.driver.wait(lambda: self.driver.script(viewer, source), "the button's result"))

    def press_button(self, element: str, viewer: str = WORK_VIEWER) -> str:
        self.driver.click(viewer, element)
        return self.result(viewer)


__all__ = ["PRIVATE_VIEWER", "WORK_VIEWER", "BrowserCase", "numbers"]
