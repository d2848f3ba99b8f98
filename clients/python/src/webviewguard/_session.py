"""The client's side of one conversation, without sockets and clocks: bytes in, bytes out, and when to be woken."""

import random
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from webviewguard._backoff import BackOff
from webviewguard._contract import Contract, read_contract
from webviewguard._frames import BrokenReply, FrameSplitter, Reply, encode
from webviewguard._said import Said
from webviewguard.errors import GuardError

Parameters = Mapping[str, Any] | Callable[[int], Mapping[str, Any]]


@dataclass(slots=True, eq=False)
class Call:
    """One call on its way. `finished` hears its reply, or None when nobody answered."""

    method: str
    # A question says how long it waits, so its parameters are made from the milliseconds that are left.
    parameters: Parameters
    deadline: float
    finished: Callable[[Reply | None], None]

    def encoded(self, now: float) -> bytes:
        if callable(self.parameters):
            return encode(self.method, self.parameters(max(1, int((self.deadline - now) * 1000))))
        return encode(self.method, self.parameters)


@dataclass(frozen=True, slots=True)
class Hello:
    """What Attach says."""

    app: str | None = None
    features: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()

    def parameters(self, token: str | None) -> dict[str, Any]:
        said = {"app": self.app, "instance": token, "languages": list(self.languages) or None}
        return {"features": list(self.features)} | {name: value for name, value in said.items() if value is not None}


class Session:
    """Attaches, says again what the app said, and then carries calls and their replies, which come in order.

    Whatever fails ends the connection: its calls hear None, and the back-off begins. The owner of the socket calls
    `connected`, `received`, `lost` and `expire`, sends what is in `outgoing`, and closes the socket when `is_down`.
    """

    def __init__(self, hello: Hello, said: Said, chance: Callable[[], float] = random.random) -> None:
        self.contract = Contract()
        self.token: str | None = None
        self.outgoing = bytearray()
        self.problems: list[GuardError] = []
        # Attached at least once, so that the contract is the service's own word.
        self.has_attached = False
        self._hello, self._said = hello, said
        self._back_off = BackOff(chance)
        self._phase: Literal["down", "attaching", "ready"] = "down"
        # Ready, but attached to nothing: no policy ever loaded.
        self._is_unattached = False
        self._splitter = FrameSplitter()
        self._waiting: deque[Call] = deque()
        self._sent: deque[Call] = deque()

    @property
    def is_down(self) -> bool:
        return self._phase == "down"

    @property
    def is_ready(self) -> bool:
        return self._phase == "ready" and not self._is_unattached

    def may_connect(self, now: float) -> bool:
        return self._phase == "down" and now >= self._back_off.until

    def wake_at(self) -> float | None:
        """When `expire` must be called, or a connection may be tried again; None for not at all."""
        if self._phase == "down":
            return self._back_off.until
        return min((call.deadline for call in (*self._sent, *self._waiting)), default=None)

    # What the app wants

    def submit(self, call: Call, now: float) -> None:
        """Sends a call as soon as the connection is ready; in the back-off it is over at once."""
        if self._phase == "down" and not self.may_connect(now):
            call.finished(None)
            return
        self._waiting.append(call)
        self._flush(now)

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
                if not self._sent or reply.continues:
                    raise BrokenReply("a reply to no call")
                self._sent.popleft().finished(reply)
        except BrokenReply as problem:
            self._fail(GuardError("invalidReply", parameters={"problem": str(problem)}), now)
        self._flush(now)

    def lost(self, now: float, problem: str) -> None:
        """The service closed the connection, or there was none to be had."""
        if self._phase == "ready" and not self._sent and not self._waiting:
            self._go_down()
            self._back_off.ended(now)
        elif self._phase == "down":
            self._back_off.attempted(now)
            self._fail(GuardError("unreachable", parameters={"problem": problem}), now)
        else:
            self._fail(GuardError("connectionLost", parameters={"problem": problem}), now)

    def expire(self, now: float) -> None:
        """A missed deadline ends the connection, so that a late reply is never taken for another's."""
        late = [call for call in (*self._sent, *self._waiting) if call.deadline <= now]
        if late:
            self._fail(GuardError("noAnswer", late[0].method), now)

    def end(self) -> None:
        """For good: whatever is asked from now on is over at once."""
        self._back_off.until = float("inf")
        self._go_down()

    # Inside

    def _attach(self, now: float) -> None:
        self._phase, self._is_unattached = "attaching", False
        deadline = now + self.contract.start_ms / 1000
        attach = Call("Attach", self._hello.parameters(self.token), deadline, lambda r: self._attached(r, now))
        self._sent.append(attach)
        self.outgoing += attach.encoded(now)

    def _attached(self, reply: Reply | None, now: float) -> None:
        if reply is None:
            return
        if reply.error is None:
            self._begin(reply.parameters, now)
        elif reply.error_word == "UnknownInstance" and self.token is not None:
            self.token = None
            self._said.begin_anew()
            self._attach(now)
        elif reply.error_word == "NoPolicy":
            # Questions are answered without Attach until a policy is loaded.
            self._phase, self._is_unattached = "ready", True
            self._back_off.succeeded()
        else:
            self._fail(GuardError(reply.error_word, "Attach", reply.parameters), now)

    def _begin(self, parameters: Mapping[str, Any], now: float) -> None:
        token = parameters.get("instance")
        if not isinstance(token, str):
            self._fail(GuardError("invalidReply", "Attach"), now)
            return
        self.token, self.contract = token, read_contract(parameters.get("contract"))
        self.has_attached = True
        self._phase = "ready"
        self._back_off.succeeded()
        deadline = now + self.contract.start_ms / 1000
        calls = [self._again(method, said, deadline) for method, said in self._said.frames()]
        self._waiting.extendleft(reversed(calls))

    def _again(self, method: str, said: Mapping[str, Any], deadline: float) -> Call:
        def finished(reply: Reply | None) -> None:
            if reply is None:
                return
            self._said.replayed(method, said)
            if reply.error is not None and method != "ForgetViewer":
                self.problems.append(GuardError(reply.error_word, method, reply.parameters))

        return Call(method, said, deadline, finished)

    def _flush(self, now: float) -> None:
        while self._phase == "ready" and self._waiting:
            call = self._waiting.popleft()
            self.outgoing += call.encoded(now)
            self._sent.append(call)

    def _fail(self, problem: GuardError, now: float) -> None:
        self.problems.append(problem)
        self._back_off.failed(now)
        self._go_down()

    def _go_down(self) -> None:
        calls = [*self._sent, *self._waiting]
        self._phase = "down"
        self.outgoing.clear()
        self._sent.clear()
        self._waiting.clear()
        for call in calls:
            call.finished(None)

    def again_when_attached(self, call: Call, now: float) -> bool:
        """A policy was loaded meanwhile: attaches, and asks once more. False when that is not what happened."""
        if self._phase == "ready" and self._is_unattached:
            self._attach(now)
        if self._phase != "attaching":
            return False
        self._waiting.append(call)
        return True
