"""Copy, cut, paste, drag and drop: asked before they happen. And the selections, whoever fills them."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webviewguard import Decision
from webviewguard.qt._binding import QClipboard, QGuiApplication, QMimeData, QTimer, QWebEngineProfile, QWebEngineScript
from webviewguard.qt._clip import NAMES, PRIVATE, PRIVATE_HTML, PRIVATE_ID, Clip, Mode, read
from webviewguard.qt._hooks import refusing
from webviewguard.qt._pastes import Pastes

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder
    from webviewguard.qt._page import GuardedPage
    from webviewguard.qt._view import Veil

# Platforms whose clipboard no other program sees.
ALONE = ("offscreen", "minimal")
# So long after a copy was allowed the same text on the clipboard is taken for that copy.
ECHO_SECONDS = 2.0
# How long after its end a drag may still be dropped in another page.
DROP_MS = 500
BLOCK = json.dumps({"outcome": "block"})


@dataclass
class Copied:
    """A copy that was allowed, and what it would put on the clipboard: what lies there then is known by it."""

    at: float
    decision: Decision
    text: str
    # Whether there was anything to copy, if only a picture.
    is_marked: bool

    def has_come(self, clip: "Clip") -> bool:
        """Whether this is what came of it. Engines and pages differ in white space."""
        is_soon = time.monotonic() - self.at <= ECHO_SECONDS
        return is_soon and self.is_marked and self.text.split() == clip.text.split()


class Clips:
    """The two selections, and the script in every page that asks before it uses them."""

    def __init__(self, embedder: "Embedder") -> None:
        self.embedder = embedder
        # Only our own script knows this word, so that no page can ask in its place.
        self.secret = secrets.token_hex()
        self._copied: Copied | None = None
        # What a page copied, and what lies on the clipboard as it is.
        self._left: Clip | None = None
        self._is_wrapping = self._is_dropped = False
        self._drags = 0
        self._drag_length: int | None = None
        # What was answered about the drop that the script hears of next: the view sees it before any page.
        self.dropped: dict[str, str] = {}
        # What other programs may not read of the drag that is under way, and how it is kept from them.
        self.drag: Decision | None = None
        self.veil: Veil | None = None
        # The page that a drag began in, until its end is told.
        self._dragging: GuardedPage | None = None
        self.clipboard: QClipboard = QGuiApplication.clipboard()
        self.pastes = Pastes(embedder, self.clipboard)
        self.clipboard.changed.connect(self._changed)

    def close(self) -> None:
        self.clipboard.changed.disconnect(self._changed)

    def install(self, profile: QWebEngineProfile) -> None:
        world = QWebEngineScript.ScriptWorldId
        for name, place in (("opened.js", world.MainWorld), ("clips.js", world.ApplicationWorld)):
            script = QWebEngineScript()
            source = Path(__file__).with_name(name).read_text(encoding="utf-8")
            script.setSourceCode(source.replace("SECRET", self.secret))
            script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
            script.setWorldId(place)
            script.setRunsOnSubFrames(True)
            profile.scripts().insert(script)

    # What the script in a page asks

    def answer(self, page: "GuardedPage", question: str) -> str:
        """The answer to the script, as JSON."""
        try:
            asked: dict[str, Any] = json.loads(question)
            acts = {
                "copy": self._copy, "cut": self._copy, "filled": self._filled, "drag": self._drag,
                "paste": self.pastes.answer,
                "drop": self._drop,
            }  # fmt: skip
            return json.dumps(acts.get(asked["type"], self._drag_end)(page, asked))
        except (ValueError, KeyError, TypeError):
            return BLOCK

    def _copy(self, page: "GuardedPage", asked: dict[str, Any]) -> dict[str, str]:
        about = {"selection": "clipboard", "length": asked["length"], "formats": asked["formats"]}
        decision = self.embedder.settled("copy", viewer=page.name, cut=asked["type"] == "cut", **about)
        self._copied = Copied(time.monotonic(), decision, asked["text"], asked["isMarked"]) if decision else None
        return {"outcome": "allow" if decision else "block"}

    def _filled(self, page: "GuardedPage", asked: dict[str, Any]) -> dict[str, str]:
        """The page puts something else on the clipboard than what is marked, or nothing. It may say so only of its own
        copy: nothing happens between the question and this."""
        if self._copied:
            self._copied.text, self._copied.is_marked = asked["text"], asked["isMarked"]
        return {"outcome": "allow"}

    def _drag(self, page: "GuardedPage", asked: dict[str, Any]) -> dict[str, str]:
        self._drags += 1
        self._is_dropped, self.veil, self._dragging = False, None, page
        may = self._may_drag(page, asked["length"], asked["formats"])
        if not may:
            self._say_drag_end()
        return {"outcome": "allow" if may else "block"}

    def _may_drag(self, page: "GuardedPage", length: int | None, formats: list[str]) -> bool:
        about = {"selection": "drag", "length": length, "formats": formats}
        decision = self.embedder.settled("copy", viewer=page.name, **about)
        is_veiled = decision is not None and (decision.mime_wrap or decision.only_plain_text)
        self._drag_length, self.drag = length, decision if is_veiled else None
        return decision is not None

    def dragged(self, page: "GuardedPage", text: str, formats: list[str]) -> bool:
        """Whether a drag may go on, now that the page has filled it: with other text than was asked about, it is asked
        about again."""
        return len(text) == self._drag_length or self._may_drag(page, len(text), formats)

    def takes(self, page: "GuardedPage", mime: QMimeData) -> Decision | None:
        """The answer by which the page gets what is dropped on its view: no page can keep the view from hearing of it."""
        self._is_dropped = True
        about = {"selection": "drag", "length": len(mime.text()) or None, "formats": mime.formats()}
        decision = self.embedder.gets(page, **about)
        self.dropped = {"outcome": "insert" if decision.only_plain_text else "allow"} if decision else {}
        return decision

    def _drop(self, page: "GuardedPage", asked: dict[str, Any]) -> dict[str, str]:
        """The script hears of what the view was asked about."""
        self._is_dropped = True
        answer, self.dropped = self.dropped, {}
        return answer or {"outcome": "block"}

    def _drag_end(self, page: "GuardedPage", _: dict[str, Any]) -> dict[str, str]:
        """The page that a drag came from hears of its end before the other page hears of the drop."""
        drag = self._drags

        def end() -> None:
            if self._drags == drag:
                self.drag = self.veil = None
                self._say_drag_end()

        QTimer.singleShot(0 if self._is_dropped else DROP_MS, end)
        return {"outcome": "allow"}

    def closed(self, page: "GuardedPage") -> None:
        """A viewer ends, and with it a drag that began there: no script says so any more."""
        self.pastes.closed(page)
        if self._dragging is page:
            self._say_drag_end()

    def _say_drag_end(self) -> None:
        page, self._dragging = self._dragging, None
        if page is not None:
            self.embedder.decide("dragEnd", viewer=page.name, selection="drag")

    # What happens to the selections

    def _failed(self, mode: "QClipboard.Mode") -> None:
        """Nobody knows what lies there, so nothing of ours does."""
        if self._owns(mode):
            self._is_wrapping = True
            try:
                self.clipboard.setMimeData(QMimeData(), mode)
            finally:
                self._is_wrapping = False

    @refusing(_failed)
    def _changed(self, mode: "QClipboard.Mode") -> None:
        """A selection has a new owner: another program, or a page of ours, asked or not."""
        if self._is_wrapping or mode not in NAMES:
            return
        owned = self._owns(mode)
        clip = read(self.clipboard.mimeData(mode))
        if mode == Mode.Clipboard:
            left, self._left = self._left, None
            if owned and clip == left and self._copied is None:
                self._left = left
                return  # Wayland tells the owner of its own clip once more. Nothing else lies there than before.
        copied = self._copy_of(mode, clip) if owned else None
        changed = self._say_changed(mode, clip, owned, copied)
        if not owned or clip.is_wrapped:
            return
        if not changed.allowed or (copied and not copied.allowed):
            self._empty(mode, copied)
        elif (copied and copied.mime_wrap) or changed.mime_wrap:
            self._wrap(mode, clip, copied if copied and copied.mime_wrap else changed)
        elif (copied and copied.only_plain_text) and clip.formats != ["text/plain"]:
            self._strip(mode, clip, copied)
        elif mode == Mode.Clipboard:
            self._left = clip

    def _copy_of(self, mode: "QClipboard.Mode", clip: Clip) -> Decision | None:
        """The decision about what lies there, if it is what was asked about. Anything else nobody asked about."""
        if mode == Mode.Selection:
            return self._marked(clip) if clip.text else None
        copied, self._copied = self._copied, None
        return copied.decision if copied and copied.has_come(clip) else None

    def _say_changed(self, mode: "QClipboard.Mode", clip: Clip, owned: bool, copied: Decision | None) -> Decision:
        """Tells of a change. Of one that this program made it names the copy, if it saw that happen; else the clip that
        lies there by its id."""
        about = {"selection": NAMES[mode], "length": len(clip.text), "formats": clip.formats, "self_owned": owned}
        named = {"clip": copied.clip or clip.id, "proposal": copied.proposal} if copied else {"clip": clip.id}
        return self.embedder.decide("clipboardChanged", **about, **named)

    def _owns(self, mode: "QClipboard.Mode") -> bool:
        """Whether this program filled it. Without a screen there is no other, and Qt says that nobody did."""
        if QGuiApplication.platformName() in ALONE:
            return True
        return self.clipboard.ownsSelection() if mode == Mode.Selection else self.clipboard.ownsClipboard()

    def _marked(self, clip: Clip) -> Decision:
        """Text that is marked is copied: any program may paste it with a middle click."""
        text = clip.text.split()
        marked = [page.name for page in self.embedder.pages.values() if page.selectedText().split() == text]
        about = {"selection": "primary", "length": len(clip.text), "formats": clip.formats}
        # Where it is not clear which page it is, no viewer is said: it then counts as the strictest.
        return self.embedder.decide("copy", viewer=marked[0] if len(marked) == 1 else None, **about)

    def _wrap(self, mode: "QClipboard.Mode", clip: Clip, decision: Decision) -> None:
        """Other programs read a notice. The content stays beside it, for programs that ask before they insert it."""
        mime = QMimeData()
        mime.setText(decision.replacement or "")
        mime.setData(PRIVATE, clip.text.encode())
        mime.setData(PRIVATE_ID, (decision.clip or "").encode())
        if clip.html:
            mime.setData(PRIVATE_HTML, clip.html.encode())
        self._fill(mode, mime, decision)

    def _strip(self, mode: "QClipboard.Mode", clip: Clip, decision: Decision) -> None:
        """A text that is short enough for everybody stays, and nothing that came along with it."""
        mime = QMimeData()
        mime.setText(clip.text)
        self._fill(mode, mime, decision)

    def _empty(self, mode: "QClipboard.Mode", decision: Decision | None) -> None:
        self._fill(mode, QMimeData(), decision)

    def _fill(self, mode: "QClipboard.Mode", mime: QMimeData, decision: Decision | None) -> None:
        """Fills a selection in the engine's place, and tells that the same clip lies there, in another shape."""
        self._is_wrapping = True
        try:
            self.clipboard.setMimeData(mime, mode)
        finally:
            self._is_wrapping = False
        self._say_changed(mode, read(self.clipboard.mimeData(mode)), True, decision)
