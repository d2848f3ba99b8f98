#!/usr/bin/env python3
"""Runs the tests of the extension in a headless Chromium.

run.py [NAME...]     NAME is a class or a method, such as Ways or SignIn.test_the_chain_comes_back
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig import selection  # noqa: E402, I001
import test_accounts  # noqa: E402
import test_clipboard  # noqa: E402
import test_hostile  # noqa: E402
import test_installed  # noqa: E402
import test_matching  # noqa: E402
import test_outages  # noqa: E402
import test_user_hosts  # noqa: E402
import test_ways  # noqa: E402

MODULES = (
    test_ways, test_clipboard, test_matching, test_outages, test_installed, test_user_hosts, test_accounts, test_hostile,
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(selection.run(MODULES))
