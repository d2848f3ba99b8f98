#!/usr/bin/env python3
"""Runs the interoperability tests: the public varlink package, and raw sockets, against the real daemon.

run.py [NAME...]     NAME is a class or a method, such as Garbage or Garbage.test_a_long_name_does_not_come_back_whole
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_accounts
import test_coverage
import test_data_keys
import test_errors
import test_exceptions
import test_file_labels
import test_frames
import test_introspection
import test_lifetime
import test_log_failure
import test_methods
import test_monitor
import test_policies

MODULES = (
    test_introspection, test_methods, test_accounts, test_data_keys, test_file_labels, test_errors, test_exceptions, test_policies,
    test_frames, test_monitor, test_lifetime, test_log_failure,
)  # fmt: skip


if __name__ == "__main__":
    # Coverage is judged at the end, and only of the whole.
    wanted = sys.argv[1:]
    sys.exit(tally.run(tally.chosen(MODULES if wanted else (*MODULES, test_coverage), wanted)))
