#!/usr/bin/env python3
"""Runs the tests of the extension in a headless Firefox.

run.py [NAME...]     NAME is a class or a method, such as Ways or SignIn.test_the_chain_comes_back
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig import selection  # noqa: E402, I001
import test_accounts  # noqa: E402
import test_firefox  # noqa: E402
import test_holding  # noqa: E402

if __name__ == "__main__":
    sys.exit(selection.run((test_firefox, test_holding, test_accounts)))
