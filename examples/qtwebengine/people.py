"""What is asked of the person in front of the screen. Tests put answers of their own in place of these dialogs."""

from collections.abc import Callable, Sequence

from PyQt6.QtWidgets import QFileDialog, QInputDialog


class People:
    """Dialogs. `told` are the windows that show a line of text."""

    def __init__(self) -> None:
        self.told: list[Callable[[str], None]] = []

    def tell(self, text: str) -> None:
        for show in self.told:
            show(text)

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
