"""A daemon that fails in every way: questions are answered by the contract, in time, and the next at once."""

import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import conversations
import ways
from case import PATIENCE_SECONDS, FakeCase, waits_at_most
from fake import FakeDaemon, Peer
from webviewguard import Guard, GuardError, _conversation, _place
from webviewguard._backoff import BackOff
from webviewguard._conversation import BRIEF_SECONDS
from webviewguard._place import Place
from ways import ANSWER_MS, CONTRACT, good

# After Attach, each in its own way.
FAILURES = (
    ways.silent_when_asked, ways.hangs_up, ways.closes_half_way, ways.dribbles, ways.late, ways.garbage,
    ways.never_ends,
)  # fmt: skip
NOBODY = 65534


class Failures(FakeCase):
    def test_each_failure_is_the_contract_and_the_next_question_is_at_once(self) -> None:
        self.long_back_off()
        for failure in FAILURES:
            with self.subTest(failure.__name__):
                self.play(failure, good)
                guard = self.guard()
                guard.start()
                self.is_contract(self.in_time(guard))
                self.is_contract(self.at_once(guard))
                self.assertIn(self.problems[0].name, {"noAnswer", "connectionLost", "invalidReply"})
                self.rest(guard)
                self.assertEqual(self.in_time(guard).reason, "internal")

    def test_who_hangs_costs_one_question_its_time_and_the_others_next_to_nothing(self) -> None:
        """However often it is tried again, as long as nobody answers: a click each second is no standstill each second."""
        self.play(ways.silent_when_asked, ways.silent)
        guard = self.guard()
        guard.start()
        self.is_contract(self.in_time(guard))
        for _ in range(20):
            with waits_at_most(guard, BRIEF_SECONDS * 1000):
                self.is_contract(self.ask(guard))
            self.rest(guard)
        self.assertGreater(len(self.fake.peers), 1)
        self.assertLess(len(self.fake.peers), 20, "an attempt is given its own time, whoever asks meanwhile")

    def test_after_a_silence_questions_are_answered_again_without_anybody_else_doing_anything(self) -> None:
        self.play(ways.silent_when_asked, ways.silent, good)
        guard = self.guard()
        guard.start()
        self.is_contract(self.in_time(guard))
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.ask(guard).reason != "internal":
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_a_late_answer_is_never_that_to_the_next_question(self) -> None:
        self.play(ways.late)
        guard = self.guard()
        guard.start()
        for _ in range(3):
            self.is_contract(self.in_time(guard))
            self.rest(guard)

    def test_who_accepts_and_never_answers(self) -> None:
        self.play(ways.silent)
        guard = self.guard()
        with waits_at_most(guard, CONTRACT["startMs"]):
            self.assertFalse(guard.start())
        self.is_contract(self.in_time(guard))
        self.rest(guard)
        self.is_contract(self.in_time(guard))

    def test_a_question_before_the_start_takes_no_longer_than_an_answer(self) -> None:
        self.play(ways.silent)
        self.is_contract(self.in_time(self.guard()))

    def test_who_does_not_accept(self) -> None:
        self.play()
        guard = self.guard(path=self.fake.directory / "full.sock")
        with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
            listener.bind(str(self.fake.directory / "full.sock"))
            listener.listen(0)
            first.connect(str(self.fake.directory / "full.sock"))
            for _ in range(3):
                self.is_contract(self.in_time(guard))
                self.rest(guard)

    def test_no_socket_at_all(self) -> None:
        self.play()
        (self.fake.directory / "file").write_text("")
        for path in ("missing.sock", "no/such/directory.sock", "file", "x" * 300, "nul\0byte"):
            with self.subTest(path[:20]):
                guard = self.guard(path=f"{self.fake.directory}/{path}")
                self.is_contract(self.at_once(guard))
                self.assertEqual(self.problems[0].name, "unreachable")

    def test_who_is_refused_is_blocked_and_told_why_whatever_the_contract_says(self) -> None:
        """F11, H6: an error reply is `block`, and is no silence that an `open` contract could speak of."""
        self.long_back_off()
        self.play(ways.refuses)
        self.fake.write_contract(CONTRACT | {"navigation": "open"})
        guard = self.guard()
        for decision in (self.in_time(guard), self.at_once(guard), *guard.decide_many([("navigate", {}), ("copy", {})])):
            self.assertEqual((decision.outcome, decision.reason, decision.is_local), ("block", "NoApp", True))
            self.assertIn("does not know this program", decision.message or "")
        self.assertEqual((self.problems[0].name, self.problems[0].method), ("NoApp", "Attach"))
        with self.assertRaises(GuardError) as raised:
            guard.call("DecideMany", questions=[])
        self.assertEqual(raised.exception.name, "NoApp")
        # Nobody is there any more: that is what the contract is for.
        self.fake.path.unlink()
        self.rest(guard)
        self.assertEqual((self.ask(guard).outcome, self.ask(guard).reason), ("allow", "noAnswer"))

    def test_the_first_question_after_an_outage_is_answered(self) -> None:
        """F12: nobody listened, so trying costs nothing, and no pause holds a question up."""
        self.long_back_off()
        self.play()
        away = self.fake.path.with_suffix(".away")
        self.fake.path.rename(away)
        guard = self.guard()
        for _ in range(5):
            self.is_contract(self.at_once(guard))
        away.rename(self.fake.path)
        self.assertEqual(self.in_time(guard).reason, "internal")
        self.assertEqual(len(self.fake.peers), 1)

    def test_also_where_the_socket_is_still_there_and_nobody_listens(self) -> None:
        """A daemon that is killed leaves its socket behind."""
        self.long_back_off()
        self.play()
        away = self.fake.path.with_suffix(".away")
        self.fake.path.rename(away)
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(self.fake.path))
        guard = self.guard()
        for _ in range(5):
            self.is_contract(self.at_once(guard))
        self.assertIn("refused", str(self.problems[0]).lower())
        away.rename(self.fake.path)
        self.assertEqual(self.in_time(guard).reason, "internal")

    def test_questions_do_not_put_off_the_attempt_that_is_made_by_itself(self) -> None:
        self.play()
        guard = self.guard(path=self.fake.directory / "none.sock")
        self.ask(guard)
        due = guard._engine.session.wake_at()
        for _ in range(3):
            self.ask(guard)
        self.assertEqual(guard._engine.session.wake_at(), due)

    def test_a_shorter_wait_may_be_asked_for(self) -> None:
        self.play(ways.silent_when_asked)
        guard = self.guard()
        guard.start()
        with waits_at_most(guard, 20):
            self.is_contract(self.ask(guard, deadline=20))
        self.assertLessEqual(self.fake.heard[-1]["parameters"]["event"]["deadline"], 20)

    def test_the_event_says_what_is_left_of_the_time(self) -> None:
        self.play()
        guard = self.guard()
        guard.start()
        self.ask(guard, deadline=10**9)
        self.assertTrue(0 < self.fake.heard[-1]["parameters"]["event"]["deadline"] <= ways.PATIENT_MS)

    def test_a_daemon_that_ended_between_two_questions_costs_none(self) -> None:
        def answers_one(peer: Peer) -> None:
            peer.attach()
            peer.answer(peer.call())
            # Two attempts are 100 ms apart.
            peer.pause(0.11)

        self.play(answers_one, good)
        guard = self.guard()
        self.assertEqual(self.ask(guard).reason, "internal")
        self.wait_for_news_of(guard)
        self.assertEqual(self.in_time(guard).reason, "internal")
        self.assertEqual((len(self.fake.peers), self.problems), (2, []))

    def test_a_reply_to_nothing_is_no_answer_to_the_next_question(self) -> None:
        self.long_back_off()
        self.play(ways.chatters, good)
        guard = self.guard()
        self.assertTrue(guard.start())
        self.wait_for_news_of(guard)
        self.is_contract(self.at_once(guard))
        self.assertEqual(self.problems[0].name, "invalidReply")

    def test_state_calls_wait_no_longer_and_raise_nothing(self) -> None:
        self.long_back_off()
        self.play(ways.silent_when_asked)
        guard = self.guard()
        guard.start()
        with waits_at_most(guard, ANSWER_MS):
            self.assertIsNone(guard.register_viewer("v1").policy)
        with self.no_waiting(guard):
            self.assertFalse(guard.set_document("v1", "https://contoso.com/"))
            self.assertEqual(guard.set_identity("process", account="a", gates="success").result, "failed")

    def test_the_start_waits_for_a_daemon_that_is_late(self) -> None:
        self.play()
        path = self.fake.path
        away = path.with_suffix(".away")
        path.rename(away)
        guard = self.guard()
        timer = threading.Timer(0.15, lambda: away.rename(path))
        timer.start()
        self.addCleanup(timer.join)
        self.assertTrue(guard.start())


class Conversations(unittest.TestCase):
    def test_what_a_daemon_may_say_means_the_same_to_all_clients(self) -> None:
        for case in conversations.CASES:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as directory:
                conversations.played(case, Path(directory), self._begin)

    def _begin(self, daemon: FakeDaemon) -> tuple[conversations.Say, conversations.Ask]:
        guard = Guard(path=daemon.path, on_problem=lambda problem: None)
        self.addCleanup(guard.close)

        def say(method: str, parameters: dict[str, Any]) -> None:
            self.assertEqual(method, "RegisterViewer")
            guard.register_viewer(parameters["viewer"], viewer_class=parameters["class"])

        def ask(kind: Any, viewer: str) -> str:
            decision = guard.decide(kind, viewer=viewer)
            return f"{decision.outcome} {decision.reason}"

        return say, ask


class AnyOrder(FakeCase):
    def test_whatever_happens_nobody_waits_longer_than_the_contract_says(self) -> None:
        self.long_back_off()
        chance = random.Random(5)
        scripts = [chance.choice((*FAILURES, ways.silent, ways.refuses, ways.brisk)) for _ in range(25)]
        self.play(*scripts)
        guard = self.guard()
        while len(self.fake.peers) < len(scripts):
            decision = self.in_time(guard)
            if decision.reason == "NoApp":
                self.assertEqual(self.at_once(guard).reason, "NoApp")
                self.rest(guard)
            elif decision.is_local:
                # A new connection may be under way; how long others wait for that is another test's.
                with patch.object(_conversation, "BRIEF_SECONDS", 0):
                    self.is_contract(self.at_once(guard))
                self.rest(guard)
            else:
                self.assertEqual(decision.reason, "internal")
                guard._engine.line._close()
                guard._engine.session.lost(time.monotonic(), "the test says so")
                self.rest(guard)


class BackOffGrows(FakeCase):
    def test_attempts_become_rare_and_success_resets_them(self) -> None:
        self.play()
        session = self.guard()._engine.session
        waits = []
        now = 100.0
        for _ in range(9):
            session.lost(now, "gone")
            waits.append(round(session.wake_at() - now, 6))
            now = session.wake_at()
        expected = (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0, 5.0)
        for wait, least in zip(waits, expected, strict=True):
            self.assertTrue(least <= wait <= least * 1.25, waits)
        session._succeed()
        session._fail(GuardError("noAnswer"), now)
        self.assertLessEqual(session.wake_at(), now + 0.125)

    def test_a_child_of_fork_has_tried_nothing_yet(self) -> None:
        back_off = BackOff(lambda: 0.0)
        back_off.attempted(100.0)
        back_off.begin_anew()
        self.assertEqual(back_off.latest_attempt, float("-inf"))
        back_off.failed(100.01, "gone")
        self.assertLess(back_off.asked_until, 100.01)


class Trust(FakeCase):
    def test_a_listener_that_is_somebody_else_is_told_nothing(self) -> None:
        self.play()
        guard = self.guard(trusted_uids=[os.geteuid() + 1])
        self.is_contract(self.at_once(guard))
        self.assertIn("somebody else", str(self.problems[0]))
        self.assertEqual(self.fake.heard, [])

    if os.geteuid() == 0:  # Nobody else can listen as somebody else.

        def test_a_real_stranger(self) -> None:
            self.play()
            os.chmod(self.fake.directory, 0o777)
            code = (
                "import os,socket,sys; os.setgid(65534); os.setuid(65534); s=socket.socket(socket.AF_UNIX);"
                "s.bind(sys.argv[1]); s.listen(); print(flush=True); sys.stdin.read()"
            )
            path = self.fake.directory / "planted.sock"
            command = [sys.executable, "-c", code, str(path)]
            with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as stranger:
                assert stranger.stdout
                stranger.stdout.readline()
                guard = self.guard(path=path)
                self.is_contract(self.at_once(guard))
                self.assertIn(f"uid {NOBODY}", str(self.problems[0]))
                stranger.communicate()

    def test_the_user_of_this_process_is_no_system_daemon(self) -> None:
        self.assertTrue(Place("/s", is_own=True).trusts(os.geteuid()))
        self.assertTrue(Place("/s", is_own=False).trusts(0))
        self.assertFalse(Place("/s", is_own=False).trusts(12345))
        self.assertFalse(Place("/s", is_own=True, only=frozenset({7})).trusts(0))


class ContractFile(FakeCase):
    """There is no daemon: what the file says is all there is. It says `open`, so that belief can be seen."""

    OPEN = CONTRACT | {"navigation": "open"}

    def setUp(self) -> None:
        self.play()
        self.fake.write_contract(self.OPEN)

    def believed(self, **options: object) -> bool:
        decision = self.ask(self.guard(path=self.fake.directory / "none.sock", **options))
        self.assertEqual(decision.reason, "noAnswer")
        return decision.allowed

    def test_a_good_file_is_believed(self) -> None:
        self.assertTrue(self.believed())

    def test_a_file_that_others_may_write_is_not(self) -> None:
        for mode in (0o664, 0o646, 0o666):
            with self.subTest(oct(mode)):
                self.fake.write_contract(self.OPEN, mode)
                self.assertFalse(self.believed())

    def test_a_file_of_somebody_else_is_not(self) -> None:
        self.assertFalse(self.believed(trusted_uids=[os.geteuid() + 1]))

    def test_what_is_no_file_is_not(self) -> None:
        other = self.fake.contract_file.rename(self.fake.directory / "other.json")
        kinds: dict[str, Callable[[Path], None]] = {
            "link": lambda path: path.symlink_to(other), "pipe": os.mkfifo, "directory": os.mkdir,
        }  # fmt: skip
        for name, make in kinds.items():
            # Whoever opens a pipe in order to read it waits for ever.
            with self.subTest(name):
                make(self.fake.contract_file)
                self.assertFalse(self.believed())
                self._remove(self.fake.contract_file)

    def test_a_file_without_an_end_is_not(self) -> None:
        self.fake.write_contract(json.dumps(self.OPEN) + " " * 100_000 + "x")
        self.assertFalse(self.believed())

    def test_kinds_are_answered_each_by_its_part(self) -> None:
        self.fake.write_contract(CONTRACT | {"navigation": "open", "clipboard": "closed", "other": "open"})
        guard = self.guard(path=self.fake.directory / "none.sock")
        outcomes = [guard.navigate().outcome, guard.copy().outcome, guard.print().outcome]
        self.assertEqual(outcomes, ["allow", "block", "allow"])
        many = guard.decide_many([("copy", {}), ("openURL", {}), ("dragEnd", {}), ("index", {})])
        self.assertEqual([decision.outcome for decision in many], ["block", "allow", "block", "allow"])

    def test_what_attach_says_wins(self) -> None:
        guard = self.guard()
        guard.start()
        self.assertEqual(guard.contract.navigation, "closed")
        self.fake.play(ways.hangs_up)
        guard._engine.line._close()
        guard._engine.session.lost(time.monotonic(), "the test says so")
        self.rest(guard)
        self.assertFalse(self.ask(guard).allowed)

    def _remove(self, path: Path) -> None:
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


class Places(unittest.TestCase):
    def test_the_users_own_daemon_where_there_is_none_of_the_system(self) -> None:
        with patch.dict(os.environ, {"XDG_RUNTIME_DIR": "/run/user/7"}):
            none = patch.object(_place, "UNIT_DIRECTORIES", ())
            with none, patch.object(_place, "SYSTEM_DIRECTORY", "/nowhere/webviewguard"):
                place = _place.find(None, None)
                self.assertEqual((place.socket, place.is_own), ("/run/user/7/webviewguard/guard.sock", True))
            with patch.object(_place, "SYSTEM_DIRECTORY", "/tmp"):
                place = _place.find(None, None)
                self.assertEqual((place.socket, place.is_own), ("/tmp/guard.sock", False))
                self.assertEqual(place.contract, "/tmp/contract.json")
        self.assertEqual(_place.find("/x/y.sock", [5]), _place.Place("/x/y.sock", True, frozenset({5})))

    def test_where_a_system_has_its_own_daemon_nobody_elses_is_believed(self) -> None:
        """H5: the directory or any unit says that the machine has one, and only root can make them."""
        with tempfile.TemporaryDirectory() as directory:
            first, second = Path(directory) / "first", Path(directory) / "second"
            own = {"XDG_RUNTIME_DIR": directory, "WEBVIEWGUARD_SOCKET_DIR": directory}
            steps: tuple[tuple[Callable[[], object], bool], ...] = (
                (lambda: None, False),
                ((second / "webviewguard.service").touch, True),
                # Masked by root, who thereby says that there is none.
                (lambda: (first / "webviewguard.service").symlink_to("/dev/null"), False),
                ((first / "webviewguard.socket").touch, True),
            )
            first.mkdir()
            second.mkdir()
            for make, has_unit in steps:
                make()
                with (
                    patch.dict(os.environ, own),
                    patch.object(_place, "SYSTEM_DIRECTORY", "/nowhere/webviewguard"),
                    patch.object(_place, "UNIT_DIRECTORIES", (str(first), str(second))),
                ):
                    self.assertEqual(_place.find("/x/y.sock", None).is_own, not has_unit)
                    found = _place.find(None, None)
                    self.assertEqual(found.is_own, not has_unit)
                    wanted = "/nowhere" if has_unit else directory
                    self.assertEqual(found.socket, f"{wanted}/webviewguard/guard.sock")
        self.assertEqual(_place.UNIT_DIRECTORIES[0], "/etc/systemd/system")
        self.assertIn("/lib/systemd/system", _place.UNIT_DIRECTORIES)

    def test_a_guard_opens_nothing_by_itself(self) -> None:
        guard = Guard(path="/nowhere/guard.sock")
        guard.register_viewer("v1")
        guard.process()
        self.assertIsNone(guard.timeout_ms())
        guard.close()
