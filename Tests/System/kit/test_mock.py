"""`mock`: an app's tests get the answers of a script, and are told what came otherwise."""

import json
import os
import shutil
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

    def test_what_every_daemon_refuses_is_refused(self) -> None:
        """A test with a lenient mock passes, and its app is blocked by every real daemon."""
        script = {"expect": [{"call": "Navigate", "decision": {"outcome": "allow"}}, {"call": "Print"}]}
        for event, name in (("{'frmae': 'main'}", "frmae"), ("{'hop': 'yes'}", "hop"), ("{'frame': 'outer'}", "frame")):
            body = f"""
try: guard.call("Navigate", event={event})
except GuardError as problem: print(problem.name, file=out)
"""
            said = self.play(script, body + "guard.navigate(viewer='docs')\nguard.print(viewer='docs')")
            self.assertEqual((said.returncode, self.out), (1, "InvalidParameter\n"), said)
            self.assertIn(f'a daemon answers `org.varlink.service.InvalidParameter` {{"parameter":"{name}"}}', said.stderr)
            self.assertNotIn("did not come", said.stderr)
        # What the script wants refused may be wrong.
        script["expect"].insert(0, {"call": "Navigate", "error": "LimitReached"})
        said = self.play(script, body + "guard.navigate(viewer='docs')\nguard.print(viewer='docs')")
        self.assertEqual((said.returncode, self.out), (0, "LimitReached\n"), said)

    def test_a_program_that_attaches_not_at_all_or_twice(self) -> None:
        body = """
import json, socket
line = socket.socket(socket.AF_UNIX)
line.connect(sys.argv[2])
for method in ("Navigate", "Attach", "Attach", "NoSuchMethod"):
    parameters = {"features": []} if method == "Attach" else {"event": {}}
    line.sendall(json.dumps({"method": "org.webviewguard.Guard." + method, "parameters": parameters}).encode() + b"\\0")
    reply = b""
    while not reply.endswith(b"\\0"): reply += line.recv(4096)
    print(json.loads(reply[:-1]).get("error", "none").rpartition(".")[2], file=out)
"""
        said = self.play({"expect": []}, body)
        self.assertEqual(said.returncode, 1)
        self.assertEqual(self.out.split(), ["NotAttached", "none", "AlreadyAttached", "MethodNotFound"], said)

    def test_a_program_that_fails_fails_the_trial_and_is_heard(self) -> None:
        said = self.play({"expect": []}, "print('what I found'); raise SystemExit('one test failed')")
        self.assertEqual(said.returncode, 1)
        for words in ("what I found", "one test failed", "the program ended with 1"):
            self.assertIn(words, said.stderr)

    def test_a_program_that_does_not_end(self) -> None:
        file = self.directory / "script.json"
        file.write_text('{"expect": []}')
        command = [str(PROGRAM), "mock", "--seconds", "1", str(file), "--", "sleep", "600"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((said.returncode, said.stderr), (1, "the program did not end within 1 seconds\n"))

    def test_all_mistakes_of_a_script_are_told_at_once_with_their_places(self) -> None:
        script = """\
expect:
  - { call: Navigat, with: { url: "https://a.example/" } }
  - { call: Copy, decision: { outcome: blok } }
  - { call: Print, times: two }
  - { call: Print, silence: "yes", tims: 3 }
  - { call: Print, parameters: { a: 1 } }
  - Print
  - { call: Navigate, with: { urll: "https://a.example/" } }
  - { call: Navigate, with: { event: { frame: top } } }
  - { call: RegisterViewer, with: { clas: documents } }
  - { call: Register, with: { account: 5 } }
ignore: Attach
"""
        said = self.play(script, "pass", "script.yaml")
        self.assertEqual(said.returncode, 2)
        for place, words in (
            ("2:13", "did you mean `Navigate`?"), ("3:40", "did you mean `block`?"), ("4:27", "`two`"), ("5:29", "`yes`"),
            ("5:36", "did you mean `times`?"), ("6:20", "`parameters`"), ("7:5", "a mapping"),
            ("8:23", "`urll`"), ("9:23", "`frame`"), ("10:29", "`clas`"), ("11:23", "`account`"), ("12:9", "a list"),
        ):  # fmt: skip
            self.assertRegex(said.stderr, rf"script\.yaml:{place}:? .*(\n.*)?{words.replace('?', '[?]')}")

    def test_what_a_step_may_ask_for(self) -> None:
        """A part of a call, members of its event with or without it, and what is refused where the step wants that."""
        steps = [
            {"call": "RegisterViewer", "with": {"class": "documents"}}, {"call": "Navigate", "with": {"event": {"hop": True}}},
            {"call": "Navigate", "with": {"from": None, "frame": "main"}}, {"call": "Attach", "with": {"app": "a"}},
            {"call": "Navigate", "with": {"frame": "top"}, "error": "LimitReached"}, {"call": "GetInfo"},
            {"call": "MaySignIn", "with": {"account": "a@contoso.com"}},
        ]  # fmt: skip
        said = self.play({"expect": steps}, "pass")
        self.assertEqual(said.returncode, 1, said)
        self.assertEqual(said.stderr.count("did not come"), len(steps), said)

    @unittest.skipUnless(os.geteuid() == 0, "only root makes a machine with a daemon of its own")
    def test_on_a_machine_with_a_daemon_of_its_own(self) -> None:
        """Clients believe no daemon of a user there. In a user namespace the developer is root."""
        program = self.directory / "webviewguard"
        shutil.copy(PROGRAM, program)
        self.directory.chmod(0o755)
        shutil.copytree(CLIENT, self.directory / "client", ignore=shutil.ignore_patterns("__pycache__"))
        script = self.directory / "script.json"
        script.write_text(json.dumps({"expect": [{"call": "Navigate", "decision": {"outcome": "allow"}}]}))
        app = [sys.executable, "-c", APP.replace("assert guard.start()", "guard.start()"), str(self.directory / "client"),
               "{socket}", 'print(guard.navigate(viewer="docs", frame="main", url="https://a.example/").outcome)']  # fmt: skip
        mock = [str(program), "mock", str(script), "--", *app]
        # An empty /run, with the directory of a daemon; and a person who is not root.
        machine = 'mount -t tmpfs none /run && mkdir /run/webviewguard && exec setpriv --reuid=65534 --regid=65534 --clear-groups "$@"'
        machine_of = ["unshare", "--mount", "sh", "-c", machine, "sh", "env", "-u", "TMPDIR", "-u", "XDG_RUNTIME_DIR"]
        for namespace, status, answer in (([], 1, "block"), (["unshare", "--map-root-user"], 0, "allow")):
            said = subprocess.run([*machine_of, *namespace, *mock], cwd="/", capture_output=True, text=True, timeout=120, check=False)
            if "unshare" in namespace and "unshare failed" in said.stderr:
                self.skipTest("this kernel lets nobody make a user namespace")
            self.assertEqual((said.returncode, answer in said.stderr.splitlines()), (status, True), said)
            self.assertEqual("unshare --map-root-user" in said.stderr, not namespace, said)

    def test_a_script_that_is_none_is_refused(self) -> None:
        for script, words in (
            ("expect: [{ method: Copy }]", "missing key `call`"), ("expect: [{ call: Copy, tims: 2 }]", "`tims`"),
            ("steps: []", "`steps`"), ("expect: [", "is no script"), ("ignore: [Attach]", "missing key `expect`"),
            ("expect: { call: Copy }", "a list"), ("expect: [{ call: Copy, error: 5.5 }]", "expected"),
            ("expect: [{ call: Copy, silence: true, error: y }]", "may not stand beside"),
            ("expect: [{ call: Copy, silence: false }]", "`true`"),
            ("expect: [{ call: Copy, times: 0 }]", "100"), ("expect: [{ call: Copy, decision: block }]", "a mapping"),
        ):  # fmt: skip
            with self.subTest(script):
                said = self.play(script, "pass", "script.yaml")
                self.assertEqual(said.returncode, 2, said)
                self.assertIn(words, said.stderr)
