"""The guard's client on the loop of GTK: questions are answered later, and nothing waits for them."""

from collections.abc import Callable
from typing import Any, Protocol

from gi.repository import GLib
from webviewguard import Decision, EventKind, Guard, GuardError
from webviewguard.files import Files

Answer = Callable[[Decision], None]


class Pollable(Protocol):
    """What a loop must watch: one descriptor, and a time."""

    def fileno(self) -> int: ...
    def timeout_ms(self) -> int | None: ...


class Watch:
    """Calls `act` when the descriptor is readable or the time has come; `arm` when the time may be another."""

    def __init__(self, watched: Pollable, act: Callable[[], None]) -> None:
        self._watched, self._act = watched, act
        self._timer = 0
        self._source = GLib.unix_fd_add_full(GLib.PRIORITY_DEFAULT, watched.fileno(), GLib.IOCondition.IN, self._ready)
        self.arm()

    def arm(self) -> None:
        self._disarm()
        wait = self._watched.timeout_ms()
        if wait is not None:
            self._timer = GLib.timeout_add(max(wait, 0), self._timed_out)

    def close(self) -> None:
        GLib.source_remove(self._source)
        self._disarm()

    def _ready(self, *_: object) -> bool:
        self._act()
        self.arm()
        return GLib.SOURCE_CONTINUE

    def _timed_out(self) -> bool:
        self._timer = 0
        self._ready()
        return GLib.SOURCE_REMOVE

    def _disarm(self) -> None:
        if self._timer:
            GLib.source_remove(self._timer)
            self._timer = 0


class LoopGuard:
    """Asks without waiting, and hears when the policy is another one."""

    def __init__(self, guard: Guard, report: Callable[[str], None], policy_changed: Callable[[], None]) -> None:
        self._guard, self._report, self._policy_changed = guard, report, policy_changed
        self._news = guard.news(topics=("policy",))
        self._watches = Watch(guard, guard.process), Watch(self._news, self._read_news)

    def ask(self, question: EventKind, answer: Answer, **event: Any) -> None:
        """Asks whether this may happen. `answer` is called from the loop, after `answerMs` at the latest."""
        self._guard.decide_later(question, answer, **event)
        self._watches[0].arm()

    def tell(self, method: str, *arguments: Any, **parameters: Any) -> bool:
        """Says how things are, such as `register_viewer`. What was said is said again after a reconnect."""
        try:
            getattr(self._guard, method)(*arguments, **parameters)
        except GuardError as problem:
            self._report(f"{method}: {problem}")
            return False
        finally:
            self._watches[0].arm()
        return True

    @property
    def files(self) -> Files:
        """Labels, seals and reads files; these calls wait for their answers."""
        return self._guard.files

    def wake(self) -> None:
        """Lets the client work: what others asked of it may have changed the time at which it wants to go on."""
        self._guard.process()
        self._watches[0].arm()

    def close(self) -> None:
        for watch in self._watches:
            watch.close()
        self._news.close()
        self._guard.close()

    def _read_news(self) -> None:
        if self._news.process():
            self._policy_changed()
