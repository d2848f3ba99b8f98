"""Who asks much does not go before who asks once."""

import os
import signal
import time
import unittest
from pathlib import Path

from asking import QUESTION, attach, configuration, connect_as
from daemon import Daemon, eventually
from wire import Wire

MANY, FEW = 64123, 64124
CONNECTIONS = 48
DEPTH = 200
# One round of the others, and the one that was under way.
ROUNDS = 4
FRAMES_OF_ROUND = 32
# What one user may ask before the other's next turn, while both ask.
SHORT_TURN = 4


@unittest.skipUnless(os.getuid() == 0, "needs root, to be two users")
class Fairness(unittest.TestCase):
    """One user pipelines thousands of questions, then another asks one."""

    def setUp(self) -> None:
        self.daemon = Daemon(configuration(MANY, FEW))
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.daemon.directory.chmod(0o755)
        self.many = self.connections(MANY, CONNECTIONS)
        self.few = self.connections(FEW, 1)

    def connections(self, uid: int, count: int) -> list[Wire]:
        wires = [connect_as(uid, self.daemon) for _ in range(count)]
        token = attach(wires[0])
        for wire in wires[1:]:
            attach(wire, token)
        for wire in wires:
            self.addCleanup(wire.socket.close)
        return wires

    def test_one_question_waits_for_a_round_of_the_others(self) -> None:
        self.flood_and_ask()
        order = [record["uid"] for record in self.daemon.records("decision")]
        before = order.index(FEW)
        self.assertEqual(order.count(MANY), CONNECTIONS * DEPTH)
        self.assertLess(before, ROUNDS * FRAMES_OF_ROUND, "questions answered before the one of somebody else")

    def test_the_connections_of_one_user_share_its_turn(self) -> None:
        """The last connection of the flood is not the last to be answered."""
        self.flood_and_ask()
        order = [record["uid"] for record in self.daemon.records("decision")]
        self.assertEqual(len(order), CONNECTIONS * DEPTH + 1)
        for wire in self.many:
            self.assertEqual(len(wire.replies(DEPTH)), DEPTH)

    def test_turns_are_short_while_both_ask(self) -> None:
        self.flood_and_ask(20)
        order = [record["uid"] for record in self.daemon.records("decision")]
        between = "".join("f" if uid == FEW else "m" for uid in order).strip("m")
        self.assertEqual(between.count("f"), 20)
        self.assertLessEqual(max(map(len, between.split("f"))), SHORT_TURN, between)

    def flood_and_ask(self, questions: int = 1) -> None:
        """Everything lies in the sockets before the daemon reads any of it, so that no clock decides."""
        os.kill(self.daemon.pid, signal.SIGSTOP)
        eventually(lambda: state(self.daemon.pid) == "T", "the daemon is stopped")
        for wire in self.many:
            wire.send(QUESTION * DEPTH)
        self.few[0].send(QUESTION * questions)
        os.kill(self.daemon.pid, signal.SIGCONT)
        for reply in self.few[0].replies(questions):
            self.assertIn("parameters", reply)
        expected = CONNECTIONS * DEPTH + questions
        eventually(lambda: len(self.daemon.records("decision")) == expected, "all are answered", 60)


def state(pid: int) -> str:
    """The letter that the system shows for the process: `T` while it is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
