"""Another program of the desktop: it says `ready` when its window is drawn, and then what text is dropped on it, one
line each."""

import sys

from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QPaintEvent
from PyQt6.QtWidgets import QApplication, QWidget


class Target(QWidget):
    """A window in the corner of the screen that takes whatever is dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.setGeometry(1080, 700, 200, 200)
        self._is_drawn = False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_drawn:
            self._is_drawn = True
            print("ready", flush=True)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        event.acceptProposedAction()
        mime = event.mimeData()
        print(mime.text() if mime else "", flush=True)


if __name__ == "__main__":
    app = QApplication(sys.argv)
    target = Target()
    target.show()
    sys.exit(app.exec())
