"""Every way out of a page, in a Chromium whose user installed the extension: rules hold, and so does the default."""

from pathlib import Path
from typing import Any, ClassVar

from driver import ChromiumDriver

from rig.case import BrowserCase
from rig.driver import WORK_VIEWER, Driver
from rig.hosts import Host
from rig.policy import BrowserConfiguration
from rig.suites import OneClick, SigningIn
from rig.ways import BY_ID, Kind, Trip, Way
from ruled_ways import RuledWays


class ChromiumCase(BrowserCase):
    """Tests with the unpacked extension."""

    driver: ClassVar[ChromiumDriver]

    # The machine may be busy: what is asked shall be answered by the daemon, where no test says otherwise.
    answer_ms = 3000

    @classmethod
    def make_driver(cls) -> Driver:
        return ChromiumDriver(cls.daemon)

    # Of what is a race

    def is_taken_away(self, trip: Trip) -> None:
        self.driver.settle(WORK_VIEWER)
        self.driver.wait(lambda: not self.is_shown(trip), f"{trip.goal} is taken away")

    def is_shown(self, trip: Trip) -> bool:
        """Whether any tab or frame shows it, or a download of it is kept."""
        viewer = self.driver.viewer(WORK_VIEWER)
        shown = [info["url"] for info in viewer.browser.targets()] + viewer.frame_urls()
        goal = self.site.url(trip.goal, trip.host)
        kept = viewer.browser.directory.glob(f"home/Downloads/{trip.number}*")
        return any(url.startswith(goal) for url in shown) or (trip.way.kind == Kind.DOWNLOAD and any(kept))


class Ways(ChromiumCase, RuledWays):
    """Neither what a rule names nor what the default calls external is ever sent (F1)."""

    observations_file = Path(__file__).with_name("observations.json")
    unsupported: ClassVar[dict[str, str]] = {}

    def _guarded(self, way: Way, host: Host) -> None:
        if way.id not in self.unruled or host != Host.EXTERNAL:
            super()._guarded(way, host)
            return
        trip = self.send_external(way)
        self.is_taken_away(trip)
        self.observations.add(trip, self.records.about(trip.goal), arrived=False)
        self.observations.ways[way.id].stopped[host.name.lower()] = "race"


class Raced(ChromiumCase, RuledWays):
    """A rule that may take any host and cannot be said leaves the default to the daemon: what it calls external may be
    requested before the answer comes, and is not shown."""

    ways: ClassVar[tuple[str, ...]] = ("link", "link-302", "form-post", "frame", "window-open", "download-link")

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program, answer_ms=cls.answer_ms)
        rules = configuration.files["rules/contoso.yaml"]
        configuration.files["rules/contoso.yaml"] = rules + "  - { id: hopping, internal: { hop: true, same: document } }\n"
        return configuration

    def test_a_guarded_viewer_reaches_what_is_internal_and_nothing_else(self) -> None:
        for way in (BY_ID[name] for name in self.ways):
            with self.subTest(way=way.id):
                self.is_taken_away(self.send_external(way))

    def test_a_private_viewer_is_free(self) -> None:
        """As in the other class."""

    def test_nothing_leaked_in_the_end(self) -> None:
        """What is a race may leak."""


class SignIn(ChromiumCase, SigningIn):
    pass


class Click(ChromiumCase, OneClick):
    pass


def cases() -> list[Any]:
    return [Ways, Raced, SignIn, Click]
