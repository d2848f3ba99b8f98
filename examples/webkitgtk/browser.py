#!/usr/bin/python3
"""A small browser under the guard of webviewguard, with WebKitGTK: one window for work, one for private life.

  browser.py [--socket PATH] [--account ACCOUNT] [--private ACCOUNT] [--profiles DIR] [URL]

It stands on the library clients/c/webkitgtk, which asks about everything; WEBKITGTK_API=6.0 takes GTK 4.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accounts"))
import toolkit  # noqa: E402
from account_life import AccountLife  # noqa: E402
from account_news import AccountNews  # noqa: E402
from browser_settings import BrowserSettings  # noqa: E402
from profiles import Profiles  # noqa: E402
from toolkit import GLib, WebKit, WvgWebKit  # noqa: E402
from window import Window  # noqa: E402

APP = "com.contoso.portal"


class Browser:
    """All windows of one process, and whose account each shows. With profiles, what an account keeps stays until it is
    wiped, and the browser obeys the news of accounts."""

    def __init__(
        self, guard: WvgWebKit.Guard, profiles: Profiles | None = None, news: AccountNews | None = None
    ) -> None:
        self.guard, self._profiles, self._news = guard, profiles, news
        self.windows: list[Window] = []
        self.ended: Callable[[], None] = lambda: None
        self._is_switching = False
        self._directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.life = AccountLife(news.guard, profiles, self) if news and profiles else None
        guard.connect("refused", self._refused)
        guard.connect("show-window", self._show_popup)

    def open(self, name: str, account: str) -> Window | None:
        """A window that shows this account's pages; None when the guard does not take it."""
        kept = self._profiles.of(account) if self._profiles else Path(self._directory.name, name)
        if self._profiles:
            self.guard.set_downloads(account, str(kept / "downloads"))
        view = toolkit.make_view(kept)
        view.connect("permission-request", _permit)
        if not self.guard.set_account(name, account) or not self.guard.add(view, "documents", name):
            print(f"no window: {self.guard.get_error()}", file=sys.stderr)
            return None
        return self._show(view, name, account)

    def _show(self, view: WebKit.WebView, name: str, account: str) -> Window:
        window = Window(self, view, name, account)
        self.windows.append(window)
        if self.life is not None:
            window.configure(self.life.settings(account))
        window.present()
        return window

    def close_window(self, window: Window) -> None:
        if window not in self.windows:
            return
        self.windows.remove(window)
        self.guard.remove(window.view)
        window.destroy()
        if not self._is_switching and not self.windows:
            self.ended()

    def close(self) -> None:
        for window in list(self.windows):
            self.close_window(window)
        if self.life is not None:
            self.life.close()
        if self._news is not None:
            self._news.close()
        self.guard.close()
        self._directory.cleanup()

    # What the guard says

    def _window_of(self, view: WebKit.WebView) -> Window | None:
        return next((window for window in self.windows if window.view is view), None)

    def _refused(self, _guard: WvgWebKit.Guard, view: WebKit.WebView, outcome: str, text: str, url: str) -> bool:
        window = self._window_of(view)
        if window is not None:
            said = f"Opened elsewhere: {url}" if outcome in ("redirect", "handOff") else text
            window.say(said, has_offer=self.guard.get_offer(view) is not None)
        return window is not None

    def _show_popup(self, guard: WvgWebKit.Guard, view: WebKit.WebView) -> bool:
        self._show(view, guard.get_viewer(view) or "", guard.get_account(view))
        return True

    # What the news of accounts ask for

    def begin(self) -> None:
        """The first windows are open."""
        if self.life is not None and self._news is not None:
            self.life.begin()
            self._news.wake()

    def _of(self, account: str) -> list[Window]:
        return [window for window in self.windows if window.account == account]

    def shown(self) -> list[str]:
        return list(dict.fromkeys(window.account for window in self.windows))

    def sign_out(self, account: str) -> None:
        for window in self._of(account):
            self.close_window(window)

    def switch(self, account: str, window: str | None) -> bool:
        """Opens a window of that account in the place of the other, whose pages stay with the account they are of."""
        shown = next((one for one in self.windows if one.name == (window or "work")), None)
        if shown is None or self.life is None or (account and not self.life.register(account)):
            return False
        self._is_switching = True
        self.sign_out(shown.account)
        self._is_switching = False
        return self.open(shown.name, account) is not None

    def tell(self, account: str, text: str) -> None:
        for window in self._of(account):
            window.hold(text)

    def configure(self, account: str, settings: BrowserSettings) -> None:
        for window in self._of(account):
            window.configure(settings)

    def announce(self, text: str) -> None:
        for window in self.windows:
            window.say(text)


def _permit(_view: WebKit.WebView, request: WebKit.PermissionRequest) -> bool:
    """Notifications are asked about one by one. Everything else this browser does not give."""
    is_free = isinstance(request, WebKit.NotificationPermissionRequest)
    request.allow() if is_free else request.deny()
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    reader = argparse.ArgumentParser(description="a small browser under the guard of webviewguard")
    reader.add_argument("--socket", help="where the daemon listens")
    reader.add_argument("--account", default="work@contoso.com", help="the account of the first window")
    reader.add_argument("--private", default="", help="the account of the second window; empty for nobody's")
    reader.add_argument("--profiles", type=Path, help="where accounts keep what is theirs; left out, nothing is kept")
    reader.add_argument("url", nargs="?", help="left out, the home page that the administrator set")
    asked = reader.parse_args(arguments)
    report = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731
    guard = WvgWebKit.Guard.new(APP, asked.socket)
    guard.connect("problem", lambda _, text: report(text))
    news = AccountNews(APP, asked.socket, guard, report) if asked.profiles else None
    browser = Browser(guard, Profiles(asked.profiles) if asked.profiles else None, news)
    opened = [browser.open("work", asked.account), browser.open("private", asked.private)]
    browser.begin()
    for window in filter(None, opened):
        window.load(asked.url or window.settings.home_page or "about:blank")
    loop = GLib.MainLoop()
    browser.ended = loop.quit
    GLib.unix_signal_add(GLib.PRIORITY_HIGH, 15, loop.quit)
    loop.run()
    browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
