"""Every way out of a page: how it is triggered, what it loads, and what must become of it.

A way's page is `/way/ID/HOST/N`, and what it tries to reach is `/to/ID/HOST/N` on that host, so that the access log
tells every trip from every other. `{url}` in its HTML, and `u` in its script, is that URL.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from rig.hosts import Host


class Kind(StrEnum):
    """What is loaded, as rules speak of it."""

    PAGE = "page"
    FORM = "form"
    FRAME = "frame"
    RESOURCE = "resource"
    DOWNLOAD = "download"


@dataclass(frozen=True)
class Way:
    """One way out. Without `trigger` the page goes it by itself as it loads; else the element `go` is clicked."""

    id: str
    kind: Kind
    html: str = ""
    act: str = ""
    trigger: str = "click"
    serves: str = "text/html"
    headers: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Where it is tried to: the default speaks of pages, explicit rules of resources as well."""
        if self.kind == Kind.RESOURCE:
            return (Host.TRACKER, Host.BLOCKED, Host.EXTERNAL, Host.INTERNAL)
        return (Host.EXTERNAL, Host.BLOCKED, Host.INTERNAL)

    @property
    def has_default(self) -> bool:
        """Whether the default of a rule set speaks of it: of what a page loads by itself it never does."""
        return self.kind != Kind.RESOURCE

    @property
    def has_witness(self) -> bool:
        """Whether its page goes the same way inside as well: when that arrived, the other would have, too."""
        return self.kind in (Kind.RESOURCE, Kind.FRAME)

    def is_kept(self, host: Host) -> bool:
        """Whether a guarded viewer must not reach the host this way."""
        if self.kind == Kind.RESOURCE:
            return host in (Host.TRACKER, Host.BLOCKED)
        return host != Host.INTERNAL


def page(id: str, html: str = "", act: str = "", **more: object) -> Way:
    return Way(id, Kind.PAGE, html, act, **more)  # type: ignore[arg-type]


def frame(id: str, html: str = "", act: str = "", **more: object) -> Way:
    return Way(id, Kind.FRAME, html, act, **({"trigger": "" if html else "click"} | more))  # type: ignore[arg-type]


def resource(id: str, html: str = "", act: str = "", **more: object) -> Way:
    return Way(id, Kind.RESOURCE, html, act, **({"trigger": "" if html else "click"} | more))  # type: ignore[arg-type]


def form(id: str, attributes: str) -> Way:
    return Way(id, Kind.FORM, f"<form {attributes}><input name=secret value=4111111111111111><button id=go>go</form>")


def download(id: str, html: str, **more: object) -> Way:
    return Way(id, Kind.DOWNLOAD, html, serves="application/octet-stream", **more)  # type: ignore[arg-type]


PAGES = (
    page("link", "<a id=go href='{url}'>go</a>"),
    page("link-302", "<a id=go href='/302?to={quoted}'>go</a>"),
    page("link-307", "<a id=go href='/307?to={quoted}'>go</a>"),
    page("link-chain", "<a id=go href='/chain?to={quoted}'>go</a>"),
    page("link-javascript", "<a id=go href=\"javascript:location.href='{url}'\">go</a>"),
    page("link-blank", "<a id=go target=_blank href='{url}'>go</a>"),
    page("link-blank-302", "<a id=go target=_blank href='/302?to={quoted}'>go</a>"),
    page("link-noopener", "<a id=go target=_blank rel='noopener noreferrer' href='{url}'>go</a>"),
    page("link-named-window", "<a id=go target=elsewhere href='{url}'>go</a>"),
    page("link-middle-click", "<a id=go href='{url}'>go</a>", trigger="middle"),
    page("location-href", act="location.href = u"),
    page("location-assign", act="location.assign(u)"),
    page("location-replace", act="location.replace(u)"),
    page("location-later", act="setTimeout(() => location.href = u, 20)"),
    page("meta-refresh", "<meta http-equiv=refresh content='0;url={url}'>", trigger=""),
    page("refresh-header", trigger="", headers={"Refresh": "0;url={url}"}),
    page("frame-to-top", "<iframe srcdoc=\"<script>top.location.href = '{url}'</script>\"></iframe>", trigger=""),
    page("window-open", act="window.open(u)"),
    page("window-open-302", act="window.open('/302?to=' + encodeURIComponent(u))"),
    page("window-open-empty", act="const w = window.open('about:blank'); w.location.href = u"),
    page(
        "window-open-written",
        act="const w = window.open(); w.document.write(`<script>location.href='${u}'<\\/script>`)",
    ),
    page("blob-page", act="location.href = blob(`<script>location.href='${u}'<\\/script>`)"),
)

FORMS = (
    form("form-get", "action='{url}'"),
    form("form-post", "method=post action='{url}'"),
    form("form-post-302", "method=post action='/302?to={quoted}'"),
    form("form-post-307", "method=post action='/307?to={quoted}'"),
    form("form-blank", "method=post target=_blank action='{url}'"),
    Way("form-submit", Kind.FORM, "<form id=f method=post action='{url}'><input name=a value=b></form>", "f.submit()"),
)

FRAMES = (
    frame("frame", "<iframe src='{url}'></iframe>"),
    frame("frame-302", "<iframe src='/302?to={quoted}'></iframe>"),
    frame("frame-refresh", "<iframe src='/refresh?to={quoted}'></iframe>"),
    frame("frame-dynamic", act="add('iframe', { src: u })"),
    frame("frame-location", act="add('iframe', {}).contentWindow.location.href = u"),
    frame(
        "frame-link", act="const f = add('iframe', { name: 'f' + ++n }); add('a', { href: u, target: f.name }).click()"
    ),
    frame(
        "frame-form",
        act="const f = add('iframe', { name: 'f' + ++n });"
        " add('form', { method: 'post', action: u, target: f.name }).submit()",
    ),
    frame("frame-srcdoc", "<iframe srcdoc=\"<iframe src='{url}'></iframe>\"></iframe>"),
    frame("frame-data", "<iframe src=\"data:text/html,<iframe src='{url}'></iframe>\"></iframe>"),
    frame("frame-blob", act="add('iframe', { src: blob(`<iframe src='${u}'></iframe>`) })"),
    frame("frame-javascript", act="add('iframe', { src: `javascript:\"<iframe src='${u}'></iframe>\"` })"),
    frame("object", "<object type=text/html data='{url}'></object>"),
    frame("embed", "<embed type=text/html src='{url}'>"),
)

JS = "text/javascript"
GIF = "image/gif"
RESOURCES = (
    resource("image", "<img src='{url}'>", serves=GIF),
    resource("image-302", "<img src='/302?to={quoted}'>", serves=GIF),
    resource("image-script", act="new Image().src = u", serves=GIF),
    resource("stylesheet", "<link rel=stylesheet href='{url}'>", serves="text/css"),
    resource("css-import", "<style>@import url('{url}');</style>", serves="text/css"),
    resource("css-background", "<p style=\"background: url('{url}')\">p</p>", serves=GIF),
    resource(
        "font",
        "<style>@font-face { font-family: f{n}; src: url('{url}') }</style><p style='font-family: f{n}'>text</p>",
        serves="font/woff2",
    ),
    resource("script", "<script src='{url}'></script>", serves=JS),
    resource("module-script", "<script type=module src='{url}'></script>", serves=JS),
    resource("audio", "<audio preload=auto src='{url}'></audio>", serves="audio/wav"),
    resource("video-poster", "<video poster='{url}'></video>", serves=GIF),
    resource("fetch", act="fetch(u)"),
    resource("fetch-302", act="fetch('/302?to=' + encodeURIComponent(u))"),
    resource("fetch-post", act="fetch(u, { method: 'POST', body: 'secret' })"),
    resource("fetch-keepalive", act="fetch(u, { method: 'POST', body: 'secret', keepalive: true })"),
    resource("xhr", act="const x = new XMLHttpRequest(); x.open('POST', u); x.send('secret')"),
    resource("beacon", act="navigator.sendBeacon(u, 'secret')"),
    resource("websocket", act="new WebSocket(u.replace('http', 'ws'))"),
    resource("event-source", act="new EventSource(u)", serves="text/event-stream"),
    resource("ping", "<a id=go href='#' ping='{url} {witness}'>go</a>", trigger="click"),
    resource("prefetch", "<link rel=prefetch href='{url}'>"),
    resource("preload", "<link rel=preload as=image href='{url}'>", serves=GIF),
    resource(
        "csp-report",
        "<img src='data:,'>",
        headers={"Content-Security-Policy-Report-Only": "img-src 'none'; report-uri {url} {witness}"},
    ),  # fmt: skip
    resource("worker-fetch", act="new Worker(blob(`fetch('${u}', { mode: 'no-cors' })`, 'text/javascript'))"),
    resource("worker-import", act="new Worker(blob(`importScripts('${u}')`, 'text/javascript'))", serves=JS),
    resource("service-worker-fetch", act="serviceWorker().then(worker => worker.postMessage(u))"),
)

DOWNLOADS = (
    download("download-link", "<a id=go href='{url}'>go</a>"),
    download("download-attribute", "<a id=go download href='{url}'>go</a>"),
    download("download-302", "<a id=go href='/302?to={quoted}'>go</a>"),
    download("download-frame", "<iframe src='{url}'></iframe>", trigger=""),
)

WAYS = (*PAGES, *FORMS, *FRAMES, *RESOURCES, *DOWNLOADS)
BY_ID = {way.id: way for way in WAYS}

# URLs of other schemes leave no trace at a site: the guard's answer, and what was started, are the judge there.
# A message that is written already brings data along.
SCHEMES = {
    "mailto": "mailto:somebody@fabrikam.example",
    "written": "mailto:somebody@fabrikam.example?subject=plan",
    "custom": "fabrikam-app://open/plan",
}


@dataclass(frozen=True)
class Trip:
    """A way that is gone once, to a host. `number` makes it one of its own."""

    way: Way
    host: Host
    number: int

    @property
    def page(self) -> str:
        """The internal page that goes it."""
        return f"/way/{self._name}"

    @property
    def goal(self) -> str:
        """The path that the host's log has when it got there."""
        return f"/to/{self._name}"

    @property
    def witness(self) -> str:
        return f"/witness/{self._name}"

    @property
    def _name(self) -> str:
        return f"{self.way.id}/{self.host.name.lower()}/{self.number}"
