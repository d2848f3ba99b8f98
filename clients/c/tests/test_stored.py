"""Files that are stored as their policy wants it, with keys and labels of the real daemon, in the ways of
test_real_stored_files.py of the client for Python, which reads and clears away the same."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from case import ClientCase
from configuration import PERSONAL, PORTAL, SETTINGS, WORK, Configuration
from daemon import Daemon
from program import ROOT, VECTORS, run

sys.path.append(str(ROOT / "clients/python/src"))
from webviewguard import Guard, protection_info  # noqa: E402

SECOND = "second@contoso.com"
DATA = "the organisation's figures"
LONG = DATA * 20_000
SEVERAL = PORTAL.replace("identityMode: multi\n", "identityMode: multi\n    managedAccounts: several\n")
PATIENT = SETTINGS.replace("answerMs: 400", "answerMs: 20000")


class StoredCase(ClientCase):
    def does(self, *words: str | Path, socket: str | Path = "-", **environment: str) -> list[str]:
        return run(self.driver_type.folder / "stored", socket, *words, **environment).stdout.splitlines()


class VolumeVectors(StoredCase):
    def make(self, files: dict[str, str], links: dict[str, str], name: str) -> Path:
        root = self.directory / name
        root.mkdir()
        for path, text in (*files.items(), *links.items()):
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(text) if path in links else place.write_text(text + "\n")
        return root

    def test_disks(self) -> None:
        table: dict[str, Any] = json.loads((VECTORS / "files.json").read_text())
        words: list[str | Path] = []
        for number, row in enumerate(table["volumes"]):
            words += ["volume", self.make(row["files"], row["links"], str(number)), *row["mount"]]
        wanted = [f"{kind} {by or '-'}" for kind, by in (row["found"] for row in table["volumes"])]
        self.assertEqual(self.does(*words), wanted)

    def test_mounts(self) -> None:
        table: dict[str, Any] = json.loads((VECTORS / "files.json").read_text())["mounts"]
        root = self.make({"proc/self/mountinfo": table["mountinfo"]}, {}, "mounts")
        words = [word for number, _ in table["found"] for word in ("mount", root, number)]
        self.assertEqual(self.does(*words), [" ".join(found) if found else "none" for _, found in table["found"]])
        self.assertEqual(self.does("here", "/proc"), ["unknown -"])


class Stored(StoredCase):
    def setUp(self) -> None:
        super().setUp()
        self.daemon = Daemon(Configuration(SEVERAL, settings=PATIENT))
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.folder, self.runtime = self.directory / "files", self.directory / "runtime"
        self.folder.mkdir()
        self.runtime.mkdir(mode=0o700)
        self.places = {"XDG_RUNTIME_DIR": str(self.runtime), "XDG_CACHE_HOME": str(self.folder)}
        self.path = self.folder / "report"

    def as_account(self, account: str, *words: str | Path) -> list[str]:
        first, *rest = self.does("as", account, *words, socket=self.daemon.guard_socket, **self.places)
        self.assertEqual(first, "0")
        return rest

    def rule(self, way: str) -> None:
        organisation = Configuration().files["policy.d/organisation.yaml"]
        said = f"    encryption: {{ by: {way} }}\n" if way else "    encrypt: false\n"
        changed = organisation.replace("    webTransfer:", f"{said}    webTransfer:")
        Configuration(SEVERAL, settings=PATIENT, organisation=changed).write(self.daemon.config)
        command = [self.daemon.program, "reload", "--wait", "--socket-dir", self.daemon.sockets]
        subprocess.run(command, check=True, capture_output=True)

    def is_sealed(self, path: Path) -> bool:
        info = protection_info(path.read_bytes())
        return info is not None and info.is_sealed

    def nothing_is_left(self, *names: str) -> None:
        self.assertEqual(sorted(file.name for file in self.folder.iterdir()), sorted(names))
        self.assertEqual(list(self.runtime.iterdir()), [])

    # Saving

    def test_a_file_of_the_organisation_is_labelled_and_sealed(self) -> None:
        self.assertEqual(self.as_account(WORK, "save", self.path, DATA), ["mine sealed"])
        self.assertTrue(self.is_sealed(self.path))
        self.assertNotIn(DATA[:20].encode(), self.path.read_bytes())
        [read] = self.as_account(WORK, "read", self.path)
        place, label, size, *text = read.split(" ")
        self.assertEqual((Path(place).parent.parent, label, int(size)), (self.runtime, "labelled", len(LONG)))
        self.assertTrue(" ".join(text).startswith(DATA))
        self.nothing_is_left("report")
        with Guard(app="com.contoso.portal", path=self.daemon.guard_socket) as guard:
            guard.start()
            guard.set_identity("process", account=WORK)
            with guard.files.readable(self.path) as readable:
                self.assertEqual(Path(readable.path).read_text(), LONG, "Python reads the same")
            with guard.files.save(self.folder / "python") as file:
                file.write(DATA.encode())
        self.assertTrue(self.as_account(WORK, "read", self.folder / "python")[0].endswith(DATA))

    def test_the_old_file_stays_until_the_new_one_is_whole(self) -> None:
        self.assertEqual(self.as_account(PERSONAL, "save", self.path, DATA), ["unmanaged plain"])
        self.path.chmod(0o640)
        self.assertEqual(self.as_account(WORK, "half", self.path, "half"), ["mine sealed"])
        self.assertEqual(self.path.read_text(), LONG)
        self.nothing_is_left("report")
        self.as_account(WORK, "save", self.path, DATA)
        self.assertEqual(self.path.stat().st_mode & 0o777, 0o640, "with the permissions of the old one")

    def test_links_and_directories(self) -> None:
        (self.folder / "link").symlink_to(self.path)
        self.path.touch()
        said = self.as_account(WORK, "save", self.folder / "link", DATA, "save", self.folder, DATA)
        self.assertEqual(said, ["mine sealed", "error 105"])
        self.assertTrue((self.folder / "link").is_symlink() and self.is_sealed(self.path))
        none = self.folder / "none/report"
        self.assertEqual(self.as_account(WORK, "save", none, DATA, "read", none), ["error 104", "error 104"])

    def test_where_no_encryption_is_asked_for_the_label_is_enough(self) -> None:
        self.rule("")
        said = self.as_account(WORK, "save", self.path, DATA, "out", self.path)
        self.assertEqual(said, ["mine plain", "allow plain"])
        self.assertEqual(self.path.read_text(), LONG)
        self.assertEqual(self.as_account(PERSONAL, "out", self.path), ["block plain"])

    def test_nothing_is_written_where_nobody_answers(self) -> None:
        nobody = self.directory / "none.sock"
        words = ["save", self.path, DATA, "incoming", self.path, WORK, DATA]
        self.assertEqual(self.does(*words, socket=nobody, **self.places), ["error 107", "error 107"])
        self.nothing_is_left()

    def test_an_owner_that_nobody_can_name_gets_no_file_in_plain(self) -> None:
        work = self.folder / "work"
        work.mkdir()
        os.setxattr(work, "user.webviewguard.owner", b"broken")
        words = ["save", work / "new", DATA, "incoming", work / "new", PERSONAL, DATA]
        self.assertEqual(self.as_account(PERSONAL, *words), ["error 102", "error 102"])
        self.assertEqual(list(work.iterdir()), [])

    # What an engine writes

    def test_a_download_is_plain_only_where_nobody_else_reads(self) -> None:
        [said] = self.as_account(WORK, "incoming", self.path, WORK, DATA)
        standing, way, place = said.split(" ", 2)
        self.assertEqual((standing, way), ("mine", "sealed"))
        self.assertEqual((Path(place).parent.parent, Path(place).name), (self.runtime, "report"))
        self.assertTrue(self.is_sealed(self.path))
        self.nothing_is_left("report")

    def test_the_account_that_the_decision_names_owns_it(self) -> None:
        for account, found in ((SECOND, "managed sealed"), (PERSONAL, "unmanaged plain"), ("-", "unmanaged plain")):
            [said] = self.as_account(WORK, "incoming", self.path, account, DATA)
            self.assertTrue(said.startswith(found), said)
            self.assertEqual(self.is_sealed(self.path), "sealed" in found)
            self.path.unlink()

    def test_a_private_download_into_a_folder_of_the_organisation_is_the_organisations(self) -> None:
        folder = self.folder / "work"
        files = self.driver_type.folder / "files"
        run(files, self.daemon.guard_socket, "as", WORK, "directory", folder)
        [said] = self.as_account(WORK, "incoming", folder / "x", PERSONAL, DATA)
        self.assertTrue(said.startswith("mine sealed") and self.is_sealed(folder / "x"))

    def test_of_one_that_broke_off_nothing_stays(self) -> None:
        self.assertEqual(self.as_account(WORK, "broken", self.path, WORK), ["error 104"])
        self.nothing_is_left()

    def test_what_a_killed_program_left_goes_with_the_next_one(self) -> None:
        """What is in use stays. Python and C clear away each other's."""
        command = [self.driver_type.folder / "stored", self.daemon.guard_socket, "as", WORK, "hold", self.path, WORK]
        program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | self.places)
        self.addCleanup(program.wait)
        self.addCleanup(program.kill)
        assert program.stdout
        self.addCleanup(program.stdout.close)
        _, line = program.stdout.readline(), program.stdout.readline()
        left = Path(line.strip())
        self.as_account(PERSONAL, "clear", "-")
        self.assertTrue(left.exists(), "it is in use")
        program.send_signal(signal.SIGKILL)
        program.wait()
        self.assertTrue(left.exists())
        self.as_account(PERSONAL, "clear", "-")
        self.assertEqual(list(self.runtime.iterdir()), [])
        [rest] = self.folder.glob(".report.*")
        self.assertNotIn(b"half of the figures", rest.read_bytes())

    # What an engine reads

    def test_a_copy_that_lost_its_label_is_still_the_organisations(self) -> None:
        self.as_account(WORK, "save", self.path, DATA)
        copy = self.folder / "holiday"
        subprocess.run(["cp", self.path, copy], check=True)
        self.assertEqual(os.listxattr(copy), [])
        self.assertEqual(self.as_account(PERSONAL, "out", copy), ["block sealed"])
        said = self.as_account(WORK, "out", copy, "read", copy)
        self.assertEqual(said[0], "allow sealed")
        self.assertIn(" labelled ", said[1])

    def test_a_damaged_file_gives_nothing(self) -> None:
        self.as_account(WORK, "save", self.path, DATA)
        data = bytearray(self.path.read_bytes())
        for place in (20, 100_000):
            data[place] ^= 1
            self.path.write_bytes(data)
            self.assertEqual(self.as_account(WORK, "read", self.path), ["error 103"])
            self.assertEqual(list(self.runtime.iterdir()), [])
            data[place] ^= 1

    def test_files_that_are_not_sealed_are_read_where_they_are(self) -> None:
        for content in ("", "x", DATA):
            self.path.write_text(content)
            said = self.as_account(PERSONAL, "read", self.path)
            self.assertEqual(said, [f"{self.path} bare {len(content)} {content}"])

    # Encrypted places

    def test_a_volume_is_looked_at(self) -> None:
        self.rule("volume")
        self.assertEqual(self.as_account(WORK, "save", self.path, DATA), ["mine sealed"])
        place = self.gocryptfs()
        [saved, received] = self.as_account(WORK, "save", place / "new", DATA, "incoming", place / "plan", WORK, DATA)
        self.assertEqual((saved, (place / "new").read_text()), ("mine plain", LONG))
        self.assertTrue(received.startswith(f"mine plain {place}/.webviewguard-"), "encrypted on its way as well")
        (place / "out").symlink_to(self.path)
        self.assertEqual(self.as_account(WORK, "save", place / "out", DATA), ["mine sealed"])
        self.rule("envelope")
        self.assertEqual(self.as_account(WORK, "save", place / "new", DATA), ["mine sealed"])

    def test_the_directory_of_an_account_that_nobody_opens(self) -> None:
        self.assertEqual(self.as_account(WORK, "directory", WORK, "directory", PERSONAL), ["none", "none"])
        self.rule("gocryptfs")
        self.assertEqual(self.as_account(WORK, "directory", WORK, "directory", PERSONAL), ["error 102", "none"])
        said = self.as_account(WORK, "save", self.gocryptfs() / "new", DATA)
        self.assertEqual(said, ["mine sealed"], "it is not the account's")

    def gocryptfs(self) -> Path:
        if not shutil.which("gocryptfs") or not Path("/dev/fuse").exists():
            self.skipTest("needs gocryptfs and FUSE")
        cipher, place = self.folder / "cipher", self.folder / "plain"
        for folder in (cipher, place):
            folder.mkdir()
        secret = ["-q", "-extpass", "echo secret", str(cipher)]
        for command in (["gocryptfs", "-init", "-scryptn", "10", *secret], ["gocryptfs", *secret, str(place)]):
            subprocess.run(command, check=True, capture_output=True)
        self.addCleanup(subprocess.run, ["umount", "-l", str(place)], check=True)
        return place
