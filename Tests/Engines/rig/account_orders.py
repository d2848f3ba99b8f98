"""The story of a profile's account with the real daemon, the real host, and the program that administrators run."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from string import Template
from typing import Any, ClassVar

from configuration import APP as APP_ID
from configuration import Configuration
from daemon import PROGRAM, Daemon
from disk import Clock
from installation import Installation

from rig import ROOT
from rig.account_story import AccountCase
from rig.hosts import RULES
from rig.keeping_site import FILE

sys.path.insert(0, str(ROOT / "clients/python/src"))

from webviewguard import Guard, SealingError, protection_info  # noqa: E402

WORK, SECOND = "work@contoso.com", "second@contoso.com"

APP = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }]
    identityMode: multi
    managedAccounts: several
    accounts: { source: [app] }
$allowed    classes:
      documents: { policy: currentIdentity, externalURLs: contoso }
"""
SETTINGS = "graceSeconds: 5\ncontract: { startMs: 10000, answerMs: 5000, navigation: open, clipboard: open, other: open }\n"
ORGANISATION = f"""\
accounts:
  - {{ upn: {WORK}, protection: contoso }}
  - {{ upn: {SECOND}, protection: contoso }}
protections:
  contoso: {{ webTransfer: any, send: managed, save: {{ allowed: true }} }}
wipe: {{ mode: on, causes: [admin] }}
"""


class AccountOrders(AccountCase):
    """An administrator's orders are seen in the browser, and the daemon knows of it."""

    account: ClassVar[str] = WORK

    def make_installation(self) -> Installation:
        configuration = Configuration(
            Template(APP).safe_substitute(allowed=""), settings=SETTINGS, rules=RULES, organisation=ORGANISATION
        )
        # Only time by a clock that is kept right counts towards a removal.
        self.daemon = Daemon(configuration, environment=Clock(self.directory).environment)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.administrate("reload", "--wait", "--checked-in")
        return Installation(self.daemon)

    def administrate(self, *arguments: str) -> str:
        command = [PROGRAM, *arguments, "--socket-dir", self.daemon.sockets]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def state(self, account: str) -> str:
        """The point of an account's life, as the administrator sees it."""
        listed: dict[str, Any] = json.loads(self.administrate("account", "list", "--format", "json"))
        found = [entry["state"] for entry in listed["accounts"] if entry["account"] == account]
        return str(found[0]) if found else "none"

    def allow(self, *accounts: str) -> None:
        """The app takes only these accounts from now on."""
        allowed = f"    allowedAccounts: {json.dumps(accounts)}\n"
        file = self.daemon.config / "policy.d/app-0.yaml"
        file.write_text(Template(APP).substitute(allowed=allowed, uid=os.getuid()))
        self.administrate("reload", "--wait")

    def restart_daemon(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        self.wait(lambda: "away" in self.browser.text("status.html"), "the extension hears of it")
        self.daemon.start()
        self.wait(lambda: "answers" in self.browser.text("status.html"), "the extension is back")

    def test_an_account_lives_from_its_registration_to_its_sign_out(self) -> None:
        """EN-11, AA-02."""
        self.wait(lambda: self.state(WORK) == "enrolled", "the account is registered")
        self.visit()
        self.restart_daemon()
        self.assertEqual(self.visit() - {"cookie"}, {"localStorage", "indexedDB", "caches", "files", "serviceWorker"})
        self.allow(SECOND)
        self.reads("account.html", "This account is signed out here")
        self.wait(lambda: self.state(WORK) in ("suspended", "notAllowed"), "the daemon has heard of it")
        self.is_refused()
        # Nobody answers, under a contract that lets everything pass: it is refused all the same.
        self.daemon.stop(signal.SIGKILL)
        self.is_refused()
        self.daemon.start()
        self.browser.restart_extension()
        self.wait(lambda: "answers" in self.browser.text("status.html"), "the extension is back")
        self.is_refused()
        self.browser.press("account.html", "sign-in")
        self.reads("account.html", "is not accepted here")
        self.is_refused()
        self.browser.restate(SECOND)
        self.wait(lambda: self.state(SECOND) == "enrolled", "the other account is registered")
        self.wait(lambda: f"{SECOND}" in self.browser.text("status.html"), "and shown")
        self.assertEqual(self.visit(), set(self.unreachable))
        # The first account is allowed again, and stated again: that is a sign-in.
        self.allow(SECOND, WORK)
        self.browser.restate(WORK)
        self.wait(lambda: self.state(WORK) == "enrolled", "the first account is registered again")
        self.visit()

    def test_an_account_is_wiped(self) -> None:
        """WP-01."""
        self.wait(lambda: self.state(WORK) == "enrolled", "the account is registered")
        self.visit()
        self.wipe()
        self.reads("account.html", "removed its data")
        self.wait(lambda: self.administrate("account", "wipes").strip() == "none", "the wipe is over")
        self.is_refused()
        self.assertNotIn(self.state(WORK), ("enrolled", "registered"), "nobody registers it again")
        self.browser.restate(SECOND)
        self.wait(lambda: self.state(SECOND) == "enrolled", "the other account is registered")
        self.wait(lambda: f"{SECOND}" in self.browser.text("status.html"), "and shown")
        self.assertEqual(self.visit(), set(self.unreachable))

    def wipe(self) -> None:
        command = ("account", "wipe", WORK, "--user", str(os.getuid()), "--reason", "left", "--now")
        code = re.findall(r"--confirm (\S+)", self.administrate(*command))[0]
        self.administrate(*command, "--confirm", code)

    def sealed_download(self) -> Path:
        """Downloads a file, and waits until the native host has sealed it."""
        self.visit()
        self.browser.click("get")
        file = self.downloads / "plan.bin"
        self.wait(lambda: file.exists() and protection_info(file.read_bytes() or b"-") is not None, "the file is sealed")
        return file

    def test_a_download_knows_its_owner_and_goes_with_the_account(self) -> None:
        """FO-01, SD-01: others read nonsense, the label keeps it from going out, and a wipe makes each copy unreadable."""
        self.wait(lambda: self.state(WORK) == "enrolled", "the account is registered")
        sealed = self.sealed_download().read_bytes()
        file = self.downloads / "plan.bin"
        self.assertNotIn(FILE, sealed)
        self.assertEqual([path.name for path in self.downloads.iterdir()], ["plan.bin"])
        guard = Guard(app=APP_ID, path=self.daemon.guard_socket)
        self.addCleanup(guard.close)
        self.assertTrue(guard.start())
        guard.register_viewer("home")
        renamed = self.directory / "renamed"
        subprocess.run(["cp", "-a", file, renamed], check=True)
        guard.set_identity("process", account="")
        url, facts = self.site.url("/upload"), guard.files.facts(renamed)
        self.assertIn("label", facts)
        self.assertFalse(guard.upload(viewer="home", url=url, owner="", **facts).allowed)
        guard.set_identity("process", account=WORK)
        self.assertEqual(guard.files.get_owner(renamed).account, WORK)
        self.assertEqual(guard.sealing.unprotect(sealed), FILE)
        self.wipe()
        self.wait(lambda: self.administrate("account", "wipes").strip() == "none", "the wipe is over")
        with self.assertRaises(SealingError):
            guard.sealing.unprotect(renamed.read_bytes())
        self.wait(lambda: not file.exists(), "the download is gone")
