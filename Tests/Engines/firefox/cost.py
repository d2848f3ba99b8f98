#!/usr/bin/env python3
"""What the extension adds to loading a page in Firefox: cost.py [COUNT] [FILE]."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig import cost  # noqa: E402, I001
from browser import Firefox  # noqa: E402
from driver import FirefoxDriver  # noqa: E402
from marionette import Marionette, MarionetteError  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.driver import WORK_VIEWER  # noqa: E402


def load(marionette: Marionette) -> cost.Load:
    def value(source: str) -> Any:
        try:
            return marionette.script(f"return ({source})")
        except MarionetteError:
            return None

    return cost.scripted(lambda url: marionette.call("WebDriver:Navigate", url=url), value)


@contextmanager
def engine(daemon: Daemon) -> Iterator[cost.Engine]:
    with closing(FirefoxDriver(daemon)) as driver, closing(Firefox({}, {})) as plain:
        guarded = driver.viewer(WORK_VIEWER).marionette
        yield driver.engine, {"unguarded": load(plain.marionette), "guarded": load(guarded)}


if __name__ == "__main__":
    cost.main(engine)
