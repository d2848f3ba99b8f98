"""Whether a disk is encrypted, on disks that the kernel describes in files; here they are the test's. The daemon has the same
cases (VolumeEncryptionTests.swift)."""

import json
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

from webviewguard._volumes import Encrypted, Mount, Plain, Unknown, encryption_of, mount, volume_encryption

VECTORS = Path(__file__).resolve().parents[2] / "vectors/files.json"
TABLE: dict[str, Any] = json.loads(VECTORS.read_text())
KINDS = {"encrypted": Encrypted, "plain": Plain, "unknown": Unknown}


class Disks(unittest.TestCase):
    def make(self, files: dict[str, str], links: dict[str, str]) -> str:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        root = Path(directory.name)
        for name, text in (*files.items(), *links.items()):
            place = root / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(text) if name in links else place.write_text(text + "\n")
        return str(root)

    def test_disks_of_the_vectors(self) -> None:
        for row in TABLE["volumes"]:
            with self.subTest(row["about"], mount=row["mount"]):
                found = encryption_of(Mount(*row["mount"]), self.make(row["files"], row["links"]))
                kind, by = row["found"]
                self.assertIsInstance(found, KINDS[kind])
                if by is not None:
                    self.assertEqual(found, KINDS[kind](by))

    def test_the_mount_is_found_by_its_number(self) -> None:
        """Two mounts in one place, a path with a space, and lines that are none."""
        root = self.make({"proc/self/mountinfo": TABLE["mounts"]["mountinfo"]}, {})
        for number, wanted in TABLE["mounts"]["found"]:
            self.assertEqual(mount(number, root), wanted and Mount(*wanted))
        self.assertIsNone(mount(None, root))

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
