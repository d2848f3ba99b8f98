"""News of the daemon: other policies, accounts whose standing changed, and switches that it asks for."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast, get_args

from webviewguard._contract import read_contract
from webviewguard._conversation import Call, Conversation, Hello
from webviewguard._frames import Reply, encode
from webviewguard._line import Line
from webviewguard._results import may_work
from webviewguard._words import Topic
from webviewguard.errors import GuardError

if TYPE_CHECKING:
    from typing import Self

# How often it is looked whether the guard has an instance whose news there are.
LOOK_SECONDS = 0.25


@dataclass(frozen=True)
class NewsItem:
    """One piece of news. A topic that this client does not know may come from a newer daemon."""

    topic: str
    generation: int = 0
    digest: str = ""
    account: str | None = None
    state: str | None = None
    window: str | None = None
    request: str | None = None
    cause: str | None = None
    # Of the topic `account`: how the question to unlock it ended, an UnlockResult.
    unlock: str | None = None
    # Of the topic `enrollment`: the point of the account's life, and an EnrollmentResult.
    life: str | None = None
    result: str | None = None
    # Of the topic `compliance`: a ComplianceStatus, and a title and a text in the person's language.
    status: str | None = None
    title: str | None = None
    text: str | None = None
    # Of the topic `allowedAccounts`: the names and patterns that the app takes; None for all.
    accounts: tuple[str, ...] | None = None
    # Of the topic `restart`: why the app has to start anew, a RestartCause; `account` is one that has to go.
    restart: str | None = None
    # Of the topics `wipe` and `restart`: when the app counts as silent, in milliseconds since 1970.
    deadline: int | None = None
    # Of the topic `dataProtection`: how the account's files have to be encrypted, a FileEncryption, and the number of its
    # newest key; None while it has none, and where the daemon can use no keys.
    encryption: str | None = None
    key_id: str | None = None
    # Of the topic `policy`: the organisation, for `notice`; None when the policy states nothing of it.
    organization: Mapping[str, str] | None = None
    # How much news before this was missed.
    missed: int = 0
    # All members as they came, also those that this client does not know.
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def may_work(self) -> bool:
        """Whether the account that this is about may work now; not if this says nothing of that."""
        return may_work(self.life or self.state)

    @property
    def must_encrypt(self) -> bool:
        """Of the topic `dataProtection`: whether the app has to encrypt the account's files; only `none` says no."""
        return self.encryption != "none"


class Subscription(Conversation):
    """Joins the guard's instance, and reads what comes. News of the policy comes when it is another than before.

    With `tells_gaps`, an item of the topic `missed` stands for the time between two connections. With `may_narrow`, a
    daemon that does not know one of the topics is asked again without the newest of them.
    """

    def __init__(
        self,
        hello: Hello,
        token: Callable[[], str | None],
        topics: Sequence[str],
        *,
        tells_gaps: bool = False,
        may_narrow: bool = False,
    ) -> None:
        super().__init__(hello)
        self.items: deque[NewsItem] = deque()
        self._token, self._topics = token, topics
        self._tells_gaps, self._may_narrow = tells_gaps, may_narrow
        # So many topics the daemon that was asked last does not know.
        self._dropped = 0
        # Some news came on this connection; or on an earlier one, and none on this.
        self._is_heard = self._has_gap = False
        self._policy: tuple[int, str] | None = None

    def may_connect(self, now: float) -> bool:
        if super().may_connect(now) and self._token() is None:
            self._back_off.until = now + LOOK_SECONDS
        return super().may_connect(now)

    def _attach_parameters(self) -> Mapping[str, Any]:
        return self._hello.parameters(self._token() or "")

    def _attached(self, reply: Reply, now: float) -> None:
        if reply.error is not None:
            self._fail(GuardError(reply.error_word, "Attach", reply.parameters), now)
            return
        self.contract = read_contract(reply.parameters.get("contract"))
        self.has_attached = True
        topics = {"topics": without_newest(self._topics, self._dropped)} if self._topics else {}
        # What was refused before may be so again, so it is too early to try more often.
        self._phase = "ready"
        frame = encode("Subscribe", topics, more=True)
        self.submit(Call("Subscribe", frame, lambda news: self._heard(news, now), more=True), now)

    def _heard(self, reply: Reply | None, now: float) -> None:
        if reply is None:
            self._has_gap = self._has_gap or self._is_heard
            # Another daemon may answer the next time, and know more.
            self._dropped = 0 if self._is_heard else self._dropped
            self._is_heard = False
            return
        if reply.error is not None or not reply.continues:
            self._refused(reply, now)
            return
        if self._has_gap and self._tells_gaps:
            self.items.append(NewsItem(topic="missed"))
        self._succeed()
        self._is_heard, self._has_gap = True, False
        item = _item(reply.parameters)
        if item.topic == "policy":
            policy = (item.generation, item.digest)
            if policy == self._policy and not item.missed:
                return
            self._policy = policy
        self.items.append(item)

    def _refused(self, reply: Reply, now: float) -> None:
        """News ended, or never began. An old daemon refuses a topic that it does not know, and does not say which: the newest is
        left out. When none is left, all are asked for again: another daemon may answer."""
        problem = GuardError(reply.error_word or "connectionLost", "Subscribe", reply.parameters)
        self._has_gap = self._has_gap or self._is_heard
        self._is_heard = False
        is_narrowed = self._may_narrow and problem.name == "InvalidParameter"
        self._dropped = (self._dropped + 1) % len(self._topics) if is_narrowed else 0
        self._fail(problem, now)


def without_newest(topics: Sequence[str], count: int) -> list[str]:
    """The topics in their order, without so many that came last into the interface; those that this client does not know are
    newer than all that it knows."""
    known = get_args(Topic)
    by_age = sorted(topics, key=lambda topic: known.index(topic) if topic in known else len(known))
    kept = by_age[: len(by_age) - count]
    return [topic for topic in topics if topic in kept]


class News(Iterator[NewsItem]):
    """Iterating waits, so do it in a thread of its own; or watch `fileno` and `timeout_ms`, and take what `process`
    gives. It ends when it is closed."""

    def __init__(
        self,
        hello: Hello,
        token: Callable[[], str | None],
        topics: Sequence[str],
        note_request: Callable[[str, str, str | None], None],
        path: str | os.PathLike[str] | None,
        trusted: Iterable[int] | None,
    ) -> None:
        self._subscription = Subscription(hello, token, topics)
        self._line = Line(self._subscription, path, trusted)
        self._note_request = note_request
        self._is_closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __next__(self) -> NewsItem:
        while not self._is_closed:
            for item in self._take(1):
                return item
            self._line.wait(self._subscription.wake_at())
        raise StopIteration

    def fileno(self) -> int:
        """One descriptor, always the same: when it is readable, `process` has something to do."""
        return self._line.fileno()

    def wake_at(self) -> float:
        """When `process` must be called at the latest, on the clock of `time.monotonic`."""
        return self._subscription.wake_at()

    def timeout_ms(self) -> int | None:
        """When `process` must be called at the latest; None for whenever `fileno` says so."""
        wake = self.wake_at()
        return None if wake == float("inf") else int(max(0.0, wake - time.monotonic()) * 1000) + 1

    def process(self) -> list[NewsItem]:
        """What came, without waiting."""
        return [] if self._is_closed else self._take(None)

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._subscription.end()
            self._line.close()

    def _take(self, limit: int | None) -> list[NewsItem]:
        """What came, at most so many; the rest stays for the next time."""
        self._line.step()
        self._subscription.problems.clear()
        items = self._subscription.items
        taken = [items.popleft() for _ in range(len(items) if limit is None else min(limit, len(items)))]
        for item in taken:
            if item.topic == "identity" and item.request is not None and item.account is not None:
                self._note_request(item.request, item.account, item.window)
        return taken


def _item(said: Mapping[str, Any]) -> NewsItem:
    """Reads one piece of news; what is of a wrong type is as if left out."""

    def text(name: str) -> str | None:
        value = said.get(name)
        return value if isinstance(value, str) else None

    def texts(name: str) -> tuple[str, ...] | None:
        value = said.get(name)
        whole = isinstance(value, list) and all(isinstance(item, str) for item in value)
        # None would say that every account is welcome.
        return tuple(cast("list[str]", value)) if whole else None if value is None else ()

    def number(name: str) -> int:
        value = said.get(name)
        return value if isinstance(value, int) and not isinstance(value, bool) else 0

    return NewsItem(
        topic=text("topic") or "",
        generation=number("generation"),
        digest=text("digest") or "",
        account=text("account"),
        state=text("state"),
        window=text("window"),
        request=text("request"),
        cause=text("cause"),
        unlock=text("unlock"),
        life=text("life"),
        status=text("status"),
        title=text("title"),
        text=text("text"),
        result=text("result"),
        accounts=texts("accounts"),
        restart=text("restart"),
        deadline=number("deadline") or None,
        encryption=text("encryption"),
        key_id=text("keyId"),
        missed=number("missed"),
        raw=dict(said),
    )
