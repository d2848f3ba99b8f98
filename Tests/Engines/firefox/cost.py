#!/usr/bin/env python3
"""What the extension adds to a navigation in Firefox: cost.py [COUNT] [FILE]."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rig  # noqa: E402, F401
from browser import Firefox  # noqa: E402
from costs import Browser, main  # noqa: E402
from driver import FirefoxDriver  # noqa: E402
from marionette import Marionette, MarionetteError  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.driver import WORK_VIEWER  # noqa: E402


def browser_of(marionette: Marionette) -> Browser:
    def value(source: str) -> Any:
        try:
            return marionette.script(f"return ({source})")
        except MarionetteError:
            return None

    return lambda url: marionette.call("WebDriver:Navigate", url=url), value


def engine(daemon: Daemon, report: Callable[[str, dict[str, Browser]], None]) -> None:
    driver = FirefoxDriver(daemon)
    plain = Firefox({}, {})
    try:
        guarded = driver.viewer(WORK_VIEWER).marionette
        report(driver.engine, {"unguarded": browser_of(plain.marionette), "guarded": browser_of(guarded)})
    finally:
        plain.close()
        driver.close()


if __name__ == "__main__":
    main(engine)
