"""News of accounts on the loop of GTK: a client in Python that joins the instance of the library's guard."""

from collections.abc import Callable
from typing import Any

from toolkit import GLib, WvgWebKit
from webviewguard import Guard


class AccountNews:
    """Watches one descriptor, and a time."""

    def __init__(self, app: str, socket: str | None, guard: WvgWebKit.Guard, report: Callable[[str], None]) -> None:
        problem = lambda problem: report(str(problem))  # noqa: E731
        self.guard = Guard(app=app, path=socket, on_problem=problem, instance=guard.get_instance)
        self.guard.start()
        self._timer = 0
        condition = GLib.IOCondition.IN
        self._source = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, self.guard.fileno(), condition, self.wake)

    def wake(self, *_: Any) -> bool:
        """Lets the client work, and says when it wants to go on."""
        self.guard.process()
        self._disarm()
        wait = self.guard.timeout_ms()
        if wait is not None:
            self._timer = GLib.timeout_add(max(wait, 0), self._timed_out)
        return GLib.SOURCE_CONTINUE

    def close(self) -> None:
        GLib.source_remove(self._source)
        self._disarm()
        self.guard.close()

    def _timed_out(self) -> bool:
        self._timer = 0
        self.wake()
        return GLib.SOURCE_REMOVE

    def _disarm(self) -> None:
        if self._timer:
            GLib.source_remove(self._timer)
            self._timer = 0
