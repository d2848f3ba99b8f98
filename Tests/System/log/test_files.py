"""Rotation and retention, and every moment at which a crash may interrupt them."""

import json
import signal
import time
from pathlib import Path

import disk
from daemon import Daemon, eventually
from log_files import ACTIVE, log_files, log_records
from logs import USERS, LogCase, attach, decisions, log
from traffic import Fleet
from wire import GUARD, Wire, frame

BATCH = 200
# A record of a question with such a URL has about a kilobyte and a half.
LONG = "https://contoso.com/" + "x" * 900


def flood(wire: Wire, count: int, url: str = LONG) -> list[dict]:
    """Asks so often, in batches, and returns the replies."""
    replies = []
    for start in range(0, count, BATCH):
        size = min(BATCH, count - start)
        event = {"viewer": "docs", "frame": "main"}
        wire.send(*(frame(f"{GUARD}.Navigate", event={**event, "url": f"{url}{start + n}"}) for n in range(size)))
        replies += wire.replies(size)
    return replies


class Rotation(LogCase):
    def test_the_chain_goes_on_across_files(self) -> None:
        daemon = self.daemon().start()
        wire = self.asking(daemon)
        flood(wire, 3000)
        self.assertEqual(daemon.stop(), 0)
        found = log_files(daemon.logs)
        self.assertGreaterEqual(len(found), 3)
        self.assertTrue(all(file.stat().st_size < 1_500_000 for file in found))
        first = [json.loads(file.read_bytes().split(b"\n", 1)[0])["seq"] for file in found[:-1]]
        self.assertEqual([file.name for file in found[:-1]], [f"decisions-{seq:020}.jsonl" for seq in first])
        self.assertEqual(len(decisions(daemon.logs)), 3000)
        self.assertEqual(self.status_of_verify(daemon), log_records(daemon.logs, "stop")[-1]["seq"])

    def status_of_verify(self, daemon: Daemon) -> int:
        """The number of the newest record, as `log verify --head` attests it with the head of `log head`."""
        head = log("head", daemon.logs).stdout.strip()
        self.assertNotIn("not attested", self.assert_sound(daemon.logs, "--head", head))
        return int(head.partition(":")[0])

    def test_the_closed_record_says_what_each_user_fills(self) -> None:
        daemon = self.daemon().start()
        flood(self.asking(daemon), 1500)
        self.assertEqual(daemon.stop(), 0)
        closed, *_ = log_files(daemon.logs)
        *lines, last = closed.read_bytes().splitlines(keepends=True)
        own = sum(len(line) for line in lines if json.loads(line).get("uid") == USERS[0])
        self.assertEqual(json.loads(last)["users"], [{"uid": USERS[0], "bytes": own}])

    def test_a_new_day_begins_a_new_file(self) -> None:
        daemon = self.daemon("rotateMegabytes: 64")
        clock = daemon.directory / "clock"
        clock.write_text("0")
        daemon.environment |= disk.environment(daemon.logs, clock=clock)
        daemon.start()
        self.assertEqual(self.ask(self.asking(daemon)), "allow")
        clock.write_text(f"{86_400} {86_400}")
        eventually(lambda: len(log_files(daemon.logs)) == 2, "the file of yesterday is closed")
        self.assertEqual(self.ask(self.asking(daemon)), "allow")
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)

    def test_the_journal_gets_the_head(self) -> None:
        daemon = self.daemon().start()
        flood(self.asking(daemon), 1500)
        self.assertEqual(daemon.stop(), 0)
        heads = [line.rpartition("head=")[2] for line in daemon.said.read_text().splitlines() if "log head" in line]
        self.assertGreaterEqual(len(heads), 2)
        for head in heads:
            self.assert_sound(daemon.logs, "--head", head)
        log_files(daemon.logs)[-1].unlink()
        self.assertIn("the end is cut off", log("verify", daemon.logs, "--head", heads[-1]).stdout)


class Retention(LogCase):
    def test_old_files_go_by_time(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, keepDays: 30")
        clock = daemon.directory / "clock"
        clock.write_text("0")
        daemon.environment |= disk.environment(daemon.logs, clock=clock)
        daemon.start()
        flood(self.asking(daemon), 1500)
        first = log_files(daemon.logs)[0]
        self.assertTrue(first.exists())
        clock.write_text(f"{31 * 86_400} {31 * 86_400}")
        eventually(lambda: not first.exists(), "the old file is removed")
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual([record["cause"] for record in log_records(daemon.logs, "pruned")][0], "age")
        self.assertIn("older ones were pruned", self.assert_sound(daemon.logs))

    def test_a_log_that_is_too_large_loses_its_oldest_aloud(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4, userPercent: 100").start()
        for _ in range(5):
            flood(self.asking(daemon), 1000)
            time.sleep(1.1)
        status = self.status(daemon)["log"]
        self.assertIn("prunedEarly", status)
        self.assertLess(status["bytes"], 6 << 20)
        self.assertEqual(daemon.stop(), 0)
        self.assertEqual({record["cause"] for record in log_records(daemon.logs, "pruned")}, {"size"})
        daemon.tells("before their time")
        self.assertIn("older ones were pruned", self.assert_sound(daemon.logs))


class Crashes(LogCase):
    """The daemon ends in place of each of its operations on the log, one after the other, and is started again."""

    def test_every_step_of_rotation_and_removal(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4, userPercent: 100")
        counter = daemon.directory / "count"
        whole = dict(daemon.environment)
        daemon.environment = whole | disk.environment(daemon.logs, count=counter)
        before = self.rotations(daemon)
        steps = int(counter.read_text())
        self.assertGreater(steps, 8)
        for step in range(1, steps + 1):
            daemon.environment = whole | disk.environment(daemon.logs, crash_at=step)
            self.rotations(daemon)
            daemon.environment = whole
            daemon.start()
            self.assertEqual(self.ask(self.asking(daemon)), "allow", f"after the end at operation {step}")
            self.assertEqual(daemon.stop(), 0, daemon.said.read_text())
            self.assert_sound(daemon.logs)
        self.assertGreater(before, 0)
        self.assertTrue(log_records(daemon.logs, "pruned"))

    def rotations(self, daemon: Daemon) -> int:
        """Lets the log rotate once; the daemon may end at any moment. Returns how many questions were answered."""
        try:
            daemon.start()
            with Wire(daemon.guard_socket) as wire:
                return len(flood(attach(wire), 900))
        except (ConnectionError, RuntimeError, TimeoutError):
            return 0
        finally:
            if daemon.process is not None:
                daemon.stop() if daemon.is_alive else daemon.process.wait()
                daemon.process = None


class Leftovers(LogCase):
    """States that a crash at any step leaves, made by hand from a log with two closed files."""

    def setUp(self) -> None:
        self.served = self.daemon()
        self.clock = disk.Clock(self.served.directory)
        self.served.environment |= self.clock.environment
        self.served.start()
        flood(self.asking(self.served), 1800)
        self.served.stop(signal.SIGKILL)
        self.first, self.second, self.active = log_files(self.served.logs)
        self.held = decisions(self.served.logs)

    def take_up(self, lost: int = 0) -> None:
        """Starts on what is there: it serves, the log is whole, and only that many decisions are gone.
        Without a power cut nothing of what was written can be: then the daemon would speak of a log that was cut."""
        if lost:
            self.clock.restart_machine()
        self.served.start()
        self.assertEqual(self.ask(self.asking(self.served)), "allow")
        self.assertEqual(self.served.stop(), 0)
        self.assert_sound(self.served.logs)
        self.assertEqual(len(set(self.held) - set(decisions(self.served.logs))), lost)

    def test_no_active_file(self) -> None:
        lost = self.active.read_bytes().count(b'"type":"decision"')
        self.active.unlink()
        self.take_up(lost)

    def test_an_empty_active_file(self) -> None:
        lost = self.active.read_bytes().count(b'"type":"decision"')
        self.active.write_bytes(b"")
        self.take_up(lost)

    def test_an_active_file_that_was_closed_and_not_renamed(self) -> None:
        lost = self.active.read_bytes().count(b'"type":"decision"')
        self.second.rename(self.active)
        self.take_up(lost)
        self.assertTrue(self.second.exists())

    def test_a_closed_record_without_its_newline(self) -> None:
        lost = self.active.read_bytes().count(b'"type":"decision"')
        self.second.rename(self.active)
        self.active.write_bytes(self.active.read_bytes()[:-1])
        self.take_up(lost)

    def test_a_closed_record_cut_short(self) -> None:
        lost = self.active.read_bytes().count(b'"type":"decision"')
        self.second.rename(self.active)
        self.active.write_bytes(self.active.read_bytes()[:-40])
        self.take_up(lost)

    def test_a_closed_file_without_its_closed_record(self) -> None:
        lost = self.active.read_bytes().count(b'"type":"decision"')
        lines = self.second.read_bytes().splitlines(keepends=True)
        self.second.write_bytes(b"".join(lines[:-1]))
        self.active.unlink()
        self.take_up(lost)

    def test_zeros_where_the_disk_had_nothing(self) -> None:
        self.active.write_bytes(self.active.read_bytes() + bytes(3 << 20))
        self.take_up()

    def test_a_copy_that_was_not_finished(self) -> None:
        Path(f"{self.active}.new").write_bytes(b"{")
        self.take_up()
        self.assertEqual(self.active.name, ACTIVE)


class LiveReading(LogCase):
    def test_verify_reads_a_log_that_rotates_meanwhile(self) -> None:
        daemon = self.daemon().start()
        fleet = Fleet(daemon.guard_socket, daemon.directory / "notes", USERS[:2])
        self.addCleanup(fleet.kill)
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            said = log("verify", daemon.logs).stdout
            self.assertTrue("are sound" in said or "cut short" in said, said)
        self.assertGreater(len(log_files(daemon.logs)), 1)
        fleet.stop()
