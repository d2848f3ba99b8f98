#!/usr/bin/python3
"""Two accounts of one person in the little browser, each with its own files. An administrator may wipe one.

two_accounts.py [--socket PATH] [--profiles DIR] [--pictures DIR --program webviewguard]

With --pictures a short story is played, and what it looks like is saved there: both download a file, the administrator
wipes one account, and the other one opens its file. The program is run as the administrator.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "clients/python/src"), str(ROOT / "examples/accounts")]

from browser import FEATURES, Browser  # noqa: E402
from contoso import Web  # noqa: E402
from profiles import Profiles  # noqa: E402
from PyQt6.QtWidgets import QApplication  # noqa: E402
from webviewguard import Guard  # noqa: E402
from webviewguard.qt import FLAGS, People, leave  # noqa: E402

FIRST, SECOND = "ada@contoso.com", "ada@fabrikam.example"


class OwnPlace(People):
    """A person who keeps files where the browser suggests it: in the account's own directory."""

    def place(self, suggestion: str) -> str:
        return suggestion


def open_browser(socket: str | None, profiles: Path, people: People) -> Browser:
    """One window for each account, which shows the home page that its administrator set."""
    guard = Guard(app="com.contoso.portal", path=socket, features=FEATURES)
    if not guard.start():
        print("the daemon does not answer: its contract holds until it does", file=sys.stderr)
    browser = Browser(guard, {"first": FIRST, "second": SECOND}, "documents", people, Profiles(profiles))
    for window in browser.windows:
        window.resize(840, 380)
        window.page.go(window.settings.home_page or "about:blank")
    return browser


def main() -> NoReturn:
    reader = argparse.ArgumentParser(description="two accounts in the little browser, each with its own files")
    reader.add_argument("--socket", help="the daemon's guard socket; left out, where it usually is")
    reader.add_argument("--profiles", type=Path, help="where accounts keep what is theirs; left out, a new directory")
    reader.add_argument("--pictures", type=Path, help="play a short story, and save there what it looks like")
    reader.add_argument("--program", default="webviewguard", help="`webviewguard`, as the administrator runs it")
    asked = reader.parse_args()
    # It would win over the arguments, and its words cannot hold spaces.
    os.environ.pop("QTWEBENGINE_CHROMIUM_FLAGS", None)
    app = QApplication([sys.argv[0], "--webEngineArgs", *Web().flags, *FLAGS])
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        people = OwnPlace() if asked.pictures else People()
        browser = open_browser(asked.socket, asked.profiles or Path(directory), people)
        if asked.pictures:
            from wiping import Administrator, play

            place = ["--socket-dir", os.path.dirname(asked.socket)] if asked.socket else []
            leave(play(browser, Administrator(asked.program, place), asked.pictures))
        leave(app.exec())


if __name__ == "__main__":
    main()
