"""Watches CLIPBOARD and PRIMARY: says each change, and keeps from other programs what they may not read."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import gi
from guard_loop import LoopGuard
from veil import ID_TYPE, PRIVATE_TYPE, VEIL, Notice, owner_in_this_process
from webviewguard import Decision

gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

if TYPE_CHECKING:
    from viewer import Viewer

ATOMS = {"clipboard": Gdk.SELECTION_CLIPBOARD, "primary": Gdk.SELECTION_PRIMARY}
NOTICE = "Your organization's data cannot be pasted here."
ANNOUNCED_SECONDS = 2.0
# Marking text fills PRIMARY again and again while the mouse moves; one question is enough.
QUIET_MS = 80


@dataclass
class Content:
    """What is known of a selection's content."""

    length: int | None = None
    is_ours: bool = False
    text: str = ""
    html: str = ""
    clip: str | None = None
    # Another guarded program's wrapped clip.
    is_wrapped: bool = False


class Selections:
    """Both selections of the display. What this browser puts there is veiled first, and shown when that is allowed."""

    def __init__(self, guard: LoopGuard) -> None:
        self.guard = guard
        self.display = Gdk.Display.get_default().get_name()
        self.contents = {name: Content() for name in ATOMS}
        self._veil = VEIL
        self._clipboards = {name: Gtk.Clipboard.get(atom) for name, atom in ATOMS.items()}
        self._announced: tuple[float, int, Decision, Viewer] | None = None
        self._marker: Viewer | None = None
        self._quiet = 0
        boards = self._clipboards.items()
        self._handlers = [(board, board.connect("owner-change", self._changed, name)) for name, board in boards]

    def close(self) -> None:
        """What is veiled stays veiled."""
        for clipboard, handler in self._handlers:
            clipboard.disconnect(handler)
        if self._quiet:
            GLib.source_remove(self._quiet)

    # What the viewers know beforehand

    def announce(self, viewer: "Viewer", decision: Decision, length: int) -> None:
        """The next change of the clipboard is what this decision allowed in this viewer."""
        self._announced = time.monotonic(), length, decision, viewer

    def marked(self, viewer: "Viewer") -> None:
        """Text was marked in this viewer."""
        self._marker = viewer

    # What happens

    def _changed(self, clipboard: Gtk.Clipboard, _event: Gdk.EventOwnerChange, name: str) -> None:
        if not owner_in_this_process(ATOMS[name]):
            self._filled_outside(clipboard, name)
            return
        # This comes before any request of another program for the content, so nobody reads what was not judged yet.
        self._veil.drop(ATOMS[name], Notice(NOTICE))
        with self.opened():
            text = clipboard.wait_for_text() or ""
            html = clipboard.wait_for_contents(Gdk.Atom.intern("text/html", False))
        html_text = (html.get_data() or b"").decode(errors="replace") if html else ""
        self.contents[name] = Content(len(text), True, text, html_text)
        if name == "clipboard":
            self._judge_clipboard()
        else:
            self._when_quiet(self._judge_primary)

    def _judge_clipboard(self) -> None:
        announced, self._announced = self._announced, None
        if announced is None or time.monotonic() - announced[0] > ANNOUNCED_SECONDS:
            # No event told of it, so nobody knows which viewer it was.
            self._ask_copy("clipboard", None)
            return
        _, length, decision, viewer = announced
        if self.contents["clipboard"].length == length:
            self._apply("clipboard", decision)
        else:
            # The page copied something else than what was marked: that is asked about as it lies there.
            self._ask_copy("clipboard", viewer)

    def _judge_primary(self) -> None:
        marker, self._marker = self._marker, None
        self._ask_copy("primary", marker)

    def _ask_copy(self, name: str, viewer: "Viewer | None") -> None:
        content = self.contents[name]

        def answered(decision: Decision) -> None:
            if self.contents[name] is content:
                self._apply(name, decision)

        event = {"selection": name, "length": content.length, "formats": ["text/plain"], "display": self.display}
        self.guard.ask("copy", answered, viewer=viewer.name if viewer else None, **event)

    def _apply(self, name: str, decision: Decision) -> None:
        """Shows the content to other programs, or the notice in its place."""
        content = self.contents[name]
        content.clip = decision.clip
        text = decision.replacement or NOTICE
        if not decision.allowed:
            self._veil.drop(ATOMS[name], Notice(text))
        elif decision.mime_wrap:
            self._veil.drop(ATOMS[name], Notice(text, decision.clip or "", content.text, content.html))
        elif decision.only_plain_text:
            # Short enough for everybody, as text and as nothing else.
            self._veil.drop(ATOMS[name], Notice(content.text))
        else:
            self._veil.lift(ATOMS[name])
        # It lies there, and this decision is about nothing else: in whatever shape others read it.
        self._say_changed(name, content, decision.proposal)

    def _filled_outside(self, clipboard: Gtk.Clipboard, name: str) -> None:
        self._veil.lift(ATOMS[name])
        content = self.contents[name] = Content()

        def types_came(_clipboard: Gtk.Clipboard, data: Gtk.SelectionData) -> None:
            has_any, types = data.get_targets()
            content.is_wrapped = has_any and PRIVATE_TYPE in (kind.name() for kind in types)
            if content.is_wrapped:
                clipboard.request_contents(Gdk.Atom.intern(ID_TYPE, False), clip_came)
            else:
                clipboard.request_text(text_came)

        def clip_came(_clipboard: Gtk.Clipboard, data: Gtk.SelectionData) -> None:
            content.clip = (data.get_data() or b"").decode(errors="replace")
            said()

        def text_came(_clipboard: Gtk.Clipboard, text: str | None) -> None:
            content.length = None if text is None else len(text)
            said()

        def said() -> None:
            if self.contents[name] is content:
                self._say_changed(name, content)

        # Asking for the targets by their own call crashes in Python's bindings.
        clipboard.request_contents(Gdk.Atom.intern("TARGETS", False), types_came)

    def _say_changed(self, name: str, content: Content, proposal: str | None = None) -> None:
        event = {"selection": name, "length": content.length, "clip": content.clip, "display": self.display}
        event["proposal"] = proposal
        self.guard.ask("clipboardChanged", lambda _: None, self_owned=content.is_ours, **event)

    def _when_quiet(self, act: Callable[[], None]) -> None:
        if self._quiet:
            GLib.source_remove(self._quiet)

        def quiet() -> bool:
            self._quiet = 0
            act()
            return GLib.SOURCE_REMOVE

        self._quiet = GLib.timeout_add(QUIET_MS, quiet)

    # Pasting

    def open(self) -> None:
        """The engine may read what is veiled, for a paste that was allowed."""
        self._veil.is_open = True

    def shut(self) -> None:
        self._veil.is_open = False

    @contextmanager
    def opened(self) -> Iterator[None]:
        before, self._veil.is_open = self._veil.is_open, True
        try:
            yield
        finally:
            self._veil.is_open = before

    def read(self, name: str, came: Callable[[str], None]) -> None:
        """The true text, also of another guarded program's wrapped clip."""
        content, clipboard = self.contents[name], self._clipboards[name]
        if content.is_ours:
            came(content.text)
        elif content.is_wrapped:
            atom = Gdk.Atom.intern(PRIVATE_TYPE, False)
            clipboard.request_contents(atom, lambda _, data: came((data.get_data() or b"").decode(errors="replace")))
        else:
            clipboard.request_text(lambda _, text: came(text or ""))
