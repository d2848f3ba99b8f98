#!/usr/bin/env python3
"""What the pack for CEF adds to loading a page, in two browsers: cost.py [COUNT] [FILE]."""

import os
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "Oracle")]

from rig import clipboard, cost  # noqa: E402, I001
import engine as cef  # noqa: E402
from driver import CefDriver  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.driver import WORK_VIEWER  # noqa: E402

UNGUARDED = "BROWSER_UNGUARDED"


def load(driver: CefDriver) -> cost.Load:
    return cost.scripted(
        lambda url: driver.begin(WORK_VIEWER, url), lambda source: driver.value(WORK_VIEWER, source)
    )


@contextmanager
def engine(daemon: Daemon) -> Iterator[cost.Engine]:
    with closing(CefDriver(daemon.guard_socket, "alloy")) as guarded:
        os.environ[UNGUARDED] = "1"
        with closing(CefDriver(daemon.guard_socket, "alloy")) as plain:
            yield guarded.engine, {"unguarded": load(plain), "guarded": load(guarded)}


if __name__ == "__main__":
    cef.build()
    with clipboard.display():
        cost.main(engine)
