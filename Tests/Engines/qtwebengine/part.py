"""The tests of one platform: see run.py. Nobody but that starts it.

part.py offscreen|xcb|wayland [NAME...]
"""

import gc
import os
import sys
import unittest

# First, since it says where the other modules are.
from engine import application  # isort: skip

import tally
import test_accounts
import test_careless
import test_clipboard
import test_failing
import test_loops
import test_navigation
import test_owned
import test_pack
import test_sign_in
import test_transfers
import test_unheard
import test_warning
import test_wayland
import test_ways
import test_webrtc
import test_wipe
import test_written
import test_x11

OFFSCREEN = (
    test_navigation, test_transfers, test_clipboard, test_warning, test_failing, test_webrtc, test_ways,
    test_accounts, test_wipe, test_owned, test_written, test_pack, test_sign_in, test_careless, test_loops,
    test_unheard,
)  # fmt: skip
MODULES = {"offscreen": OFFSCREEN, "xcb": (test_x11,), "wayland": (test_wayland,)}


def suite(platform: str, wanted: list[str]) -> unittest.TestSuite:
    cases = {
        case.__name__: case
        for module in MODULES[platform]
        for case in vars(module).values()
        if isinstance(case, type) and case.__module__ == module.__name__ and case.__name__.startswith("Test")
    }
    loader, chosen = unittest.TestLoader(), unittest.TestSuite()
    for name in wanted or cases:
        case, _, method = name.partition(".")
        if case in cases:
            chosen.addTest(cases[case](method) if method else loader.loadTestsFromTestCase(cases[case]))
    return chosen


def main() -> int:
    chosen = suite(sys.argv[1], sys.argv[2:])
    if sys.argv[2:] and not chosen.countTestCases():
        print("0 passed, 0 failed")
        return 0
    return tally.run(chosen)


if __name__ == "__main__":
    # Python's collector works in whatever thread is at work, also in those of the site, and deletes objects of Qt there:
    # PySide6 ends the process then.
    gc.disable()
    kept = application()
    result = main()
    sys.stdout.flush()
    # The engine's own end may crash after its pages are gone; the result is known by now.
    os._exit(result)
