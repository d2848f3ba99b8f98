"""Chooses the tests that are named, runs them, and says how many passed and failed."""

import sys
import time
import unittest
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any


# Tests whose seconds are told.
SLOWEST = 12


class _Result(unittest.TextTestResult):
    """Counts what passed, since a test may fail in several parts, and a class before its first test. Times each test."""

    passed = 0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.seconds: dict[str, float] = {}

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.passed += 1
        super().addSuccess(test)

    def startTest(self, test: unittest.TestCase) -> None:
        self.seconds[test.id()] = -time.monotonic()
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        self.seconds[test.id()] += time.monotonic()
        super().stopTest(test)

    def tell_slowest(self) -> None:
        for name, seconds in sorted(self.seconds.items(), key=lambda one: -one[1])[:SLOWEST]:
            print(f"{seconds:6.1f} s  {name}")


def chosen(modules: Iterable[ModuleType], wanted: Sequence[str] = ()) -> unittest.TestSuite:
    """All tests of the modules in their order, or those of the classes and methods named, such as `Counts.test_one`."""
    loader = unittest.TestLoader()
    cases = {
        name: case
        for module in modules
        for name, case in vars(module).items()
        if isinstance(case, type)
        and case.__module__ == module.__name__
        and issubclass(case, unittest.TestCase)
        and not _is_base(case)
    }
    suite = unittest.TestSuite()
    for name in wanted or cases:
        case, _, method = name.partition(".")
        suite.addTest(cases[case](method) if method else loader.loadTestsFromTestCase(cases[case]))
    return suite


def _is_base(case: type[unittest.TestCase]) -> bool:
    """Whether others derive from it, and it has no test but those that it inherits."""
    return bool(case.__subclasses__()) and not any(name.startswith("test") for name in vars(case))


def run(suite: unittest.TestSuite) -> int:
    """The exit status: 0 when there was a test and none failed."""
    count = suite.countTestCases()
    result = unittest.TextTestRunner(stream=sys.stderr, resultclass=_Result).run(suite)
    assert isinstance(result, _Result)
    result.tell_slowest()
    print(f"{result.passed} passed, {count - result.passed} failed", flush=True)
    return 0 if count and result.passed == count and result.wasSuccessful() else 1
