#!/usr/bin/python3
"""A small browser under the guard of webviewguard, with WebKitGTK: one window for work, one for private life.

  browser.py [--socket PATH] [--account ACCOUNT] [--private ACCOUNT] [--config DIR] [--profiles DIR] [URL]
"""

import argparse
import itertools
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "accounts"))
from account_life import AccountLife  # noqa: E402
from browser_settings import BrowserSettings  # noqa: E402
from files import Downloads  # noqa: E402
from frames import Frames  # noqa: E402
from gi.repository import GLib, Gtk, WebKit2  # noqa: E402
from guard_loop import LoopGuard  # noqa: E402
from page_channel import PageChannel, settings  # noqa: E402
from profiles import Profiles  # noqa: E402
from resource_rules import ResourceRules  # noqa: E402
from selections import Selections  # noqa: E402
from shell import Shell  # noqa: E402
from viewer import Viewer  # noqa: E402
from webviewguard import Features, Guard  # noqa: E402


APP = "com.contoso.portal"
# `selections.py` tells each change of the selections that the program makes, and keeps from others what they may not read.
FEATURES: tuple[Features, ...] = ("redact", "warn", "clipEcho", "wrap", "plainText")


class Browser:
    """All windows of one process, the guard that they ask, and whose account each shows. With profiles, what an account
    keeps stays until it is wiped."""

    def __init__(self, guard: Guard, shell: Shell, export: Sequence[str], profiles: Profiles | None = None) -> None:
        self.shell = shell
        self._profiles = profiles
        self._is_switching = False
        self.life = AccountLife(guard, profiles, self) if profiles else None
        self._directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.rules = ResourceRules(f"{self._directory.name}/rules", export, shell.report)
        self.guard = LoopGuard(guard, shell.report, self.rules.renew)
        self.settings = settings()
        self.selections = Selections(self.guard)
        self.viewers: list[Viewer] = []
        self._accounts: dict[str, str] = {}
        self._numbers = itertools.count(1)
        self._downloads = Downloads(self)

    def open(self, window: str, account: str, opened: Callable[[Viewer], None], *, guarded: bool) -> None:
        """A window that shows this account's pages; `guarded` ones get the exported rules before they load anything."""
        self._accounts[window] = account
        frames = Frames()
        kept = self._profiles.of(account) if self._profiles else Path(self._directory.name, window)
        channel = PageChannel(kept, lambda message: self._heard(window, frames, message))
        self._downloads.watch(channel.context)
        added = self.add_viewer(channel, frames, window=window)
        if added is None:
            return
        viewer: Viewer = added
        self.guard.tell("set_identity", "window", window=window, account=account)
        viewer.window.show_all_but_messages()
        if guarded:
            self.rules.guard(channel.content, lambda: opened(viewer))
        else:
            opened(viewer)

    def add_viewer(
        self, channel: PageChannel, frames: Frames, *, window: str | None = None, opener: Viewer | None = None
    ) -> Viewer | None:
        """A new viewer, which the guard knows before it exists; None when the guard does not take it."""
        name = window or f"popup-{next(self._numbers)}"
        said = {"opener": opener.name, "kind": "popup"} if opener else {"window": window or ""}
        if not self.guard.tell("register_viewer", name, viewer_class="documents", **said):
            return None
        if opener is not None:
            self._accounts[name] = self._accounts[opener.name]
        viewer = Viewer(self, name, channel, frames, opener)
        self.viewers.append(viewer)
        if self.life is not None:
            viewer.window.configure(self.life.settings(self._accounts[name]))
        return viewer

    # What the news of accounts ask for

    def shown(self) -> list[str]:
        return list(dict.fromkeys(self._accounts[viewer.name] for viewer in self.viewers))

    def sign_out(self, account: str) -> None:
        for viewer in [viewer for viewer in self.viewers if self._accounts[viewer.name] == account]:
            viewer.close()

    def switch(self, account: str, window: str | None) -> bool:
        """Opens a window of that account in the place of the other: what was shown stays with the account that it is of."""
        name = window or "work"
        if name not in self._accounts or self.life is None or (account and not self.life.register(account)):
            return False
        self._is_switching = True
        self.sign_out(self._accounts[name])
        self._is_switching = False
        self.open(name, account, lambda viewer: viewer.load("about:blank"), guarded=bool(account))
        return True

    def tell(self, account: str, text: str) -> None:
        for viewer in self.viewers:
            if self._accounts[viewer.name] == account:
                viewer.window.hold(text)

    def configure(self, account: str, settings: BrowserSettings) -> None:
        for viewer in self.viewers:
            if self._accounts[viewer.name] == account:
                viewer.window.configure(settings)

    def announce(self, text: str) -> None:
        for viewer in self.viewers:
            viewer.window.tell(text)

    def begin(self) -> None:
        """The first windows are open."""
        if self.life is not None:
            self.life.begin()
            self.guard.wake()

    def downloads_of(self, viewer: Viewer) -> Path | None:
        """Where a viewer's account keeps files that only this program reads."""
        return self._profiles.of(self.account_of(viewer)) / "downloads" if self._profiles else None

    def account_of(self, viewer: Viewer) -> str:
        return self._accounts[viewer.name]

    def viewer_of(self, view: WebKit2.WebView | None) -> Viewer | None:
        return next((viewer for viewer in self.viewers if viewer.view is view), None)

    def forget(self, viewer: Viewer) -> None:
        self.viewers.remove(viewer)
        self.guard.tell("forget_viewer", viewer.name)
        if not self._is_switching and Gtk.main_level() and not any(other.opener is None for other in self.viewers):
            Gtk.main_quit()

    def close(self) -> None:
        for viewer in list(self.viewers):
            viewer.close()
        if self.life is not None:
            self.life.close()
        self.selections.close()
        self.guard.close()
        self._directory.cleanup()

    def _heard(self, window: str, frames: Frames, message: dict[str, object]) -> None:
        """What the script tells comes from a page of this window, or from a popup of one: they share the account."""
        if message["what"] == "navigate":
            frames.tell(str(message["url"]), bool(message["main"]))
            return
        for viewer in self.viewers:
            if viewer.name == window:
                viewer.clipboard.told(str(message["what"]))


def main() -> int:
    reader = argparse.ArgumentParser(description="a small browser under the guard of webviewguard")
    reader.add_argument("--socket", help="where the daemon listens")
    reader.add_argument("--account", default="work@contoso.com", help="the account of the first window")
    reader.add_argument("--private", default="", help="the account of the second window; empty for nobody's")
    reader.add_argument("--config", default="/etc/webviewguard", help="the configuration whose rules are exported")
    reader.add_argument("--profiles", type=Path, help="where accounts keep what is theirs; left out, nothing is kept")
    reader.add_argument("url", nargs="?", help="left out, the home page that the administrator set")
    asked = reader.parse_args()
    guard = Guard(app=APP, path=asked.socket, features=FEATURES)
    guard.start()
    export = ["webviewguard", "export", "--for", "webkit-content-blocker", "--config", asked.config]
    export += ["--app", APP, "--class", "documents"]
    profiles = Profiles(asked.profiles) if asked.profiles else None
    browser = Browser(guard, Shell(lambda line: print(line, file=sys.stderr, flush=True)), export, profiles)

    def first(viewer: Viewer) -> None:
        viewer.load(asked.url or viewer.window.settings.home_page or "about:blank")

    browser.open("work", asked.account, first, guarded=True)
    browser.open("private", asked.private, first, guarded=False)
    browser.begin()
    GLib.unix_signal_add(GLib.PRIORITY_HIGH, 15, Gtk.main_quit)
    Gtk.main()
    browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
