"""Sign-in in WebKitGTK: see rig/sign_in.py. A tunnel leads all hosts to the site, since the engine maps no names."""

import os
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import SHUT_WR, create_connection, socket
from typing import Any, ClassVar
from urllib.parse import quote

from gtk_driver import IS_GTK4, GtkDriver
from rig import sign_in
from rig.policy import APP, WORK
from rig.sign_in import EVIL, START
from toolkit import WebKit, WvgWebKit, make_view


class Tunnel(ThreadingHTTPServer):
    """A proxy that takes every host for the site."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        self.site = port
        super().__init__(("127.0.0.1", 0), Connection)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """An engine that hangs up."""


class Connection(BaseHTTPRequestHandler):
    server: Tunnel

    def do_CONNECT(self) -> None:
        with create_connection(("127.0.0.1", self.server.site)) as far:
            self.send_response(200)
            self.end_headers()
            back = threading.Thread(target=_pump, args=(far, self.connection), daemon=True)
            back.start()
            _pump(self.connection, far)
            back.join()

    def log_message(self, *_: object) -> None:
        """The log is the site's."""


def _pump(source: socket, target: socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(SHUT_WR)


class SigningInToEntra(sign_in.SigningInToEntra):
    views: ClassVar[dict[str, Any]]

    @classmethod
    def runtime(cls) -> Path:
        return Path(os.environ["XDG_RUNTIME_DIR"])

    @classmethod
    def begin_browser(cls) -> None:
        tunnel = Tunnel(cls.site.server_port)
        cls.addClassCleanup(tunnel.server_close)
        cls.addClassCleanup(tunnel.shutdown)
        guard = WvgWebKit.Guard.new(APP, str(cls.daemon.guard_socket))
        cls.addClassCleanup(guard.close)
        cls.problems: list[str] = []
        guard.connect("problem", lambda _, text: cls.problems.append(text))
        guard.connect("refused", lambda *_: True)
        cls.views = {}
        for name in ("documents", "free"):
            cls.views[name] = view = make_view(cls.directory / name)
            _trust(view, f"http://127.0.0.1:{tunnel.server_port}")
            if not guard.set_account(name, WORK) or not guard.add(view, name, name):
                raise RuntimeError(guard.get_error())

    def lead(self, url: str, viewer_class: str) -> None:
        self.views[viewer_class].load_uri(url)

    def wait(self, holds: Any, what: str) -> None:
        GtkDriver.wait(self, holds, what)  # type: ignore[arg-type]

    def script(self, source: str) -> None:
        self.views["documents"].evaluate_javascript(source, -1, None, None, None, None)

    def until_shown(self, mark: str) -> None:
        view = self.views["documents"]
        self.wait(lambda: mark in (view.get_uri() or "") and not view.is_loading(), f"`{mark}` is shown")

    def test_a_reload_has_another_one(self) -> None:
        """The engine keeps the headers of a request for its reload."""
        self.go(f"{START}again", "nonce=again")
        self.until_shown("nonce=again")
        self.lies('{"cookieName": "x-ms-RefreshTokenCredential", "cookieContent": "made-later"}')
        self.addCleanup(self.lies, '{"cookieName": "x-ms-RefreshTokenCredential", "cookieContent": "made-for-$nonce"}')
        self.views["documents"].reload()
        self.wait(lambda: len(self.site.credentials("authorize?sso_nonce=again")) > 1, "it is reloaded")
        self.assertEqual([came[2] for came in self.site.came if came[2]], ["made-for-again", "made-later"])

    def test_a_reload_without_an_agent_carries_none(self) -> None:
        self.go(f"{START}once", "nonce=once")
        self.until_shown("nonce=once")
        self.lies("{}")
        self.addCleanup(self.lies, '{"cookieName": "x-ms-RefreshTokenCredential", "cookieContent": "made-for-$nonce"}')
        self.views["documents"].reload()
        self.wait(lambda: len(self.site.credentials("authorize?sso_nonce=once")) > 1, "it is reloaded")
        self.is_alone(("nonce=once", "made-for-once"))

    def test_a_chain_through_the_sign_in_page_carries_it_no_further(self) -> None:
        """From one sign-in page to another each has its own, and what is behind has none."""
        behind = quote(f"https://{EVIL}/behind", safe="")
        second = quote(f"{START}second&to={behind}", safe="")
        self.go(f"{START}first&to={second}", "/behind")
        self.is_alone(("nonce=first", "made-for-first"), ("nonce=second", "made-for-second"))

    def test_going_back_and_a_click_of_the_page(self) -> None:
        self.go(f"https://{EVIL}/before", "/before")
        self.until_shown("/before")
        self.script(f"location.href = '{START}clicked'")
        self.wait(lambda: self.site.credentials("nonce=clicked"), "the sign-in page comes")
        self.until_shown("nonce=clicked")
        self.is_alone(("nonce=clicked", "made-for-clicked"))
        self.script(f"location.href = 'https://{EVIL}/after'")
        self.wait(lambda: self.site.credentials("/after"), "the next page comes")
        self.is_alone(("nonce=clicked", "made-for-clicked"))

    def test_no_problem_tells_a_credential(self) -> None:
        self.go(f"{START}secret", "nonce=secret")
        self.assertFalse([line for line in self.problems if "made-for" in line])


def _trust(view: Any, proxy: str) -> None:
    """Leads it through the tunnel, whose certificate nobody knows."""
    settings = WebKit.NetworkProxySettings.new(proxy, None)
    keeper = view.get_network_session() if IS_GTK4 else view.get_context().get_website_data_manager()
    (keeper.set_proxy_settings if IS_GTK4 else keeper.set_network_proxy_settings)(WebKit.NetworkProxyMode.CUSTOM, settings)
    keeper.set_tls_errors_policy(WebKit.TLSErrorsPolicy.IGNORE)

