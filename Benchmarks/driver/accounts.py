"""The cost of the life of accounts: in a decision, in every second, in memory, at a reload, and beside decisions."""

import threading
import time

from .decisions import beside_navigation
from .places import Places
from .report import Results, Row
from .servers import APP, GUARD, PORTAL, WORK, Guard, Wire, frame, generator
from .sockets import compared
from .turns import Contender, Series

ACCOUNTS = "org.webviewguard.Accounts"
# A decision beside the same without sources, conditions and unlocking.
DECISION_BUDGET = 1.05
WAYS = {
    "sourced": "whose app asks sources", "conditioned": "with a condition", "unlocked": "of a person who unlocked",
    "living": "with all of it",
}
# Nanoseconds: a second's work of 10,000 persons with five accounts each.
TICK_BUDGET = 1_000_000
BYTES_AN_ACCOUNT = 1024
PERSONS = 10_000
# Registrations, and ends of them, that a program sends one behind the other; so many at a time leave in one piece.
BURST = 1_000
NAMES = 50
PAUSE = 0.05


def measure(places: Places, results: Results) -> None:
    decisions(places, results)
    machine(places, results)
    burst(places, results)


def decisions(places: Places, results: Results) -> None:
    """In one process, in turns; gated are allocations."""
    count, rounds = (5_000, 5) if places.quick else (20_000, 41)
    allocations = 0
    with Contender(places.measure, "decisions") as contender:
        for way, words in WAYS.items():
            ours, without, outcome = beside_navigation(contender, way, "navigate", count, rounds)
            results.add(Row(
                f"decision: navigate, {words}", "ours without", ours=ours.median, peer=without.median, unit="ns",
                target=DECISION_BUDGET, spread=max(ours.spread, without.spread), details={"outcome": outcome}))
            for kind in contender.ready:
                allocations += int(contender.ask(f"allocations {way} {kind} {count}")[0])
        kinds = len(contender.ready)
    results.add(Row(
        f"allocations, decisions of {kinds} kinds, of accounts with a life", "", ours=allocations, peer=None,
        unit="in all", target=0, gate=True))


def machine(places: Places, results: Results) -> None:
    """Many persons beside a hundredth of them."""
    count, rounds = (100, 5) if places.quick else (1_000, 21)
    with Contender(places.measure, "accounts", PERSONS) as many, Contender(
        places.measure, "accounts", PERSONS // 100) as few:  # fmt: skip
        accounts, bytes_each = (int(word) for word in many.ready)
        what = f"{PERSONS:,} persons with {accounts // PERSONS} accounts each"
        fewer = f"ours with {PERSONS // 100:,} persons"
        idle, idle_few = in_turns(many, few, f"idle {count}", rounds)
        results.add(Row(
            f"a second in which nothing is due, {what}", "", ours=idle.median, peer=None, unit="ns",
            target=TICK_BUDGET, spread=idle.spread, details={"fewer": idle_few.median}))
        reload, reload_few = in_turns(many, few, "reload", 3 if places.quick else 7)
        results.add(Row(
            f"a reload, an account of {accounts:,}", fewer, ours=reload.median / accounts,
            peer=reload_few.median / (accounts // 100), unit="ns", target=2, spread=reload.spread,
            details={"milliseconds": reload.median / 1e6}))
        due, due_few = in_turns(many, few, "due 10", 5)
        results.add(Row(
            f"a second in which one person's accounts are due, {what}", fewer, ours=due.median, peer=due_few.median,
            unit="ns", target=2, spread=due.spread))
        results.add(Row(
            "memory", "", ours=bytes_each, peer=None, unit="bytes/account", target=BYTES_AN_ACCOUNT, gate=True,
            details={"accounts": accounts}))


def in_turns(many: Contender, few: Contender, command: str, rounds: int) -> tuple[Series, Series]:
    for contender in (many, few):
        contender.ask(command)
    pairs = [[float(contender.ask(command)[0]) for contender in (many, few)] for _ in range(rounds)]
    return Series([pair[0] for pair in pairs]), Series([pair[1] for pair in pairs])


def burst(places: Places, results: Results) -> None:
    """Decisions of a program while another one registers and deregisters accounts as fast as it may: each changes the
    state file, and no write may hold the loop."""
    guard = AccountGuard("written", generator(places), places.program)
    try:
        registrations = Registrations(guard)
        quiet, busy = compared(places, lambda seconds: guard.ask(4, 1, seconds, 500), registrations)
        longest = guard.longest
    finally:
        guard.stop()
    results.add(Row(
        "a decision beside bursts of registrations, p99", "ours without them", ours=busy["p99"], peer=quiet["p99"],
        unit="us", target=5, details={"longestMicroseconds": longest, "registrations": registrations.count}))


class AccountGuard(Guard):
    """The daemon whose app asks a source; it notes the longest wait of an answer."""

    portal = PORTAL.replace("    handledSchemes", "    accounts: { source: [app] }\n    handledSchemes")
    longest = 0.0

    def attach(self, wire: Wire) -> str:
        token = super().attach(wire)
        wire.call(ACCOUNTS + ".Register", account=WORK)
        return token

    def ask(self, *arguments: object, **named: object) -> dict:
        answer = super().ask(*arguments, **named)
        self.longest = max(self.longest, answer["max"])
        return answer


class Registrations:
    """Bursts of registrations, one behind the other."""

    def __init__(self, guard: Guard) -> None:
        self.wire = Wire(guard.socket, seconds=60)
        self.wire.call(GUARD + ".Attach", app=APP)
        self.count = 0
        names = [f"burst{number}@contoso.com" for number in range(NAMES)]
        self.calls = b"".join(
            [frame(ACCOUNTS + ".Register", account=name) for name in names]
            + [frame(ACCOUNTS + ".Deregister", account=name, data="keep") for name in names])

    def __enter__(self) -> None:
        self.goes_on = True
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        time.sleep(0.1)

    def run(self) -> None:
        while self.goes_on:
            self.wire.send(self.calls)
            left = 2 * NAMES
            while left > 0:
                left -= self.wire.socket.recv(1 << 18).count(0)
            self.count += 2 * NAMES
            # A thousand are a burst; between two the loop is as idle as it may be.
            if self.count % BURST == 0:
                time.sleep(PAUSE)

    def __exit__(self, *_: object) -> None:
        self.goes_on = False
        self.thread.join()
