"""The differences that are known, with the count expected of each; and the tally of a run that is held against them.

known-differences.json names for each part of the oracle its classes. A class says

    reason     what the browser does and what we do
    standard   where it is ruled
    right      who follows the standard: `ours`, `Chromium`, or `neither rules it`
    risk       whether somebody could be led past a rule by it
    example    one input that shows it; each run tries it
    expected   for each group of inputs how often: a number, or two that it must lie between; a group that is not
               named has none

A class that does not occur any more is found by its example.
"""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("known-differences.json")
SHOWN = 20
FIELDS = {"reason", "standard", "right", "risk", "example", "expected"}

Class = dict[str, Any]


def name_of(function: Callable[..., bool]) -> str:
    """The name of the class that a function stands for: `space_in_host` is `space-in-host`."""
    return function.__name__.replace("_", "-")


def of_part(part: str, functions: Sequence[Callable[..., bool]]) -> dict[str, Class]:
    """The classes of a part. An error when the file and the functions do not name the same, or a field is missing."""
    classes: dict[str, Class] = json.loads(FILE.read_text())[part]
    if odd := set(classes) ^ set(map(name_of, functions)):
        raise ValueError(f"{FILE.name} and the functions of `{part}` disagree about {sorted(odd)}")
    for name, known in classes.items():
        if set(known) != FIELDS:
            raise ValueError(f"{FILE.name}: the fields of `{name}` are not {sorted(FIELDS)}")
    return classes


class Tally:
    """What one part of the oracle has compared and found."""

    def __init__(self, part: str, classes: dict[str, Class]) -> None:
        self.part, self.classes = part, classes
        self.compared: Counter[str] = Counter()
        self.found: dict[str, Counter[str]] = {name: Counter() for name in classes}
        self.failures: list[str] = []
        self._unexplained = 0

    def explained(self, group: str, names: list[str]) -> None:
        """Counts one difference, which these classes explain."""
        for name in names:
            self.found[name][group] += 1

    def unexplained(self, difference: object) -> None:
        """Counts one difference that no class explains; the first ones are shown."""
        self._unexplained += 1
        if self._unexplained <= SHOWN:
            self.failures.append(f"in no class: {difference}")

    def example(self, name: str, explained_by: list[str] | None) -> None:
        """Holds that the example of a class still shows it; None stands for an example that is not explained."""
        if explained_by is None or name not in explained_by:
            self.failures.append(f"`{name}` is stale: its example does not show it: {self.classes[name]['example']}")

    def judge(self) -> list[str]:
        """Everything that is wrong."""
        wrong = [*self.failures]
        if self._unexplained > SHOWN:
            wrong.append(f"in no class: {self._unexplained - SHOWN} more")
        for name, known in self.classes.items():
            for group in self.compared:
                wrong += self._misjudged(name, group, known["expected"].get(group, 0))
            if unknown := set(known["expected"]) - set(self.compared):
                wrong.append(f"`{name}` expects something of {sorted(unknown)}, which is no group of `{self.part}`")
        return wrong

    def _misjudged(self, name: str, group: str, expected: int | list[int]) -> list[str]:
        low, high = expected if isinstance(expected, list) else (expected, expected)
        count = self.found[name][group]
        if low <= count <= high:
            return []
        return [f"`{name}` occurred {count:,} times in {group}; expected are {low:,} to {high:,}"]

    def table(self) -> str:
        """The counts as text."""
        groups = list(self.compared)
        width = max(map(len, ["differences", *self.classes]))
        rows = [["compared", *(f"{self.compared[group]:,}" for group in groups)]]
        rows += [[name, *(f"{count[group]:,}" for group in groups)] for name, count in self.found.items()]
        rows.append(["in no class", f"{self._unexplained:,}"])
        head = f"  {'':{width}}" + "".join(f"{group:>12}" for group in groups)
        return "\n".join([head, *(f"  {row[0]:{width}}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in rows)])
