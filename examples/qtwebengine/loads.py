"""What pages load by themselves: images, scripts, fetch, beacons, WebSockets, and what their workers load."""

from typing import TYPE_CHECKING

from page import encoded
from PyQt6.QtWebEngineCore import QWebEngineProfile, QWebEngineUrlRequestInfo, QWebEngineUrlRequestInterceptor

if TYPE_CHECKING:
    from embedder import Embedder

Resource = QWebEngineUrlRequestInfo.ResourceType
# These were asked about before, in `acceptNavigationRequest`.
FRAMES = (Resource.ResourceTypeMainFrame, Resource.ResourceTypeSubFrame)


class Loads(QWebEngineUrlRequestInterceptor):
    """The interceptor of a profile. One that is set on a page sees neither its popups nor service workers.

    Known: the hop of a resource's redirect comes here when its request is under way, and `block` does not stop it.
    """

    def __init__(self, embedder: "Embedder", profile: QWebEngineProfile, workers: str) -> None:
        super().__init__(profile)
        self._embedder, self._profile, self._workers = embedder, profile, workers

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        if info.resourceType() in FRAMES:
            return
        document = encoded(info.firstPartyUrl())
        decision = self._embedder.decide(
            "navigate",
            viewer=self._viewer(document),
            url=encoded(info.requestUrl()),
            source=document or None,
            frame="resource",
            method=bytes(info.requestMethod()).decode("latin-1"),
        )
        if not decision.allowed:
            info.block(True)

    def _viewer(self, document: str) -> str:
        """The viewer that shows the document. A service worker, or a document that two viewers show, is the profile's
        own: a viewer of the same account and class."""
        shown = [
            page.name
            for page in self._embedder.pages.values()
            if page.profile() is self._profile and page.shown == document
        ]
        return shown[0] if len(shown) == 1 else self._workers
