"""What every test of this engine stands on: the rig's site and daemon, and the example browser."""

import os
import unittest
from pathlib import Path

from driver import WebKitDriver
from rig.case import BrowserCase
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER

__all__ = ["PRIVATE_VIEWER", "WORK_VIEWER", "WebKitCase"]

RULES = Path(__file__).resolve().parent / "rules.json"


class WebKitCase(BrowserCase, unittest.TestCase):
    """A browser with a work window and a private one."""

    driver: WebKitDriver

    @classmethod
    def export(cls) -> list[str]:
        """The command that prints the rules for what the engine asks nobody about."""
        return ["cat", os.fspath(RULES)]

    @classmethod
    def make_driver(cls) -> WebKitDriver:
        return WebKitDriver(cls.daemon.guard_socket, cls.export())

    def setUp(self) -> None:
        if not self.daemon.is_alive:
            self.daemon.start()
