"""How often the library asks, that a daemon that falls silent stops no program, and that nothing loads on a lie."""

from pathlib import Path
from typing import Any

import loops
import lying
from driver import WpeDriver


class Loops(loops.Loops):
    def make_driver(self, socket: Path) -> WpeDriver:
        driver = WpeDriver(socket, ["echo", "[]"])
        driver.wait(lambda: driver.call("connected"), "the browser has found the daemon")
        return driver


class Lying(lying.Lying):
    def make_driver(self, socket: Path) -> WpeDriver:
        return WpeDriver(socket, ["echo", "[]"])


def cases() -> list[Any]:
    return [Loops, Lying]
