"""Chooses the tests that are named, runs them, and says how many passed and failed."""

import sys
import unittest
from collections.abc import Iterable, Sequence
from types import ModuleType


class _Result(unittest.TextTestResult):
    """Counts what passed: a test may fail in several parts, and a class before its first test."""

    passed = 0

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.passed += 1
        super().addSuccess(test)


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
    passed = result.passed if isinstance(result, _Result) else 0
    print(f"{passed} passed, {count - passed} failed", flush=True)
    return 0 if count and passed == count and result.wasSuccessful() else 1
