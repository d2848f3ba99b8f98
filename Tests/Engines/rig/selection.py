"""The tests that are named on the command line, or all of them."""

import sys
import unittest
from collections.abc import Iterable
from types import ModuleType

import tally


def run(modules: Iterable[ModuleType]) -> int:
    """The exit status. A name is a class or a method, such as Ways or SignIn.test_the_chain_comes_back."""
    cases = {case.__name__: case for module in modules for case in module.cases()}
    loader, suite = unittest.TestLoader(), unittest.TestSuite()
    for name in sys.argv[1:] or cases:
        case, _, method = name.partition(".")
        suite.addTest(cases[case](method) if method else loader.loadTestsFromTestCase(cases[case]))
    return tally.run(suite)
