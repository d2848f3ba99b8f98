"""How often the library asks, and that a daemon that falls silent stops no program."""

from pathlib import Path
from typing import Any

import loops
from driver import WpeDriver


class Loops(loops.Loops):
    def make_driver(self, socket: Path) -> WpeDriver:
        driver = WpeDriver(socket)
        driver.wait(lambda: driver.call("connected"), "the browser has found the daemon")
        return driver


def cases() -> list[Any]:
    return [Loops]
