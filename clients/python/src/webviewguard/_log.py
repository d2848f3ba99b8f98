"""What goes wrong where nobody can hear an exception."""

from __future__ import annotations

import logging
from collections.abc import Callable

from webviewguard.errors import GuardError

log = logging.getLogger("webviewguard")


def log_problem(problem: GuardError) -> None:
    """Where problems go that no call can raise: replies to what is said again, and connections."""
    log.warning("%s", problem)


def safely(callback: Callable[..., object], *arguments: object) -> None:
    """A mistake in the app's callback must not take other answers away."""
    try:
        callback(*arguments)
    except Exception:
        log.exception("a callback failed")
