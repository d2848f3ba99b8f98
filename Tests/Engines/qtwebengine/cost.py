#!/usr/bin/python3
"""What the guard adds to a navigation: the same page in the same process, guarded and unguarded, in turn.

cost.py [COUNT] [FILE]      COUNT pairs (200); FILE gets the numbers as JSON
"""

import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

# First, since it says where the other modules are and that nothing is to be shown.
from engine import QtDriver, application  # isort: skip

from daemon import Daemon
from PyQt6.QtCore import QEventLoop, QUrl
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile
from PyQt6.QtWebEngineWidgets import QWebEngineView
from rig.policy import BrowserConfiguration, ManagedBrowser
from rig.site import Site
from webviewguard.qt import leave


def milliseconds(page: QWebEnginePage, url: str) -> float:
    """From the call to the end of loading."""
    loop, began = QEventLoop(), time.perf_counter()
    ended = page.loadFinished.connect(lambda _: loop.quit())
    page.load(QUrl(url))
    loop.exec()
    taken = (time.perf_counter() - began) * 1000
    page.loadFinished.disconnect(ended)
    return taken


def figures(values: list[float]) -> dict[str, float]:
    """The middle one, and the one that 99 of 100 are below."""
    return {"p50": round(statistics.median(values), 2), "p99": round(statistics.quantiles(values, n=100)[98], 2)}


def measure(driver: QtDriver, site: Site, count: int) -> dict[str, object]:
    profile = QWebEngineProfile()
    unguarded, shown = QWebEnginePage(profile), QWebEngineView()
    # Both are shown in windows of one size: a page that nobody sees is drawn at another pace.
    shown.setPage(unguarded)
    shown.resize(driver.view("work").size())
    shown.show()
    pages = [("guarded", driver.page("work")), ("unguarded", unguarded)]
    taken: dict[str, list[float]] = {name: [] for name, _ in pages}
    asked: list[float] = []
    for number in range(-10, count):
        # By turns, so that neither is always the first.
        for name, page in pages if number % 2 else reversed(pages):
            value = milliseconds(page, site.url(f"/file-list?{name}{number}"))
            if number >= 0:
                taken[name].append(value)
        began = time.perf_counter()
        driver.guard.decide("navigate", viewer="work", url=site.url(f"/question?{number}"), frame="main")
        asked.append((time.perf_counter() - began) * 1000)
    result = {name: figures(values) for name, values in taken.items()}
    return {"engine": driver.engine, "unit": "ms", "pairs": count, **result, "question": figures(asked)}


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    kept = application()
    with tempfile.TemporaryDirectory(prefix="wvg-") as home:
        site, daemon = Site(), Daemon(BrowserConfiguration(ManagedBrowser(Path(home)).program))
        try:
            daemon.start()
            result = measure(QtDriver(str(daemon.guard_socket)), site, count)
        finally:
            daemon.remove()
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(json.dumps(result, indent=1) + "\n")
    parts = (
        f"{name} p50 {result[name]['p50']} p99 {result[name]['p99']}" for name in ("unguarded", "guarded", "question")
    )  # type: ignore[index]
    print(f"{result['engine']}, ms: " + "; ".join(parts), flush=True)
    assert kept
    leave(0)


if __name__ == "__main__":
    assert os.environ["QT_QPA_PLATFORM"]
    main()
