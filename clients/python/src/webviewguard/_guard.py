"""The client that waits for its answers, and that foreign event loops can carry."""

import logging
import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, Unpack

from webviewguard import _calls
from webviewguard._asker import Asker
from webviewguard._calls import Identity, StateCall, Viewer
from webviewguard._contract import Contract
from webviewguard._decision import Decision
from webviewguard._event import Event
from webviewguard._line import Line
from webviewguard._questions import Questions
from webviewguard._said import Said
from webviewguard._session import Hello, Session
from webviewguard._ticket import Ticket
from webviewguard._words import EventKind, Feature, IdentityTarget, Outcome, SwitchResult, ViewerKind, WebViewPolicy
from webviewguard.errors import GuardError

T = TypeVar("T")
log = logging.getLogger("webviewguard")


def log_problem(problem: GuardError) -> None:
    log.warning("%s", problem)


class Guard(Questions[Decision]):
    """Asks the daemon, and answers by the failure contract when it does not answer in time. One thread uses it."""

    def __init__(
        self,
        app: str | None = None,
        path: str | os.PathLike[str] | None = None,
        features: Iterable[Feature] = (),
        languages: Iterable[str] = (),
        trusted_uids: Iterable[int] | None = None,
        on_problem: Callable[[GuardError], None] = log_problem,
    ) -> None:
        can: tuple[str, ...] = ("actions", "clips", *(word for word in features if word not in ("actions", "clips")))
        said = Said()
        self._session = Session(Hello(app, can, tuple(languages)), said)
        self._asker = Asker(self._session, said)
        self._line = Line(self._session, path, trusted_uids)
        self._on_problem = on_problem
        self._callbacks: deque[Callable[[], None]] = deque()
        self._is_started = self._is_closed = False

    def __enter__(self) -> "Guard":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Beginning and end

    def start(self, *, wait: bool = True) -> bool:
        """Connects, and says what was said before; waits `contract.start_ms` at most.

        False: the contract answers until the daemon is there. With `wait=False` it is `process` that connects.
        """
        self._line.load_contract()
        self._is_started = True
        deadline = time.monotonic() + self._session.contract.start_ms / 1000
        while wait and not self._is_closed and not self._session.is_ready and time.monotonic() < deadline:
            self._line.step(connect=True)
            if not self._session.is_ready:
                self._line.wait(min(deadline, self._session.wake_at() or deadline))
        self._tell_problems()
        return self._session.is_ready

    def close(self) -> None:
        """Ends the connection. What is asked later is answered by the contract."""
        if not self._is_closed:
            self._is_closed = True
            self._session.end()
            self._line.close()

    @property
    def contract(self) -> Contract:
        """The failure contract that holds now."""
        return self._session.contract

    @property
    def is_connected(self) -> bool:
        """Whether the daemon answered Attach, as far as is known."""
        return self._session.is_ready

    # Questions

    def decide(self, kind: EventKind, **event: Unpack[Event]) -> Decision:
        self._prepare()
        return self._finish(self._asker.question(kind, event))

    def decide_many(self, questions: Sequence[tuple[EventKind, Event]]) -> list[Decision]:
        """Asks several questions at once; they are decided in order, under one policy."""
        self._prepare()
        return self._finish(self._asker.questions(questions)) if questions else []

    def decide_later(self, kind: EventKind, callback: Callable[[Decision], None], **event: Unpack[Event]) -> None:
        """Asks, and returns. `process` calls back, within the same time in which `decide` would have returned."""
        self._prepare()
        ticket = self._asker.question(kind, event)
        ticket.then(lambda: self._call_back(lambda: callback(ticket.result())))
        self._send()

    # What the daemon must know

    def set_identity(
        self,
        level: IdentityTarget,
        *,
        window: str | None = None,
        account: str | None = None,
        accounts: Sequence[str] | None = None,
        gates: SwitchResult | None = None,
    ) -> Identity:
        """Says whose data is shown: an account, "" for explicitly nobody's, None to leave it to the next level."""
        return self._state(_calls.set_identity(level, window, account, accounts, gates))

    def register_viewer(
        self,
        viewer: str,
        *,
        viewer_class: str | None = None,
        window: str | None = None,
        parent: str | None = None,
        opener: str | None = None,
        kind: ViewerKind | None = None,
        document: str | None = None,
    ) -> Viewer:
        """Makes a viewer known, before it loads anything; or changes one, where what is left out stays."""
        return self._state(_calls.register_viewer(viewer, viewer_class, window, parent, opener, kind, document))

    def set_document(self, viewer: str, document: str | None) -> bool:
        """Says what document a viewer shows. True when the daemon heard it, here and below."""
        return self._state(_calls.set_document(viewer, document))

    def forget_viewer(self, viewer: str) -> bool:
        """Ends a viewer."""
        return self._state(_calls.forget_viewer(viewer))

    def set_web_view_policy(self, viewer: str, policy: WebViewPolicy) -> Viewer:
        """Tags a viewer, or a container and all that ever lies in it; the rule set of the answer is None."""
        return self._state(_calls.set_web_view_policy(viewer, policy))

    def set_external_url_rules(self, viewer: str, rule_set: str | None) -> bool:
        """Chooses the rule set for a viewer; None for none."""
        return self._state(_calls.set_external_url_rules(viewer, rule_set))

    def acknowledge(self, decision: Decision, outcome: Outcome, *, justification: str | None = None) -> bool:
        """Says what came of a decision. One that was made here, without the daemon, has nobody to be told to."""
        if decision.is_local or not decision.id:
            return False
        return self._state(_calls.acknowledge(decision.id, outcome, justification))

    def answer(self, request: str, result: SwitchResult) -> bool:
        """Says what came of a switch to another account that the daemon asked for."""
        return self._state(_calls.answer(request, result))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Any call of the interface, by the names of the wire. What it says is not said again after a reconnect."""
        self._prepare()
        return self._finish(self._asker.call(method, parameters))

    # For event loops

    def fileno(self) -> int:
        """One descriptor, always the same: when it is readable, `process` has something to do."""
        return self._line.fileno()

    def wants_write(self) -> bool:
        """Never: `fileno` is readable as well when there is room to send."""
        return False

    def timeout_ms(self) -> int | None:
        """When `process` must be called at the latest; None for whenever `fileno` says so."""
        if self._callbacks:
            return 0
        wake = self._session.wake_at() if self._is_started and not self._is_closed else None
        return None if wake is None else math.ceil(max(0.0, wake - time.monotonic()) * 1000)

    def process(self) -> None:
        """Does what can be done without waiting: connects again, reads, sends, calls back."""
        if self._is_started and not self._is_closed:
            self._line.step(connect=True)
        self._tell_problems()
        self._ring(False)
        for _ in range(len(self._callbacks)):
            _safely(self._callbacks.popleft())
        if self._callbacks:
            self._ring(True)

    # Inside

    def _prepare(self) -> None:
        """Finds out whether the connection still lives, and makes one where that may be tried."""
        if not self._is_closed:
            self._is_started = True
            self._line.step(connect=True)

    def _state(self, call: StateCall[T]) -> T:
        if not self._is_started:
            return self._asker.note(call)
        self._prepare()
        return self._finish(self._asker.state(call))

    def _finish(self, ticket: Ticket[T]) -> T:
        self._send()
        while not ticket.is_done:
            self._line.wait(self._session.wake_at() or 0)
            self._line.step(connect=False)
        self._tell_problems()
        return ticket.result()

    def _send(self) -> None:
        if not self._is_closed:
            self._line.step(connect=False)

    def _call_back(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)
        self._ring(True)

    def _ring(self, rings: bool) -> None:
        if not self._is_closed:
            self._line.ring(rings)

    def _tell_problems(self) -> None:
        problems, self._session.problems = self._session.problems, []
        for problem in problems:
            _safely(lambda: self._on_problem(problem))


def _safely(callback: Callable[[], None]) -> None:
    """A mistake in the app's callback must not take other answers away."""
    try:
        callback()
    except Exception:
        log.exception("a callback failed")
