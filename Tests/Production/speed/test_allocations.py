"""In the steady state a decision allocates nothing."""

import mmap
import struct
import subprocess
import unittest

from asking import QUESTION, attach, compiler, configuration, here
from daemon import Daemon
from wire import Wire

DEPTH = 50
BATCHES = 200
# More than every ring of the daemon holds.
WARM_UP = 120


@unittest.skipUnless(compiler(), "needs a C compiler")
class Allocations(unittest.TestCase):
    """Counted in the real daemon, in all of its threads."""

    def setUp(self) -> None:
        self.daemon = Daemon(configuration())
        self.addCleanup(self.daemon.remove)
        shim = self.daemon.directory / "allocations.so"
        subprocess.run([str(compiler()), "-O2", "-shared", "-fPIC", "-o", shim, here("allocations.c")], check=True)
        self.file = self.daemon.directory / "allocations"
        self.daemon.environment.update(LD_PRELOAD=str(shim), WVG_ALLOCATIONS=str(self.file))

    def count(self) -> int:
        """What all threads allocated so far."""
        with open(self.file, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            return sum(value for (value,) in struct.iter_unpack("Q", mapped[:]))

    def measure(self) -> float:
        """Allocations for each batch of questions, after a warm-up."""
        with Wire(self.daemon.guard_socket) as wire:
            attach(wire)
            self.ask(wire, WARM_UP)
            before = self.count()
            self.ask(wire, BATCHES)
            return (self.count() - before) / BATCHES

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

    def test_a_batch_with_the_log_allocates_a_tenth_of_one_for_each_decision_at_most(self) -> None:
        self.daemon.start()
        self.assertLessEqual(self.measure(), DEPTH / 10)
