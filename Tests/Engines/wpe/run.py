#!/usr/bin/python3
"""WPE under the guard of the library clients/c/webkitgtk: a little browser in C goes every way out of the rig's site.

run.py [--sanitize] [NAME...]     NAME is a class or a method, such as Ways or Pasting.test_managed_text_is_not_pasted_in_private

Builds the library and the browser, which draws into memory: it needs no display, and no network but loopback is used.
With `--sanitize` the library and the browser are built with the address and behaviour sanitizers, and end at the first fault.
Needs gcc and the Debian packages libwpewebkit-1.1-dev, libwpebackend-fdo-1.0-dev and libssl-dev.
"""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "rig/webkit"), str(HERE.parents[2] / "clients/python/src")]

import rig  # noqa: E402, F401, I001
import engine  # noqa: E402
import test_failures  # noqa: E402
import test_loops  # noqa: E402
import test_pasteboard  # noqa: E402
import test_sign_in  # noqa: E402
import test_uploads  # noqa: E402
import test_view  # noqa: E402
import test_ways  # noqa: E402
from rig import selection  # noqa: E402

MODULES = (test_ways, test_view, test_pasteboard, test_failures, test_loops, test_uploads, test_sign_in)

if __name__ == "__main__":
    if not engine.VERSION:
        print("skipped: the package `libwpewebkit-1.1-dev` is missing")
        sys.exit(0)
    if "--sanitize" in sys.argv:
        sys.argv.remove("--sanitize")
        os.environ["ASAN_OPTIONS"] = "detect_leaks=0:halt_on_error=1:abort_on_error=1"
        engine.build(f"-O1 -g -Werror {engine.SANITIZERS} -fno-sanitize-recover=all", engine.SANITIZERS)
    else:
        engine.build()
    sys.exit(selection.run(MODULES))
