"""Disks and people at their worst: full, read-only, slow, failing, and files that are taken away."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import disk
from daemon import Daemon, eventually
from log_files import ACTIVE, log_files, log_records
from logs import USERS, LogCase, decisions, log
from test_files import flood
from traffic import Fleet
from wire import GUARD, Wire, frame

EXTERNAL = "https://example.net/"
UNAVAILABLE = f"{GUARD}.LogUnavailable"


@contextlib.contextmanager
def small_disk(place: Path, size: str) -> Iterator[None]:
    """A file system of its own at `place`."""
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=0750", "wvg-log", place], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", place], check=True)


def may_mount() -> bool:
    """Whether this process may mount; in a container even root may not."""
    return os.getuid() == 0 and subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0


class Disks(LogCase):
    def setUp(self) -> None:
        if not may_mount():
            self.skipTest("mounting a small file system needs root, outside a container without that right")

    def on_small_disk(self, settings: str, size: str = "2m") -> Daemon:
        daemon = self.daemon(settings)
        mounted = small_disk(daemon.logs, size)
        mounted.__enter__()
        self.addCleanup(mounted.__exit__, None, None, None)
        return daemon

    def full(self, settings: str) -> tuple[Daemon, Wire, Path]:
        """A daemon whose disk is full by now, and the file that fills it."""
        daemon = self.on_small_disk(settings).start()
        wire = self.asking(daemon)
        self.assertEqual(self.ask(wire), "allow")
        filler = daemon.logs / "filler"
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(512))
        return daemon, wire, filler

    def test_full_disk_blocks_what_would_be_allowed(self) -> None:
        daemon, wire, filler = self.full("rotateMegabytes: 1")
        outcomes = {self.ask(wire) for _ in range(100)}
        self.assertIn(UNAVAILABLE, outcomes)
        self.assertEqual(self.ask(wire), UNAVAILABLE)
        self.assertEqual(self.ask(wire, EXTERNAL), "redirect")
        self.assertIn("failure", self.status(daemon)["log"])
        filler.unlink()
        eventually(lambda: self.ask(wire) == "allow", "the log is written again")
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)
        [failure] = log_records(daemon.logs, "failure")
        self.assertIn("No space left", failure["cause"])

    def test_full_disk_lets_work_go_on_where_that_is_wanted(self) -> None:
        daemon, wire, filler = self.full("onLogFailure: continue")
        self.assertEqual({self.ask(wire) for _ in range(100)}, {"allow"})
        self.assertEqual(self.ask(wire, EXTERNAL), "redirect")
        filler.unlink()
        eventually(lambda: "failure" not in self.status(daemon)["log"], "the log is written again")
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)
        self.assertEqual(len(decisions(daemon.logs)), 102, "what was answered meanwhile is on record too")

    def test_killed_on_a_full_disk(self) -> None:
        daemon, wire, filler = self.full("rotateMegabytes: 1")
        for _ in range(50):
            self.ask(wire)
        daemon.stop(signal.SIGKILL)
        daemon.start()
        wire = self.asking(daemon)
        self.assertEqual(self.ask(wire), UNAVAILABLE)
        filler.unlink()
        eventually(lambda: self.ask(wire) == "allow", "the log is written again")
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)

    def test_read_only_disk_at_the_start(self) -> None:
        daemon = self.on_small_disk("rotateMegabytes: 1").start()
        self.assertEqual(self.ask(self.asking(daemon)), "allow")
        self.assertEqual(daemon.stop(), 0)
        subprocess.run(["mount", "-o", "remount,ro", daemon.logs], check=True)
        with self.assertRaises(RuntimeError):
            daemon.start()
        daemon.process = None
        daemon.tells("Read-only file system")
        subprocess.run(["mount", "-o", "remount,rw", daemon.logs], check=True)
        daemon.start()
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)


class Tampering(LogCase):
    def noticed(self, daemon: Daemon, wire: Wire, count: int = 1) -> None:
        eventually(lambda: len(log_records(daemon.logs, "failure")) == count, "it is noticed")
        self.assertEqual(self.ask(wire), "allow")

    def test_a_removed_file_is_written_again(self) -> None:
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 200)
        daemon.log_file.unlink()
        flood(wire, 10)
        self.noticed(daemon, wire)
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)
        self.assertEqual(len(decisions(daemon.logs)), 211)
        self.assertIn("was removed", log_records(daemon.logs, "failure")[0]["cause"])

    def test_a_file_that_was_cut_takes_nothing_with_it(self) -> None:
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 20)
        os.truncate(daemon.log_file, daemon.log_file.stat().st_size - 100)
        self.noticed(daemon, wire)
        self.assertEqual(daemon.stop(), 0)
        self.assertIn("was changed by somebody else", log_records(daemon.logs, "failure")[0]["cause"])
        self.assertEqual(log("verify", daemon.logs).returncode, 1)

    def test_a_replaced_file_is_written_again_and_the_other_kept(self) -> None:
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 50)
        other = daemon.logs / "other"
        other.write_text("nothing happened\n")
        other.rename(daemon.log_file)
        self.noticed(daemon, wire)
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)
        self.assertEqual(len(decisions(daemon.logs)), 51)
        self.assertEqual((daemon.logs / f"{ACTIVE}.replaced").read_text(), "nothing happened\n")

    def test_a_removed_directory_is_made_again(self) -> None:
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 50)
        for file in daemon.logs.iterdir():
            file.unlink()
        daemon.logs.rmdir()
        eventually(daemon.log_file.exists, "the directory is made again")
        self.noticed(daemon, wire)
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)
        self.assertEqual(len(decisions(daemon.logs)), 51)

    def test_a_removed_file_that_must_be_closed(self) -> None:
        """The rotation comes before the look of every second."""
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 400)
        daemon.log_file.unlink()
        flood(wire, 400)
        eventually(lambda: log_records(daemon.logs, "failure"), "it is noticed")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual(len(log_files(daemon.logs)), 2)
        self.assert_sound(daemon.logs)
        self.assertEqual(len(decisions(daemon.logs)), 800)

    def test_a_cut_file_is_said_aloud(self) -> None:
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 50)
        os.truncate(daemon.log_file, 0)
        self.noticed(daemon, wire)
        self.assertIn("changed by somebody else", log_records(daemon.logs, "failure")[0]["cause"])
        daemon.tells("changed by somebody else")


class FailingDisk(LogCase):
    def test_a_disk_that_becomes_read_only(self) -> None:
        """The kernel does so after an error; no mount can be made to while a file is open for writing."""
        for durability in ("written", "synced"):
            with self.subTest(durability=durability):
                daemon = self.daemon(f"durability: {durability}")
                shut = daemon.directory / "shut"
                daemon.environment |= disk.environment(daemon.logs, read_only=shut)
                daemon.start()
                wire = self.asking(daemon)
                self.assertEqual(self.ask(wire), "allow")
                shut.touch()
                self.assertEqual(self.ask(wire), UNAVAILABLE)
                self.assertEqual(self.ask(wire, EXTERNAL), "redirect")
                shut.unlink()
                eventually(lambda: self.ask(wire) == "allow", "the log is written again")
                self.assertEqual(daemon.stop(), 0)
                self.assert_sound(daemon.logs)

    def test_what_could_not_be_synced_is_written_to_a_new_file(self) -> None:
        """After a failed sync the kernel may forget what it has not written, and say that all is well."""
        daemon = self.daemon("durability: synced")
        failing = daemon.directory / "failing"
        daemon.environment |= disk.environment(daemon.logs, sync_fails=failing)
        daemon.start()
        wire = self.asking(daemon)
        self.assertEqual(self.ask(wire), "allow")
        node = daemon.log_file.stat().st_ino
        failing.touch()
        self.assertEqual(self.ask(wire), UNAVAILABLE)
        self.assertEqual(self.ask(wire, EXTERNAL), "redirect")
        failing.unlink()
        eventually(lambda: self.ask(wire) == "allow", "the log is written again")
        self.assertNotEqual(daemon.log_file.stat().st_ino, node)
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)

    def test_a_slow_disk_slows_clients_and_refuses_none(self) -> None:
        daemon = self.daemon("durability: synced")
        daemon.environment |= disk.environment(daemon.logs, slow_us=20_000)
        daemon.start()
        fleet = Fleet(daemon.guard_socket, daemon.directory / "notes", USERS)
        self.addCleanup(fleet.kill)
        with self.asking(daemon) as wire:
            for number in range(20):
                urls = [f"https://contoso.com/{number}", EXTERNAL]
                event = {"viewer": "docs", "frame": "main"}
                wire.send(*(frame(f"{GUARD}.Navigate", event={**event, "url": url}) for url in urls))
                outcomes = [reply["parameters"]["decision"]["outcome"] for reply in wire.replies(2)]
                self.assertEqual(outcomes, ["allow", "redirect"])
        fleet.stop()
        self.assertLess(self.memory(daemon), 200 << 20)
        self.assertEqual(daemon.stop(), 0)
        answered = fleet.answered()
        self.assertGreater(len(answered), 100)
        self.assert_holds(daemon.logs, answered)

    def memory(self, daemon: Daemon) -> int:
        """Resident bytes."""
        return int(Path(f"/proc/{daemon.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


class Clocks(LogCase):
    def test_times_never_run_back(self) -> None:
        daemon = self.daemon()
        clock = daemon.directory / "clock"
        clock.write_text("0")
        daemon.environment |= disk.environment(daemon.logs, clock=clock)
        daemon.start()
        wire = self.asking(daemon)
        self.ask(wire)
        clock.write_text("-3600")
        self.assertEqual(self.ask(wire), "allow")
        # A daemon that starts with the wrong time knows better from its log.
        self.assertEqual(daemon.stop(), 0)
        daemon.start()
        self.assertEqual(self.ask(self.asking(daemon)), "allow")
        self.assertEqual(daemon.stop(), 0)
        times = [line.split(b'"time":"', 1)[1][:24] for line in daemon.log_file.read_bytes().splitlines()]
        self.assertEqual(times, sorted(times))
        daemon.tells("the clock is behind")
