"""Copy, cut, paste and dragging in one viewer: the page's script asks, and waits for the answer."""

from typing import TYPE_CHECKING, Any

from gi.repository import Gdk, Gtk, WebKit2
from page_channel import Reply
from selections import NOTICE
from webviewguard import Decision

if TYPE_CHECKING:
    from viewer import Viewer


class Clipboard:
    """Answers the questions of the script in this viewer's pages."""

    def __init__(self, viewer: "Viewer") -> None:
        self.viewer = viewer
        self.selections = viewer.browser.selections
        # What other programs get of what is dragged, in place of the content; None for the content itself.
        self._drag_notice: str | None = None
        # Whether a drag began here whose end was not told.
        self._is_dragging = False
        viewer.view.connect_after("drag-data-get", self._give)

    def asked(self, question: dict[str, Any], reply: Reply) -> None:
        match question["what"]:
            case "copy" | "cut":
                self._copy(question["length"], question["what"] == "cut", reply)
            case "paste":
                self._paste(question["selection"], reply)
            case "drag":
                self._drag(question["length"], question["text"], reply)
            case "drop":
                self._drop(question["length"], question["formats"], reply)
            case _:
                reply({"allowed": False})

    def told(self, what: str) -> None:
        match what:
            case "marked":
                self.selections.marked(self.viewer)
            case "pasted":
                self.selections.shut()
            case "dragend":
                self.end_drag()

    def end_drag(self) -> None:
        """A drag is over: dropped, called off, or gone with its viewer."""
        if self._is_dragging:
            self._is_dragging = False
            self.viewer.ask("dragEnd", lambda *_: None, selection="drag", display=self.selections.display)

    def _copy(self, length: int, is_cut: bool, reply: Reply) -> None:
        def settled(allowed: bool, decision: Decision) -> None:
            if allowed:
                self.selections.announce(self.viewer, decision, length)
            self._answer(allowed, decision, reply)

        event = {"selection": "clipboard", "length": length, "formats": ["text/plain", "text/html"], "cut": is_cut}
        self.viewer.ask("copy", settled, display=self.selections.display, **event)

    def _paste(self, selection: str, reply: Reply) -> None:
        """`unknown` is a middle click: it pastes PRIMARY where it is filled, and the event does not tell."""
        contents = self.selections.contents
        source = "primary" if selection == "unknown" and contents["primary"].length else "clipboard"
        content = contents[source]
        length = content.length if selection == "clipboard" else None

        def settled(allowed: bool, decision: Decision) -> None:
            if allowed and (decision.only_plain_text or content.is_wrapped):
                self.selections.read(source, lambda text: reply({"allowed": True, "text": text}))
                return
            if allowed:
                self.selections.open()
            self._answer(allowed, decision, reply)

        event = {"selection": selection, "length": length, "clip": content.clip}
        page = self.viewer.document or None
        self.viewer.ask("paste", settled, source=page, formats=["text/plain"], display=self.selections.display, **event)

    def _drag(self, length: int, text: str, reply: Reply) -> None:
        def settled(allowed: bool, decision: Decision) -> None:
            if decision.mime_wrap or not allowed:
                self._drag_notice = decision.replacement or NOTICE
            else:
                # Short enough for everybody, as text and as nothing else.
                self._drag_notice = text if decision.only_plain_text else None
            self._answer(allowed, decision, reply)
            if not allowed:
                self.end_drag()

        self._is_dragging = True
        self.viewer.ask("copy", settled, selection="drag", length=length, display=self.selections.display)

    def _give(
        self, _view: WebKit2.WebView, drag: Gdk.DragContext, data: Gtk.SelectionData, _info: int, _time: int
    ) -> None:
        """Comes after the engine's own handler, whose data it replaces where another program is the target."""
        target = drag.get_dest_window()
        is_ours = target is not None and bool(target.get_user_data())
        if self._drag_notice is not None and not is_ours:
            data.set(data.get_target(), 8, self._drag_notice.encode())

    def _drop(self, length: int, formats: list[str], reply: Reply) -> None:
        def settled(allowed: bool, decision: Decision) -> None:
            if allowed and decision.only_plain_text:
                reply({"allowed": True, "plain": True})
            elif allowed and "Files" in formats:
                # The page gets the files themselves.
                url = self.viewer.document or None
                self.viewer.ask("upload", lambda may, answer: self._answer(may, answer, reply), url=url, source=url)
            else:
                self._answer(allowed, decision, reply)

        event = {"selection": "drag", "length": length, "formats": formats, "source": self.viewer.document or None}
        self.viewer.ask("paste", settled, display=self.selections.display, **event)

    def _answer(self, allowed: bool, decision: Decision, reply: Reply) -> None:
        reply({"allowed": allowed})
        if not allowed:
            self.viewer.say(decision)
