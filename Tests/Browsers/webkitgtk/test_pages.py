"""What the guard costs, and what it looks like."""

import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import wanted
from gi.repository import WebKit2
from rig.hosts import Host
from webkit_case import PRIVATE_VIEWER, WORK_VIEWER, WebKitCase

ROUNDS = 120
WARM_UP = 10
LARGEST_PICTURE = 60_000


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {f"p{n}": round(ordered[min(len(ordered) - 1, len(ordered) * n // 100)], 2) for n in (50, 99)}


class Cost(WebKitCase):
    """A navigation guarded and unguarded in turn, in one process: written down and printed, never a gate."""

    def test_a_navigation_guarded_and_unguarded(self) -> None:
        guarded = self.work().view
        bare = WebKit2.WebView(web_context=guarded.get_context(), settings=guarded.get_settings())
        self.work().window.get_child().pack_start(bare, True, True, 0)
        bare.show()
        loads: dict[str, Callable[[str], None]] = {"guarded": self.work().load, "unguarded": bare.load_uri}
        times: dict[str, list[float]] = {kind: [] for kind in loads}
        for number in range(WARM_UP + ROUNDS):
            for kind, load in loads.items():
                view = guarded if kind == "guarded" else bare
                taken = self.navigate(view, load, self.site.url(f"/cost-{kind}-{number}"))
                if number >= WARM_UP:
                    times[kind].append(taken)
        bare.destroy()
        self.assertGreaterEqual(len(self.asked("navigate")), ROUNDS)
        self.report({kind: percentiles(values) for kind, values in times.items()})

    def navigate(self, view: WebKit2.WebView, load: Callable[[str], None], url: str) -> float:
        """Milliseconds until the engine has the page's first byte."""
        events: list[WebKit2.LoadEvent] = []
        handler = view.connect("load-changed", lambda _, event: events.append(event))
        began = time.perf_counter()
        load(url)
        self.driver.wait(lambda: WebKit2.LoadEvent.COMMITTED in events, f"{url} is there")
        taken = (time.perf_counter() - began) * 1000
        self.driver.wait(lambda: WebKit2.LoadEvent.FINISHED in events, f"{url} is whole")
        view.disconnect(handler)
        return taken

    def report(self, times: dict[str, Any]) -> None:
        result = {"engine": self.driver.engine, "rounds": ROUNDS, "unit": "ms", **times}
        print(f"cost of a navigation: {json.dumps(result)}", flush=True)
        if wanted.COST:
            wanted.COST.write_text(json.dumps(result, indent=1) + "\n")


class Pictures(WebKitCase):
    """Pictures of the whole screen, as a person would see it."""

    def test_the_block_page_and_both_windows(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "external")
        self.driver.wait(lambda: self.driver.title(PRIVATE_VIEWER) == "/external", "the private window is outside")
        self.show("/")
        self.driver.click(WORK_VIEWER, "external")
        self.driver.wait(lambda: self.work().window.said, "the work window says where it opened")
        self.take("two-windows", "1280x300+0+0")
        self.driver.click(WORK_VIEWER, "blocked")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "Not opened here", "the block page is shown")
        self.take("block-page", "640x560+0+0")
        self.assertFalse(self.site.was_asked("/blocked"))
        self.assertNotIn(Host.BLOCKED, self.site.asked_hosts())

    def take(self, name: str, crop: str) -> None:
        """Takes a picture of a part of the screen; small, since it is kept."""
        self.driver.settle(0.5)
        if wanted.SCREENSHOTS is None:
            return
        wanted.SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        file: Path = wanted.SCREENSHOTS / f"webkitgtk-{name}.png"
        small = ["-dither", "None", "-colors", "48", "-strip"]
        with subprocess.Popen(["import", "-window", "root", "-crop", crop, "+repage", *small, str(file)]) as taking:
            self.driver.wait(lambda: taking.poll() is not None, "the picture is taken")
        self.assertLess(file.stat().st_size, LARGEST_PICTURE)


del WebKitCase
