#!/usr/bin/env python3
"""What the extension adds to a navigation in Chromium: cost.py [COUNT] [FILE]."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import rig  # noqa: E402, F401
from browser import Chromium, Tab  # noqa: E402
from costs import Browser, main  # noqa: E402
from devtools import DevToolsError  # noqa: E402
from driver import ChromiumDriver  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.driver import WORK_VIEWER  # noqa: E402


def browser_of(tab: Tab) -> Browser:
    def value(source: str) -> Any:
        try:
            return tab.value(source)
        except DevToolsError:
            return None

    return lambda url: tab.call("Page.navigate", url=url), value


def engine(daemon: Daemon, report: Callable[[str, dict[str, Browser]], None]) -> None:
    driver = ChromiumDriver(daemon)
    plain = Chromium({})
    try:
        tabs = {"unguarded": browser_of(plain.page()), "guarded": browser_of(driver.tab(WORK_VIEWER))}
        report(driver.engine, tabs)
    finally:
        plain.close()
        driver.close()


if __name__ == "__main__":
    main(engine)
