"""The client in Go of docs/write-a-client.md: by the vectors that all clients share, and with the real daemon."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any, ClassVar

import conversations
from configuration import WORK, Configuration
from daemon import Daemon, eventually
from fake import FakeDaemon, Peer

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "clients/vectors"


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / f"{name}.json").read_text())["cases"]
    return found


class GoCase(unittest.TestCase):
    program: ClassVar[str]
    directory: Path

    @classmethod
    def setUpClass(cls) -> None:
        if shutil.which("go") is None:
            raise unittest.SkipTest("there is no Go: install golang-go")
        built = tempfile.TemporaryDirectory()
        cls.addClassCleanup(built.cleanup)
        cls.program = f"{built.name}/client"
        environment = {**os.environ, "GOCACHE": f"{built.name}/cache", "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
        command = ["go", "build", "-buildvcs=false", "-o", cls.program, "."]
        subprocess.run(command, cwd=ROOT / "clients/go", env=environment, check=True, timeout=500)

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def client(self, socket: Path) -> "subprocess.Popen[str]":
        started = subprocess.Popen([self.program, socket], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(started.wait)
        self.addCleanup(started.stdout.close)  # type: ignore[union-attr]
        self.addCleanup(started.stdin.close)  # type: ignore[union-attr]
        return started

    def tell(self, client: "subprocess.Popen[str]", word: str, **about: Any) -> None:
        assert client.stdin
        client.stdin.write(f"{word} {json.dumps(about)}\n")
        client.stdin.flush()

    def ask(self, client: "subprocess.Popen[str]", kind: str, **event: Any) -> list[str]:
        assert client.stdout
        self.tell(client, kind, **event)
        return client.stdout.readline().split()


class ByTheVectors(GoCase):
    def test_each_kind_is_answered_by_its_part_of_the_contract(self) -> None:
        for family in ("navigation", "clipboard", "other"):
            contract = {name: "closed" for name in ("navigation", "clipboard", "other")}
            (self.directory / "contract.json").write_text(json.dumps(contract | {family: "open"}))
            client = self.client(self.directory / "guard.sock")
            for case in cases("kinds"):
                expected = ["allow" if case["contract"] == family else "block", "noAnswer"]
                self.assertEqual(self.ask(client, case["kind"]), expected, case)

    def test_contracts_mean_the_same(self) -> None:
        for case in cases("contracts"):
            with self.subTest(case["name"]):
                (self.directory / "contract.json").unlink(missing_ok=True)
                if case["file"] is not None:
                    (self.directory / "contract.json").write_text(case["file"])
                client = self.client(self.directory / "guard.sock")
                for family, kind in (("navigation", "navigate"), ("clipboard", "copy"), ("other", "print")):
                    expected = "allow" if case["means"][family] == "open" else "block"
                    self.assertEqual(self.ask(client, kind)[0], expected)

    def test_a_contract_that_others_may_write_is_not_believed(self) -> None:
        file = self.directory / "contract.json"
        file.write_text(json.dumps({"navigation": "open"}))
        file.chmod(0o666)
        self.assertEqual(self.ask(self.client(self.directory / "guard.sock"), "navigate"), ["block", "noAnswer"])

    def test_each_kind_is_asked_by_its_method_and_unknown_outcomes_block(self) -> None:
        def serve(peer: Peer) -> None:
            peer.attach()
            while True:
                peer.answer(peer.call(), outcome="explode")

        daemon = FakeDaemon(self.directory, serve)
        self.addCleanup(daemon.close)
        client = self.client(daemon.path)
        for case in cases("kinds"):
            self.assertEqual(self.ask(client, case["kind"], viewer="v")[0], "block")
        methods = [call["method"] for call in daemon.peers[0].calls[1:]]
        self.assertEqual(methods, [case["method"] for case in cases("kinds")])

    def test_what_a_daemon_may_say_means_the_same_to_all_clients(self) -> None:
        for case in conversations.CASES:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as directory:
                conversations.played(case, Path(directory), self._begin)

    def _begin(self, daemon: FakeDaemon) -> tuple[conversations.Say, conversations.Ask]:
        client = self.client(daemon.path)
        return (
            lambda method, parameters: self.tell(client, f"say:{method}", **parameters),
            lambda kind, viewer: " ".join(self.ask(client, kind, viewer=viewer)),
        )

    def test_garbage_ends_the_connection(self) -> None:
        for case in cases("garbage"):
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as directory:

                def serve(peer: Peer, text: str = case["text"]) -> None:
                    peer.attach()
                    peer.call()
                    peer.send(text.encode())
                    peer.stay_silent()

                daemon = FakeDaemon(Path(directory), serve)
                self.assertEqual(self.ask(self.client(daemon.path), "navigate", viewer="v"), ["block", "noAnswer"])
                self.assertTrue(daemon.peer(0).was_closed.wait(60))
                daemon.close()

    def test_a_contract_that_is_a_link_or_a_pipe_is_not_believed(self) -> None:
        """Whoever opens a pipe in order to read it waits for ever."""
        file, other = self.directory / "contract.json", self.directory / "other.json"
        other.write_text(json.dumps({"navigation": "open"}))
        file.symlink_to(other)
        self.assertEqual(self.ask(self.client(self.directory / "guard.sock"), "navigate"), ["block", "noAnswer"])
        file.unlink()
        os.mkfifo(file)
        self.assertEqual(self.ask(self.client(self.directory / "guard.sock"), "navigate"), ["block", "noAnswer"])

    def test_a_question_takes_no_longer_than_an_answer_and_a_daemon_that_hangs_is_left_alone(self) -> None:
        daemon = FakeDaemon(self.directory, Peer.stay_silent)
        self.addCleanup(daemon.close)
        daemon.write_contract({"answerMs": 300, "startMs": 60_000})
        client = self.client(daemon.path)
        for _ in range(50):
            self.assertEqual(self.ask(client, "navigate", viewer="v"), ["block", "noAnswer"])
        self.assertLess(len(daemon.peers), 25)

    def test_a_daemon_that_hangs_costs_one_question_its_time(self) -> None:
        daemon = FakeDaemon(self.directory, Peer.stay_silent)
        self.addCleanup(daemon.close)
        daemon.write_contract({"answerMs": 2000, "startMs": 400})
        client = self.client(daemon.path)
        began = time.monotonic()
        # Attempts end after 400 ms each, and others follow after a pause.
        while len(daemon.peers) < 4:
            self.assertEqual(self.ask(client, "navigate", viewer="v"), ["block", "noAnswer"])
            self.assertLess(time.monotonic() - began, 60)
        asked = time.monotonic()
        for _ in range(10):
            self.ask(client, "navigate", viewer="v")
        self.assertLess(time.monotonic() - asked, 1.9, "one of them waited for an answer")

    def test_what_is_said_while_a_connection_is_made_is_said_there(self) -> None:
        may_answer = threading.Event()

        def slow(peer: Peer) -> None:
            peer.call()
            may_answer.wait(60)
            peer.reply({"instance": "T1", "contract": {"answerMs": 20_000}})
            peer.oblige()

        daemon = FakeDaemon(self.directory, slow)
        self.addCleanup(daemon.close)
        daemon.write_contract({"answerMs": 100, "startMs": 60_000})
        client = self.client(daemon.path)
        self.assertEqual(self.ask(client, "navigate", viewer="v"), ["block", "noAnswer"])
        self.tell(client, "say:SetIdentity", level="process", account=WORK)
        self.assertEqual(self.ask(client, "navigate", viewer="v"), ["block", "noAnswer"])
        may_answer.set()
        eventually(lambda: self.ask(client, "navigate", viewer="v") != ["block", "noAnswer"], "the connection is made")
        self.assertEqual(daemon.methods()[:3], ["Attach", "SetIdentity", "Navigate"])

    def test_navigations_of_one_click_share_an_action(self) -> None:
        # The client goes by the real clock: what is more than a moment apart is not waited for.
        told = [case for case in cases("actions") if all(step["at"] < 100 for step in case["steps"])]
        self.assertGreater(len(told), 4)
        for case in told:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as directory:
                daemon = FakeDaemon(Path(directory), Peer.oblige)
                client, ids = self.client(daemon.path), {}
                for step in case["steps"]:
                    if "register" in step:
                        self.tell(client, "say:RegisterViewer", **step["register"])
                        continue
                    self.ask(client, "navigate", **step["navigate"])
                    sent = daemon.heard[-1]["parameters"]["event"]
                    self.assertGreater(sent["deadline"], 0)
                    expected = ids.setdefault(step["action"], sent.get("action")) if "action" in step else step["sent"]
                    self.assertEqual(sent.get("action"), expected)
                self.assertEqual(len(set(ids.values())), len(ids))
                daemon.close()

    def test_a_missed_deadline_costs_the_connection(self) -> None:
        def silent(peer: Peer) -> None:
            peer.attach(answerMs=50)
            peer.call()
            # Nothing is answered; the client hangs up, and this ends.
            peer.call()

        def prompt(peer: Peer) -> None:
            peer.attach(answerMs=5000)
            while True:
                peer.answer(peer.call(), outcome="block", reason="external")

        daemon = FakeDaemon(self.directory, silent, prompt)
        self.addCleanup(daemon.close)
        client = self.client(daemon.path)
        self.tell(client, "say:RegisterViewer", viewer="v")
        # Nobody answers that, so it is said again on the next connection.
        self.assertEqual(self.ask(client, "navigate", viewer="v"), ["block", "noAnswer"])
        # After a silence no question waits longer than a good daemon on a quiet machine needs.
        eventually(lambda: self.ask(client, "navigate", viewer="v") == ["block", "external"], "it comes back")
        methods = [call["method"] for call in daemon.peers[1].calls[:3]]
        self.assertEqual(methods, ["Attach", "RegisterViewer", "Navigate"])


class WithTheDaemon(GoCase):
    def test_it_asks_and_comes_back(self) -> None:
        daemon = Daemon(Configuration())
        self.addCleanup(daemon.remove)
        daemon.start()
        client = self.client(daemon.guard_socket)
        self.tell(client, "say:SetIdentity", level="process", account=WORK)
        self.tell(client, "say:RegisterViewer", viewer="docs", **{"class": "documents"})
        inside = {"viewer": "docs", "url": "https://contoso.com/", "frame": "main"}
        outside = {"viewer": "docs", "url": "https://example.net/", "frame": "main"}
        self.assertEqual(self.ask(client, "navigate", **inside), ["allow", "internal"])
        self.assertEqual(self.ask(client, "navigate", **outside), ["redirect", "external"])
        self.assertEqual(self.ask(client, "navigate", frmae="main"), ["block", "InvalidParameter"])
        daemon.process.send_signal(signal.SIGKILL)  # type: ignore[union-attr]
        daemon.process.wait()  # type: ignore[union-attr]
        self.assertEqual(self.ask(client, "navigate", **inside), ["block", "noAnswer"])
        daemon.start()
        time.sleep(0.2)  # Two attempts to connect are never closer than 100 ms.
        self.assertEqual(self.ask(client, "navigate", **inside), ["allow", "internal"])
        self.assertEqual(self.ask(client, "navigate", **outside), ["redirect", "external"])
