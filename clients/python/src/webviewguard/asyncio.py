"""The client for programs that run on asyncio. It waits for nothing but its awaitables."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from webviewguard import _calls
from webviewguard._accounts import AccountCall, AsyncAccounts
from webviewguard._calls import Identity, MissingFeature, Viewer
from webviewguard._carrier import Carrier
from webviewguard._contract import Contract
from webviewguard._conversation import NEVER
from webviewguard._decision import Decision
from webviewguard._engine import Engine, Instance, options
from webviewguard._event import Event
from webviewguard._listening import Handler, Handlers, Listener
from webviewguard._log import log, log_problem
from webviewguard._news import News, NewsItem
from webviewguard._questions import Questions
from webviewguard._rules import RuleFormat, RuleReading, Rules, deadline_after, wait_for
from webviewguard._scopes import entered, innermost
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

if TYPE_CHECKING:
    from typing import Self, Unpack

__all__ = ["AsyncGuard"]

T = TypeVar("T")


class AsyncGuard(Questions[Awaitable[Decision]]):
    """As `Guard`, with the same methods; each call is made at once, and its result awaited.

    One running loop uses it. Questions may be asked side by side; those of one task are answered in their order.
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
        self._main = Carrier(self._engine)
        # What wakes those who wait for news.
        self._listeners: set[asyncio.Event] = set()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    # Beginning and end

    def start(self) -> Awaitable[bool]:
        """Connects within `contract.start_ms`. False: the contract answers until the daemon is there."""
        return self._main.future(self._engine.start)

    def close(self) -> None:
        """Ends the connection; what waits is answered by the contract."""
        self._main.close()
        for came in self._listeners:
            came.set()

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

    def decide(self, kind: EventKind, **event: Unpack[Event]) -> Awaitable[Decision]:
        here = self._here
        return here.future(lambda: here.engine.question(kind, event))

    def decide_many(self, questions: Sequence[tuple[EventKind, Event]]) -> Awaitable[list[Decision]]:
        """Asks several questions at once, at least one; they are decided in order, under one policy."""
        here = self._here
        return here.future(lambda: here.engine.questions(questions))

    # What the daemon must know

    def set_identity(
        self,
        level: IdentityTarget,
        *,
        window: str | None = None,
        account: str | None = None,
        accounts: Sequence[str] | None = None,
        gates: SwitchResult | None = None,
    ) -> Awaitable[Identity]:
        return self._state(
            _calls.set_identity(level, window, account, accounts, gates), self._here if level == "scope" else None
        )

    @asynccontextmanager
    async def as_account(
        self, account: str | None, *, level: IdentityTarget = "scope", window: str | None = None
    ) -> AsyncIterator[Identity]:
        """Shows an account for as long as the block lasts, and then what was shown before, also after an exception.

        By default it is the scope that changes: what this task asks and those that begin in it, in front of window and
        process. Tasks with different scopes are judged apart. Blocks nest. A scope has a connection of its own, which
        carries questions, `acknowledge` and `call`; a task that outlives it is blocked with `scopeEnded`. When the
        daemon refuses the account this raises, and the block does not run.
        """
        if level == "scope":
            async with self._scope(account) as shown:
                yield shown
            return
        before = self._engine.said_identity(level, window)
        shown = await self.set_identity(level, window=window, account=account)
        try:
            yield shown
        finally:
            await self.set_identity(level, window=window, **(before or {"account": shown.previous}))

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
    ) -> Awaitable[Viewer]:
        return self._state(
            _calls.register_viewer(
                viewer, viewer_class, window, parent, opener, kind, document, policy, rule_set
            )
        )

    def set_document(self, viewer: str, document: str | None) -> Awaitable[bool]:
        return self._state(_calls.set_document(viewer, document))

    def forget_viewer(self, viewer: str) -> Awaitable[bool]:
        return self._state(_calls.forget_viewer(viewer))

    def set_web_view_policy(self, viewer: str, policy: WebViewPolicy) -> Awaitable[Viewer]:
        return self._state(_calls.set_web_view_policy(viewer, policy))

    def set_external_url_rules(self, viewer: str, rule_set: str | None) -> Awaitable[bool]:
        return self._state(_calls.set_external_url_rules(viewer, rule_set))

    def acknowledge(self, decision: Decision, outcome: Outcome, *, justification: str | None = None) -> Awaitable[bool]:
        here = self._here
        return here.future(lambda: here.engine.acknowledge(decision, outcome, justification))

    def answer(self, request: str, result: SwitchResult) -> Awaitable[bool]:
        return self._state(_calls.answer(request, result))

    @property
    def accounts(self) -> AsyncAccounts:
        """The accounts of this app: who signs in, may work, and must leave."""
        return AsyncAccounts(self._ask_of_accounts)

    def call(self, method: str, **parameters: Any) -> Awaitable[dict[str, Any]]:
        here = self._here
        return here.future(lambda: here.engine.call(method, parameters))

    async def rules(self, rule_format: RuleFormat, viewer_class: str | None = None, *, wait: float = 60.0) -> Rules:
        """As `Guard.rules`."""
        reading, deadline = RuleReading(rule_format, viewer_class), deadline_after(wait)
        while reading.rules is None:
            await asyncio.sleep(wait_for(reading, deadline))
            reading.take(await self.call("ExportRules", **reading.parameters))
        return reading.rules

    async def news(self, topics: Sequence[Topic] = ()) -> AsyncIterator[NewsItem]:
        """News, on a connection of their own, until the iterator is closed; none named means all topics."""
        with self._engine.news(topics) as news, self._watched(news) as came:
            while not self._engine.is_closed:
                came.clear()
                for item in news.process():
                    yield item
                await _wait(came, news.wake_at())

    async def listen(self, **handlers: Unpack[Handlers[Awaitable[None] | None]]) -> None:
        """Has each topic of news heard by its handler, a function or a coroutine function, one news after the other.

        Make a task of it: it ends when that is cancelled, or the guard closed. What a handler raises is logged.
        """
        listener = self._engine.listener(cast("Mapping[str, Handler[Awaitable[None] | None]]", handlers))
        try:
            with self._watched(listener) as came:
                while not self._engine.is_closed:
                    came.clear()
                    for handler, item in listener.step():
                        await _told(handler, item)
                    await _wait(came, listener.wake_at())
        finally:
            listener.close()

    # Inside

    @contextmanager
    def _watched(self, line: News | Listener[Any]) -> Iterator[asyncio.Event]:
        """What is set when a line has something to be read, and when the guard is closed."""
        loop, came = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(line.fileno(), came.set)
        self._listeners.add(came)
        try:
            yield came
        finally:
            self._listeners.discard(came)
            loop.remove_reader(line.fileno())

    def _ask_of_accounts(self, call: AccountCall[Any]) -> "asyncio.Future[Any]":
        here = self._here
        return here.future(lambda: here.engine.account(call))

    @property
    def _here(self) -> Carrier:
        """What carries the questions of this task: the line of its scope, if it is in one."""
        return innermost(self._main)

    @asynccontextmanager
    async def _scope(self, account: str | None) -> AsyncIterator[Identity]:
        if not self._engine.is_started:
            await self.start()
        outer, line = self._here.engine, Carrier(self._engine.joined())
        try:
            shown = await self._state(_calls.set_identity("scope", None, account, None, None), line)
            before = outer.said_identity("scope", None) or {}
            with entered(self._main, line):
                yield replace(shown, previous=before.get("account"))
        finally:
            line.close()

    def _state(self, call: _calls.StateCall[T], line: Carrier | None = None) -> "asyncio.Future[T]":
        carrier = line or self._main
        return carrier.future(lambda: carrier.engine.state(call))


async def _wait(event: asyncio.Event, until: float) -> None:
    """Returns when the event is set, or the time is over."""
    try:
        await asyncio.wait_for(event.wait(), None if until == NEVER else max(0.0, until - time.monotonic()))
    except TimeoutError:
        pass


async def _told(handler: Handler[Awaitable[None] | None], item: NewsItem) -> None:
    """Has a handler hear something. Its mistake takes no other news away."""
    try:
        if (work := handler(item)) is not None:
            await work
    except Exception:
        log.exception("a handler failed")
