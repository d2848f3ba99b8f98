#!/usr/bin/python3
"""A little browser under the guard of webviewguard: one window of the organisation's account, one of a private one.

browser.py [--socket PATH] [--app NAME] [--class NAME] [--work ACCOUNT] [--private ACCOUNT] URL
"""

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

# Run from the source tree, it takes the client from there.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python/src"))

from embedder import FLAGS, Embedder, leave  # noqa: E402
from page import GuardedPage  # noqa: E402
from people import People  # noqa: E402
from PyQt6.QtWidgets import QApplication  # noqa: E402
from webviewguard import Features, Guard  # noqa: E402
from window import Window  # noqa: E402

os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", " ".join(FLAGS))

# `clips.py` tells each change of the selections that the program makes, and keeps from others what they may not read.
FEATURES: tuple[Features, ...] = ("redact", "warn", "clipEcho", "wrap", "plainText")


class Browser:
    """Both windows, and those that their pages open."""

    def __init__(self, guard: Guard, accounts: dict[str, str], viewer_class: str, people: People | None = None) -> None:
        self.embedder = Embedder(guard, people or People())
        self.accounts = accounts
        self.windows: list[Window] = []
        for window, account in accounts.items():
            self.embedder.sign_in(window, account, viewer_class=viewer_class)
            self._frame(self.embedder.open(window, window, viewer_class=viewer_class))
        self.embedder.opened.append(self._frame)

    def _frame(self, page: GuardedPage) -> None:
        frame = Window(page, self.accounts[page.window], is_managed=page.window == "work")
        frame.destroyed.connect(lambda: self.windows.remove(frame))
        self.windows.append(frame)
        frame.show()

    def window(self, name: str) -> Window:
        return next(window for window in self.windows if window.page.name == name)


def main() -> NoReturn:
    reader = argparse.ArgumentParser(description="a little browser under the guard of webviewguard")
    reader.add_argument("--socket", help="the daemon's guard socket; left out, where it usually is")
    reader.add_argument("--app", default="com.contoso.portal")
    reader.add_argument("--class", dest="viewer_class", default="documents")
    reader.add_argument("--work", default="work@contoso.com", help="the managed account")
    reader.add_argument("--private", default="me@example.org")
    reader.add_argument("url")
    asked = reader.parse_args()
    app = QApplication(sys.argv[:1])
    guard = Guard(app=asked.app, path=asked.socket, features=FEATURES)
    if not guard.start():
        print("the daemon does not answer: its contract holds until it does", file=sys.stderr)
    browser = Browser(guard, {"work": asked.work, "private": asked.private}, asked.viewer_class)
    browser.window("work").page.go(asked.url)
    leave(app.exec())


if __name__ == "__main__":
    main()
