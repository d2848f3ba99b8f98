"""Qt for Python, in whichever of its two bindings the app uses: PyQt6 or PySide6.

The binding that the app imported first is taken, else what `QT_API` names, else PyQt6 before PySide6. Everything here
has the same name and meaning in both.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from typing import TYPE_CHECKING

OLDEST_QT = (6, 2)


def _chosen() -> str:
    """The name of the binding; ImportError says what is wrong where there is none that can be guarded."""
    for name in ("PySide6", "PyQt6"):
        if f"{name}.QtCore" in sys.modules:
            return name
    if any(f"{name}.QtCore" in sys.modules for name in ("PyQt5", "PySide2")):
        raise ImportError(_QT_5)  # A process has one Qt.
    wanted = {"pyside6": "PySide6", "pyqt6": "PyQt6"}.get(os.environ.get("QT_API", "").lower())
    for name in filter(None, (wanted, "PyQt6", "PySide6")):
        if importlib.util.find_spec(name) is not None:
            return name
    if any(importlib.util.find_spec(name) is not None for name in ("PyQt5", "PySide2")):
        raise ImportError(_QT_5)
    raise ImportError("webviewguard.qt needs PyQt6 or PySide6, with QtWebEngine (Debian: python3-pyqt6.qtwebengine)")


_QT_5 = (
    "webviewguard.qt needs Qt 6: QtWebEngine 5.15 shows WebSockets to no hook, and the URL of a new window to nobody before "
    "the window is there. Ask with `webviewguard.Guard` in the hooks that it has, and close the rest by exported rules "
    "(docs/embedding.md)."
)

BINDING = _chosen()

if TYPE_CHECKING or BINDING == "PyQt6":
    from PyQt6.QtCore import (
        QChildEvent, QCoreApplication, QEvent, QLocale, QMimeData, QObject, QSocketNotifier, Qt, QTimer, QUrl,
        qVersion,
    )
    from PyQt6.QtGui import (
        QClipboard, QCloseEvent, QDrag, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QGuiApplication,
        QKeyEvent, QKeySequence, QPixmap,
    )
    from PyQt6.QtWebEngineCore import (
        QWebEngineDownloadRequest, QWebEngineNewWindowRequest, QWebEngineNotification, QWebEnginePage,
        QWebEngineProfile, QWebEngineScript, QWebEngineSettings, QWebEngineUrlRequestInfo,
        QWebEngineUrlRequestInterceptor,
    )
    from PyQt6.QtWebEngineWidgets import QWebEngineView
    from PyQt6.QtWidgets import QApplication, QFileDialog, QInputDialog
else:
    from PySide6.QtCore import (
        QChildEvent, QCoreApplication, QEvent, QLocale, QMimeData, QObject, QSocketNotifier, Qt, QTimer, QUrl,
        qVersion,
    )
    from PySide6.QtGui import (
        QClipboard, QCloseEvent, QDrag, QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QGuiApplication,
        QKeyEvent, QKeySequence, QPixmap,
    )
    from PySide6.QtWebEngineCore import (
        QWebEngineDownloadRequest, QWebEngineNewWindowRequest, QWebEngineNotification, QWebEnginePage,
        QWebEngineProfile, QWebEngineScript, QWebEngineSettings, QWebEngineUrlRequestInfo,
        QWebEngineUrlRequestInterceptor,
    )
    from PySide6.QtWebEngineWidgets import QWebEngineView
    from PySide6.QtWidgets import QApplication, QFileDialog, QInputDialog
# fmt: on

__all__ = [
    "BINDING", "SHOWS_FILE_ACCESS", "QApplication", "QChildEvent", "QClipboard", "QCloseEvent", "QCoreApplication", "QDrag",
    "QDragEnterEvent", "QDragLeaveEvent", "QDragMoveEvent", "QDropEvent", "QEvent", "QFileDialog", "QGuiApplication",
    "QInputDialog", "QKeyEvent", "QKeySequence", "QLocale", "QMimeData", "QObject", "QPixmap", "QSocketNotifier", "Qt",
    "QTimer", "QUrl", "QWebEngineDownloadRequest",
    "QWebEngineNewWindowRequest", "QWebEngineNotification", "QWebEnginePage", "QWebEngineProfile",
    "QWebEngineScript", "QWebEngineSettings", "QWebEngineUrlRequestInfo", "QWebEngineUrlRequestInterceptor",
    "QWebEngineView", "qVersion",
]  # fmt: skip

# PyQt6 6.4 has the signal about a page that would write a file, and not what it carries: nobody hears it, which refuses.
SHOWS_FILE_ACCESS = hasattr(sys.modules[QWebEnginePage.__module__], "QWebEngineFileSystemAccessRequest")

if tuple(map(int, qVersion().split(".")[:2])) < OLDEST_QT:
    raise ImportError(f"webviewguard.qt needs Qt 6.2, and this is {qVersion()}")
