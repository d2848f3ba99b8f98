#!/usr/bin/python3
"""WebKitGTK under the guard of the library clients/c/webkitgtk, once for GTK 3 and once for GTK 4.

run.py [--api 4.1|6.0] [--build DIRECTORY] [TEST...]      TEST is such as test_clipboard.Copying

Builds the library, then drives a browser of a few lines through the rig's site, whose access log is the judge, on an X
server of its own that nobody sees; no network but loopback is used. Needs the Debian packages libwebkit2gtk-4.1-dev,
libwebkitgtk-6.0-dev, gobject-introspection, gir1.2-gtk-4.0, gir1.2-webkit-6.0, valac, xvfb, xdotool and xclip.
"""

import argparse
import faulthandler
import gc
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent)]

import rig  # noqa: E402, F401
import tally  # noqa: E402
from rig.clipboard import display  # noqa: E402

LIBRARY = ROOT / "clients/c/webkitgtk"
MODULES = ("test_ways", "test_hooks", "test_clipboard", "test_files", "test_failures", "test_programs")
APIS = {"4.1": "webkit2gtk-4.1", "6.0": "webkitgtk-6.0"}


@contextmanager
def desktop() -> Iterator[None]:
    """An X server that nobody sees, and nothing else of this machine's desktop."""
    # WebKit refuses a runtime directory that others may read.
    runtime = tempfile.mkdtemp(prefix="wvg-")
    os.environ.update(XDG_RUNTIME_DIR=runtime, GDK_BACKEND="x11", NO_AT_BRIDGE="1", GTK_A11Y="none")
    os.environ.update(GTK_THEME="Adwaita", LC_ALL="C.UTF-8", GSK_RENDERER="cairo", GSETTINGS_BACKEND="memory")
    try:
        with display():
            yield
    finally:
        shutil.rmtree(runtime, ignore_errors=True)


def build(into: Path) -> None:
    """Builds the library for both, as its Makefile does for anybody."""
    command = ["make", "--no-print-directory", "--silent", "-C", str(LIBRARY), f"BUILD={into}"]
    subprocess.run([*command, "CFLAGS=-O1 -g -Werror"], check=True)


def start(api: str, into: Path, tests: list[str]) -> int:
    """Runs the tests with one of the two: a process can hold one GTK only."""
    paths = {"GI_TYPELIB_PATH": str(into), "LD_LIBRARY_PATH": str(into), "WEBVIEWGUARD_WEBKIT": str(into)}
    print(f"== WebKitGTK {api}", flush=True)
    command = [sys.executable, __file__, "--inside", "--api", api, *tests]
    return subprocess.run(command, env=os.environ | paths, check=False).returncode


def inside(tests: list[str]) -> int:
    # The engine's objects may be let go in this thread only, and the site has threads of its own.
    gc.disable()
    with desktop():
        return tally.run(unittest.defaultTestLoader.loadTestsFromNames(tests))


def leave(status: int) -> NoReturn:
    """The engine's own end may crash after its display is gone; the result is known by now."""
    sys.stdout.flush()
    os._exit(status)


def main() -> int:
    reader = argparse.ArgumentParser(description="WebKitGTK under the guard of the library for C")
    reader.add_argument("--api", choices=APIS, help="one of the two")
    reader.add_argument("--build", type=Path, default=ROOT / ".build/webkitpack", help="where the library is built")
    reader.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    reader.add_argument("tests", nargs="*", default=MODULES)
    asked = reader.parse_args()
    if asked.inside:
        return inside(asked.tests)
    build(asked.build)
    results = [start(api, asked.build, asked.tests) for api in ([asked.api] if asked.api else APIS)]
    return max(results)


if __name__ == "__main__":
    # Whatever the engine does, it is said in which test.
    faulthandler.enable()
    leave(main())
