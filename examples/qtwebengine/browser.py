#!/usr/bin/python3
"""A little browser under the guard of webviewguard: one window of the organisation's account, one of a private one.

browser.py [--socket PATH] [--app NAME] [--class NAME] [--work ACCOUNT] [--private ACCOUNT] [--profiles DIR] [URL]
"""

import argparse
import sys
from pathlib import Path
from typing import NoReturn

# Run from the source tree, it takes the client from there.
ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "clients/python/src"), str(ROOT / "examples/accounts")]

from account_life import AccountLife  # noqa: E402
from browser_settings import BrowserSettings  # noqa: E402
from profiles import Profiles  # noqa: E402
from PyQt6.QtWidgets import QApplication  # noqa: E402
from webviewguard import Guard  # noqa: E402
from webviewguard.qt import FEATURES, Embedder, GuardedPage, People, leave  # noqa: E402
from window import Window  # noqa: E402



class Browser:
    """Both windows, and those that their pages open. With profiles, what an account keeps stays until it is wiped."""

    def __init__(
        self, guard: Guard, accounts: dict[str, str], viewer_class: str, people: People | None = None,
        profiles: Profiles | None = None,
    ) -> None:  # fmt: skip
        self.embedder = Embedder(guard, people or People())
        self.accounts = accounts
        self.windows: list[Window] = []
        self._viewer_class, self._profiles = viewer_class, profiles
        self.life: AccountLife | None = None
        for window, account in accounts.items():
            self._open(window, account)
        self.embedder.opened.append(self._frame)
        self.life = AccountLife(guard, profiles, self) if profiles else None
        if self.life:
            self.life.begin()
            # What was asked meanwhile may have changed the time at which the client wants to go on.
            self.embedder.process()

    # What the news of accounts ask for

    def shown(self) -> list[str]:
        return list(dict.fromkeys(self.accounts[window.page.window] for window in self.windows))

    def sign_out(self, account: str) -> None:
        for name in [name for name, shown in self.accounts.items() if shown == account]:
            for window in [window for window in self.windows if window.page.window == name]:
                window.close()
            self.embedder.sign_out(name)

    def switch(self, account: str, window: str | None) -> bool:
        """Opens a window of that account in the place of the other: what was shown stays with the account that it is of."""
        name = window or "work"
        if name not in self.accounts or self.life is None or (account and not self.life.register(account)):
            return False
        self.sign_out(self.accounts[name])
        self.accounts[name] = account
        self._open(name, account)
        return True

    def tell(self, account: str, text: str) -> None:
        for window in self.windows:
            if self.accounts[window.page.window] == account:
                window.say(text)

    def configure(self, account: str, settings: BrowserSettings) -> None:
        for window in self.windows:
            if self.accounts[window.page.window] == account:
                window.configure(settings)

    def announce(self, text: str) -> None:
        for window in self.windows:
            window.statusBar().showMessage(text)

    def _open(self, window: str, account: str) -> None:
        profile = self._profiles.of(account) if self._profiles else None
        self.embedder.sign_in(window, account, profile, viewer_class=self._viewer_class)
        self._frame(self.embedder.open(window, window, viewer_class=self._viewer_class))

    def _frame(self, page: GuardedPage) -> None:
        account = self.accounts[page.window]
        frame = Window(page, account, is_managed=page.window != "private")
        if self.life:
            frame.configure(self.life.settings(account))
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
    reader.add_argument("--profiles", type=Path, help="where accounts keep what is theirs; left out, nothing is kept")
    reader.add_argument("url", nargs="?", help="left out, the home page that the account's administrator set")
    asked = reader.parse_args()
    app = QApplication(sys.argv[:1])
    guard = Guard(app=asked.app, path=asked.socket, features=FEATURES)
    if not guard.start():
        print("the daemon does not answer: its contract holds until it does", file=sys.stderr)
    accounts = {"work": asked.work, "private": asked.private}
    profiles = Profiles(asked.profiles) if asked.profiles else None
    browser = Browser(guard, accounts, asked.viewer_class, profiles=profiles)
    work = browser.window("work")
    work.page.go(asked.url or work.settings.home_page or "about:blank")
    leave(app.exec())


if __name__ == "__main__":
    main()
