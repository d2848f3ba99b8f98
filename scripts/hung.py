"""A part of a lane that does not end: what it waits for is told, and it is ended.

    parent 4711 S do_wait      make test-clients
    4712 4711 S futex_do_wait  /usr/bin/python3 clients/python/tests/run.py

A lane that waits for ever tells nobody which of its tests hangs: CI ended one after ninety minutes, with no word of it.
"""

import os
import re
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

# For what Python writes, and for programs that clean up when they are asked to end.
GRACE_SECONDS = 5


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    line: str

    @property
    def is_python(self) -> bool:
        return "python" in Path(f"/proc/{self.pid}/exe").resolve().name


def below(pid: int) -> list[Process]:
    """The process and all that descend from it, parents first."""
    columns = ["ps", "-e", "-ww", "-o", "pid=,ppid=,stat=,etimes=,wchan:24=,args="]
    lines = subprocess.run(columns, check=True, capture_output=True, text=True, errors="replace").stdout.splitlines()
    every = [Process(int(line.split()[0]), int(line.split()[1]), line[:300]) for line in lines]
    found = [process for process in every if process.pid == pid]
    for process in found:
        found += [child for child in every if child.parent == process.pid]
    return found


# As the runner of JavaScript tells them in the results, and Swift Testing in its output.
STARTED = r"^(started|passed|failed) (\S+)$"
OF_SWIFT = r"Test (\w+\([^)\n]*\)|\"[^\"\n]+\") (?:with \d+ test cases? )?(started|passed|failed)\b"
TOLD = re.compile(f"{STARTED}|{OF_SWIFT}", re.MULTILINE)
MOST_TOLD = 20


def unfinished(log: Path, results: Path) -> list[str]:
    """The tests that were told to start, and not to end."""
    running: dict[str, None] = {}
    for word, name, swift, what in TOLD.findall(results.read_text() + log.read_text(errors="replace")):
        if "started" in (word, what):
            running[name or swift] = None
        else:
            running.pop(name or swift, None)
    return list(running)[:MOST_TOLD]


def end(pid: int, log: Path, results: Path, has_hung: threading.Event) -> None:
    """Sets the event, writes into the log which test and what else runs below the process, and ends all of it."""
    has_hung.set()
    processes = below(pid)
    with log.open("a") as output:
        output.writelines(["\n== its tests that have not ended:\n", *(f"{name}\n" for name in unfinished(log, results))])
        output.write("== it does not end; process, parent, state, seconds, what it waits for, command:\n")
        output.writelines(f"{process.line}\n" for process in processes)
    # Python writes where each of its threads is, since `again.environment` sets PYTHONFAULTHANDLER.
    _signal([process for process in processes if process.is_python], signal.SIGABRT)
    time.sleep(GRACE_SECONDS)
    _signal(processes, signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    _signal(processes, signal.SIGKILL)


def _signal(processes: list[Process], number: int) -> None:
    for process in reversed(processes):
        try:
            os.kill(process.pid, number)
        except ProcessLookupError:
            pass
