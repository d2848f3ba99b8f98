"""The packed extension as an administrator's policy installs it: a .crx and update.xml, from this machine."""

import base64
import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from browser import PROGRAM
from driver import Viewer

from daemon import Daemon
from installation import EXTENSION, Installation, build_module

TITLE = re.compile(r"webviewguard: (?P<answers>[^;]+); (?P<account>[^;]+); (?P<mode>\w+); (?P<count>\d+) rules; (?P<way>\d+) under way; turn \d+")
UPDATE = """<?xml version='1.0' encoding='UTF-8'?>
<gupdate xmlns='http://www.google.com/update2/response' protocol='2.0'><app appid='{id}'>
<updatecheck codebase='http://127.0.0.1:{port}/guard.crx' version='{version}'/></app></gupdate>
"""


class PackedInstallation(Installation):
    """Signed with a key of its own, as every administrator does, and served on loopback."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__(daemon)
        private = self.directory / "key.pem"
        _openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", str(private))
        public = _openssl("pkey", "-in", str(private), "-pubout", "-outform", "DER")
        self.key = base64.b64encode(public).decode()
        builder = build_module()
        self.id = builder.extension_id(self.key)
        builder.build(self.directory, str(self.host), self.key)
        self.package = self._pack(str(private))
        self.server = _serve(self.id, self.package, self._version())
        self.update_url = f"http://127.0.0.1:{self.server.server_port}/update.xml"

    def _pack(self, key: str) -> bytes:
        """Packed by Chromium itself."""
        command = [PROGRAM, "--headless=new", "--no-sandbox", f"--user-data-dir={self.directory}/packing"]
        command += [f"--pack-extension={self.extension}", f"--pack-extension-key={key}"]
        packed = self.extension.with_suffix(".crx")
        subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return packed.read_bytes()

    def _version(self) -> str:
        return str(json.loads((EXTENSION / "manifests/common.json").read_text())["version"])

    def viewer(self, account: str) -> "PackedViewer":
        """A browser that is told by policy to install it."""
        forced = {self.id: {"installation_mode": "force_installed", "update_url": self.update_url}}
        return PackedViewer(self, account, "--disable-extensions-http-throttling", ExtensionSettings=forced)

    def remove(self) -> None:
        self.server.shutdown()
        self.server.server_close()
        super().remove()


class PackedViewer(Viewer):
    """DevTools may not look into what a policy installed: how it stands is read from the titles of its pages."""

    def open_status(self) -> None:
        self.browser.devtools.call("Target.createTarget", {"url": f"chrome-extension://{self.id}/status.html"})

    def titles(self, page: str) -> list[str]:
        """The titles of the extension's pages of one kind."""
        prefix = f"chrome-extension://{self.id}/{page}"
        return [info["title"] for info in self.browser.targets() if info["url"].startswith(prefix)]

    def status(self) -> dict[str, Any] | None:
        for title in self.titles("status.html"):
            said = TITLE.fullmatch(title)
            if said:
                rules = {"count": int(said["count"]), "isFree": False, "problem": ""}
                standing = {"isConnected": said["answers"].startswith("answers")}
                return {"standing": standing, "rules": rules, "mode": said["mode"], "underWay": int(said["way"]),
                        "settings": {"account": said["account"]}}
        return None

    def shows_error(self) -> bool:
        return False

    def renew(self) -> None:
        """A tab that shows a page of the extension is lost to DevTools, so every page gets a tab of its own."""
        old, self.tab = self.tab, self.browser.page()
        self.browser.devtools.call("Target.closeTarget", {"targetId": old.target})


def _openssl(*arguments: str) -> bytes:
    return subprocess.run(["openssl", *arguments], capture_output=True, check=True, timeout=60).stdout


def _serve(id: str, package: bytes, version: str) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_package = self.path.startswith("/guard.crx")
            update = UPDATE.format(id=id, port=self.server.server_port, version=version)  # type: ignore[attr-defined]
            body = package if is_package else update.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/x-chrome-extension" if is_package else "text/xml")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
