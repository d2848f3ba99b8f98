"""The extension as a policy installs it: blocking listeners, and settings that the user cannot change."""

from typing import Any, ClassVar

from driver import ChromiumDriver
from packed import PackedInstallation, PackedViewer

from daemon import Daemon
from rig.case import BrowserCase, numbers
from rig.driver import WORK_VIEWER, Driver
from rig.hosts import Host
from rig.judge import Judge
from rig.ways import BY_ID, Trip

WAYS = ("link", "link-302", "link-chain", "link-blank", "form-post", "form-post-307", "frame", "frame-302", "fetch", "image-302", "websocket", "beacon")  # fmt: skip


class PackedDriver(ChromiumDriver):
    """The rig's driver, with the packed extension."""

    def __init__(self, daemon: Daemon) -> None:
        self.packed = PackedInstallation(daemon)
        self.installation, self.viewers = self.packed, {}
        try:
            self.engine = self.viewer(WORK_VIEWER).browser.version.replace("Chrome/", "Chromium ")
        except Exception:
            self.packed.remove()
            raise

    def viewer(self, name: str) -> PackedViewer:
        found = super().viewer(name)
        assert isinstance(found, PackedViewer)
        return found

    def make(self, account: str) -> PackedViewer:
        return self.packed.viewer(account)


class InstalledByPolicy(BrowserCase):
    """What explicit rules say holds before any request, hops included, by listener as by rule."""

    driver: ClassVar[PackedDriver]

    @classmethod
    def make_driver(cls) -> Driver:
        return PackedDriver(cls.daemon)

    def test_the_listener_may_block(self) -> None:
        state = self.driver.viewer(WORK_VIEWER).status()
        self.assertEqual(state and state["mode"], "rules")

    def test_nothing_reaches_a_forbidden_host(self) -> None:
        judge = Judge(self.site, self.records)
        for name in WAYS:
            for host in (Host.BLOCKED, Host.INTERNAL):
                with self.subTest(way=name, to=host.name.lower()):
                    trip = self.send(judge, BY_ID[name], host, arrives=host == Host.INTERNAL)
                    self.driver.settle(WORK_VIEWER)
                    self.assertEqual(judge.arrived(trip), host == Host.INTERNAL)
        self.assertNotIn(Host.BLOCKED.value, self.site.asked_hosts())

    def test_a_refused_page_says_why(self) -> None:
        self.go(Trip(BY_ID["link-302"], Host.BLOCKED, next(numbers)), WORK_VIEWER)
        viewer = self.driver.viewer(WORK_VIEWER)
        title = "This page does not open here: contoso / forbidden: blockedByRule"
        self.driver.wait(lambda: title in viewer.titles("blocked.html"), "the page says why")


def cases() -> list[Any]:
    return [InstalledByPolicy]
