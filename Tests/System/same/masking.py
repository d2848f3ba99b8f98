"""One side's values with what may differ taken out: two sides that do the same come to the same."""

import json
import re
from collections.abc import Callable
from typing import Any

from masks import COUNTERS, MEMBERS, METRICS, TEXTS, UNORDERED_RECORDS, Known, Mask

METRIC = re.compile(r"(\w+)(\{.*\})? (\S+)")


class Book:
    """What one side's ids are called: `clip 3` is the third clip that appeared there. `directory` is that of its daemon."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        self._names: dict[str, dict[str, int]] = {}
        self._values: dict[str, list[str]] = {}
        self._is_draft = False

    def count(self, kind: str) -> int:
        return len(self._values.get(kind, ()))

    def value(self, kind: str, number: int) -> str:
        """An id of this side, as whole as it was seen."""
        values = self._values.get(kind, [])
        return values[number] if number < len(values) else f"no-{kind}"

    def masked(self, value: Any, name: str = "", parent: str = "") -> Any:
        """The value of a member `name` in `parent`, with everything in it."""
        if isinstance(value, dict):
            within = _record_type(value) or name or parent
            return {key: self.masked(member, key, within) for key, member in value.items()}
        if isinstance(value, list):
            return [self.masked(member, name, parent) for member in value]
        return self._plain(value, MEMBERS.get(f"{parent}.{name}") or MEMBERS.get(name))

    def reply(self, reply: dict[str, Any], method: str) -> dict[str, Any]:
        """A reply: its members count as those of its method or error."""
        whole = dict(reply)
        within = str(whole.get("error", method)).rsplit(".", 1)[-1]
        if isinstance(whole.get("parameters"), dict):
            whole["parameters"] = {
                key: self.masked(member, key, within)
                if key != "text"
                else self.metrics(member)
                if within == "Metrics"
                else self.text(member)
                for key, member in whole["parameters"].items()
            }
        return whole

    def text(self, text: str) -> str:
        """A text for people."""
        text = text.replace(self.directory, "<directory>")
        for pattern, mask in TEXTS:
            text = pattern.sub(lambda found, mask=mask: self._shaped(found[0], mask), text)
        return text

    def metrics(self, text: str) -> list[str]:
        return [self._metric(line) for line in self.text(text).splitlines()]

    def draft(self, make: Callable[["Book"], Any]) -> Any:
        """What `make` comes to with every id of a kind alike: an order that does not depend on ids."""
        self._is_draft = True
        try:
            return make(self)
        finally:
            self._is_draft = False

    def _metric(self, line: str) -> str:
        found = METRIC.fullmatch(line)
        if found is None or found[1] not in METRICS or not re.fullmatch(r"\d+(\.\d+)?", found[3]):
            return line
        return f"{found[1]}{found[2] or ''} <number>"

    def _plain(self, value: Any, mask: Mask | Known | None) -> Any:
        if isinstance(value, bool) or value is None:
            return value
        text = value.replace(self.directory, "<directory>") if isinstance(value, str) else str(value)
        if mask is not None and re.fullmatch(mask.shape, text):
            shaped = self._shaped(text, mask)
            return shaped if isinstance(value, str) else [shaped]
        return self.text(value) if isinstance(value, str) else value

    def _shaped(self, text: str, mask: Mask | Known) -> str:
        return self._name(text, mask) if isinstance(mask, Known) else f"<{mask.reason}>"

    def _name(self, text: str, known: Known) -> str:
        if self._is_draft:
            return f"<{known.kind}>"
        # Of a token others see the first half; it is the same instance.
        key = text[:16] if known.kind == "instance" else text
        names = self._names.setdefault(known.kind, {})
        values = self._values.setdefault(known.kind, [])
        number = names.setdefault(key, len(names))
        if number == len(values):
            values.append(text)
        elif len(text) > len(values[number]):
            values[number] = text
        return f"<{known.kind} {number}, {len(text)} long>" if known.kind == "instance" else f"<{known.kind} {number}>"


def _record_type(value: dict[str, Any]) -> str:
    """The type of a log record, which its members count as members of."""
    return str(value["type"]) if "seq" in value and "type" in value else ""


def log(records: list[dict[str, Any]], book: Book) -> tuple[list[Any], list[str]]:
    """The records in their order, and those that come at the daemon's own times added up, in an order of texts."""
    ordered = [book.masked(record) for record in records if record["type"] not in UNORDERED_RECORDS]
    sums: dict[str, dict[str, int]] = {}
    for record in records:
        if record["type"] in UNORDERED_RECORDS:
            numbers = {key: value for key, value in record.items() if key in COUNTERS and isinstance(value, int)}
            masked = book.masked({key: value for key, value in record.items() if key not in numbers})
            total = sums.setdefault(json.dumps(masked), dict.fromkeys(numbers, 0))
            for key, value in numbers.items():
                total[key] = total.get(key, 0) + value
    return ordered, sorted(f"{text} {json.dumps(total)}" for text, total in sums.items())
