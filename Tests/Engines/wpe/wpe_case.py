"""What every test of this engine stands on: the rig's site and daemon, and the little browser."""

from driver import WpeDriver
from webkit_case import WebKitCase


class WpeCase(WebKitCase):
    """A browser with a work view and a private one."""

    driver: WpeDriver

    @classmethod
    def make_driver(cls) -> WpeDriver:
        return WpeDriver(cls.daemon.guard_socket)

    def setUp(self) -> None:
        # A test that ended the daemon must not fail the tests behind it.
        if not self.daemon.is_alive:
            self.daemon.start()
        self.driver.wait(lambda: self.driver.call("connected"), "the browser has found the daemon")
        self.begin_test()
