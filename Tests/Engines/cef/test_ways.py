"""Every way out of a page, in both styles of CEF's windows."""

import select
import socket
from typing import Any, ClassVar

from cef_case import CefCase
from rig.driver import WORK_VIEWER
from rig.hosts import Host
from rig.judge import Judge
from rig.policy import BrowserConfiguration
from rig.suites import EveryWayOut, OneClick, SigningIn
from rig.ways import BY_ID


class Ways(CefCase, EveryWayOut):
    known_leaks: ClassVar[dict[str, str]] = {"websocket": "no hook of CEF shows WebSockets"}


class Clicks(CefCase, OneClick):
    pass


class Signing(CefCase, SigningIn):
    pass


class ChromeStyle(Ways):
    style = "chrome"

    def test_a_tab_of_the_user_is_guarded(self) -> None:
        """A client comes from get_default_client: without it nobody is asked."""
        forbidden = self.site.url("/to/link/blocked/1000000", Host.BLOCKED)
        self.devtools_tab(forbidden)
        self.driver.wait(lambda: self.records.about("/to/link/blocked/1000000"), "the tab's page is asked about")
        self.devtools_tab(self.site.url("/to/link/internal/1000001"))
        self.driver.wait(lambda: self.site.was_asked("/to/link/internal/1000001"), "an internal page opens in a tab")
        self.assertFalse(self.site.was_asked("/to/link/blocked/1000000"))
        self.driver.close_popups()

    def devtools_tab(self, url: str) -> None:
        self.driver.devtools.call("Target.createTarget", {"url": url})


class ChromeClicks(Clicks):
    style = "chrome"


class Closed(CefCase):
    """What no hook shows is closed where the engine has the policy's own hosts: the program asks the daemon for them."""

    # What the program itself is told wins over this.
    switches = ("--host-resolver-rules=MAP evil.example 127.0.0.1",)
    environment: ClassVar[dict[str, str]] = {"BROWSER_CLOSES_HOSTS": "yes"}

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        made = BrowserConfiguration(cls.managed_browser.program)
        uses = "for: [page, frame, resource]"
        own = f'  - {{ id: resources, internal: {{ host: ["{Host.INTERNAL}", {Host.LOGIN}] }}, {uses} }}\n'
        rest = f'  - {{ id: rest, external: {{ not: {{ host: ["{Host.INTERNAL}", {Host.LOGIN}] }} }}, {uses} }}\n'
        made.files["rules/contoso.yaml"] += own + rest
        return made

    def test_websockets_reach_known_hosts_only(self) -> None:
        judge = Judge(self.site, self.records)
        way = BY_ID["websocket"]
        self.assertTrue(judge.arrived(self.send(judge, way, Host.INTERNAL, WORK_VIEWER, arrives=True)))
        for host in (Host.TRACKER, Host.BLOCKED):
            self.assertFalse(judge.arrived(self.send(judge, way, host, WORK_VIEWER, arrives=False)))


    def test_webtransport_reaches_known_hosts_only(self) -> None:
        """What it begins with is a datagram, whatever listens."""
        with datagrams() as heard:
            connects = "new WebTransport(u).ready.then(() => 'connected', problem => problem.name)"
            for host in (Host.TRACKER, Host.BLOCKED, Host.INTERNAL):
                self.show("/")
                url = host.url(heard.getsockname()[1], "/", "https")
                script = f"(u => {{ {connects}; }})({url!r})" if host == Host.INTERNAL else f"(u => {connects})({url!r})"
                said = self.driver.script(WORK_VIEWER, script)
                self.assertEqual(said, None if host == Host.INTERNAL else "WebTransportError")
                if host == Host.INTERNAL:
                    self.assertTrue(heard.recv(2000), "a known host is reached")
                else:
                    self.assertEqual(select.select([heard], [], [], 0)[0], [], host)


def datagrams() -> socket.socket:
    """Hears what Chromium sends by QUIC to any name of this machine."""
    heard = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    heard.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    heard.bind(("::", 0))
    heard.settimeout(30)
    return heard


def cases() -> list[Any]:
    return [Ways, Clicks, Signing, ChromeStyle, ChromeClicks, Closed]
