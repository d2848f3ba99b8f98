"""The rows of a run: as a table for people, as JSON for the record."""

import json
import os
import platform
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Row:
    """One figure beside its peer's. `ratio` is ours to the peer's, or the peer's to ours where `faster` is set."""

    what: str
    against: str
    ours: float
    peer: float | None
    unit: str
    target: float | None = None
    faster: bool = False
    # A limit of memory or allocations: missing it fails the run.
    gate: bool = False
    spread: float | None = None
    details: dict[str, object] = field(default_factory=dict)

    @property
    def ratio(self) -> float | None:
        if self.peer is None:
            return None
        if not self.faster:
            return self.ours / self.peer if self.peer else None
        # More is better for rates, less for times.
        return self.ours / self.peer if self.unit.endswith("/s") else self.peer / self.ours

    @property
    def judged(self) -> float:
        """What the target speaks of: the ratio, or our own figure where there is no peer."""
        return self.ours if self.peer is None else self.ratio

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.judged >= self.target if self.faster else self.judged <= self.target

    def as_json(self) -> dict[str, object]:
        return {
            "what": self.what, "against": self.against, "unit": self.unit, "ours": rounded(self.ours),
            "peer": rounded(self.peer), "ratio": rounded(self.ratio), "faster": self.faster, "target": self.target,
            "met": self.met, "spread": rounded(self.spread), "details": self.details,
        }

    def cells(self) -> list[str]:
        ratio = "" if self.ratio is None else f"{figure(self.ratio)}x"
        sign, mark = (">=", "x") if self.faster else ("<=", "" if self.peer is None else "x")
        target = "" if self.target is None else f"{sign} {figure(self.target)}{mark}"
        peer = "" if self.peer is None else f"{figure(self.peer)} {self.unit}"
        return [
            self.what, f"{figure(self.ours)} {self.unit}", peer, self.against, ratio, target,
            {True: "yes", False: "NO", None: ""}[self.met],
        ]


class Results:
    def __init__(self, quick: bool):
        self.quick = quick
        self.rows: list[Row] = []
        # What the plot draws and the table does not say: curves by name.
        self.curves: dict[str, object] = {}
        self.seconds = 0

    def add(self, row: Row) -> None:
        self.rows.append(row)

    def missed_gates(self) -> list[Row]:
        return [row for row in self.rows if row.gate and row.met is False]

    def table(self) -> str:
        head = ["what", "ours", "peer", "against", "ratio", "target", "met"]
        cells = [head] + [row.cells() for row in self.rows]
        widths = [max(len(line[column]) for line in cells) for column in range(len(head))]
        cells.insert(1, ["-" * width for width in widths])
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
        lines += ["", f"{self.seconds} s{', a quick run: do not quote it' if self.quick else ''}"]
        lines += [f"limit missed: {row.what}" for row in self.missed_gates()]
        return "\n".join(lines)

    def write(self, path: Path) -> None:
        record = {
            "machine": machine(), "seconds": self.seconds, "rows": [row.as_json() for row in self.rows],
            "curves": self.curves,
        }
        path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")


def machine() -> dict[str, object]:
    """What the figures depend on; no names of hosts or people."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "processor": model.group(1) if model else platform.machine(), "cores": os.cpu_count(),
        "memoryGiB": round(memory / 2**30), "system": platform.freedesktop_os_release().get("PRETTY_NAME", "Linux"),
    }


def figure(value: float) -> str:
    """Three digits that count."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def load(path: Path) -> Results:
    """A run that was written, to draw it anew."""
    record = json.loads(path.read_text(encoding="utf-8"))
    results = Results(quick=False)
    known = {"what", "against", "ours", "peer", "unit", "target", "faster", "spread", "details"}
    results.rows = [Row(**{key: value for key, value in row.items() if key in known}) for row in record["rows"]]
    results.curves = {
        name: READERS.get(name, families)(curve) for name, curve in record["curves"].items()}
    return results


def sized(curve: dict[str, object]) -> dict[int, object]:
    """JSON has no numbers as keys."""
    return {int(size): value for size, value in curve.items()}


def families(curves: dict[str, dict[str, object]]) -> dict[str, object]:
    return {family: sized(one) for family, one in curves.items()}


# What the keys of a curve are; of any other they are families of sizes.
READERS = {"domains": sized, "sockets": dict}


def rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")
