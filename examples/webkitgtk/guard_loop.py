"""The guard's client on the loop of GTK: questions are answered later, and nothing waits for them."""

from collections.abc import Callable
from typing import Any

from gi.repository import GLib
from webviewguard import Decision, Guard, GuardError

Answer = Callable[[Decision], None]


class LoopGuard:
    """Asks without waiting. The client's one descriptor and its next deadline are all that the loop has to watch."""

    def __init__(self, guard: Guard, report: Callable[[str], None]) -> None:
        self.guard, self.report = guard, report
        self._timer = 0
        self._watch = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, guard.fileno(), GLib.IOCondition.IN, self._ready)

    def ask(self, question: str, answer: Answer, **event: Any) -> None:
        """Asks whether this may happen. `answer` is called from the loop, after `answerMs` at the latest."""
        self.guard.decide_later(question, answer, **event)
        self._arm()

    def tell(self, method: str, *arguments: Any, **parameters: Any) -> bool:
        """Says how things are, such as `register_viewer`. What was said is said again after a reconnect."""
        try:
            getattr(self.guard, method)(*arguments, **parameters)
        except GuardError as problem:
            self.report(f"{method}: {problem}")
            return False
        finally:
            self._arm()
        return True

    def close(self) -> None:
        GLib.source_remove(self._watch)
        self._disarm()
        self.guard.close()

    def _ready(self, *_: object) -> bool:
        self.guard.process()
        self._arm()
        return GLib.SOURCE_CONTINUE

    def _arm(self) -> None:
        """The deadline may have moved with every call."""
        self._disarm()
        wait = self.guard.timeout_ms()
        if wait is not None:
            self._timer = GLib.timeout_add(max(wait, 0), self._timed_out)

    def _timed_out(self) -> bool:
        self._timer = 0
        self._ready()
        return GLib.SOURCE_REMOVE

    def _disarm(self) -> None:
        if self._timer:
            GLib.source_remove(self._timer)
            self._timer = 0
