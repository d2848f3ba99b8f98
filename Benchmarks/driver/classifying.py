"""Whole processes that read lines and write lines: `classify` against squidGuard, with 1.5 million domains."""

import os
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from . import peers, rulefiles
from .places import Places
from .report import Results, Row
from .turns import Series

DOMAINS = "domains/union-all.txt.gz"
URLS = "urls/mixed-shuffled.txt.gz"


@dataclass
class Run:
    """What one process took of the processor, of time, and of memory at its peak."""

    processor: float
    elapsed: float
    peak: int


def run(command: list[str | Path], lines: Path, output: Path) -> Run:
    with open(lines, "rb") as reading, open(output, "wb") as writing:
        start = time.monotonic()
        process = subprocess.Popen([str(part) for part in command], stdin=reading, stdout=writing)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Run(usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss * 1024)


def measure(places: Places, results: Results) -> None:
    folder = places.folder("classify")
    urls = places.lines(URLS)
    repeats = 2 if places.quick else 8
    ours = rulefiles.write_list(folder, "listed", places.lines(DOMAINS))
    ours_input = write(folder / "urls.txt", urls * repeats)
    squid_input = write(folder / "urls.squid", [f"{url} 192.0.2.1/- - GET" for url in urls * repeats])
    first = write(folder / "first.txt", urls[:1]), write(folder / "first.squid", [f"{urls[0]} 192.0.2.1/- - GET"])
    prebuilt, configuration = squidguard(places)
    commands = (
        [places.program, "classify", "--rules", ours, "-"], ["squidGuard", "-c", configuration])
    answers = folder / "answers.ours", folder / "answers.squid"
    loads: tuple[list[Run], list[Run]] = ([], [])
    runs: tuple[list[Run], list[Run]] = ([], [])
    for _ in range(2 if places.quick else 5):
        for side in (0, 1):
            loads[side].append(run(commands[side], first[side], folder / "first.answer"))
            runs[side].append(run(commands[side], (ours_input, squid_input)[side], answers[side]))
    count = len(urls) * repeats
    rates = [
        Series([(count - 1) / max(1e-9, all_.processor - load.processor) for all_, load in zip(runs[side], loads[side])])
        for side in (0, 1)]
    agreed, compared = agreement(*answers, len(urls))
    results.add(Row(
        "classify from stdin, 1.5 million domains", "squidGuard", ours=rates[0].median, peer=rates[1].median,
        unit="lines/s", target=5, faster=True, spread=max(rate.spread for rate in rates),
        details={
            "lines": count, "loadSecondsOurs": round(min(load.processor for load in loads[0]), 3),
            "loadSecondsPeer": round(min(load.processor for load in loads[1]), 3),
            "peerBuildsItsDatabaseInSeconds": round(prebuilt, 1), "sameAnswers": agreed, "compared": compared}))


def squidguard(places: Places) -> tuple[float, Path]:
    """Its configuration, and how long it took to build the database that it starts from."""
    folder = places.folder("squidguard")
    (folder / "db").mkdir(exist_ok=True)
    (folder / "log").mkdir(exist_ok=True)
    (folder / "db/domains").write_bytes(places.unpacked(DOMAINS).read_bytes())
    configuration = folder / "squidGuard.conf"
    configuration.write_text(
        f"dbhome {folder}/db\nlogdir {folder}/log\ndest listed {{\n  domainlist domains\n}}\n"
        "acl {\n  default {\n    pass !listed all\n    redirect http://blocked.example/\n  }\n}\n")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    peers.run("squidGuard", "-c", configuration, "-C", "all")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, configuration


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def agreement(ours: Path, squid: Path, count: int) -> tuple[int, int]:
    """How many URLs both say the same of. What is no URL for us, or for squidGuard, is not compared."""
    same = compared = 0
    with open(ours, "rb") as mine, open(squid, "rb") as its:
        for _, left, right in zip(range(count), mine, its):
            verdict, rule, _ = left.split(b"\t", 2)
            if rule == b"invalidURL" or right.startswith(b"BH"):
                continue
            compared += 1
            same += (verdict == b"external") == right.startswith(b"OK")
    return same, compared
