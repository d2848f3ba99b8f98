"""Every way out under an extension: rules and the default hold in the browser itself."""

from typing import ClassVar

from rig.driver import WORK_VIEWER
from rig.hosts import Host
from rig.suites import EveryWayOut
from rig.ways import Trip, Way


class RuledWays(EveryWayOut):
    """What is seen is kept by what guarantees it, and not by what happened to be quicker."""

    # A page in one of these is a resource until it has come, and no default speaks of resources.
    unruled: ClassVar[tuple[str, ...]] = ("object", "embed")

    def _guarded(self, way: Way, host: Host) -> None:
        super()._guarded(way, host)
        stopped = self.observations.ways[way.id].stopped
        name = host.name.lower()
        if stopped.get(name) == "daemon" and (host != Host.EXTERNAL or way.id not in self.unruled):
            # An exported rule stopped it first; the daemon was asked afterwards, to say why.
            stopped[name] = "export"

    def send_external(self, way: Way) -> Trip:
        """Goes a way that only the default closes, and waits until the daemon has said so."""
        trip = self.send(self.judge, way, Host.EXTERNAL, WORK_VIEWER, arrives=False)
        if way.id not in self.unsupported:
            self.driver.wait(lambda: self.refused(trip), f"{trip.goal} is refused")
        return trip

    def refused(self, trip: Trip) -> bool:
        return any(record["outcome"] != "allow" for record in self.records.about(trip.goal))
