"""Directories of accounts that somebody wants to read when nobody may: really encrypted by fscrypt and gocryptfs, opened and
closed by the keeper as root, while apps, wipes, kills and other users are in the way."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any, ClassVar

from attack_case import APP, Link
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from daemon import PROGRAM, eventually
from test_data_keys import SECOND, SEVERAL, KeyCase, object_id
from test_wipes import ALICE, BOB, NOTES
from wire import ACCOUNTS, ADMIN, GUARD, frame

SECRET = "the contract with Fabrikam ends on Friday"
TAG = "2bb54003f51bb9c73f499e5146dc639c"
WAYS = ("fscrypt", "gocryptfs")


def organisation(way: str) -> str:
    return ORGANISATION.replace("    webTransfer:", f"    encryption: {{ by: {way} }}\n    webTransfer:")


class DirectoryCase(KeyCase):
    """A keeper whose directories lie on a file system of the test's own that can encrypt."""

    mounted: ClassVar[Path]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if not Path("/dev/fuse").exists() or subprocess.run(["losetup", "-f"], capture_output=True).returncode:
            raise unittest.SkipTest("this machine has no loop devices, or no FUSE")
        cls.mounted = Path(tempfile.mkdtemp(prefix="wvg-directories-"))
        cls.mounted.chmod(0o755)
        image = cls.mounted.with_suffix(".image")
        for command in (
            f"truncate -s 64M {image}", f"mkfs.ext4 -q -O encrypt {image}", f"mount -o loop {image} {cls.mounted}",
        ):
            subprocess.run(command.split(), check=True)
        cls.image = image
        cls.addClassCleanup(cls.unmount)

    @classmethod
    def unmount(cls) -> None:
        for line in reversed(Path("/proc/mounts").read_text().splitlines()):
            if (place := line.split()[1]).startswith(str(cls.mounted)):
                subprocess.run(["umount", "-l", place], check=True)
        cls.image.unlink()
        cls.mounted.rmdir()

    def setUp(self) -> None:
        super().setUp()
        self.store = self.mounted / "accounts"
        self.keepers: list[subprocess.Popen[bytes]] = []
        self.addCleanup(self.clear)

    def clear(self) -> None:
        for keeper in self.keepers:
            keeper.kill()
            keeper.wait()
        self.assertEqual(self.keeper_command("--close").returncode, 0)
        shutil.rmtree(self.store, ignore_errors=True)

    # The keeper

    def command(self, *more: str) -> list[str]:
        return [
            str(PROGRAM), "directories", "--store", str(self.store), "--socket-dir", str(self.daemon.sockets), *more,
        ]

    def keeper_command(self, *more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.command(*more), capture_output=True, text=True, timeout=60)

    def keep(self, *more: str) -> subprocess.Popen[bytes]:
        keeper = subprocess.Popen(self.command(*more), stdin=subprocess.DEVNULL)
        self.keepers.append(keeper)
        return keeper

    # Apps and their files

    def rule(self, way: str) -> None:
        self.reload(Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=organisation(way)))

    def state_of(self, link: Link, account: str = WORK) -> dict[str, Any]:
        return self.answered(link.call(f"{ACCOUNTS}.OpenDirectory", account=account))

    def opened(self, link: Link, account: str = WORK) -> Path:
        """Asks until the directory is open."""
        return Path(eventually(lambda: self.if_open(link, account), "the directory is open"))

    def if_open(self, link: Link, account: str) -> str | None:
        state = self.state_of(link, account)
        return state["path"] if state["state"] == "open" else None

    def write(self, path: Path, uid: int = ALICE, text: str = SECRET) -> bool:
        program = f"open({str(path)!r}, 'w').write({text!r})"
        return subprocess.run(["python3", "-c", program], user=uid, group=uid, extra_groups=[], capture_output=True).returncode == 0

    def read(self, path: Path, uid: int = ALICE) -> str | None:
        done = subprocess.run(["cat", path], user=uid, group=uid, extra_groups=[], capture_output=True, text=True)
        return done.stdout if done.returncode == 0 else None

    def closed(self, path: Path, *uids: int) -> None:
        for uid in uids or (ALICE, 0, BOB):
            eventually(lambda uid=uid: self.read(path, uid) is None, "nobody can read the file")
        self.assertFalse(self.write(path.with_name("new")))


class Directories(DirectoryCase):
    def test_files_can_be_read_while_the_account_may_work(self) -> None:
        for way in WAYS:
            with self.subTest(way):
                self.rule(way)
                keeper = self.keep()
                link = self.app(ALICE)
                path = self.opened(link)
                self.assertEqual(path, self.store / str(ALICE) / TAG / "files")
                file = path / "plan.txt"
                self.assertTrue(self.write(file))
                self.assertEqual(self.read(file), SECRET)
                self.assertIsNone(self.read(file, BOB))
                self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
                self.closed(file)
                keeper.kill()
                keeper.wait()
                self.clear()
                link.person.end()

    def test_an_app_asks_again_and_a_second_app_shares_it(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        portal, notes = self.app(ALICE), self.app(ALICE, NOTES)
        file = self.opened(portal) / "plan.txt"
        self.assertTrue(self.write(file))
        for _ in range(50):
            self.assertEqual(self.opened(notes), file.parent)
        # It stays while one of them may work with the account.
        self.answered(portal.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.daemon.beat()
        self.assertEqual(self.read(file), SECRET)
        self.answered(notes.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.closed(file)
        # One key for its whole life, and each opening is on record.
        self.assertEqual(len(self.records_of("opened")), 1)

    def test_who_gets_none(self) -> None:
        self.rule("gocryptfs")
        link = self.app(ALICE)
        self.assertEqual(self.state_of(link)["state"], "failed")
        self.assertIn("webviewguard-directories.service", self.state_of(link)["problem"])
        self.keep()
        eventually(lambda: self.state_of(link)["state"] == "open", "a keeper came")
        self.assertEqual(link.call(f"{ACCOUNTS}.OpenDirectory", account=PERSONAL)["error"], f"{GUARD}.NotManaged")
        self.assertIn("error", link.call(f"{ACCOUNTS}.OpenDirectory", account="ghost@contoso.com"))
        self.assertIn("error", self.person(BOB).link(self.daemon.guard_socket).call(f"{ACCOUNTS}.OpenDirectory", account=WORK))
        self.rule("envelope")
        self.assertEqual(self.state_of(link)["state"], "none")

    def test_the_policy_wants_another_way(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        self.rule("envelope")
        self.closed(file)
        self.rule("fscrypt")
        eventually(lambda: "was made by gocryptfs" in (self.state_of(link).get("problem") or ""), "it is told")
        # Nothing was thrown away.
        self.rule("gocryptfs")
        self.assertEqual(self.read(self.opened(link) / "plan.txt"), SECRET)

    def test_administrators_that_are_not_root_get_no_key(self) -> None:
        self.rule("gocryptfs")
        self.daemon.admin_socket.chmod(0o666)
        self.addCleanup(self.daemon.admin_socket.chmod, 0o600)
        wire = self.person(ALICE).link(self.daemon.admin_socket)
        asked = {"uid": ALICE, "accountId": TAG}
        for method, more in (
            ("DirectoryKey", {**asked, "object": object_id()}), ("NoteDirectory", {**asked, "state": "open", "path": "/tmp"}),
        ):
            self.assertEqual(wire.call(f"{ADMIN}.{method}", **more)["error"], "org.varlink.service.PermissionDenied")
        wire.send(frame(f"{ADMIN}.KeepDirectories", flags={"more": True}, ways=[], open=[]).decode())
        self.assertEqual(wire.reply()["error"], "org.varlink.service.PermissionDenied")

    def test_root_gets_no_key_of_a_directory_that_nobody_wants(self) -> None:
        self.rule("gocryptfs")
        root = self.wire(self.daemon.admin_socket)
        asked = {"uid": ALICE, "accountId": TAG, "object": object_id()}
        self.assertEqual(root.call(f"{ADMIN}.DirectoryKey", **asked)["error"], f"{GUARD}.UnknownAccount")
        self.keep()
        link = self.app(ALICE)
        self.opened(link)
        self.assertIn("key", self.answered(root.call(f"{ADMIN}.DirectoryKey", **asked)))
        for changed in ({"uid": BOB}, {"accountId": "0" * 32}):
            self.assertIn("error", root.call(f"{ADMIN}.DirectoryKey", **{**asked, **changed}))
        for changed in ({"object": "00"}, {"accountId": "WORK"}, {"keyId": "x"}, {"uid": -1}):
            self.assertEqual(
                root.call(f"{ADMIN}.DirectoryKey", **{**asked, **changed})["error"], "org.varlink.service.InvalidParameter")
        # The key of a directory is none of an envelope's.
        key = self.answered(root.call(f"{ADMIN}.DirectoryKey", **asked))
        envelope = self.answered(self.key(link, WORK, "read", asked["object"], key["keyId"]))
        self.assertNotEqual(key["key"], envelope["key"])


class Ends(DirectoryCase):
    def test_a_wipe_makes_it_unreadable_for_good(self) -> None:
        for way in WAYS:
            with self.subTest(way):
                self.rule(way)
                keeper = self.keep()
                link, other = self.app(ALICE), self.app(BOB)
                file = self.opened(link) / "plan.txt"
                kept = self.opened(other) / "plan.txt"
                self.assertTrue(self.write(file) and self.write(kept, BOB))
                before = len(self.records_of("destroyed"))
                request = self.begun(ALICE)
                self.closed(file)
                self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
                eventually(lambda: len(self.records_of("destroyed")) > before, "the key is destroyed")
                # The other person's is as it was.
                self.assertEqual(self.read(kept, BOB), SECRET)
                self.closed(file)
                # A new one is made under a new key, and the old one is gone.
                eventually(lambda: not self.admin("Wipes")["wipes"], "the wipe has ended")
                anew = self.app(ALICE)
                self.assertEqual(self.opened(anew), file.parent)
                self.assertIsNone(self.read(file))
                self.assertTrue(self.write(file))
                keeper.kill()
                keeper.wait()
                for used in (link, other, anew):
                    used.person.end()
                self.clear()

    def test_yesterdays_backup_opens_no_more(self) -> None:
        self.rule("gocryptfs")
        keeper = self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        area = file.parent.parent
        with tempfile.TemporaryDirectory() as backup:
            subprocess.run(["cp", "-a", area / "sealed", area / "made", backup], check=True)
            request = self.begun(ALICE)
            self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
            self.destroyed()
            keeper.kill()
            keeper.wait()
            self.assertEqual(self.keeper_command("--close").returncode, 0)
            shutil.rmtree(area)
            shutil.copytree(backup, area, symlinks=True)
            os.chown(area / "sealed/cipher", ALICE, ALICE)
            self.keep()
            again = self.app(ALICE)
            self.opened(again)
            self.assertIsNone(self.read(file))

    def test_the_person_leaves(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        link.person.end()
        # For a minute another program of the person may come.
        self.wait(30)
        self.assertEqual(self.read(file), SECRET)
        self.wait(40)
        self.closed(file)

    def test_the_account_is_blocked_with_a_file_open(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        held = os.open(file, os.O_RDONLY)
        self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.closed(file)
        with self.assertRaises(OSError):
            os.read(held, 100)
        # Even to close it fails: the file system is gone.
        with contextlib.suppress(OSError):
            os.close(held)

    def test_an_account_whose_name_changes_keeps_its_directory(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        renamed = organisation("gocryptfs").replace(f"upn: {WORK}", "upn: married@contoso.com")
        self.reload(Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=renamed))
        again = self.app(ALICE, APP, "married@contoso.com")
        self.assertEqual(self.opened(again, "married@contoso.com"), file.parent)
        self.assertEqual(self.read(file), SECRET)

    def test_accounts_of_a_person_are_apart(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        link = self.app(ALICE, APP, WORK, SECOND)
        work, second = self.opened(link) / "a", self.opened(link, SECOND) / "a"
        self.assertTrue(self.write(work) and self.write(second))
        self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.closed(work)
        self.assertEqual(self.read(second), SECRET)


class Kills(DirectoryCase):
    def test_the_daemon_is_killed_and_comes_back(self) -> None:
        for way in WAYS:
            with self.subTest(way):
                self.rule(way)
                keeper = self.keep()
                file = self.opened(self.app(ALICE)) / "plan.txt"
                self.assertTrue(self.write(file))
                with file.open() as held:
                    for _ in range(3):
                        self.boot()
                        link = self.app(ALICE)
                        # It was open all the time, and the next daemon learns it from the keeper.
                        self.assertEqual(held.read(), SECRET)
                        held.seek(0)
                        self.assertEqual(self.opened(link), file.parent)
                        self.assertEqual(self.read(file), SECRET)
                self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
                self.closed(file)
                keeper.kill()
                keeper.wait()
                self.clear()
                link.person.end()

    def test_the_daemon_stays_away(self) -> None:
        self.rule("gocryptfs")
        self.keep("--patience", "2s")
        file = self.opened(self.app(ALICE)) / "plan.txt"
        self.assertTrue(self.write(file))
        self.daemon.stop(signal.SIGKILL)
        self.closed(file)
        self.begin()
        self.assertEqual(self.read(self.opened(self.app(ALICE)) / "plan.txt"), SECRET)

    def test_the_daemon_hangs(self) -> None:
        """Its sockets take connections, as systemd's do for a daemon that is gone, and nothing is answered."""
        self.rule("gocryptfs")
        self.keep("--patience", "2s")
        file = self.opened(self.app(ALICE)) / "plan.txt"
        self.assertTrue(self.write(file))
        os.kill(self.daemon.pid, signal.SIGSTOP)
        try:
            self.closed(file)
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)
        self.assertEqual(self.read(self.opened(self.app(ALICE)) / "plan.txt"), SECRET)

    def test_a_key_that_was_destroyed_meanwhile_opens_nothing(self) -> None:
        """The keeper does not run while the account is wiped, and its mount outlives that."""
        self.rule("gocryptfs")
        keeper = self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        keeper.send_signal(signal.SIGSTOP)
        request = self.begun(ALICE)
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        self.destroyed()
        self.boot()
        anew = self.app(ALICE)
        keeper.send_signal(signal.SIGCONT)
        self.opened(anew)
        eventually(lambda: self.read(file) is None, "the old files are gone")

    def test_the_keeper_is_killed(self) -> None:
        for way in WAYS:
            with self.subTest(way):
                self.rule(way)
                link = self.app(ALICE)
                for round in range(5):
                    keeper = self.keep()
                    file = self.opened(link) / "plan.txt"
                    if round:
                        self.assertEqual(self.read(file), SECRET)
                    self.assertTrue(self.write(file))
                    keeper.send_signal(signal.SIGKILL)
                    keeper.wait()
                    eventually(lambda: self.state_of(link)["state"] == "failed", "the daemon has no keeper")
                # What the unit does when the keeper ends.
                self.assertEqual(self.keeper_command("--close").returncode, 0)
                self.closed(file)
                self.clear()
                link.person.end()

    def test_two_keepers_do_not_close_each_others_directories(self) -> None:
        self.rule("gocryptfs")
        first = self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        # Another keeper, one that follows a daemon that is not there, and what the unit of either does at its end.
        elsewhere = ("--socket-dir", str(self.daemon.directory / "absent"), "--patience", "1s")
        for more in ((), elsewhere, ("--close",)):
            second = self.keeper_command(*more)
            self.assertEqual(second.returncode, 2, second)
            self.assertIn("another program keeps the directories in", second.stderr)
            self.assertEqual(self.read(file), SECRET)
        self.assertIsNone(first.poll())
        # The lock ends with the keeper, though the program of the mount goes on.
        first.send_signal(signal.SIGKILL)
        first.wait()
        self.keep()
        self.assertEqual(self.read(self.opened(link) / "plan.txt"), SECRET)

    def test_the_program_of_a_mount_is_killed(self) -> None:
        self.rule("gocryptfs")
        self.keep()
        link = self.app(ALICE)
        file = self.opened(link) / "plan.txt"
        self.assertTrue(self.write(file))
        subprocess.run(["pkill", "-KILL", "-f", f"gocryptfs.*{file.parent}"], check=True)
        eventually(lambda: self.read(file) == SECRET, "it is opened again")
