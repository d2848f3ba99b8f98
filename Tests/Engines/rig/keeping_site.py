"""A site whose page keeps something in every place that browsers offer, and tells the site what it found there."""

import socket
import struct
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, quote, urlsplit

FILE = b"the plan for next year"
# What the site suggests to call `named.bin`: letters that turn others, and that end a line.
HOSTILE_NAME = "cod\u202egpj\u2028\u200f\u2069\x85s.exe"
PLACES = ("cookie", "localStorage", "indexedDB", "caches", "files", "serviceWorker")

# It looks first, says what there is, and then keeps something everywhere. A title tells that it is done.
PAGE = """<!doctype html><meta charset=utf-8><title>busy</title>
<a id=get href="/plan.bin" download="plan.bin">plan</a> <a id=slow href="/slow.bin" download="slow.bin">slow</a>
<a id=broken href="/broken.bin" download="broken.bin">broken</a> <a id=named href="/named.bin">named</a>
<script type=module>
const open = () => new Promise((resolve, reject) => {
  const request = indexedDB.open("kept", 1);
  request.onupgradeneeded = () => { request.result.createObjectStore("kept"); resolve([request, false]); };
  request.onsuccess = () => resolve([request, true]);
  request.onerror = reject;
});
const trying = async (place, step) => { try { return (await step()) ? place : ""; } catch (error) { return ""; } };
const found = [
  await trying("cookie", () => document.cookie.includes("kept=1")),
  await trying("localStorage", () => localStorage.getItem("kept")),
  await trying("indexedDB", async () => (await open())[1]),
  await trying("caches", () => caches.has("kept")),
  await trying("files", async () => (await navigator.storage.getDirectory()).getFileHandle("kept")),
  await trying("serviceWorker", async () => (await navigator.serviceWorker.getRegistrations()).length > 0),
].filter(Boolean);
document.cookie = "kept=1; max-age=86400";
localStorage.setItem("kept", "secret");
await trying("", async () => (await caches.open("kept")).put("/kept", new Response("secret")));
await trying("", async () => (await navigator.storage.getDirectory()).getFileHandle("kept", { create: true }));
await trying("", async () => { await navigator.serviceWorker.register("/worker.js"); await navigator.serviceWorker.ready; });
await fetch("/found?" + new URLSearchParams({ found: found.join(" ") }));
document.title = "home";
// A page that stays open keeps its data anew, again and again.
setInterval(() => localStorage.setItem("kept", "again"), 5);
</script>"""


@dataclass(frozen=True)
class Seen:
    """One request, as the site's access log has it."""

    path: str
    query: str
    cookie: str


class KeepingSite:
    """On loopback, which browsers take for secure: service workers and files of sites are there."""

    def __init__(self) -> None:
        self.log: list[Seen] = []
        self.breaks = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str = "/") -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def asked(self, path: str) -> list[Seen]:
        return [seen for seen in list(self.log) if seen.path == path]

    def found(self) -> list[set[str]]:
        """The places where the page found something in the browser, visit by visit."""
        return [set(parse_qs(seen.query).get("found", [""])[0].split()) for seen in self.asked("/found")]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(site: KeepingSite) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            site.log.append(Seen(parts.path, parts.query, self.headers["Cookie"] or ""))
            binary = "application/octet-stream"
            kinds = {"/plan.bin": binary, "/named.bin": binary, "/worker.js": "text/javascript"}
            bodies = {"/plan.bin": FILE, "/named.bin": FILE, "/worker.js": b"self.onfetch = () => {};"}
            if parts.path == "/slow.bin":
                return self._drip()
            if parts.path == "/broken.bin":
                return self._break_off()
            body = bodies.get(parts.path, PAGE.encode())
            self.send_response(200)
            self.send_header("Content-Type", kinds.get(parts.path, "text/html"))
            self.send_header("Content-Length", str(len(body)))
            if parts.path == "/named.bin":
                self.send_header("Content-Disposition", f"attachment; filename*=UTF-8''{quote(HOSTILE_NAME)}")
            self.end_headers()
            self.wfile.write(body)

        def _drip(self) -> None:
            """A file that never ends: a site that wants to keep the browser busy."""
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            try:
                while True:
                    self.wfile.write(b"x")
                    self.wfile.flush()
                    time.sleep(0.05)
            except OSError:
                pass

        def _break_off(self) -> None:
            """A file of which most never comes: the connection ends when a test says so."""
            self.send_response(200)
            self.send_header("Content-Type", "application/octet-stream")
            self.send_header("Content-Length", "1000000")
            self.send_header("Accept-Ranges", "bytes")
            self.end_headers()
            self.wfile.write(FILE * 1000)
            self.wfile.flush()
            site.breaks.wait(60)
            # A connection that ends in order is, to Firefox, a file that is whole.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()

        def log_message(self, *_: object) -> None:
            """The log is kept in memory."""

    return Handler
