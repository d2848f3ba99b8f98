"""A little world for browsers with accounts: a site that gives files, and a daemon that allows all and asks for wipes."""

import json
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from configuration import Configuration
from fake import ATTACHED, CONTRACT, FakeDaemon, Peer, bytes_of

ACCOUNTS = "org.webviewguard.Accounts."
PATIENT = CONTRACT | {"answerMs": 20_000}
DEMO_POLICY = Path(__file__).resolve().parents[3] / "examples/accounts/policy"
SETTINGS = "contract: { startMs: 10000, answerMs: 5000 }\n"
FILE = b"the plan for next year"
PAGE = b"<!doctype html><meta charset=utf-8><title>home</title><a id=get href='/plan.bin' download='plan.bin'>plan</a>"


class DemoPolicy(Configuration):
    """The policy of the demo, with patience for a busy machine, and with home pages on this machine."""

    def __init__(self, home: str) -> None:
        super().__init__()
        self.home = home

    def write(self, directory: Path) -> None:
        shutil.copytree(DEMO_POLICY, directory, dirs_exist_ok=True)
        (directory / "webviewguard.yaml").write_text(SETTINGS)
        file = directory / "policy.d/two-accounts.yaml"
        text = file.read_text()
        for address in ("http://portal.contoso.com/plans", "http://shop.fabrikam.example/offers"):
            assert address in text
            text = text.replace(address, self.home)
        file.write_text(text)


class Site:
    """Serves a page with a link, and the file behind it, on loopback."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        is_file = self.path in ("/plan.bin", "/plan.txt")
        body = FILE if is_file else PAGE
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream" if is_file else "text/html")
        if is_file:
            self.send_header("Content-Disposition", f"attachment; filename={self.path[1:]}")
        else:
            # Kept where the profile is, so that a wipe has something to remove.
            self.send_header("Set-Cookie", "kept=1; Max-Age=86400")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nobody reads along."""


class AccountDaemon:
    """Allows everything, and says what a test wants said. `replies` are those to calls of accounts, by their name."""

    def __init__(self, directory: Path) -> None:
        over = {"account": "a", "state": "wiped", "result": "wipeReceived"}
        self.replies: dict[str, dict[str, Any]] = {"Complete": over, "Deregister": over}
        self._listeners: list[tuple[Peer, list[str]]] = []
        self.fake = FakeDaemon(directory, self._serve, contract=PATIENT)
        self.fake.write_contract(json.dumps(PATIENT))

    @property
    def path(self) -> Path:
        return self.fake.path

    @property
    def is_heard(self) -> bool:
        """Whether the browser listens to news of accounts."""
        return any("account" in topics for _, topics in self._listeners)

    def tell(self, topic: str, **members: Any) -> None:
        """Says a piece of news to those who subscribed to that."""
        for peer, topics in self._listeners:
            if topic in topics:
                peer.reply({"topic": topic, "generation": 1, "digest": "d", **members}, continues=True)

    def said(self, method: str) -> list[dict[str, Any]]:
        """The parameters of the calls of accounts with that name."""
        return [call["parameters"] for call in self.fake.heard if call["method"] == ACCOUNTS + method]

    def configure(self, account: str, **values: Any) -> None:
        """What the configuration of one account is from now on; the browser is told."""
        kinds = {bool: "flag", str: "text"}
        layers = [
            {"key": key, "entry": "e", "default": False, kinds.get(type(value), "number"): value}
            for key, value in values.items()
        ]
        config = {"account": account, "state": "enrolled", "values": layers, "conflicts": []}
        self.replies["Config"] = {"accounts": [config]}
        self.tell("config", account=account)

    def answers(self) -> list[dict[str, Any]]:
        """What was answered to requests for a switch."""
        return [call["parameters"] for call in self.fake.heard if call["method"] == "Answer"]

    def close(self) -> None:
        self.fake.close()

    def _serve(self, peer: Peer) -> None:
        while True:
            call = peer.call()
            name = call["method"].removeprefix(ACCOUNTS)
            if call["method"] == "Attach":
                peer.reply(ATTACHED | {"contract": PATIENT})
            elif call["method"] == "Subscribe":
                peer.send(bytes_of({"parameters": {"topic": "policy", "generation": 1, "digest": "d"}, "continues": True}))
                self._listeners.append((peer, call["parameters"]["topics"]))
            elif name != call["method"]:
                peer.reply(self.replies.get(name, {}))
            else:
                peer.answer(call)
