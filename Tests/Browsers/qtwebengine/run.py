#!/usr/bin/python3
"""A real engine under the guard: the example browser goes every way out of a site, and the site's log is the judge.

run.py [NAME...]            NAME is a class or a method, such as TestSigningIn or TestOneClick.test_...

No network but loopback is used. Needs the Debian package python3-pyqt6.qtwebengine.
"""

import os
import sys
import unittest

# First, since it says where the other modules are and that nothing is to be shown.
from engine import application  # isort: skip

import tally
import test_ways

MODULES = (test_ways,)


def suite(wanted: list[str]) -> unittest.TestSuite:
    loader = unittest.TestLoader()
    if wanted:
        return unittest.TestSuite(loader.loadTestsFromName(name, module) for name in wanted for module in MODULES if hasattr(module, name.partition(".")[0]))
    return unittest.TestSuite(map(loader.loadTestsFromModule, MODULES))


def main() -> int:
    kept = application()
    status = tally.run(suite(sys.argv[1:]))
    del kept
    return status


if __name__ == "__main__":
    result = main()
    sys.stdout.flush()
    # The engine's own end may crash after its pages are gone; the result is known by now.
    os._exit(result)
