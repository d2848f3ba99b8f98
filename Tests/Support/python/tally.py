"""Chooses the tests that are named, runs them, and says how many passed and failed.

`WEBVIEWGUARD_RESULTS` names a file to which each run adds a line for each test, `passed NAME` or `failed NAME`, and
`WEBVIEWGUARD_ONLY` the tests to run instead of all, by these names (scripts/again.py).
"""

import os
import re
import sys
import time
import unittest
from collections import Counter
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

# Tests whose seconds are told.
SLOWEST = 12


class _Result(unittest.TextTestResult):
    """Knows what passed, since a test may fail in several parts, and a class before its first test. Times each test."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.seconds: dict[str, float] = {}
        self.passed: set[str] = set()

    def addSuccess(self, test: unittest.TestCase) -> None:
        self.passed.add(test.id())
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

    def fates(self, tests: Iterable[str]) -> dict[str, str]:
        """Each of the tests: `passed`, `skipped` or `failed`; one that never ran failed, unless its class was skipped."""
        skipped = {_name(test) for test, _ in self.skipped}
        failed = {_name(test) for test, _ in self.failures + self.errors}
        passed = self.passed - failed

        def fate(name: str) -> str:
            if name in passed:
                return "passed"
            return "skipped" if {name, name.rpartition(".")[0]} & skipped and name not in failed else "failed"

        return {name: fate(name) for name in tests}

    def tell_skipped(self) -> None:
        for test, reason in self.skipped:
            print(f"skipped {_name(test)}: {reason}")


def _name(test: Any) -> str:
    """The name of a test, of the test that one of its parts is of, or of the class whose beginning or end this is."""
    whole = getattr(test, "test_case", test).id()
    step = re.fullmatch(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)", whole)
    return step[1] if step else whole


def _flat(suite: unittest.TestSuite) -> list[unittest.TestCase]:
    """The tests of suites of suites, in their order."""
    found: list[unittest.TestCase] = []
    for part in suite:
        found += _flat(part) if isinstance(part, unittest.TestSuite) else [part]
    return found


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
    """The exit status: 0 when a test passed or was skipped, and none failed. Tells skipped tests, with their reasons."""
    if names := os.environ.get("WEBVIEWGUARD_ONLY", "").split():
        suite = unittest.TestSuite(test for test in _flat(suite) if test.id() in names)
        if not suite.countTestCases():
            print("0 passed, 0 failed", flush=True)
            return 0
    # Their names only: the runner lets go of each test that it ran.
    tests = [test.id() for test in _flat(suite)]
    result = unittest.TextTestRunner(stream=sys.stderr, resultclass=_Result).run(suite)
    assert isinstance(result, _Result)
    result.tell_slowest()
    result.tell_skipped()
    fates = result.fates(tests)
    _write(fates)
    count = Counter(fates.values())
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    print(f"{count['passed']} passed, {count['failed']} failed{skipped}", flush=True)
    return 0 if fates and not count["failed"] and result.wasSuccessful() else 1


def _write(fates: dict[str, str]) -> None:
    if place := os.environ.get("WEBVIEWGUARD_RESULTS"):
        with open(place, "a") as results:
            results.writelines(f"{fate} {name}\n" for name, fate in fates.items())
