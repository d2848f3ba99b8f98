"""`explain` takes what a person reads out from a notice, and finds old decisions in the log."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

from daemon import PROGRAM, Daemon
from seen import SeenCase, navigate

ROOT = Path(__file__).resolve().parents[3]
INTERFACE = ROOT / "Sources/GuardProtocol/Interfaces/org.webviewguard.Guard.varlink"
# Those of every varlink service; a client makes the last word of any error the reason of a block.
OF_VARLINK = ("InterfaceNotFound", "MethodNotFound", "MethodNotImplemented", "InvalidParameter", "PermissionDenied", "ExpectedMore")


def grouped(number: str) -> str:
    """An id as notices show it."""
    return "-".join(number[at : at + 4] for at in range(0, len(number), 4))


class Explain(SeenCase):
    def explain(self, daemon: Daemon, code: str, *more: str) -> "subprocess.CompletedProcess[str]":
        command = [str(PROGRAM), "explain", code, "--socket-dir", str(daemon.sockets), "--log-dir", str(daemon.logs)]
        return subprocess.run([*command, *more], capture_output=True, text=True, timeout=60, check=False)

    def decided(self, daemon: Daemon) -> dict[str, Any]:
        return navigate(self.app(daemon), "https://sharing.example/x")

    def test_the_code_of_a_notice_is_the_id_with_hyphens(self) -> None:
        daemon = self.daemon().start()
        decision = self.decided(daemon)
        for code in (decision["id"], grouped(decision["id"]), grouped(decision["id"]).replace("-", " ")):
            said = self.explain(daemon, code)
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertIn("sharing", said.stdout)
            self.assertRegex(said.stdout, r"(?m)^1\. ")

    def test_a_decision_of_a_daemon_before_is_read_from_the_log(self) -> None:
        daemon = self.daemon().start()
        decision = self.decided(daemon)
        daemon.stop()
        for is_running in (False, True):
            if is_running:
                # The next daemon knows nothing of it, and the log still does.
                daemon.start()
            said = self.explain(daemon, grouped(decision["id"]))
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertIn("block since blockedByRule", said.stdout)
            self.assertRegex(said.stdout, r"(?m)^rule: contoso/sharing, at .*contoso\.yaml:\d+:\d+$")
            self.assertIn("asked by: com.contoso.portal, docs", said.stdout)
            found = json.loads(self.explain(daemon, decision["id"], "--format", "json").stdout)["record"]
            self.assertEqual((found["id"], found["rule"]), (decision["id"], "sharing"))

    def test_a_decision_that_nobody_knows(self) -> None:
        daemon = self.daemon().start()
        self.decided(daemon)
        said = self.explain(daemon, "9999-9999-9999")
        self.assertEqual((said.returncode, said.stdout), (1, ""))
        self.assertIn("UnknownDecision", said.stderr)

    def test_words_of_answers_that_an_app_gave_itself(self) -> None:
        daemon = self.daemon()
        for word, meaning in (
            ("noAnswer", "no answer came in time"), ("AppMismatch", "the daemon refused its question with `AppMismatch`"),
            ("NoApp", "`NoApp`"), ("invalidReply", "no answer"), ("noPolicy", "noPolicy"),
        ):  # fmt: skip
            said = self.explain(daemon, word)
            self.assertEqual((said.returncode, said.stderr), (0, ""))
            self.assertIn(meaning, said.stdout)

    def test_every_word_that_a_notice_may_have_for_a_code_is_explained(self) -> None:
        errors = re.findall(r"(?m)^error (\w+)", INTERFACE.read_text())
        self.assertGreater(len(errors), 20)
        messages = json.loads((ROOT / "clients/vectors/messages.json").read_text())["cases"]
        own = [case["reason"] for case in messages if case["reason"] != "*"]
        # Of a piece of work that ended, in all clients; and what the notice has where there is neither id nor reason.
        for word in (*errors, *OF_VARLINK, *own, "scopeEnded", "unknown"):
            with self.subTest(word):
                said = self.explain(self.daemon(), word)
                self.assertEqual((said.returncode, said.stderr), (0, ""))
                self.assertGreater(len(said.stdout), 30)

    def test_what_is_no_code(self) -> None:
        for code in ("", "-", "12a4", "noanswer", "../../etc/passwd", "\u202e12"):
            said = self.explain(self.daemon(), code)
            self.assertEqual((said.returncode, said.stdout), (2, ""), code)
            self.assertIn("neither the id of a decision nor the code of a notice", said.stderr)
            self.assertNotIn("\u202e", said.stderr)
