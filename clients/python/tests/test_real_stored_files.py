"""Files that are stored as their policy wants it: with keys and labels of the real daemon, on real file systems."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from unittest import mock

from configuration import PORTAL
from file_case import DATA, SECOND, FileCase
from real import PATIENT, PERSONAL, ROOT, WORK, Configuration, eventually
from webviewguard import Guard, SealingError, protection_info
from webviewguard import _file_facts as file_facts
from webviewguard.errors import FileProtectionError

LONG = DATA * 20_000
PROGRAM = """\
import sys, time
from webviewguard import Guard
guard = Guard(app="com.contoso.portal", path=sys.argv[1])
guard.start()
download = guard.files.incoming(sys.argv[2], "work@contoso.com")
open(download.path, "wb").write(b"half of the figures")
print(download.path, flush=True)
time.sleep(600)
"""


SEVERAL = PORTAL.replace("identityMode: multi\n", "identityMode: multi\n    managedAccounts: several\n")


def policy(way: str) -> Configuration:
    organisation = Configuration().files["policy.d/organisation.yaml"]
    said = f"    encryption: {{ by: {way} }}\n" if way else "    encrypt: false\n"
    return Configuration(SEVERAL, settings=PATIENT, organisation=organisation.replace("    webTransfer:", f"{said}    webTransfer:"))


class StoredCase(FileCase):
    configuration = Configuration(SEVERAL, settings=PATIENT)

    def setUp(self) -> None:
        super().setUp()
        self.runtime = self.daemon.directory / "runtime"
        self.runtime.mkdir(mode=0o700)
        patch = mock.patch.dict(os.environ, {"XDG_RUNTIME_DIR": str(self.runtime), "XDG_CACHE_HOME": str(self.folder)})
        patch.start()
        self.addCleanup(patch.stop)

    def rule(self, way: str) -> None:
        policy(way).write(self.daemon.config)
        self.admin("Reload")

    def saved(self, guard: Guard, folder: Path | None = None, data: bytes = DATA) -> Path:
        path = (folder or self.folder) / "report"
        with guard.files.save(path) as file:
            file.write(data)
        return path

    def is_sealed(self, path: Path) -> bool:
        info = protection_info(path.read_bytes())
        return info is not None and info.is_sealed

    def read(self, guard: Guard, path: Path) -> bytes:
        with guard.files.readable(path) as readable:
            return Path(readable.path).read_bytes()

    def goes_out(self, guard: Guard, path: Path) -> bool:
        with guard.files.readable(path) as readable:
            return guard.open(owner="", **readable.facts).allowed  # type: ignore[arg-type]

    def nothing_is_left(self, *names: str) -> None:
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), sorted(names))
        self.assertEqual(list(self.runtime.iterdir()), [])


class Saving(StoredCase):
    def test_a_file_of_the_organisation_is_labelled_and_sealed(self) -> None:
        work, home = self.working(), self.working(PERSONAL)
        path = self.saved(work, data=LONG)
        self.assertTrue(self.is_sealed(path))
        self.assertNotIn(DATA[:20], path.read_bytes())
        self.assertEqual((work.files.get_owner(path).account, home.files.get_owner(path).standing), (WORK, "managed"))
        self.assertEqual(self.read(work, path), LONG)
        self.nothing_is_left("report")

    def test_a_private_file_stays_as_it_is(self) -> None:
        home = self.working(PERSONAL)
        path = self.saved(home)
        self.assertEqual((path.read_bytes(), self.standing(path)), (DATA, "unmanaged"))
        self.assertEqual(self.read(home, path), DATA)

    def test_the_old_file_stays_when_something_is_raised(self) -> None:
        work = self.working()
        path = self.saved(work)
        with self.assertRaises(ZeroDivisionError), work.files.save(path) as file:
            file.write(b"half")
            raise ZeroDivisionError
        self.assertEqual(self.read(work, path), DATA)
        self.nothing_is_left("report")

    def test_what_is_written_in_the_background_goes_by_the_file_identity(self) -> None:
        """A window of another account has no say, and a scope of this thread has."""
        guard = self.working()
        guard.set_identity("window", window="private", account=PERSONAL)
        self.assertEqual(guard.files.get_owner(self.saved(guard)).account, WORK)
        with guard.as_account(SECOND):
            path = self.saved(guard)
            self.assertEqual(guard.files.get_owner(path).account, SECOND)
        with guard.as_account(PERSONAL):
            path = self.saved(guard)
            self.assertEqual((guard.files.get_owner(path).standing, path.read_bytes()), ("unmanaged", DATA))

    def test_where_no_encryption_is_asked_for_the_label_is_enough(self) -> None:
        self.rule("")
        path = self.saved(self.working())
        self.assertEqual((path.read_bytes(), self.standing(path)), (DATA, "mine"))

    def test_nothing_is_written_where_the_daemon_gives_no_key(self) -> None:
        work = self.working()
        self.daemon.stop()
        self.fails(107, lambda: work.files.save(self.folder / "new").__enter__())
        self.nothing_is_left()

    def test_an_owner_that_nobody_can_name_gets_no_file_in_plain(self) -> None:
        folder = self.folder / "work"
        folder.mkdir()
        os.setxattr(folder, file_facts.LABEL, b"broken")
        self.fails(102, lambda: self.working(PERSONAL).files.save(folder / "new").__enter__())
        self.assertEqual(list(folder.iterdir()), [])

    def test_where_nothing_keeps_a_label_the_seal_does(self) -> None:
        self.rule("")
        with mock.patch.object(file_facts, "place", lambda file: ("none", None)):
            path = self.saved(self.working())
        self.assertTrue(self.is_sealed(path))


class Incomings(StoredCase):
    def begun(self, guard: Guard, account: str | None = WORK, name: str = "plan.pdf", data: bytes = DATA):  # type: ignore[no-untyped-def]
        download = guard.files.incoming(self.folder / name, account)
        self.assertFalse(Path(download.path).exists())
        Path(download.path).write_bytes(data)
        return download

    def test_a_download_is_plain_only_where_nobody_else_reads_and_then_sealed_in_its_place(self) -> None:
        work, path = self.working(), self.folder / "plan.pdf"
        download = self.begun(work, data=LONG)
        place = Path(download.path).parent
        self.assertEqual((place.parent, place.stat().st_mode & 0o777), (self.runtime, 0o700))
        self.assertFalse(path.exists())
        self.assertEqual(os.path.basename(download.path), "plan.pdf", "the engine sees the name")
        download.keep()
        self.assertTrue(self.is_sealed(path))
        self.assertEqual((self.standing(path), self.read(work, path)), ("mine", LONG))
        self.nothing_is_left("plan.pdf")
        download.discard()
        self.assertEqual(self.read(work, path), LONG, "it is kept already")

    def test_of_one_that_broke_off_nothing_stays(self) -> None:
        work = self.working()
        for _ in range(3):
            self.begun(work).discard()
            self.nothing_is_left()
        # An engine that never wrote its file.
        download = work.files.incoming(self.folder / "plan.pdf", WORK)
        self.fails(104, download.keep)
        self.nothing_is_left()

    def test_the_account_that_the_decision_names_owns_it(self) -> None:
        """The process shows the first account; the window of the download another one."""
        work = self.working()
        for account, standing in ((SECOND, "managed"), (WORK, "mine"), (PERSONAL, "unmanaged"), ("", "unmanaged")):
            (self.folder / "plan.pdf").unlink(missing_ok=True)
            download = self.begun(work, account)
            download.keep()
            self.assertEqual(work.files.get_owner(self.folder / "plan.pdf").standing, standing, account)
        self.assertEqual((self.folder / "plan.pdf").read_bytes(), DATA, "a private one is written in its place")

    def test_a_private_download_into_a_folder_of_the_organisation_is_the_organisations(self) -> None:
        work = self.working()
        work.files.create_directory(self.folder / "work")
        download = work.files.incoming(self.folder / "work/x", PERSONAL)
        Path(download.path).write_bytes(DATA)
        download.keep()
        self.assertTrue(self.is_sealed(self.folder / "work/x"))
        self.assertEqual(work.files.get_owner(self.folder / "work/x").account, WORK)

    def test_the_label_is_there_before_the_first_byte_and_nobody_is_asked_at_the_end(self) -> None:
        work = self.working()
        download = self.begun(work)
        [new] = self.folder.glob(".plan.pdf.*.new")
        self.assertEqual(self.standing(new), "mine")
        self.daemon.stop()
        thread = threading.Thread(target=download.keep)
        thread.start()
        thread.join()
        self.assertTrue(self.is_sealed(self.folder / "plan.pdf"))

    def test_what_a_killed_program_left_goes_with_the_next_one(self) -> None:
        """What is in use stays, also while others look for leftovers."""
        path = self.folder / "half.pdf"
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "clients/python/src")}
        program = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(self.daemon.guard_socket), str(path)], stdout=subprocess.PIPE, text=True,
            env=environment,
        )  # fmt: skip
        assert program.stdout
        self.addCleanup(program.stdout.close)
        left = Path(program.stdout.readline().strip())
        work = self.working()
        self.begun(work).keep()
        work.files.clear_leftovers()
        self.assertTrue(left.exists(), "it is in use")
        program.send_signal(signal.SIGKILL)
        program.wait()
        self.assertTrue(left.exists())
        work.files.clear_leftovers()
        self.assertFalse(left.parent.exists())
        [rest] = self.folder.glob(".half.pdf.*")
        self.assertNotIn(b"half of the figures", rest.read_bytes())
        with self.assertRaises(SealingError):
            work.sealing.open(rest)

    def test_a_file_that_memory_has_no_room_for_goes_through_the_cache(self) -> None:
        work = self.working()
        download = work.files.incoming(self.folder / "huge", WORK, size=1 << 60)
        self.assertEqual(Path(download.path).parent.parent, self.folder / "webviewguard")
        download.discard()
        # A directory that others may enter is none of this person's alone.
        self.runtime.chmod(0o755)
        download = work.files.incoming(self.folder / "other", WORK)
        self.assertEqual(Path(download.path).parent.parent, self.folder / "webviewguard")
        download.discard()


class Reading(StoredCase):
    def test_a_copy_that_lost_its_label_is_still_the_organisations(self) -> None:
        """Renamed and copied, with attributes and without."""
        work, home = self.working(), self.working(PERSONAL)
        path = self.saved(work)
        for copy in (["mv"], ["cp", "-a"], ["cp"], ["tar"]):
            target = self.folder / f"holiday-{len(copy)}-{copy[0]}"
            if copy == ["tar"]:
                subprocess.run(["tar", "-cf", "a.tar", path.name], cwd=self.folder, check=True)
                path.unlink()
                subprocess.run(["tar", "-xf", "a.tar"], cwd=self.folder, check=True)
                target = path
            else:
                subprocess.run([*copy, str(path), str(target)], check=True)
            self.assertFalse(self.goes_out(home, target), copy)
            self.assertTrue(self.goes_out(work, target), copy)
            self.assertNotIn(DATA, target.read_bytes())
            with work.files.readable(target) as readable:
                self.assertEqual(Path(readable.path).read_bytes(), DATA)
                self.assertEqual(work.files.get_owner(readable.path).account, WORK, "the copy has the label")
            if copy[0] == "mv":
                target.rename(path)

    def test_an_unsealed_copy_is_for_this_program_and_goes(self) -> None:
        work = self.working()
        path = self.saved(work, data=LONG)
        readable = work.files.readable(path)
        self.assertEqual(list(self.runtime.iterdir()), [], "nothing is unsealed before it is asked for")
        copy = Path(readable.path)
        self.assertEqual((copy.parent.parent, copy.parent.stat().st_mode & 0o777), (self.runtime, 0o700))
        self.assertEqual((copy.name, copy.read_bytes(), readable.path), (path.name, LONG, str(copy)))
        readable.close()
        readable.close()
        self.nothing_is_left("report")

    def test_a_damaged_file_gives_nothing(self) -> None:
        work = self.working()
        path = self.saved(work, data=LONG)
        data = bytearray(path.read_bytes())
        data[100_000] ^= 1
        path.write_bytes(data)
        readable = work.files.readable(path)
        self.fails(103, lambda: readable.path)
        self.assertEqual(list(self.runtime.iterdir()), [])

    def test_an_envelope_of_nobody_known_goes_nowhere(self) -> None:
        work, path = self.working(), self.folder / "strange"
        data = bytearray(self.saved(work).read_bytes())
        data[20] ^= 1
        path.write_bytes(data)
        self.assertFalse(self.goes_out(work, path))
        self.fails(103, lambda: work.files.readable(path).path)

    def test_files_that_are_not_sealed_are_read_where_they_are(self) -> None:
        home, path = self.working(PERSONAL), self.folder / "private"
        for content in (b"", b"x", DATA):
            path.write_bytes(content)
            with home.files.readable(path) as readable:
                self.assertEqual((readable.path, readable.facts), (str(path), {}))


class Volumes(StoredCase):
    """`volume` is looked at. And directories of accounts are the account's own, and really encrypted."""

    def gocryptfs(self) -> Path:
        if not shutil.which("gocryptfs") or not Path("/dev/fuse").exists():
            self.skipTest("needs gocryptfs and FUSE")
        cipher, place = self.folder / "cipher", self.folder / "plain"
        for folder in (cipher, place):
            folder.mkdir()
        for command in (["gocryptfs", "-init", "-scryptn", "10"], ["gocryptfs"]):
            subprocess.run(
                [*command, "-q", "-extpass", "echo secret", str(cipher), *([str(place)] if len(command) == 1 else [])],
                check=True, capture_output=True,
            )  # fmt: skip
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)], check=True)
        return place

    def test_a_volume_that_is_not_encrypted_is_no_place_for_plain_files(self) -> None:
        self.rule("volume")
        work = self.working()
        self.assertTrue(self.is_sealed(self.saved(work)))
        place = self.gocryptfs()
        path = self.saved(work, place)
        self.assertEqual((path.read_bytes(), self.standing(path)), (DATA, "mine"))
        download = work.files.incoming(place / "plan.pdf", WORK)
        self.assertEqual(Path(download.path).parent.parent, place, "it is encrypted on its way as well")
        Path(download.path).write_bytes(DATA)
        download.keep()
        self.assertEqual((place / "plan.pdf").read_bytes(), DATA)
        # An encrypted place is not what `envelope` asks for.
        self.rule("envelope")
        self.assertTrue(self.is_sealed(self.saved(work, place)))

    def test_a_link_to_an_encrypted_volume_is_followed_and_one_out_of_it_too(self) -> None:
        self.rule("volume")
        work, place = self.working(), self.gocryptfs()
        (self.folder / "in").symlink_to(place / "report")
        (place / "out").symlink_to(self.folder / "report")
        for link, is_sealed in ((self.folder / "in", False), (place / "out", True)):
            with work.files.save(link) as file:
                file.write(DATA)
            self.assertEqual(self.is_sealed(link), is_sealed, link)

    def test_the_directory_of_an_account(self) -> None:
        self.gocryptfs()
        self.rule("gocryptfs")
        work = self.working()
        self.assertIsNone(work.files.account_directory(PERSONAL))
        self.fails(102, work.files.account_directory, WORK, 0)
        own = self.kept(work)
        path = self.saved(work, own)
        self.assertEqual((path.read_bytes(), self.standing(path)), (DATA, "mine"))
        # Elsewhere, and in the directory of another account, the file is sealed.
        self.assertTrue(self.is_sealed(self.saved(work)))
        with work.as_account(SECOND):
            self.assertTrue(self.is_sealed(self.saved(work, own)))
        self.assertTrue(self.is_sealed(self.saved(work, self.folder / "plain")), "another encrypted place is not the account's")

    def kept(self, guard: Guard) -> Path:
        """The directory of the account, with a keeper of its own."""
        store = Path(tempfile.mkdtemp(prefix="wvg-store-"))
        store.chmod(0o755)
        command = [str(self.daemon.program), "directories", "--store", str(store), "--socket-dir", str(self.daemon.sockets)]
        keeper = subprocess.Popen(command, stdin=subprocess.DEVNULL)

        def end() -> None:
            keeper.kill()
            keeper.wait()
            subprocess.run([*command, "--close"], check=True, timeout=60)
            shutil.rmtree(store, ignore_errors=True)

        self.addCleanup(end)

        def opened() -> str | None:
            try:
                return guard.files.account_directory(WORK, 0)
            except FileProtectionError:
                return None

        return Path(eventually(opened, "the directory is open"))
