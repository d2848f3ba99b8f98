"""Pictures of every notice: each kind, light and dark, and in a language that is written from the right.

notices.py DIR [light|dark]
"""

import os
import sys
from pathlib import Path
from typing import NoReturn

# First, since it says where the other modules are and that nothing is to be shown.
from engine import application  # isort: skip

from PyQt6.QtCore import QUrl
from PyQt6.QtTest import QTest
from PyQt6.QtWebEngineCore import QWebEnginePage, QWebEngineProfile
from PyQt6.QtWebEngineWidgets import QWebEngineView
from rig.notice_kinds import ACTIONS, KINDS, LANGUAGES, ORGANIZATION, URL
from story import is_painted, save, until
from webviewguard.qt import FLAGS, Notice, leave


class Frame:
    """A view with what the steps of the story want of one."""

    def __init__(self) -> None:
        self._profile = QWebEngineProfile()
        self.page = QWebEnginePage(self._profile)
        self.view = QWebEngineView()
        self.view.setPage(self.page)
        self.view.resize(720, 560)
        self.view.show()


def take(directory: Path, mode: str) -> None:
    frame = Frame()
    for language in LANGUAGES:
        for kind, decision in KINDS.items():
            notice = Notice(URL, decision, ACTIONS, languages=[language], organization=ORGANIZATION)
            loaded: list[bool] = []
            done = frame.page.loadFinished.connect(loaded.append)
            frame.page.load(QUrl.fromEncoded(notice.data.encode()))
            until(lambda loaded=loaded: loaded, "the notice is loaded")
            frame.page.loadFinished.disconnect(done)
            until(lambda: is_painted(frame), "it is painted")
            QTest.qWait(250)
            save(frame.view.grab(), directory / f"notice-{kind}-{language}-{mode}.png")


def main() -> NoReturn:
    directory, mode = Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "light"
    # Of the engine: 0 is a dark desktop, 1 a light one.
    flags = [*FLAGS, f"--blink-settings=preferredColorScheme={0 if mode == 'dark' else 1}"]
    os.environ["QTWEBENGINE_CHROMIUM_FLAGS"] = " ".join(flags)
    kept = application()
    take(directory, mode)
    assert kept
    leave(0)


if __name__ == "__main__":
    main()
