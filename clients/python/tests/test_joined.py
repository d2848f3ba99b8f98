"""Programs that are part of another, such as the web processes of an engine: they join its instance."""

import subprocess
import sys
from pathlib import Path

from real import WORK, RealCase, eventually
from webviewguard import Guard, GuardError

OUT = "https://example.net/"
SOURCE = Path(__file__).resolve().parent.parent / "src"
# Joins the instance, asks once for each line that it reads, and prints what the daemon said.
CHILD = """
import sys
from webviewguard import Guard

with Guard(path=sys.argv[1], instance=sys.argv[2], on_problem=print) as guard:
    for line in sys.stdin:
        decision = guard.navigate(viewer=line.strip(), url="https://example.net/", frame="main")
        print(decision.outcome, decision.reason, decision.identity, decision.is_local, flush=True)
"""


class Joined(RealCase):
    def start(self) -> Guard:
        guard = self.managed()
        self.assertIsNotNone(guard.instance)
        return guard

    def joined(self, instance: object) -> Guard:
        return self.guard(features=(), instance=instance)

    def comes_back(self, guard: Guard) -> None:
        eventually(lambda: guard.navigate(viewer="docs", url=OUT, frame="main").reason == "external", "an answer of the daemon")

    def test_another_process_asks_about_the_viewers_of_the_first(self) -> None:
        guard = self.start()
        command = [sys.executable, "-c", CHILD, str(self.daemon.guard_socket), guard.instance or ""]
        answers = subprocess.run(
            command, input="docs\nhome\n", capture_output=True, text=True, env={"PYTHONPATH": str(SOURCE)}, timeout=60
        ).stdout.splitlines()
        self.assertEqual(answers[0], f"redirect external {WORK} False")
        self.assertEqual(answers[1].split()[0], "allow")

    def test_a_viewer_of_the_second_is_known_to_the_first(self) -> None:
        guard = self.start()
        other = self.joined(guard.instance)
        other.start()
        other.register_viewer("late", viewer_class="documents")
        self.assertEqual(guard.navigate(viewer="late", url=OUT, frame="main").outcome, "redirect")

    def test_a_joined_program_is_answered_by_what_it_can_itself(self) -> None:
        """F3 once more: the first wraps clips, and who joined it does not; every program would read what that copies."""
        self.managed()
        first = self.guard(features=("wrap", "warn"))
        first.start()
        first.set_identity("process", account=WORK)
        first.register_viewer("docs", viewer_class="documents")
        joined = self.joined(first.instance)
        joined.start()

        def copied(guard: Guard) -> tuple[str, str, bool]:
            decision = guard.copy(viewer="docs", selection="clipboard", length=5)
            return decision.outcome, decision.reason, decision.mime_wrap

        for _ in range(2):
            self.assertEqual(copied(first), ("allow", "clipRecorded", True))
            self.assertEqual(copied(joined), ("block", "orgData", False))
            many = joined.decide_many([("copy", {"viewer": "docs", "selection": "clipboard", "length": 5})] * 2)
            self.assertEqual([decision.outcome for decision in many], ["block"] * 2)
        self.assertIn("wrap", [missing.feature for missing in joined.missing])
        self.assertNotIn("wrap", [missing.feature for missing in first.missing])
        # Nobody gains a feature by joining.
        self.assertEqual(copied(self.guard(features=("wrap",), instance=first.instance)), ("allow", "clipRecorded", True))

    def test_both_go_on_after_a_kill(self) -> None:
        guard = self.start()
        other = self.joined(guard.instance)
        other.start()
        for _ in range(3):
            self.daemon.stop(9)
            self.daemon.start()
            # Nobody has said yet whose data the program shows; or the daemon is not there yet.
            decision = other.navigate(viewer="docs", url=OUT, frame="main")
            self.assertEqual(decision.outcome, "block")
            self.assertIn(decision.reason, ("noIdentity", "noAnswer"))
            self.comes_back(guard)
            self.comes_back(other)

    def test_a_joined_program_begins_no_instance_when_the_daemon_forgot_everything(self) -> None:
        guard = self.start()
        first = guard.instance
        fixed, following = self.joined(first), self.joined(lambda: guard.instance)
        self.assertTrue(fixed.start() and following.start())
        self.forget_everything()
        self.daemon.start()
        # The joined programs are the first to come back.
        for _ in range(3):
            decision = fixed.navigate(viewer="docs", url=OUT, frame="main")
            self.assertEqual((decision.outcome, decision.is_local), ("block", True))
        self.comes_back(guard)
        self.assertNotEqual(guard.instance, first)
        self.comes_back(following)
        self.assertEqual(fixed.navigate(viewer="docs", url=OUT, frame="main").outcome, "block")
        self.assertIn("UnknownInstance", str(self.problems))

    def test_a_token_of_nothing(self) -> None:
        self.start()
        for token in ("", "no-such-token", "x" * 10_000, lambda: None):
            with self.subTest(token=str(token)[:20]):
                other = self.joined(token)
                decision = other.navigate(viewer="docs", url=OUT, frame="main")
                self.assertEqual((decision.outcome, decision.is_local), ("block", True))
                with self.assertRaises(GuardError):
                    other.call("Viewers")
