"""Windows that pages open."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from webviewguard.qt._binding import QWebEngineNewWindowRequest, qVersion
from webviewguard.qt._urls import encoded
from webviewguard.qt._warnings import settled

if TYPE_CHECKING:
    from webviewguard.qt._page import GuardedPage

EMPTY = "<html><head></head><body></body></html>"
# Qt 6.4 ends the process when a window that began empty, and that its opener wrote into, gets another size: also
# without any of these hooks. Qt 6.12 does not; the versions between were not tried.
CRASHES_WHEN_WRITTEN = tuple(map(int, qVersion().split(".")[:2])) < (6, 8)


def open_popup(opener: "GuardedPage", request: QWebEngineNewWindowRequest) -> None:
    """A page wants a window: it is asked about, and the new viewer is known before it exists."""
    embedder = opener.embedder
    if not opener.may_open_windows:
        embedder.people.tell("Your organization does not let pages open windows here.", opener.name)
        return
    url = encoded(request.requestedUrl()) or "about:blank"
    if not _may_open(opener, url, request.isUserInitiated()):
        return
    popup = embedder.open(opener.window, opener=opener.name, kind="popup")
    popup.led_by(opener.shown)
    request.openIn(popup)
    if CRASHES_WHEN_WRITTEN and url.startswith("about:blank"):
        popup.toHtml(lambda written: _begin_empty(popup, written))
    else:
        _appear(popup)


def _may_open(opener: "GuardedPage", url: str, clicked: bool) -> bool:
    embedder = opener.embedder
    about = {
        "viewer": opener.name, "url": url, "source": opener.shown or None, "frame": "main", "new_window": True,
        "gesture": "yes" if clicked else "no",
    }  # fmt: skip
    decision = embedder.decide("navigate", **about)
    if decision.outcome == "warn":
        return settled(embedder, "navigate", about, decision) is not None
    if not decision.allowed:
        embedder.refused(opener, url, decision, in_place=False)
    return decision.allowed


def _appear(popup: "GuardedPage") -> None:
    """The program may show it now."""
    for show in popup.embedder.opened:
        show(popup)


def _begin_empty(popup: "GuardedPage", written: str) -> None:
    """Loads the empty page before it is shown, and writes into it what its opener wrote until then."""

    def loaded(_: bool) -> None:
        popup.loadFinished.disconnect(loaded)
        if written != EMPTY:
            popup.runJavaScript(f"document.open(); document.write({json.dumps(written)}); document.close()")
        _appear(popup)

    popup.begins_empty = True
    popup.loadFinished.connect(loaded)
    # By itself, so that its origin stays that of its opener.
    popup.runJavaScript("location.replace('about:blank')")
