"""Files that a page gets, and files that it gives: both are asked about, with the place as soon as there is one."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gi.repository import WebKit2
from webviewguard import Decision

if TYPE_CHECKING:
    from browser import Browser
    from viewer import Viewer


class Uploads:
    """The file chooser of one viewer's pages."""

    def __init__(self, viewer: "Viewer") -> None:
        self.viewer = viewer
        viewer.view.connect("run-file-chooser", self._choose)

    def _choose(self, _view: WebKit2.WebView, request: WebKit2.FileChooserRequest) -> bool:
        def chosen(paths: Sequence[Path]) -> None:
            self._ask_each([path.resolve() for path in paths], lambda: self._give(request, paths), request.cancel)

        self.viewer.browser.shell.choose_files(self.viewer.window, request.get_select_multiple(), chosen)
        return True

    def _ask_each(self, paths: list[Path], give: Callable[[], None], refuse: Callable[[], None]) -> None:
        """All of them, or none: the page must not see the name of one that it may not have."""
        if not paths:
            refuse()
            return
        *rest, path = paths

        def settled(allowed: bool, decision: Decision) -> None:
            if not allowed:
                self.viewer.say(decision)
                refuse()
            elif rest:
                self._ask_each(rest, give, refuse)
            else:
                give()

        url = self.viewer.document or None
        self.viewer.ask("upload", settled, url=url, source=url, owner="", location="other", path=str(path))

    def _give(self, request: WebKit2.FileChooserRequest, paths: Sequence[Path]) -> None:
        request.select_files([str(path) for path in paths])


class Downloads:
    """Every download of the browser. Nothing is kept before the guard has heard where it comes from and goes to."""

    def __init__(self, browser: "Browser") -> None:
        self.browser = browser

    def watch(self, context: WebKit2.WebContext) -> None:
        context.connect("download-started", self._started)

    def _started(self, _context: WebKit2.WebContext, download: WebKit2.Download) -> None:
        viewer = self.browser.viewer_of(download.get_web_view())
        if viewer is None:
            download.cancel()
            return
        # The engine waits for the place until it gets one.
        download.connect("decide-destination", lambda _, suggested: self._decide(viewer, download, suggested))

    def _decide(self, viewer: "Viewer", download: WebKit2.Download, suggested: str) -> bool:
        url = download.get_request().get_uri()
        own, account = self.browser.downloads_of(viewer), self.browser.account_of(viewer)

        def place_of(path: Path) -> dict[str, str]:
            """What an event says of a place: our own storage, or some folder that nobody vouches for."""
            is_own = own is not None and path.is_relative_to(own.resolve())
            where = {"location": "localStorage", "location_account": account} if is_own else {"location": "other"}
            return {"path": str(path), **where}

        def may_come(allowed: bool, decision: Decision) -> None:
            if allowed:
                self.browser.shell.choose_place(viewer.window, Path(suggested).name, chosen, own)
            else:
                refuse(decision)

        def chosen(place: Path | None) -> None:
            if place is None:
                download.cancel()
                return
            path = place.parent.resolve() / place.name
            viewer.ask("download", lambda may, answer: keep(may, answer, path), url=url, **place_of(path))

        def keep(allowed: bool, decision: Decision, path: Path) -> None:
            if allowed:
                download.set_destination(path.as_uri())
            else:
                refuse(decision)

        def refuse(decision: Decision) -> None:
            download.cancel()
            viewer.say(decision)

        # First with our own place, where there is one: a policy may take no other.
        viewer.ask("download", may_come, url=url, **(place_of(own.resolve() / Path(suggested).name) if own else {}))
        return True
