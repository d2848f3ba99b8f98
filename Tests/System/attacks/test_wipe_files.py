"""What a wipe removes of a user's files, and what a hostile program of that user can make of it: nothing outside changes."""

import hashlib
import json
import os
import resource
import shutil
import socket
import stat
import subprocess
import tempfile
import textwrap
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from daemon import PROGRAM
from fake import FakeDaemon, Peer

ADA, BEN = 61_201, 61_202
APP, ACCOUNT = "com.contoso.portal", "work@contoso.com"
# Mounts of this process only, then the user: `$1` is a list of users for the machine, `$2` what to mount.
AS_ADA = """\
mount --bind "$1" /etc/passwd
eval "$2"
shift 2
exec setpriv --reuid={uid} --regid={uid} --clear-groups "$@"
"""


def facts(path: Path) -> tuple[Any, ...]:
    """Everything of an entry that a program could change, its content included."""
    found = path.lstat()
    kind = stat.S_IFMT(found.st_mode)
    content: object = None
    if kind == stat.S_IFLNK:
        content = os.readlink(path)
    elif kind == stat.S_IFREG:
        content = hashlib.sha256(path.read_bytes()).hexdigest()
    times = () if kind == stat.S_IFDIR else (found.st_mtime_ns,)
    return (found.st_mode, found.st_uid, found.st_gid, found.st_ino, found.st_size, content, *times)


def everything(root: Path, *but: Path) -> dict[str, tuple[Any, ...]]:
    """Every entry below a directory, without those below `but`."""
    found = {}
    waiting = [root]
    while waiting:
        entry = waiting.pop()
        if entry in but:
            continue
        found[str(entry)] = facts(entry)
        if entry.is_dir() and not entry.is_symlink():
            waiting += entry.iterdir()
    return found


@unittest.skipIf(os.getuid() != 0, "only root can be several users")
class WipeCase(unittest.TestCase):
    """Ada's home with the files of an account and others; orders as the daemon writes them; a daemon that takes reports."""

    def setUp(self) -> None:
        self.root = Path(tempfile.mkdtemp(prefix="wvg-wipe-"))
        self.addCleanup(shutil.rmtree, self.root, ignore_errors=True)
        self.root.chmod(0o755)
        self.home = self.own(self.root / "home/ada")
        self.base = self.own(self.home / "share/contoso" / ACCOUNT)
        self.own(self.home / "share")
        self.own(self.home / "share/contoso")
        self.users = self.root / "passwd"
        self.users.write_text(
            f"root:x:0:0::/root:/bin/sh\nada:x:{ADA}:{ADA}::{self.home}:/bin/sh\nben:x:{BEN}:{BEN}::/nonexistent:/bin/sh\n"
        )
        self.orders = self.root / "orders"
        (self.orders / str(ADA)).mkdir(parents=True)
        self.daemon: FakeDaemon | None = None
        self.mounts = ""

    # The scene

    def own(self, path: Path, uid: int = ADA) -> Path:
        """A directory of a user, with what is missing above it."""
        path.mkdir(parents=True, exist_ok=True)
        os.chown(path, uid, uid)
        return path

    def file(self, path: Path, text: str = "x", uid: int = ADA, mode: int = 0o644) -> Path:
        for parent in reversed(path.parents):
            if not parent.exists():
                self.own(parent)
        path.write_text(text)
        path.chmod(mode)
        os.chown(path, uid, uid)
        return path

    def order(self, *directories: Path | str, request: str = "w-1", **members: Any) -> Path:
        """Writes an order, as the daemon would."""
        order = {
            "version": 1, "request": request, "uid": ADA, "app": APP, "account": ACCOUNT,
            "directories": [str(directory) for directory in directories or (self.base,)],
        } | members  # fmt: skip
        path = self.orders / str(ADA) / f"{request}.json"
        path.write_text(json.dumps({key: value for key, value in order.items() if value is not None}))
        return path

    def listen(self, *scripts: Callable[[Peer], None]) -> FakeDaemon:
        sockets = self.root / "sockets"
        sockets.mkdir(exist_ok=True)
        self.daemon = FakeDaemon(sockets, *scripts)
        self.daemon.path.chmod(0o666)
        self.addCleanup(self.daemon.close)
        return self.daemon

    # The helper

    def start(self, *arguments: str, uid: int = ADA) -> "subprocess.Popen[str]":
        command = [PROGRAM, "wipe-files", "--orders", self.orders, "--socket-dir", self.root / "sockets", *arguments]
        prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", AS_ADA.format(uid=uid), "sh"]
        process = subprocess.Popen(
            [*prefix, self.users, self.mounts, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd="/"
        )
        self.addCleanup(lambda: (process.kill(), process.wait()))
        return process

    def wipe(self, *arguments: str, status: int = 0, uid: int = ADA) -> list[dict[str, Any]]:
        """Runs the helper to its end; the reports that the daemon got."""
        if self.daemon is None:
            self.listen()
        assert self.daemon
        before = len(self.daemon.heard)
        process = self.start("--patience", "20s", *arguments, uid=uid)
        self.output, self.said = process.communicate(timeout=600)
        self.assertEqual(process.returncode, status, self.said + self.output)
        calls = self.daemon.heard[before:]
        self.assertEqual({call["method"] for call in calls} - {"org.webviewguard.Accounts.FilesRemoved"}, set())
        return [call["parameters"] for call in calls]

    def removes(self, removed: int, kept: int = 0, *words: str, status: int | None = None) -> None:
        """The helper removes so many entries and keeps so many; its problems have these words, one each."""
        (report,) = self.wipe(status=(1 if kept else 0) if status is None else status)
        self.assertEqual((report["request"], report["removed"], report["kept"]), ("w-1", removed, kept), report)
        self.assertEqual(len(report["problems"]), len(words), report)
        for word in words:
            self.assertTrue(any(word in problem for problem in report["problems"]), (word, report))


class Removing(WipeCase):
    """What goes, and what stays."""

    def setUp(self) -> None:
        super().setUp()
        self.file(self.home / "private.txt", "Ada's own")
        self.file(self.home / "share/contoso/second@contoso.com/mail.db", "another account's")
        self.file(self.root / "home/ben/diary.txt", "Ben's", BEN, 0o666)

    def nothing_else_changes(self, work: Callable[[], None], *but: Path) -> None:
        """The work changes nothing but the account's directory, and reads no file: times of access are not looked at."""
        sockets, orders = self.root / "sockets", self.orders
        before = everything(self.root, self.base, sockets, orders, *but)
        work()
        self.assertEqual(everything(self.root, self.base, sockets, orders, *but), before)

    def test_everything_of_the_account_goes_and_nothing_else(self) -> None:
        self.order()
        self.file(self.base / "mail/inbox.db")
        self.file(self.base / "mail/cache/1")
        self.file(self.base / ".hidden")
        os.mkfifo(self.base / "pipe")
        os.chown(self.base / "pipe", ADA, ADA)
        plug = socket.socket(socket.AF_UNIX)
        plug.bind(str(self.base / "plug"))
        os.chown(self.base / "plug", ADA, ADA)
        self.nothing_else_changes(lambda: self.removes(8))
        plug.close()
        self.assertFalse(self.base.exists())

    def test_the_targets_of_links_stay(self) -> None:
        self.order()
        for number, target in enumerate((
            self.root / "home/ben/diary.txt", self.root / "home/ben", self.home, self.home / "private.txt", "..", "/",
            "/nonexistent", "/proc/self/root", "/proc/self/cwd",
        )):  # fmt: skip
            link = self.base / f"link-{number}"
            link.symlink_to(target)
            os.chown(link, ADA, ADA, follow_symlinks=False)
        self.nothing_else_changes(lambda: self.removes(10))

    def test_a_file_with_another_name_loses_this_name_only(self) -> None:
        self.order()
        os.link(self.home / "private.txt", self.base / "second-name")
        before = (self.home / "private.txt").read_bytes()
        self.removes(2, 0, "1 of the removed names")
        self.assertEqual((self.home / "private.txt").read_bytes(), before)
        self.assertEqual((self.home / "private.txt").stat().st_nlink, 1)

    def test_what_belongs_to_others_stays(self) -> None:
        self.order()
        self.file(self.base / "mine")
        self.file(self.base / "roots", uid=0)
        self.own(self.base / "bens", BEN)
        self.file(self.base / "bens/mine")
        self.own(self.base / "open", BEN).chmod(0o777)
        self.removes(1, 3, "kept 3 entries of another user")
        self.assertEqual(
            {entry.name for entry in self.base.rglob("*")}, {"roots", "bens", "mine", "open"}
        )
        self.assertTrue((self.base / "bens/mine").exists())

    def test_mounts_stay_with_all_in_them(self) -> None:
        self.order()
        theirs = self.own(self.home / "theirs")
        self.file(theirs / "deep/file")
        for name in ("bound", "in/bound", "tmpfs"):
            self.own(self.base / name)
        os.chown(self.base / "in", ADA, ADA)
        self.file(self.base / "file")
        self.file(self.base / "other")
        self.mounts = (
            f"mount --bind {theirs} {self.base}/bound; mount --bind {theirs} {self.base}/in/bound;"
            f"mount -t tmpfs -o uid={ADA},mode=700 none {self.base}/tmpfs; mount --bind {theirs}/deep/file {self.base}/file"
        )
        self.nothing_else_changes(lambda: self.removes(1, 4, "kept 4 entries on another file system"))
        self.assertTrue((self.base / "file").exists())

    def test_what_is_immutable_stays_until_it_is_not(self) -> None:
        self.order()
        self.file(self.base / "fixed")
        self.file(self.base / "grows")
        self.file(self.base / "frozen/in/it")
        changed = {"fixed": "i", "grows": "a", "frozen/in": "i"}
        try:
            for name, flag in changed.items():
                subprocess.run(["chattr", f"+{flag}", self.base / name], check=True)
        except subprocess.CalledProcessError:
            self.skipTest("this file system has no such attributes")
        try:
            self.removes(0, 3, "kept 3 entries that are immutable")
        finally:
            for name, flag in changed.items():
                subprocess.run(["chattr", f"-{flag}", self.base / name], check=True)
        self.removes(6)

    def test_directories_that_their_owner_may_not_change_hide_nothing(self) -> None:
        self.order()
        self.file(self.base / "closed/deep/file")
        self.file(self.base / "read-only/file")
        (self.base / "closed/deep").chmod(0)
        (self.base / "closed").chmod(0)
        (self.base / "read-only").chmod(0o500)
        self.base.chmod(0o500)
        self.nothing_else_changes(lambda: self.removes(6))

    def test_names_of_any_bytes_and_of_full_length(self) -> None:
        self.order()
        names = [b"n" * 255, b"\xff\xfe", b"line\nbreak", b"-rf", b"...", b" ", "ü".encode() * 127, b"\x1b[2J"]
        for name in names:
            os.close(os.open(os.path.join(bytes(self.base), name), os.O_CREAT | os.O_WRONLY))
            os.chown(os.path.join(bytes(self.base), name), ADA, ADA)
        self.removes(len(names) + 1)

    def test_paths_beyond_every_length(self) -> None:
        """5,000 directories in each other, with names of 200 bytes: a path of a megabyte."""
        self.order()
        depth = 5000
        self.deep(depth)
        self.nothing_else_changes(lambda: self.removes(2 * depth + 1))

    def test_what_stays_at_the_bottom_costs_no_more_than_one_way(self) -> None:
        """A program that kept a file at the bottom could make the helper go there without end."""
        self.order()
        bottom = self.deep(1000, keep=True)
        self.removes(1000, 1, "kept 1 entry of another user")
        os.close(bottom)
        self.clear_deep()

    def deep(self, depth: int, keep: bool = False) -> int:
        """Makes directories in each other with a file in each; the innermost, open if it is asked for."""
        place = os.open(self.base, os.O_RDONLY)
        for number in range(depth):
            name = f"{number}-".ljust(200, "d")
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=place))
            os.chown("file", ADA, ADA, dir_fd=place)
            os.mkdir(name, dir_fd=place)
            os.chown(name, ADA, ADA, dir_fd=place)
            below = os.open(name, os.O_RDONLY, dir_fd=place)
            os.close(place)
            place = below
        if keep:
            os.close(os.open("roots", os.O_CREAT | os.O_WRONLY, dir_fd=place))
            return place
        os.close(place)
        return -1

    def clear_deep(self) -> None:
        """rmtree of Python 3.11 cannot go so deep."""
        subprocess.run(["rm", "-rf", self.base], check=True)

    def test_a_hundred_thousand_files_take_no_more_memory_than_one(self) -> None:
        peaks = []
        for count in (1, 100_000):
            self.own(self.base)
            self.order()
            for number in range(count):
                folder = self.base / f"{number // 20_000}"
                if number % 20_000 == 0:
                    self.own(folder)
                os.close(os.open(folder / f"message-{number}", os.O_CREAT | os.O_WRONLY))
                os.chown(folder / f"message-{number}", ADA, ADA)
            self.removes(count + 1 + (count + 19_999) // 20_000)
            peaks.append(self.peak)
        self.assertLess(peaks[1] - peaks[0], 4096, f"kilobytes: {peaks}")

    @property
    def peak(self) -> int:
        """The most memory of any helper so far, in kilobytes."""
        return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss

    def test_what_is_gone_already_is_no_problem(self) -> None:
        self.order()
        self.removes(1)
        self.removes(0)

    def test_several_orders_are_told_one_by_one(self) -> None:
        second = self.own(self.own(self.home / "share/other") / ACCOUNT)
        self.order(request="w-1")
        self.order(second, request="w-2")
        reports = self.wipe()
        self.assertEqual([(report["request"], report["removed"]) for report in reports], [("w-1", 1), ("w-2", 1)])

    def test_a_dry_run_changes_and_tells_nothing(self) -> None:
        self.order()
        self.file(self.base / "file")
        before = everything(self.home)
        self.assertEqual(self.wipe("--dry-run"), [])
        self.assertIn(f"would remove `{self.base}`", self.output)
        self.assertEqual(everything(self.home), before)


class Refusing(WipeCase):
    """Directories that no wipe touches, whatever the order says."""

    def untouched(self, words: str, *directories: Path | str) -> None:
        self.file(self.base / "file")
        self.file(self.home / "private.txt")
        self.order(*directories)
        before = everything(self.root / "home")
        (report,) = self.wipe(status=1)
        self.assertEqual((report["removed"], report["kept"]), (0, 1), report)
        self.assertIn(words, report["problems"][0])
        self.assertEqual(everything(self.root / "home"), before)

    def test_a_home(self) -> None:
        self.untouched("is a home", self.home)

    def test_a_directory_above_the_home(self) -> None:
        self.untouched("has a home in it", self.root / "home")

    def test_a_home_by_another_name(self) -> None:
        """The system's list of users names a link, the order what it leads to."""
        (self.root / "linked").symlink_to(self.home)
        self.users.write_text(self.users.read_text().replace(str(self.home), str(self.root / "linked")))
        self.untouched("is a home, or has one in it", self.home)

    def test_a_directory_above_the_home_by_another_name(self) -> None:
        other = self.own(self.root / "other/place")
        self.mounts = f"mount --rbind {self.root}/home {other}"
        os.chown(self.root / "home", ADA, ADA)
        self.untouched("is one", other)
        self.mounts = f"mount --rbind {self.root}/home {other.parent}"
        self.untouched("is a home, or has one in it", other.parent / "ada")

    def test_a_link_in_its_place(self) -> None:
        own = self.home / "share/contoso/link"
        own.symlink_to(self.home / "share")
        os.chown(own, ADA, ADA, follow_symlinks=False)
        self.untouched("link on its way", own)

    def test_a_link_on_the_way(self) -> None:
        way = self.home / "way"
        way.symlink_to(self.home / "share/contoso")
        self.untouched("link on its way", way / ACCOUNT)

    def test_a_link_on_the_way_outside_the_home(self) -> None:
        (self.root / "way").symlink_to(self.home / "share")
        self.untouched("link on its way", self.root / "way/contoso" / ACCOUNT)

    def test_a_mount_in_its_place(self) -> None:
        mounted = self.own(self.home / "mounted")
        self.mounts = f"mount --bind {self.base} {mounted}"
        self.untouched("mount on its way, or is one", mounted)

    def test_a_mount_on_the_way(self) -> None:
        mounted = self.own(self.home / "mounted")
        self.mounts = f"mount --bind {self.home / 'share/contoso'} {mounted}"
        self.untouched("mount on its way", mounted / ACCOUNT)

    def test_a_directory_of_another_user(self) -> None:
        theirs = self.own(self.root / "home/ben", BEN)
        theirs.chmod(0o777)
        self.file(theirs / "adas")
        self.untouched(f"belongs to uid {BEN}", theirs)

    def test_a_file(self) -> None:
        self.untouched("is no directory", self.file(self.home / "share/contoso/file"))

    def test_a_socket_or_a_pipe_does_not_make_it_wait(self) -> None:
        pipe = self.home / "share/contoso/pipe"
        os.mkfifo(pipe)
        os.chown(pipe, ADA, ADA)
        self.untouched("is no directory", pipe)

    def test_directories_that_only_a_mistake_names(self) -> None:
        """The daemon writes no such order; the helper believes none of it."""
        self.file(self.base / "file")
        before = everything(self.root / "home")
        for directory in (
            "/", "", "relative", f"{self.base}/../..", f"{self.base}/.", f"{self.base}/", f"/{self.base}", "/home", "/tmp",
            "~/share", f"{self.base}\x07", f"{self.base}\x00", "/" + "x" * 300 + "/y", "/x" * 2100,
        ):  # fmt: skip
            with self.subTest(directory=directory[:60]):
                self.order(self.base, directory)
                self.assertEqual(self.wipe(status=2), [])
                self.assertIn("w-1.json` names `", self.said)
                self.assertEqual(everything(self.root / "home"), before)

    def test_root_removes_nothing(self) -> None:
        self.file(self.base / "file")
        self.order(uid=0)
        shutil.copytree(self.orders / str(ADA), self.orders / "0")
        self.wipe(status=2, uid=0)
        self.assertIn("root may not remove files", self.said)
        self.assertTrue((self.base / "file").exists())

    def test_a_user_without_a_home_removes_nothing(self) -> None:
        self.file(self.base / "file")
        self.order()
        self.users.write_text("root:x:0:0::/root:/bin/sh\n")
        self.wipe(status=2)
        self.assertIn("does not say where the home", self.said)
        self.assertTrue((self.base / "file").exists())


class Believing(WipeCase):
    """Orders that somebody else could have written."""

    def setUp(self) -> None:
        super().setUp()
        self.file(self.base / "file")

    def not_believed(self, words: str) -> None:
        self.assertEqual(self.wipe(status=2), [])
        self.assertIn(words, self.said)
        self.assertTrue((self.base / "file").exists())

    def test_an_order_of_the_user(self) -> None:
        os.chown(self.order(), ADA, ADA)
        self.not_believed(f"belongs to uid {ADA}")

    def test_an_order_that_others_may_write(self) -> None:
        self.order().chmod(0o666)
        self.not_believed("may write it")

    def test_a_directory_of_the_user(self) -> None:
        self.order()
        os.chown(self.orders / str(ADA), ADA, ADA)
        self.not_believed(f"belongs to uid {ADA}")

    def test_a_directory_that_others_may_write(self) -> None:
        self.order()
        (self.orders / str(ADA)).chmod(0o777)
        self.not_believed("may write it")

    def test_a_directory_above_of_the_user(self) -> None:
        self.order()
        os.chown(self.orders, ADA, ADA)
        self.not_believed("could put another")

    def test_a_link_in_the_place_of_an_order(self) -> None:
        order = self.order()
        order.rename(self.root / "elsewhere")
        order.symlink_to(self.root / "elsewhere")
        self.not_believed("cannot open")

    def test_an_order_with_a_second_name(self) -> None:
        os.link(self.order(), self.root / "second")
        self.not_believed("no file with one name")

    def test_a_pipe(self) -> None:
        os.mkfifo(self.orders / str(ADA) / "w-1.json")
        self.not_believed("no file with one name")

    def test_orders_that_are_none(self) -> None:
        for words, members in {
            "of another user": {"uid": BEN},
            "another request": {"request": "w-2"},
            "another version": {"version": 2},
            "unknown member `unless`": {"unless": "signedIn"},
            "no usable `version`": {"version": None},
            "no usable `directories`": {"directories": []},
            "no usable `account`": {"account": 7},
            "no usable `app`": {"app": "a\nb"},
            "no usable `uid`": {"uid": 4_294_967_296},
        }.items():
            with self.subTest(words):
                path = self.order()
                path.write_text(json.dumps(json.loads(path.read_text()) | members).replace(', "version": null', ""))
                if "version" in members and members["version"] is None:
                    path.write_text(path.read_text().replace('"version": null, ', ""))
                self.not_believed(words)

    def test_texts_that_are_no_orders(self) -> None:
        for words, text in {
            "no JSON object": b"[]", "is no JSON": b"{", "is no JSON object": b"\xff" * 20, "longer than": b" " * 600_000,
        }.items():  # fmt: skip
            with self.subTest(words):
                (self.orders / str(ADA) / "w-1.json").write_bytes(text)
                self.not_believed(words)

    def test_a_good_order_beside_a_bad_one_is_carried_out(self) -> None:
        self.order(request="w-1")
        self.order(request="w-0", version=3)
        (report,) = self.wipe(status=2)
        self.assertEqual((report["request"], report["removed"]), ("w-1", 2))

    def test_half_written_orders_are_not_looked_at(self) -> None:
        self.order().rename(self.orders / str(ADA) / "w-1.json.new")
        self.assertEqual(self.wipe(), [])


class Reporting(WipeCase):
    """A report that does not arrive is not lost, and nothing counts as done before it does."""

    def test_a_daemon_that_is_away_is_told_later(self) -> None:
        self.file(self.base / "file")
        order = self.order()
        process = self.start("--patience", "60s")
        while self.base.exists():
            time.sleep(0.05)
        self.assertIsNone(process.poll())
        daemon = self.listen()
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([call["parameters"]["removed"] for call in daemon.heard], [2])
        self.assertTrue(order.exists(), "the order is the daemon's to remove")

    def test_a_daemon_that_stays_away_finds_the_order_again(self) -> None:
        order = self.order()
        process = self.start("--patience", "1s")
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2)
        self.assertIn("the daemon was not told: there is no socket", said)
        self.assertTrue(order.exists())
        self.removes(0)

    def test_a_daemon_that_ends_in_the_middle_is_told_again(self) -> None:
        self.order()

        def hang_up(peer: Peer) -> None:
            peer.call()

        daemon = self.listen(hang_up, Peer.oblige)
        process = self.start("--patience", "60s")
        process.communicate(timeout=120)
        self.assertEqual(process.returncode, 0)
        self.assertEqual([call["parameters"]["removed"] for call in daemon.heard], [1, 1])

    def test_a_refusal_is_told_and_not_repeated(self) -> None:
        def refuse(peer: Peer) -> None:
            while True:
                peer.call()
                peer.refuse("UnknownRequest", request="w-1")

        self.order()
        daemon = self.listen(refuse)
        self.wipe(status=2)
        self.assertEqual(len(daemon.heard), 1)
        self.assertIn("w-1: org.webviewguard.Guard.UnknownRequest", self.said)

    def test_a_stranger_at_the_socket_is_told_nothing(self) -> None:
        self.order()
        sockets = self.own(self.root / "sockets", BEN)
        stranger = subprocess.Popen(
            ["/usr/bin/python3", "-c", textwrap.dedent(f"""\
                import os, socket, time
                made = socket.socket(socket.AF_UNIX)
                made.bind("{sockets}/guard.sock")
                os.chmod("{sockets}/guard.sock", 0o666)
                made.listen()
                time.sleep(600)
            """)], user=BEN, group=BEN,
        )  # fmt: skip
        self.addCleanup(lambda: (stranger.kill(), stranger.wait()))
        while not (sockets / "guard.sock").exists():
            time.sleep(0.05)
        time.sleep(0.2)
        process = self.start("--patience", "1s")
        _, said = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 2)
        self.assertIn(f"user {BEN} listens", said)

    def test_no_name_of_a_file_is_told(self) -> None:
        self.file(self.base / "the-merger.odt", uid=0)
        self.order()
        (report,) = self.wipe(status=1)
        self.assertNotIn("merger", json.dumps(report) + self.said + self.output)


# A program of Ada that works against the helper. It moves a directory of the account away while it is emptied, puts what
# shall go missing in the place of the files that are just removed there, and takes it out again before the directory comes
# back.
MOVER = """\
import os, sys
base, outside = sys.argv[1:]
precious = f"{outside}/precious"
print("ready", flush=True)
def move(one, other):
    try:
        os.rename(one, other)
    except OSError:
        return
while True:
    for name in os.listdir(base) if os.path.exists(base) else []:
        away = f"{outside}/{name}"
        move(f"{base}/{name}", away)
        for number in range(FILES):
            move(f"{precious}/{number}", f"{away}/in/{number}")
        for number in range(FILES):
            try:
                with open(f"{away}/in/{number}") as file:
                    isPrecious = file.read(1) == "p"
            except OSError:
                continue
            if isPrecious:
                move(f"{away}/in/{number}", f"{precious}/{number}")
        move(away, f"{base}/{name}")
"""

# It puts a link to somebody's directory in the place of a directory, and back.
SWAPPER = """\
import ctypes, os, sys
base, outside = sys.argv[1:]
call = ctypes.CDLL(None).renameat2
print("ready", flush=True)
while True:
    for name in os.listdir(base):
        if not name.startswith("link"):
            link = f"{base}/link-{name}"
            try:
                os.symlink(outside, link)
            except OSError:
                pass
            for _ in range(50):
                call(-100, link.encode(), -100, f"{base}/{name}".encode(), 2)
"""


FILES = 300


class Racing(WipeCase):
    """Programs of the same user that move, swap and fill directories while they are emptied."""

    def setUp(self) -> None:
        super().setUp()
        self.listen()
        self.outside = self.own(self.home / "outside")

    def hostile(self, program: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            ["/usr/bin/python3", "-c", program.replace("FILES", str(FILES)), self.base, self.outside],
            user=ADA, group=ADA, extra_groups=[], stdout=subprocess.PIPE, text=True, cwd="/",
        )  # fmt: skip
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout and process.stdout.close()))
        assert process.stdout
        process.stdout.readline()
        return process

    def fill(self, folders: int) -> None:
        self.own(self.base)
        for folder in range(folders):
            for number in range(FILES):
                self.file(self.base / f"{folder}/in/{number}", "y")
            os.chown(self.base / f"{folder}", ADA, ADA)

    @property
    def precious(self) -> list[str]:
        """What must not go missing, wherever it lies by now."""
        texts = [file.read_text() for file in self.home.rglob("*") if file.is_file() and not file.is_symlink()]
        return sorted(text for text in texts if text.startswith("p"))

    def races(self, program: str, rounds: int) -> None:
        """Whatever the helper removes and keeps meanwhile, nothing goes that was not the account's."""
        for _ in range(rounds):
            for place in (self.base, self.outside):
                shutil.rmtree(place, ignore_errors=True)
            for number in range(FILES):
                self.file(self.own(self.outside / "precious") / str(number), f"precious {number}")
            os.chown(self.outside, ADA, ADA)
            before = self.precious
            self.fill(4)
            self.order()
            hostile = self.hostile(program)
            self.race()
            hostile.kill()
            hostile.wait()
            self.assertEqual(len(self.precious), FILES)
            self.assertEqual(self.precious, before)

    def race(self) -> None:
        process = self.start("--patience", "20s")
        _, said = process.communicate(timeout=600)
        self.assertIn(process.returncode, (0, 1), said)

    def test_directories_that_are_moved_away_lead_it_nowhere(self) -> None:
        self.races(MOVER, 25)

    def test_links_in_the_place_of_directories_lead_it_nowhere(self) -> None:
        self.races(SWAPPER, 10)

    def test_a_program_that_fills_what_is_emptied_does_not_hold_it_for_ever(self) -> None:
        self.fill(2)
        self.order()
        filler = self.hostile(textwrap.dedent("""\
            import os, sys
            base = sys.argv[1]
            print("ready", flush=True)
            number = 0
            while True:
                number += 1
                try:
                    os.makedirs(f"{base}/0/in", exist_ok=True)
                    open(f"{base}/0/in/new-{number}", "w").close()
                except OSError:
                    pass
        """))
        self.race()
        filler.kill()
