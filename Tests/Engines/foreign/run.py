#!/usr/bin/python3
"""Programs that nobody of this project wrote, under the guard: each goes every way out of `webviewguard selftest`.

run.py [NAME...]     NAME is such as Refusals or Programs.test_surf

The guards are those of examples/foreign. A program that cannot be had here is skipped, with the reason. Needs what
`scripts/install-dependencies --for-foreign` installs; pywebview and CEF come from PyPI.
"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parents[2] / "clients/python/src")]

import rig  # noqa: E402, F401
import test_notices  # noqa: E402
import test_programs  # noqa: E402
import test_pywebview  # noqa: E402
import test_pywebview_outages  # noqa: E402
import test_qt5  # noqa: E402
from rig import clipboard, selection  # noqa: E402

MODULES = (test_pywebview, test_pywebview_outages, test_notices, test_qt5, test_programs)

if __name__ == "__main__":
    with clipboard.display():
        sys.exit(selection.run(MODULES))
