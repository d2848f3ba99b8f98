"""The conversation of an app: what it said before is said again on each new connection, before the first question."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from webviewguard._calls import MissingFeature, read_missing, read_organization
from webviewguard._contract import read_contract
from webviewguard._conversation import Call, Conversation, Hello
from webviewguard._frames import Reply, encode
from webviewguard._said import Said
from webviewguard.errors import GuardError


class Session(Conversation):
    """Joins the instance that it had, or begins a new one when the daemon does not know that any more."""

    def __init__(self, hello: Hello, said: Said, chance: Callable[[], float] = random.random) -> None:
        super().__init__(hello, chance)
        self.token: str | None = None
        self.missing: tuple[MissingFeature, ...] = ()
        self.organization: Mapping[str, str] = {}
        self._said = said
        # Ready, but attached to nothing: no policy ever loaded, and until one is, questions are answered so.
        self._is_unattached = False

    def again_when_attached(self, call: Call, now: float) -> bool:
        """A policy was loaded meanwhile: attaches, and calls once more. False when that is not what happened."""
        if self._phase == "ready" and self._is_unattached:
            self._attach(now)
        if self._phase != "attaching":
            return False
        self._waiting.append(call)
        return True

    def inherited(self) -> None:
        """A child of fork is a program of its own, with an instance of its own: what it says changes nothing of its parent's."""
        self.token, self._is_unattached = None, False
        self._said.begin_anew()
        super().inherited()

    def _attach_parameters(self) -> Mapping[str, Any]:
        self._is_unattached = False
        return self._hello.parameters(self.token)

    def _attached(self, reply: Reply, now: float) -> None:
        if reply.error is None:
            self._begin(reply.parameters, now)
        elif reply.error_word == "UnknownInstance" and self.token is not None:
            self.token = None
            self._said.begin_anew()
            self._attach(now)
        elif reply.error_word == "NoPolicy":
            self._is_unattached = True
            self._succeed()
        else:
            # Somebody is there, and an answer: every question is blocked, whatever the contract says of nobody.
            self._fail(GuardError(reply.error_word, "Attach", reply.parameters), now, refusal=reply.error_word)

    def _begin(self, parameters: Mapping[str, Any], now: float) -> None:
        token = parameters.get("instance")
        if not isinstance(token, str):
            self._fail(GuardError("invalidReply", "Attach"), now)
            return
        self.token, self.contract = token, read_contract(parameters.get("contract"))
        self.missing = read_missing(parameters.get("missing"))
        self.organization = read_organization(parameters.get("organization"))
        self.has_attached = True
        self._succeed()
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

        return Call(method, encode(method, said), finished, deadline)
