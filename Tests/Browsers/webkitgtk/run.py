#!/usr/bin/python3
"""WebKitGTK under the guard: the example browser is driven through the rig's site, and the access log is the judge.

run.py [--screenshots DIR] [--cost FILE] [TEST...]      TEST is such as test_clipboard.Copying

Starts an X server of its own that nobody sees; no network but loopback is used. Needs the Debian packages
gir1.2-webkit2-4.1, gir1.2-gtk-3.0, python3-gi-cairo, xvfb, xdotool, xclip and imagemagick.
"""

import argparse
import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "examples/webkitgtk"), str(ROOT / "clients/python/src")]

import rig  # noqa: E402, F401
import tally  # noqa: E402
from rig.clipboard import display  # noqa: E402

MODULES = ("test_ways", "test_engine", "test_clipboard", "test_files", "test_failures", "test_pages")


def main() -> int:
    reader = argparse.ArgumentParser(description="WebKitGTK under the guard")
    reader.add_argument("--screenshots", type=Path, help="a directory for pictures of the browser")
    reader.add_argument("--cost", type=Path, help="where what a guarded navigation costs is written")
    reader.add_argument("tests", nargs="*", default=MODULES)
    asked = reader.parse_args()
    # WebKit refuses a runtime directory that others may read; and nothing of this machine's desktop takes part.
    runtime = tempfile.mkdtemp(prefix="wvg-")
    os.environ.update(XDG_RUNTIME_DIR=runtime, GDK_BACKEND="x11", NO_AT_BRIDGE="1")
    os.environ.update(GTK_THEME="Adwaita", LC_ALL="C.UTF-8")
    try:
        with display():
            import wanted

            wanted.SCREENSHOTS, wanted.COST = asked.screenshots, asked.cost
            return tally.run(unittest.defaultTestLoader.loadTestsFromNames(asked.tests))
    finally:
        shutil.rmtree(runtime, ignore_errors=True)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    # The engine's own end may crash after its display is gone; the result is known by now.
    os._exit(status)
