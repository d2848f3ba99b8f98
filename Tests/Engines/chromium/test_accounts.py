"""The account of a browser profile: why it may not work, and what a wipe takes (WP-01)."""

import json
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from account_world import FILE, Site
from daemon import eventually
from driver import Viewer
from installation import Installation

WORK, OTHER = "Work@contoso.com", "second@contoso.com"
HERE = Path(__file__).resolve().parent


class Accounts(unittest.TestCase):
    """The extension and a native host that says what the test wants."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.downloads = self.directory / "downloads"
        self.downloads.mkdir()
        (self.directory / "news").touch()
        self.listed(state="enrolled")
        self.site = Site()
        self.addCleanup(self.site.close)
        self.installation = Installation(SimpleNamespace(sockets="", config=""))  # type: ignore[arg-type]
        self.addCleanup(self.installation.remove)
        host = HERE / "account_host.py"
        self.installation.host.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{host}" "{self.directory}"\n')
        self.viewer = Viewer(self.installation, WORK, DownloadDirectory=str(self.downloads))
        self.addCleanup(self.viewer.browser.close)
        self.says("")

    def listed(self, **account: Any) -> None:
        """What the daemon says of the accounts from now on."""
        own = {"account": WORK.lower(), "managed": True, "sources": ["app"], **account}
        (self.directory / "accounts").write_text(json.dumps({"accounts": [own]}))

    def tell(self, topic: str, **members: Any) -> None:
        with (self.directory / "news").open("a") as news:
            news.write(json.dumps({"news": topic, "generation": 1, "digest": "d", **members}) + "\n")

    def says(self, words: str) -> None:
        """The extension's page says these words of the account; nothing for none."""

        def said() -> bool:
            text = (self.viewer.status() or {}).get("accountText")
            return text == "" if words == "" else bool(text and words in text)

        eventually(said, f"`{words}` is said of the account", 60)

    def completed(self, count: int) -> list[dict[str, str]]:
        """What the extension said of so many requests."""
        file = self.directory / "completed"
        lines = eventually(
            lambda: file.exists() and len(file.read_text().splitlines()) >= count and file.read_text(), "it is said", 60
        )
        return [json.loads(line) for line in lines.splitlines()]

    def download(self) -> Path:
        tab = self.viewer.tab
        tab.call("Page.navigate", url=self.site.url())
        eventually(lambda: tab.value("document.title") == "home", "the page is shown", 60)
        tab.value("document.getElementById('get').click()")
        file = self.downloads / "plan.bin"
        eventually(lambda: file.exists() and file.read_bytes() == FILE, "the file is there", 60)
        finished = "chrome.downloads.search({ state: 'complete' }).then((found) => found.length)"
        eventually(lambda: self.viewer.status_page.value(finished) == 1, "the download is over", 60)
        return file

    def kept(self) -> bool:
        """Whether the profile still has what the site keeps in it."""
        cookies = self.viewer.tab.call("Network.getCookies", urls=[self.site.url()])["cookies"]
        return any(cookie["name"] == "kept" for cookie in cookies)

    def test_the_states_of_the_account_are_told_and_delete_nothing(self) -> None:
        file = self.download()
        self.tell("account", account=WORK.upper(), state="blocked", mayWork=False)
        self.says("blocked this account")
        self.tell("compliance", account=WORK, status="notCompliant", title="Update.", text="Your system is old.")
        self.says("Update. Your system is old.")
        self.tell("account", account=OTHER, state="active", mayWork=True)
        self.tell("enrollment", account=WORK, life="enchanted", mayWork=False)
        self.says("may not be used")
        self.tell("account", account=WORK, state="wiped", mayWork=False)
        self.says("removed its data")
        self.listed(state="locked")
        self.tell("missed")
        self.says("Unlock")
        self.tell("account", account=WORK, state="active", mayWork=True)
        self.says("")
        self.assertTrue(file.exists() and self.kept())

    def configure(self, *values: tuple[str, str, bool]) -> None:
        """What the daemon says of the account's configuration from now on: key, text, and whether it is the default."""
        layers = [{"key": key, "entry": "e", "text": text, "default": default} for key, text, default in values]
        (self.directory / "config").write_text(json.dumps(layers))
        self.tell("config", account=WORK.upper())

    def test_configuration_is_followed_and_none_of_it_is_markup(self) -> None:
        """AC-04, AC-09."""
        text, home = "<img src=x onerror=alert(1)> Move & pack", self.site.url("/home")
        self.configure(("banner", "the default", True), ("banner", text, False), ("homePage", home, True))
        eventually(lambda: (self.viewer.status() or {}).get("banner") == text, "the banner is read", 60)
        shown = "(b => b ? b.textContent + b.childElementCount : '')(document.getElementById('banner'))"
        eventually(lambda: self.viewer.status_page.value(shown) == f"{text}0", "it is shown, as text", 60)
        blocked = self.viewer.browser.page(f"chrome-extension://{self.viewer.id}/blocked.html?none")
        eventually(lambda: blocked.value(shown) == f"{text}0", "so it is where a page is blocked", 60)
        self.assertFalse(blocked.value("document.getElementById('home').hidden"))
        blocked.value("document.getElementById('home').click()")
        eventually(lambda: blocked.value("location.href") == home, "the button leads home", 60)
        self.configure(("banner", "two\nlines", False), ("homePage", "javascript:alert(1)", False))
        eventually(lambda: (self.viewer.status() or {}).get("banner") == "", "what is no line is not shown", 60)
        page = self.viewer.browser.page(f"chrome-extension://{self.viewer.id}/blocked.html?none")
        ready = "document.getElementById('back')?.onclick != null"
        eventually(lambda: page.value(ready), "the page is there", 60)
        self.assertTrue(page.value("document.getElementById('home').hidden"), "a script is no home page")

    def test_a_wipe_takes_what_pages_kept_and_what_was_downloaded(self) -> None:
        file, other = self.download(), self.downloads / "private.txt"
        other.write_text("the person's own")
        self.assertTrue(self.kept())
        self.tell("wipe", account=OTHER, request="wipe-1")
        self.tell("wipe", account="", request="wipe-2")
        self.tell("wipe", account=WORK, state="wiped")
        refused = [{"request": f"wipe-{number}", "result": "refused"} for number in (1, 2)]
        self.assertEqual(self.completed(2), refused)
        self.assertTrue(file.exists() and self.kept(), "a wipe of another account takes nothing")
        self.tell("wipe", account=WORK.lower(), request="wipe-3", deadline=1)
        self.assertEqual(self.completed(3)[2:], [{"request": "wipe-3", "result": "done"}])
        self.assertFalse(file.exists())
        self.assertFalse(self.kept())
        self.assertEqual(other.read_text(), "the person's own")


def cases() -> list[type[unittest.TestCase]]:
    return [Accounts]
