"""The tests that every engine passes. An engine's class of tests is one of these and its own `BrowserCase`."""

from pathlib import Path
from typing import ClassVar

from rig.case import BrowserCase, numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.judge import Judge, Observations
from rig.ways import WAYS, Trip, Way

# How often a way that is known to leak is gone until one trip arrives.
TRIES = 5


class EveryWayOut(BrowserCase):
    """Each way is gone to each host from a guarded viewer, and to a forbidden one from the private viewer."""

    # Ways that the engine does not go, whoever asks, and why: asserted in the private viewer.
    unsupported: ClassVar[dict[str, str]] = {}
    # Ways that no rule closes in this engine, and why: that one of a few trips arrives is asserted, so that a cure is
    # noticed.
    known_leaks: ClassVar[dict[str, str]] = {}
    # Where what was seen is written for the docs.
    observations_file: ClassVar[Path | None] = None

    judge: ClassVar[Judge]
    observations: ClassVar[Observations]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.judge = Judge(cls.site, cls.records)
        cls.observations = Observations(cls.driver.engine, cls.driver.export)

    def test_a_guarded_viewer_reaches_what_is_internal_and_nothing_else(self) -> None:
        for way in WAYS:
            for host in way.hosts:
                with self.subTest(way=way.id, to=host.name.lower()):
                    self._guarded(way, host)
        self._write()

    def test_a_private_viewer_is_free(self) -> None:
        for way in WAYS:
            with self.subTest(way=way.id):
                host = Host.EXTERNAL if way.is_kept(Host.EXTERNAL) else Host.TRACKER
                goes = way.id not in self.unsupported
                trip = self.send(self.judge, way, host, PRIVATE_VIEWER, arrives=goes)
                self.assertEqual(self.judge.arrived(trip), goes, self.unsupported.get(way.id, ""))

    def test_nothing_leaked_in_the_end(self) -> None:
        """Runs last by its name, when nothing of what was kept is under way any more."""
        self.show("/", PRIVATE_VIEWER)
        self.assertTrue(self.judge.kept)
        self.assertEqual(self.judge.leaks(), [])

    def test_known_leaks_are_still_there(self) -> None:
        for way in (way for way in WAYS if way.id in self.known_leaks):
            with self.subTest(way=way.id):
                trips = (self.send(self.judge, way, Host.TRACKER, arrives=False) for _ in range(TRIES))
                self.assertTrue(any(map(self.judge.arrived, trips)), "cured: take it out of `known_leaks`")

    def _guarded(self, way: Way, host: Host) -> None:
        """Goes the way; of one that is known to leak, nothing is asserted here."""
        leaks = way.id in self.known_leaks and way.is_kept(host)
        arrives = not way.is_kept(host) and way.id not in self.unsupported
        trip = self.send(self.judge, way, host, arrives=arrives)
        arrived = leaks or self.judge.arrived(trip)
        self.observations.add(trip, self.records.about(trip.goal), arrived)
        if leaks:
            return
        if way.is_kept(host) and way.id not in self.unsupported:
            self.judge.kept.append(trip)
        self.assertEqual(arrived, arrives)

    def _write(self) -> None:
        kinds = {way.id: way.kind for way in WAYS}
        for way, text in (*self.unsupported.items(), *self.known_leaks.items()):
            self.observations.note(way, kinds[way], text)
        if self.observations_file:
            self.observations.write(self.observations_file)


class SigningIn(BrowserCase):
    """A provider on another host, which is internal only when our own pages lead there."""

    def test_the_chain_comes_back(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "sign-in")
        self._shows("/authorize")
        self.driver.click(WORK_VIEWER, "go")
        self._shows("/signed-in")
        answer = self.site.asked("/answer")[-1]
        self.assertEqual((answer.host, answer.method), (Host.LOGIN, "POST"))
        self.assertEqual(self.managed_browser.opened, [])

    def _shows(self, path: str) -> None:
        painted = "document.documentElement.dataset.painted"
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == path, f"{path} is shown")
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, painted), f"{path} is painted")


class OneClick(BrowserCase):
    """However many questions an engine asks about one click: one browser opens, and one record is written."""

    ways: ClassVar[tuple[str, ...]] = ("link", "link-302", "link-blank", "window-open", "form-post", "location-href")

    def test_opens_one_browser_and_leaves_one_record(self) -> None:
        by_id = {way.id: way for way in WAYS}
        for name in self.ways:
            with self.subTest(way=name):
                self._click(Trip(by_id[name], Host.EXTERNAL, next(numbers)))

    def _click(self, trip: Trip) -> None:
        before = len(self.managed_browser.opened)
        self.go(trip, WORK_VIEWER)
        self.driver.wait(lambda: len(self.managed_browser.opened) > before, "a browser opens")
        self.show("/")
        redirects = [record for record in self.records.about(trip.goal) if record["outcome"] == "redirect"]
        opened = [url.partition("?")[0] for url in self.managed_browser.opened[before:]]
        self.assertEqual(opened, [self.site.url(trip.goal, trip.host)])
        self.assertEqual(len(redirects), 1)
        self.driver.close_popups()
