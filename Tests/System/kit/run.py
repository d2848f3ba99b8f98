#!/usr/bin/env python3
"""Runs the tests of what authors of apps try their programs with: `selftest` and `mock`.

run.py [NAME...]     NAME is a class or a method, such as Mock or Mock.test_the_order_counts
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_conversations
import test_descendants
import test_go_client
import test_mock
import test_selftest

MODULES = (test_mock, test_selftest, test_go_client, test_conversations, test_descendants)


if __name__ == "__main__":
    sys.exit(tally.run(tally.chosen(MODULES, sys.argv[1:])))
