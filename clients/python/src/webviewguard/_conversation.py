"""One conversation with the daemon, without sockets and clocks: bytes in, bytes out, and when to be woken."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union

from webviewguard._backoff import BackOff, Failure
from webviewguard._contract import Contract
from webviewguard._frames import BrokenReply, FrameSplitter, Reply, encode
from webviewguard._version import VERSION
from webviewguard.errors import GuardError

# After a silence a question waits so long for a new connection, from the beginning of that, and no longer.
BRIEF_SECONDS = 0.02
# A question says how long it waits, so its bytes are made from the milliseconds that are left.
Frame = Union[bytes, Callable[[int], bytes]]
NEVER = float("inf")


@dataclass(eq=False)
class Call:
    """One call on its way. `finished` hears its reply, or None when nobody answered."""

    method: str
    frame: Frame
    finished: Callable[[Reply | None], None]
    deadline: float = NEVER
    # Several replies come, for as long as the connection lasts.
    more: bool = False

    def encoded(self, now: float) -> bytes:
        if callable(self.frame):
            return self.frame(max(1, int((self.deadline - now) * 1000)))
        return self.frame


@dataclass(frozen=True)
class Hello:
    """What Attach says."""

    app: str | None = None
    features: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    # The app's own; the daemon's conditions about `appVersion` judge it.
    version: str | None = None
    # The digest of the configuration that the app's static rules were exported from.
    rules: str | None = None

    def parameters(self, token: str | None) -> dict[str, Any]:
        said = {
            "app": self.app, "instance": token, "languages": list(self.languages) or None, "version": self.version,
            "clientVersion": VERSION, "rules": self.rules,
        }  # fmt: skip
        return {"features": list(self.features)} | {name: value for name, value in said.items() if value is not None}


class Conversation(ABC):
    """Attaches, and then carries calls and their replies, which come in order.

    Whatever fails ends the connection: its calls hear None, and the back-off begins. The owner of the socket calls
    `connected`, `received`, `lost` and `expire`, sends what is in `outgoing`, and closes the socket when `is_down`.
    """

    def __init__(self, hello: Hello, chance: Callable[[], float] = random.random) -> None:
        self.contract = Contract()
        # Attached at least once, so that the contract is the daemon's own word.
        self.has_attached = False
        self.outgoing = bytearray()
        self.problems: list[GuardError] = []
        # With what error the daemon refused the latest connection; None when it did not.
        self.refusal: str | None = None
        # Somebody did not answer in time, and has answered nothing since.
        self._is_silent = False
        # What ended the latest connection, so that the same is not told again and again.
        self._latest_problem = ""
        self._hello = hello
        self._back_off = BackOff(chance)
        self._phase: Literal["down", "attaching", "ready"] = "down"
        self._splitter = FrameSplitter()
        self._waiting: deque[Call] = deque()
        self._sent: deque[Call] = deque()

    @abstractmethod
    def _attach_parameters(self) -> Mapping[str, Any]: ...

    @abstractmethod
    def _attached(self, reply: Reply, now: float) -> None:
        """Attach was answered."""

    @property
    def is_down(self) -> bool:
        return self._phase == "down"

    @property
    def is_ready(self) -> bool:
        return self._phase == "ready"

    @property
    def is_idle(self) -> bool:
        """Whether it is ready, and no call is on its way."""
        return self._phase == "ready" and not (self._sent or self._waiting or self.outgoing)

    @property
    def is_busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return any(call.deadline != NEVER for call in (*self._sent, *self._waiting))

    def may_connect(self, now: float) -> bool:
        """Whether a connection is to be tried: it is time for that, or somebody asks and need not wait."""
        soonest = self._back_off.asked_until if self._waiting else self._back_off.until
        return self._phase == "down" and now >= soonest

    def wake_at(self) -> float:
        """When `expire` must be called, or a connection may be tried again."""
        if self._phase == "down":
            return self._back_off.until
        return min((call.deadline for call in (*self._sent, *self._waiting)), default=NEVER)

    def submit(self, call: Call, now: float) -> None:
        """Sends a call as soon as the connection is ready; it is over at once when none may be tried."""
        if self._phase == "down" and now < self._back_off.asked_until:
            call.finished(None)
            return
        if self._is_silent and self._phase != "ready":
            # The first question of the silence has waited its time; this one waits as long as a good daemon needs.
            began = now if self._phase == "down" else self._back_off.latest_attempt
            call.deadline = min(call.deadline, began + BRIEF_SECONDS)
            if call.deadline <= now:
                call.finished(None)
                return
        self._waiting.append(call)
        self._flush(now)

    def end(self) -> None:
        """For good: whatever is asked from now on is over at once."""
        self._back_off.end()
        self.refusal = None
        self._go_down()

    def inherited(self) -> None:
        """This is a child of fork, and the connection its parent's: nobody answers here what was asked there."""
        self._back_off.begin_anew()
        self._go_down()

    # What the socket says

    def connected(self, now: float) -> None:
        self._back_off.attempted(now)
        self._splitter = FrameSplitter()
        self._attach(now)

    def received(self, data: bytes, now: float) -> None:
        try:
            for reply in self._splitter.feed(data):
                if self._phase == "down":
                    return
                self._answered(reply)
        except BrokenReply as problem:
            self._fail(GuardError("invalidReply", parameters={"problem": str(problem)}), now)
        self._flush(now)

    def lost(self, now: float, problem: str) -> None:
        """The daemon closed the connection, or there was none to be had."""
        self._is_silent = False
        if self._phase == "ready" and not self.is_busy:
            self._go_down()
            self._back_off.ended(now)
        elif self._phase == "down":
            self._back_off.attempted(now)
            self._fail(GuardError("unreachable", parameters={"problem": problem}), now, "away")
        else:
            self._fail(GuardError("connectionLost", parameters={"problem": problem}), now, "gone")

    def expire(self, now: float) -> None:
        """A missed deadline ends the connection, so that a late reply is never taken for another's. What was not sent
        during a silence is only given up: the connection has its own time."""
        if self._is_silent:
            self._give_up(now)
        late = [call for call in (*self._sent, *self._waiting) if call.deadline <= now]
        if late:
            self._is_silent = True
            self._fail(GuardError("noAnswer", late[0].method), now)

    # Inside

    def _give_up(self, now: float) -> None:
        late = [call for call in self._waiting if call.deadline <= now]
        self._waiting = deque(call for call in self._waiting if call.deadline > now)
        for call in late:
            call.finished(None)

    def _attach(self, now: float) -> None:
        def finished(reply: Reply | None) -> None:
            if reply is not None:
                self._attached(reply, now)

        self._phase = "attaching"
        said = encode("Attach", self._attach_parameters())
        attach = Call("Attach", said, finished, now + self.contract.start_ms / 1000)
        self._sent.append(attach)
        self.outgoing += attach.encoded(now)

    def _answered(self, reply: Reply) -> None:
        if not self._sent or (reply.continues and not self._sent[0].more):
            raise BrokenReply("a reply to no call")
        call = self._sent[0] if reply.continues else self._sent.popleft()
        call.finished(reply)

    def _flush(self, now: float) -> None:
        while self._phase == "ready" and self._waiting:
            call = self._waiting.popleft()
            self.outgoing += call.encoded(now)
            self._sent.append(call)

    def _succeed(self) -> None:
        self._phase = "ready"
        self._is_silent = False
        self._latest_problem = ""
        self.refusal = None
        self._back_off.succeeded()

    def _fail(
        self, problem: GuardError, now: float, failure: Failure = "bad", *, refusal: str | None = None
    ) -> None:
        if str(problem) != self._latest_problem:
            self.problems.append(problem)
        self._latest_problem = str(problem)
        self.refusal = refusal
        self._back_off.failed(now, failure)
        self._go_down()

    def _go_down(self) -> None:
        calls = [*self._sent, *self._waiting]
        self._phase = "down"
        self.outgoing.clear()
        self._sent.clear()
        self._waiting.clear()
        for call in calls:
            call.finished(None)
