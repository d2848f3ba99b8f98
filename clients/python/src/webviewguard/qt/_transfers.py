"""Files, paper, pictures and notifications: what leaves or enters a page beside the clipboard."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from webviewguard.qt._binding import (
    QPixmap,
    QUrl,
    QWebEngineDownloadRequest,
    QWebEngineNotification,
    QWebEnginePage,
    QWebEngineProfile,
)
from webviewguard.qt._page import GuardedPage, encoded

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

Feature = QWebEnginePage.Feature
# Files that the browser shows by itself.
SHOWN = (".txt", ".csv", ".png", ".jpg")
SCREENS = (Feature.DesktopVideoCapture, Feature.DesktopAudioVideoCapture)


class Transfers:
    """One place for each way. Where a file goes is asked of the user first, and of the daemon before a byte is kept."""

    def __init__(self, embedder: "Embedder") -> None:
        self._embedder = embedder
        # What only this program reads: by window, a directory and the account that it belongs to.
        self.own_storage: dict[str, tuple[Path, str]] = {}

    def watch(self, profile: QWebEngineProfile) -> None:
        profile.downloadRequested.connect(self._download)
        profile.setNotificationPresenter(lambda notice: self._notify(profile, notice))

    def watch_page(self, page: GuardedPage) -> None:
        page.printRequested.connect(lambda: self.print_page(page))
        page.featurePermissionRequested.connect(lambda origin, feature: self._permit(page, origin, feature))

    # Files

    def place(self, page: GuardedPage, path: str) -> dict[str, Any]:
        """What an event says of a place: our own storage, or some folder that nobody vouches for."""
        path = os.path.realpath(path)
        account = self._account(path)
        if account and account == self.own_storage.get(page.window, (None, ""))[1]:
            return {"location": "localStorage", "location_account": account, "path": path}
        return {"location": "other", "path": path}

    def _account(self, path: str) -> str:
        """Whose a file is: that of the account in whose storage it lies, else nobody's."""
        for directory, account in self.own_storage.values():
            if Path(path).is_relative_to(directory.resolve()):
                return account
        return ""

    def _download(self, item: QWebEngineDownloadRequest) -> None:
        """Asked before the first byte is kept, with our own place, and again for another that the user chooses."""
        page, url = item.page(), encoded(item.url())
        path = self._accepted(page, url, item.suggestedFileName()) if isinstance(page, GuardedPage) else ""
        if not path:
            item.cancel()
            return
        item.setDownloadDirectory(os.path.dirname(path))
        item.setDownloadFileName(os.path.basename(path))
        name = page.name if isinstance(page, GuardedPage) else None
        saved = QWebEngineDownloadRequest.DownloadState.DownloadCompleted
        tell, text = self._embedder.people.tell, f"Saved {os.path.basename(path)}"
        item.stateChanged.connect(lambda state: tell(text, name) if state == saved else None)
        item.accept()

    def files(self, window: str) -> list[Path]:
        """What the account of a window keeps, of the kinds that are shown: nothing in them runs."""
        directory, _ = self.own_storage.get(window, (None, ""))
        found = sorted(directory.iterdir()) if directory and directory.is_dir() else []
        return [file for file in found if file.suffix.lower() in SHOWN and file.is_file() and not file.is_symlink()]

    def is_of_another(self, page: GuardedPage, path: str) -> bool:
        """Whether a file lies where another account keeps its own: no page of this window shows it."""
        own = self.own_storage.get(page.window, (None, ""))[1]
        return self._account(os.path.realpath(path)) not in ("", own)

    def open(self, page: GuardedPage, file: Path) -> bool:
        """Shows a file of the account in its window; whether it may."""
        if file not in self.files(page.window):
            return False
        about = {"viewer": page.name, "owner": self._account(os.path.realpath(file)), **self.place(page, str(file))}
        may = self._embedder.may("open", **about)
        if may:
            page.show_file(file)
        return may

    def _accepted(self, page: GuardedPage, url: str, name: str) -> str:
        """Where the file may be kept; empty for nowhere."""
        directory, _ = self.own_storage.get(page.window, (None, ""))
        first = str(directory / name) if directory else ""
        if not self._embedder.may("download", viewer=page.name, url=url, **(self.place(page, first) if first else {})):
            return ""
        path = self._embedder.people.place(first or name)
        if path and path != first:
            return path if self._embedder.may("download", viewer=page.name, url=url, **self.place(page, path)) else ""
        return path

    def choose(self, page: GuardedPage, several: bool) -> list[str]:
        """Files for a page, each asked about before the page learns even its name."""
        chosen = self._embedder.people.files(several)
        return list(chosen) if self.takes(page, chosen) else []

    def takes(self, page: GuardedPage, files: Sequence[str]) -> bool:
        """Whether the page may have all of them, which were chosen or dropped."""
        about = {"viewer": page.name, "url": page.address, "source": page.address}
        paths = [os.path.realpath(path) for path in files]
        may = [
            self._embedder.may("upload", **about, owner=self._account(path), **self.place(page, path)) for path in paths
        ]
        return all(may)

    # Paper and pictures

    def print_page(self, page: GuardedPage) -> None:
        """Prints into a file, which is saved there: the daemon hears the path."""
        if not self._embedder.may("print", viewer=page.name):
            return
        path = self._embedder.people.place("page.pdf")
        if path and self._embedder.may("print", viewer=page.name, **self.place(page, path)):
            page.printToPdf(path)

    def save_picture(self, page: GuardedPage, picture: QPixmap) -> bool:
        """Saves an image of the view, which was taken by us and of nothing but the view."""
        if not self._embedder.may("capture", viewer=page.name, capture="ownImage"):
            return False
        path = self._embedder.people.place("page.png")
        return (
            bool(path) and self._embedder.may("save", viewer=page.name, **self.place(page, path)) and picture.save(path)
        )

    # What pages may ask for

    def _permit(self, page: GuardedPage, origin: QUrl, feature: "QWebEnginePage.Feature") -> None:
        """A page that wants the screen is a recorder. Whether it may notify is asked for each notification."""
        granted = feature == Feature.Notifications
        if feature in SCREENS:
            granted = self._embedder.may("capture", viewer=page.name, capture="recording")
        policy = QWebEnginePage.PermissionPolicy
        page.setFeaturePermission(
            origin, feature, policy.PermissionGrantedByUser if granted else policy.PermissionDeniedByUser
        )

    def _notify(self, profile: QWebEngineProfile, notice: QWebEngineNotification) -> None:
        """The engine does not say which page: one of the same origin is taken, whose account is the same."""
        origin = urlsplit(encoded(notice.origin())).netloc
        pages = [page for page in self._embedder.pages.values() if page.profile() is profile]
        page = next((page for page in pages if urlsplit(page.shown).netloc == origin), None)
        decision = self._embedder.decide("notify", viewer=page.name if page else None)
        if decision.outcome == "redact":
            self._embedder.people.tell(decision.replacement or "", page.name if page else None)
        elif decision.allowed:
            self._embedder.people.tell(f"{notice.title()}: {notice.message()}", page.name if page else None)
