"""Files that a page gets, and files that it gives: both are asked about, with the place as soon as there is one. A file of the
organisation is stored as its policy wants it, and a page reads it unsealed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from gi.repository import WebKit2
from webviewguard import Decision
from webviewguard.errors import FileProtectionError
from webviewguard.files import Incoming, Readable

if TYPE_CHECKING:
    from browser import Browser
    from viewer import Viewer


# The directory of an account that is not open by then is told to be closed.
OPENING_SECONDS = 2.0


@contextmanager
def told(viewer: "Viewer") -> Iterator[None]:
    """A file that cannot be protected is not kept and not read, and the user hears of it."""
    try:
        yield
    except FileProtectionError as problem:
        if not viewer.is_closed:
            viewer.window.tell(f"This file cannot be kept or read: {problem}")
    finally:
        viewer.guard.wake()


def incoming(viewer: "Viewer", path: Path, decision: Decision, size: int | None = None) -> Incoming | None:
    """Where a file is written that belongs to the account that the decision names, or else to the one that asked."""
    account = decision.identity if decision.set_owner is None else decision.set_owner
    with told(viewer):
        return viewer.guard.files.incoming(path, account, size=size)
    return None


class Uploads:
    """The file chooser of one viewer's pages. What its pages read unsealed is there as long as the viewer."""

    def __init__(self, viewer: "Viewer") -> None:
        self.viewer = viewer
        self._reading: list[Readable] = []
        viewer.view.connect("run-file-chooser", self._choose)
        viewer.view.connect("destroy", lambda *_: [file.close() for file in self._reading])

    def _choose(self, _view: WebKit2.WebView, request: WebKit2.FileChooserRequest) -> bool:
        def chosen(paths: Sequence[Path]) -> None:
            with told(self.viewer):
                found = [self.viewer.guard.files.readable(path.resolve()) for path in paths]
                if found:
                    self._ask_each(paths, found, lambda: self._give(request, found), request.cancel)
                    return
            request.cancel()

        self.viewer.browser.shell.choose_files(self.viewer.window, request.get_select_multiple(), chosen)
        return True

    def _ask_each(
        self, paths: Sequence[Path], files: Sequence[Readable], give: Callable[[], None], refuse: Callable[[], None]
    ) -> None:
        """All of them, or none: the page must not see the name of one that it may not have."""
        *rest, path = paths
        *others, file = files

        def settled(allowed: bool, decision: Decision) -> None:
            if not allowed:
                self.viewer.say(decision)
                refuse()
            elif rest:
                self._ask_each(rest, others, give, refuse)
            else:
                give()

        url = self.viewer.document or None
        about = {"owner": "", "location": "other", "path": str(path.resolve())}
        self.viewer.ask("upload", settled, url=url, source=url, **about, **file.facts)

    def _give(self, request: WebKit2.FileChooserRequest, files: Sequence[Readable]) -> None:
        self._reading += files
        with told(self.viewer):
            request.select_files([file.path for file in files])
            return
        request.cancel()


class Downloads:
    """Every download of the browser. Nothing is kept before the guard has heard where it comes from and goes to."""

    def __init__(self, browser: "Browser") -> None:
        self.browser = browser
        browser.guard.files.clear_leftovers()

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
        own, account = self._own(viewer), self.browser.account_of(viewer)

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
            if not allowed:
                refuse(decision)
                return
            size = download.get_response().get_content_length() if download.get_response() else None
            file = incoming(viewer, path, decision, size or None)
            if file is None:
                download.cancel()
                return
            self._follow(viewer, download, file)
            download.set_destination(Path(file.path).as_uri())

        def refuse(decision: Decision) -> None:
            download.cancel()
            viewer.say(decision)

        # First with our own place, where there is one: a policy may take no other.
        viewer.ask("download", may_come, url=url, **(place_of(own.resolve() / Path(suggested).name) if own else {}))
        return True

    def _own(self, viewer: "Viewer") -> Path | None:
        """Where the viewer's account keeps its files: the encrypted directory that the policy has for it, else our own."""
        own = self.browser.downloads_of(viewer)
        if own is not None:
            with told(viewer):
                files, account = self.browser.guard.files, self.browser.account_of(viewer)
                encrypted = files.account_directory(account, seconds=OPENING_SECONDS)
                return Path(encrypted) if encrypted else own
        return own

    def _follow(self, viewer: "Viewer", download: WebKit2.Download, file: Incoming) -> None:
        """Puts the file in its place when the engine has written all of it. Of one that broke off nothing stays."""
        failures: list[object] = []
        download.connect("failed", lambda _, problem: failures.append(problem))

        def finished(_download: WebKit2.Download) -> None:
            if failures:
                file.discard()
                return
            with told(viewer):
                file.keep()

        # It comes after a failure as well.
        download.connect("finished", finished)
