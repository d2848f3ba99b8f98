"""The client that waits for its answers, and that foreign event loops can carry."""

from __future__ import annotations

import math
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from webviewguard import _calls
from webviewguard._accounts import AccountCall, Accounts
from webviewguard._calls import Identity, MissingFeature, Viewer
from webviewguard._contract import Contract
from webviewguard._conversation import NEVER
from webviewguard._decision import Decision
from webviewguard._engine import Engine, Instance, options
from webviewguard._event import Event
from webviewguard._listening import Handler, Handlers, Listening
from webviewguard._log import log_problem, safely
from webviewguard._news import News
from webviewguard._questions import Questions
from webviewguard._rules import RuleFormat, RuleReading, Rules, deadline_after, wait_for
from webviewguard._scopes import entered, innermost
from webviewguard._sealed_keys import asking
from webviewguard._ticket import Ticket
from webviewguard._words import (
    EventKind,
    Feature,
    IdentityTarget,
    Outcome,
    SwitchResult,
    Topic,
    ViewerKind,
    WebViewPolicy,
)
from webviewguard.errors import GuardError
from webviewguard.files import Files
from webviewguard.sealing import Sealing

if TYPE_CHECKING:
    from typing import Self, Unpack

T = TypeVar("T")


class Guard(Questions[Decision]):
    """Asks the daemon, and answers by the failure contract when it does not answer in time.

    One thread uses it; other threads ask inside `as_account`.
    """

    def __init__(
        self,
        app: str | None = None,
        path: str | os.PathLike[str] | None = None,
        features: Iterable[Feature] = (),
        languages: Iterable[str] = (),
        trusted_uids: Iterable[int] | None = None,
        on_problem: Callable[[GuardError], None] = log_problem,
        version: str | None = None,
        rules: str | None = None,
        instance: Instance | None = None,
    ) -> None:
        said = options(app, path, features, languages, trusted_uids, on_problem, version, rules, instance)
        self._engine = Engine(said)
        self._callbacks: deque[Callable[[], None]] = deque()
        self._listeners: list[Listening] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Beginning and end

    def start(self, *, wait: bool = True) -> bool:
        """Connects, and says what was said before; waits `contract.start_ms` at most.

        False: the contract answers until the daemon is there. With `wait=False` it is `process` that connects.
        """
        ticket = self._engine.start()
        return self._finish(ticket) if wait else self.is_connected

    def close(self) -> None:
        """Ends the connection. What is asked later is answered by the contract."""
        for listening in self._listeners[:]:
            listening.close()
        self._engine.close()

    @property
    def contract(self) -> Contract:
        """The failure contract that holds now."""
        return self._engine.session.contract

    @property
    def instance(self) -> str | None:
        """The token of this app's instance, for its other programs: `Guard(instance=TOKEN)` joins it, and shares viewers,
        identities and the clipboard. None before the daemon answered. A secret of the user: pass it by a pipe or the
        environment. It changes when the daemon has lost its state; a function in place of the token tells the new one."""
        return self._engine.session.token

    @property
    def missing(self) -> tuple[MissingFeature, ...]:
        """What the app did not claim in `features`, and the cost of each; empty before it has attached."""
        return self._engine.session.missing

    @property
    def organization(self) -> Mapping[str, str]:
        """The organisation for `notice`: `name`, `contact`, `contactLink`, `color`, `darkColor`, as far as stated."""
        return self._engine.session.organization

    @property
    def is_connected(self) -> bool:
        """Whether the daemon answers, as far as is known."""
        return self._engine.session.is_ready

    # Questions

    def decide(self, kind: EventKind, **event: Unpack[Event]) -> Decision:
        engine = self._here
        return self._finish(engine.question(kind, event), engine)

    def decide_many(self, questions: Sequence[tuple[EventKind, Event]]) -> list[Decision]:
        """Asks several questions at once; they are decided in order, under one policy."""
        engine = self._here
        return self._finish(engine.questions(questions), engine) if questions else []

    def decide_later(self, kind: EventKind, callback: Callable[[Decision], None], **event: Unpack[Event]) -> None:
        """Asks, and returns. `process` calls back, within the same time in which `decide` would have returned."""
        ticket = self._here.question(kind, event)
        ticket.then(lambda: self._call_back(lambda: callback(ticket.result())))

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
        engine = self._here if level == "scope" else self._engine
        return self._finish(engine.state(_calls.set_identity(level, window, account, accounts, gates)), engine)

    @contextmanager
    def as_account(
        self, account: str | None, *, level: IdentityTarget = "scope", window: str | None = None
    ) -> Iterator[Identity]:
        """Shows an account for as long as the block lasts, and then what was shown before, also after an exception.

        By default it is the scope that changes: what this thread asks, in front of window and process. Other threads
        and their scopes are judged apart: once the guard has started, each thread may have its own. Blocks nest. A
        scope has a connection of its own, which carries questions, `acknowledge` and `call`; everything else is for
        the guard's own thread. When the daemon refuses the account this raises, and the block does not run.
        """
        if level == "scope":
            with self._scope(account) as shown:
                yield shown
            return
        before = self._engine.said_identity(level, window)
        shown = self.set_identity(level, window=window, account=account)
        try:
            yield shown
        finally:
            self.set_identity(level, window=window, **(before or {"account": shown.previous}))

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
        policy: WebViewPolicy | None = None,
        rule_set: str | None = None,
    ) -> Viewer:
        """Makes a viewer known, before it loads anything; or changes one, where what is left out stays. `policy` and
        `rule_set` are those of `set_web_view_policy` and `set_external_url_rules`: all of it holds or nothing."""
        call = _calls.register_viewer(
            viewer, viewer_class, window, parent, opener, kind, document, policy, rule_set
        )
        return self._finish(self._engine.state(call))

    def set_document(self, viewer: str, document: str | None) -> bool:
        """Says what document a viewer shows. True when the daemon heard it, here and below."""
        return self._finish(self._engine.state(_calls.set_document(viewer, document)))

    def forget_viewer(self, viewer: str) -> bool:
        """Ends a viewer."""
        return self._finish(self._engine.state(_calls.forget_viewer(viewer)))

    def set_web_view_policy(self, viewer: str, policy: WebViewPolicy) -> Viewer:
        """Tags a viewer, or a container and all that ever lies in it; the rule set of the answer is None."""
        return self._finish(self._engine.state(_calls.set_web_view_policy(viewer, policy)))

    def set_external_url_rules(self, viewer: str, rule_set: str | None) -> bool:
        """Chooses the rule set for a viewer; None for none."""
        return self._finish(self._engine.state(_calls.set_external_url_rules(viewer, rule_set)))

    def acknowledge(self, decision: Decision, outcome: Outcome, *, justification: str | None = None) -> bool:
        """Says what came of a decision. One that was made here, without the daemon, has nobody to be told to."""
        engine = self._here
        return self._finish(engine.acknowledge(decision, outcome, justification), engine)

    def answer(self, request: str, result: SwitchResult) -> bool:
        """Says what came of a switch to another account that the daemon asked for."""
        return self._finish(self._engine.state(_calls.answer(request, result)))

    @property
    def accounts(self) -> Accounts:
        """The accounts of this app: who signs in, may work, and must leave."""
        return Accounts(self._ask_of_accounts)

    @property
    def files(self) -> Files:
        """Labels files with their owners, and reads whose a file is: docs/labels.md."""
        return Files(self._ask_of_accounts)

    @property
    def sealing(self) -> Sealing:
        """Seals data of this app's accounts, and reads what was sealed: docs/sealed-data.md."""
        return Sealing(asking(lambda said: self.accounts.data_key(said.account, said.use, said.object_id, said.key_id)))

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Any call of the interface, by the names of the wire. What it says is not said again after a reconnect."""
        engine = self._here
        return self._finish(engine.call(method, parameters), engine)

    def rules(self, rule_format: RuleFormat, viewer_class: str | None = None, *, wait: float = 60.0) -> Rules:
        """The static rules of a class of this app, as `webviewguard export` makes them, for an engine that guards itself.

        Waits until the daemon has made them, `wait` seconds at most; for a policy of a million rules that takes some. Call
        it again on news of the topic `policy`. Raises GuardError: `notReady`, `UnknownClass`, `InvalidParameter`.
        """
        reading, deadline = RuleReading(rule_format, viewer_class), deadline_after(wait)
        while reading.rules is None:
            time.sleep(wait_for(reading, deadline))
            reading.take(self.call("ExportRules", **reading.parameters))
        return reading.rules

    def news(self, topics: Sequence[Topic] = ()) -> News:
        """News, on a connection of their own; none named means all topics."""
        return self._engine.news(topics)

    def listen(self, **handlers: Unpack[Handlers[None]]) -> Listening:
        """Has each topic of news heard by its handler, from `process` or `wait`, until the result is closed.

        News have a connection of their own, which comes back by itself. A handler may ask, say and listen.
        """
        if self._engine.is_closed:
            raise GuardError("closed", "Subscribe")
        listening = Listening(self._engine.listener(cast(Mapping[str, Handler[None]], handlers)), self._forget)
        self._listeners.append(listening)
        self._engine.line.join(listening.listener.fileno())
        self._collect()
        return listening

    # For event loops

    def fileno(self) -> int:
        """One descriptor, always the same: when it is readable, `process` has something to do."""
        return self._engine.line.fileno()

    def wants_write(self) -> bool:
        """Never: `fileno` is readable as well when there is room to send."""
        return False

    def timeout_ms(self) -> int | None:
        """When `process` must be called at the latest; None for whenever `fileno` says so."""
        wake = 0.0 if self._callbacks else self._wake_at()
        return None if wake == NEVER else math.ceil(max(0.0, wake - time.monotonic()) * 1000)

    def wait(self, seconds: float | None = None) -> None:
        """Waits until `process` has something to do, but no longer than that, and has it done: for programs that
        have no event loop. None waits for ever."""
        until = NEVER if seconds is None else time.monotonic() + seconds
        if not self._callbacks and not self._engine.is_closed:
            self._engine.line.wait(min(until, self._wake_at()))
        self.process()

    def process(self) -> None:
        """Does what can be done without waiting: connects again, reads, sends, calls back, tells news."""
        self._engine.step()
        self._collect()
        self._engine.tell_problems()
        ready, self._callbacks = self._callbacks, deque()
        if not self._engine.is_closed:
            self._engine.line.silence()
        for callback in ready:
            safely(callback)

    # Inside

    def _ask_of_accounts(self, call: AccountCall[Any]) -> Any:
        engine = self._here
        return self._finish(engine.account(call), engine)

    @property
    def _here(self) -> Engine:
        """What carries the questions of this thread: the line of its scope, if it is in one."""
        return innermost(self._engine)

    @contextmanager
    def _scope(self, account: str | None) -> Iterator[Identity]:
        if not self._engine.is_started:
            self.start()
        outer, line = self._here, self._engine.joined()
        try:
            shown = self._finish(line.state(_calls.set_identity("scope", None, account, None, None)), line)
            before = outer.said_identity("scope", None) or {}
            with entered(self._engine, line):
                yield replace(shown, previous=before.get("account"))
            # What was asked without waiting is still of this account.
            line.drain()
        finally:
            line.close()

    def _finish(self, ticket: Ticket[T], engine: Engine | None = None) -> T:
        if engine is not None and engine is not self._engine:
            return engine.finish(ticket)
        while not ticket.is_done:
            # Callbacks are for `process`; until then they must not keep this from waiting.
            self._engine.line.silence()
            self._engine.line.wait(self._wake_at())
            self._engine.step()
            # News that came meanwhile would keep this from waiting as well.
            self._collect()
        if self._callbacks or self._engine.session.is_down:
            # A connection that was lost here gives the app's loop another time to come by.
            self._ring()
        self._engine.tell_problems()
        return ticket.result()

    def _wake_at(self) -> float:
        return min((self._engine.wake_at(), *(listening.listener.wake_at() for listening in self._listeners)))

    def _collect(self) -> None:
        """Puts what came for handlers behind the callbacks that wait for `process`."""
        for listening in self._listeners:
            for handler, item in listening.listener.step():
                self._call_back(partial(listening.tell, handler, item))

    def _call_back(self, callback: Callable[[], None]) -> None:
        self._callbacks.append(callback)
        self._ring()

    def _ring(self) -> None:
        if not self._engine.is_closed:
            self._engine.line.ring()

    def _forget(self, listening: Listening) -> None:
        if listening in self._listeners:
            self._listeners.remove(listening)
            if not self._engine.is_closed:
                self._engine.line.part(listening.listener.fileno())
