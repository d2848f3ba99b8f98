"""Sign-in in the engines of WebKit: see rig/sign_in.py. A tunnel leads all hosts to the site, since they map no names."""

import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_WR, create_connection, socket
from typing import ClassVar
from urllib.parse import quote

from rig import sign_in
from rig.sign_in import EVIL, START


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


class SigningIn(sign_in.SigningInToEntra):
    """What the library for WebKit does at the sign-in page, in all its versions."""

    problems: ClassVar[list[str]]

    @classmethod
    def begin_tunnel(cls) -> str:
        """The URL of a proxy, whose certificates nobody knows."""
        tunnel = Tunnel(cls.site.server_port)
        cls.addClassCleanup(tunnel.server_close)
        cls.addClassCleanup(tunnel.shutdown)
        return f"http://127.0.0.1:{tunnel.server_port}"

    def script(self, source: str) -> None:
        """Runs in the managed view."""
        raise NotImplementedError

    def reload(self) -> None:
        """Loads the managed view anew."""
        raise NotImplementedError

    def is_shown(self, mark: str) -> bool:
        """Whether the managed view shows a URL with this mark, and loads nothing."""
        raise NotImplementedError

    def until_shown(self, mark: str) -> None:
        self.wait(lambda: self.is_shown(mark), f"`{mark}` is shown")

    def reloaded(self, nonce: str, answer: str) -> None:
        """Goes to the sign-in page, and reloads it when the agent answers otherwise."""
        self.go(f"{START}{nonce}", f"nonce={nonce}")
        self.until_shown(f"nonce={nonce}")
        self.lies(answer)
        self.addCleanup(self.lies, '{"cookieName": "x-ms-RefreshTokenCredential", "cookieContent": "made-for-$nonce"}')
        self.reload()
        self.wait(lambda: len(self.site.credentials(f"authorize?sso_nonce={nonce}")) > 1, "it is reloaded")

    def test_a_reload_has_another_one(self) -> None:
        """The engine keeps the headers of a request for its reload."""
        self.reloaded("again", '{"cookieName": "x-ms-RefreshTokenCredential", "cookieContent": "made-later"}')
        self.assertEqual([came[2] for came in self.site.came if came[2]], ["made-for-again", "made-later"])

    def test_a_reload_without_an_agent_carries_none(self) -> None:
        self.reloaded("once", "{}")
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
