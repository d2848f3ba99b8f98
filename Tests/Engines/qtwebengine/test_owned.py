"""Files that know their owner, from end to end in the demo browser: with the real daemon, and as an administrator wipes."""

import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Sequence
from pathlib import Path

from engine import RUNTIME, WORK, QtDriver  # First, since it says where the other modules are.  # isort: skip

from configuration import PERSONAL, Configuration
from daemon import PROGRAM, Daemon, eventually
from disk import Clock
from profiles import Profiles
from rig.case import numbers
from rig.hosts import RULES
from rig.policy import POLICY
from rig.site import Site
from webviewguard import Guard, SealingError
from webviewguard.errors import FileProtectionError
from wiping import Administrator

SECOND = "second@contoso.com"
CONTENT = b"x" * 100
SETTINGS = "contract: { startMs: 10000, answerMs: 5000 }\n"
ORGANISATION = f"""\
accounts:
  - {{ upn: {WORK}, protection: contoso }}
  - {{ upn: {SECOND}, protection: contoso }}
  - {{ upn: {PERSONAL} }}
protections:
  contoso:
    encryption: {{ by: envelope }}
    send: managed
    receive: managed
    save: {{ allowed: false, exceptions: [localStorage] }}
wipe: {{ mode: on, causes: [admin] }}
"""
CHOSEN = "document.getElementById('file').files.length"


def policy(way: str = "envelope") -> Configuration:
    app = POLICY.replace("identityMode: multi\n", "identityMode: multi\n    managedAccounts: several\n")
    return Configuration(app, settings=SETTINGS, rules=RULES, organisation=ORGANISATION.replace("envelope", way))


class TestOwned(unittest.TestCase):
    """Windows of two accounts of the organisation and of a private one."""

    way = "envelope"

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name).resolve()
        self.site = Site()
        self.addCleanup(self.site.close)
        # Only time by a clock that is kept right counts towards a removal.
        self.daemon = Daemon(policy(self.way), environment=Clock(self.root).environment)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.administrator = Administrator(str(PROGRAM), ["--socket-dir", str(self.daemon.sockets)])
        self.administrator.run("reload", "--wait", "--checked-in")
        self.begin()
        accounts = {"work": WORK, "second": SECOND, "private": PERSONAL}
        self.driver = QtDriver(str(self.daemon.guard_socket), accounts, Profiles(self.root / "profiles"))
        self.people, self.guard, self.browser = self.driver.people, self.driver.guard, self.driver.browser
        self.addCleanup(self.close)
        for name in accounts:
            self.show(name)

    def begin(self) -> None:
        """What has to be there before the browser."""

    def close(self) -> None:
        windows = list(self.browser.embedder.profiles)
        self.driver.close()
        for name in windows:
            self.browser.embedder.sign_out(name)
        self.assertEqual([*Path(RUNTIME).glob(".webviewguard-*")], [], "what pages read is gone with them")

    # Steps

    def show(self, window: str) -> None:
        """Under a title that no page had before."""
        self.driver.load(window, self.site.url(f"/?{next(numbers)}"))

    def download(self, window: str, name: str = "plan.txt") -> Path:
        """Where the account keeps it."""
        self.people.lines.clear()
        directory = self.own(window)
        self.people.chosen_place = str(directory / name)
        get = f"(a => {{ a.href = '/file/{name}'; a.download = '{name}'; a.click() }})(document.links[0])"
        self.browser.window(window).page.runJavaScript(get)
        self.driver.wait(lambda: f"Saved {name}" in self.people.lines, f"the file is there: {self.people.lines}")
        return directory / name

    def own(self, window: str) -> Path:
        directory = self.browser.embedder.transfers.own_storage[window][0]
        return Path(self.guard.files.account_directory(self.browser.accounts[window]) or directory)

    def uploads(self, window: str, file: Path) -> bool:
        """Whether the page of a window gets a file and sends it, as the site's log says."""
        self.show(window)
        self.people.chosen_files, before = [str(file)], len(self.site.asked("/uploaded"))
        self.driver.heard.clear()
        self.driver.click(window, "file")
        if not self.driver.decided("upload").allowed:
            self.assertEqual(self.driver.script(window, CHOSEN), 0, "the page does not even learn the name")
            return False
        self.driver.wait(lambda: self.driver.script(window, CHOSEN) == 1, "the page has the file")
        self.driver.script(window, "void(document.forms[0].submit())")
        self.driver.wait(lambda: len(self.site.asked("/uploaded")) > before, "it is sent")
        return True

    def shows(self, window: str, file: Path) -> bool:
        """Whether a window opens a file, and its content is seen."""
        page = self.browser.window(window).page
        if not self.browser.embedder.transfers.open(page, file):
            return False
        text = "document.body ? document.body.innerText.trim() : ''"
        self.driver.wait(lambda: self.driver.script(window, text) == CONTENT.decode(), "the file is shown")
        return True

    def wipe(self, account: str) -> None:
        self.administrator.wipe(account)
        self.driver.wait(lambda: account not in self.browser.shown(), "its window is closed")
        self.driver.wait(lambda: self.administrator.run("account", "wipes").strip() == "none", "the wipe is over")
        wiped = "wipeCompleted"
        self.driver.wait(lambda: any(record["act"] == wiped for record in self.daemon.records("account")), "it is recorded")

    def cat(self, file: Path) -> bytes:
        """What a program reads that asks nobody."""
        return subprocess.run(["cat", str(file)], capture_output=True).stdout

    def nothing_in_plain(self, *but: Path) -> None:
        """No file below the test's directory has the content, but for the site's own."""
        for file in self.root.rglob("*"):
            if file.is_file() and not file.is_symlink() and file not in but:
                self.assertNotIn(CONTENT, file.read_bytes(), file)


class TestSealed(TestOwned):
    def test_the_life_of_a_work_file(self) -> None:
        work, second = self.download("work"), self.download("second")
        self.assertEqual(self.guard.files.get_owner(work).account, WORK)
        self.assertEqual(self.guard.files.get_owner(second).account, SECOND)
        # A private program reads nonsense.
        for file in (work, second):
            read = self.cat(file)
            self.assertTrue(read and CONTENT[:16] not in read)
        self.nothing_in_plain()
        # The account's own window opens it, and its own site may have it: as it was, and not as it is stored.
        self.assertTrue(self.shows("work", work))
        self.assertTrue(self.uploads("work", work))
        self.outside(work)
        backup = self.root / "yesterday"
        shutil.copy2(work, backup)
        self.assertEqual(self.read(backup), CONTENT)
        self.wipe(WORK)
        self.gone(work, backup)
        # The other account does not notice.
        self.assertEqual(self.read(second), CONTENT)
        self.assertTrue(self.shows("second", second))

    def outside(self, file: Path) -> None:
        """Renamed and copied, with attributes and without, it does not go to a private page; a private file does."""
        holiday = self.root / "holiday.txt"
        for command in (["cp", "-a"], ["cp"]):
            subprocess.run([*command, str(file), str(holiday)], check=True)
            moved = self.root / "renamed.txt"
            holiday.rename(moved)
            self.assertFalse(self.uploads("private", moved), command)
            moved.unlink()
        self.assertEqual(self.site.asked("/uploaded")[1:], [])
        private = self.root / file.name
        private.write_bytes(bytes(len(CONTENT)))
        self.assertTrue(self.uploads("private", private))
        own, other = self.site.asked("/uploaded")
        self.assertEqual(own.body_length, other.body_length, "the account's own site got the content, and not the envelope")

    def read(self, file: Path) -> bytes:
        with self.guard.files.readable(file) as readable:
            return Path(readable.path).read_bytes()

    def gone(self, file: Path, backup: Path) -> None:
        """Neither the file nor the copy from yesterday opens, in its old place or elsewhere, also for a new program."""
        self.assertFalse(file.exists())
        file.parent.mkdir(parents=True)
        shutil.copy2(backup, file)
        with Guard(app="com.contoso.portal", path=self.daemon.guard_socket) as stranger:
            self.assertTrue(stranger.start())
            for guard in (self.guard, stranger):
                for copy in (file, backup):
                    with self.assertRaises(SealingError) as refused, guard.sealing.open(copy):
                        pass
                    self.assertEqual((refused.exception.code, refused.exception.reason), (103, "noKey"))
                    with self.assertRaises(FileProtectionError), guard.files.readable(copy) as readable:
                        readable.path
        self.assertFalse(self.uploads("private", backup))

    def test_a_private_download_stays_as_it_is(self) -> None:
        file = self.download("private")
        self.assertEqual((self.cat(file), self.guard.files.get_owner(file).standing), (CONTENT, "unmanaged"))
        self.assertTrue(self.uploads("private", file))

    def test_a_download_that_breaks_off_leaves_nothing(self) -> None:
        directory = self.own("work")
        self.people.chosen_place = str(directory / "plan.txt")
        get = "(a => { a.href = '/broken/plan.txt'; a.download = ''; a.click() })(document.links[0])"
        self.driver.script("work", f"void({get})")
        places = [directory, Path(RUNTIME)]
        left = lambda: [file for place in places for file in place.rglob("*plan*")]  # noqa: E731
        # The engine tries again and again, and says nothing of that.
        self.driver.wait(lambda: left() and len(self.site.asked("/broken/plan.txt")) > 1, "it has begun anew")
        self.driver.wait(lambda: not left(), "nothing is left")
        self.nothing_in_plain()

    def test_what_is_printed_and_pictured_is_sealed_as_well(self) -> None:
        directory = self.own("work")
        work = self.browser.window("work")
        self.people.chosen_place = str(directory / "page.png")
        self.assertTrue(work.save_picture())
        self.people.lines.clear()
        self.people.chosen_place = str(directory / "page.pdf")
        self.browser.embedder.transfers.print_page(work.page)
        self.driver.wait(lambda: "Saved page.pdf" in self.people.lines, "it is printed")
        for name, start in (("page.png", b"\x89PNG"), ("page.pdf", b"%PDF")):
            file = directory / name
            self.assertFalse(self.cat(file).startswith(start))
            self.assertTrue(self.read(file).startswith(start))
            self.assertEqual(self.guard.files.get_owner(file).account, WORK)

    def test_a_file_of_another_account_is_not_shown_by_its_label(self) -> None:
        """It lies where nobody's files lie."""
        copy = self.root / "copy.txt"
        shutil.copy2(self.download("work"), copy)
        transfers = self.browser.embedder.transfers
        answers = [transfers.is_of_another(self.browser.window(name).page, str(copy)) for name in self.browser.accounts]
        self.assertEqual(answers, [False, True, True])


class TestDirectory(TestOwned):
    """The policy has the files in the account's own directory, which gocryptfs encrypts."""

    way = "gocryptfs"

    @classmethod
    def setUpClass(cls) -> None:
        if os.geteuid() != 0 or not shutil.which("gocryptfs") or not Path("/dev/fuse").exists():
            raise unittest.SkipTest("needs root, gocryptfs and FUSE")

    def begin(self) -> None:
        store = Path(tempfile.mkdtemp(prefix="wvg-store-"))
        store.chmod(0o755)
        self.command = [str(PROGRAM), "directories", "--store", str(store), "--socket-dir", str(self.daemon.sockets)]
        keeper = subprocess.Popen(self.command, stdin=subprocess.DEVNULL)

        def end() -> None:
            keeper.kill()
            keeper.wait()
            subprocess.run([*self.command, "--close"], check=True, timeout=60)
            shutil.rmtree(store, ignore_errors=True)

        self.addCleanup(end)
        self.store = store

    def test_a_download_goes_into_the_accounts_directory_which_a_wipe_closes_for_good(self) -> None:
        for account in (WORK, SECOND):
            eventually(lambda account=account: self.is_open(account), "the directory is open")
        work, second = self.download("work"), self.download("second")
        self.assertTrue(work.is_relative_to(self.store))
        self.assertNotEqual(work.parent, second.parent)
        self.assertEqual((self.cat(work), self.guard.files.get_owner(work).account), (CONTENT, WORK))
        self.assertFalse(self.uploads("private", work))
        self.assertTrue(self.shows("work", work))
        self.assertEqual(self.leftovers(work.parent), [])
        self.wipe(WORK)
        self.driver.wait(lambda: self.cat(work) == b"", "`cat` fails")
        self.assertTrue(self.shows("second", second))

    def is_open(self, account: str) -> bool:
        return self.guard.accounts.open_directory(account).is_open

    def leftovers(self, directory: Path) -> Sequence[str]:
        return [file.name for file in directory.iterdir() if file.name.startswith(".")]


del TestOwned
