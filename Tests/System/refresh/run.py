#!/usr/bin/env python3
"""Runs the tests of the check-in: systemd/webviewguard-refresh against a real daemon, as its unit runs it. Needs root.

run.py [NAME...]     NAME is a class or a method, such as Signatures or Signatures.test_two_keys
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_places
import test_refresh

MODULES = (test_refresh, test_places)


if __name__ == "__main__":
    sys.exit(tally.run(tally.chosen(MODULES, sys.argv[1:])))
