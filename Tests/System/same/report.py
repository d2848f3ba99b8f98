"""Collects differences, and says of each what led to it."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

SHOWN = 600
PATHS = 4


@dataclass(frozen=True)
class Difference:
    """`where` is the part and what was compared: the self-test looks for it."""

    where: str
    what: str
    led_here: tuple[str, ...]
    paths: tuple[tuple[str, Any, Any], ...]

    def __str__(self) -> str:
        lines = [f"DIFFERENCE {self.where}: {self.what[:SHOWN]}"]
        lines += [f"  after {step[:SHOWN]}" for step in self.led_here]
        for path, base, new in self.paths:
            lines += [f"  at   {path or 'all of it'}", f"  base {_short(base)}", f"  new  {_short(new)}"]
        return "\n".join(lines)


@dataclass
class Report:
    """`compared` counts what was looked at, so that a run which compared nothing is no success."""

    is_quiet: bool = False
    compared: dict[str, int] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)

    def same(self, where: str, what: str, base: Any, new: Any, led_here: Sequence[str] = ()) -> bool:
        """Compares two masked values. The order of members counts: logs and pipes show it."""
        self.compared[where] = self.compared.get(where, 0) + 1
        if _text(base) == _text(new):
            return True
        found = tuple(path for path, _ in zip(_paths("", base, new), range(PATHS), strict=False))
        difference = Difference(where, what, tuple(led_here), found or (("order of members", base, new),))
        self.differences.append(difference)
        if not self.is_quiet:
            print(difference, flush=True)
        return False


def _paths(path: str, base: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    """Where two values differ, down to the members."""
    if isinstance(base, dict) and isinstance(new, dict):
        for key in [*base, *(key for key in new if key not in base)]:
            yield from _paths(f"{path}.{key}".lstrip("."), base.get(key, _ABSENT), new.get(key, _ABSENT))
    elif isinstance(base, list) and isinstance(new, list):
        for index in range(max(len(base), len(new))):
            one, other = (side[index] if index < len(side) else _ABSENT for side in (base, new))
            yield from _paths(f"{path}[{index}]", one, other)
    elif base is _ABSENT or new is _ABSENT or _text(base) != _text(new):
        yield path, base, new


class _Absent:
    def __repr__(self) -> str:
        return "(absent)"


_ABSENT = _Absent()


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True)


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, _Absent) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"
