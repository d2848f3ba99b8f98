"""What happens with two accounts when nobody is there to click: one of them is wiped, and a picture of before and after."""

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from browser import Browser
from PyQt6.QtCore import QPoint, QRect, Qt
from PyQt6.QtGui import QColor, QFont, QPainter, QPixmap
from PyQt6.QtTest import QTest
from story import click, is_painted, save, script, until
from window import Window

GAP, HEADING = 22, 34
CODE = re.compile(r"--confirm (\S+)")


class Administrator:
    """Runs `webviewguard` as root does."""

    def __init__(self, program: str, place: Sequence[str]) -> None:
        self._program, self._place = program, place

    def wipe(self, account: str) -> str:
        """Looks at what a wipe would reach, and confirms that. Gives the command for people."""
        command = ["account", "wipe", account, "--user", str(os.getuid()), "--reason", "left the company", "--now"]
        code = CODE.search(self.run(*command))
        if code is None:
            raise TimeoutError("the preview has no code")
        self.run(*command, "--confirm", code[1])
        return f"webviewguard account wipe {account} … --now"

    def run(self, *arguments: str) -> str:
        command = [self._program, *arguments, *self._place]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise TimeoutError(f"`{' '.join(command)}` failed: {done.stderr.strip()}")
        return done.stdout


def play(browser: Browser, administrator: Administrator, pictures: Path) -> int:
    """Both accounts download, the first is wiped, the second opens its file. 1 when something did not happen."""
    first, second = browser.accounts["first"], browser.accounts["second"]
    try:
        for window in browser.windows:
            download(browser, window)
        before = [browser.window(name).grab() for name in ("first", "second")]
        command = administrator.wipe(first)
        until(lambda: browser.shown() == [second], f"{first} is signed out")
        until(lambda: f"{first}: " in browser.window("second").statusBar().currentMessage(), "the daemon heard that it is done")
        after = [*look_after(browser)]
    except TimeoutError as problem:
        print(f"two_accounts: {problem}")
        return 1
    rows = [("before: each account has a file of its own", before), (f"after `{command}`: the other page is there, and its file opens", after)]
    return 0 if save(desk(rows), pictures / "two-accounts.png") else 1


def download(browser: Browser, window: Window) -> Path:
    """Clicks the link to the page's file, and gives where the account keeps it."""
    until(lambda: window.page.title() and is_painted(window), "the page is shown")
    click(window, "get")
    transfers = browser.embedder.transfers
    until(lambda: "Saved" in window.statusBar().currentMessage(), "the file is there")
    return transfers.files(window.page.window)[0]


def look_after(browser: Browser) -> list[QPixmap]:
    """The page of the account that is left, and its file."""
    window = browser.window("second")
    page = window.grab()
    file = browser.embedder.transfers.files("second")[0]
    if not browser.embedder.transfers.open(window.page, file):
        raise TimeoutError(f"{file.name} may not be opened")
    source = "document.body ? document.body.innerText : ''"
    with browser.embedder.guard.files.readable(file) as readable:
        text = Path(readable.path).read_text().strip()
    until(lambda: script(window, source).strip() == text, "the file is shown")
    until(lambda: is_painted(window), "it is painted")
    QTest.qWait(200)
    return [page, window.grab()]


def desk(rows: Sequence[tuple[str, Sequence[QPixmap]]]) -> QPixmap:
    """Windows on a desk, row by row, each row with a heading."""
    width = max(sum(window.width() + GAP for window in windows) for _, windows in rows) + GAP
    heights = [HEADING + max(window.height() for window in windows) + GAP for _, windows in rows]
    picture = QPixmap(width, sum(heights) + GAP)
    picture.fill(QColor("#94a3b8"))
    painter, top = QPainter(picture), GAP
    painter.setFont(QFont("DejaVu Sans", 12, QFont.Weight.Bold))
    for (heading, windows), height in zip(rows, heights, strict=True):
        painter.drawText(QRect(GAP, top - 8, width, HEADING), Qt.AlignmentFlag.AlignVCenter, heading)
        left = GAP
        for window in windows:
            painter.drawPixmap(QPoint(left, top + HEADING - 4), window)
            left += window.width() + GAP
        top += height
    painter.end()
    return picture
