"""Reads what `webviewguard metrics` prints, with the parser that Prometheus publishes for Python, and with promtool."""

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

Labels = dict[str, str]


class Exposition:
    """The samples of one scrape, by name and labels. Reading it fails on whatever Prometheus would not take."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.families = {family.name: family for family in text_string_to_metric_families(text)}
        self.samples: dict[str, list[tuple[Labels, float]]] = {}
        for family in self.families.values():
            for sample in family.samples:
                self.samples.setdefault(sample.name, []).append((sample.labels, sample.value))

    def value(self, name: str, **labels: str) -> float:
        """The one sample with at least these labels; 0 when there is none."""
        found = list(self.matching(name, labels))
        if len(found) > 1:
            raise ValueError(f"{len(found)} samples of {name} with {labels}")
        return found[0] if found else 0

    def sum(self, name: str, **labels: str) -> float:
        return sum(self.matching(name, labels))

    def matching(self, name: str, labels: Labels) -> Iterator[float]:
        for own, value in self.samples.get(name, []):
            if labels.items() <= own.items():
                yield value

    def duplicates(self) -> list[Any]:
        """Samples that are there twice, which Prometheus refuses."""
        keys = [(name, tuple(sorted(labels.items()))) for name, all in self.samples.items() for labels, _ in all]
        return sorted({key for key in keys if keys.count(key) > 1})


def promtool_complaints(text: str) -> str | None:
    """What `promtool check metrics` says; None where it is not installed."""
    program = shutil.which("promtool")
    if program is None:
        return None
    checked = subprocess.run([program, "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    return checked.stdout + checked.stderr
