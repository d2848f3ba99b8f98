"""Two accounts in the example browser: what one of them loses, the other keeps (WP-01, WP-03)."""

import json
import os
import re
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

import toolkit
from account_world import FILE, AccountDaemon, DemoPolicy, Site
from account_news import AccountNews
from browser import APP, Browser
from browser_settings import BrowserSettings
from daemon import PROGRAM, Daemon
from disk import Clock
from gtk_driver import Person
from profiles import Profiles
from toolkit import GLib, WvgWebKit
from window import Window

WORK, OTHER = "Work@contoso.com", "second@contoso.com"
FIRST, SECOND = "ada@contoso.com", "ada@fabrikam.example"


class AccountCase(unittest.TestCase):
    """Two windows of two accounts, which keep their files apart."""

    browser: Browser
    site: Site

    def start(self, socket: Path, profiles: Profiles, app: str, *accounts: str) -> None:
        """The example with windows of two accounts."""
        self.profiles = profiles
        guard = WvgWebKit.Guard.new(app, str(socket))
        self.person = Person(guard, says=False)
        self.news = AccountNews(app, str(socket), guard, self.person.problems.append)
        self.browser = Browser(guard, profiles, self.news)
        self.addCleanup(self.browser.close)
        for window, account in zip(("work", "private"), accounts, strict=True):
            self.assertIsNotNone(self.browser.open(window, account))

    def _window(self, name: str) -> Window:
        return next(window for window in self.browser.windows if window.name == name)

    def _download(self, name: str) -> Path:
        """Downloads a file in a window, to where its account keeps it."""
        window = self._window(name)
        window.load(self.site.url())
        self.wait(lambda: window.view.get_title() == "home", f"the page is shown in `{name}`")
        script = "document.getElementById('get').click()"
        window.view.evaluate_javascript(script, -1, None, None, None, None)
        file = self.profiles.place(window.account) / "downloads/plan.bin"
        self.wait(lambda: file.exists() and self.content(file) == FILE, "all of it is in its place")
        return file

    def content(self, file: Path) -> bytes:
        """What the account reads, where the file is sealed as well."""
        with self.news.guard.files.readable(file) as readable:
            return Path(readable.path).read_bytes()

    def wait(self, holds: Callable[[], object], what: str) -> None:
        deadline = time.monotonic() + 60
        ticking = GLib.timeout_add(5, lambda: True)
        try:
            while not holds():
                self.assertLess(time.monotonic(), deadline, what)
                GLib.MainContext.default().iteration(True)
        finally:
            GLib.source_remove(ticking)


class Accounts(AccountCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        root = Path(directory.name).resolve()
        self.site, self.daemon = Site(), AccountDaemon(root)
        self.addCleanup(self.site.close)
        self.addCleanup(self.daemon.close)
        self.start(self.daemon.path, Profiles(root / "profiles"), APP, WORK, OTHER)
        self.wait(lambda: self.daemon.is_heard, "the browser listens")

    def test_a_wipe_takes_one_account_with_its_downloads_and_leaves_the_other(self) -> None:
        files = {account: self._download(name) for name, account in (("work", WORK), ("private", OTHER))}
        for account, file in files.items():
            self.assertEqual(file.parent, self.profiles.place(account) / "downloads")
        self.daemon.tell("wipe", account=WORK.lower(), request="wipe-1", deadline=60)
        self.wait(lambda: self.daemon.said("Complete"), "the daemon hears what came of it")
        self.assertEqual(self.daemon.said("Complete"), [{"request": "wipe-1", "result": "done"}])
        self.assertFalse(self.profiles.place(WORK).exists())
        self.assertEqual(self.browser.shown(), [OTHER])
        self.assertEqual(files[OTHER].read_bytes(), FILE)
        files[OTHER].unlink()
        self._download("private")

    def test_what_may_not_work_says_so_and_loses_nothing(self) -> None:
        file, window = self._download("work"), self._window("work")
        for state, words in (("blocked", "blocked this account"), ("wiped", "removed its data"), ("locked", "Unlock")):
            self.daemon.tell("account", account=WORK, state=state)
            says = lambda words=words: words in window.standing.get_text()  # noqa: E731
            self.wait(says, f"`{state}` is told")
        self.daemon.tell("compliance", account=WORK, status="notCompliant", title="Update.", text="Your system is old.")
        shown = "Update. Your system is old."
        self.wait(lambda: window.standing.get_text() == shown, "the organisation's text is shown")
        self.assertTrue(window.standing.get_visible())
        self.assertEqual(self._window("private").standing.get_text(), "")
        self.daemon.tell("account", account=WORK, state="active")
        self.wait(lambda: not window.standing.get_visible(), "it is taken back")
        self.assertEqual(file.read_bytes(), FILE)

    def test_accounts_that_the_app_takes_no_longer_are_signed_out_and_keep_their_data(self) -> None:
        file = self._download("work")
        self.daemon.replies["AllowedAccounts"] = {"accounts": [OTHER], "mustSignOut": [WORK.lower()]}
        self.daemon.tell("allowedAccounts", accounts=[OTHER])
        self.wait(lambda: self.browser.shown() == [OTHER], "its windows are closed")
        self.assertEqual(self.daemon.said("Deregister"), [{"account": WORK.lower()}])
        self.assertEqual(file.read_bytes(), FILE)

    def test_another_account_is_shown_when_the_daemon_asks_for_it(self) -> None:
        third = "third@contoso.com"
        self.daemon.replies["MaySignIn"] = {"allowed": True, "state": "enrolled"}
        self.daemon.replies["Register"] = {"account": third, "state": "enrolled", "result": "newPolicies"}
        self.daemon.tell("identity", account=third, window="private", request="switch-1", cause="openURL")
        self.wait(lambda: self.daemon.answers(), "the daemon is answered")
        self.assertEqual(self.daemon.answers(), [{"request": "switch-1", "result": "success"}])
        self.wait(lambda: sorted(self.browser.shown()) == sorted([WORK, third]), "its window is there")

    def test_configuration_is_followed_and_none_of_it_is_markup(self) -> None:
        """AC-09. The other account has none of it."""
        window, home = self._window("work"), self.site.url("/home")
        view = window.view
        bookmarks = json.dumps([{"name": "R&D <i>", "url": self.site.url("/plans")}])
        values = {"homePage": home, "banner": "<b>Move</b> & pack", "toolbarColor": "#1d4ed8", "bookmarks": bookmarks}
        self.daemon.configure(WORK.lower(), **values, zoom=150, popups=False)
        self.wait(lambda: window.banner.get_text() == values["banner"], "the banner is there, as text")
        self.assertEqual(view.get_zoom_level(), 1.5)
        self.assertEqual([button.get_label() for button in toolkit.children(window.bookmarks)], ["R&D <i>"])
        other = self._window("private")
        self.assertEqual((other.settings, other.home.get_visible()), (BrowserSettings(), False))
        window.home.emit("clicked")
        self.wait(lambda: view.get_uri() == home and not view.is_loading(), "the home page is shown")
        toolkit.children(window.bookmarks)[0].emit("clicked")
        self.wait(lambda: (view.get_uri() or "").endswith("/plans"), "the bookmark is followed")
        self.wait(lambda: not view.is_loading(), "it is quiet")
        view.evaluate_javascript("window.open('/')", -1, None, None, None, None)
        self.wait(lambda: "windows" in window.said, "the page gets no window")
        self.assertEqual(len(self.browser.windows), 2)
        self.daemon.configure(WORK.lower(), homePage="javascript:alert(1)", toolbarColor="red; } * { color: red")
        self.wait(lambda: not window.home.get_visible(), "what is no web page is no home page")
        self.assertEqual((window.settings, view.get_zoom_level()), (BrowserSettings(), 1.0))


class Wiped(AccountCase):
    """With the real daemon, and the program that administrators run (WP-01, WP-03)."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        root = Path(directory.name).resolve()
        self.site = Site()
        self.addCleanup(self.site.close)
        # Only time by a clock that is kept right counts towards a removal.
        self.daemon = Daemon(DemoPolicy(self.site.url()), environment=Clock(root).environment)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.administrate("reload", "--wait", "--checked-in")
        self.start(self.daemon.guard_socket, Profiles(root / "profiles"), APP, FIRST, SECOND)
        self.browser.begin()

    def administrate(self, *arguments: str) -> str:
        command = [PROGRAM, *arguments, "--socket-dir", self.daemon.sockets]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    def test_one_account_is_wiped_and_the_other_keeps_its_page_and_its_file(self) -> None:
        first, second = self._download("work"), self._download("private")
        command = ("account", "wipe", FIRST, "--user", str(os.getuid()), "--reason", "left", "--now")
        code = re.findall(r"--confirm (\S+)", self.administrate(*command))[0]
        self.administrate(*command, "--confirm", code)
        self.wait(lambda: self.browser.shown() == [SECOND], "its window is closed")
        self.wait(lambda: self.administrate("account", "wipes").strip() == "none", "the wipe is over")
        self.assertFalse(first.exists() or self.profiles.place(FIRST).exists(), "nothing of it is left")
        self.assertEqual(self.content(second), FILE)
        self.assertNotIn(FILE, second.read_bytes(), "it is sealed")
        other = self._window("private")
        self.assertEqual(other.view.get_title(), "home")
        self.assertIn(f"{FIRST}: ", other.said)
        second.unlink()
        self._download("private")
