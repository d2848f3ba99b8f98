"""Every way out of a page, in a Chromium whose user installed the extension: explicit rules hold, the default races."""

from pathlib import Path
from typing import Any, ClassVar

from driver import ChromiumDriver

from rig.case import BrowserCase
from rig.driver import WORK_VIEWER, Driver
from rig.hosts import Host
from rig.suites import OneClick, SigningIn
from rig.ways import Kind, Trip, Way
from ruled_ways import RuledWays

RACE = "race"


class ChromiumCase(BrowserCase):
    """Tests with the unpacked extension."""

    driver: ClassVar[ChromiumDriver]

    # The machine may be busy: what is asked shall be answered by the daemon, where no test says otherwise.
    answer_ms = 3000

    @classmethod
    def make_driver(cls) -> Driver:
        return ChromiumDriver(cls.daemon)


class Ways(ChromiumCase, RuledWays):
    """What an explicit rule names is never sent. What only the default calls external may be, and is not shown."""

    observations_file = Path(__file__).with_name("observations.json")
    unsupported: ClassVar[dict[str, str]] = {}

    def _guarded(self, way: Way, host: Host) -> None:
        if host != Host.EXTERNAL or not way.is_kept(host):
            super()._guarded(way, host)
            return
        trip = self.send_external(way)
        self.driver.settle(WORK_VIEWER)
        self.driver.wait(lambda: not self.is_shown(trip), f"{trip.goal} is taken away")
        self.observations.add(trip, self.records.about(trip.goal), arrived=False)
        self.observations.ways[way.id].stopped[host.name.lower()] = RACE

    def is_shown(self, trip: Trip) -> bool:
        """Whether any tab or frame shows it, or a download of it is kept."""
        viewer = self.driver.viewer(WORK_VIEWER)
        shown = [info["url"] for info in viewer.browser.targets()] + viewer.frame_urls()
        goal = self.site.url(trip.goal, trip.host)
        kept = viewer.browser.directory.glob(f"home/Downloads/{trip.number}*")
        return any(url.startswith(goal) for url in shown) or (trip.way.kind == Kind.DOWNLOAD and any(kept))


class SignIn(ChromiumCase, SigningIn):
    pass


class Click(ChromiumCase, OneClick):
    pass


def cases() -> list[Any]:
    return [Ways, SignIn, Click]
