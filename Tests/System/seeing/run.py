#!/usr/bin/env python3
"""Runs the tests of what the daemon says of itself: status, health, metrics and doctor.

run.py [NAME...]     NAME is a class or a method, such as Counts or Counts.test_every_rule_is_counted
"""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_compliance
import test_doctor
import test_health
import test_metrics

MODULES = (test_health, test_metrics, test_compliance, test_doctor)


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
