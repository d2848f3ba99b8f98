"""A little web for the five viewers: their hosts, served on loopback under the names that they have in the story."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PAGES = {
    ("weather.example", "/"): ("Weather", "#0369a1", """
        <p class=big>7&deg;</p><p>Fog in the morning, dry later. Wind from the west.</p>
        <p><input id=field placeholder='Search a place' size=28></p>
        <p><a id=link href='http://news.example/weather'>The week ahead</a></p>"""),
    ("news.example", "/"): ("Morning News", "#b45309", """
        <h2>Bridge reopens after nine months</h2><p>Trams cross the river again from Monday.</p>
        <p><a id=link href='http://news.example/bridge'>Read on</a></p>"""),
    ("news.example", "/bridge"): ("Morning News", "#b45309", """
        <h2>Bridge reopens</h2><p>The first tram crosses at 5:12. The cycle path follows in spring.</p>"""),
    ("maps.example", "/"): ("City Map", "#15803d", """
        <div style='height: 7.5em; border-radius: 8px;
          background: repeating-linear-gradient(45deg, #dcfce7 0 14px, #bbf7d0 14px 28px)'></div>
        <p>Contoso, Harbour Street 1</p>"""),
    ("intranet.contoso.com", "/"): ("Contoso Intranet", "#1d4ed8", """
        <h2>Canteen</h2><p id=text>Monday: lentil soup. Tuesday: closed for the inventory of the cold store.</p>
        <p><textarea id=field rows=2 cols=34>Budget 2027: 4.2 million</textarea></p>"""),
    ("portal.contoso.com", "/"): ("Contoso Portal", "#1d4ed8", """
        <h2>Good morning</h2><p>Three things wait for you today.</p><ul>
        <li><a href='http://docs.contoso.com/d/7'>Plan 2027</a> was changed by two colleagues
        <li>The <a id=link href='http://fabrikam.example/offer'>offer of Fabrikam</a> is in
        <li>Somebody shared a file at <a id=other href='http://filedrop.example/f/31c'>filedrop.example</a></ul>"""),
    ("docs.contoso.com", "/d/7"): ("Plan 2027", "#6d28d9", """
        <h2>Plan 2027</h2><p>Draft. Two sites move to the harbour. See the
        <a id=link href='http://fabrikam.example/offer'>offer of Fabrikam</a> and the
        <a id=other href='http://docs.contoso.com/d/8'>budget</a>.</p>"""),
    ("portal.contoso.com", "/plans"): ("Contoso Plans", "#1d4ed8", """
        <h2>Plans for next year</h2><p>Two sites move to the harbour.</p>
        <p><a id=get href='/plans.txt' download='plans.txt'>Take the plans with you</a></p>"""),
    ("shop.fabrikam.example", "/offers"): ("Fabrikam Offers", "#15803d", """
        <h2>Offers to customers</h2><p>Twelve are open, one is new.</p>
        <p><a id=get href='/offers.txt' download='offers.txt'>Take the offers with you</a></p>"""),
}  # fmt: skip

FILES = {
    ("portal.contoso.com", "/plans.txt"): b"Plans of Contoso\n\n1. The harbour: move in April.\n2. The old site: sell it.\n",
    ("shop.fabrikam.example", "/offers.txt"): b"Offers of Fabrikam\n\n1. Northwind: 40 chairs.\n2. Adatum: 12 desks.\n",
}
LOOK = """<!doctype html><meta charset=utf-8><title>{title}</title><link rel=icon href='data:,'><style>
  body {{ font: 14px/1.45 system-ui, 'DejaVu Sans', sans-serif; margin: 0; color: #1f2937 }}
  header {{ background: {colour}; color: white; padding: .5em 1em; font-weight: bold }}
  main {{ padding: .6em 1em }} h2 {{ font-size: 1.15em; margin: .3em 0 }} p {{ margin: .5em 0 }}
  .big {{ font-size: 2.4em; margin: 0 }} a {{ color: {colour} }}
</style><header>{title}</header><main>{body}</main>
"""


class Web:
    """Serves every host of the story on one port."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def flags(self) -> list[str]:
        """What tells Chromium that the names of the story are here."""
        names = sorted({host for host, _ in (*PAGES, *FILES)} | {"fabrikam.example", "filedrop.example"})
        return ["--host-resolver-rules=" + ",".join(f"MAP {name} 127.0.0.1:{self.port}" for name in names)]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        host = (self.headers["Host"] or "").partition(":")[0]
        path = self.path.partition("?")[0]
        page, file = PAGES.get((host, path)), FILES.get((host, path))
        if file is not None:
            self._give(200, "text/plain; charset=utf-8", file)
            return
        title, colour, body = page or ("Not here", "#374151", "<p>There is no such page.</p>")
        html = LOOK.format(title=title, colour=colour, body=body).encode()
        self._give(200 if page else 404, "text/html; charset=utf-8", html)

    def _give(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nobody reads along."""
