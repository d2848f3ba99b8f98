#!/usr/bin/env python3
"""Runs the tests of the decision log against the real daemon: kills, power cuts, rotation, faults of disks.

run.py [--kills N] [NAME...]     NAME is a class or a method, such as Kills or Faults.test_full_disk
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_cuts
import test_faults
import test_files
import test_kills
import test_places
import test_share
import test_verbs

MODULES = (test_places, test_files, test_verbs, test_share, test_faults, test_cuts, test_kills)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=test_kills.kills, help="how often the daemon is killed")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    test_kills.kills = options.kills
    test_cuts.cuts = max(3, options.kills // 10)
    return tally.run(tally.chosen(MODULES, options.names))


if __name__ == "__main__":
    sys.exit(main())
