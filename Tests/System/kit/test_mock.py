"""`mock`: an app's tests get the answers of a script, and are told what came otherwise."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any

from daemon import PROGRAM

CLIENT = Path(__file__).resolve().parents[3] / "clients/python/src"

# An app: what it does is the argument, with `guard` attached and a viewer registered.
APP = """
import sys
sys.path.insert(0, sys.argv[1])
from webviewguard import Guard, GuardError
guard = Guard(path=sys.argv[2])
assert guard.start()
guard.register_viewer("docs")
exec(sys.argv[3])
"""


class Mock(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def play(self, script: Any, body: str, name: str = "script.json") -> subprocess.CompletedProcess[str]:
        """What `mock` says of an app that does this."""
        file = self.directory / name
        file.write_text(script if isinstance(script, str) else json.dumps(script))
        out = self.directory / "out"
        app = [sys.executable, "-c", APP, str(CLIENT), "{socket}", f"out = open({str(out)!r}, 'w')\n{body}"]
        command = [str(PROGRAM), "mock", str(file), "--", *app]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        self.out = out.read_text() if out.exists() else ""
        return said

    def test_the_answers_of_the_script_are_given(self) -> None:
        script = """\
expect:
  - call: Navigate
    with: { viewer: docs, url: "https://a.example/" }
    decision: { outcome: redirect, reason: external, message: elsewhere }
  - { call: Navigate, decision: { outcome: allow, reason: internal }, times: 2 }
  - { call: Copy, error: LimitReached, parameters: { limit: questions } }
  - { call: Print }
"""
        said = self.play(
            script,
            """
for url in ("https://a.example/", "https://b.example/", "https://c.example/"):
    d = guard.navigate(viewer="docs", url=url, frame="main")
    print(d.outcome, d.reason, d.message, file=out)
print(guard.copy(viewer="docs").outcome, guard.print(viewer="docs").outcome, file=out)
""",
            "script.yaml",
        )
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        expected = ["redirect external elsewhere", "allow internal None", "allow internal None", "block block"]
        self.assertEqual(self.out.splitlines(), expected)

    def test_a_call_that_does_not_come_is_told(self) -> None:
        said = self.play({"expect": [{"call": "Navigate"}, {"call": "Print"}]}, 'guard.navigate(viewer="docs")')
        self.assertEqual(said.returncode, 1)
        self.assertRegex(said.stderr, r"script\.json:1:\d+: Print \{\} did not come")

    def test_a_call_that_nobody_expects_is_told_and_blocked(self) -> None:
        said = self.play({"expect": []}, 'print(guard.navigate(viewer="docs", url="https://a/").outcome, file=out)')
        self.assertEqual(said.returncode, 1)
        self.assertIn("Navigate", said.stderr)
        self.assertIn("is not expected now", said.stderr)
        self.assertEqual(self.out, "block\n")

    def test_another_url_is_another_call(self) -> None:
        script = {"expect": [{"call": "Navigate", "with": {"url": "https://a/"}, "decision": {"outcome": "allow"}}]}
        said = self.play(script, 'print(guard.navigate(viewer="docs", url="https://b/").outcome, file=out)')
        self.assertEqual((said.returncode, self.out), (1, "block\n"))
        self.assertEqual(len(said.stderr.splitlines()), 2, "one too many, and one that did not come")

    def test_the_order_counts(self) -> None:
        script = {"expect": [{"call": "Copy"}, {"call": "Print"}]}
        said = self.play(script, 'guard.print(viewer="docs"); guard.copy(viewer="docs")')
        self.assertEqual(said.returncode, 1)

    def test_silence_and_a_broken_connection_are_the_failure_contracts(self) -> None:
        script = {"expect": [{"call": "Navigate", "silence": True}, {"call": "Copy", "hangUp": True}]}
        said = self.play(
            script,
            """
print(guard.navigate(viewer="docs", url="https://a/").reason, file=out)
import time
end = time.monotonic() + 60
while time.monotonic() < end:
    d = guard.copy(viewer="docs")
    if d.reason != "noAnswer" or not guard.is_connected: break
print(d.outcome, d.is_local, file=out)
""",
        )
        self.assertEqual(self.out.splitlines(), ["noAnswer", "block True"], said)

    def test_statements_may_be_expected_as_well(self) -> None:
        step = {"call": "RegisterViewer", "with": {"viewer": "docs"}}
        script: dict[str, Any] = {"ignore": ["Attach"], "expect": [step]}
        self.assertEqual(self.play(script, "pass").returncode, 0)
        script["expect"][0]["with"] = {"viewer": "other"}
        self.assertEqual(self.play(script, "pass").returncode, 1)

    def test_a_script_that_is_none_is_refused(self) -> None:
        for script, words in (
            ("expect: [{ method: x }]", "names its `call`"), ("expect: [{ call: x, tims: 2 }]", "`tims`"),
            ("steps: []", "`steps`"), ("expect: [", "is no script"),
            ("expect: [{ call: x, silence: true, error: y }]", "one answer"),
            ("expect: [{ call: x, times: 0 }]", "times"),
        ):  # fmt: skip
            with self.subTest(script):
                said = self.play(script, "pass", "script.yaml")
                self.assertEqual(said.returncode, 2, said)
                self.assertIn(words, said.stderr)
