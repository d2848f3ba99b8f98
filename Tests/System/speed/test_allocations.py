"""In the steady state a decision allocates nothing."""

import mmap
import struct
import subprocess
import unittest
from pathlib import Path

from asking import QUESTION, attach, compiler, configuration, here
from daemon import Daemon
from wire import Wire

DEPTH = 50
BATCHES = 200
# More than every ring of the daemon holds.
WARM_UP = 120
EVENT_LOOP = "NIO-ELT"


@unittest.skipUnless(compiler(), "needs a C compiler")
class Allocations(unittest.TestCase):
    """Counted in the real daemon. The log's thread is left out: its SHA-256 allocates once for each record."""

    def setUp(self) -> None:
        self.daemon = Daemon(configuration())
        self.addCleanup(self.daemon.remove)
        shim = self.daemon.directory / "allocations.so"
        subprocess.run([str(compiler()), "-O2", "-shared", "-fPIC", "-o", shim, here("allocations.c")], check=True)
        self.file = self.daemon.directory / "allocations"
        self.daemon.environment.update(LD_PRELOAD=str(shim), WVG_ALLOCATIONS=str(self.file))

    def count(self, thread: str = "") -> int:
        """What the threads with this in their names allocated so far."""
        with open(self.file, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            pairs = [pair for pair in struct.iter_unpack("QQ", mapped[:]) if pair[0]]
        return sum(count for number, count in pairs if thread in name(self.daemon.pid, number))

    def measure(self) -> float:
        """Allocations of the event loop for each batch of questions, after a warm-up."""
        with Wire(self.daemon.guard_socket) as wire:
            attach(wire)
            self.ask(wire, WARM_UP)
            before = self.count(EVENT_LOOP)
            self.ask(wire, BATCHES)
            return (self.count(EVENT_LOOP) - before) / BATCHES

    def ask(self, wire: Wire, batches: int) -> None:
        for _ in range(batches):
            wire.send(QUESTION * DEPTH)
            for reply in wire.replies(DEPTH):
                self.assertEqual(reply["parameters"]["decision"]["outcome"], "allow")

    def test_counting_counts(self) -> None:
        self.daemon.start()
        self.assertGreater(self.count(), 1000)

    def test_a_batch_without_a_log_allocates_at_most_twice(self) -> None:
        self.daemon.arguments.append("--without-decision-log")
        self.daemon.start()
        self.assertLessEqual(self.measure(), 2)

    def test_a_batch_with_the_log_allocates_at_most_twice(self) -> None:
        self.daemon.start()
        self.assertLessEqual(self.measure(), 2)


def name(pid: int, thread: int) -> str:
    """The thread's name; empty when it ended."""
    try:
        return Path(f"/proc/{pid}/task/{thread}/comm").read_text().strip()
    except OSError:
        return ""
