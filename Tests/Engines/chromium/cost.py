#!/usr/bin/env python3
"""What the extension adds to loading a page in Chromium: cost.py [COUNT] [FILE]."""

import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig import cost  # noqa: E402, I001
from browser import Chromium, Tab  # noqa: E402
from devtools import DevToolsError  # noqa: E402
from driver import ChromiumDriver  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.driver import WORK_VIEWER  # noqa: E402


def load(tab: Tab) -> cost.Load:
    def value(source: str) -> Any:
        try:
            return tab.value(source)
        except DevToolsError:
            return None

    return cost.scripted(lambda url: tab.call("Page.navigate", url=url), value)


@contextmanager
def engine(daemon: Daemon) -> Iterator[cost.Engine]:
    with closing(ChromiumDriver(daemon)) as driver, closing(Chromium({})) as plain:
        yield driver.engine, {"unguarded": load(plain.page()), "guarded": load(driver.tab(WORK_VIEWER))}


if __name__ == "__main__":
    cost.main(engine)
