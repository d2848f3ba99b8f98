#!/usr/bin/python3
"""Another program on the same screen, from whose window a file is dragged: it says `ready`, and `ended` after each drag.

file_source.py X Y FILE
"""

import sys

from PyQt6.QtCore import QMimeData, Qt, QUrl
from PyQt6.QtGui import QDrag, QMouseEvent, QPaintEvent
from PyQt6.QtWidgets import QApplication, QWidget


class Source(QWidget):
    def __init__(self, x: int, y: int, file: str) -> None:
        super().__init__(None, Qt.WindowType.X11BypassWindowManagerHint | Qt.WindowType.FramelessWindowHint)
        self.setGeometry(x, y, 200, 80)
        self._file, self._is_drawn, self._is_dragged = file, False, False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._is_drawn:
            self._is_drawn = True
            print("ready", flush=True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._is_dragged:
            return
        self._is_dragged = True
        drag, data = QDrag(self), QMimeData()
        data.setUrls([QUrl.fromLocalFile(self._file)])
        drag.setMimeData(data)
        drag.exec(Qt.DropAction.CopyAction)
        self._is_dragged = False
        print("ended", flush=True)


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    source = Source(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
    source.show()
    sys.exit(app.exec())
