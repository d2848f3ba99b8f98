"""A handler for each topic of the daemon's news."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Generic, TypeVar, TypedDict, get_args

from webviewguard._conversation import Hello
from webviewguard._event import camel
from webviewguard._line import Line
from webviewguard._log import safely
from webviewguard._news import NewsItem, Subscription
from webviewguard._words import Topic
from webviewguard.errors import GuardError

if TYPE_CHECKING:
    from typing import Self

# What a handler returns: nothing, or on asyncio perhaps something to be awaited.
R = TypeVar("R")
Handler = Callable[[NewsItem], R]
# Those that are no topics: for news that may be lost, and for news that no other handler takes.
MISSED, OTHER = "missed", "other"
# It is always wanted: it comes first on each connection, and so says that the daemon listens.
FIRST: Topic = "policy"


if TYPE_CHECKING or sys.version_info >= (3, 11):

    class Handlers(TypedDict, Generic[R], total=False):
        """One handler for each topic, by its name in snake case; each hears a `NewsItem`.

        `missed` hears that news may be lost: after a connection that was lost, or since the app did not read in time.
        What was known before may be out of date. `other` hears topics that have no handler, also those of a newer daemon.
        """

        policy: Handler[R]
        account: Handler[R]
        identity: Handler[R]
        enrollment: Handler[R]
        allowed_accounts: Handler[R]
        compliance: Handler[R]
        config: Handler[R]
        data_protection: Handler[R]
        restart: Handler[R]
        wipe: Handler[R]
        missed: Handler[R]
        other: Handler[R]

else:
    Handlers = Mapping  # Before Python 3.11 no TypedDict is generic; only checkers of types look at it.


class Listener(Generic[R]):
    """Reads news on a connection of its own. It calls nothing: `step` finds what is to be called."""

    def __init__(
        self,
        hello: Hello,
        token: Callable[[], str | None],
        handlers: Mapping[str, Handler[R]],
        note_request: Callable[[str, str, str | None], None],
        on_problem: Callable[[GuardError], None],
        path: str | os.PathLike[str] | None,
        trusted: Iterable[int] | None,
    ) -> None:
        self._handlers = {camel(name): handler for name, handler in handlers.items()}
        topics = wanted_topics(self._handlers)
        self._subscription = Subscription(hello, token, topics, tells_gaps=True, may_narrow=True)
        self._line = Line(self._subscription, path, trusted)
        self._note_request, self._on_problem = note_request, on_problem
        self.is_closed = False
        # What was told last, so that the same is not told again and again.
        self._told = ""

    def fileno(self) -> int:
        return self._line.fileno()

    def wake_at(self) -> float:
        return self._subscription.wake_at()

    def step(self) -> deque[tuple[Handler[R], NewsItem]]:
        """What came, without waiting: each with the handler that is to hear it."""
        found: deque[tuple[Handler[R], NewsItem]] = deque()
        if self.is_closed:
            return found
        self._line.step()
        self._tell_of_topics()
        while self._subscription.items:
            item = self._subscription.items.popleft()
            if item.topic == "identity" and item.request is not None and item.account is not None:
                self._note_request(item.request, item.account, item.window)
            found += self._led(item)
        return found

    def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self._subscription.end()
            self._line.close()

    def _led(self, item: NewsItem) -> list[tuple[Handler[R], NewsItem]]:
        """The handlers of one item: of what was missed before it, and its own."""
        found = []
        if item.missed and MISSED in self._handlers:
            found.append((self._handlers[MISSED], NewsItem(topic=MISSED, missed=item.missed)))
        # No topic of the daemon may pass for a word of this client.
        name = OTHER if item.topic in (MISSED, OTHER) and item.raw else item.topic
        handler = self._handlers.get(name) or (self._handlers.get(OTHER) if item.raw else None)
        return found + ([(handler, item)] if handler else [])

    def _tell_of_topics(self) -> None:
        """Connections are the guard's trouble as well, and it tells of them; topics are this one's alone."""
        problems, self._subscription.problems = self._subscription.problems, []
        for problem in problems:
            if problem.method == "Subscribe" and problem.name != "connectionLost" and str(problem) != self._told:
                self._told = str(problem)
                safely(self._on_problem, problem)


class Listening:
    """Handlers that hear news; `close` ends that, also from one of them."""

    def __init__(self, listener: Listener[None], forget: Callable[["Listening"], None]) -> None:
        self.listener = listener
        self._forget = forget

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is called any more, not even for what came already."""
        self._forget(self)
        self.listener.close()

    def tell(self, handler: Handler[None], item: NewsItem) -> None:
        """Calls a handler, unless the app has closed this meanwhile."""
        if not self.listener.is_closed:
            handler(item)


def wanted_topics(handlers: Mapping[str, object]) -> list[str]:
    """The topics to subscribe to, in the order of the alphabet: those with a handler; with `other` all known ones."""
    named = set(handlers) - {MISSED, OTHER}
    return sorted({FIRST, *named, *(get_args(Topic) if OTHER in handlers else ())})
