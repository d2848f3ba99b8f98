"""What pages load by themselves: images, scripts, fetch, beacons, WebSockets, and what their workers load."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from webviewguard import sign_in_credential
from webviewguard.qt._binding import QWebEngineProfile, QWebEngineUrlRequestInfo, QWebEngineUrlRequestInterceptor
from webviewguard.qt._page import GuardedPage, encoded

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

Interceptor = Callable[[QWebEngineUrlRequestInfo], None]
Resource = QWebEngineUrlRequestInfo.ResourceType
FRAMES = {Resource.ResourceTypeMainFrame: "main", Resource.ResourceTypeSubFrame: "sub"}


class Loads(QWebEngineUrlRequestInterceptor):
    """The interceptor of a profile. One that is set on a page sees neither its popups nor service workers.

    Known: the hop of a resource's redirect comes here when its request is under way, and `block` does not stop it.
    """

    def __init__(
        self, embedder: "Embedder", profile: QWebEngineProfile, workers: str, after: "Interceptor | None" = None
    ) -> None:
        """`after` is what the app itself does with a request that is allowed."""
        super().__init__(profile)
        self._after = after
        self._embedder, self._profile, self._workers = embedder, profile, workers

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        document, url = encoded(info.firstPartyUrl()), encoded(info.requestUrl())
        frame = FRAMES.get(info.resourceType(), "resource")
        # Pages and frames were asked about in `acceptNavigationRequest`.
        is_asked = frame == "sub" or (frame == "main" and self._is_accepted(url))
        if not is_asked and not self._may_load(info, url, document, frame):
            info.block(True)
            return
        if frame == "main":
            self._sign_in(info, url)
        if self._after:
            self._after(info)

    def _may_load(self, info: QWebEngineUrlRequestInfo, url: str, document: str, frame: str) -> bool:
        decision = self._embedder.decide(
            "navigate",
            viewer=self._viewer(document),
            url=url,
            source=document or None,
            frame=frame,
            method=bytes(info.requestMethod()).decode("latin-1"),
        )
        return decision.allowed

    def _sign_in(self, info: QWebEngineUrlRequestInfo, url: str) -> None:
        """Gives a sign-in page the credential of its view's account, if the daemon said so of this navigation."""
        for page in self._pages():
            if (decision := page.take_sign_in(url, bytes(info.requestMethod()).decode("latin-1"))) is None:
                continue
            credential = sign_in_credential(decision, url, wait=self._embedder.guard.contract.answer_ms / 1000)
            if credential is not None:
                page.carries_credential = True
                info.setHttpHeader(credential.name.encode(), credential.value.encode())
            return

    def _is_accepted(self, url: str) -> bool:
        """Whether a page was just allowed to go there. A link with `download` to its own host is not asked about."""
        return any(page.goes_to(url) for page in self._pages())

    def _viewer(self, document: str) -> str:
        """The viewer that shows the document. A service worker, or a document that two viewers show, is the profile's
        own: a viewer of the same account and class."""
        shown = [page.name for page in self._pages() if page.shown == document]
        return shown[0] if len(shown) == 1 else self._workers

    def _pages(self) -> list[GuardedPage]:
        return [page for page in self._embedder.pages.values() if page.profile() is self._profile]
