"""What is asked of the person in front of the screen. Tests put answers of their own in place of these dialogs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Optional

from webviewguard import OpenOffer
from webviewguard.qt._binding import QFileDialog, QInputDialog
from webviewguard.qt import _programs as programs

NO_PROGRAM = "No program on this computer could open this link."
# A line of text, what is offered beside it, and the viewer that it is about.
Told = Callable[[str, Optional[OpenOffer], Optional[str]], None]


class People:
    """Dialogs. `told` are the windows that show a line of text, with a button when something is offered."""

    def __init__(self) -> None:
        self.told: list[Told] = []

    def tell(self, text: str, viewer: str | None = None) -> None:
        self._show(text, None, viewer)

    def offer(self, text: str, offer: OpenOffer, viewer: str) -> None:
        """What a page may not show in itself, the user may open elsewhere. The button is none that a page can press."""
        self._show(text, offer, viewer)

    def can_start(self, offer: OpenOffer) -> bool:
        """Whether the program of an offer is there, or one of its fallbacks."""
        return programs.is_there(offer)

    def start(self, offer: OpenOffer, viewer: str) -> bool:
        """Starts the program of an offer; whether there is one."""
        name = programs.start(offer)
        self.tell(f"Opened in {name}" if name else NO_PROGRAM, viewer)
        return bool(name)

    def _show(self, text: str, offer: OpenOffer | None, viewer: str | None) -> None:
        for show in self.told:
            show(text, offer, viewer)

    def justification(self, why: str) -> str:
        """Why the user goes on all the same; empty when not."""
        text, accepted = QInputDialog.getText(None, "Your organization asks", f"{why}\n\nWhy is it necessary?")
        return text.strip() if accepted else ""

    def files(self, several: bool) -> Sequence[str]:
        """Files that a page shall get."""
        if several:
            return QFileDialog.getOpenFileNames(None, "Files for this page")[0]
        return list(filter(None, [QFileDialog.getOpenFileName(None, "File for this page")[0]]))

    def place(self, suggestion: str) -> str:
        """Where something is stored; empty when the user gave up."""
        return QFileDialog.getSaveFileName(None, "Save as", suggestion)[0]

    def prompt(self, host: str, message: str, default: str) -> str | None:
        """What a page asks for; None when the user gave up."""
        text, accepted = QInputDialog.getText(None, f"{host} asks", message, text=default)
        return text if accepted else None
