"""Runs a suite and says how many tests passed and failed."""

import sys
import unittest


class _Result(unittest.TextTestResult):
    """Counts what passed: a test may fail in several parts, and a class before its first test."""

    passed = 0

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.passed += 1
        super().addSuccess(test)


def run(suite: unittest.TestSuite) -> int:
    """The exit status: 0 when there was a test and none failed."""
    count = suite.countTestCases()
    result = unittest.TextTestRunner(stream=sys.stderr, resultclass=_Result).run(suite)
    passed = result.passed if isinstance(result, _Result) else 0
    print(f"{passed} passed, {count - passed} failed", flush=True)
    return 0 if count and passed == count and result.wasSuccessful() else 1
