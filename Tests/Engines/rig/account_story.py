"""The story of a profile's account, which every browser passes: told, configured, signed out, wiped.

A native host says what the test wants said. The site's access log and the pages that a person sees judge what came of it.
"""

import itertools
import json
import os
import signal
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, Protocol

from daemon import eventually
from installation import Installation

from rig.keeping_site import FILE, PLACES, KeepingSite

WORK, OTHER = "Work@contoso.com", "second@contoso.com"
HOST = Path(__file__).with_name("account_host.py")
SECONDS = 60
numbers = itertools.count(1)


class AccountBrowser(Protocol):
    """The steps that a browser offers to the story. `page` is the name of a page of the extension, such as `account.html`."""

    def visit(self, url: str) -> None:
        """Goes to a URL in a tab of its own, and waits for nothing."""

    def shows(self, url: str) -> bool:
        """Whether a tab has done all that the site's page does."""

    def click(self, element: str) -> None:
        """Clicks an element of the page that was visited last."""

    def urls(self) -> list[str]:
        """The URLs that all tabs show."""

    def text(self, page: str) -> str:
        """The text that a person reads on a page of the extension; nothing where none is shown."""

    def press(self, page: str, button: str) -> None:
        """Clicks a button of a page of the extension."""

    def restate(self, account: str) -> None:
        """The administrator states another account for the profile."""

    def restart_extension(self) -> None:
        """Kills the extension's own process; it comes back by itself."""

    def close(self) -> None:
        """Ends the browser."""


class AccountCase(unittest.TestCase):
    """A site, and a browser with the extension. An engine's class says how to make the browser."""

    # Where the browser's interface cannot reach, and why; asserted, so that a cure is noticed.
    unreachable: ClassVar[dict[str, str]] = {}
    # The result of a wipe of everything that the interface reaches.
    wiped: ClassVar[str] = "done"
    account: ClassVar[str] = WORK
    # The name of the file for which the site suggests HOSTILE_NAME.
    named: ClassVar[str] = "cod_gpj____s.exe"
    browser: AccountBrowser

    def make_browser(self, installation: Installation, account: str, downloads: Path) -> AccountBrowser:
        raise NotImplementedError

    def make_installation(self) -> Installation:
        """The extension, and the host that it asks."""
        raise NotImplementedError

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.downloads = self.directory / "downloads"
        self.downloads.mkdir()
        self.site = KeepingSite()
        self.addCleanup(self.site.close)
        self.installation = self.make_installation()
        self.addCleanup(self.installation.remove)
        self.browser = self.make_browser(self.installation, self.account, self.downloads)
        self.addCleanup(self.browser.close)

    def wait(self, holds: Any, what: str) -> Any:
        return eventually(holds, what, SECONDS)

    def reads(self, page: str, words: str) -> str:
        """Waits until a person reads these words."""
        return str(self.wait(lambda: words in (text := self.browser.text(page)) and text, f"`{words}` is on {page}"))

    def visit(self) -> set[str]:
        """Visits the site's page. What the page found in the browser."""
        before = len(self.site.found())
        self.browser.visit(self.site.url())
        self.wait(lambda: len(self.site.found()) > before, "the page has told what it found")
        self.wait(lambda: self.browser.shows(self.site.url()), "the page has kept everything")
        return self.site.found()[-1]

    def is_refused(self) -> None:
        """The page is not asked for, and the person reads why."""
        before, path = len(self.site.log), f"/after-{next(numbers)}"
        self.browser.visit(self.site.url(path))
        self.reads("blocked.html", path)
        self.assertEqual([seen.path for seen in self.site.log[before:]], [])


class AccountStory(AccountCase):
    """A native host that says what the test wants said."""

    def make_installation(self) -> Installation:
        (self.directory / "replies").mkdir()
        for name in ("news", "calls"):
            (self.directory / name).touch()
        self.listed(state="enrolled")
        self.reply("register", account=WORK.lower(), state="enrolled", result="unchanged")
        self.reply("allowedAccounts", mustSignOut=[])
        self.reply("store", result="stored", path="/nowhere")
        installation = Installation(SimpleNamespace(sockets="", config=""))  # type: ignore[arg-type]
        installation.host.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{HOST}" "{self.directory}"\n')
        return installation

    def setUp(self) -> None:
        super().setUp()
        self.wait(lambda: self.said("allowedAccounts"), "it has asked for all")

    # Steps

    def reply(self, call: str, **members: Any) -> None:
        """The daemon replies this to a call from now on."""
        file = self.directory / "replies" / call
        whole = file.with_name("." + call)
        whole.write_text(json.dumps({"reply": members}))
        whole.rename(file)

    def refuse(self, call: str, error: str) -> None:
        (self.directory / "replies" / call).write_text(json.dumps({"error": error}))

    def listed(self, **account: Any) -> None:
        """The daemon says this of the accounts from now on."""
        self.reply("accounts", accounts=[{"account": WORK.lower(), "managed": True, "sources": ["app"], **account}])

    def tell(self, topic: str, **members: Any) -> None:
        with (self.directory / "news").open("a") as news:
            news.write(json.dumps({"news": topic, "generation": 1, "digest": "d", **members}) + "\n")

    def said(self, call: str) -> list[dict[str, Any]]:
        """The calls of that name, with their members."""
        calls = [json.loads(line) for line in (self.directory / "calls").read_text().splitlines()]
        return [
            {name: value for name, value in said.items() if name not in ("host", "call")}
            for said in calls
            if said["call"] == call
        ]

    def download(self) -> Path:
        self.visit()
        self.browser.click("get")
        file = self.downloads / "plan.bin"
        self.wait(lambda: file.exists() and file.read_bytes() == FILE, "the file is there")
        return file

    def only_private(self) -> None:
        """Waits until only the person's own file is left. The browser removes a file after it answered."""
        left = lambda: sorted(path.name for path in self.downloads.iterdir())  # noqa: E731
        try:
            self.wait(lambda: left() == ["private.txt"], "the downloads are gone")
        except TimeoutError as late:
            raise AssertionError(f"left: {left()}") from late

    def sign_out(self, text: str = "Contoso takes other accounts only.") -> None:
        self.reply("maySignIn", allowed=False, state="notAllowed", text=text)
        self.reply("allowedAccounts", accounts=[OTHER], mustSignOut=[WORK.lower()])
        self.tell("allowedAccounts", accounts=[OTHER])
        self.reads("account.html", text)
        self.wait(lambda: self.said("deregister"), "the daemon hears it")
        self.wait(lambda: self.site.url() not in self.browser.urls(), "the organisation's page is closed")

    def unfinished(self) -> list[str]:
        """The names of files that the browser has begun, and of those that it kept."""
        return sorted(path.name for path in self.downloads.iterdir())

    # The story

    def break_off(self) -> None:
        """Begins a download whose connection ends in the moment in which the browser writes its first file."""

        def end() -> None:
            limit = time.monotonic() + SECONDS
            while len(self.unfinished()) <= 2 and time.monotonic() < limit:
                pass
            self.site.breaks.set()

        ending = threading.Thread(target=end)
        ending.start()
        self.browser.click("broken")
        ending.join()

    def only_finished(self) -> None:
        try:
            self.wait(lambda: self.unfinished() == ["plan.bin", "private.txt"], "nothing is left")
        except TimeoutError as late:
            raise AssertionError(f"left: {self.unfinished()}") from late

    def test_of_a_download_that_breaks_off_nothing_stays(self) -> None:
        """Under a name such as `broken.bin.part` it would lie in plain, and nobody would come for it."""
        other = self.downloads / "private.txt"
        other.write_text("the person's own")
        file = self.download()
        self.visit()
        self.browser.click("broken")
        self.wait(lambda: len(self.unfinished()) > 2, "the browser writes it")
        self.site.breaks.set()
        self.only_finished()
        self.tell("wipe", account=WORK.lower(), request="wipe-1", deadline=1)
        self.wait(lambda: self.said("complete"), "the wipe is answered")
        self.assertEqual(self.said("complete"), [{"request": "wipe-1", "result": self.wiped}])
        self.only_private()
        self.assertFalse(file.exists())

    def test_of_a_download_that_breaks_off_at_once_nothing_stays(self) -> None:
        """Firefox has not begun to show it then: it opens a window, and waits for a person to close that."""
        (self.downloads / "private.txt").write_text("the person's own")
        self.download()
        for _ in range(3):
            self.visit()
            self.break_off()
            self.only_finished()
            self.site.breaks.clear()

    def test_a_name_that_a_site_suggests_turns_no_letters_and_ends_no_line(self) -> None:
        """On the disk there is `_` in their place, and in what the host is told."""
        self.visit()
        self.browser.click("named")
        whole = lambda: [file.name for file in self.downloads.iterdir() if file.read_bytes() == FILE]  # noqa: E731
        self.wait(lambda: whole() and self.said("store"), "the file is there, and named to the host")
        self.assertEqual(whole(), [self.named])
        self.assertEqual({said["path"] for said in self.said("store")}, {str(self.downloads / self.named)})

    def test_a_download_is_named_to_the_host_until_it_is_stored(self) -> None:
        """Also by a worker, a host or a browser that was started anew."""
        self.reply("store", result="later")
        file = self.download()
        self.wait(lambda: self.said("store"), "the host hears of it")
        self.assertEqual({said["path"] for said in self.said("store")}, {str(file)})
        for again in (self.kill_hosts, self.browser.restart_extension, lambda: self.browser.restate(WORK)):
            before = len(self.said("store"))
            again()
            self.wait(lambda before=before: len(self.said("store")) > before, "it is named again")  # type: ignore[misc]
        self.reply("store", result="stored", path=str(file))
        before = len(self.said("store"))
        self.kill_hosts()
        self.wait(lambda: len(self.said("store")) > before, "it is named once more")
        looked, last = len(self.said("allowedAccounts")), len(self.said("store"))
        self.kill_hosts()
        self.wait(lambda: len(self.said("allowedAccounts")) > looked, "the next host is greeted")
        self.reply("store", result="refused")
        file.unlink()
        self.visit()
        self.browser.click("get")
        self.wait(lambda: len(self.said("store")) > last, "the next file is named")
        self.wait(lambda: not list(self.downloads.iterdir()), "what cannot be stored is removed")
        self.assertEqual(len(self.said("store")), last + 1, "what is stored is not named again")

    def test_the_account_is_registered_before_it_is_stated(self) -> None:
        calls = [json.loads(line)["call"] for line in (self.directory / "calls").read_text().splitlines()]
        self.assertLess(calls.index("register"), calls.index("identity"))
        self.assertEqual(self.said("register"), [{"account": WORK}])
        self.assertEqual(self.said("identity"), [{"account": WORK}])

    def test_the_states_of_the_account_are_told_and_delete_nothing(self) -> None:
        file = self.download()
        self.tell("account", account=WORK.upper(), state="blocked", mayWork=False)
        self.reads("status.html", "blocked this account")
        self.tell("compliance", account=WORK, status="notCompliant", title="Update.", text="<b>Your</b> system is old.")
        self.reads("status.html", "Update. <b>Your</b> system is old.")
        self.tell("account", account=OTHER, state="active", mayWork=True)
        self.tell("enrollment", account=WORK, life="enchanted", mayWork=False)
        self.reads("status.html", "may not be used")
        self.tell("account", account=WORK, state="wiped", mayWork=False)
        self.reads("status.html", "removed its data")
        self.listed(state="locked")
        self.tell("missed")
        self.reads("status.html", "Unlock")
        stated = len(self.said("identity"))
        self.tell("account", account=WORK, state="active", mayWork=True)
        self.wait(lambda: len(self.said("identity")) > stated, "the account is stated again, since a refused one is not kept")
        self.wait(lambda: "Unlock" not in self.browser.text("status.html"), "it is taken back")
        self.assertEqual(self.visit(), set(PLACES))
        self.assertEqual(file.read_bytes(), FILE)

    def configure(self, *values: tuple[str, str, bool]) -> None:
        """The daemon says this of the account's configuration from now on: key, text, and whether it is the default."""
        layers = [{"key": key, "entry": "e", "text": text, "default": default} for key, text, default in values]
        self.reply("config", accounts=[{"account": WORK.lower(), "state": "enrolled", "values": layers}])
        self.tell("config", account=WORK.upper())

    def test_configuration_is_followed_and_none_of_it_is_markup(self) -> None:
        """AC-04, AC-09."""
        text, home = "<img src=x onerror=alert(1)> Move & pack", self.site.url("/home")
        self.configure(("banner", "the default", True), ("banner", text, False), ("homePage", home, True))
        self.reads("status.html", text)
        self.sign_out()
        self.is_refused()
        self.reads("blocked.html", text)
        self.configure(("banner", "two\nlines", False), ("homePage", "javascript:alert(1)", False))
        self.wait(lambda: text not in self.browser.text("status.html"), "what is no line is not shown")

    def test_an_account_that_the_app_takes_no_longer_goes(self) -> None:
        """AA-02: pages and what they keep go, files stay, and nothing loads until another account is stated."""
        file = self.download()
        self.assertEqual(self.visit(), set(PLACES), "the page keeps everything")
        self.tell("allowedAccounts", accounts=["*@contoso.com"])
        self.tell("account", account=WORK, state="active", mayWork=True)
        self.assertEqual(self.visit(), set(PLACES), "an account that the app still takes stays")
        self.sign_out()
        self.assertEqual(self.said("deregister"), [{"account": WORK.lower()}])
        self.is_refused()
        # No news of the daemon lets it in again, and it is registered by nobody.
        registered = len(self.said("register"))
        self.tell("account", account=WORK, state="active", mayWork=True)
        self.tell("missed")
        self.is_refused()
        self.assertEqual(len(self.said("register")), registered)
        self.assertEqual(file.read_bytes(), FILE)
        self.reply("allowedAccounts", mustSignOut=[])
        self.reply("accounts", accounts=[{"account": WORK.lower(), "state": "suspended"}])
        self.reply("register", account=OTHER, state="enrolled", result="newPolicies")
        self.browser.restate(OTHER)
        self.wait(lambda: {"account": OTHER} in self.said("identity"), "the other account is stated")
        self.assertEqual(self.visit(), set(self.unreachable), "nothing of the account is left")
        self.assertEqual(self.said("register")[-1], {"account": OTHER})

    def test_somebody_signs_in_again(self) -> None:
        self.visit()
        self.sign_out()
        self.reply("register", account=WORK.lower(), state="notAllowed", result="blocked")
        self.browser.press("account.html", "sign-in")
        self.reads("account.html", "is not accepted here")
        self.is_refused()
        self.reply("register", account=WORK.lower(), state="enrolled", result="unchanged")
        self.browser.press("account.html", "sign-in")
        self.reads("account.html", "signed in again")
        self.assertEqual(self.visit(), set(self.unreachable))

    def test_a_sign_out_outlives_everybody(self) -> None:
        """The daemon is away, the host is killed, the extension is killed: it stays out, and what is owed is said later."""
        self.visit()
        self.refuse("deregister", "noAnswer")
        self.sign_out()
        self.is_refused()
        for killed in (self.kill_hosts, self.browser.restart_extension):
            before = len(self.said("deregister"))
            killed()
            self.is_refused()
            self.wait(lambda before=before: len(self.said("deregister")) > before, "it is said again")  # type: ignore[misc]
        self.reply("deregister", account=WORK.lower(), state="suspended", result="unenrolled")
        self.tell("missed")
        last = len(self.said("deregister")) + 1
        self.wait(lambda: len(self.said("deregister")) == last, "it is said")
        for killed in (self.kill_hosts, self.browser.restart_extension):
            killed()
            self.is_refused()
        self.assertEqual(len(self.said("deregister")), last, "and not said again")

    def kill_hosts(self) -> None:
        killed = self.hosts()
        self.assertTrue(killed)
        for host in killed:
            os.kill(host, signal.SIGKILL)
        self.wait(lambda: set(self.hosts()) - set(killed), "another host is started")

    def hosts(self) -> list[int]:
        """The native hosts of this test, by their command line."""
        wanted, found = str(self.directory).encode(), []
        for entry in Path("/proc").iterdir():
            try:
                words = (entry / "cmdline").read_bytes() if entry.name.isdigit() else b""
            except OSError:
                continue
            if HOST.name.encode() in words and wanted in words:
                found.append(int(entry.name))
        return found

    def test_another_account_cannot_be_shown_and_that_is_said(self) -> None:
        """MI: no extension changes the profile; it answers what is so."""
        self.visit()
        for request, account, result in (
            ("switch-1", WORK.lower(), "success"), ("switch-2", "<i>third</i>@contoso.com", "failed"),
        ):  # fmt: skip
            self.tell("identity", account=account, request=request, cause="openURL")
            self.wait(lambda request=request: self.answered(request), "the daemon is answered")  # type: ignore[misc]
            self.assertEqual(self.answered(request), result)
        text = self.reads("account.html", "Open the browser profile of <i>third</i>@contoso.com")
        self.assertIn(WORK, text)
        self.assertIn(self.site.url(), self.browser.urls(), "the page stays")
        self.tell("account", account=WORK, state="blocked", mayWork=False)
        self.tell("identity", account=WORK, request="switch-3", cause="openURL")
        self.tell("identity", account="", request="switch-4", cause="cancelConditionalLaunch")
        self.tell("identity", account=7, request="switch-5")
        self.tell("identity", account=WORK, request=["switch-6"])
        self.tell("account", account=WORK, state="active", mayWork=True)
        self.tell("identity", account=WORK, request="switch-7", cause="openURL")
        self.wait(lambda: self.answered("switch-7"), "the daemon is answered")
        results = [self.answered(f"switch-{number}") for number in (3, 4, 5, 6, 7)]
        self.assertEqual(results, ["failed", "failed", None, None, "success"])

    def answered(self, request: str) -> str | None:
        return next((said["result"] for said in self.said("answer") if said["request"] == request), None)

    def test_a_wipe_takes_what_pages_kept_and_what_was_downloaded(self) -> None:
        file, other = self.download(), self.downloads / "private.txt"
        other.write_text("the person's own")
        self.assertEqual(self.visit(), set(PLACES))
        self.tell("wipe", account=OTHER, request="wipe-1")
        self.tell("wipe", account="", request="wipe-2")
        self.tell("wipe", account=WORK, state="wiped")
        self.wait(lambda: len(self.said("complete")) == 2, "both are answered")
        self.assertEqual(self.said("complete"), [{"request": f"wipe-{n}", "result": "refused"} for n in (1, 2)])
        self.assertEqual(self.visit(), set(PLACES), "a wipe of another account takes nothing")
        self.browser.click("slow")
        self.wait(lambda: self.site.asked("/slow.bin"), "a download that never ends is under way")
        self.tell("wipe", account=WORK.lower(), request="wipe-3", deadline=1)
        self.wait(lambda: len(self.said("complete")) == 3, "the wipe is answered")
        self.assertEqual(self.said("complete")[2], {"request": "wipe-3", "result": self.wiped})
        self.reads("account.html", "removed its data")
        self.is_refused()
        self.only_private()
        self.assertFalse(file.exists())
        self.assertEqual(other.read_text(), "the person's own")
        self.reply("register", account=WORK.lower(), state="enrolled", result="newPolicies")
        self.browser.press("account.html", "sign-in")
        self.reads("account.html", "signed in again")
        self.assertEqual(self.visit(), set(self.unreachable))
