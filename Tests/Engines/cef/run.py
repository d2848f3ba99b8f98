#!/usr/bin/env python3
"""CEF under the guard: a little browser in C goes every way out of the rig's site, and the access log is the judge.

run.py [NAME...]            NAME is a class or a method, such as Ways or Outages.test_a_daemon_is_killed
run.py --wayland [NAME...]  what other programs read on a Wayland desktop, where CEF is a program of X11
run.py --native [NAME...]   the same, where CEF is a program of Wayland

Downloads the package `cef-capi-py` once (124 MB, pinned by its hash) into .build/cef, and builds the pack of
clients/c/cef and the browser against it. Starts an X server that nobody sees; the browser uses no network but loopback.
Needs gcc and the Debian packages xvfb, xclip, xdotool and chromium, which brings the libraries that CEF wants;
with --wayland and --native sway, xwayland and wl-clipboard.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[1] / "Oracle")]
sys.path.append(str(HERE.parents[2] / "clients/python/src"))

from rig import clipboard, selection, wayland, xwayland  # noqa: E402, I001
import engine  # noqa: E402
import test_attacks  # noqa: E402
import test_hooks  # noqa: E402
import test_loops  # noqa: E402
import test_native_wayland  # noqa: E402
import test_notices  # noqa: E402
import test_outages  # noqa: E402
import test_person  # noqa: E402
import test_programs  # noqa: E402
import test_readable  # noqa: E402
import test_selections  # noqa: E402
import test_sign_in  # noqa: E402
import test_wrapped  # noqa: E402
import test_wayland  # noqa: E402
import test_ways  # noqa: E402

MODULES = (
    test_ways, test_hooks, test_notices, test_person, test_programs, test_outages, test_loops, test_sign_in,
    test_selections, test_readable, test_wrapped, test_attacks,
)

if __name__ == "__main__":
    engine.build()
    displays = {"--wayland": (xwayland.display, (test_wayland,)), "--native": (wayland.display, (test_native_wayland,))}
    display, modules = displays.get(sys.argv[1] if sys.argv[1:] else "", (clipboard.display, MODULES))
    if modules is not MODULES:
        del sys.argv[1]
    with display():
        sys.exit(selection.run(modules))
