"""Which connection carries the questions of a thread or a task.

An identity of the level `scope` belongs to one connection, so each scope has one of its own, which joins the instance of
the guard. Threads and tasks in different scopes are judged apart. The end of the connection is the end of the scope:
nothing has to be put back, and nothing stays behind when the program dies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from webviewguard._conversation import Call, Hello
from webviewguard._frames import Reply
from webviewguard._said import Said
from webviewguard._session import Session
from webviewguard.errors import GuardError

# How often it is looked whether the guard has an instance to join.
LOOK_SECONDS = 0.25
# What becomes of questions that are asked in a scope after its end, by a task that outlived it. They are never those of
# the scope around it, whose account may be allowed more.
ENDED = "scopeEnded"

T = TypeVar("T")
# For each guard by its main line, from outside in: the lines of the scopes that are open here.
_OPEN: ContextVar[tuple[tuple[object, object], ...]] = ContextVar("webviewguard scopes", default=())


def innermost(main: T) -> T:
    """The line of the scope that a thread or task is in; the main line when it is in none."""
    for owner, line in reversed(_OPEN.get()):
        if owner is main:
            return line  # type: ignore[return-value]
    return main


@contextmanager
def entered(main: T, line: T) -> Iterator[None]:
    """Has `innermost` find a line while the block lasts, here and in the tasks that begin in it."""
    token = _OPEN.set((*_OPEN.get(), (main, line)))
    try:
        yield
    finally:
        _OPEN.reset(token)


class JoinedSession(Session):
    """The conversation of a scope, or of a program that is part of another. It joins the instance of that guard, and never
    begins one: a new one knows no viewers."""

    def __init__(self, hello: Hello, said: Said, token: Callable[[], str | None], ended: str | None = None) -> None:
        """With `ended`, questions that are asked after the end are blocked for that reason."""
        super().__init__(hello, said)
        self._guards_token = token
        self._ended = ended

    def may_connect(self, now: float) -> bool:
        if super().may_connect(now) and self._guards_token() is None:
            self._back_off.until = self._back_off.asked_until = now + LOOK_SECONDS
        return super().may_connect(now)

    def submit(self, call: Call, now: float) -> None:
        if self.is_down and self._guards_token() is None:
            call.finished(None)
        else:
            super().submit(call, now)

    def end(self) -> None:
        super().end()
        self.refusal = self._ended

    def _attach_parameters(self) -> Mapping[str, Any]:
        self._is_unattached = False
        # It may have ended while this connected: with none this would begin one of its own.
        return self._hello.parameters(self._guards_token() or "")

    def _attached(self, reply: Reply, now: float) -> None:
        if reply.error_word == "UnknownInstance":
            # The guard finds that out as well, and has another instance soon.
            self._fail(GuardError("UnknownInstance", "Attach"), now, refusal="UnknownInstance")
        else:
            super()._attached(reply, now)
