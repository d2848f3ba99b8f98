#!/usr/bin/env python3
"""Runs the attacks of docs/security.md against the real daemon, with real processes of several users. Needs root.

run.py [NAME...]     NAME is a module, a class or a method, such as test_who, WhoMayAsk or
                     WhoMayAsk.test_a_user_is_an_app_by_its_number
"""

import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "Support/python"))
sys.path.insert(0, str(HERE))

import tally

MODULES = sorted(file.stem for file in HERE.glob("test_*.py"))


def suite(wanted: list[str]) -> unittest.TestSuite:
    loader = unittest.TestLoader()
    whole = [loader.loadTestsFromName(module) for module in MODULES]
    if not wanted:
        return unittest.TestSuite(whole)
    chosen = unittest.TestSuite()
    unknown = set(wanted)
    for test in tally.flat(whole):
        module, case, method = test.id().rsplit(".", 2)
        if named := {module, case, f"{case}.{method}"} & set(wanted):
            chosen.addTest(test)
            unknown -= named
    if unknown:
        raise SystemExit(f"no test has the name {', '.join(sorted(unknown))}")
    return chosen


def main() -> int:
    return tally.run(suite(sys.argv[1:]))


if __name__ == "__main__":
    sys.exit(main())
