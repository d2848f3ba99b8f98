"""Guards every window of a program that is written with pywebview, on WebKitGTK 4.1 and on QtWebEngine of Qt 6.

    import webview
    from webviewguard import pywebview

    pywebview.guard("com.contoso.portal", account="work@contoso.com", viewer_class="documents")
    webview.create_window("Portal", "https://portal.contoso.com/")
    webview.start()

Call it before `webview.start`. With GTK the library of clients/c/webkitgtk asks, with Qt `webviewguard.qt`. On another
platform, and where these are not there, `webview.start` raises: no window opens unguarded.
"""

from __future__ import annotations

from typing import Any

import webview

__all__ = ["guard"]


def guard(app: str, *, account: str, viewer_class: str, socket: str | None = None) -> None:
    """Guards the windows that `webview.start` and `webview.create_window` open from now on. Raises RuntimeError where a
    window is open already, or a guard is there."""
    if webview.guilib is not None:
        raise RuntimeError("guard a program before webview.start, and before webview.screens")
    if getattr(webview.initialize, "is_guarded", False):
        raise RuntimeError("the program is guarded already")
    initialize = webview.initialize

    def initialize_guarded(*arguments: Any) -> Any:
        platform = initialize(*arguments)
        begin = _PLATFORMS.get(platform.renderer)
        if begin is None:
            raise RuntimeError(f"webviewguard does not guard pywebview with {platform.renderer}")
        begin(platform, app, account, viewer_class, socket)
        return platform

    initialize_guarded.is_guarded = True  # type: ignore[attr-defined]
    webview.initialize = initialize_guarded
    # Else a link to an own page with a target of its own opens in the user's browser, where nobody guards it.
    webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = False


# GTK


class _WebKit:
    """The module WebKit2 as pywebview sees it: a view is guarded before pywebview has it."""

    def __init__(self, webkit: Any, guard: Any, viewer_class: str) -> None:
        self._webkit, self._guard, self._class = webkit, guard, viewer_class

    def __getattr__(self, name: str) -> Any:
        return getattr(self._webkit, name)

    def WebView(self, **properties: Any) -> Any:
        view = self._webkit.WebView(**properties)
        if not self._guard.add(view, self._class, None):
            raise RuntimeError(f"webviewguard: {self._guard.get_error()}")
        return view


def _begin_gtk(platform: Any, app: str, account: str, viewer_class: str, socket: str | None) -> None:
    import gi

    gi.require_version("WvgWebKit", "4.1")
    from gi.repository import WvgWebKit

    guard = WvgWebKit.Guard.new(app, socket)
    if not guard.set_account(None, account):
        raise RuntimeError(f"webviewguard: {guard.get_error()}")
    platform.webkit = _WebKit(platform.webkit, guard, viewer_class)
    browser, heard = platform.BrowserView, platform.BrowserView.on_js_bridge_call

    def on_js_bridge_call(window: Any, manager: Any, message: Any) -> None:
        """pywebview takes every message of a page for its own; those of the guard name no function."""
        if '"funcName"' in message.get_js_value().to_json(0):
            heard(window, manager, message)

    browser.on_js_bridge_call = on_js_bridge_call


# Qt


def _begin_qt(platform: Any, app: str, account: str, viewer_class: str, socket: str | None) -> None:
    if not (platform.PYQT6 or platform.PYSIDE6):
        raise RuntimeError("webviewguard guards pywebview with Qt 6: set QT_API=pyqt6 or QT_API=pyside6")
    from webviewguard import _pywebview_qt

    _pywebview_qt.begin(platform, app, account, viewer_class, socket)


_PLATFORMS = {"gtkwebkit2": _begin_gtk, "qtwebengine": _begin_qt}
