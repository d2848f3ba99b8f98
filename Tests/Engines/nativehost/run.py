#!/usr/bin/env python3
"""Runs the tests of the native-messaging host against the real daemon.

run.py [NAME...]     NAME is a class or a method, such as Framing or Framing.test_half_a_frame_is_waited_for
"""

import sys
import unittest

import test_host

import tally


def main() -> int:
    loader = unittest.TestLoader()
    names = sys.argv[1:]
    return tally.run(loader.loadTestsFromNames(names, test_host) if names else loader.loadTestsFromModule(test_host))


if __name__ == "__main__":
    sys.exit(main())
