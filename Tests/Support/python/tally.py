"""Chooses the tests that are named, runs them, and says how many passed, failed and were skipped. A test that was skipped said
why; one that neither passed nor said so failed, whatever became of it.

`python3 tally.py --self-test` has tests end in every way, and demands each verdict.
`WEBVIEWGUARD_RESULTS` names a file to which each run adds a line for each test, `passed NAME` or `failed NAME`, and
`WEBVIEWGUARD_ONLY` the tests to run instead of all, by these names (scripts/again.py). `WEBVIEWGUARD_PATIENCE` is how many
seconds a test may take: one that takes longer breaks the run off, which then says where each thread is.
"""

import faulthandler
import io
import os
import re
import sys
import time
import unittest
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any, TextIO

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
        if seconds := int(os.environ.get("WEBVIEWGUARD_PATIENCE", 0)):
            faulthandler.dump_traceback_later(seconds, exit=True)
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        self.seconds[test.id()] += time.monotonic()
        faulthandler.cancel_dump_traceback_later()
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


def _name(test: Any) -> str:
    """The name of a test, of the test that one of its parts is of, or of the class whose beginning or end this is."""
    whole = getattr(test, "test_case", test).id()
    step = re.fullmatch(r"(?:setUp|tearDown)(?:Class|Module) \((.+)\)", whole)
    return step[1] if step else whole


def flat(suite: Iterable[Any]) -> Iterator[unittest.TestCase]:
    """The tests of suites in suites. A suite that has run has none: it lets go of them."""
    for test in suite:
        if isinstance(test, unittest.TestCase):
            yield test
        else:
            yield from flat(test)


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


def run(suite: unittest.TestSuite, stream: TextIO | None = None, tell: Callable[..., None] = print) -> int:
    """The exit status: 0 when a test passed, and none failed. Where all were skipped, nothing was tested."""
    if names := os.environ.get("WEBVIEWGUARD_ONLY", "").split():
        suite = unittest.TestSuite(test for test in flat(suite) if test.id() in names)
        if not suite.countTestCases():
            tell("0 passed, 0 failed", flush=True)
            return 0
    # Their names only: the runner lets go of each test that it ran.
    tests = [test.id() for test in flat(suite)]
    result = unittest.TextTestRunner(stream=stream or sys.stderr, resultclass=_Result).run(suite)
    assert isinstance(result, _Result)
    if not stream:
        result.tell_slowest()
    for test, reason in result.skipped:
        tell(f"skipped: {_name(test)}: {reason}")
    fates = result.fates(tests)
    count = Counter(fates.values())
    if not stream:
        _write(fates)
    skipped = f", {count['skipped']} skipped" if count["skipped"] else ""
    tell(f"{count['passed']} passed, {count['failed']} failed{skipped}", flush=True)
    return 0 if count["passed"] and not count["failed"] and result.wasSuccessful() else 1


def _write(fates: dict[str, str]) -> None:
    if place := os.environ.get("WEBVIEWGUARD_RESULTS"):
        with open(place, "a") as results:
            results.writelines(f"{fate} {name}\n" for name, fate in fates.items())


# MARK: Self-test


class _Ends(unittest.TestCase):
    """One test for each way to end."""

    def passes(self) -> None:
        pass

    def fails(self) -> None:
        self.fail("on purpose")

    def skips(self) -> None:
        self.skipTest("no such device")

    def skips_a_part(self) -> None:
        with self.subTest("first"):
            self.skipTest("no such device")
        with self.subTest("second"):
            pass

    def fails_a_part(self) -> None:
        with self.subTest("first"):
            self.skipTest("no such device")
        with self.subTest("second"):
            self.fail("on purpose")


class _Lacks(_Ends):
    @classmethod
    def setUpClass(cls) -> None:
        raise unittest.SkipTest("no such device")


class _Breaks(_Ends):
    @classmethod
    def setUpClass(cls) -> None:
        raise OSError("on purpose")


def self_test() -> int:
    """Whether each way to end has its verdict."""
    ways: list[tuple[list[unittest.TestCase], int, str]] = [
        ([_Ends("passes")], 0, "1 passed, 0 failed"),
        ([_Ends("passes"), _Ends("fails")], 1, "1 passed, 1 failed"),
        ([_Ends("passes"), _Ends("skips")], 0, "1 passed, 0 failed, 1 skipped"),
        ([_Ends("skips_a_part"), _Ends("passes")], 0, "1 passed, 0 failed, 1 skipped"),
        ([_Ends("fails_a_part"), _Ends("passes")], 1, "1 passed, 1 failed"),
        ([_Ends("skips"), _Lacks("passes")], 1, "0 passed, 0 failed, 2 skipped"),
        ([_Lacks("passes"), _Lacks("fails"), _Ends("passes")], 0, "1 passed, 0 failed, 2 skipped"),
        ([_Breaks("passes"), _Breaks("fails"), _Ends("passes")], 1, "1 passed, 2 failed"),
        ([], 1, "0 passed, 0 failed"),
    ]  # fmt: skip
    wrong = 0
    for tests, status, last in ways:
        said: list[str] = []
        found = run(unittest.TestSuite([unittest.TestSuite(tests)]), io.StringIO(), lambda text, **_: said.append(text))
        if (found, said[-1]) != (status, last):
            print(f"expected {status} and `{last}`, found {found} and `{said[-1]}`")
            wrong += 1
    print(f"{len(ways) - wrong} passed, {wrong} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(self_test() if sys.argv[1:] == ["--self-test"] else "tally.py --self-test")
