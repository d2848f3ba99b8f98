"""What is said in a conversation: one random source draws every step, for both sides alike."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from policies import Actor, Stage
from side import ADMIN_LINK, Call, Id, Token
from wire import ADMIN, GUARD, RULES, SERVICE
from words import EVENTS, RESULTS, VIEWERS, Words

OUTCOMES = ("allow", "block", "warn", "redirect")
JUNK = ("nonsense\0", "{}\0", '{"method":7}\0', "[]\0", '{"method":"x"}\0', "\0", '{"method":"a.B","parameters":[]}\0')


@dataclass(frozen=True)
class Said:
    """Calls over one connection, in one piece."""

    link: str
    calls: tuple[Call, ...]

    def __str__(self) -> str:
        return f"{self.link}: {'; '.join(map(str, self.calls))}"


@dataclass(frozen=True)
class Opened:
    """A new connection of an actor, in place of the one of that name."""

    link: str
    actor: Actor

    def __str__(self) -> str:
        return f"{self.link} connects as uid {self.actor.uid}"


@dataclass(frozen=True)
class Closed:
    link: str

    def __str__(self) -> str:
        return f"{self.link} closes its connection"


@dataclass(frozen=True)
class Junk:
    """Bytes that are no message of varlink."""

    link: str
    text: str

    def __str__(self) -> str:
        return f"{self.link} sends {self.text!r}"


@dataclass(frozen=True)
class Passed:
    seconds: int

    def __str__(self) -> str:
        return f"{self.seconds} s pass"


Step = Said | Opened | Closed | Junk | Passed


class Talk:
    """Draws steps. `count` says how many ids of a kind appeared so far; `open_links` which connections live."""

    def __init__(
        self, seed: str, stage: Stage, count: Callable[[str], int], open_links: Callable[[], list[str]]
    ) -> None:
        self.random = Random(seed)
        self.count = count
        self.open_links = open_links
        self.actors = {actor.name: actor for actor in stage.actors}
        self.words = Words(self.random, stage.variants[0].vocabulary, self._id)

    def _id(self, kind: str) -> Any:
        known = self.count(kind)
        if known == 0 or self.random.random() < 0.05:
            return f"{kind}-0000000000000000-1"
        return Id(kind, known - 1 - min(int(self.random.expovariate(0.7)), known - 1))

    # Beginnings

    def opening(self, is_return: bool) -> Iterator[Step]:
        """Everybody connects, and says what programs say first; who `is_return`ing says his token."""
        for actor in self.actors.values():
            yield Opened(actor.name, actor)
            known = {"instance": Token(actor.name)} if is_return else {}
            yield Said(actor.name, (Call(f"{GUARD}.Attach", {**actor.attach, **known}),))
            yield Said(actor.name, (Call(f"{GUARD}.SetIdentity", {"level": "process", "account": self.words.account()}),))
            for viewer in VIEWERS[:4]:
                chosen = {"class": self.random.choice(self.words.classes)} if self.random.random() < 0.8 else {}
                yield Said(actor.name, (Call(f"{GUARD}.RegisterViewer", {"viewer": viewer, **chosen}),))

    # Steps

    def step(self) -> Step:
        links = [name for name in self.open_links() if name != ADMIN_LINK]
        draw = self.random.random()
        if draw < 0.13 or not links:
            return Said(ADMIN_LINK, (self._administration(),))
        link = self.random.choice(links)
        if draw < 0.2:
            return self._connection(link)
        if draw < 0.22:
            return Junk(link, self.random.choice(JUNK))
        if draw < 0.225:
            return Passed(self.random.choice((60, 900, 4000)))
        count = self.random.choice((1, 1, 1, 2, 5, 20))
        return Said(link, tuple(self._call() for _ in range(count)))

    def _connection(self, link: str) -> Step:
        name = link.partition("/")[0]
        draw = self.random.random()
        if draw < 0.3:
            return Closed(link)
        if draw < 0.6:
            missing = [name for name in self.actors if name not in self.open_links()]
            chosen = self.random.choice(missing) if missing else f"{name}/2"
            return Opened(chosen, self.actors[chosen.partition("/")[0]])
        known = {"instance": Token(name)} if self.random.random() < 0.8 else {}
        given = {**self.actors[name].attach, **known}
        if self.random.random() < 0.1:
            given["app"] = self.random.choice(("com.contoso.portal", "com.contoso.nothing", 7))
        return Said(link, (Call(f"{GUARD}.Attach", given),))

    def _call(self) -> Call:
        draw = self.random.random()
        if draw < 0.62:
            kind = self.words.kind()
            call = Call(f"{GUARD}.{kind[0].upper()}{kind[1:]}", {"event": self.words.event(kind)})
        elif draw < 0.7:
            method, parameters = self.words.hint()
            call = Call(f"{GUARD}.{method}", parameters)
        elif draw < 0.88:
            method, parameters = self.words.change()
            call = Call(f"{GUARD}.{method}", parameters)
        elif draw < 0.95:
            call = self._acknowledgement()
        else:
            call = self._odd()
        # A flag of every kind, now and then; `more` is answered once where there is no stream.
        flag = self.random.random()
        if call.method.endswith(".Subscribe"):
            return call
        return Call(call.method, call.parameters, {"oneway": True} if flag < 0.03 else {"more": True} if flag < 0.04 else {})

    def _acknowledgement(self) -> Call:
        said = {"decision": self._id("decision"), "outcome": self.random.choice(OUTCOMES)}
        why = {"justification": self.random.choice(("for the court", "", "x" * 1200))} if self.random.random() < 0.7 else {}
        return Call(f"{GUARD}.Acknowledge", {**said, **why})

    def _odd(self) -> Call:
        one = self.random.choice
        kind = one(EVENTS)
        method = f"{GUARD}.{kind[0].upper()}{kind[1:]}"
        return one(
            (
                Call(f"{GUARD}.WhoAmI", {}),
                Call(f"{GUARD}.OwnPrograms", {}),
                Call(f"{SERVICE}.GetInfo", {}),
                Call(f"{SERVICE}.GetInterfaceDescription", {"interface": one((GUARD, ADMIN, "x.y"))}),
                Call(f"{GUARD}.Subscribe", {}),
                Call(f"{GUARD}.Nothing", {}),
                Call(f"{ADMIN}.Status", {}),
                Call("org.example.Other.Method", {}),
                Call("nonsense", {}),
                Call(method, {}),
                Call(method, {"event": one((None, [], "x", {"viewer": 7}, {"viewer": "v0", "colour": 1}))}),
                Call(f"{GUARD}.RegisterViewer", {"viewer": "w" * one((10, 300))}),
                Call(f"{GUARD}.Answer", {"request": self._id("request"), "result": one((*RESULTS, "odd"))}),
                Call(f"{GUARD}.SetIdentity", {"level": "window", "window": f"extra-{self.random.randrange(30)}", "account": ""}),
                Call(f"{GUARD}.RegisterViewer", {"viewer": f"extra-{self.random.randrange(60)}"}),
            )
        )

    def _administration(self) -> Call:
        one = self.random.choice
        return one(
            (
                Call(f"{ADMIN}.Status", {}),
                Call(f"{ADMIN}.Health", {}),
                Call(f"{ADMIN}.Metrics", {}),
                Call(f"{ADMIN}.ListExceptions", one(({}, {"all": True}))),
                Call(f"{ADMIN}.AddException", self._exception()),
                Call(f"{ADMIN}.AddException", self._exception()),
                Call(f"{ADMIN}.RemoveException", {"id": self._id("exception")}),
                Call(f"{ADMIN}.Reload", one(({}, {"preview": True}, {"maxChange": 0}, {"maxChangePercent": 200}))),
                Call(f"{ADMIN}.Rollback", one(({"to": "00000000"}, {"to": "x"}))),
                Call(f"{RULES}.Classify", self._classification()),
                Call(f"{RULES}.Explain", {"decision": self._id("decision")}),
                Call(f"{RULES}.Explain", {"decision": self._id("decision")}),
                Call(f"{ADMIN}.Nothing", {}),
                Call(f"{ADMIN}.Monitor", {}),
                Call(f"{SERVICE}.GetInterfaceDescription", {"interface": one((RULES, ADMIN, SERVICE))}),
            )
        )

    def _exception(self) -> dict[str, Any]:
        one, chance = self.random.choice, self.words.chance
        site = one(({"host": one(self.words.hosts)}, {"domain": one(self.words.hosts)}, {"domain": "com"}, {}))
        more: dict[str, Any] = {}
        if chance(0.3):
            more["app"] = one((*self.words.peers, "com.contoso.nothing"))
        if chance(0.3):
            more["account"] = self.words.account()
        if chance(0.4):
            more["subjects"] = self.random.sample(("page", "frame", "resource", "download", "upload", "paste"), 2)
        if chance(0.2):
            more["untilRestart"] = True
        # None of them ends near a sum of what `Passed` lets pass.
        seconds = one((1777, 7777, 86_400, 86_400, 0, 40 * 86_400))
        return {**site, **more, "seconds": seconds, "reason": one(("ticket 7", "a visit", "visit", ""))}

    def _classification(self) -> dict[str, Any]:
        given = {"ruleSet": self.random.choice(self.words.rule_sets), "url": self.words.url()}
        for name, make in (("document", self.words.url), ("from", self.words.url), ("hop", lambda: True), ("for", lambda: "frame")):
            if self.words.chance(0.2):
                given[name] = make()
        return given
