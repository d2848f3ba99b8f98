#!/usr/bin/python3
"""WebKitGTK under the guard: the example browser is driven through the rig's site, and the access log is the judge.

run.py [--screenshots DIR] [TEST...]      TEST is such as test_clipboard.Copying

Starts an X server of its own that nobody sees; no network but loopback is used. Needs the Debian packages
gir1.2-webkit2-4.1, gir1.2-gtk-3.0, python3-gi-cairo, xvfb, xdotool, xclip and imagemagick.
"""

import argparse
import faulthandler
import gc
import os
import shutil
import sys
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT / "examples/webkitgtk"), str(ROOT / "clients/python/src")]

import rig  # noqa: E402, F401
import tally  # noqa: E402
from rig.clipboard import display  # noqa: E402

MODULES = ("test_ways", "test_engine", "test_clipboard", "test_files", "test_failures", "test_pages", "test_accounts")


@contextmanager
def desktop() -> Iterator[None]:
    """An X server that nobody sees, and nothing else of this machine's desktop."""
    # WebKit refuses a runtime directory that others may read.
    runtime = tempfile.mkdtemp(prefix="wvg-")
    os.environ.update(XDG_RUNTIME_DIR=runtime, GDK_BACKEND="x11", NO_AT_BRIDGE="1")
    os.environ.update(GTK_THEME="Adwaita", LC_ALL="C.UTF-8")
    try:
        with display():
            yield
    finally:
        shutil.rmtree(runtime, ignore_errors=True)


def leave(status: int) -> NoReturn:
    """The engine's own end may crash after its display is gone; the result is known by now."""
    sys.stdout.flush()
    os._exit(status)


def main() -> int:
    reader = argparse.ArgumentParser(description="WebKitGTK under the guard")
    reader.add_argument("--screenshots", type=Path, help="a directory for pictures of the browser")
    reader.add_argument("tests", nargs="*", default=MODULES)
    asked = reader.parse_args()
    # The engine's objects may be let go in this thread only, and the site has threads of its own.
    gc.disable()
    with desktop():
        import wanted

        wanted.SCREENSHOTS = asked.screenshots
        return tally.run(unittest.defaultTestLoader.loadTestsFromNames(asked.tests))


if __name__ == "__main__":
    # Whatever the engine does, it is said in which test.
    faulthandler.enable()
    leave(main())
