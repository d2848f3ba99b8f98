"""People with accounts: their programs register them, end them, ask and answer; each answer is what `Life` says."""

import os
from collections.abc import Callable
from random import Random
from typing import Any, NoReturn, TextIO

from guest import Disagreement, House, decisions
from life import BOUND, PRIVATE, REASONS, SPELLINGS, STRANGERS, UNKNOWN, Holder, Life
from listeners import Ear
from policies import BROKER_APP, LIFE_APPS, PERSONAL
from wire import ACCOUNTS, GUARD, SERVICE, Wire, frame

SECONDS = 60.0
# What judges the replies to a step's calls, in their order.
Judge = Callable[..., object]
# The values of an enrolled account: key, entry, and whether that is the app's default.
VALUES = [("colour", "common", True), ("size", "common", True), ("size", "own", False)]


class Step:
    """One or more calls that are under way, and what judges their replies."""

    def __init__(self, method: str, judge: Judge, interface: str = ACCOUNTS, **parameters: Any) -> None:
        self.judge = judge
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.then(method, interface, **parameters)

    def then(self, method: str, interface: str = ACCOUNTS, **parameters: Any) -> "Step":
        given = {name: value for name, value in parameters.items() if value is not None}
        self.calls.append((f"{interface}.{method}", given))
        return self

    @property
    def bytes(self) -> bytes:
        return b"".join(frame(method, **parameters) for method, parameters in self.calls)


class Program:
    """One app of one person: a connection for calls, and one that listens."""

    def __init__(self, house: House, life: Life, random: Random, holder: Holder, answered: TextIO) -> None:
        self.house, self.life, self.random = house, life, random
        self.holder, self.answered = holder, answered
        # Looks that were asked for and not told, with what was so of their account since.
        self.looks: dict[str, tuple[str, set[bool]]] = {}
        # Requests to remove an account, by their name.
        self.asked: dict[str, str] = {}
        self.checked = 0
        self.connect()

    @property
    def uid(self) -> int:
        return self.holder[0]

    @property
    def name(self) -> str:
        return f"{self.holder[1]} of {self.uid}"

    def connect(self) -> None:
        """Starts anew, as a program that nobody knows."""
        self.life.gone = {gone for gone in self.life.gone if gone[0] != self.holder}
        self.wire, self.ear = self._open(Wire), self._open(Ear)
        attached = self._must(self.wire.call(f"{GUARD}.Attach", app=self.holder[1], features=[]))
        self._must(self.ear.call(f"{GUARD}.Attach", app=self.holder[1], instance=attached["instance"]))
        self._must(self.wire.call(f"{GUARD}.RegisterViewer", viewer="v", **{"class": "documents"}))
        self.ear.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["wipe", "compliance", "enrollment"]))
        self.life.come(self.holder)

    def leave(self) -> None:
        for wire in (self.wire, self.ear):
            wire.socket.close()

    def _open(self, kind: type[Wire]) -> Any:
        """A connection of this person: the kernel notes who connects."""
        os.seteuid(self.uid)
        try:
            return kind(self.house.guard_socket, SECONDS)
        finally:
            os.seteuid(os.getuid())

    def _must(self, reply: dict[str, Any]) -> dict[str, Any]:
        if "error" in reply:
            raise Disagreement(f"{self.name} was answered {reply}")
        return dict(reply["parameters"])

    def fail(self, what: str) -> NoReturn:
        raise Disagreement(f"{self.name}: {what}; members {self.life.of(self.holder)}, wipes {self.life.wipes}")

    # Calls

    def play(self, count: int) -> None:
        """Sends calls in one piece, reads the replies, and hears what is told meanwhile."""
        steps = [self._step() for _ in range(count)]
        self.send(steps)
        for step in steps:
            step.judge(*self.wire.replies(len(step.calls)))
            self.checked += len(step.calls)
        self.listen()

    def send(self, steps: list[Step]) -> None:
        self.wire.send(*(step.bytes for step in steps))

    def _step(self) -> Step:
        choose = self.random.choice
        return choose(
            (
                self.change, self.change, self._register, self._deregister, self._may_sign_in, self._list, self._config,
                self._look, self._look, self._sign_in, self._print, self._print, self._strange, self._allowed,
                self._device_account, self._notices,
            )
        )()  # fmt: skip

    def change(self) -> Step:
        """A call that changes something."""
        return self.random.choice((self._register, self._deregister))()

    def register(self, account: str) -> None:
        step = self._ask("Register", account, self.life.register(self.holder, account), account=account)
        self.send([step])
        step.judge(self.wire.reply())

    def _name(self) -> tuple[str, str]:
        """A name in a call, and the account that it means."""
        account = self.random.choice((*BOUND, *BOUND, PERSONAL, PRIVATE))
        return self.random.choice((account, *SPELLINGS.get(account, ()))), account

    def _register(self) -> Step:
        name, account = self._name()
        return self._ask("Register", account, self.life.register(self.holder, account), account=name)

    def _deregister(self) -> Step:
        name, account = self._name()
        data = self.random.choice((None, "keep", "keep", "remove"))
        allowed = self.life.deregister(self.holder, account, data or "keep")
        return self._ask("Deregister", account, allowed, account=name, data=data)

    def _ask(self, method: str, meant: str, allowed: set[tuple[str, str]], **parameters: Any) -> Step:
        self._note_looks()

        def judge(reply: dict[str, Any]) -> None:
            said = self._must(reply)
            if said["account"] != meant or (said["state"], said["result"]) not in allowed:
                self.fail(f"{method} {parameters} was answered {said} instead of {meant} {allowed}")

        return Step(method, judge, **parameters)

    def _may_sign_in(self) -> Step:
        name, account = self._name()
        states = self.life.states(self.holder, account)

        def judge(reply: dict[str, Any]) -> None:
            said = self._must(reply)
            due = "accountBlocked" if account.startswith("dora") else None
            if said["state"] not in states or said.get("reason") != due or said["allowed"] != (due is None):
                self.fail(f"MaySignIn {name} was answered {said} instead of {states} {due}")

        return Step("MaySignIn", judge, account=name)

    def _list(self) -> Step:
        members = {account: self._facts(account) for account in BOUND}
        due = set(self.life.of(self.holder))

        def judge(reply: dict[str, Any]) -> None:
            said = self._must(reply)
            listed = {one["account"]: one for one in said["accounts"]}
            if not due <= set(listed) <= set(members):
                self.fail(f"List has {set(listed)} instead of {due}")
            for account, one in listed.items():
                states, sources = members[account]
                if one["state"] not in states or set(one["sources"]) != sources or not one["managed"]:
                    self.fail(f"List says {one} instead of {states} {sources}")
            enrolled = [account for account, one in listed.items() if one["state"] == "enrolled"]
            if said.get("enrolled") != (enrolled[0] if len(enrolled) == 1 else None):
                self.fail(f"List says {said.get('enrolled')} is enrolled, of {enrolled}")

        return Step("List", judge)

    def _facts(self, account: str) -> tuple[set[str], set[str]]:
        return self.life.states(self.holder, account), self.life.sources(self.holder, account)

    def _config(self) -> Step:
        names = [self._name() for _ in range(self.random.randrange(4))]
        states = [self.life.states(self.holder, account) for _, account in names]

        def judge(reply: dict[str, Any]) -> None:
            said = self._must(reply)["accounts"]
            if [one["account"] for one in said] != [account for _, account in names]:
                self.fail(f"Config of {names} was answered {said}")
            for one, due in zip(said, states):
                values = [(value["key"], value["entry"], value["default"]) for value in one["values"]]
                has_values = one["state"] == "enrolled" and self.holder[1] != BROKER_APP
                if one["state"] not in due or one["conflicts"] or values != (VALUES if has_values else []):
                    self.fail(f"Config says {one} instead of {due}")

        return Step("Config", judge, accounts=[name for name, _ in names])

    def _look(self) -> Step:
        name, account = self._name()
        if account not in STRANGERS:
            self.life.look(self.holder, account)
        self._note_looks()
        is_enrolled = "enrolled" in self.life.states(self.holder, account)

        def judge(reply: dict[str, Any]) -> None:
            request = self._must(reply).get("request")
            if (request is None) != (account in STRANGERS):
                self.fail(f"Remediate {name} was answered {reply}")
            if request and request not in self.looks:
                self.looks[request] = (account, {is_enrolled, "enrolled" in self.life.states(self.holder, account)})

        return Step("Remediate", judge, account=name, silent=self.random.choice((None, True, False)))

    def _note_looks(self) -> None:
        """Notes whether the accounts that are looked at may work: a look ends at any time."""
        for account, was in self.looks.values():
            was.add("enrolled" in self.life.states(self.holder, account))

    def _sign_in(self) -> Step:
        named = {account for account in (*BOUND, PRIVATE) if self.random.random() < 0.3}
        self.life.sign_in(self.uid, named)
        self._note_looks()
        return Step("SignedIn", self._must, source="broker", accounts=[{"upn": account} for account in sorted(named)])

    def _device_account(self) -> Step:
        word = self.life.words.get(self.uid, set())
        due = next(iter(word)) if len(word) == 1 else None

        def judge(reply: dict[str, Any]) -> None:
            if (said := self._must(reply)) != ({"account": due} if due else {}):
                self.fail(f"DeviceAccount is {said} instead of {due}")

        return Step("DeviceAccount", judge)

    def _allowed(self) -> Step:
        def judge(reply: dict[str, Any]) -> None:
            if (said := self._must(reply)) != {"mustSignOut": []}:
                self.fail(f"AllowedAccounts is {said}")

        return Step("AllowedAccounts", judge)

    def _notices(self) -> Step:
        def judge(reply: dict[str, Any]) -> None:
            for notice in self._must(reply)["notices"]:
                if not notice["id"] or not notice["text"]:
                    self.fail(f"a notice is empty: {notice}")

        return Step("Notices", judge, languages=self.random.choice((None, [], ["de-AT", "en"], ["tlh"] * 20)))

    def _print(self) -> Step:
        """The next decision about an account is what its state says. It is shown first, taken or not."""
        account = self.random.choice(BOUND)
        due = {REASONS.get(state) for state in self.life.states(self.holder, account)}

        def judge(shown: dict[str, Any], printed: dict[str, Any]) -> None:
            self._must(shown)
            [decision] = decisions(printed)
            self.answered.write(f"{decision['id']} {decision['outcome']} {decision['reason']}\n")
            reason = decision["reason"] if decision["reason"] in REASONS.values() else None
            if reason not in due or (reason and decision["outcome"] != "block"):
                self.fail(f"printing for {account} was answered {decision} instead of {due}")

        step = Step("SetIdentity", judge, GUARD, level="process", account=account)
        return step.then("Print", GUARD, event={"viewer": "v"})

    def _strange(self) -> Step:
        """Names that nobody knows, requests of others, words of sources that programs are not: each has its error."""
        name = self.random.choice(UNKNOWN)
        strange: tuple[tuple[str, str, dict[str, Any]], ...] = (
            ("Register", "UnknownAccount", {"account": name}), ("Deregister", "UnknownAccount", {"account": name}),
            ("MaySignIn", "UnknownAccount", {"account": name}), ("Remediate", "UnknownAccount", {"account": name}),
            ("Config", "UnknownAccount", {"accounts": [PERSONAL, name]}),
            ("Register", "LimitReached", {"account": "x" * 5000}),
            ("Complete", "UnknownRequest", {"request": "w-0-0", "result": "done"}),
            ("FilesRemoved", "UnknownRequest", {"request": "w-0-0-1", "removed": 1, "kept": 0}),
            ("SignedIn", "InvalidParameter", {"source": "user", "accounts": []}),
            ("Complete", "InvalidParameter", {"request": "w-0-0", "result": "maybe"}),
            ("Deregister", "InvalidParameter", {"account": BOUND[0], "data": "some"}),
        )  # fmt: skip
        method, error, words = self.random.choice(strange)
        interface = SERVICE if error == "InvalidParameter" else GUARD

        def judge(reply: dict[str, Any]) -> None:
            if reply.get("error") != f"{interface}.{error}":
                self.fail(f"{method} {str(words)[:200]} was answered {reply} instead of {error}")

        return Step(method, judge, **words)

    # News

    def listen(self) -> bool:
        """Hears what has come: looks end as their accounts stand, and nobody is asked to remove what is not wiped.

        Returns whether every look that was asked for is over.
        """
        self._note_looks()
        for reply in self.ear.there():
            news = self._must(reply)
            if news["topic"] == "wipe":
                self._hear_wipe(news)
            elif news["topic"] == "compliance":
                self._hear_look(news)
            elif news["account"] not in BOUND:
                self.fail(f"news of an account that nobody has: {news}")
        return not self.looks

    def hears_of(self, request: str) -> bool:
        self.listen()
        return request in self.asked

    def _hear_wipe(self, news: dict[str, Any]) -> None:
        found = [wipe for wipe in self.life.wipes if wipe.id == news["request"] and self.holder[1] in wipe.answers]
        if len(found) != 1 or found[0].account != news["account"] or found[0].uid != self.uid:
            self.fail(f"it is asked to remove what nobody wiped: {news}")
        self.asked[news["request"]] = news["account"]

    def _hear_look(self, news: dict[str, Any]) -> None:
        account, was = self.looks.pop(news["request"], (news["account"], {True, False}))
        if news["account"] != account or (news["status"] == "compliant") not in was or not news["text"]:
            self.fail(f"a look at {account} ended so: {news}; enrolled {was}")
