"""Guards the web views of a program that is written with PyQt6 or PySide6.

    embedder = qt.start("com.contoso.portal")
    embedder.sign_in("main", "work@contoso.com", viewer_class="documents")
    view = qt.GuardedView(embedder.open("main", viewer_class="documents"))
    view.page().go("portal.contoso.com")

Guarded are navigations, each hop, frames, new windows, what pages load, downloads, uploads, print, the clipboard and
the marked text, drags, recordings of the screen, notifications, and links of other programs. `MISSING` names what the
engine shows nobody. Import it before the `QApplication` is made, as QtWebEngine wants it.
"""

from __future__ import annotations

from webviewguard.qt._binding import BINDING
from webviewguard.qt._embedder import FEATURES, MISSING, Embedder, Heard, leave, start
from webviewguard.qt._flags import FLAGS
from webviewguard.qt._notices import Notice
from webviewguard.qt._page import GuardedPage
from webviewguard.qt._people import People
from webviewguard.qt._transfers import Transfers
from webviewguard.qt._view import GuardedView

__all__ = [
    "BINDING",
    "FEATURES",
    "FLAGS",
    "MISSING",
    "Embedder",
    "GuardedPage",
    "GuardedView",
    "Heard",
    "Notice",
    "People",
    "Transfers",
    "leave",
    "start",
]
