"""Pastes: asked about before they happen, by the keys and the menu of a person, and by the script of the page.

A page can keep the script from hearing of a paste, in a frame that it writes itself. It cannot keep the view from seeing the
keys first, nor the menu's choice. What is answered there is the script's answer, too, if the script hears of that paste.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from webviewguard.qt._binding import (
    QClipboard, QCoreApplication, QEvent, QKeyEvent, QKeySequence, QObject, Qt, QWebEnginePage,
)  # fmt: skip
from webviewguard.qt._clip import Clip, Mode, read
from webviewguard.qt._hooks import refusing

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder
    from webviewguard.qt._page import GuardedPage
    from webviewguard.qt._view import GuardedDrags

# So long a page may take until its script asks about what a person has pasted.
SAME_SECONDS = 2.0
Action = QWebEnginePage.WebAction
ACTIONS = (Action.Paste, Action.PasteAndMatchStyle)
Answer = dict[str, str]
BLOCK: Answer = {"outcome": "block"}


@dataclass
class Pasted:
    """What a person was allowed to paste: good for one question of the script about the same."""

    page: "GuardedPage"
    address: str
    clip: Clip
    answer: Answer
    at: float


class Pastes:
    def __init__(self, embedder: "Embedder", clipboard: QClipboard) -> None:
        self.embedder, self._clipboard = embedder, clipboard
        self._pasted: Pasted | None = None

    def answer(self, page: "GuardedPage", asked: dict[str, Any]) -> Answer:
        """The answer to the script."""
        pasted, self._pasted = self._pasted, None
        is_there = pasted and pasted.page is page and pasted.address == page.address
        if pasted and is_there and asked["selection"] == "clipboard":
            is_soon = time.monotonic() - pasted.at <= SAME_SECONDS
            if is_soon and pasted.clip == read(self._clipboard.mimeData(Mode.Clipboard)):
                return pasted.answer
        return self._asked(page, asked["selection"])[0]

    def closed(self, page: "GuardedPage") -> None:
        """A viewer ends. Nothing of what was pasted there is kept."""
        if self._pasted and self._pasted.page is page:
            self._pasted = None

    def action(self, page: "GuardedPage", action: "QWebEnginePage.WebAction") -> "QWebEnginePage.WebAction | None":
        """What the engine may do where a person wants to paste; None for nothing."""
        self._pasted = None
        answer, clip = self._asked(page, "clipboard")
        if answer == BLOCK:
            return None
        self._pasted = Pasted(page, page.address, clip, answer, time.monotonic())
        is_stripped = answer["outcome"] == "insert" and not clip.is_wrapped
        return Action.PasteAndMatchStyle if is_stripped else action

    def _asked(self, page: "GuardedPage", selection: str) -> tuple[Answer, Clip]:
        is_primary = selection == "primary" and self._clipboard.supportsSelection()
        mode = Mode.Selection if is_primary else Mode.Clipboard
        clip = read(self._clipboard.mimeData(mode))
        about = {"selection": selection, "formats": clip.formats, "clip": clip.id, "length": len(clip.text)}
        decision = self.embedder.gets(page, **about)
        if decision is None or read(self._clipboard.mimeData(mode)) != clip:
            return BLOCK, clip  # While a dialog is open another clip may come, which nobody was asked about.
        if clip.is_wrapped or decision.only_plain_text:
            html = "" if decision.only_plain_text else clip.html
            return {"outcome": "insert", "text": clip.text, "html": html}, clip
        return {"outcome": "allow"}, clip


class PasteKeys(QObject):
    """Sees the keys of a view before its page does."""

    def __init__(self, view: "GuardedDrags") -> None:
        super().__init__(view)
        self._view = view
        self._is_announcing = False

    @property
    def embedder(self) -> "Embedder":
        return self._view.embedder

    def eventFilter(self, watched: "QObject | None", event: "QEvent | None") -> bool:
        """Whether the page does not get it."""
        kinds = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)
        return isinstance(event, QKeyEvent) and event.type() in kinds and self._keeps(watched, event)

    @refusing(True)
    def _keeps(self, watched: QObject, event: QKeyEvent) -> bool:
        if self._is_announcing or not _pastes(event) or watched is not self._view.focusProxy():
            return False
        if event.type() == QEvent.Type.KeyPress:
            if self._view.takes_no_paste():
                return True
            self._announce(watched, event)
            return False
        is_hidden = event.matches(QKeySequence.StandardKey.Paste)
        if is_hidden:
            event.accept()  # As the engine does, so that it is no shortcut of the program.
        return is_hidden

    def _announce(self, watched: QObject, event: QKeyEvent) -> None:
        """The engine hears that such a key comes only now: it keeps in mind that it pastes, and would do it with whatever
        key comes next."""
        native = event.nativeScanCode(), event.nativeVirtualKey(), event.nativeModifiers()
        told = QKeyEvent(
            QEvent.Type.ShortcutOverride, event.key(), event.modifiers(), *native, event.text(), event.isAutoRepeat()
        )
        self._is_announcing = True
        try:
            QCoreApplication.sendEvent(watched, told)
        finally:
            self._is_announcing = False


def _pastes(event: QKeyEvent) -> bool:
    """Whether the engine pastes with such a key, or might: it knows more of them than Qt, with other keys held."""
    key, held, modifiers = event.key(), event.modifiers(), Qt.KeyboardModifier
    return (
        event.matches(QKeySequence.StandardKey.Paste)
        or key in (Qt.Key.Key_Paste, Qt.Key.Key_F18)
        or (key == Qt.Key.Key_V and bool(held & modifiers.ControlModifier))
        or (key == Qt.Key.Key_Insert and bool(held & modifiers.ShiftModifier))
    )
