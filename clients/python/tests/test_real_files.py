"""Files with labels of the real daemon, on the file systems of this machine and through the programs that people use."""

import functools
import os
import resource
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from real import PATIENT, PERSONAL, WORK, Configuration, RealCase
from webviewguard import Guard, GuardError
from webviewguard import _file_facts as file_facts
from webviewguard.errors import FileProtectionError

SECOND = "second@contoso.com"
DATA = b"the organisation's figures"


class Missing(Exception):
    """This machine lacks something that the test is about."""


def where_possible(test: Callable[[Any], None]) -> Callable[[Any], None]:
    """Says what a machine cannot test, in place of failing there."""

    @functools.wraps(test)
    def tried(case: Any) -> None:
        try:
            test(case)
        except Missing as missing:
            print(f"{test.__name__}: {missing}", flush=True)

    return tried


class FileCase(RealCase):
    configuration = Configuration(settings=PATIENT)

    def working(self, account: str = WORK) -> Guard:
        guard = self.guard()
        self.assertTrue(guard.start())
        guard.set_identity("process", account=account)
        return guard

    def setUp(self) -> None:
        super().setUp()
        self.folder = self.daemon.directory / "files"
        self.folder.mkdir()

    def made(self, guard: Guard, folder: Path | None = None, name: str = "report") -> Path:
        path = (folder or self.folder) / name
        with guard.files.create(path) as file:
            file.write(DATA)
        return path

    def standing(self, path: Path, guard: Guard | None = None) -> str:
        return (guard or self.reader).files.get_owner(path).standing

    @property
    def reader(self) -> Guard:
        if not hasattr(self, "_reader"):
            self._reader = self.working()
        return self._reader

    def fails(self, code: int, body: object, *arguments: object) -> FileProtectionError:
        with self.assertRaises(FileProtectionError) as caught:
            body(*arguments)  # type: ignore[operator]
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception


class Owners(FileCase):
    def test_create_append_truncate(self) -> None:
        """Scenario FO-CREATE."""
        work, home = self.working(), self.working(PERSONAL)
        path = self.made(work)
        self.assertEqual(path.read_bytes(), DATA)
        self.assertEqual(home.files.get_owner(path).account, WORK)
        with open(path, "ab") as file:
            file.write(b" and more")
        self.assertEqual(home.files.get_owner(path).account, WORK, "to append changes nothing")
        with home.files.create(path) as file:
            file.write(b"my own")
        self.assertEqual((path.read_bytes(), self.standing(path)), (b"my own", "unmanaged"))
        self.made(work)
        self.assertEqual(self.standing(path), "mine")

    def test_the_label_is_there_before_the_first_byte(self) -> None:
        work, path = self.working(), self.folder / "new"
        with work.files.create(path) as file:
            self.assertEqual((path.stat().st_size, self.standing(path)), (0, "mine"))
            file.write(DATA)

    def test_a_file_that_is_emptied_is_empty_before_it_is_anothers(self) -> None:
        path = self.made(self.working())
        label = os.getxattr(path, file_facts.LABEL)
        real, seen = os.ftruncate, []

        def emptied(file: int, size: int) -> None:
            seen.append(os.getxattr(file, file_facts.LABEL))
            real(file, size)

        second = self.working(SECOND)
        with mock.patch("os.ftruncate", emptied):
            self.made(second)
        self.assertEqual((seen, second.files.get_owner(path).account), ([label], SECOND))
        # Nobody's content is labelled before it goes.
        (self.folder / "plain").write_bytes(DATA)
        with mock.patch("os.ftruncate", emptied):
            self.made(second, name="plain")
        self.assertEqual(len(seen), 2)

    def test_a_write_that_does_not_fit_is_an_error(self) -> None:
        work, path = self.working(), self.folder / "long"
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        with self.assertRaises(OSError), work.files.create(path) as file:
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
            try:
                file.write(bytes(100_000))
                file.flush()
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        self.assertEqual(self.standing(path), "mine")

    def test_explicit_owners(self) -> None:
        files, path = self.working(PERSONAL).files, self.folder / "plain"
        path.write_bytes(DATA)
        self.assertIsNone(files.protection_info(path))
        self.fails(106, files.set_owner, path, PERSONAL)
        self.assertEqual(files.set_owner(path, "").standing, "unmanaged")
        self.assertEqual(files.set_owner(path, WORK).account, WORK)
        label = os.getxattr(path, file_facts.LABEL)
        self.assertEqual(files.set_owner(path, WORK.upper()).account, WORK)
        self.assertEqual(os.getxattr(path, file_facts.LABEL), label, "the same owner again changes nothing")
        info = files.protection_info(path)
        assert info
        self.assertEqual((info.account, info.standing), (WORK, "managed"))
        for account in (SECOND, PERSONAL, ""):
            self.assertIn("OwnerStays", str(self.fails(102, files.set_owner, path, account)))

    def test_directories_hand_their_owner_on(self) -> None:
        work, home = self.working(), self.working(PERSONAL)
        folder = self.folder / "work"
        self.assertEqual(work.files.create_directory(folder).account, WORK)
        self.assertEqual(home.files.get_owner(folder).account, WORK)
        self.assertEqual(home.files.get_owner(self.made(home, folder)).account, WORK)
        inner = folder / "inner"
        self.assertEqual(home.files.create_directory(inner).account, WORK)
        self.assertEqual(home.files.get_owner(self.made(home, inner)).account, WORK)
        os.setxattr(folder, file_facts.LABEL, b"broken")
        self.assertEqual(self.standing(self.made(work, folder, "other")), "unknown")

    def test_the_numbers_of_errors(self) -> None:
        files = self.working().files
        gone = self.folder / "gone"
        self.assertEqual(self.fails(104, files.get_owner, gone).name, "fileNotFound")
        self.assertIsNone(files.protection_info(gone))
        self.fails(104, files.set_owner, gone, WORK)
        self.fails(104, files.get_owner, self.made(self.working()) / "below")
        self.fails(101, files.get_owner, "a\0b")
        self.fails(101, files.set_owner, self.made(self.working()), "stranger@contoso.com")
        self.fails(105, lambda: files.create(self.folder).__enter__())
        self.daemon.stop()
        self.fails(107, files.get_owner, self.folder / "report")

    def test_an_app_of_no_policy_is_not_managed(self) -> None:
        guard = self.working()
        path = self.made(guard)

        def refuse(call: object) -> None:
            raise GuardError("NoApp", "ReadLabel")

        files = guard.files
        with mock.patch.object(files, "_ask", refuse):
            self.assertEqual(self.fails(100, files.get_owner, path).name, "appNotManaged")

    def test_a_broken_attribute_is_a_managed_owner(self) -> None:
        path = self.made(self.working())
        label = os.getxattr(path, file_facts.LABEL)
        for broken in (b"", b"0", label[:-1], label + b"0", bytes([label[0] ^ 1]) + label[1:], b"\xff" * 300):
            os.setxattr(path, file_facts.LABEL, broken)
            self.assertEqual(self.standing(path), "unknown", broken)

    def test_events_take_the_facts(self) -> None:
        work, home = self.working(), self.working(PERSONAL)
        path = self.made(work)
        self.assertTrue(home.open(owner="").allowed)
        for said in ({}, {"owner": ""}, {"owner": PERSONAL}):
            self.assertFalse(home.open(**said, **home.files.facts(path)).allowed)
        old = self.folder / "old"
        old.write_bytes(DATA)
        os.setxattr(old, "user.xdg.origin.url", b"https://contoso.com/report")
        self.assertEqual(self.standing(old), "mine")
        self.assertFalse(home.share(**home.files.facts(old)).allowed)


class Copies(FileCase):
    """The table `What keeps a label` of docs/labels.md."""

    def run_tool(self, *command: object) -> None:
        tool = shutil.which(str(command[0]))
        if tool is None:
            raise Missing(f"needs {command[0]}")
        subprocess.run([tool, *map(str, command[1:])], check=True, cwd=self.folder, capture_output=True)

    def expect(self, copy: str, standing: str) -> None:
        self.assertEqual((self.folder / copy).read_bytes(), DATA)
        self.assertEqual(self.standing(self.folder / copy), standing, copy)

    @where_possible
    def test_mv_and_hard_links_keep_it(self) -> None:
        path = self.made(self.working())
        os.link(path, self.folder / "second")
        self.run_tool("mv", path, "moved")
        self.expect("moved", "mine")
        self.expect("second", "mine")

    @where_possible
    def test_cp_with_attributes_keeps_it_and_plain_cp_does_not(self) -> None:
        path = self.made(self.working())
        self.run_tool("cp", "-a", path, "archive")
        self.run_tool("cp", "--preserve=xattr", path, "preserved")
        self.run_tool("cp", path, "plain")
        self.expect("archive", "mine")
        self.expect("preserved", "mine")
        self.expect("plain", "unmanaged")

    @where_possible
    def test_tar_keeps_it_when_told_twice(self) -> None:
        self.made(self.working())
        for pack, unpack, standing in ((1, 1, "mine"), (1, 0, "unmanaged"), (0, 1, "unmanaged"), (0, 0, "unmanaged")):
            shutil.rmtree(self.folder / "out", ignore_errors=True)
            (self.folder / "out").mkdir()
            xattrs = ["--xattrs", "--xattrs-include=user.*"]
            self.run_tool("tar", "cf", "a.tar", *xattrs * pack, "report")
            self.run_tool("tar", "xf", "a.tar", *xattrs * unpack, "-C", "out")
            self.expect("out/report", standing)

    @where_possible
    def test_rsync_keeps_it_with_the_option(self) -> None:
        path = self.made(self.working())
        self.run_tool("rsync", "-aX", path, "with")
        self.run_tool("rsync", "-a", path, "without")
        self.expect("with", "mine")
        self.expect("without", "unmanaged")

    @where_possible
    def test_an_editor_that_replaces_the_file_loses_it_and_one_that_writes_in_place_does_not(self) -> None:
        path = self.made(self.working())
        with open(path, "r+b") as file:
            file.write(DATA)
        self.expect("report", "mine")
        self.run_tool("sed", "-i", "s/figures/figures/", path)
        self.expect("report", "unmanaged")


class FileSystems(FileCase):
    def mounted(self, kind: str, source: object, options: str = "") -> Path:
        place = self.folder / f"mount-{kind}"
        place.mkdir()
        command = ["mount", "-t", kind, *(["-o", options] if options else []), str(source), str(place)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            raise Missing(f"no {kind} here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        return place

    def keeps(self, place: Path) -> None:
        path = self.made(self.working(), place)
        self.assertEqual(self.standing(path), "mine")
        self.assertEqual(len(os.getxattr(path, file_facts.LABEL)), 89)
        shutil.copy2(path, self.folder / "out")
        self.assertEqual(self.standing(self.folder / "out"), "mine", "it goes along to another file system")
        subprocess.run(["mv", str(path), str(self.folder / "moved")], check=True)
        self.assertEqual(self.standing(self.folder / "moved"), "mine")

    @where_possible
    def test_the_file_system_of_the_tests_keeps_it(self) -> None:
        self.keeps(self.folder)

    @where_possible
    def test_tmpfs_keeps_it(self) -> None:
        self.keeps(self.mounted("tmpfs", "none"))

    @where_possible
    def test_overlay_keeps_it(self) -> None:
        base = self.mounted("tmpfs", "none")
        lower, upper, work = (base / name for name in ("lower", "upper", "work"))
        for folder in (lower, upper, work):
            folder.mkdir()
        old = self.made(self.working(), lower, "old")
        place = self.mounted("overlay", "none", f"lowerdir={lower},upperdir={upper},workdir={work}")
        self.keeps(place)
        self.assertEqual(self.standing(place / "old"), "mine")
        with open(place / "old", "ab") as file:
            file.write(b"!")
        self.assertTrue((upper / "old").exists() and old.exists())
        self.assertEqual(self.standing(place / "old"), "mine", "it goes along when the file is copied up")

    @where_possible
    def test_a_fat_image_seals(self) -> None:
        if not shutil.which("mkfs.vfat"):
            raise Missing("needs dosfstools")
        image = self.folder / "image"
        with open(image, "wb") as file:
            file.truncate(8 << 20)
        subprocess.run(["mkfs.vfat", str(image)], check=True, capture_output=True)
        self.in_the_table_or_sealed(self.mounted("vfat", image, "loop"), knows=False)

    @where_possible
    def test_a_file_system_without_attributes_has_the_table(self) -> None:
        """As FAT, also where this kernel has none: proc and ramfs know no attributes of users."""
        self.in_the_table_or_sealed(self.mounted("ramfs", "none"))

    @where_possible
    def test_where_handles_are_made_anew_the_file_is_sealed(self) -> None:
        """The number of the file system is told to be that of FAT and exFAT; everything else is real."""
        place = self.mounted("tmpfs", "none")
        (place / "probe").write_bytes(b"")
        with open(place / "probe", "rb") as file:
            self.assertEqual(file_facts._kind(file.fileno()), 0x01021994)
            for kind in (0x4D44, 0x2011BAB0):
                with mock.patch.object(file_facts, "_kind", lambda file, kind=kind: kind):
                    self.assertIsNone(file_facts.table_facts(file.fileno()))

    def in_the_table_or_sealed(self, place: Path, knows: bool | None = None) -> None:
        probe = place / "probe"
        probe.write_bytes(b"")
        with self.assertRaises(OSError):
            os.setxattr(probe, file_facts.LABEL, b"x")
        with open(probe, "rb") as file:
            facts = file_facts.table_facts(file.fileno())
        if knows is not None:
            self.assertEqual(facts is not None, knows)
        work = self.working()
        if facts is None:
            self.fails(102, lambda: work.files.create(place / "new").__enter__())
            self.assertFalse((place / "new").exists(), "nothing is left of a file that has to be sealed")
            probe.write_bytes(DATA)
            self.fails(102, lambda: work.files.create(probe).__enter__())
            self.assertEqual(probe.read_bytes(), DATA, "and nothing is emptied")
            return
        path = self.made(work, place)
        self.assertEqual(self.standing(path), "mine")
        path.rename(place / "renamed")
        self.assertEqual(self.standing(place / "renamed"), "mine")
        self.assertEqual(self.standing(probe), "unmanaged")

    @where_possible
    def test_the_table_on_a_file_system_that_states_all_facts(self) -> None:
        """The attribute is refused, as FAT does; everything else is real."""
        real = file_facts._attribute

        def refused(file: int, name: str) -> bytes | None:
            if name == file_facts.LABEL:
                raise OSError(95, "not supported")
            return real(file, name)

        place = self.mounted("tmpfs", "none")
        with mock.patch.object(file_facts, "_attribute", refused):
            work, home = self.working(), self.working(PERSONAL)
            path = self.made(work, place)
            with open(path, "rb") as file:
                if file_facts.table_facts(file.fileno()) is None:
                    raise Missing("tmpfs states no facts before Linux 6.9")
            self.assertEqual(home.files.get_owner(path).account, WORK)
            (place / "other").write_bytes(DATA)
            self.assertIsNone(home.files.protection_info(place / "other"))
            path.rename(place / "renamed")
            self.assertEqual(home.files.get_owner(place / "renamed").account, WORK)
            self.assertFalse(home.open(**home.files.facts(place / "renamed")).allowed)
            # Another file in its place is another file.
            path.write_bytes(DATA)
            self.assertIsNone(home.files.protection_info(path))
            # One that a private program empties keeps its owner there: no entry is taken away.
            with home.files.create(place / "renamed") as file:
                file.write(DATA)
            self.assertEqual(home.files.get_owner(place / "renamed").account, WORK)
            self.daemon.stop()
            self.daemon.start()
            self.assertEqual(self.working(PERSONAL).files.get_owner(place / "renamed").account, WORK)
