"""What the guard adds to a navigation: the same page in a guarded and in an unguarded browser, in turn."""

import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from daemon import Daemon, eventually
from rig.policy import BrowserConfiguration, ManagedBrowser
from rig.site import Site

# The engine's own clock: from the beginning of the navigation to the end of `load`.
TAKEN = "performance.getEntriesByType('navigation')[0].loadEventEnd"

# Starts to show a URL; the value of an expression there, None while there is none.
Browser = tuple[Callable[[str], Any], Callable[[str], Any]]


def milliseconds(browser: Browser, url: str) -> float:
    begin, value = browser
    begin(url)
    shown = f"location.href === {json.dumps(url)} && {TAKEN}"
    return float(eventually(lambda: value(shown), f"{url} is shown"))


def figures(values: list[float]) -> dict[str, float]:
    """The middle one, and the one that 99 of 100 are below."""
    return {"p50": round(statistics.median(values), 2), "p99": round(statistics.quantiles(values, n=100)[98], 2)}


def measure(browsers: dict[str, Browser], site: Site, count: int) -> dict[str, Any]:
    """So many pairs, after ten that are not counted."""
    taken: dict[str, list[float]] = {name: [] for name in browsers}
    for number in range(-10, count):
        # By turns, so that neither is always the first.
        for name, browser in sorted(browsers.items(), key=lambda pair: pair[0], reverse=number % 2 == 0):
            value = milliseconds(browser, site.url(f"/file-list?{name}{number}"))
            if number >= 0:
                taken[name].append(value)
    return {name: figures(values) for name, values in taken.items()}


def main(engine: Callable[[Daemon, Callable[[str, dict[str, Browser]], None]], None]) -> None:
    """`cost.py [COUNT] [FILE]`: COUNT pairs (200); FILE gets the numbers as JSON."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    site = Site()

    def report(name: str, browsers: dict[str, Browser]) -> None:
        result: dict[str, Any] = {"engine": name, "unit": "ms", "pairs": count, **measure(browsers, site, count)}
        if len(sys.argv) > 2:
            Path(sys.argv[2]).write_text(json.dumps(result, indent=1) + "\n")
        parts = (f"{kind} p50 {result[kind]['p50']} p99 {result[kind]['p99']}" for kind in browsers)
        print(f"{name}, ms: " + "; ".join(parts), flush=True)

    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        daemon = Daemon(BrowserConfiguration(ManagedBrowser(Path(directory)).program))
        try:
            engine(daemon.start(), report)
        finally:
            daemon.remove()
            site.close()
