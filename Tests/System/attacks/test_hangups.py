"""Programs that tell something and are gone at once: what they told counts, and they hold nothing any more."""

import contextlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attack_case import ALICE, BOB, PEOPLE
from configuration import PERSONAL, WORK, Configuration
from daemon import eventually
from long_attack import LongAttack
from program import Program
from wire import ADMIN, GUARD, Wire, frame

PER_USER = 16
SETTINGS = f"limits: {{ partialMessageSeconds: 1, connectionsPerUser: {PER_USER}, attachSeconds: 4 }}\n"


def copy(viewer: str, length: int) -> str:
    return frame(f"{GUARD}.Copy", event={"viewer": viewer, "selection": "clipboard", "length": length}).decode()


def whole_life(account: str, viewer: str, viewer_class: str, *frames: str) -> str:
    """All that a program says from its first word to its last, in one piece."""
    first = [
        frame(f"{GUARD}.Attach", features=["clipEcho"]),
        frame(f"{GUARD}.SetIdentity", level="process", account=account),
        frame(f"{GUARD}.RegisterViewer", viewer=viewer, **{"class": viewer_class}),
    ]
    return b"".join(first).decode() + "".join(frames)


class HangUps(LongAttack):
    configuration = Configuration(PEOPLE, settings=SETTINGS)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """The daemon sees all that happens in here at once: bytes, and that the peer is gone."""
        os.kill(self.daemon.pid, signal.SIGSTOP)
        stat = Path(f"/proc/{self.daemon.pid}/stat")
        eventually(lambda: stat.read_text().rsplit(")", 1)[1].split()[0] == "T", "the daemon is stopped")
        try:
            yield
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)

    def decisions(self, count: int, event: str = "copy") -> list[dict[str, Any]]:
        """The log's decisions on such events; waits for so many, and that no more come."""

        def found() -> list[dict[str, Any]]:
            return [record for record in self.daemon.records("decision") if record["event"] == event]

        eventually(lambda: len(found()) >= count, f"{count} are decided")
        self.daemon.beat()
        self.assertEqual(len(found()), count)
        return found()

    def connections(self) -> int:
        with Wire(self.daemon.admin_socket) as admin:
            text = str(self.answered(admin.call(f"{ADMIN}.Metrics"))["text"])
        name = 'webviewguard_connections{socket="guard"} '
        return next(int(line.removeprefix(name)) for line in text.splitlines() if line.startswith(name))

    def alice(self) -> Program:
        return self.program(ALICE, features=["clipEcho"], shows=WORK, viewers={"docs": "documents"})

    def test_the_last_copies_of_a_program_count(self) -> None:
        """A copy of the organisation's text that is forgotten could be pasted anywhere."""
        reader = self.program(ALICE, shows=PERSONAL, viewers={"home": "loose"})
        alice = self.alice()
        with self.frozen():
            alice.link.send(copy("docs", 300) + copy("docs", 301) + copy("docs", 302))
            alice.leave()
        self.decisions(3)
        for length in (300, 301, 302):
            self.assertEqual(reader.paste("home", length)[0], "block")
        self.restart(killed=True)
        self.assertEqual(reader.paste("home", 302)[0], "block")

    def test_they_count_of_a_program_that_was_killed(self) -> None:
        alice = self.alice()
        with self.frozen():
            alice.link.send(copy("docs", 300) * 3)
            alice.end()
        self.decisions(3)

    def test_the_frames_behind_an_unread_answer_count(self) -> None:
        """The answer to the first call finds no reader while others wait to be read."""
        alice = self.alice()
        for _ in range(20):
            alice.link.send(copy("docs", 300))
            with self.frozen():
                alice.link.send(copy("docs", 301) * 2)
                alice.leave()
            alice.reconnect()
        self.decisions(60)

    def test_a_program_whose_whole_life_is_one_message_counts(self) -> None:
        """It is gone before the daemon knows whose it is."""
        alice = self.person(ALICE)
        for _ in range(3 * PER_USER):
            with self.frozen():
                link = alice.link(self.daemon.guard_socket)
                link.send(whole_life(WORK, "docs", "documents", copy("docs", 300)))
                link.close()
            eventually(lambda: self.connections() == 0, "it holds no connection")
        self.decisions(3 * PER_USER)

    def test_half_a_message_at_the_end_is_nothing(self) -> None:
        alice = self.alice()
        with self.frozen():
            alice.link.send(copy("docs", 300) + copy("docs", 301)[:-20])
            alice.leave()
        self.decisions(1)
        eventually(lambda: self.connections() == 0, "it holds no connection")
        self.assertEqual(self.daemon.said.read_text().count("half a message"), 0)

    def test_a_broken_frame_ends_what_counts(self) -> None:
        alice = self.alice()
        with self.frozen():
            alice.link.send(copy("docs", 300) + "{no JSON\0" + copy("docs", 301))
            alice.leave()
        eventually(lambda: self.connections() == 0, "it holds no connection")
        self.decisions(1)

    def test_a_subscriber_that_is_gone_holds_nothing(self) -> None:
        """News have no end of their own: also where the subscription came with the last bytes."""
        alice = self.person(ALICE)
        subscribe = frame(f"{GUARD}.Subscribe", flags={"more": True}).decode()
        for _ in range(2 * PER_USER):
            with self.frozen():
                link = alice.link(self.daemon.guard_socket)
                link.send(whole_life(WORK, "docs", "documents", subscribe, copy("docs", 300)))
                link.close()
            eventually(lambda: self.connections() == 0, "it holds no connection")
        self.decisions(0)

    def test_who_asks_who_it_is_and_goes_counts(self) -> None:
        """`WhoAmI` is answered beside the loop; calls behind it wait for that."""
        alice = self.alice()
        who = frame(f"{GUARD}.WhoAmI").decode()
        with self.frozen():
            alice.link.send((who + copy("docs", 300)) * 5)
            alice.leave()
        self.decisions(5)
        eventually(lambda: self.connections() == 0, "it holds no connection")

    def test_the_gone_take_turns_with_the_living(self) -> None:
        """Alice fills all her connections and goes; one question of Bob's waits for no more than a round."""
        programs = [self.alice()]
        programs += [programs[0].second() for _ in range(PER_USER - 2)]
        bob = self.program(BOB, shows=PERSONAL, viewers={"home": "loose"})
        with self.frozen():
            for program in programs:
                program.link.send(copy("docs", 300) * 100)
                program.link.close()
            bob.link.send(copy("home", 300))
        self.assertIn("parameters", bob.link.reply())
        users = [record["uid"] for record in self.decisions(100 * len(programs) + 1)]
        self.assertLess(users.index(BOB), 100)
        eventually(lambda: self.connections() == 1, "only Bob's is left")

    def test_an_end_of_the_daemon_in_the_middle_loses_no_record(self) -> None:
        alice = self.alice()
        with self.frozen():
            alice.link.send(copy("docs", 300) * 400)
            alice.leave()
        self.restart(killed=False, returning=False)
        self.assertEqual(self.daemon.verify_log().returncode, 0)
        self.assertEqual(self.said("Fatal"), 0)
