#!/usr/bin/env python3
"""Runs the tests of the check-in: systemd/webviewguard-refresh against a real daemon, as its unit runs it. Needs root.

run.py [NAME...]     NAME is a class or a method, such as Signatures or Signatures.test_two_keys
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_places
import test_refresh

MODULES = (test_refresh, test_places)


def main() -> int:
    cases = {
        name: case
        for module in MODULES
        for name, case in vars(module).items()
        if isinstance(case, type) and case.__module__ == module.__name__ and issubclass(case, unittest.TestCase)
    }
    loader = unittest.TestLoader()
    suite = unittest.TestSuite()
    for wanted in sys.argv[1:] or cases:
        name, _, method = wanted.partition(".")
        suite.addTest(cases[name](method) if method else loader.loadTestsFromTestCase(cases[name]))
    return tally.run(suite)


if __name__ == "__main__":
    sys.exit(main())
