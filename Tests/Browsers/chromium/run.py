#!/usr/bin/env python3
"""Runs the tests of the extension in a headless Chromium.

run.py [NAME...]     NAME is a class or a method, such as Ways or SignIn.test_the_chain_comes_back
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rig  # noqa: E402, F401
import tally  # noqa: E402
import test_clipboard  # noqa: E402
import test_installed  # noqa: E402
import test_matching  # noqa: E402
import test_outages  # noqa: E402
import test_ways  # noqa: E402

MODULES = (test_ways, test_clipboard, test_matching, test_outages, test_installed)


def main() -> int:
    cases = {case.__name__: case for module in MODULES for case in module.cases()}
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for name in sys.argv[1:] or cases:
        case, _, method = name.partition(".")
        suite.addTest(cases[case](method) if method else loader.loadTestsFromTestCase(cases[case]))
    return tally.run(suite)


if __name__ == "__main__":
    sys.exit(main())
