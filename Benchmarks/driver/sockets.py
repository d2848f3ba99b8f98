"""Decisions over the socket: how many a second, how late, and whether anybody disturbs anybody."""

import os
import statistics
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .places import Places
from .report import Results, Row
from .servers import Guard, Server, echo, generator, redis
from .turns import Series

ECHO, REDIS = "a bare epoll echo in C", "redis-server, GET"
RATE_TARGETS = {1: 0.45, 16: 0.2}
LATENCY_TARGETS = {"written": (1.5, 5), "off": (None, 2)}
CONNECTIONS = 50
FLOODER, ASKER = 64201, 64202
DOMAINS = 300_000
# Seconds until all connections of the flood are attached.
FLOOD_BEGINS = 0.3


def measure(places: Places, results: Results) -> None:
    rates(places, results)
    reloading(places, results)
    fairness(places, results)


def guards(places: Places) -> list[Guard]:
    """The daemon in each way of keeping its log."""
    load = generator(places)
    started = [
        Guard("off", load, places.program, ["--without-decision-log"]),
        Guard("written", load, places.program),
    ]
    try:
        started.append(Guard("synced", load, places.program, durability="synced"))
    except (RuntimeError, TimeoutError):
        print("this program has no durability `synced`: not measured", file=sys.stderr)
    return started


def rates(places: Places, results: Results) -> None:
    servers: list[Server] = [redis(places), echo(places)]
    try:
        servers += guards(places)
        cells = [(CONNECTIONS, 1), (CONNECTIONS, 16)]
        if not places.quick:
            cells = [(connections, depth) for connections in (1, CONNECTIONS, 1000) for depth in (1, 16, 64)]
        table = {cell: in_turns(servers, cell, places) for cell in cells}
        results.curves["sockets"] = {f"{connections}x{depth}": cell for (connections, depth), cell in table.items()}
        for depth in (1, 16):
            cell = table[CONNECTIONS, depth]
            for name in cell:
                if name not in ("redis", "echo"):
                    rate_row(name, depth, cell, results)
        latencies(servers, table[CONNECTIONS, 1], places, results)
    finally:
        for server in servers:
            server.stop()


def in_turns(servers: list[Server], cell: tuple[int, int], places: Places) -> dict[str, dict[str, float]]:
    """The medians of all rounds for each server; the rounds go around."""
    rounds, seconds = (3, 0.5) if places.quick else (5, 1.0)
    answers: dict[str, list[dict]] = {server.name: [] for server in servers}
    for _ in range(rounds):
        for server in servers:
            answers[server.name].append(server.ask(*cell, seconds))
    return {name: summary(rounds) for name, rounds in answers.items()}


def summary(rounds: list[dict]) -> dict[str, float]:
    medians = {key: statistics.median(one[key] for one in rounds) for key in ("perSecond", "p50", "p99", "p999")}
    return {**medians, "spread": round(Series([one["perSecond"] for one in rounds]).spread, 3)}


def rate_row(name: str, depth: int, cell: dict[str, dict[str, float]], results: Results) -> None:
    ours, peer = cell[name], cell["redis"]
    results.add(Row(
        f"decisions over the socket, depth {depth}, log {name}", REDIS, ours=ours["perSecond"],
        peer=peer["perSecond"], unit="1/s", faster=True, target=RATE_TARGETS[depth] if name == "written" else None,
        spread=ours["spread"], details={"connections": CONNECTIONS, "percentiles": ours}))  # fmt: skip


def latencies(
    servers: list[Server], full: dict[str, dict[str, float]], places: Places, results: Results
) -> None:
    """Everybody at half of what the daemon with its log can do."""
    rate = full["written"]["perSecond"] / 2
    seconds = 0.5 if places.quick else 1.5
    names = [server for server in servers if server.name != "redis"]
    answers: dict[str, list[dict]] = {server.name: [] for server in names}
    for _ in range(3 if places.quick else 7):
        for server in names:
            answers[server.name].append(server.ask(CONNECTIONS, 1, seconds, rate))
    measured = {name: summary(rounds) for name, rounds in answers.items()}
    for name, (middle, late) in LATENCY_TARGETS.items():
        for key, target in (("p50", middle), ("p99", late)):
            results.add(Row(
                f"latency at half load, {key}, log {name}", ECHO, ours=measured[name][key],
                peer=measured["echo"][key], unit="us", target=target, details={"rate": round(rate)}))  # fmt: skip


def reloading(places: Places, results: Results) -> None:
    """The same load with and without a policy of many domains that is loaded again and again."""
    guard = Guard("written", generator(places), places.program, domains=DOMAINS)
    try:
        rate = guard.ask(CONNECTIONS, 1, 1)["perSecond"] / 2
        quiet, busy = compared(places, lambda seconds: guard.ask(CONNECTIONS, 1, seconds, rate), Reloads(guard))
    finally:
        guard.stop()
    results.add(Row(
        "latency while the policy is loaded, p99", "ours without loads", ours=busy["p99"], peer=quiet["p99"], unit="us",
        target=2, details={"domains": DOMAINS, "rate": round(rate)}))  # fmt: skip


def fairness(places: Places, results: Results) -> None:
    """One user's question, alone and beside another user who pipelines all it may."""
    if os.getuid() != 0:
        print("not root, so there is one user only: fairness is not measured", file=sys.stderr)
        return
    guard = Guard("written", generator(places), places.program, uids=(FLOODER, ASKER))
    try:
        flood = Flood(guard)
        guard.attach_as(ASKER)
        asker = guard.prologue
        alone, beside = compared(places, lambda seconds: ask_as(guard, asker, seconds), flood)
    finally:
        guard.stop()
    results.add(Row(
        "latency beside another user's flood, p99", "ours without it", ours=beside["p99"], peer=alone["p99"], unit="us",
        target=2, details={"flood": "48 connections, depth 128"}))  # fmt: skip


def ask_as(guard: Guard, prologue: Path | None, seconds: float) -> dict:
    guard.prologue = prologue
    return guard.ask(4, 1, seconds, uid=ASKER)


def compared(
    places: Places, ask: Callable[[float], dict], disturbance: "Reloads | Flood"
) -> tuple[dict[str, float], dict[str, float]]:
    """The medians without and with a disturbance, in turns."""
    quiet, busy = [], []
    for _ in range(3 if places.quick else 7):
        quiet.append(ask(1.0))
        with disturbance:
            busy.append(ask(1.0))
    return summary(quiet), summary(busy)


class Reloads:
    """Loads of the policy one behind the other."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard

    def __enter__(self) -> None:
        self.goes_on = True
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self) -> None:
        while self.goes_on:
            self.guard.reload()

    def __exit__(self, *_: object) -> None:
        self.goes_on = False
        self.thread.join()


class Flood:
    """Another user's questions, as many as it may send."""

    def __init__(self, guard: Guard) -> None:
        self.guard = guard
        guard.attach_as(FLOODER)
        self.prologue = guard.prologue

    def __enter__(self) -> None:
        self.guard.prologue = self.prologue
        self.process = self.guard.asking(48, 128, 30, uid=FLOODER)
        time.sleep(FLOOD_BEGINS)

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait()
