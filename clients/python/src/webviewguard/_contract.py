"""The failure contract: what an app does when nobody answers, and how long it waits for that."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from webviewguard._words import EventKind, FailureAnswer

LONGEST_MS = 60_000
LONGEST_FILE = 65_536

_NAVIGATION = frozenset({"navigate", "openURL"})
_CLIPBOARD = frozenset({"copy", "paste", "clipboardChanged", "dragEnd"})


@dataclass(frozen=True)
class Contract:
    """Closed, and short times, wherever nothing else was said."""

    start_ms: int = 2000
    answer_ms: int = 500
    navigation: FailureAnswer = "closed"
    clipboard: FailureAnswer = "closed"
    other: FailureAnswer = "closed"

    def answer(self, kind: EventKind) -> FailureAnswer:
        """What becomes of a question of that kind when nobody answers."""
        if kind in _NAVIGATION:
            return self.navigation
        return self.clipboard if kind in _CLIPBOARD else self.other


def read_contract(value: object) -> Contract:
    """The contract that parsed JSON states. Whatever part is missing or broken is the default's."""
    members: dict[str, Any] = value if isinstance(value, dict) else {}
    return Contract(
        start_ms=_time(members.get("startMs"), Contract().start_ms),
        answer_ms=_time(members.get("answerMs"), Contract().answer_ms),
        navigation=_answer(members.get("navigation")),
        clipboard=_answer(members.get("clipboard")),
        other=_answer(members.get("other")),
    )


def parse_contract(text: bytes) -> Contract:
    """The contract of a file; the default when it is no JSON."""
    try:
        return read_contract(json.loads(text))
    except (ValueError, RecursionError):
        return Contract()


def contract_file(path: str, trusts: Callable[[int], bool]) -> Contract:
    """The contract of a file that a trusted user owns and nobody else may write; else the default."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return Contract()
    try:
        status = os.fstat(descriptor)
        is_sealed = stat.S_ISREG(status.st_mode) and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if not (is_sealed and trusts(status.st_uid)):
            return Contract()
        text = os.read(descriptor, LONGEST_FILE + 1)
        return parse_contract(text) if len(text) <= LONGEST_FILE else Contract()
    finally:
        os.close(descriptor)


def _time(value: object, default: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        return default
    return value if 1 <= value <= LONGEST_MS else default


def _answer(value: object) -> Literal["closed", "open"]:
    return "open" if value == "open" else "closed"
