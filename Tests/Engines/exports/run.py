#!/usr/bin/env python3
"""Holds the exports against the engines that they are made for: what each stops must be what the rules name.

run.py [ENGINE...]     ENGINE is chromium, webkit, firefox, hosts (names that Chromium resolves) or storage (what extensions of
                       Chromium and Firefox are given); all of them when none is named

The program under test is `$WEBVIEWGUARD`, or that of the release build.
"""

import sys
import unittest
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

import tally

MODULES = {
    "chromium": "chromium_engines", "webkit": "webkit_engine", "firefox": "firefox_engine", "storage": "managed_storage",
    "hosts": "host_rules_engine",
}  # fmt: skip


def main(wanted: list[str]) -> int:
    """Runs the tests of the named engines."""
    unknown = [name for name in wanted if name not in MODULES]
    if unknown:
        print(f"the engines are {', '.join(MODULES)}", file=sys.stderr)
        return 64
    loader = unittest.TestLoader()
    suites = [loader.loadTestsFromModule(import_module(MODULES[name])) for name in wanted or MODULES]
    return tally.run(unittest.TestSuite(suites))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
