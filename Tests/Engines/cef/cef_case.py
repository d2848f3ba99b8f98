"""What every test of this engine stands on: the rig's site and daemon, and the little browser."""

from typing import ClassVar

from driver import CefDriver

from rig.case import BrowserCase
from rig.driver import Driver


class CefCase(BrowserCase):
    """Both windows of one program. CEF looks like Chromium, or like nothing: a style of its windows."""

    driver: CefDriver
    style: ClassVar[str] = "alloy"
    switches: ClassVar[tuple[str, ...]] = ()
    environment: ClassVar[dict[str, str]] = {}

    @classmethod
    def make_driver(cls) -> Driver:
        return CefDriver(cls.daemon.guard_socket, cls.style, *cls.switches, environment=cls.environment)

    def setUp(self) -> None:
        # A test that ended the daemon must not fail the tests behind it.
        if not self.daemon.is_alive:
            self.daemon.start()
        self._before = len(self.records.all)
