"""Runs the tests of speed from outside: `run.py [--program FILE] [PATTERN...]`."""

import argparse
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", help="the daemon to test; otherwise $WEBVIEWGUARD, then the release build")
    parser.add_argument("patterns", nargs="*", help="names of tests, or parts of them")
    options = parser.parse_args()
    if options.program:
        os.environ["WEBVIEWGUARD"] = options.program
    sys.path[:0] = [str(HERE), str(HERE.parents[1] / "Support/python")]
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{pattern}*" for pattern in options.patterns] or None
    from tally import run

    return run(loader.discover(str(HERE), pattern="test_*.py"))


if __name__ == "__main__":
    sys.exit(main())
