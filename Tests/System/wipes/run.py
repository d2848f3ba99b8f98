#!/usr/bin/env python3
"""Runs the tests of wipes and kills against the real daemon, as root.

run.py [--kills N] [--seed S] [NAME...]     NAME is a class or a method, such as Kills
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally
import test_key_kills
import test_kills

MODULES = (test_kills, test_key_kills)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=test_kills.kills, help="how often the daemon is killed")
    parser.add_argument("--seed", type=int, default=test_kills.seed, help="repeats the steps of a run")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    (test_kills.kills, test_kills.seed) = (options.kills, options.seed)
    return tally.run(tally.chosen(MODULES, options.names))


if __name__ == "__main__":
    sys.exit(main())
