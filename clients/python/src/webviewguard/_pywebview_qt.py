"""What of pywebview's Qt platform is replaced by `webviewguard.qt`: profile, interceptor, page and view."""

from __future__ import annotations

from typing import Any

from webviewguard import qt
from webviewguard.qt._binding import QTimer, QWebEngineProfile
from webviewguard.qt._view import GuardedDrags


class _Windows:
    """What pywebview asks for, in its order, while it makes a window: interceptor, profile, page."""

    def __init__(self, platform: Any, app: str, account: str, viewer_class: str, socket: str | None) -> None:
        self._platform, self._start = platform, (app, socket)
        self._account, self._class = account, viewer_class
        self._embedder: qt.Embedder | None = None
        self._next = ""
        self._popups: list[qt.GuardedView] = []

    @property
    def embedder(self) -> qt.Embedder:
        """Made with the first window: the clipboard is there only when Qt has begun."""
        if self._embedder is None:
            app, socket = self._start
            self._embedder = qt.start(app, socket=socket)
            self._embedder.opened.append(self._show)
        return self._embedder

    def interceptor(self, window: Any) -> Any:
        """pywebview's own, which a guarded profile puts behind that of the guard."""
        self._next = window.uid
        self.embedder.sign_in(window.uid, self._account, viewer_class=self._class)
        return self._platform.BrowserView.UnguardedInterceptor(window)

    def profile(self, storage: str = "") -> QWebEngineProfile:
        """A profile keeps nothing on the disk: what pywebview would keep there has no owner."""
        return self.embedder.profiles[self._next]

    def page(self, parent: Any, profile: QWebEngineProfile) -> qt.GuardedPage:
        page = self.embedder.open(parent.uid, viewer_class=self._class)
        # pywebview deletes it when its window is closed.
        page.destroyed.connect(lambda: self._ended(page))
        return page

    def _ended(self, page: qt.GuardedPage) -> None:
        self.embedder.gone(page)
        if not any(other.window == page.window for other in self.embedder.pages.values()):
            QTimer.singleShot(0, lambda: self.embedder.sign_out(page.window))

    def _show(self, popup: qt.GuardedPage) -> None:
        view = qt.GuardedView(popup)
        self._popups.append(view)
        view.destroyed.connect(lambda: self._popups.remove(view) if view in self._popups else None)
        view.resize(800, 600)
        view.show()


def begin(platform: Any, app: str, account: str, viewer_class: str, socket: str | None) -> None:
    windows, browser = _Windows(platform, app, account, viewer_class, socket), platform.BrowserView

    # Below pywebview's own view, whose methods call those of the class that it is derived from.
    browser.WebView.__bases__ = (GuardedDrags,)
    browser.UnguardedInterceptor = browser.RequestInterceptor
    browser.RequestInterceptor = staticmethod(windows.interceptor)
    platform.QWebEngineProfile = windows.profile
    browser.WebPage = staticmethod(windows.page)
    # With `ALLOW_DOWNLOADS` it asks for a place of its own, by a name of the page, and calls what Qt 6 has no more.
    browser.on_download_requested = lambda *_: None
