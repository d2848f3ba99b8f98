"""Who asks much does not go before who asks once."""

import os
import signal
import socket
import unittest
from pathlib import Path

from asking import EVENT, QUESTION, VIEWER, attach, configuration, connect_as, succeed
from daemon import Daemon, eventually
from wire import ADMIN, GUARD, Wire, frame

MANY, FEW = 64123, 64124
CONNECTIONS = 48
DEPTH = 200
# One round of the others, and the one that was under way.
ROUNDS = 4
FRAMES_OF_ROUND = 32
# What one user may ask before the other's next turn, while both ask; and the work of all between two looks at the sockets.
SHORT_TURN = 4
SHORT_ROUND = 8
# Questions of one message, and of one program each.
BATCH = 256
# The longest call that cannot be cut asks about each of the places.
LONGEST = 16

MANY_EVENTS = frame(f"{GUARD}.DecideMany", questions=[{"kind": "navigate", "event": EVENT}] * BATCH)
MANY_PROGRAMS = frame(
    f"{GUARD}.DecidePeers", peers=[f"p{number}.desktop" for number in range(BATCH)], event={"viewer": VIEWER})
MANY_PLACES = frame(f"{GUARD}.DecideLocations", kind="save", event={"viewer": VIEWER})


@unittest.skipUnless(os.getuid() == 0, "needs root, to be two users")
class FairnessCase(unittest.TestCase):
    """Two users, one of whom has many connections."""

    def setUp(self) -> None:
        self.daemon = Daemon(configuration(MANY, FEW))
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.daemon.directory.chmod(0o755)
        # Of each user's instance.
        self.tokens: dict[int, str] = {}
        self.many = self.connections(MANY, CONNECTIONS)
        self.few = self.connections(FEW, 1)

    def connections(self, uid: int, count: int) -> list[Wire]:
        wires = [connect_as(uid, self.daemon) for _ in range(count)]
        token = self.tokens[uid] = attach(wires[0])
        for wire in wires[1:]:
            attach(wire, token)
        for wire in wires:
            self.addCleanup(wire.socket.close)
        return wires

    def ask(self, flood: bytes, questions: int) -> None:
        """Everything lies in the sockets before the daemon reads any of it, so that no clock decides."""
        os.kill(self.daemon.pid, signal.SIGSTOP)
        eventually(lambda: state(self.daemon.pid) == "T", "the daemon is stopped")
        for wire in self.many:
            wire.send(flood)
        self.few[0].send(QUESTION * questions)
        os.kill(self.daemon.pid, signal.SIGCONT)
        for reply in self.few[0].replies(questions):
            self.assertIn("parameters", reply)

    def order(self, expected: int) -> list[int]:
        """Whose questions were answered, in order, when all are."""
        eventually(lambda: len(self.daemon.records("decision")) == expected, "all are answered", 120)
        return [record["uid"] for record in self.daemon.records("decision")]

    def most_between(self, order: list[int], questions: int) -> int:
        """Most questions of the one user between two of the other."""
        between = "".join("f" if uid == FEW else "m" for uid in order).strip("m")
        self.assertEqual(between.count("f"), questions)
        return max(map(len, between.split("f")))

    def most_work(self) -> int:
        """Most work between two looks at the sockets while both asked, as the daemon counts it."""
        with Wire(self.daemon.admin_socket) as admin:
            text = succeed(admin.call(f"{ADMIN}.Metrics"))["text"]
        name = 'webviewguard_round_work_most{users="several"} '
        return next(int(line.removeprefix(name)) for line in str(text).splitlines() if line.startswith(name))


@unittest.skipUnless(os.getuid() == 0, "needs root, to be two users")
class Fairness(FairnessCase):
    """One user pipelines thousands of questions, then another asks one."""

    def test_one_question_waits_for_a_round_of_the_others(self) -> None:
        self.ask(QUESTION * DEPTH, 1)
        order = self.order(CONNECTIONS * DEPTH + 1)
        before = order.index(FEW)
        self.assertEqual(order.count(MANY), CONNECTIONS * DEPTH)
        self.assertLess(before, ROUNDS * FRAMES_OF_ROUND, "questions answered before the one of somebody else")

    def test_the_connections_of_one_user_share_its_turn(self) -> None:
        """The last connection of the flood is not the last to be answered."""
        self.ask(QUESTION * DEPTH, 1)
        self.order(CONNECTIONS * DEPTH + 1)
        for wire in self.many:
            self.assertEqual(len(wire.replies(DEPTH)), DEPTH)

    def test_turns_are_short_while_both_ask(self) -> None:
        self.ask(QUESTION * DEPTH, 20)
        self.assertLessEqual(self.most_between(self.order(CONNECTIONS * DEPTH + 20), 20), SHORT_TURN)


@unittest.skipUnless(os.getuid() == 0, "needs root, to be two users")
class Batches(FairnessCase):
    """One user puts hundreds of questions into each message, then another asks one at a time."""

    def test_a_batch_is_cut_where_the_turn_ends(self) -> None:
        self.ask(MANY_EVENTS, 20)
        order = self.order(CONNECTIONS * BATCH + 20)
        self.assertLessEqual(self.most_between(order, 20), SHORT_TURN)
        self.assertLess(order.index(FEW), ROUNDS * FRAMES_OF_ROUND)

    def test_what_is_cut_is_answered_whole_and_in_order(self) -> None:
        """Each connection asks one thing before the batch and one behind it."""
        before, behind = frame(f"{GUARD}.WhoAmI"), frame(f"{GUARD}.Copy", event={"viewer": VIEWER, "length": 3})
        self.ask(before + MANY_EVENTS + MANY_PROGRAMS + behind, 20)
        for wire in self.many:
            who, events, programs, copied = (succeed(reply) for reply in wire.replies(4))
            self.assertEqual(who["uid"], MANY)
            self.assertEqual({decision["reason"] for decision in events["decisions"]}, {"internal"})
            numbers = [decision["id"] for decision in events["decisions"]]
            self.assertEqual((len(numbers), numbers), (BATCH, sorted(set(numbers))))
            self.assertEqual(
                [hint["peer"] for hint in programs["peers"]], [f"p{number}.desktop" for number in range(BATCH)])
            # This app cannot wrap what it copied.
            self.assertEqual(copied["decision"]["reason"], "orgData")

    def test_no_call_does_much_between_two_looks_at_the_sockets(self) -> None:
        for flood in (MANY_EVENTS, MANY_PROGRAMS, MANY_PLACES * DEPTH, MANY_EVENTS + MANY_PROGRAMS):
            self.ask(flood, 20)
        for wire in self.many:
            wire.replies(DEPTH + 4)
        self.assertLess(self.most_work(), SHORT_ROUND + LONGEST)
        self.assertGreaterEqual(self.most_work(), SHORT_ROUND)

    def test_the_batch_of_a_program_that_is_gone_is_decided(self) -> None:
        """Its questions may be copies, which count; they are decided in its user's turns."""
        for wire in self.many:
            wire.send(MANY_EVENTS)
        for wire in self.many:
            wire.socket.close()
        self.few[0].send(QUESTION)
        self.assertIn("parameters", self.few[0].reply())
        self.order(CONNECTIONS * BATCH + 1)

    def test_who_sends_nothing_more_gets_its_batch_answered(self) -> None:
        for wire in self.many:
            wire.send(MANY_EVENTS)
            wire.socket.shutdown(socket.SHUT_WR)
        self.few[0].send(QUESTION)
        for wire in self.many:
            self.assertEqual(len(succeed(wire.reply())["decisions"]), BATCH)

    def test_a_batch_is_decided_under_one_policy(self) -> None:
        """The policy is loaded anew again and again while batches are under way: now all is internal, now external."""
        rules = self.daemon.config / "rules/contoso.yaml"
        inside = rules.read_text()
        outside = inside.replace("domain: contoso.com", "domain: contoso.example")
        self.assertNotEqual(inside, outside)
        seen: set[str] = set()
        with Wire(self.daemon.admin_socket) as admin:
            for text in (outside, inside, outside, inside):
                for wire in self.many:
                    wire.send(MANY_EVENTS)
                rules.write_text(text)
                succeed(admin.call(f"{ADMIN}.Reload"))
                for wire in self.many:
                    reasons = {decision["reason"] for decision in succeed(wire.reply())["decisions"]}
                    self.assertEqual(len(reasons), 1, reasons)
                    seen |= reasons
        self.assertEqual(len(seen), 2, seen)


def state(pid: int) -> str:
    """The letter that the system shows for the process: `T` while it is stopped."""
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
