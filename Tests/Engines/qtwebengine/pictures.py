#!/usr/bin/python3
"""Pictures for the docs: the two windows, and the page in place of a blocked one.

pictures.py DIR
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

# First, since it says where the other modules are and that nothing is to be shown.
from engine import APP, PERSONAL, WORK, Answers  # isort: skip

import browser as example
from contoso import Web
from daemon import Daemon
from PyQt6.QtCore import QPoint, QUrl
from PyQt6.QtGui import QColor, QPainter, QPixmap
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from rig.policy import BrowserConfiguration, ManagedBrowser
from story import click, is_painted, save, until
from webviewguard import Guard
from webviewguard.qt import FLAGS, leave
from window import Window

RULES = """\
ruleSet: contoso
default: external
rules:
  - id: own
    internal: { domain: contoso.com }
  - id: file-sharing
    external: { domain: filedrop.example }
    then: block
    message: "{host} is a personal file-sharing site. Use Contoso's own storage."
"""


def beside(left: QPixmap, right: QPixmap) -> QPixmap:
    """Two windows on a desk."""
    gap = 22
    desk = QPixmap(left.width() + right.width() + 3 * gap, max(left.height(), right.height()) + 2 * gap)
    desk.fill(QColor("#94a3b8"))
    painter = QPainter(desk)
    painter.drawPixmap(QPoint(gap, gap), left)
    painter.drawPixmap(QPoint(left.width() + 2 * gap, gap), right)
    painter.end()
    return desk


def shown(window: Window, url: str, title: str) -> None:
    window.page.load(QUrl(url))
    until(lambda: window.page.title() == title and is_painted(window), f"{url} is shown")


def take(daemon: Daemon, directory: Path) -> None:
    guard = Guard(app=APP, path=daemon.guard_socket, features=example.FEATURES)
    guard.start()
    windows = example.Browser(guard, {"work": WORK, "private": PERSONAL}, "documents", Answers())
    work, private = windows.window("work"), windows.window("private")
    for window in (work, private):
        window.resize(720, 440)
    shown(private, "http://news.example/", "Morning News")
    shown(work, "http://portal.contoso.com/", "Contoso Portal")
    click(work, "link")
    until(lambda: work.statusBar().currentMessage(), "the link opens elsewhere")
    QTest.qWait(200)
    save(beside(work.grab(), private.grab()), directory / "two-windows.png")
    work.resize(860, 600)
    click(work, "other")
    until(lambda: work.page.shows_notice and is_painted(work), "the page is blocked")
    work.statusBar().clearMessage()
    QTest.qWait(200)
    save(work.grab(), directory / "block-page.png")


def main() -> NoReturn:
    # It would win over the arguments, and its words cannot hold spaces.
    os.environ.pop("QTWEBENGINE_CHROMIUM_FLAGS", None)
    kept = QApplication([sys.argv[0], "--webEngineArgs", *Web().flags, *FLAGS])
    kept.setCursorFlashTime(0)
    with tempfile.TemporaryDirectory(prefix="wvg-") as home:
        configuration = BrowserConfiguration(ManagedBrowser(Path(home)).program)
        configuration.files["rules/contoso.yaml"] = RULES
        daemon = Daemon(configuration)
        try:
            take(daemon.start(), Path(sys.argv[1]))
        finally:
            daemon.remove()
    leave(0)


if __name__ == "__main__":
    main()
