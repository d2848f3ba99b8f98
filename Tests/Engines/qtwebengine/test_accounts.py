"""Two accounts in the example browser: what one of them loses, the other keeps (WP-01, WP-03)."""

import itertools
import json
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine  # noqa: F401  First, since it says where the other modules are.
from account_world import FILE, AccountDaemon, Site
from browser import FEATURES, Browser
from browser_settings import BrowserSettings
from engine import Answers
from profiles import Profiles
from PyQt6.QtCore import Qt, QUrl
from PyQt6.QtTest import QTest
from PyQt6.QtWebEngineCore import QWebEngineDownloadRequest
from webviewguard import Guard
from webviewguard.qt import GuardedPage

numbers = itertools.count(1)
WORK, OTHER = "Work@contoso.com", "second@contoso.com"


class OwnPlace(Answers):
    """A person who keeps files where the browser suggests it."""

    def place(self, suggestion: str) -> str:
        return suggestion


class TestAccounts(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()
        self.site, self.daemon = Site(), AccountDaemon(self.root)
        self.addCleanup(self.site.close)
        self.addCleanup(self.daemon.close)
        self.profiles = Profiles(self.root / "profiles")
        guard = Guard(path=self.daemon.path, features=FEATURES, on_problem=lambda _: None)
        self.assertTrue(guard.start())
        accounts = {"work": WORK, "private": OTHER}
        self.browser = Browser(guard, accounts, "documents", OwnPlace(), self.profiles)
        self.addCleanup(self._close)
        self.wait(lambda: self.daemon.is_heard, "the browser listens")

    def _close(self) -> None:
        for window in list(self.browser.windows):
            window.close()
        QTest.qWait(50)
        self.browser.embedder.close()

    def test_a_wipe_takes_one_account_with_its_downloads_and_leaves_the_other(self) -> None:
        files = {account: self._download(name, account) for name, account in (("work", WORK), ("private", OTHER))}
        for account, file in files.items():
            self.assertEqual(file.parent, self.profiles.place(account) / "downloads")
            self.assertEqual(file.read_bytes(), FILE)
        self.daemon.tell("wipe", account=WORK.lower(), request="wipe-1", deadline=60)
        self.wait(lambda: self.daemon.said("Complete"), "the daemon hears what came of it")
        self.assertEqual(self.daemon.said("Complete"), [{"request": "wipe-1", "result": "done"}])
        self.assertFalse(self.profiles.place(WORK).exists())
        self.assertEqual(self.browser.shown(), [OTHER])
        self.assertEqual(files[OTHER].read_bytes(), FILE)
        self._show("private")
        self.assertEqual(self._download("private", OTHER).read_bytes(), FILE)

    def test_a_wipe_of_nobody_or_of_a_stranger_takes_nothing(self) -> None:
        files = [self._download("work", WORK), self._download("private", OTHER)]
        self.daemon.tell("wipe", account="", request="wipe-1")
        self.daemon.tell("wipe", request="wipe-2")
        self.daemon.tell("wipe", account="../private", request="wipe-3")
        self.wait(lambda: len(self.daemon.said("Complete")) == 3, "the daemon hears what came of each")
        results = [said["result"] for said in self.daemon.said("Complete")]
        self.assertEqual(results, ["failed", "failed", "done"], "of the stranger nothing was left")
        self.assertEqual([file.read_bytes() for file in files], [FILE, FILE])
        self.assertEqual(self.browser.shown(), [WORK, OTHER])

    def test_what_may_not_work_says_so_and_loses_nothing(self) -> None:
        file = self._download("work", WORK)
        window = self.browser.window("work")
        for state, words in (("blocked", "blocked this account"), ("wiped", "removed its data"), ("locked", "Unlock")):
            self.daemon.tell("account", account=WORK, state=state)
            self.wait(lambda words=words: words in window.standing.text(), f"`{state}` is told")  # type: ignore[misc]
        self.daemon.tell("compliance", account=WORK, status="notCompliant", title="Update.", text="Your system is old.")
        self.wait(lambda: window.standing.text() == "Update. Your system is old.", "the organisation's text is shown")
        self.assertEqual(self.browser.window("private").standing.text(), "")
        self.daemon.tell("account", account=WORK, state="active")
        self.wait(lambda: window.standing.text() == "", "it is taken back")
        self.assertEqual(file.read_bytes(), FILE)

    def test_accounts_that_the_app_takes_no_longer_are_signed_out_and_keep_their_data(self) -> None:
        file = self._download("work", WORK)
        self.daemon.replies["AllowedAccounts"] = {"accounts": [OTHER], "mustSignOut": [WORK.lower()]}
        self.daemon.tell("allowedAccounts", accounts=[OTHER])
        self.wait(lambda: self.browser.shown() == [OTHER], "its windows are closed")
        self.assertEqual(self.daemon.said("Deregister"), [{"account": WORK.lower()}])
        self.assertEqual(file.read_bytes(), FILE)

    def test_another_account_is_shown_when_the_daemon_asks_for_it(self) -> None:
        third = "third@contoso.com"
        self.daemon.replies["MaySignIn"] = {"allowed": True, "state": "enrolled"}
        self.daemon.replies["Register"] = {"account": third, "state": "enrolled", "result": "newPolicies"}
        self.daemon.tell("identity", account=third, window="work", request="switch-1", cause="openURL")
        self.wait(lambda: self.daemon.answers(), "the daemon is answered")
        self.assertEqual(self.daemon.answers(), [{"request": "switch-1", "result": "success"}])
        self.assertEqual(sorted(self.browser.shown()), sorted([OTHER, third]))
        self._show("work")

    def test_configuration_is_followed_and_none_of_it_is_markup(self) -> None:
        """AC-09. The other account has none of it."""
        window, home = self.browser.window("work"), self.site.url("/home")
        bookmarks = json.dumps([{"name": "R&D <i>", "url": self.site.url("/plans")}])
        values = {"homePage": home, "banner": "<img src=x> Move & pack", "toolbarColor": "#1d4ed8", "bookmarks": bookmarks}
        self.daemon.configure(WORK.lower(), **values, zoom=150, popups=False)
        self.wait(lambda: window.banner.text() == values["banner"], "the banner is there")
        self.assertEqual(window.banner.textFormat(), Qt.TextFormat.PlainText)
        self.assertIn("#1d4ed8", window._toolbar.styleSheet())
        self.assertEqual(window.view.zoomFactor(), 1.5)
        self.assertEqual([action.text() for action in window._bookmarks.actions()], ["R&&D <i>"])
        other = self.browser.window("private")
        self.assertEqual((other.settings, other.home.isVisible(), other.banner.text()), (BrowserSettings(), False, ""))
        window.home.trigger()
        self.wait(lambda: self._script(window.page, "location.href") == home, "the home page is shown")
        window._bookmarks.actions()[0].trigger()
        self.wait(lambda: self._script(window.page, "location.href").endswith("/plans"), "the bookmark is followed")
        windows = len(self.browser.windows)
        window.page.runJavaScript("window.open('/')")
        self.wait(lambda: "windows" in window.statusBar().currentMessage(), "the page gets no window")
        self.assertEqual(len(self.browser.windows), windows)
        self.daemon.configure(WORK.lower(), homePage="javascript:alert(1)", toolbarColor="red; background: url(x)")
        self.wait(lambda: not window.home.isVisible(), "what is no web page is no home page")
        self.assertEqual((window.settings, window._toolbar.styleSheet()), (BrowserSettings(), ""))
        self.assertEqual(window.view.zoomFactor(), 1.0)

    def _download(self, window: str, account: str) -> Path:
        """Downloads a file in a window, to where its account keeps it."""
        self._show(window)
        items: list[QWebEngineDownloadRequest] = []
        profile = self.browser.embedder.profiles[window]
        connection = profile.downloadRequested.connect(items.append)
        self.browser.window(window).page.runJavaScript("document.getElementById('get').click()")
        self.wait(lambda: items and items[0].isFinished(), f"{account} has the file")
        profile.downloadRequested.disconnect(connection)
        return Path(items[0].downloadDirectory(), items[0].downloadFileName())

    def _show(self, window: str) -> None:
        """Shows the page under an address that none had before: Qt 6.4 crashes when it is asked for the page of a download
        whose page went on to another one meanwhile."""
        page, url = self.browser.window(window).page, self.site.url(f"/?{next(numbers)}")
        page.load(QUrl(url))
        loaded = "location.href + document.readyState"
        self.wait(lambda: self._script(page, loaded) == f"{url}complete", f"the page is shown in `{window}`")
        self.wait(lambda: not page.isLoading(), "it is quiet")

    def _script(self, page: GuardedPage, source: str) -> Any:
        values: list[Any] = []
        page.runJavaScript(source, values.append)
        self.wait(lambda: values, f"an answer to `{source}`")
        return values[0]

    def wait(self, holds: Callable[[], Any], what: str) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            QTest.qWait(5)
