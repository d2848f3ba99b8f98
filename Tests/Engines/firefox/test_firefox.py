"""Every way out of a page, in Firefox: it waits for the answer, so that nothing is a race."""

from pathlib import Path
from typing import Any, ClassVar

from driver import FirefoxDriver

from rig.case import BrowserCase
from rig.driver import Driver
from rig.hosts import Host
from rig.suites import OneClick, SigningIn
from rig.ways import Way
from ruled_ways import RuledWays


class FirefoxCase(BrowserCase):
    """Tests with the extension as a temporary add-on."""

    driver: ClassVar[FirefoxDriver]

    # The machine may be busy: what is asked shall be answered by the daemon, where no test says otherwise.
    answer_ms = 3000

    @classmethod
    def make_driver(cls) -> Driver:
        return FirefoxDriver(cls.daemon)


class Ways(FirefoxCase, RuledWays):
    """Neither what a rule names nor what the default calls external is ever sent."""

    observations_file = Path(__file__).with_name("observations.json")
    unsupported: ClassVar[dict[str, str]] = {"ping": "it sends none unless `browser.send_pings` is set"}

    def _guarded(self, way: Way, host: Host) -> None:
        if host != Host.EXTERNAL or not way.is_kept(host):
            super()._guarded(way, host)
            return
        trip = self.send_external(way)
        self.judge.kept.append(trip)
        arrived = self.judge.arrived(trip)
        self.observations.add(trip, self.records.about(trip.goal), arrived)
        self.assertFalse(arrived)


class SignIn(FirefoxCase, SigningIn):
    pass


class Click(FirefoxCase, OneClick):
    pass


def cases() -> list[Any]:
    return [Ways, SignIn, Click]
