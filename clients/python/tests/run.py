#!/usr/bin/env python3
"""Runs the tests of the Python client.

  run.py [NAME...]     NAME is a class or a method, such as Failures or Loops.test_an_idle_loop_sleeps
"""

import shutil
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE), str(HERE.parent / "src"), str(ROOT / "Tests/Support/python")]

import tally  # noqa: E402
import test_account_life  # noqa: E402
import test_accounts  # noqa: E402
import test_asyncio  # noqa: E402
import test_config  # noqa: E402
import test_data_keys  # noqa: E402
import test_failures  # noqa: E402
import test_file_copies  # noqa: E402
import test_file_systems  # noqa: E402
import test_garbage  # noqa: E402
import test_joined  # noqa: E402
import test_listening  # noqa: E402
import test_loops  # noqa: E402
import test_notices  # noqa: E402
import test_oldest  # noqa: E402
import test_package  # noqa: E402
import test_processes  # noqa: E402
import test_real  # noqa: E402
import test_real_files  # noqa: E402
import test_real_sealing  # noqa: E402
import test_real_stored_files  # noqa: E402
import test_rules  # noqa: E402
import test_said  # noqa: E402
import test_scopes  # noqa: E402
import test_sealed_files  # noqa: E402
import test_sealing  # noqa: E402
import test_sign_in  # noqa: E402
import test_texts  # noqa: E402
import test_vectors  # noqa: E402
import test_versions  # noqa: E402
import test_volumes  # noqa: E402
import test_words  # noqa: E402

MODULES = (
    test_words, test_vectors, test_said, test_garbage, test_failures, test_loops, test_asyncio, test_listening,
    test_scopes, test_joined, test_accounts, test_account_life, test_config, test_real, test_versions, test_texts,
    test_rules, test_sealing, test_sign_in, test_sealed_files, test_data_keys, test_real_sealing, test_real_files,
    test_real_stored_files, test_volumes, test_file_copies, test_file_systems, test_notices, test_oldest,
    test_package, test_processes,
)  # fmt: skip


def suite(wanted: list[str]) -> unittest.TestSuite:
    loader = unittest.TestLoader()
    cases: dict[str, type[unittest.TestCase]] = {}
    for module in MODULES:
        for name, case in vars(module).items():
            if isinstance(case, type) and issubclass(case, unittest.TestCase) and case.__module__ == module.__name__:
                # The second would take the place of the first, whose tests nobody would miss.
                assert name not in cases, f"two classes of tests have the name {name}"
                cases[name] = case
    if shutil.which("mypy") is None:
        print("mypy is not installed: types were not checked", flush=True)
        del cases["Types"]
    chosen = unittest.TestSuite()
    for name in wanted or cases:
        case, _, method = name.partition(".")
        chosen.addTest(cases[case](method) if method else loader.loadTestsFromTestCase(cases[case]))
    return chosen


if __name__ == "__main__":
    sys.exit(tally.run(suite(sys.argv[1:])))
