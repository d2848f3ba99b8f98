"""The same conversation with both daemons, step by step, through restarts and reloads, and what is left of it."""

import json
import re
import secrets
from collections import deque
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from policies import Stage
from report import Report
from scripts import Call as Command
from side import ADMIN_LINK, KILL, NO_ANSWER, STOP, Call, Id, Side, cast, steady
from talk import Closed, Junk, Opened, Passed, Said, Step, Talk
from wire import ADMIN, GUARD, RULES

STEPS = 160
# How much of what came before a difference is shown.
LED_HERE = 6
EXPLAINED = 25
# After so many differences both sides are elsewhere, and the rest would say nothing.
ENOUGH = 8
NEWS, WATCH = "news", "watch"
COLUMNS = ((re.compile(r"(?<=process )\d+"), "N"), (re.compile(r"\d+(?= bytes)"), "N"), (re.compile(r"  +"), "  "))
# What administrators type, and what it prints of this daemon.
COMMANDS = (
    ["status"], ["health"], ["whoami"], ["exception", "list", "--all"], ["call", "GetInfo"], ["call", "--admin", "GetInfo"],
    ["call", "OwnPrograms"], ["reload", "--preview"],
)  # fmt: skip


class Conversation:
    """`steps` is how many each life has."""

    def __init__(
        self, programs: tuple[Path, Path], stage: Stage, seed: str, report: Report, steps: int = STEPS
    ) -> None:
        self.stage, self.report, self.steps = stage, report, steps
        self.random = Random(f"{seed} lives")
        self.place = f"conversations/{Path(stage.name).name}"
        key = secrets.token_bytes(32)
        self.sides = [Side(program, stage.variants[0], key) for program in programs]
        self.base, self.new = self.sides
        self.talk = Talk(seed, stage, self.base.book.count, self._links)
        self.people = cast(stage.actors)
        self.before: deque[str] = deque(maxlen=LED_HERE)
        self.variant = 0

    def hold(self, lives: int) -> None:
        """So many lives of the daemons, one after the other, on the state that the one before left."""
        try:
            for number in range(lives):
                if len(self.report.differences) >= ENOUGH:
                    return
                self._live(number)
        finally:
            for side in self.sides:
                side.remove()
            for person in self.people.values():
                person.end()

    # One life

    def _live(self, number: int) -> None:
        for side in self.sides:
            side.start()
        self.before.append(f"start {number} of the daemons")
        if self.base.admin(f"{ADMIN}.Status")["parameters"]["state"] != "ok":
            raise RuntimeError(f"no policy is in force: {self.base.said()}")
        for step in self.talk.opening(is_return=number > 0):
            self._step(step)
        self._listen()
        for at in range(self.steps):
            if len(self.report.differences) >= ENOUGH:
                break
            if at == self.steps // 2:
                self._reload()
            self._step(self.talk.step())
        self._hear()
        self._look()
        self._end(KILL if number % 2 == 0 else STOP)

    def _step(self, step: Step) -> None:
        steady()
        self._same("replies", str(step), lambda side: self._done(side, step))
        self.before.append(str(step))
        for side in self.sides:
            if WATCH in side.links:
                side.links[WATCH].drain()

    def _done(self, side: Side, step: Step) -> Any:
        who = Call(f"{GUARD}.WhoAmI", {})
        if isinstance(step, Said):
            # Nothing tells when a call without an answer is done, but that of a call behind it.
            return side.say(step.link, step.calls if step.calls[-1].is_answered else [*step.calls, who])
        if isinstance(step, Junk):
            # The question after it tells whether the connection outlived that.
            return [side.raw(step.link, step.text), side.say(step.link, [who]), side.settled()]
        if isinstance(step, Passed):
            return side.pass_by(step.seconds)
        was_open = step.link in side.links
        side.close(step.link)
        done: list[Any] = [was_open and side.settled()]
        if isinstance(step, Opened):
            # The answer tells that the daemon took the connection, or who is refused: it looks users up beside its loop.
            done.append(side.open(step.link, self.people[step.actor.uid]))
            done.append(side.say(step.link, [who]))
        return done

    def _same(self, where: str, what: str, of: Callable[[Side], Any]) -> bool:
        base, new = (of(side) for side in self.sides)
        if NO_ANSWER in str(base) and NO_ANSWER in str(new):
            raise RuntimeError(f"both daemons leave this without an answer, which compares nothing: {what}")
        return self.report.same(f"{self.place}/{where}", what, base, new, tuple(self.before))

    def _links(self) -> list[str]:
        """The connections that both sides have, without those that only listen."""
        both = [name for name in self.base.links if all(name in side.links for side in self.sides)]
        return [name for name in both if name not in (NEWS, WATCH)]

    # News

    def _listen(self) -> None:
        """Somebody subscribes to all news of the first actor's instance, and an administrator watches."""
        actor = self.stage.actors[0]
        for side in self.sides:
            side.open(NEWS, self.people[actor.uid])
        known = {"instance": side_token} if (side_token := self.base.tokens.get(actor.name)) else {}
        for side in self.sides:
            own = {"instance": side.tokens[actor.name]} if known else {}
            side.say(NEWS, [Call(f"{GUARD}.Attach", {**actor.attach, **own})])
            side.links[NEWS].send(_frame(f"{GUARD}.Subscribe"))
            watch = side.watcher()
            side.links[WATCH] = watch
            watch.send(_frame(f"{ADMIN}.Monitor").encode())
            side.is_heard()

    def _reload(self) -> None:
        """Another variant comes into force, or one that is broken, by each way to load one; then perhaps the one before."""
        self.variant = self.random.choice([n for n in range(len(self.stage.variants)) if n != self.variant])
        texts = self.stage.variants[self.variant]
        if self.random.random() < 0.3:
            self._put(texts.mutated(self.random), "a broken configuration")
            self._said(Call(f"{ADMIN}.Reload", {}))
        self._put(texts, f"variant {self.variant}")
        for given in ({"preview": True}, {"maxChange": 0}, {}):
            self._said(Call(f"{ADMIN}.Reload", given))
        if self.random.random() < 0.4:
            self._said(Call(f"{ADMIN}.Rollback", {}))
            self._said(Call(f"{ADMIN}.Reload", {}))
            self._said(Call(f"{ADMIN}.Reload", {"force": True}))

    def _put(self, texts: Any, what: str) -> None:
        for side in self.sides:
            side.put(texts)
        self.before.append(f"the configuration becomes {what}")

    def _said(self, call: Call) -> None:
        self._step(Said(ADMIN_LINK, (call,)))

    def _hear(self) -> None:
        """All news up to now: two more loads of other policies come behind them, and a decision that is the last."""
        generations = []
        for variant in (self.variant, (self.variant + 1) % len(self.stage.variants), self.variant):
            self._put(self.stage.variants[variant], f"variant {variant}")
            self._said(Call(f"{ADMIN}.Reload", {"force": True}))
        for side in self.sides:
            generations.append(side.admin(f"{ADMIN}.Status")["parameters"]["generation"])
        ends = dict(zip(self.sides, generations, strict=True))
        self._same(
            "news",
            "what a subscriber heard",
            lambda side: side.until(
                NEWS, "Subscribe", lambda said: said.get("topic") == "policy" and said["generation"] >= ends[side]
            ),
        )
        self._step(Opened("last", self.stage.actors[0]))
        self._step(Said("last", (Call(f"{GUARD}.Attach", self.stage.actors[0].attach),)))
        self._step(Said("last", (Call(f"{GUARD}.Print", {"event": {"viewer": "the-last"}}),)))
        is_last = {"viewer": "the-last"}.items()
        self._same(
            "watch", "what an administrator watched", lambda side: side.until(WATCH, "Monitor", lambda said: is_last <= said.items())
        )
        for side in self.sides:
            for name in (NEWS, WATCH, "last"):
                side.close(name)

    # What is left

    def _look(self) -> None:
        """What the daemons say of themselves and of what was decided."""
        self._same("status", "the connections that are counted", Side.settled)
        for method in ("Status", "Health", "Metrics"):
            self._same(method.lower(), method, lambda side, method=method: side.say(ADMIN_LINK, [Call(f"{ADMIN}.{method}", {})]))
        self._same(
            "exceptions", "the exceptions", lambda side: side.say(ADMIN_LINK, [Call(f"{ADMIN}.ListExceptions", {"all": True})])
        )
        for link in self._links():
            if link != ADMIN_LINK:
                calls = [Call(f"{GUARD}.Identities", {}), Call(f"{GUARD}.OwnPrograms", {}), Call(f"{GUARD}.WhoAmI", {})]
                self._same("replies", f"what {link} is told of itself", lambda side, link=link: side.say(link, calls))
        count = self.base.book.count("decision")
        for number in self.random.sample(range(count), min(EXPLAINED, count)):
            call = Call(f"{RULES}.Explain", {"decision": Id("decision", number)})
            self._same("explain", f"decision {number}", lambda side, call=call: side.say(ADMIN_LINK, [call]))
        for words in COMMANDS:
            self._same("commands", f"webviewguard {' '.join(words)}", lambda side, words=words: _printed(side, words))

    def _end(self, number: int) -> None:
        statuses = [side.stop(number) for side in self.sides]
        self.before.append(f"the daemons end by signal {number}")
        self.report.same(f"{self.place}/end", "the exit status", *statuses, tuple(self.before))
        self._log()
        self._same("journal", "standard error", Side.said)
        self._same("state", "what is kept", Side.kept)
        self._same("log", "what `log verify` ends with", lambda side: side.daemon.verify_log().returncode)

    def _log(self) -> None:
        """Record by record, so that the first that differs is shown with those before it."""
        (base, base_sums), (new, new_sums) = (side.log() for side in self.sides)
        for number in range(max(len(base), len(new))):
            one, other = (records[number] if number < len(records) else None for records in (base, new))
            led_here = tuple(str(record) for record in base[max(0, number - 2) : number])
            if not self.report.same(f"{self.place}/log", f"record {number} of this life", one, other, led_here):
                break
        self.report.same(f"{self.place}/log", "repetitions and counts", base_sums, new_sums)


def _frame(method: str) -> str:
    return '{"method":"%s","more":true}\0' % method


def _printed(side: Side, words: list[str]) -> Any:
    """What the side's own program prints about its daemon."""
    said = Command([*words, "--socket-dir", str(side.daemon.sockets)]).run(side.daemon.program, side.daemon.directory)
    return {name: [_line(side, line) for line in value] if isinstance(value, list) else value for name, value in said.items()}


def _line(side: Side, line: str) -> Any:
    if line.startswith("{"):
        return side.book.masked(json.loads(line))
    line = side.book.text(line)
    if line.startswith("log head"):
        return "log head"
    for pattern, instead in COLUMNS:
        line = pattern.sub(instead, line)
    return line
