#!/usr/bin/python3
"""WebKitGTK under the guard of the library clients/c/webkitgtk, once for GTK 3 and once for GTK 4.

run.py [--api 4.1|6.0] [--sanitize] [--wayland] [--build DIRECTORY] [TEST...]      TEST is such as test_clipboard.Copying

Builds the library, then drives a browser of a few lines through the rig's site, whose access log is the judge, on an X
server of its own that nobody sees; no network but loopback is used. With `--sanitize` the library is built with the
address and behaviour sanitizers, and ends the program at the first fault. With `--wayland` other programs read the clips on
a Wayland desktop. Needs the Debian packages libwebkit2gtk-4.1-dev, libwebkitgtk-6.0-dev, libssl-dev, gobject-introspection,
gir1.2-gtk-4.0, gir1.2-webkit-6.0, valac, xvfb, xdotool, xclip; with `--wayland` sway and wl-clipboard.
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

OWN = ("test_frames", "test_handlers", "test_lying", "test_loops", "test_rules", "test_sign_in", "test_programs")
# Programs of others find no sanitizer in their library's way, and build it anew.
SANITIZED = (*gtk_desktop.SHARED, "test_frames", "test_handlers", "test_lying", "test_loops", "test_rules", "test_sign_in")
WAYLAND = (
    *(f"test_clipboard.{name}" for name in ("Copying", "CopyingShortTexts", "CopyingNothing", "Marking")), "test_wayland",
    "test_wayland_drags")


def inside(tests: list[str]) -> int:
    with gtk_desktop.desktop():
        from gtk_case import GtkCase
        from pack import PackDriver

        GtkCase.driver_type = PackDriver
        return gtk_desktop.run(tests)


def main() -> int:
    reader = argparse.ArgumentParser(description="WebKitGTK under the guard of the library for C")
    reader.add_argument("--api", choices=gtk_desktop.APIS, help="one of the two")
    reader.add_argument("--sanitize", action="store_true", help="with the address and behaviour sanitizers")
    reader.add_argument("--wayland", action="store_true", help="what other programs read on a Wayland desktop")
    reader.add_argument("--build", type=Path, help="where the library is built")
    reader.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    reader.add_argument("tests", nargs="*")
    asked = reader.parse_args()
    if asked.inside:
        return inside(asked.tests)
    into = asked.build or gtk_desktop.BUILD.with_name("webkitpack-sanitized" if asked.sanitize else "webkitpack")
    apis = [asked.api] if asked.api else gtk_desktop.APIS
    gtk_desktop.build(into, apis, *([gtk_desktop.SANITIZED] if asked.sanitize else []))
    more = gtk_desktop.sanitizer() if asked.sanitize else None
    if asked.wayland:
        os.environ["GDK_BACKEND"] = "wayland"
    tests = asked.tests or (WAYLAND if asked.wayland else SANITIZED if asked.sanitize else (*gtk_desktop.SHARED, *OWN))
    return max([gtk_desktop.start(__file__, api, into, tests, more) for api in apis])


if __name__ == "__main__":
    # Whatever the engine does, it is said in which test.
    faulthandler.enable()
    gtk_desktop.leave(main())
