#!/usr/bin/env python3
"""Runs the tests of what the daemon says of itself: status, health, metrics and doctor.

run.py [NAME...]     NAME is a class or a method, such as Counts or Counts.test_every_rule_is_counted
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_compliance
import test_coverage
import test_doctor
import test_doctor_encryption
import test_explain
import test_health
import test_metrics

MODULES = (
    test_health, test_metrics, test_compliance, test_doctor, test_doctor_encryption, test_coverage, test_explain,
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(tally.run(tally.chosen(MODULES, sys.argv[1:])))
