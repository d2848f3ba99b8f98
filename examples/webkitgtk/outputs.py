"""What leaves a page for paper, for a picture or for the desktop."""

from pathlib import Path
from typing import TYPE_CHECKING

import cairo
from files import incoming, told
from gi.repository import Gio, GLib, WebKit2
from webviewguard import Decision
from webviewguard.files import Incoming

if TYPE_CHECKING:
    from viewer import Viewer

HIDDEN = {
    WebKit2.ContextMenuAction.COPY_LINK_TO_CLIPBOARD,
    WebKit2.ContextMenuAction.COPY_IMAGE_TO_CLIPBOARD,
    WebKit2.ContextMenuAction.COPY_IMAGE_URL_TO_CLIPBOARD,
    WebKit2.ContextMenuAction.COPY_VIDEO_LINK_TO_CLIPBOARD,
    WebKit2.ContextMenuAction.COPY_AUDIO_LINK_TO_CLIPBOARD,
    WebKit2.ContextMenuAction.INSPECT_ELEMENT,
}


class Outputs:
    """Printing, pictures, notifications and the context menu of one viewer."""

    def __init__(self, viewer: "Viewer") -> None:
        self.viewer = viewer
        viewer.view.connect("print", self._print)
        viewer.view.connect("show-notification", self._notify)
        viewer.view.connect("permission-request", self._permit)
        viewer.view.connect("context-menu", self._trim_menu)

    def print(self) -> None:
        """The app's own button: the same question as `window.print()`."""
        self._print(self.viewer.view, WebKit2.PrintOperation.new(self.viewer.view))

    def _print(self, _view: WebKit2.WebView, operation: WebKit2.PrintOperation) -> bool:
        def settled(allowed: bool, decision: Decision) -> None:
            if allowed:
                self.viewer.browser.shell.print(self.viewer.window, operation)
            else:
                self.viewer.say(decision)

        self.viewer.ask("print", settled, url=self.viewer.document or None)
        return True

    def capture(self) -> None:
        """Takes a picture of the page: it is asked for as an image of the app's own, and then for the place."""
        shell, window = self.viewer.browser.shell, self.viewer.window

        def may_be_taken(allowed: bool, decision: Decision) -> None:
            if allowed:
                shell.choose_place(window, "page.png", chosen)
            else:
                self.viewer.say(decision)

        def chosen(place: Path | None) -> None:
            if place is not None:
                path = str(place.parent.resolve() / place.name)
                self.viewer.ask("save", lambda may, answer: take(may, answer, path), location="other", path=path)

        def take(allowed: bool, decision: Decision, path: str) -> None:
            file = incoming(self.viewer, Path(path), decision) if allowed else None
            if file is not None:
                self._take(file)
            elif not allowed:
                self.viewer.say(decision)

        self.viewer.ask("capture", may_be_taken, capture="ownImage")

    def _take(self, file: Incoming) -> None:
        def taken(view: WebKit2.WebView, result: Gio.AsyncResult) -> None:
            try:
                surface: cairo.ImageSurface = view.get_snapshot_finish(result)
                surface.write_to_png(file.path)
                with told(self.viewer):
                    file.keep()
            except (GLib.Error, OSError) as problem:
                file.discard()
                self.viewer.browser.shell.report(f"cannot keep the picture: {problem}")

        region, options = WebKit2.SnapshotRegion.VISIBLE, WebKit2.SnapshotOptions.NONE
        self.viewer.view.get_snapshot(region, options, None, taken)

    def _notify(self, _view: WebKit2.WebView, notification: WebKit2.Notification) -> bool:
        title, body = notification.get_title(), notification.get_body() or ""

        def settled(allowed: bool, decision: Decision) -> None:
            if allowed:
                self.viewer.browser.shell.notify(title, body)
            elif decision.outcome == "redact":
                self.viewer.browser.shell.notify(decision.replacement or "", "")

        self.viewer.ask("notify", settled)
        return True

    def _permit(self, _view: WebKit2.WebView, request: WebKit2.PermissionRequest) -> bool:
        """Notifications are asked about one by one. Everything else this browser does not give, nor a paste that no
        key of the user began."""
        if isinstance(request, WebKit2.NotificationPermissionRequest):
            request.allow()
        else:
            request.deny()
        return True

    def _trim_menu(
        self, _view: WebKit2.WebView, menu: WebKit2.ContextMenu, _event: object, _hit: WebKit2.HitTestResult
    ) -> bool:
        """Copying an address or a picture fires no event. What these items do would still be veiled."""
        for item in menu.get_items():
            if item.get_stock_action() in HIDDEN:
                menu.remove(item)
        return False
