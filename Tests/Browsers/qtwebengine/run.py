#!/usr/bin/python3
"""A real engine under the guard: the example browser goes every way out of a site, and the site's log is the judge.

run.py [NAME...]            NAME is a class or a method, such as TestSigningIn or TestOneClick.test_...

No network but loopback is used. Needs the Debian package python3-pyqt6.qtwebengine.
"""

import os
import sys
import unittest

# First, since it says where the other modules are and that nothing is to be shown.
from engine import application  # isort: skip

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


def main() -> int:
    kept = application()
    status = tally.run(suite(sys.argv[1:]))
    del kept
    return status


if __name__ == "__main__":
    result = main()
    sys.stdout.flush()
    # The engine's own end may crash after its pages are gone; the result is known by now.
    os._exit(result)
