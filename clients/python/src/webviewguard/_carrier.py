"""What carries a line on asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

from webviewguard._conversation import NEVER
from webviewguard._engine import Engine
from webviewguard._ticket import Ticket
from webviewguard.errors import GuardError

T = TypeVar("T")


class Carrier:
    """Has the running loop carry one line."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def future(self, begin: Callable[[], Ticket[T]]) -> "asyncio.Future[T]":
        """Begins a call, and gives what will come of it."""
        loop = self._attach_to_loop()
        future: asyncio.Future[T] = loop.create_future()
        ticket = begin()

        def done() -> None:
            if future.done():
                return
            try:
                future.set_result(ticket.result())
            except GuardError as problem:
                future.set_exception(problem)

        ticket.then(done)
        self._arm()
        return future

    def close(self) -> None:
        if self._loop is not None and not self.engine.is_closed:
            self._loop.remove_reader(self.engine.line.fileno())
        self._stop_timer()
        self.engine.close()

    def _attach_to_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
            if not self.engine.is_closed:
                self._loop.add_reader(self.engine.line.fileno(), self._process)
        return self._loop

    def _process(self) -> None:
        self.engine.step()
        self._arm()

    def _arm(self) -> None:
        """Comes by again when a deadline or the back-off is over."""
        self._stop_timer()
        wake = self.engine.wake_at()
        if self._loop is not None and wake != NEVER:
            self._timer = self._loop.call_later(max(0.0, wake - time.monotonic()), self._process)
        self.engine.tell_problems()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
