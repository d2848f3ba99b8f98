"""Two accounts, a download each, one wiped by an administrator: the other still opens (WP-01, WP-03). With the real daemon and
the program that administrators run."""

import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import engine  # noqa: F401  First, since it says where the other modules are.
from account_world import FILE, DemoPolicy, Site
from browser import Browser
from daemon import PROGRAM, Daemon
from disk import Clock
from PyQt6.QtCore import QUrl
from PyQt6.QtTest import QTest
from two_accounts import FIRST, SECOND, OwnPlace, open_browser
from wiping import Administrator
from window import Window


class TestWipe(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()
        self.site = Site()
        self.addCleanup(self.site.close)
        # Only time by a clock that is kept right counts towards a removal.
        self.daemon = Daemon(DemoPolicy(self.site.url()), environment=Clock(self.root).environment)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.administrator = Administrator(str(PROGRAM), ["--socket-dir", str(self.daemon.sockets)])
        self.administrator.run("reload", "--wait", "--checked-in")
        self.closed: list[Browser] = []
        self.browser = self.open()

    def open(self) -> Browser:
        browser = open_browser(str(self.daemon.guard_socket), self.root / "profiles", OwnPlace())
        self.addCleanup(self.close, browser)
        self.wait(lambda: all(window.page.title() == "home" for window in browser.windows), "the home pages are shown")
        return browser

    def close(self, browser: Browser) -> None:
        if browser in self.closed:
            return
        self.closed.append(browser)
        for window in list(browser.windows):
            window.close()
        QTest.qWait(50)
        for name in list(browser.embedder.profiles):
            browser.embedder.sign_out(name)
        browser.embedder.close()

    def test_one_account_is_wiped_and_the_other_opens_its_file(self) -> None:
        files = {window.page.window: self.download(window) for window in list(self.browser.windows)}
        self.assertEqual([self.content(file) for file in files.values()], [FILE, FILE])
        for file in files.values():
            self.assertNotIn(FILE, file.read_bytes(), "it is sealed")
        self.assertNotEqual(files["first"].parent, files["second"].parent)
        self.administrator.wipe(FIRST)
        self.wait(lambda: self.browser.shown() == [SECOND], "its window is closed")
        self.wait(lambda: self.administrator.run("account", "wipes").strip() == "none", "the wipe is over")
        profiles = self.browser._profiles
        assert profiles is not None
        self.assertFalse(profiles.place(FIRST).exists(), "nothing of it is left")
        self.assertEqual([place.name for place in profiles.root.iterdir()], [profiles.place(SECOND).name])
        acts = ["wipeBegun", "wipeStarted", "wipeAnswered", "wipeCompleted"]
        self.wait(lambda: [record["act"] for record in self.wiped()] == acts, "each step is recorded")
        # The other account: its page, its file, and another download.
        other = self.browser.window("second")
        self.assertIn(f"{FIRST}: ", other.statusBar().currentMessage())
        self.assertEqual(other.page.title(), "home")
        self.assertEqual(self.text(other), "plan")
        self.assertTrue(self.browser.embedder.transfers.open(other.page, files["second"]))
        self.wait(lambda: self.text(other) == FILE.decode(), "its file is shown")
        files["second"].unlink()
        other.page.load(QUrl(self.site.url("/again")))
        self.wait(lambda: self.script(other, "location.pathname + document.readyState") == "/againcomplete", "it goes on")
        self.assertEqual(self.content(self.download(other)), FILE)

    def test_a_file_of_another_account_is_not_opened(self) -> None:
        file = self.download(self.browser.window("first"))
        other = self.browser.window("second")
        self.assertFalse(self.browser.embedder.transfers.open(other.page, file))
        other.page.load(QUrl.fromLocalFile(str(file)))
        self.wait(lambda: "another account" in other.statusBar().currentMessage(), "nor as a page")
        self.assertEqual(self.script(other, "location.href"), self.site.url())

    def test_a_preview_changes_nothing(self) -> None:
        file = self.download(self.browser.window("first"))
        shown = self.administrator.run("account", "wipe", FIRST, "--user", "0", "--reason", "x", "--now")
        self.assertIn("Nothing was changed", shown)
        self.daemon.beat()
        self.assertEqual(self.administrator.run("account", "wipes").strip(), "none")
        self.assertEqual((self.content(file), self.browser.shown()), (FILE, [FIRST, SECOND]))

    def test_a_browser_that_was_closed_is_asked_when_it_opens_again(self) -> None:
        files = {window.page.window: self.download(window) for window in list(self.browser.windows)}
        self.close(self.browser)
        self.administrator.wipe(FIRST)
        self.wait(lambda: any(record["act"] == "wipeStarted" for record in self.wiped()), "the wipe has begun")
        self.assertTrue(files["first"].exists(), "nobody asked for it yet")
        browser = open_browser(str(self.daemon.guard_socket), self.root / "profiles", OwnPlace())
        self.addCleanup(self.close, browser)
        self.wait(lambda: browser.shown() == [SECOND], "its window is closed")
        self.assertFalse(files["first"].exists())
        self.assertEqual(self.content(files["second"], browser), FILE)

    def wiped(self) -> list[dict[str, Any]]:
        """The records of wipes."""
        return [record for record in self.daemon.records("account") if record["act"].startswith("wipe")]

    def download(self, window: Window) -> Path:
        self.wait(lambda: not window.page.isLoading(), "it is quiet")
        window.statusBar().clearMessage()
        window.page.runJavaScript("(a => { a.href = '/plan.txt'; a.download = 'plan.txt'; a.click() })(document.links[0])")
        self.wait(lambda: "Saved" in window.statusBar().currentMessage(), "the file is there")
        (file,) = (self.browser.embedder.transfers.own_storage[window.page.window][0]).iterdir()
        return file

    def content(self, file: Path, browser: Browser | None = None) -> bytes:
        """What a program of the account reads."""
        with (browser or self.browser).embedder.guard.files.readable(file) as readable:
            return Path(readable.path).read_bytes()

    def text(self, window: Window) -> str:
        return str(self.script(window, "document.body ? document.body.innerText.trim() : ''"))

    def script(self, window: Window, source: str) -> Any:
        values: list[Any] = []
        window.page.runJavaScript(source, values.append)
        self.wait(lambda: values, f"an answer to `{source}`")
        return values[0]

    def wait(self, holds: Callable[[], Any], what: str) -> None:
        deadline = time.monotonic() + 60
        while not holds():
            self.assertLess(time.monotonic(), deadline, what)
            QTest.qWait(10)
