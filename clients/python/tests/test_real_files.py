"""Owners of files with the real daemon: who they are of, what hands them on, and what goes wrong."""

import os
import resource
from unittest import mock

from file_case import DATA, SECOND, FileCase
from real import PERSONAL, WORK
from webviewguard import GuardError
from webviewguard import _file_facts as file_facts


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
