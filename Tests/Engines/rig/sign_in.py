"""Sign-in in a real engine: the sign-in page gets the credential of its view's account, once, and nobody else does.

The daemon, the session's agent and the engine are real. A scripted broker on a bus and a site that answers for all
hosts over TLS stand for Entra. The site's log of headers is the judge.
"""

import json
import os
import shutil
import ssl
import subprocess
import tempfile
import threading
import unittest
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, quote, urlsplit

from bus import Bus
from configuration import WORK, Configuration
from daemon import PROGRAM, Daemon, eventually

from rig.policy import APP

LOGIN, EVIL = "login.microsoftonline.com", "evil.example"
NAME = "x-ms-RefreshTokenCredential"
START = f"https://{LOGIN}/authorize?sso_nonce="
CLASSES = ("documents", "free")

POLICY = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}]
    identityMode: multi
    classes:
      documents: {{ policy: currentIdentity, signIn: [{LOGIN}] }}
      free: {{ policy: unmanaged, signIn: [{LOGIN}] }}
"""

# An app waits for a credential as long as for an answer; a machine with other work takes its time.
SETTINGS = "contract: { startMs: 20000, answerMs: 20000 }\n"


class Site(ThreadingHTTPServer):
    """Answers for every host, and remembers who came with which credential."""

    daemon_threads = True

    def __init__(self, directory: Path) -> None:
        self.came: list[tuple[str, str, str | None]] = []
        super().__init__(("127.0.0.1", 0), Visitor)
        key, certificate = str(directory / "key"), str(directory / "certificate")
        command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        command += ["-keyout", key, "-out", certificate, "-days", "2", "-subj", f"/CN={LOGIN}"]
        subprocess.run(command, check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self.socket = context.wrap_socket(self.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_: object) -> None:
        """A browser that hangs up, or does not know the certificate."""

    def credentials(self, mark: str) -> list[tuple[str, str, str | None]]:
        """The requests whose path has this mark."""
        return [came for came in self.came if mark in came[1]]


class Visitor(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        self.server.came.append((self.headers["Host"] or "", self.path, self.headers[NAME]))
        parts = urlsplit(self.path)
        if to := parse_qs(parts.query).get("to"):
            self.send_response(302)
            self.send_header("Location", to[0])
            self.end_headers()
            return
        mark = parts.path.strip("/")
        inside = (
            f"<iframe src='{START}inner-{mark}'></iframe><iframe src='https://{EVIL}/frame-{mark}'></iframe>"
            f"<img src='https://{LOGIN}/image-{mark}'><script>fetch('{START}fetch-{mark}')</script>"
        )
        if mark == "form":
            inside = f"<form method='post' action='{START}posted'></form><script>document.forms[0].submit()</script>"
        elif mark == "replaces":
            inside = f"<script>location.replace('{START}replaced')</script>"
        elif not parts.path.startswith("/authorize"):
            inside = ""
        body = f"<!doctype html><title>x</title>{inside}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with suppress(OSError):
            self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_: object) -> None:
        """The log is `came`."""


class SigningInToEntra(unittest.TestCase):
    """What a view does at the sign-in page. The engine's own class starts a browser that knows the site's hosts by
    `host_rules`, has a view of each class for the account, and believes any certificate."""

    site: ClassVar[Site]
    daemon: ClassVar[Daemon]
    bus: ClassVar[Bus]
    broker: ClassVar[Any]

    @classmethod
    def begin_browser(cls) -> None:
        raise NotImplementedError

    def lead(self, url: str, viewer_class: str) -> None:
        """Has the view of this class go there."""
        raise NotImplementedError

    def wait(self, holds: Callable[[], Any], what: str) -> None:
        """Waits until it holds; a browser in the test's own process goes on meanwhile."""
        eventually(holds, what, 60)

    @classmethod
    def setUpClass(cls) -> None:
        cls.directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.site = Site(cls.directory)
        cls.addClassCleanup(cls.site.server_close)
        cls.addClassCleanup(cls.site.shutdown)
        cls.daemon = Daemon(Configuration(POLICY, settings=SETTINGS))
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.start()
        cls.bus = Bus()
        cls.addClassCleanup(cls.bus.remove)
        cls.broker = cls.bus.run("broker.py")
        cls.order("accounts", [{"username": WORK, "localAccountId": "6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11"}])
        cls.lies(json.dumps({"cookieName": NAME, "cookieContent": "made-for-$nonce"}))
        cls.begin_agent()
        cls.begin_browser()

    @classmethod
    def host_rules(cls) -> str:
        """The site's hosts, as Chromium's switch `--host-resolver-rules` has them."""
        return ",".join(f"MAP {host} 127.0.0.1:{cls.site.server_port}" for host in (LOGIN, EVIL))

    @classmethod
    def environment(cls) -> dict[str, str]:
        return os.environ | cls.bus.environment | {"XDG_RUNTIME_DIR": str(cls.runtime())}

    @classmethod
    def runtime(cls) -> Path:
        """Where the session's agent listens, and the browser looks for it."""
        return cls.directory

    @classmethod
    def begin_agent(cls) -> None:
        command = [PROGRAM, "session", "--every", "1h", "--socket-dir", cls.daemon.sockets]
        agent = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=cls.environment())
        cls.addClassCleanup(lambda: (agent.kill(), agent.wait()))
        eventually((cls.runtime() / "webviewguard-session.sock").exists, "the agent listens")

    @classmethod
    def order(cls, *words: Any) -> None:
        cls.broker.stdin.write(json.dumps(words) + "\n")

    @classmethod
    def lies(cls, answer: str) -> None:
        cls.order("cookie", ["text", answer])

    def go(self, url: str, mark: str, viewer_class: str = "documents") -> list[tuple[str, str, str | None]]:
        """Goes there, and waits for the request whose path has the mark."""
        self.lead(url, viewer_class)
        self.wait(lambda: self.site.credentials(mark), f"a request for `{mark}` comes")
        return self.site.credentials(mark)

    def is_alone(self, *expected: tuple[str, str]) -> None:
        """Only these requests had a credential: the path's mark, and the credential."""
        found = [(path, credential) for _, path, credential in self.site.came if credential]
        named = [(mark, value) for path, value in found for mark, _ in expected if mark in path]
        self.assertEqual((named, len(found)), (list(expected), len(expected)), found)

    def setUp(self) -> None:
        self.site.came.clear()

    def test_the_page_gets_it_and_nothing_in_the_page(self) -> None:
        self.assertEqual(self.go(f"{START}one", "nonce=one")[0][2], "made-for-one")
        for mark in ("image-", "inner-", "fetch-", "frame-"):
            self.wait(lambda mark=mark: self.site.credentials(mark), f"{mark} is asked for")
        self.is_alone(("nonce=one", "made-for-one"))
        # Another visit has another one.
        self.assertEqual(self.go(f"{START}two", "nonce=two")[0][2], "made-for-two")

    def test_a_redirect_takes_it_nowhere(self) -> None:
        self.go(f"{START}leaves&to={quote(f'https://{EVIL}/landed', safe='')}", "/landed")
        self.is_alone(("nonce=leaves", "made-for-leaves"))

    def test_a_page_that_is_led_to_the_sign_in_gets_it_there(self) -> None:
        self.go(f"https://{EVIL}/portal?to={quote(f'{START}hop', safe='')}", "/authorize?sso_nonce=hop")
        self.is_alone(("/authorize?sso_nonce=hop", "made-for-hop"))

    def test_a_page_that_leads_there_by_itself(self) -> None:
        self.go(f"https://{EVIL}/replaces", "nonce=replaced")
        self.is_alone(("nonce=replaced", "made-for-replaced"))

    def test_a_form_carries_none(self) -> None:
        """Where it is redirected with its body, the body could not go along without the credential."""
        self.go(f"https://{EVIL}/form", "nonce=posted")
        self.is_alone()

    def test_no_other_host_and_no_view_that_is_not_managed(self) -> None:
        self.go(f"https://{EVIL}/authorize?sso_nonce=evil", "nonce=evil")
        self.go(f"{START}free", "nonce=free", "free")
        self.is_alone()

    def test_a_broker_that_lies_and_the_page_loads_as_it_is(self) -> None:
        self.addCleanup(self.lies, json.dumps({"cookieName": NAME, "cookieContent": "made-for-$nonce"}))
        for number, lie in enumerate(({"cookieName": NAME, "cookieContent": "a\r\nX: y"}, {"cookieName": "Host"}, {})):
            self.lies(json.dumps(lie))
            self.go(f"{START}lie-{number}", f"nonce=lie-{number}")
        # The agent gives it up before the app does.
        self.order("cookie", ["hang"])
        self.go(f"{START}slow", "nonce=slow")
        self.is_alone()
