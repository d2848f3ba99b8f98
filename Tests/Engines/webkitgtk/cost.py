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
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

# First, since it says where the other modules are.
from run import gtk_desktop  # isort: skip

from daemon import Daemon
from rig.policy import BrowserConfiguration, ManagedBrowser
from rig.site import Site

if TYPE_CHECKING:
    from example import ExampleDriver

WARM_UP = 10


def figures(values: list[float]) -> dict[str, float]:
    """The middle one, and the one that 99 of 100 are below."""
    return {"p50": round(statistics.median(values), 2), "p99": round(statistics.quantiles(values, n=100)[98], 2)}


def milliseconds(driver: "ExampleDriver", view: Any, load: Callable[[str], None], url: str) -> float:
    """From the call to the end of loading."""
    from toolkit import WebKit

    events: list[WebKit.LoadEvent] = []
    handler = view.connect("load-changed", lambda _, event: events.append(event))
    began = time.perf_counter()
    load(url)
    driver.wait(lambda: WebKit.LoadEvent.FINISHED in events, f"{url} is loaded")
    taken = (time.perf_counter() - began) * 1000
    view.disconnect(handler)
    return taken


def measure(driver: "ExampleDriver", site: Site, count: int) -> dict[str, Any]:
    import toolkit
    from rig.policy import APP
    from webviewguard import Guard

    work = driver.window("work")
    # The same engine, settings and cookies, without a hook.
    bare = toolkit.WebKit.WebView(web_context=work.view.get_context(), settings=work.view.get_settings())
    toolkit.append(work.get_child(), bare, grows=True)
    asker = Guard(app=APP, path=driver.socket, instance=driver.guard.get_instance)
    asker.start()
    loads = {"guarded": (work.view, work.load), "unguarded": (bare, bare.load_uri)}
    taken: dict[str, list[float]] = {name: [] for name in (*loads, "question")}
    for number in range(-WARM_UP, count):
        # By turns, so that neither is always the first.
        for name, (view, load) in sorted(loads.items(), reverse=number % 2 == 0):
            taken[name].append(milliseconds(driver, view, load, site.url(f"/file-list?{name}{number}")))
        began = time.perf_counter()
        asker.decide("navigate", viewer="work", url=site.url(f"/question?{number}"), frame="main")
        taken["question"].append((time.perf_counter() - began) * 1000)
    numbers = {name: figures(values[WARM_UP:]) for name, values in taken.items()}
    return {"engine": driver.engine, "unit": "ms", "pairs": count, **numbers}


def main() -> None:
    words = sys.argv[2:]
    count = int(words[0]) if words else 200
    with gtk_desktop.desktop(), tempfile.TemporaryDirectory(prefix="wvg-") as home:
        from example import ExampleDriver

        site, daemon = Site(), Daemon(BrowserConfiguration(ManagedBrowser(Path(home)).program))
        try:
            daemon.start()
            result = measure(ExampleDriver(daemon.guard_socket), site, count)
        finally:
            daemon.remove()
        if len(words) > 1:
            Path(words[1]).write_text(json.dumps(result, indent=1) + "\n")
        names = ("unguarded", "guarded", "question")
        parts = (f"{name} p50 {result[name]['p50']} p99 {result[name]['p99']}" for name in names)
        print(f"{result['engine']}, ms: " + "; ".join(parts), flush=True)


if __name__ == "__main__":
    if "WEBVIEWGUARD_WEBKIT" in os.environ:
        main()
        gtk_desktop.leave(0)
    gtk_desktop.build(gtk_desktop.BUILD)
    sys.exit(gtk_desktop.start(__file__, "4.1", gtk_desktop.BUILD, sys.argv[1:]))
