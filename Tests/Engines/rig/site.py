"""The one site that browsers are tested with. Its access log is the judge: what is not in it never left the browser.

As a program it serves until its input ends, and says its port first.
"""

import base64
import hashlib
import sys
import threading
import time
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

if __name__ == "__main__":
    sys.path.insert(0, __file__.rpartition("/rig/")[0])

from rig import pages, ways
from rig.hosts import Host

WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
# How long a reply of the median page takes: a round trip over the cable that the HTTP Archive measures desktops with.
ROUND_TRIP_SECONDS = 0.028


@dataclass(frozen=True)
class Visit:
    """One request that reached the site."""

    host: str
    method: str
    path: str
    body_length: int
    destination: str
    is_websocket: bool


@dataclass
class Reply:
    """What the site says."""

    body: bytes
    type: str = "text/html; charset=utf-8"
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    # So many bytes are announced and never come.
    missing: int = 0
    # It waits so long.
    seconds: float = 0


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """A browser that hangs up in the middle of a reply is none: what it asked for is in the log."""


class Site:
    """Serves every host of `Host` on one port of the loopback address, and remembers every request."""

    def __init__(self, port: int = 0) -> None:
        self._visits: list[Visit] = []
        self._server = _Server((Host.INTERNAL.value, port), _handler(self))
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str, host: Host = Host.INTERNAL) -> str:
        return host.url(self.port, path)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    # The log

    @property
    def visits(self) -> list[Visit]:
        return list(self._visits)

    def was_asked(self, path: str) -> bool:
        """Whether any request for the path came, under whatever host name."""
        return any(visit.path == path for visit in self.visits)

    def asked(self, path: str) -> list[Visit]:
        return [visit for visit in self.visits if visit.path == path]

    def asked_hosts(self) -> set[str]:
        return {visit.host for visit in self.visits}

    def came(self, visit: Visit) -> None:
        self._visits.append(visit)

    # What it serves

    def reply(self, path: str, query: str) -> Reply:
        """The reply to a path: one table, so that every host serves the same."""
        redirections = {
            "/302": (302, None), "/307": (307, None), "/chain": (302, "/302?"),
            "/sign-in": (302, self.url("/authorize", Host.LOGIN)), "/answer": (302, self.url("/signed-in")),
        }  # fmt: skip
        if path in redirections:
            return _redirection(*redirections[path], query)
        trip = pages.trip_of(path)
        if trip and path == trip.page:
            html, headers = pages.way(trip, self.port)
            return Reply(html.encode(), headers=tuple(headers.items()))
        if trip:
            return _goal(path, trip.way.serves)
        return self._page(path, query)

    def _page(self, path: str, query: str) -> Reply:
        if path == "/service-worker.js":
            return Reply(ways.SERVICE_WORKER.encode(), "text/javascript")
        if path.startswith("/broken/"):
            return replace(_goal(path, "application/octet-stream"), missing=1_000_000)
        if path.startswith("/file/"):
            return _goal(path, "application/octet-stream")
        bodies = {"/clipboard": pages.CLIPBOARD, "/authorize": pages.LOGIN, "/typing": pages.TYPING}
        title = f"{path}?{query}" if query else path
        if path == "/cost/median":
            return Reply(pages.median(title).encode(), seconds=ROUND_TRIP_SECONDS)
        if path.startswith("/weight/"):
            return _weight(path.rpartition(".")[2])
        if path.startswith("/cost/"):
            return Reply(pages.pictures(title, int(path.rpartition("/")[2])).encode())
        if path.startswith("/frames/"):
            return Reply(pages.frames(title, int(path.rpartition("/")[2])).encode())
        if path.startswith("/picture/"):
            return Reply(pages.PIXEL, "image/gif")
        if path == "/refresh":
            return Reply(pages.refresh(query).encode())
        if path in bodies:
            return Reply(pages.page(title, bodies[path]).encode())
        return Reply(pages.index(title, self.port).encode())


def _weight(kind: str) -> Reply:
    types = {"css": "text/css", "js": "text/javascript", "gif": "image/gif", "json": "application/json"}
    return Reply(pages.weight(kind), types[kind], seconds=ROUND_TRIP_SECONDS)


def _redirection(status: int, to: str | None, query: str) -> Reply:
    target = to + query if to == "/302?" else to or parse_qs(query)["to"][0]
    return Reply(b"", status=status, headers=(("Location", target),))


def _goal(path: str, kind: str) -> Reply:
    """What a way out finds at its end: something of the type that it wants."""
    if kind == "text/html":
        return Reply(pages.page(path).encode())
    if kind == "application/octet-stream":
        name = path.rpartition("/")[2]
        said = f"filename*=UTF-8''{name}" if "%" in name else f"filename={name}"
        return Reply(b"x" * 100, kind, headers=(("Content-Disposition", f"attachment; {said}"),))
    return Reply(pages.PIXEL if kind == "image/gif" else b"", kind)


def _handler(site: Site) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Else a body that follows its headers may wait for a browser that sees no hurry.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            parts = urlsplit(self.path)
            host = (self.headers["Host"] or "").rpartition(":")[0]
            is_websocket = (self.headers["Upgrade"] or "").lower() == "websocket"
            destination = self.headers["Sec-Fetch-Dest"] or ""
            site.came(Visit(host, self.command, parts.path, len(body), destination, is_websocket))
            if is_websocket:
                self._accept_websocket()
            else:
                self._send(site.reply(parts.path, parts.query))

        do_POST = do_GET
        do_OPTIONS = do_GET
        do_HEAD = do_GET

        def _send(self, reply: Reply) -> None:
            time.sleep(reply.seconds)
            self.send_response(reply.status)
            for name, value in reply.headers:
                self.send_header(name, value)
            self.send_header("Content-Type", reply.type)
            self.send_header("Content-Length", str(len(reply.body) + reply.missing))
            self.send_header("Cache-Control", "no-store")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body)
            self.close_connection = self.close_connection or reply.missing > 0

        def _accept_websocket(self) -> None:
            key = (self.headers["Sec-WebSocket-Key"] or "") + WEBSOCKET_GUID
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            self.send_header("Sec-WebSocket-Accept", base64.b64encode(hashlib.sha1(key.encode()).digest()).decode())
            self.end_headers()
            self.wfile.write(b"\x88\x00")
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            """The log is kept in memory."""

    return Handler


if __name__ == "__main__":
    print(Site().port, flush=True)
    sys.stdin.read()
