"""Which request of a page may carry the credential of its view's account, and which must not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from webviewguard import Decision
from webviewguard.qt._binding import QTimer, QUrl
from webviewguard.qt._urls import encoded, is_same_page

if TYPE_CHECKING:
    from webviewguard.qt._page import GuardedPage


class Credentials:
    """Those of one page. A sign-in page gets one by a request of its own: the engine adds no header at a hop, and takes
    the headers of a request along to wherever it is redirected."""

    def __init__(self, page: "GuardedPage") -> None:
        self._page = page
        # The sign-in page that was allowed last, with what was decided about it; and the method of the last request.
        self._allowed: tuple[str, Decision] | None = None
        self._method = ""
        # The last request for a page carries one.
        self.is_carried = False
        # The hop that is loaded as a request of its own, and what was decided about it.
        self._anew: tuple[str, Decision] | None = None
        self._later = QTimer(page, singleShot=True)
        self._later.timeout.connect(self._load_anew)

    def take(self, url: str, method: str) -> Decision | None:
        """The decision by which the request for this page may carry one; good for one request, without a body: what a
        redirect of a form needs, a request of its own cannot give."""
        if self._page.goes_to(url):
            self._method = method
        if self._allowed is None or not is_same_page(self._allowed[0], url):
            return None
        (_, decision), self._allowed = self._allowed, None
        return decision if method == "GET" else None

    def begin(self) -> bool:
        """A navigation begins, and what was allowed before it is over. Whether the request that leads to it carries
        one."""
        carried, self.is_carried, self._allowed = self.is_carried, False, None
        return carried

    def allow(self, url: str, decision: Decision) -> None:
        """The page goes to a URL that was decided about."""
        self._allowed = (url, decision) if decision.sign_in else None

    def needs_own_request(self, decision: Decision, leader: str) -> bool:
        """Whether a redirect leads to a sign-in page that may get one. A page that leads there by itself begins a
        request of its own, and may keep its place in the history."""
        is_hop = encoded(self._page.history().currentItem().url()) != leader
        return decision.sign_in and self._method == "GET" and is_hop

    def load_anew(self, url: str, decision: Decision) -> None:
        """Loads a hop that was allowed as a request of its own, when the engine has refused the hop."""
        self._anew = (url, decision)
        self._later.start(0)

    def take_anew(self, url: str) -> Decision | None:
        """The decision about a hop that is loaded anew. It passes once, and any other navigation ends that."""
        anew, self._anew = self._anew, None
        return anew[1] if anew and anew[0] == url else None

    def stop(self) -> None:
        """A newer wish goes before the hop."""
        self._later.stop()

    def _load_anew(self) -> None:
        if self._anew:
            self._page.load(QUrl.fromEncoded(self._anew[0].encode()))
