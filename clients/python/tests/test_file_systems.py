"""The file systems of docs/labels.md: which of them keep labels, and what becomes of files on those that do not."""

import os
import subprocess
from pathlib import Path
from unittest import mock

from file_case import DATA, FileCase
from real import PERSONAL, WORK
from webviewguard import _file_facts as file_facts

# The programs that make an image, and its size.
IMAGES = {
    "ext4": ("mkfs.ext4", "-q", 32), "xfs": ("mkfs.xfs", "-q", 320), "btrfs": ("mkfs.btrfs", "-q", 128),
    "vfat": ("mkfs.vfat", "-v", 8),
}  # fmt: skip


class FileSystems(FileCase):
    def mounted(self, kind: str, source: object, options: str = "") -> Path:
        place = self.folder / f"mount-{kind}"
        place.mkdir()
        command = [self.tool("mount"), "-t", kind, *(["-o", options] if options else []), str(source), str(place)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            # A kernel without it, or no right to mount: no package helps.
            self.skipTest(f"no {kind} here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        return place

    def image(self, kind: str) -> Path:
        program, option, mebibytes = IMAGES[kind]
        image = self.folder / f"image-{kind}"
        with open(image, "wb") as file:
            file.truncate(mebibytes << 20)
        self.run_tool(program, option, image)
        return image

    def keeps(self, place: Path) -> None:
        """Labels stay on it, and go along to another file system and back."""
        path = self.made(self.working(), place)
        self.assertEqual(len(os.getxattr(path, file_facts.LABEL)), 89)
        path.rename(place / "renamed")
        os.link(place / "renamed", place / "second")
        for name in ("renamed", "second"):
            self.expect(place / name, "mine", name)
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir(exist_ok=True)
        self.copies(place, elsewhere)
        self.copies(elsewhere, place)

    def test_ext4_keeps_it(self) -> None:
        self.keeps(self.mounted("ext4", self.image("ext4"), "loop"))

    def test_xfs_keeps_it(self) -> None:
        self.keeps(self.mounted("xfs", self.image("xfs"), "loop"))

    def test_btrfs_keeps_it_also_in_clones_and_snapshots(self) -> None:
        place = self.mounted("btrfs", self.image("btrfs"), "loop")
        self.keeps(place)
        part, shot = place / "part", place / "shot"
        self.run_tool("btrfs", "subvolume", "create", part)
        path = self.made(self.working(), part)
        self.run_tool("btrfs", "subvolume", "snapshot", part, shot)
        self.expect(shot / "report", "mine", "a snapshot")
        # A clone has the content alone, as every copy of `cp`.
        self.run_tool("cp", "--reflink=always", path, part / "clone")
        self.expect(part / "clone", "unmanaged", "a clone")

    def test_tmpfs_keeps_it(self) -> None:
        self.keeps(self.mounted("tmpfs", "none"))

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

    def test_fat_of_the_kernel_seals(self) -> None:
        self.in_the_table_or_sealed(self.mounted("vfat", self.image("vfat"), "loop"), knows=False)

    def test_fat_by_a_program_seals(self) -> None:
        """FUSE: numbers of its files are a program's word, and anew after each mount."""
        place = self.folder / "fat"
        place.mkdir()
        program, image = self.tool("fusefat"), self.image("vfat")
        done = subprocess.run([program, "-o", "rw+", str(image), str(place)], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"no FUSE here: {done.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", str(place)], check=True)
        self.in_the_table_or_sealed(place, knows=False)

    def test_a_file_system_without_attributes_has_the_table(self) -> None:
        """As FAT, also where this kernel has none: proc and ramfs know no attributes of users."""
        self.in_the_table_or_sealed(self.mounted("ramfs", "none"))

    def test_where_handles_are_made_anew_the_file_is_sealed(self) -> None:
        """The number of the file system is told to be that of FAT, exFAT and FUSE; everything else is real."""
        place = self.mounted("tmpfs", "none")
        (place / "probe").write_bytes(b"")
        with open(place / "probe", "rb") as file:
            self.assertEqual(file_facts._kind(file.fileno()), 0x01021994)
            for kind in (0x4D44, 0x2011BAB0, 0x65735546):
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
            self.seals(place)
            return
        path = self.made(work, place)
        self.assertEqual(self.standing(path), "mine")
        path.rename(place / "renamed")
        self.assertEqual(self.standing(place / "renamed"), "mine")
        self.assertEqual(self.standing(probe), "unmanaged")

    def seals(self, place: Path) -> None:
        """The client seals there instead: the file opens in its place, under another name, and elsewhere."""
        for _ in range(2):
            with self.reader.sealing.create(place / "sealed", WORK) as writer:
                writer.write(DATA)
        self.assertNotIn(DATA, (place / "sealed").read_bytes())
        self.opens(place / "sealed")
        self.run_tool("mv", place / "sealed", place / "other")
        self.run_tool("cp", place / "other", self.folder / "out")
        self.opens(place / "other")
        self.opens(self.folder / "out")
        self.assertEqual({path.name for path in place.iterdir()}, {"probe", "other"}, "and it leaves nothing else")

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
                    self.skipTest("tmpfs states no facts before Linux 6.9")
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
