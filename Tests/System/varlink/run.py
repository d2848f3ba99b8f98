#!/usr/bin/env python3
"""Runs the interoperability tests: the public varlink package, and raw sockets, against the real daemon.

run.py [NAME...]     NAME is a class or a method, such as Garbage or Garbage.test_a_long_name_does_not_come_back_whole
"""

import sys
import unittest
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_accounts
import test_coverage
import test_errors
import test_exceptions
import test_frames
import test_introspection
import test_lifetime
import test_log_failure
import test_methods
import test_monitor
import test_policies

MODULES = (
    test_introspection, test_methods, test_accounts, test_errors, test_exceptions, test_policies, test_frames, test_monitor,
    test_lifetime, test_log_failure,
)  # fmt: skip


def suite(wanted: list[str]) -> unittest.TestSuite:
    """The tests in order. Coverage is judged at the end, and only of the whole."""
    loader = unittest.TestLoader()
    if not wanted:
        return unittest.TestSuite(loader.loadTestsFromTestCase(case) for case in cases((*MODULES, test_coverage)))
    by_name = {case.__name__: case for case in cases(MODULES)}
    chosen = unittest.TestSuite()
    for name in wanted:
        case, _, method = name.partition(".")
        chosen.addTest(by_name[case](method) if method else loader.loadTestsFromTestCase(by_name[case]))
    return chosen


def cases(modules: tuple[ModuleType, ...]) -> list[type[unittest.TestCase]]:
    """The classes of tests, in the order in which they stand, without those that are there to be derived from."""
    return [
        case
        for module in modules
        for case in vars(module).values()
        if isinstance(case, type)
        and case.__module__ == module.__name__
        and any(n.startswith("test_") for n in vars(case))
    ]


def main() -> int:
    return tally.run(suite(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
