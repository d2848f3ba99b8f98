"""Reads what callgrind counted: https://valgrind.org/docs/manual/cl-format.html."""

import re
import subprocess
from collections import Counter
from pathlib import Path

COST = re.compile(r"(\*|[-+]?\d+) \d+$")
NAMED = re.compile(r"(c?fn)=\((\d+)\)(?: (.*))?")


class ThreadCounts:
    """The instructions of one thread, by function."""

    def __init__(self, file: Path) -> None:
        # What a function does itself, and what it does with all that it calls.
        self.own: Counter[str] = Counter()
        self._whole: Counter[str] = Counter()
        names: dict[str, str] = {}
        function = ""
        is_call = False
        for line in file.read_text(errors="replace").splitlines():
            if named := NAMED.match(line):
                kind, number, name = named.groups()
                name = names.setdefault(number, name or "")
                function = name if kind == "fn" else function
            elif line.startswith("calls="):
                is_call = True
            elif COST.match(line):
                cost = int(line.split()[1])
                self._whole[function] += cost
                if not is_call:
                    self.own[function] += cost
                is_call = False
        plain = dict(zip(names.values(), demangled(list(names.values()))))
        self.own = merged(self.own, plain)
        self._whole = merged(self._whole, plain)

    @property
    def total(self) -> int:
        return self.own.total()

    def inclusive(self, start: str) -> int:
        """Instructions within the functions whose names begin so, of which none may call another; 0 when there is none."""
        return sum(cost for name, cost in self._whole.items() if name.removeprefix("specialized ").startswith(start))


def thread_with(function: str, folder: Path, dump: int) -> ThreadCounts:
    """The thread that ran this function the most, in the dump with this number."""
    threads = [ThreadCounts(file) for file in folder.glob(f"*.{dump}-*")]
    return max(threads, key=lambda thread: thread.inclusive(function))


def demangled(names: list[str]) -> list[str]:
    done = subprocess.run(
        ["swift-demangle", "--simplified"], input="\n".join(names), check=True, capture_output=True, text=True
    )
    return done.stdout.splitlines()


def merged(counts: Counter[str], names: dict[str, str]) -> Counter[str]:
    """Specialised and local functions may share a name once it is readable."""
    readable: Counter[str] = Counter()
    for name, count in counts.items():
        readable[names.get(name, name)] += count
    return readable
