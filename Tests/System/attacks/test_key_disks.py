"""A key that is destroyed, and a thief who takes the whole disk: every block of it, those that are free and the journal too.
The state directory lies on an image of ext4 of the test's own."""

import mmap
import os
import re
import shutil
import signal
import subprocess
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from attack_case import APP
from configuration import WORK
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from test_data_keys import SECOND, KeyCase
from test_wipes import ALICE, BOB
from wire import ACCOUNTS

MEBIBYTE = 1 << 20
IMAGE_BYTES, JOURNAL_MEBIBYTES, BLOCK = 48 * MEBIBYTE, 4, 4096
MACHINE = Path("/etc/machine-id")
# What lies in the file of a key before its nonce: docs in WrappedKey.swift.
NAMES = slice(16, 60)


class KeyDisks(KeyCase):
    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        if subprocess.run(["losetup", "-f"], capture_output=True).returncode:
            raise unittest.SkipTest("this machine has no loop devices")

    @contextmanager
    def disk(self, options: str) -> Iterator[Path]:
        """A daemon without keys, whose state lies on an image; the image."""
        self.daemon.stop()
        shutil.rmtree(self.state, ignore_errors=True)
        self.state.mkdir(mode=0o700)
        image = self.daemon.directory / "image"
        with open(image, "wb") as file:
            file.truncate(IMAGE_BYTES)
        for command in (
            f"mkfs.ext4 -q -b {BLOCK} -J size={JOURNAL_MEBIBYTES} {image}", f"mount -o loop,{options} {image} {self.state}",
        ):
            subprocess.run(command.split(), check=True)
        try:
            (self.state / "lost+found").rmdir()
            self.state.chmod(0o700)
            self.begin()
            yield image
        finally:
            self.daemon.stop(signal.SIGKILL)
            if self.state.is_mount():
                subprocess.run(["umount", str(self.state)], check=True)
            image.unlink()
            # Every test ends with a daemon that works.
            self.daemon.start()

    # What a thief looks for

    def secrets(self, key_id: str) -> dict[str, bytes]:
        """Whatever leads to an account's key: the secret of its epoch, the key as it lies in its file, and itself."""
        [path] = self.state.glob(f"keys/*/{key_id}.key")
        content, epoch = path.read_bytes(), (path.parent / "secret").read_bytes()
        secret = (self.state / "keys.secret").read_bytes()
        derived = HKDF(hashes.SHA256(), 32, salt=epoch, info=b"webviewguard wrapping key v1").derive(secret)
        said = b"webviewguard account key v1\0" + content[NAMES] + content[8:16] + MACHINE.read_text().strip().encode()
        plain = AESGCM(derived).decrypt(content[60:72], content[72:], said)
        return {"the epoch's secret": epoch, "the sealed key": content[72:104], "the key": plain}

    def found(self, image: Path, secrets: dict[str, bytes]) -> dict[str, set[int]]:
        """The blocks of the image in which each of them, or a half of it, lies."""
        os.sync()
        places: dict[str, set[int]] = {}
        with open(image, "rb") as file, mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as content:
            for name, secret in secrets.items():
                for part in (secret[:16], secret[16:32]):
                    start = content.find(part)
                    while start >= 0:
                        places.setdefault(name, set()).add(start // BLOCK)
                        start = content.find(part, start + 1)
        return places

    def journal(self, image: Path) -> set[int]:
        """The blocks of the journal, inode 8."""
        said = subprocess.run(["debugfs", "-R", "blocks <8>", str(image)], capture_output=True, text=True, check=True)
        blocks = {int(number) for number in re.findall(r"\d+", said.stdout)}
        self.assertGreaterEqual(len(blocks), JOURNAL_MEBIBYTES * MEBIBYTE // BLOCK)
        return blocks

    def story(self, image: Path) -> tuple[dict[str, bytes], dict[str, bytes]]:
        """Keys are made, rotated and used, and the wipe of one account destroys its two keys. The secrets of the first of
        them, and those of one that lives."""
        alice, bob = self.app(ALICE, APP, WORK, SECOND), self.app(BOB)
        doomed = self.written(alice)
        for link, account in ((alice, SECOND), (bob, WORK)):
            kept = self.written(link, account)
        wire = self.wire(self.daemon.admin_socket)
        order = {"account": WORK, "uid": ALICE, "reason": "as every year"}
        self.assertNotIn("error", wire.call("org.webviewguard.Admin.RotateAccountKey", **order))
        secrets = self.secrets(doomed["keyId"])
        # The thief knows his trade: while the key lives he finds all but the key itself, which no disk ever has.
        self.assertEqual({"the epoch's secret", "the sealed key"}, set(self.found(image, secrets)))
        request = self.begun(ALICE)
        self.destroyed()
        self.answered(alice.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        self.written(self.app(ALICE))
        self.assertEqual(self.answered(self.read(bob, kept))["key"], kept["key"])
        return secrets, self.secrets(kept["keyId"])

    # Disks

    def test_no_byte_of_a_destroyed_key_is_on_the_disk(self) -> None:
        with self.disk("data=ordered") as image:
            gone, kept = self.story(image)
            for _ in range(2):
                self.assertEqual(self.found(image, gone), {})
                self.assertEqual({"the epoch's secret", "the sealed key"}, set(self.found(image, kept)))
                # Nor when it is not mounted any more.
                if self.state.is_mount():
                    self.daemon.stop()
                    subprocess.run(["umount", str(self.state)], check=True)

    def test_a_journal_of_data_keeps_it_until_it_is_written_over(self) -> None:
        """What docs/sealed-data.md warns of: every byte that is written goes through the journal there."""
        with self.disk("data=journal") as image:
            gone, _ = self.story(image)
            left = self.found(image, gone)
            blocks = set().union(*left.values())
            print(f"in a journal of data: {({name: len(places) for name, places in left.items()})}", flush=True)
            self.assertNotIn("the key", left)
            self.assertEqual(blocks - self.journal(image), set(), "outside of the journal nothing is left")
            self.assertTrue(left, "the warning of the documentation is not needed")
            filler = self.state / "filler"
            for _ in range(4 * JOURNAL_MEBIBYTES):
                filler.write_bytes(os.urandom(MEBIBYTE))
                os.sync()
            filler.unlink()
            self.assertEqual(self.found(image, gone), {})
