"""Static rules for an engine, as the daemon exports them: for programs that have no file of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from webviewguard.errors import GuardError

RuleFormat = Literal[
    "webkit-content-blocker", "chromium-policy", "firefox-policy", "declarative-net-request", "chromium-host-rules"
]  # fmt: skip
FORMATS: tuple[str, ...] = get_args(RuleFormat)

# The daemon makes a document when somebody asks for it first. Asked again after so many seconds, each time a half longer.
FIRST_PAUSE = 0.02
LONGEST_PAUSE = 1.0


@dataclass(frozen=True)
class Rules:
    """The rules of a viewer class as the document of one engine."""

    # JSON, as `webviewguard export` writes it.
    document: str
    # That of the policy they are of: for `rules=` of a guard, and to know whether news of the policy change them.
    digest: str
    generation: int
    # Rules that the document does not state exactly; `webviewguard export` names each.
    gaps: int


class RuleReading:
    """Reads one document, part by part: `parameters` is the next call, and `take` gets its reply.

    The parts are of one policy; when another one comes into force between two of them, the reading begins anew.
    """

    def __init__(self, rule_format: str, viewer_class: str | None) -> None:
        self.rules: Rules | None = None
        # Seconds to wait before the next call.
        self.pause = 0.0
        self._said = {"format": rule_format} | ({} if viewer_class is None else {"class": viewer_class})
        self._parts: list[bytes] = []
        self._generation: int | None = None
        self._next_pause = FIRST_PAUSE

    @property
    def parameters(self) -> Mapping[str, Any]:
        return self._said | ({"offset": self._offset} if self._parts else {})

    @property
    def _offset(self) -> int:
        return sum(map(len, self._parts))

    def take(self, reply: Mapping[str, Any]) -> None:
        generation, part, size = (reply.get(name) for name in ("generation", "part", "bytes"))
        if generation != self._generation and self._parts:
            self._parts, self._generation, self.pause = [], None, 0.0
            return
        if not reply.get("ready"):
            self.pause, self._next_pause = self._next_pause, min(self._next_pause * 1.5, LONGEST_PAUSE)
            return
        if not isinstance(part, str) or not isinstance(size, int) or not isinstance(generation, int):
            raise GuardError("invalidReply", "ExportRules")
        self.pause, self._generation = 0.0, generation
        self._parts.append(part.encode())
        if self._offset > size or (not part and self._offset < size):
            raise GuardError("invalidReply", "ExportRules")
        if self._offset == size:
            document = b"".join(self._parts).decode()
            self.rules = Rules(document, str(reply.get("digest", "")), generation, int(reply.get("gaps") or 0))


def deadline_after(seconds: float) -> float:
    return time.monotonic() + seconds


def wait_for(reading: RuleReading, deadline: float) -> float:
    """Seconds to wait before the next call. Raises GuardError `notReady` when that is behind the deadline."""
    if time.monotonic() + reading.pause > deadline:
        raise GuardError("notReady", "ExportRules")
    return reading.pause
