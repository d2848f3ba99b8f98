#!/usr/bin/python3
"""WebKitGTK under the guard: the example browser is driven through the rig's site, and the access log is the judge.

run.py [--api 4.1|6.0] [--screenshots DIR] [TEST...]      TEST is such as test_clipboard.Copying

Builds the library that the example stands on, and starts an X server of its own that nobody sees; no network but loopback
is used. Without `--api` it is 4.1, and then 6.0 with what is the example's own. Needs imagemagick, and what
Tests/Engines/webkitpack/run.py needs.
"""

import argparse
import faulthandler
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "rig/webkit")]

import rig  # noqa: E402, F401
import gtk_desktop  # noqa: E402

OWN = ("test_window", "test_pages", "test_accounts")


def inside(tests: list[str]) -> int:
    with gtk_desktop.desktop():
        import test_ways
        from example import ExampleDriver
        from gtk_case import GtkCase

        GtkCase.driver_type = ExampleDriver
        if os.environ["WEBKITGTK_API"] == "4.1":
            test_ways.Ways.observations_file = HERE / "observations.json"
        return gtk_desktop.run(tests)


def main() -> int:
    reader = argparse.ArgumentParser(description="WebKitGTK under the guard")
    reader.add_argument("--api", choices=gtk_desktop.APIS, help="one of the two")
    reader.add_argument("--screenshots", type=Path, help="a directory for pictures of the browser")
    reader.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    reader.add_argument("tests", nargs="*")
    asked = reader.parse_args()
    if asked.inside:
        return inside(asked.tests)
    apis = [asked.api] if asked.api else gtk_desktop.APIS
    gtk_desktop.build(gtk_desktop.BUILD, apis)
    pictures = {"WEBVIEWGUARD_SCREENSHOTS": str(asked.screenshots.resolve())} if asked.screenshots else None
    results = []
    for api in apis:
        # The library's own rig has all with 6.0.
        tests = asked.tests or ((*gtk_desktop.SHARED, *OWN) if api == apis[0] else OWN)
        results.append(gtk_desktop.start(__file__, api, gtk_desktop.BUILD, tests, pictures if api == "4.1" else None))
    return max(results)


if __name__ == "__main__":
    # Whatever the engine does, it is said in which test.
    faulthandler.enable()
    gtk_desktop.leave(main())
