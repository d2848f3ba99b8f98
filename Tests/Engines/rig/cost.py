"""What the guard adds to loading a page: the same pages, guarded and unguarded, by turns on one machine.

An engine's `cost.py [COUNT] [FILE]` loads COUNT pairs (300) of each kind of page, and a third as many of the median page of
the web; FILE gets the numbers as JSON.

Machines are busy, so only ratios of one run say something, and both sides have to meet the same noise: loads take turns,
each pair begins with the other side, and the site is a process of its own, in which no engine waits. The ratio of p50 is
that of the medians. The ratio of p99 is the median over blocks of 50 pairs: of each, the slow end of one side by that of
the other. A stall of the machine spoils one block, while what the guard causes in one of sixty loads is in most of them.
Where the guard costs nothing, the ratio of two plain p99 of 400 pairs varied by 0.27 in simulations, and this by 0.14.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from daemon import Daemon, eventually

from rig.hosts import Host
from rig.policy import BrowserConfiguration, ManagedBrowser

# Shows a URL; how long that took, in milliseconds.
Load = Callable[[str], float]
# The name of an engine, and how each of `unguarded` and `guarded` loads; `question` asks one without a page.
Engine = tuple[str, dict[str, Load]]
Pair = tuple[float, float]

# The median page of the web (pages.MEDIAN), each file of which takes a round trip; and what shows the guard's own cost,
# which come without delay: a page by itself, and one with twenty pictures of its own host.
MEDIAN = "median page"
PAGES = {MEDIAN: "/cost/median", "page": "/cost/0", "page with 20 pictures": "/cost/20"}
# It takes so much longer than the others that fewer pairs say as much.
FEWER = {MEDIAN: 3}
WARM_UP, BLOCK, PAIRS = 10, 50, 300
# The engine's own clock: from the beginning of the navigation to the end of `load`.
TAKEN = "performance.getEntriesByType('navigation')[0].loadEventEnd"


@contextmanager
def site() -> Iterator[int]:
    """The rig's site in a process of its own, by its port."""
    program = str(Path(__file__).with_name("site.py"))
    with subprocess.Popen([sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serves:
        assert serves.stdin is not None and serves.stdout is not None
        try:
            yield int(serves.stdout.readline())
        finally:
            serves.stdin.close()


def scripted(begin: Callable[[str], Any], value: Callable[[str], Any]) -> Load:
    """How a browser loads that is driven from outside: `begin` starts to show a URL, and `value` is the value of an
    expression in the page, None while there is none."""

    def load(url: str) -> float:
        begin(url)
        shown = f"location.href === {json.dumps(url)} && {TAKEN}"
        return float(eventually(lambda: value(shown), f"{url} is shown"))

    return load


def timed(act: Callable[[], Any]) -> float:
    """How long it takes, in milliseconds."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def slow_end(values: Sequence[float]) -> float:
    """What 99 of 100 are below."""
    return statistics.quantiles(values, n=100, method="inclusive")[98]


def ratios(pairs: Sequence[Pair]) -> dict[str, float]:
    """What the first of each pair took, as a multiple of what the second did."""
    ones, others = zip(*pairs, strict=True)
    blocks = [pairs[start : start + BLOCK] for start in range(0, max(len(pairs) - BLOCK, 0) + 1, BLOCK)]
    ends = [[slow_end(side) for side in zip(*block, strict=True)] for block in blocks]
    p99 = statistics.median(one / other for one, other in ends)
    return {"p50": round(statistics.median(ones) / statistics.median(others), 3), "p99": round(p99, 3)}


def figures(values: Sequence[float]) -> dict[str, float]:
    return {"p50": round(statistics.median(values), 2), "p99": round(slow_end(values), 2)}


def measured(loads: dict[str, Load], url: Callable[[int, str], str], count: int) -> dict[str, list[float]]:
    """How long each of so many pairs of one page took, after a few that are not counted."""
    taken: dict[str, list[float]] = {name: [] for name in loads}
    for number in range(-WARM_UP, count):
        for name, load in sorted(loads.items(), reverse=number % 2 == 0):
            taken[name].append(load(url(number, name)))
    return {name: values[WARM_UP:] for name, values in taken.items()}


def summary(taken: dict[str, list[float]]) -> dict[str, Any]:
    pairs = list(zip(taken["guarded"], taken["unguarded"], strict=True))
    return {"pairs": len(pairs), "ratio": ratios(pairs), **{name: figures(values) for name, values in taken.items()}}


def keep(engine: str, pages: dict[str, dict[str, list[float]]], file: str | None) -> None:
    """Says a line about each page, and writes the numbers into the file."""
    numbers = {name: summary(taken) for name, taken in pages.items()}
    for name, page in numbers.items():
        sides = (f"{side} p50 {page[side]['p50']} p99 {page[side]['p99']}" for side in sorted(pages[name]))
        print(f"{engine}, {name}, ms: {'; '.join(sides)}; ratio p50 {page['ratio']['p50']} p99 {page['ratio']['p99']}")
    sys.stdout.flush()
    if file:
        result = {"engine": engine, "unit": "ms", "pages": numbers}
        Path(file).write_text(json.dumps(result, indent=1) + "\n")


def arguments() -> tuple[int, str | None]:
    """COUNT and FILE."""
    words = [word for word in sys.argv[1:] if word != "--inside"]
    return int(words[0]) if words else PAIRS, words[1] if len(words) > 1 else None


def main(engine: Callable[[Daemon], AbstractContextManager[Engine]]) -> None:
    count, file = arguments()
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory, site() as port:
        daemon = Daemon(BrowserConfiguration(ManagedBrowser(Path(directory)).program))

        def measure(loads: dict[str, Load], page: str) -> dict[str, list[float]]:
            pairs = count // FEWER.get(page, 1)
            return measured(loads, lambda number, side: Host.INTERNAL.url(port, f"{PAGES[page]}?{side}{number}"), pairs)

        try:
            with engine(daemon.start()) as (name, loads):
                keep(name, {page: measure(loads, page) for page in PAGES}, file)
        finally:
            daemon.remove()
