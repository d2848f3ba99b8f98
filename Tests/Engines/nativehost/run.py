#!/usr/bin/env python3
"""Runs the tests of the native-messaging host against the real daemon.

run.py [NAME...]     NAME is a class or a method, such as Framing or Framing.test_half_a_frame_is_waited_for
"""

import sys
import unittest

import test_downloads
import test_host

import tally


def main() -> int:
    loader = unittest.TestLoader()
    names = sys.argv[1:]
    modules = (test_host, test_downloads)
    if names:
        found = [loader.loadTestsFromName(name, module) for name in names for module in modules if hasattr(module, name.split(".")[0])]
    else:
        found = [loader.loadTestsFromModule(module) for module in modules]
    return tally.run(unittest.TestSuite(found))


if __name__ == "__main__":
    sys.exit(main())
