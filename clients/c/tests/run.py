#!/usr/bin/env python3
"""Builds the client in every way and runs its tests in each: plain, and under the address and behaviour sanitizers.

run.py [NAME...]     NAME is a class or a method, such as Failures or Failures.test_a_daemon_that_never_answers
"""

import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "Tests/Support/python"))

import tally  # noqa: E402
import test_config  # noqa: E402
import test_daemon  # noqa: E402
import test_failures  # noqa: E402
import test_files  # noqa: E402
import test_install  # noqa: E402
import test_interface  # noqa: E402
import test_json  # noqa: E402
import test_loop  # noqa: E402
import test_memory  # noqa: E402
import test_notice  # noqa: E402
import test_processes  # noqa: E402
import test_rules  # noqa: E402
import test_sealed  # noqa: E402
import test_sign_in  # noqa: E402
import test_stored  # noqa: E402
import test_trust  # noqa: E402
import test_vectors  # noqa: E402
from case import ClientCase  # noqa: E402
from program import WAYS, Driver, build  # noqa: E402

MODULES = (
    test_vectors, test_json, test_interface, test_trust, test_failures, test_loop, test_daemon, test_memory,
    test_install, test_config, test_rules, test_sealed, test_notice, test_files, test_stored, test_sign_in, test_processes,
)  # fmt: skip


def suite(directory: Path, wanted: list[str]) -> unittest.TestSuite:
    """Every class of tests, once for each way in which the program is built if it runs the program."""
    chosen = unittest.TestSuite()
    programs = {way: type(f"Driver_{way}", (Driver,), {"folder": build(directory, way)}) for way in WAYS}
    for module in MODULES:
        for case in list(vars(module).values()):
            if not (isinstance(case, type) and issubclass(case, unittest.TestCase)) or case is ClientCase:
                continue
            for way, driver in programs.items() if issubclass(case, ClientCase) else [("", Driver)]:
                members = {"driver_type": driver, "way": way, "__module__": case.__module__}
                chosen.addTests(tests(type(f"{case.__name__}_{way}", (case,), members) if way else case, wanted))
    return chosen


def tests(case: type[unittest.TestCase], wanted: list[str]) -> unittest.TestSuite:
    """The tests of a class that were asked for; all when none was named."""
    loader, name = unittest.TestLoader(), case.__name__.split("_")[0]
    methods = [
        method
        for method in loader.getTestCaseNames(case)
        if not wanted or name in wanted or f"{name}.{method}" in wanted
    ]
    return unittest.TestSuite(case(method) for method in methods)


def main() -> int:
    directory = Path(tempfile.mkdtemp(prefix="wvg-c-"))
    try:
        return tally.run(suite(directory, sys.argv[1:]))
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
