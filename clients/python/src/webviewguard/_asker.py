"""Turns what an app wants into calls of a session, and replies into what the app understands."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from webviewguard._accounts import AccountCall
from webviewguard._actions import Actions
from webviewguard._calls import StateCall
from webviewguard._conversation import Call, Frame
from webviewguard._decision import Decision, read_decision, refused, without_answer
from webviewguard._event import on_wire
from webviewguard._frames import Reply, encode, question
from webviewguard._said import Said
from webviewguard._session import Session
from webviewguard._ticket import Ticket
from webviewguard._words import EventKind
from webviewguard.errors import GuardError

T = TypeVar("T")
# Errors that say that the service could not yet listen, not that it refused.
UNHEARD = ("NoPolicy", "NotAttached")
OPEN_REQUESTS = 16


class Asker:
    """Begins calls; each gives a ticket. The owner moves the session's bytes until the ticket is done."""

    def __init__(self, session: Session, said: Said, main: "Asker | None" = None) -> None:
        self.session = session
        self._said = said
        # The one that knows the viewers, and answers switches; this one, unless it is a scope's.
        self._main = main or self
        self._actions = Actions()
        # The identity that each switch which the service asked for would put in force.
        self._requests: OrderedDict[str, tuple[str, str | None]] = OrderedDict()

    def question(self, kind: EventKind, event: Mapping[str, Any]) -> Ticket[Decision]:
        ticket: Ticket[Decision] = Ticket()
        said = self._event(kind, event)
        patience = said.pop("deadline", None)

        def finished(reply: Reply | None) -> None:
            if reply is None:
                ticket.resolve(self._unanswered(kind))
            elif reply.error is not None:
                ticket.resolve(refused(reply.error))
            else:
                ticket.resolve(self._noted(read_decision(reply.parameters.get("decision")), event))

        self._ask(kind, question(kind, said), finished, patience)
        return ticket

    def questions(self, asked: Sequence[tuple[EventKind, Mapping[str, Any]]]) -> Ticket[list[Decision]]:
        ticket: Ticket[list[Decision]] = Ticket()
        said = [(kind, self._event(kind, event)) for kind, event in asked]

        def frame(left: int) -> bytes:
            asked = [{"kind": kind, "event": event | {"deadline": left}} for kind, event in said]
            return encode("DecideMany", {"questions": asked})

        def finished(reply: Reply | None) -> None:
            if reply is None:
                ticket.resolve([self._unanswered(kind) for kind, _ in asked])
            elif reply.error is not None:
                ticket.resolve([refused(reply.error) for _ in asked])
            else:
                values = reply.parameters.get("decisions")
                whole = values if isinstance(values, list) and len(values) == len(asked) else [None] * len(asked)
                ticket.resolve([self._noted(read_decision(v), event) for v, (_, event) in zip(whole, asked)])

        frame(1)  # As in `_submit`.
        self._ask("DecideMany", frame, finished)
        return ticket

    def state(self, call: StateCall[T]) -> Ticket[T]:
        ticket: Ticket[T] = Ticket()
        self._tell_actions(call)

        def finished(reply: Reply | None) -> None:
            if reply is None or reply.error_word in UNHEARD:
                self._note_unheard(call, ticket)
            elif reply.error is not None and not self._is_gone_anyway(call, reply):
                ticket.fail(GuardError(reply.error_word, call.method, reply.parameters))
            else:
                self._note(call, reply)
                ticket.resolve(call.read(reply.parameters))

        self._submit(call.method, encode(call.method, call.parameters), finished)
        return ticket

    def note(self, call: StateCall[T]) -> Ticket[T]:
        """Remembers a call for the first connection."""
        ticket: Ticket[T] = Ticket()
        self._tell_actions(call)
        self._note_unheard(call, ticket)
        return ticket

    def note_request(self, request: str, account: str, window: str | None) -> None:
        """The service asked for another account to be shown; `Answer` may put that in force."""
        self._requests[request] = (account, window)
        while len(self._requests) > OPEN_REQUESTS:
            self._requests.popitem(last=False)

    def call(self, method: str, parameters: Mapping[str, Any]) -> Ticket[dict[str, Any]]:
        ticket: Ticket[dict[str, Any]] = Ticket()

        def finished(reply: Reply | None) -> None:
            if reply is None:
                ticket.fail(GuardError(self.session.refusal or "noAnswer", method))
            elif reply.error is not None:
                ticket.fail(GuardError(reply.error_word, method, reply.parameters))
            else:
                ticket.resolve(dict(reply.parameters))

        self._submit(method, encode(method, parameters), finished)
        return ticket

    def account(self, call: AccountCall[T]) -> Ticket[T]:
        ticket: Ticket[T] = Ticket()
        name = call.method.rpartition(".")[2]

        def finished(reply: Reply | None) -> None:
            if reply is None:
                ticket.fail(GuardError(self.session.refusal or "noAnswer", name))
            elif reply.error is not None:
                ticket.fail(GuardError(reply.error_word, name, reply.parameters))
            else:
                try:
                    value = call.read(reply.parameters)
                except (TypeError, KeyError):
                    ticket.fail(GuardError("invalidReply", name))
                else:
                    ticket.resolve(value)

        self._submit(call.method, encode(call.method, call.parameters), finished)
        return ticket

    # Inside

    def _unanswered(self, kind: EventKind) -> Decision:
        """Nobody answered, or somebody who wants no question of this app: that is an error, and errors block."""
        if self.session.refusal is not None:
            return refused(self.session.refusal)
        return without_answer(self.session.contract.answer(kind))

    def _event(self, kind: EventKind, event: Mapping[str, Any]) -> dict[str, Any]:
        said = on_wire(event)
        if kind == "navigate" and "action" not in said and "viewer" in said and "url" in said:
            is_new = said.get("newWindow") is True
            said["action"] = self._actions.id(said["viewer"], said["url"], is_new, time.monotonic())
        return said

    def _ask(
        self, method: str, frame: Frame, finished: Callable[[Reply | None], None], patience: int | None = None
    ) -> None:
        """Submits a question, and once more when it was answered without a policy before, and now there is one."""
        deadline = self._deadline(patience)

        def heard(reply: Reply | None) -> None:
            if reply is not None and reply.error_word == "NotAttached":
                again = Call(method, frame, finished, deadline)
                if self.session.again_when_attached(again, time.monotonic()):
                    return
            finished(reply)

        self._submit(method, frame, heard, deadline)

    def _submit(
        self, method: str, frame: Frame, finished: Callable[[Reply | None], None], deadline: float | None = None
    ) -> None:
        """The frame is made before: what cannot be sent is a mistake of the program, which hears of it before."""
        call = Call(method, frame, finished, deadline or self._deadline(None))
        self.session.submit(call, time.monotonic())

    def _deadline(self, patience: int | None) -> float:
        """When a call that begins now has to be answered: within the contract's time, and in so many milliseconds."""
        milliseconds = self.session.contract.answer_ms
        if patience is not None:
            milliseconds = max(1, min(milliseconds, patience))
        return time.monotonic() + milliseconds / 1000

    def _noted(self, decision: Decision, event: Mapping[str, Any]) -> Decision:
        if decision.request is not None and decision.switch_to is not None:
            window = self._main._said.window(event.get("viewer"))
            self._main.note_request(decision.request, decision.switch_to, window)
        return decision

    def _note(self, call: StateCall[Any], reply: Reply) -> None:
        if call.method == "Answer":
            wanted = self._requests.pop(call.parameters["request"], None)
            if wanted and call.parameters["result"] == "success":
                account, window = wanted
                level = "process" if window is None else "window"
                said = {"level": level, "window": window, "account": account}
                self._said.apply("SetIdentity", said, delivered=True)
        elif "gates" not in call.parameters or reply.parameters.get("result") == "success":
            self._said.apply(call.method, call.parameters, delivered=True)

    def _is_gone_anyway(self, call: StateCall[Any], reply: Reply) -> bool:
        """A viewer is forgotten that was refused when it was said again: for the app all is well."""
        is_unknown = call.method == "ForgetViewer" and reply.error_word == "UnknownViewer"
        return is_unknown and self._said.knows(call.parameters["viewer"])

    def _note_unheard(self, call: StateCall[T], ticket: Ticket[T]) -> None:
        """Keeps what nobody heard for the next connection. What the daemon would refuse is refused here as well."""
        viewer = call.parameters.get("viewer")
        if viewer is not None and call.method != "RegisterViewer" and not self._said.knows(viewer):
            ticket.fail(GuardError("UnknownViewer", call.method, {"viewer": viewer}))
            return
        delivered = self.session.token is None
        if "gates" not in call.parameters:
            self._said.apply(call.method, call.parameters, delivered=delivered)
        elif not delivered:
            self._said.take_back(call.parameters)
        ticket.resolve(call.unheard)

    def _tell_actions(self, call: StateCall[Any]) -> None:
        if call.method == "RegisterViewer":
            self._actions.registered(call.parameters["viewer"], call.parameters.get("opener"))
        elif call.method == "ForgetViewer":
            self._actions.forgotten(call.parameters["viewer"])
