"""What will come of a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from webviewguard.errors import GuardError

T = TypeVar("T")


class Ticket(Generic[T]):
    """A value or an error, once. `then` is called at that moment, in the middle of the work."""

    def __init__(self) -> None:
        self.is_done = False
        self._value: T | None = None
        self._error: GuardError | None = None
        self._then: Callable[[], None] | None = None

    def resolve(self, value: T) -> None:
        self._value = value
        self._end()

    def fail(self, error: GuardError) -> None:
        self._error = error
        self._end()

    def then(self, done: Callable[[], None]) -> None:
        if self.is_done:
            done()
        else:
            self._then = done

    def result(self) -> T:
        if self._error is not None:
            raise self._error
        assert self.is_done
        return self._value  # type: ignore[return-value]

    def _end(self) -> None:
        self.is_done = True
        then, self._then = self._then, None
        if then is not None:
            then()
