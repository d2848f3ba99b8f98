"""What pages load by themselves: images, scripts, fetch, beacons, WebSockets, and what their workers load."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from webviewguard import sign_in_credential
from webviewguard.qt._binding import QWebEngineProfile, QWebEngineUrlRequestInfo, QWebEngineUrlRequestInterceptor
from webviewguard.qt._hooks import refusing
from webviewguard.qt._page import GuardedPage
from webviewguard.qt._urls import encoded

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

Resource = QWebEngineUrlRequestInfo.ResourceType
FRAMES = {Resource.ResourceTypeMainFrame: "main", Resource.ResourceTypeSubFrame: "sub"}


def _block(_: Any, info: QWebEngineUrlRequestInfo) -> None:
    info.block(True)


class GuardedProfile(QWebEngineProfile):
    """A profile whose interceptor is ours. One that the app sets comes after it, and hears of what is allowed."""

    def guard(self, loads: "Loads") -> None:
        # Kept here: the engine does not keep it, and with PySide6 a parent would not either.
        self._loads: Loads | None = loads
        super().setUrlRequestInterceptor(loads)

    def let_go(self) -> None:
        """The profile is deleted. What Python's collector deletes later, in an order of its own, may end the process."""
        self._loads = None

    def setUrlRequestInterceptor(self, interceptor: "QWebEngineUrlRequestInterceptor | None") -> None:
        if self._loads:
            self._loads.after = interceptor


class Loads(QWebEngineUrlRequestInterceptor):
    """The interceptor of a profile. One that is set on a page sees neither its popups nor service workers.

    Known: the hop of a resource's redirect comes here when its request is under way, and `block` does not stop it.
    """

    def __init__(self, embedder: "Embedder", profile: QWebEngineProfile, workers: str) -> None:
        super().__init__()
        # What the app itself does with a request that is allowed.
        self.after: QWebEngineUrlRequestInterceptor | None = None
        self.embedder, self._profile, self._workers = embedder, profile, workers

    @refusing(_block)
    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        frame = FRAMES.get(info.resourceType(), "resource")
        # Pages and frames were asked about in `acceptNavigationRequest`.
        if frame != "sub":
            url = encoded(info.requestUrl())
            if not (frame == "main" and self._is_accepted(url)) and not self._may_load(info, url, frame):
                info.block(True)
                return
            if frame == "main":
                self._sign_in(info, url)
        if self.after:
            self.after.interceptRequest(info)

    def _may_load(self, info: QWebEngineUrlRequestInfo, url: str, frame: str) -> bool:
        document = encoded(info.firstPartyUrl())
        decision = self.embedder.decide(
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
            if (decision := page.credentials.take(url, bytes(info.requestMethod()).decode("latin-1"))) is None:
                continue
            credential = sign_in_credential(decision, url, wait=self.embedder.guard.contract.answer_ms / 1000)
            if credential is not None:
                page.credentials.is_carried = True
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
        return [page for page in self.embedder.pages.values() if page.profile() is self._profile]
