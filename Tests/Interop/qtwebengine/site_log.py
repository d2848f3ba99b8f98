"""A web site on loopback whose access log is the judge: what is not in it never left the browser."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Both names lead to this machine, so that only the guard keeps the browser from the external one.
INTERNAL_HOST = "127.0.0.1"
EXTERNAL_HOST = "localhost"
# Chromium takes every name below `localhost` for this machine.
BLOCKED_HOST = "blocked.localhost"

INDEX = """
<script>
  const painted = () => document.documentElement.dataset.painted = "yes";
  requestAnimationFrame(() => requestAnimationFrame(painted));
</script>
<a id=internal href=/internal>internal</a>
<a id=external href=//{external}/external>external</a>
<a id=blocked href=//{blocked}/blocked>blocked</a>
<a id=chain href=/chain/1>302 to 302 to external</a>
<a id=blank-internal target=_blank href=/blank-internal>internal, new window</a>
<a id=blank-external target=_blank href=//{external}/blank-external>external, new window</a>
<p><textarea id=text rows=3 cols=40>for contoso only</textarea>
"""


class Site:
    """Serves pages that have their path as title; `/chain/N` redirects, and at last to the external host."""

    def __init__(self) -> None:
        self._log: list[tuple[str, str]] = []
        self._server = ThreadingHTTPServer((INTERNAL_HOST, 0), self._handler())
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def url(self, path: str, host: str = INTERNAL_HOST) -> str:
        return f"http://{host}:{self.port}{path}"

    def was_asked(self, path: str) -> bool:
        """Whether any request for the path came, under whatever host name."""
        return any(path == asked for _, asked in self._log)

    def asked_hosts(self) -> set[str]:
        return {host for host, _ in self._log}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                host = (self.headers["Host"] or "").rpartition(":")[0]
                site._log.append((host, self.path))
                target = site._redirection(self.path)
                body = b"" if target else site._page(self.path).encode()
                self.send_response(302 if target else 200)
                if target:
                    self.send_header("Location", target)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """The log is kept in memory."""

        return Handler

    def _redirection(self, path: str) -> str | None:
        return {"/chain/1": "/chain/2", "/chain/2": self.url("/chain/end", EXTERNAL_HOST)}.get(path)

    def _page(self, path: str) -> str:
        names = {"external": f"{EXTERNAL_HOST}:{self.port}", "blocked": f"{BLOCKED_HOST}:{self.port}"}
        index = INDEX
        for name, host in names.items():
            index = index.replace("{" + name + "}", host)
        # Without an icon of its own the page would have the browser ask for one.
        return f"<!doctype html><title>{path}</title><link rel=icon href='data:,'>{index}"
