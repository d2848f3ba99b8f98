"""Says what became of each trip, by the site's access log and the daemon's records, and keeps it for the docs."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rig.hosts import Host
from rig.records import Record, Records
from rig.site import Site
from rig.ways import Kind, Trip

# Browsers find a leak in their own time: longer than any of them took to send what it had begun.
PATIENCE_SECONDS = 1.0
# The same, when what was sent after it arrived already.
BEHIND_SECONDS = 0.2


class Judge:
    """The access log's word on trips. It is asked again at the end, when nothing is under way any more."""

    def __init__(self, site: Site, records: Records) -> None:
        self.site, self.records = site, records
        self.kept: list[Trip] = []

    def arrived(self, trip: Trip) -> bool:
        return any(visit.host == trip.host.value for visit in self.site.asked(trip.goal))

    def is_settled(self, trip: Trip) -> bool:
        """Whether it is known what became of it: it arrived, or was refused."""
        return self.arrived(trip) or any(record["outcome"] != "allow" for record in self.records.about(trip.goal))

    def is_behind(self, trip: Trip) -> bool:
        """Whether what was sent after it arrived: then there is not much left to wait for."""
        return self.site.was_asked(trip.witness)

    def leaks(self) -> list[str]:
        """The trips that had to be kept and were not: `link/external/7`."""
        return [trip.goal.removeprefix("/to/") for trip in self.kept if self.arrived(trip)]


@dataclass
class Observation:
    """What one engine did with one way."""

    kind: Kind
    # As which questions it was asked about where it must not arrive, such as `navigate main`.
    asked: list[str] = field(default_factory=list)
    # Who kept each host from being reached: `daemon`, `export`, `engine` or `nothing`.
    stopped: dict[str, str] = field(default_factory=dict)
    note: str = ""

    def add(self, trip: Trip, records: list[Record], arrived: bool, export: str) -> None:
        if trip.host == Host.INTERNAL:
            return
        for record in records:
            question = " ".join(filter(None, (record["event"], record.get("frame"))))
            if question not in self.asked:
                self.asked.append(question)
        refused = any(record["outcome"] != "allow" for record in records)
        keeper = "nothing" if arrived else "daemon" if refused else "export" if export else "engine"
        self.stopped[trip.host.name.lower()] = keeper


class Observations:
    """What an engine did with every way: the table in docs/embedding.md is made of these."""

    def __init__(self, engine: str, export: str = "") -> None:
        self.engine, self.export = engine, export
        self.ways: dict[str, Observation] = {}

    def add(self, trip: Trip, records: list[Record], arrived: bool) -> None:
        observation = self.ways.setdefault(trip.way.id, Observation(trip.way.kind))
        observation.add(trip, records, arrived, self.export)

    def note(self, way: str, kind: Kind, text: str) -> None:
        self.ways.setdefault(way, Observation(kind)).note = text

    def write(self, file: Path) -> None:
        ways: dict[str, Any] = {name: vars(observation) for name, observation in sorted(self.ways.items())}
        text = json.dumps({"engine": self.engine, "export": self.export, "ways": ways}, indent=1, sort_keys=True)
        file.write_text(text + "\n")
