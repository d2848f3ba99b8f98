"""Whether a disk is encrypted, on disks that the kernel describes in files; here they are the test's. The daemon has the same
cases (VolumeEncryptionTests.swift)."""

import os
import tempfile
import unittest
from pathlib import Path

from webviewguard._volumes import Encrypted, Mount, Plain, Unknown, VolumeEncryption, encryption_of, mount, volume_encryption

OWN = "259:7"
ANY = Mount("ext4", OWN, "/dev/any")


class Disks(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)

    def file(self, name: str, text: str) -> None:
        place = self.root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text + "\n")

    def disk(self, number: str, name: str, *below: str, mapped: str | None = None) -> None:
        """A device, those that it lies on, and the device mapper's word for it."""
        place = f"sys/dev/block/{number}"
        self.file(f"{place}/uevent", f"MAJOR=1\nDEVNAME={name}")
        if mapped is not None:
            self.file(f"{place}/dm/uuid", mapped)
        for other in below:
            slaves = self.root / place / "slaves"
            slaves.mkdir(exist_ok=True)
            (slaves / f"d{other}").symlink_to(f"../../{other}")

    def found(self, mounted: Mount = ANY) -> VolumeEncryption:
        return encryption_of(mounted, str(self.root))

    def test_a_plain_disk(self) -> None:
        self.disk(OWN, "sda1")
        self.assertEqual(self.found(), Plain("/dev/sda1"))

    def test_a_disk_that_the_mapper_encrypts(self) -> None:
        for mapped, kind in (
            ("CRYPT-LUKS2-7f0e-luks-root", "CRYPT-LUKS2"), ("CRYPT-PLAIN-swap", "CRYPT-PLAIN"),
            ("CRYPT-BITLK-1-x", "CRYPT-BITLK"),
        ):  # fmt: skip
            self.setUp()
            self.disk(OWN, "dm-0", "8:1", mapped=mapped)
            self.assertEqual(self.found(), Encrypted(kind))

    def test_words_that_only_look_like_it(self) -> None:
        for mapped in ("crypt-luks2", "LVM-CRYPT-x", "", "CRYPT", "CRYPT-VERITY-ab-root", "CRYPT-INTEGRITY-root"):
            self.setUp()
            self.disk(OWN, "dm-0", mapped=mapped)
            self.assertEqual(self.found(), Plain("/dev/dm-0"), mapped)

    def test_a_volume_upon_an_encrypted_disk(self) -> None:
        self.disk(OWN, "dm-1", "253:0", mapped="LVM-abc")
        self.disk("253:0", "dm-0", "8:2", mapped="CRYPT-LUKS2-x")
        self.disk("8:2", "sda2")
        self.assertEqual(self.found(), Encrypted("CRYPT-LUKS2"))
        # The volume group was made larger by a disk that nobody encrypted.
        self.disk("8:3", "sdb")
        (self.root / f"sys/dev/block/{OWN}/slaves/d8:3").symlink_to("../../8:3")
        self.assertEqual(self.found(), Plain("/dev/sdb"))

    def test_a_circle(self) -> None:
        self.disk(OWN, "dm-0", OWN)
        self.assertEqual(self.found(), Plain("/dev/dm-0"))

    def test_file_systems_that_do_not_say(self) -> None:
        for kind in ("overlay", "nfs4", "tmpfs", "zfs", "fuse.sshfs", "gocryptfs", "fuse.gocryptfs-reverse"):
            self.assertIsInstance(self.found(Mount(kind, "0:44", "server:/x")), Unknown)
        self.assertEqual(self.found(Mount("fuse.gocryptfs", "0:44", "/srv/x")), Encrypted("gocryptfs"))

    def test_a_file_system_upon_several_devices(self) -> None:
        """btrfs has a number of its own: all of its devices count."""
        for number, mapped in (("dm-0", "CRYPT-LUKS2-a"), ("dm-1", "CRYPT-LUKS2-b")):
            self.file(f"sys/class/block/{number}/dm/uuid", mapped)
            self.file(f"sys/class/block/{number}/dm/name", f"luks-{number}")
            self.file(f"sys/fs/btrfs/1234/devices/{number}", "")
        mounted = Mount("btrfs", "0:30", "/dev/mapper/luks-dm-1")
        self.assertEqual(self.found(mounted), Encrypted("CRYPT-LUKS2"))
        self.file("sys/class/block/sdc/uevent", "DEVNAME=sdc")
        self.file("sys/fs/btrfs/1234/devices/sdc", "")
        self.assertEqual(self.found(mounted), Plain("/dev/sdc"))
        for strange in ("/dev/mapper/none", "/dev/x/../dm-0", "tmpfs"):
            self.assertIsInstance(self.found(Mount("btrfs", "0:30", strange)), Unknown)

    def test_the_mount_is_found_by_its_number(self) -> None:
        """Two mounts in one place, a path with a space, and lines that are none."""
        lines = (
            "136 1 8:1 / / rw - ext4 /dev/sda1 rw", "36 1 253:0 / /my\\040disk rw shared:1 master:2 - xfs /dev/dm-0 rw",
            "37 1 0:9 / / rw - tmpfs none rw", "38", "39 1 0:9 / / rw tmpfs none rw", "",
        )  # fmt: skip
        self.file("proc/self/mountinfo", "\n".join(lines))
        root = str(self.root)
        self.assertEqual(mount("36", root), Mount("xfs", "253:0", "/dev/dm-0"))
        self.assertEqual(mount("136", root), Mount("ext4", "8:1", "/dev/sda1"))
        for strange in ("6", "38", "39", "", None):
            self.assertIsNone(mount(strange, root))

    def test_an_open_directory_of_this_machine(self) -> None:
        """As stat(2) numbers it."""
        for place in ("/proc", "/"):
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
            self.addCleanup(os.close, descriptor)
            lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text().split()
            found = mount(lines[lines.index("mnt_id:") + 1])
            assert found
            if place == "/proc":
                number = os.fstat(descriptor).st_dev
                self.assertEqual(found, Mount("proc", f"{os.major(number)}:{os.minor(number)}", found.source))
            self.assertIsInstance(volume_encryption(descriptor), Unknown if place == "/proc" else Encrypted | Plain | Unknown)
