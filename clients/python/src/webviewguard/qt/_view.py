"""A view of a guarded page. What is dragged out of it is text for our own views, and a notice for other programs."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING
from weakref import WeakMethod

from webviewguard import Decision
from webviewguard.qt._binding import (
    QChildEvent,
    QCloseEvent,
    QDrag,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QMimeData,
    QTimer,
    QWebEnginePage,
    QWebEngineView,
)
from webviewguard.qt._clip import PRIVATE, PRIVATE_ID
from webviewguard.qt._hooks import refusing
from webviewguard.qt._page import GuardedPage, Nothing
from webviewguard.qt._pastes import PasteKeys

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder


class Veil:
    """The data of one drag, as others may read it and as our own views may."""

    def __init__(self, mime: QMimeData, decision: Decision) -> None:
        self._mime, self._decision = mime, decision
        self._content = {kind: bytes(mime.data(kind)) for kind in mime.formats()}
        self.drop()

    def drop(self) -> None:
        """From now on a notice is read; of a text that is short enough for everybody, the text and nothing else."""
        text = self._mime.text()
        self._mime.clear()
        if not self._decision.mime_wrap:
            self._mime.setText(text)
            return
        self._mime.setText(self._decision.replacement or "")
        self._mime.setData(PRIVATE, text.encode())
        self._mime.setData(PRIVATE_ID, (self._decision.clip or "").encode())

    def lift(self) -> None:
        """From now on the content is read: the pointer is over a view of ours, which asks before it takes it."""
        self._mime.clear()
        for kind, content in self._content.items():
            self._mime.setData(kind, content)


class GuardedDrags(QWebEngineView):
    """A view whose page is ours, from the moment at which something can load in it. The engine makes each drag a child of it."""

    _soon: QTimer | None = None
    _keys: PasteKeys | None = None

    def setPage(self, page: "QWebEnginePage | None") -> None:
        """Shows a page of ours, and takes it from the view that showed it."""
        if not isinstance(page, GuardedPage):
            raise TypeError("a guarded view shows guarded pages only")
        self._keys = self._keys or PasteKeys(self)
        before, page.left_alone = page.left_alone(), WeakMethod(self._show_nothing)
        super().setPage(page)
        self._guarded = page
        if before and before != self._show_nothing:
            before()
        if self._soon is None:
            # It ends with the view: a timer of its own would call a view that is deleted.
            self._soon = QTimer(self, singleShot=True)
            self._soon.timeout.connect(self._veil)

    @property
    def embedder(self) -> Embedder:
        return self._guarded.embedder

    def takes_no_paste(self) -> bool:
        return self._guarded.takes_no_paste()

    def _show_nothing(self) -> None:
        """Its page is gone. As soon as anybody asks for one, the engine would make one that nobody guards."""
        with suppress(RuntimeError):  # It may be deleted, too.
            self._nothing = Nothing(self)
            super().setPage(self._nothing)

    def childEvent(self, event: QChildEvent) -> None:
        super().childEvent(event)
        if event.added() and self._keys and (child := event.child()).isWidgetType():
            child.installEventFilter(self._keys)  # It may be what gets the keys of the page.
        if event.added() and self._soon:
            # The child is not made yet. A drag runs a loop of its own, in which this comes at once.
            self._soon.start(0)

    @refusing(lambda _: QDrag.cancel())
    def _veil(self) -> None:
        clips = self.embedder.clips
        drag = self.findChild(QDrag)
        mime = drag.mimeData() if drag else None
        if mime is None or clips.veil:
            return
        if not clips.dragged(self._guarded, mime.text(), mime.formats()):
            QDrag.cancel()
        elif clips.drag:
            clips.veil = Veil(mime, clips.drag)

    @refusing()
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.embedder.clips.veil:
            self.embedder.clips.veil.lift()
        super().dragEnterEvent(event)

    @refusing()
    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        if self.embedder.clips.veil:
            self.embedder.clips.veil.drop()
        super().dragLeaveEvent(event)

    @refusing(lambda _, event: event.ignore())
    def dropEvent(self, event: QDropEvent) -> None:
        """Asked about here, before the page gets it. Of files the page's script learns only names."""
        mime = event.mimeData()
        taken = self._taken(mime, isinstance(event.source(), GuardedDrags)) if mime else None
        if taken is None:
            event.ignore()
            super().dragLeaveEvent(QDragLeaveEvent())
        elif taken is mime:
            super().dropEvent(event)
        else:
            self._drop_in_place_of(event, taken)

    def _drop_in_place_of(self, event: QDropEvent, mime: QMimeData) -> None:
        """Drops something else at the same place. The engine gives a page what it read when the drag came in."""
        about = event.possibleActions(), mime, event.buttons(), event.modifiers()
        at, drop = event.position().toPoint(), QDropEvent(event.position(), *about)
        super().dragLeaveEvent(QDragLeaveEvent())
        super().dragEnterEvent(QDragEnterEvent(at, *about))
        super().dragMoveEvent(QDragMoveEvent(at, *about))
        super().dropEvent(drop)
        event.setDropAction(drop.dropAction())
        event.setAccepted(drop.isAccepted())

    def _taken(self, mime: QMimeData, is_of_a_page: bool) -> QMimeData | None:
        """What the page gets of it; None for nothing. A picture of a page comes as a file, which the engine has made of it:
        that is nobody's, and the page's data all the same."""
        clips = self.embedder.clips
        paths = [url.toLocalFile() for url in mime.urls() if url.isLocalFile()]
        if paths and is_of_a_page:
            decision = clips.takes(self._guarded, mime)
            if decision is None or decision.only_plain_text:
                clips.dropped = {}
                return None
        if paths:
            may = self.embedder.transfers.takes(self._guarded, paths)
            clips.dropped = {"outcome": "allow"} if may else {}
            return mime if may else None
        decision = clips.takes(self._guarded, mime)
        if decision is None or not decision.only_plain_text:
            return mime if decision else None
        plain = QMimeData()
        plain.setText(mime.text())
        return plain


class GuardedView(GuardedDrags):
    """A view with a page of ours, which ends with it."""

    def __init__(self, page: GuardedPage) -> None:
        super().__init__()
        self.setPage(page)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        if self._guarded.left_alone() == self._show_nothing:
            self.embedder.forget(self._guarded)
