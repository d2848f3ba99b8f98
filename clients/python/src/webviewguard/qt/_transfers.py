"""Files, paper, pictures and notifications: what leaves or enters a page beside the clipboard."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from webviewguard._decision import Decision
from webviewguard._ids import same_account
from webviewguard._notice_text import download_name, name_of
from webviewguard.errors import FileProtectionError
from webviewguard.files import Incoming, Readable
from webviewguard.qt._binding import (
    SHOWS_FILE_ACCESS,
    QPixmap,
    QUrl,
    QWebEngineDownloadRequest,
    QWebEngineNotification,
    QWebEnginePage,
    QWebEngineProfile,
)
from webviewguard.qt._hooks import refusing
from webviewguard.qt._page import GuardedPage
from webviewguard.qt._urls import encoded
from webviewguard.qt._warnings import holds

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

Feature = QWebEnginePage.Feature
# Files that the browser shows by itself.
SHOWN = (".txt", ".csv", ".png", ".jpg")
# A directory that is not open by then is told to be closed.
OPENING_SECONDS = 2.0
SCREENS = (Feature.DesktopVideoCapture, Feature.DesktopAudioVideoCapture)


def _file_name(suggested: str) -> str:
    """The name under which a download is kept. The engine hands over what the page said: also `../../plan.pdf`."""
    name = os.path.basename(download_name(suggested))
    return name if name not in ("", ".", "..") else "download"


class Transfers:
    """One place for each way. Where a file goes is asked of the user first, and of the daemon before a byte is kept."""

    def __init__(self, embedder: "Embedder") -> None:
        self.embedder = embedder
        # What only this program reads: by window, a directory and the account that it belongs to.
        self.own_storage: dict[str, tuple[Path, str]] = {}
        self._encrypted: dict[str, Path | None] = {}
        # What the engine writes, until it is in its place: by window and the engine's number, and by where it writes it.
        self._downloading: dict[tuple[str, int], Incoming] = {}
        self._printing: dict[str, Incoming] = {}
        # What pages read, as long as they are there: by viewer.
        self._reading: dict[str, list[Readable]] = {}
        embedder.guard.files.clear_leftovers()

    def watch(self, profile: QWebEngineProfile) -> None:
        profile.downloadRequested.connect(self._download)
        profile.setNotificationPresenter(lambda notice: self._notify(profile, notice))

    def watch_page(self, page: GuardedPage) -> None:
        page.printRequested.connect(lambda: self.print_page(page))
        page.pdfPrintingFinished.connect(lambda path, done: self._ended(self._printing.pop(path, None), done))
        name = page.name
        page.destroyed.connect(lambda: self._done_reading(name))
        if SHOWS_FILE_ACCESS:  # A page would write into a file.
            page.fileSystemAccessRequested.connect(lambda asked: asked.reject())
        page.featurePermissionRequested.connect(lambda origin, feature: self._permit(page, origin, feature))

    # Files

    def _done_reading(self, viewer: str) -> None:
        for file in self._reading.pop(viewer, []):
            file.close()

    def place(self, page: GuardedPage, path: str) -> dict[str, Any]:
        """What an event says of a place: our own storage, or some folder that nobody vouches for."""
        path = os.path.realpath(path)
        directory, account = self._own(page.window)
        if directory and Path(path).is_relative_to(directory.resolve()):
            return {"location": "localStorage", "location_account": account, "path": path}
        return {"location": "other", "path": path}

    def _own(self, window: str) -> tuple[Path | None, str]:
        """Where a window's account keeps its files: the encrypted directory that the policy has for it, else our own."""
        directory, account = self.own_storage.get(window, (None, ""))
        return self._encrypted.get(window) or directory, account

    def _look_for_directory(self, window: str) -> None:
        """Opens the encrypted directory of a window's account. Where there is none, files are sealed, if they must be."""
        directory, account = self.own_storage.get(window, (None, ""))
        found = None
        if directory:
            with self._told(window):
                found = self.embedder.guard.files.account_directory(account, seconds=OPENING_SECONDS)
        self._encrypted[window] = Path(found) if found else None

    def _account(self, path: str) -> str:
        """Whose a file is: that of the account in whose storage it lies, else nobody's, as far as we know. Its label is
        another word, which the daemon reads."""
        for window in self.own_storage:
            directory, account = self._own(window)
            if directory and Path(path).is_relative_to(directory.resolve()):
                return account
        return ""

    @refusing(lambda _, item: item.cancel())
    def _download(self, item: QWebEngineDownloadRequest) -> None:
        """Asked before the first byte is kept, with our own place, and again for another that the user chooses."""
        page, url = item.page(), encoded(item.url())
        accepted = self._accepted(page, url, _file_name(item.suggestedFileName())) if isinstance(page, GuardedPage) else None
        incoming = self._incoming(page, *accepted, size=item.totalBytes()) if accepted else None
        if incoming is None or not isinstance(page, GuardedPage):
            item.cancel()
            return
        # The engine begins one that broke off again, up to five times, and asks anew.
        key = page.window, item.id()
        self._ended(self._downloading.pop(key, None), False)
        self._downloading[key] = incoming
        item.setDownloadDirectory(os.path.dirname(incoming.path))
        item.setDownloadFileName(os.path.basename(incoming.path))
        name, states = page.name, QWebEngineDownloadRequest.DownloadState

        def changed(state: QWebEngineDownloadRequest.DownloadState) -> None:
            if state in (states.DownloadCompleted, states.DownloadCancelled, states.DownloadInterrupted):
                self._ended(self._downloading.pop(key, None), state == states.DownloadCompleted, name)

        item.stateChanged.connect(changed)
        item.accept()

    def _incoming(self, page: GuardedPage, path: str, decision: Decision, size: int | None = None) -> Incoming | None:
        """Where the engine writes what belongs to the account that the decision names, or else to the one that asked."""
        account = decision.identity if decision.set_owner is None else decision.set_owner
        with self._told(page.name):
            return self.embedder.guard.files.incoming(path, account, size=size)
        return None

    def _ended(self, incoming: Incoming | None, is_whole: bool, viewer: str | None = None) -> None:
        """The engine has written all, or gave up: then nothing stays."""
        if incoming is None:
            return
        if not is_whole:
            incoming.discard()
            return
        with self._told(viewer):
            incoming.keep()
            self.embedder.people.tell(f"Saved {name_of(os.path.basename(incoming.path))}", viewer)

    @contextmanager
    def _told(self, viewer: str | None) -> Iterator[None]:
        """A file that cannot be protected is not kept, and the user hears of it."""
        try:
            yield
        except FileProtectionError as problem:
            self.embedder.people.tell(f"This file cannot be kept or read: {name_of(str(problem))}", viewer)

    def files(self, window: str) -> list[Path]:
        """What the account of a window keeps, of the kinds that are shown: nothing in them runs."""
        self._look_for_directory(window)
        directory, _ = self._own(window)
        found = sorted(directory.iterdir()) if directory and directory.is_dir() else []
        return [file for file in found if file.suffix.lower() in SHOWN and file.is_file() and not file.is_symlink()]

    def is_of_another(self, page: GuardedPage, path: str) -> bool:
        """Whether a file is another account's, by its place or its label: no page of this window shows it."""
        own = self.own_storage.get(page.window, (None, ""))[1]
        if self._account(os.path.realpath(path)) not in ("", own):
            return True
        try:
            owner = self.embedder.guard.files.get_owner(path)
        except FileProtectionError as problem:
            return problem.code != 104
        return owner.is_managed and (owner.account is None or not same_account(owner.account, own))

    def open(self, page: GuardedPage, file: Path) -> bool:
        """Shows a file of the account in its window; whether it may. One that is sealed is read only then."""
        if file not in self.files(page.window):
            return False
        path = os.path.realpath(file)
        found = self._read(page, [path], lambda about: self.embedder.may("open", viewer=page.name, **about))
        with self._told(page.name):
            for readable in found:
                page.show_file(Path(readable.path))
            return bool(found)
        return False

    def _read(self, page: GuardedPage, paths: Sequence[str], may: Callable[[dict[str, Any]], bool]) -> list[Readable]:
        """The files for a page, each asked about with its label; none if one of them may not be read."""
        with self._told(page.name):
            found = [self.embedder.guard.files.readable(path) for path in paths]
            about = [
                {"owner": self._account(path), **self.place(page, path), **file.facts}
                for path, file in zip(paths, found)
            ]
            if all([may(words) for words in about]):
                self._reading.setdefault(page.name, []).extend(found)
                return found
        return []

    def _accepted(self, page: GuardedPage, url: str, name: str) -> tuple[str, Decision] | None:
        """Where the file may be kept, and the decision about that place; None for nowhere."""
        self._look_for_directory(page.window)
        directory, _ = self._own(page.window)
        first = str(directory / name) if directory else ""

        def about(path: str) -> dict[str, Any]:
            return {"viewer": page.name, "url": url, **(self.place(page, path) if path else {})}

        decision = self.embedder.settled("download", **about(first))
        path = self.embedder.people.place(first or name) if decision else ""
        # A dialog may be open for days: what was said of the same place before it may hold no more.
        if decision and path and (path != first or not holds(self.embedder, "download", about(path), decision)):
            decision = self.embedder.settled("download", **about(path))
        return (path, decision) if path and decision else None

    def choose(self, page: GuardedPage, several: bool) -> list[str]:
        """Files for a page, each asked about before the page learns even its name."""
        with self._told(page.name):
            chosen = self.embedder.people.files(several)
            return [file.path for file in self._asked(page, chosen)] if page.is_known else []
        return []

    def takes(self, page: GuardedPage, files: Sequence[str]) -> bool:
        """Whether the page may have all of the files that are dropped on it. The engine has read their paths already, so it
        cannot be given others, as sealed files need."""
        found = self._asked(page, files)
        if any(file.is_sealed for file in found):
            self.embedder.people.tell("This file is sealed: choose it with the page's own button.", page.name)
            return False
        return bool(found)

    def _asked(self, page: GuardedPage, files: Sequence[str]) -> list[Readable]:
        address = page.address
        about = {"viewer": page.name, "url": address, "source": address}
        paths = [os.path.realpath(path) for path in files]
        found = self._read(page, paths, lambda words: self.embedder.may("upload", **about, **words))
        # Another page may have come while a dialog was open.
        return found if page.is_known and page.address == address else []

    # Paper and pictures

    @refusing()
    def print_page(self, page: GuardedPage) -> None:
        """Prints into a file, which is saved there: the daemon hears the path."""
        if not self.embedder.may("print", viewer=page.name):
            return
        path = self.embedder.people.place("page.pdf")
        incoming = self._saved(page, "print", path)
        if incoming:
            self._printing[incoming.path] = incoming
            page.printToPdf(incoming.path)

    def save_picture(self, page: GuardedPage, picture: QPixmap) -> bool:
        """Saves an image of the view, which was taken by us and of nothing but the view."""
        if not self.embedder.may("capture", viewer=page.name, capture="ownImage"):
            return False
        incoming = self._saved(page, "save", self.embedder.people.place("page.png"))
        if incoming is None:
            return False
        is_whole = picture.save(incoming.path)
        self._ended(incoming, is_whole, page.name)
        return is_whole

    def _saved(self, page: GuardedPage, event: Literal["print", "save"], path: str) -> Incoming | None:
        """A file that we write, if it may be there."""
        if not path:
            return None
        decision = self.embedder.settled(event, viewer=page.name, **self.place(page, path))
        return self._incoming(page, path, decision) if decision else None

    # What pages may ask for

    @refusing(lambda self, *asked: self._answer(*asked, False))
    def _permit(self, page: GuardedPage, origin: QUrl, feature: "QWebEnginePage.Feature") -> None:
        """A page that wants the screen is a recorder. Whether it may notify is asked for each notification."""
        granted = feature == Feature.Notifications
        if feature in SCREENS:
            granted = self.embedder.may("capture", viewer=page.name, capture="recording")
        self._answer(page, origin, feature, granted)

    def _answer(self, page: GuardedPage, origin: QUrl, feature: "QWebEnginePage.Feature", granted: bool) -> None:
        policy = QWebEnginePage.PermissionPolicy
        page.setFeaturePermission(
            origin, feature, policy.PermissionGrantedByUser if granted else policy.PermissionDeniedByUser
        )

    @refusing()
    def _notify(self, profile: QWebEngineProfile, notice: QWebEngineNotification) -> None:
        """The engine does not say which page: one of the same origin is taken, whose account is the same."""
        origin = urlsplit(encoded(notice.origin())).netloc
        pages = [page for page in self.embedder.pages.values() if page.profile() is profile]
        page = next((page for page in pages if urlsplit(page.shown).netloc == origin), None)
        decision = self.embedder.decide("notify", viewer=page.name if page else None)
        if decision.outcome == "redact":
            self.embedder.people.tell(decision.replacement or "", page.name if page else None)
        elif decision.allowed:
            self.embedder.people.tell(f"{notice.title()}: {notice.message()}", page.name if page else None)
