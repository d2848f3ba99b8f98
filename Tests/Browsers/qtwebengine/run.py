#!/usr/bin/python3
"""A real engine under the guard: the example browser goes every way out of a site, and the site's log is the judge.

run.py [NAME...]            NAME is a class or a method, such as TestSigningIn or TestNavigating.test_private_life_is_free
run.py --screenshots DIR    writes the pictures of the docs

No network but loopback is used. Needs the Debian package python3-pyqt6.qtwebengine.
"""

import os
import subprocess
import sys
import unittest

# First, since it says where the other modules are and that nothing is to be shown.
from engine import HERE, ROOT, application  # isort: skip

import tally
import test_clipboard
import test_failing
import test_navigation
import test_transfers
import test_ways

MODULES = (test_navigation, test_transfers, test_clipboard, test_failing, test_ways)
CASES = {
    case.__name__: case
    for module in MODULES
    for case in vars(module).values()
    if isinstance(case, type) and case.__module__ == module.__name__ and case.__name__.startswith("Test")
}


def suite(wanted: list[str]) -> unittest.TestSuite:
    loader, chosen = unittest.TestLoader(), unittest.TestSuite()
    for name in wanted or CASES:
        case, _, method = name.partition(".")
        chosen.addTest(CASES[case](method) if method else loader.loadTestsFromTestCase(CASES[case]))
    return chosen


def screenshots(directory: str) -> int:
    """Each program of the pictures needs an engine of its own, since the names that it finds are fixed at its start."""
    pictures = [sys.executable, str(HERE / "pictures.py"), directory]
    demo = [str(ROOT / "scripts/demo-qtwebengine"), directory]
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(pictures).returncode or subprocess.run(demo, env=environment).returncode


def main() -> int:
    if sys.argv[1:2] == ["--screenshots"]:
        return screenshots(os.path.abspath(sys.argv[2]))
    kept = application()
    status = tally.run(suite(sys.argv[1:]))
    del kept
    return status


if __name__ == "__main__":
    result = main()
    sys.stdout.flush()
    # The engine's own end may crash after its pages are gone; the result is known by now.
    os._exit(result)
