"""What all faces of the client stand on: it begins calls, moves bytes, and keeps what is to be told."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Optional, TypeVar, Union

from webviewguard._accounts import AccountCall
from webviewguard._asker import Asker
from webviewguard._calls import StateCall, acknowledge
from webviewguard._conversation import NEVER, Hello
from webviewguard._decision import Decision
from webviewguard._line import Line
from webviewguard._listening import Handler, Listener, R
from webviewguard._log import log_problem, safely
from webviewguard._news import News
from webviewguard._said import Said
from webviewguard._scopes import ENDED, JoinedSession
from webviewguard._session import Session
from webviewguard._ticket import Ticket
from webviewguard._words import EventKind, Feature, IdentityTarget, Outcome, Topic
from webviewguard.errors import GuardError

T = TypeVar("T")
# A token as `Guard.instance` gives it, or a function that tells the present one, None while there is none.
Instance = Union[str, Callable[[], Optional[str]]]
ALWAYS: tuple[Feature, ...] = ("actions", "clips")


@dataclass(frozen=True)
class Options:
    """What an app says of itself, and of the daemon it wants."""

    app: str | None = None
    path: str | os.PathLike[str] | None = None
    features: Sequence[Feature] = ()
    languages: Sequence[str] = ()
    trusted_uids: Sequence[int] | None = None
    on_problem: Callable[[GuardError], None] = log_problem
    version: str | None = None
    rules: str | None = None
    # The token of another program's instance, or what tells it.
    instance: Instance | None = None


def options(
    app: str | None,
    path: str | os.PathLike[str] | None,
    features: Iterable[Feature],
    languages: Iterable[str],
    trusted_uids: Iterable[int] | None,
    on_problem: Callable[[GuardError], None],
    version: str | None,
    rules: str | None,
    instance: Instance | None,
) -> Options:
    """What an app says, kept for lines that are made later."""
    uids = None if trusted_uids is None else tuple(trusted_uids)
    return Options(app, path, tuple(features), tuple(languages), uids, on_problem, version, rules, instance)


class Engine:
    """Never waits. Whoever owns it calls `step` when `line` is readable, and at `wake_at`."""

    def __init__(self, options: Options, main: "Engine | None" = None) -> None:
        self._options = options
        can = (*ALWAYS, *(word for word in options.features if word not in ALWAYS))
        self._said = Said()
        self._hello = Hello(options.app, can, tuple(options.languages), options.version, options.rules)
        self._trusted = None if options.trusted_uids is None else frozenset(options.trusted_uids)
        self._path, self._on_problem = options.path, options.on_problem
        self.session: Session = self._own_session() if main is None else self._joined_session(main.session)
        self._asker: Asker = Asker(self.session, self._said, None if main is None else main._asker)
        self.line = Line(self.session, self._path, self._trusted)
        self.is_started, self.is_closed = main is not None, False
        self._starting: tuple[float, Ticket[bool]] | None = None

    def start(self) -> Ticket[bool]:
        """Done when the daemon answered Attach, or when the contract's time for that is over."""
        ticket: Ticket[bool] = Ticket()
        if self.is_closed:
            ticket.resolve(False)
            return ticket
        self.line.load_contract()
        self._starting = (time.monotonic() + self.session.contract.start_ms / 1000, ticket)
        self.is_started = True
        self.step()
        return ticket

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.session.end()
            self.line.close()
            self._end_start()

    def joined(self) -> "Engine":
        """A line of its own to the same instance, for a scope. Any thread may make one."""
        return Engine(self._options, main=self)

    # Calls

    def question(self, kind: EventKind, event: Mapping[str, Any]) -> Ticket[Decision]:
        return self._begin(lambda: self._asker.question(kind, event))

    def questions(self, asked: Sequence[tuple[EventKind, Mapping[str, Any]]]) -> Ticket[list[Decision]]:
        return self._begin(lambda: self._asker.questions(asked))

    def call(self, method: str, parameters: Mapping[str, Any]) -> Ticket[dict[str, Any]]:
        return self._begin(lambda: self._asker.call(method, parameters))

    def account(self, call: AccountCall[T]) -> Ticket[T]:
        return self._begin(lambda: self._asker.account(call))

    def state(self, call: StateCall[T]) -> Ticket[T]:
        """What is said before the start waits for it."""
        if self.is_started:
            return self._begin(lambda: self._asker.state(call))
        return self._asker.note(call)

    def acknowledge(self, decision: Decision, outcome: Outcome, justification: str | None) -> Ticket[bool]:
        """A decision that was made here, without the daemon, has nobody to be told to."""
        if decision.is_local or not decision.id:
            ticket: Ticket[bool] = Ticket()
            ticket.resolve(False)
            return ticket
        return self.state(acknowledge(decision.id, outcome, justification))

    def said_identity(self, level: IdentityTarget, window: str | None) -> dict[str, Any] | None:
        """What this program last said of a level, as `set_identity` takes it."""
        return self._said.identity(level, window)

    def news(self, topics: Sequence[Topic]) -> News:
        """News of this app's instance, on a connection of their own."""
        return News(
            self._hello, lambda: self.session.token, topics, self._asker.note_request, self._path, self._trusted
        )

    def listener(self, handlers: Mapping[str, Handler[R]]) -> Listener[R]:
        """As `news`, with a handler for each topic."""
        return Listener(
            self._hello, lambda: self.session.token, handlers, self._asker.note_request, self._on_problem, self._path,
            self._trusted,
        )  # fmt: skip

    # Time

    def finish(self, ticket: Ticket[T]) -> T:
        """Waits for one ticket, in a thread that has this line for itself."""
        while not ticket.is_done:
            self.line.wait(self.wake_at())
            self.step()
        self.tell_problems()
        return ticket.result()

    def drain(self) -> None:
        """Waits until nothing waits for an answer any more."""
        while self.session.is_busy:
            self.line.wait(self.wake_at())
            self.step()

    def step(self) -> None:
        """Does what can be done now."""
        if self.is_started and not self.is_closed:
            self.line.step()
            self._end_start()

    def wake_at(self) -> float:
        """When `step` must be called at the latest."""
        if not self.is_started or self.is_closed:
            return NEVER
        start = self._starting[0] if self._starting else NEVER
        return min(self.session.wake_at(), start)

    def tell_problems(self) -> None:
        """Tells the app what went wrong; not in the middle of the work, so that it may ask again."""
        problems, self.session.problems = self.session.problems, []
        for problem in problems:
            safely(self._on_problem, problem)

    # Inside

    def _own_session(self) -> Session:
        instance = self._options.instance
        if instance is None:
            return Session(self._hello, self._said)
        if isinstance(instance, str):
            return JoinedSession(self._hello, self._said, partial(str, instance))
        return JoinedSession(self._hello, self._said, instance)

    def _joined_session(self, main: Session) -> Session:
        session = JoinedSession(self._hello, self._said, lambda: main.token, ENDED)
        session.contract, session.has_attached = main.contract, main.has_attached
        return session

    def _begin(self, call: Callable[[], Ticket[T]]) -> Ticket[T]:
        """Finds out whether the connection still lives, makes one where that may be tried, and sends."""
        if self.is_closed:
            return call()
        self.is_started = True
        self.line.look()
        ticket = call()
        self.line.send()
        return ticket

    def _end_start(self) -> None:
        if self._starting is None:
            return
        deadline, ticket = self._starting
        if self.session.is_ready or self.is_closed or time.monotonic() >= deadline:
            self._starting = None
            ticket.resolve(self.session.is_ready)
