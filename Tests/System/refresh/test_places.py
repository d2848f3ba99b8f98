"""The step of root believes nothing of the directory that the fetch command could write; and the units are well-formed."""

import os
import shutil
import subprocess
import tempfile
import threading
import unittest
from pathlib import Path

from daemon import ROOT
from machine import REFRESH, MachineCase

NOTHING, BAD_SIGNATURE, BAD_CONTENT, BUSY = 21, 31, 32, 38


class Staging(MachineCase):
    """The fetch command is anybody's once the network answers it: it may leave whatever a user can make."""

    def install(self) -> int:
        done = self.step("install")
        self.told = done.stdout + done.stderr
        return done.returncode

    def test_a_link_to_a_file_of_roots(self) -> None:
        secret = self.place / "shadow"
        secret.write_text("root:secret\n")
        secret.chmod(0o600)
        (self.staging / "policy.tar").symlink_to(secret)
        (self.staging / "policy.tar.sig").write_bytes(bytes(64))
        self.assertEqual(self.install(), BAD_SIGNATURE)
        self.assertNotIn("secret", self.told)
        for path in self.store.rglob("policy.tar"):
            self.assertEqual(path.parent.stat().st_mode & 0o777, 0o700, "nobody else reads the copy")

    def test_a_pipe_that_never_ends(self) -> None:
        os.mkfifo(self.staging / "policy.tar")
        (self.staging / "policy.tar.sig").write_bytes(bytes(64))
        self.assertEqual(self.install(), NOTHING)

    def test_a_device_without_an_end(self) -> None:
        (self.staging / "policy.tar").symlink_to(self.place / "small")
        (self.place / "small").write_bytes(b"x")
        (self.staging / "policy.tar.sig").symlink_to("/dev/zero")
        self.assertEqual(self.install(), BAD_CONTENT)
        self.assertLess((self.store / ".incoming/policy.tar.sig").stat().st_size, 5000)

    def test_the_archive_is_exchanged_after_the_check(self) -> None:
        """What is unpacked is what was checked: the copy."""
        good, bad = self.distributor.archive(6), self.distributor.archive(66)
        signature = self.distributor.sign(good)
        (self.staging / "policy.tar.sig").write_bytes(signature)
        over = threading.Event()

        def exchange() -> None:
            while not over.is_set():
                for content in (bad, good):
                    (self.staging / "new").write_bytes(content)
                    os.replace(self.staging / "new", self.staging / "policy.tar")

        (self.staging / "policy.tar").write_bytes(good)
        thread = threading.Thread(target=exchange)
        thread.start()
        try:
            results = [self.install() for _ in range(12)]
        finally:
            over.set()
            thread.join()
        self.assertTrue(set(results) <= {0, BAD_SIGNATURE}, results)
        self.assertIn(self.current().split("-")[0], ("", "6"))
        (self.staging / "policy.tar").write_bytes(good)
        self.assertEqual(self.install(), 0, self.told)

    def test_two_at_once(self) -> None:
        self.distributor.publish(self.distributor.archive(1))
        self.assertEqual(self.step("fetch").returncode, 0)
        holder = subprocess.Popen(["flock", str(self.store / ".lock"), "sleep", "60"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        while subprocess.run(["flock", "--nonblock", str(self.store / ".lock"), "true"], check=False).returncode == 0:
            pass
        self.assertEqual(self.install(), BUSY)
        self.assertEqual(self.current(), "")

    def test_a_wrong_word(self) -> None:
        self.assertEqual(subprocess.run([str(REFRESH), "everything"], capture_output=True, check=False).returncode, 64)


class Units(unittest.TestCase):
    def test_systemd_takes_them_as_they_are(self) -> None:
        if shutil.which("systemd-analyze") is None:
            self.skipTest("there is no systemd-analyze")
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.addCleanup(shutil.rmtree, directory)
        for name in ("webviewguard-refresh.service", "webviewguard-refresh.timer"):
            text = (ROOT / "systemd" / name).read_text().replace("/usr/lib/webviewguard/refresh", str(REFRESH))
            (directory / name).write_text("\n".join(line for line in text.splitlines() if "Documentation=" not in line))
        units = [str(directory / name) for name in ("webviewguard-refresh.service", "webviewguard-refresh.timer")]
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *units], capture_output=True, text=True, timeout=60, check=False
        )
        ours = [line for line in done.stderr.splitlines() if "webviewguard-refresh" in line]
        self.assertEqual((done.returncode, ours), (0, []), done.stderr)

    def test_the_timer_comes_every_eight_hours(self) -> None:
        text = (ROOT / "systemd/webviewguard-refresh.timer").read_text().splitlines()
        self.assertTrue({"OnUnitActiveSec=8h", "RandomizedDelaySec=30min", "WantedBy=timers.target"} <= set(text))
        rules = (ROOT / "packaging/debian/rules").read_text()
        self.assertRegex(rules, "--no-enable --no-start .*webviewguard-refresh.timer", "off until it is enabled")

    def test_only_the_fetch_runs_without_rights(self) -> None:
        text = (ROOT / "systemd/webviewguard-refresh.service").read_text()
        starts = [line for line in text.splitlines() if line.startswith("Exec")]
        self.assertEqual(
            starts,
            [
                "ExecStart=/usr/lib/webviewguard/refresh fetch",
                "ExecStart=!/usr/lib/webviewguard/refresh install",
                "ExecStopPost=!/usr/lib/webviewguard/refresh ended",
            ],
        )
        self.assertIn("\nDynamicUser=yes\n", text)
