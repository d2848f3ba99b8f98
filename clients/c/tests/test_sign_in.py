"""Credentials for sign-in pages: an agent that lies, hangs, is away or is somebody else, and a daemon that says no."""

import os
import pwd
import subprocess
import sys
from typing import Any

from agent import LIES, PAGE, VALUE, FakeAgent, said
from case import ClientCase
from started import Started

YES = {"outcome": "allow", "reason": "internal", "id": "1", "digest": "ab", "generation": 1,
       "identity": "work@contoso.com", "signIn": True}  # fmt: skip
LONG_MS = 60_000
# Listens in the agent's place as another user.
STRANGER = """
import os, socket, sys
server = socket.socket(socket.AF_UNIX)
os.seteuid(int(sys.argv[2]))
server.bind(sys.argv[1])
server.listen()
print("ready", flush=True)
line, _ = server.accept()
print("heard", line.recv(65536), flush=True)
"""


class Credentials(ClientCase):
    def setUp(self) -> None:
        super().setUp()
        self.agent = FakeAgent()
        self.addCleanup(self.agent.close)
        self.program = self.driver(XDG_RUNTIME_DIR=str(self.agent.directory))

    def credential(self, *, url: str = PAGE, ms: int = LONG_MS, **changes: Any) -> Any:
        decision = {name: value for name, value in (YES | changes).items() if value is not None}
        return self.program("credential", decision=decision, url=url, ms=ms).get("value")

    def test_it_is_asked_for_the_page_and_the_account_anew_each_time(self) -> None:
        for _ in range(2):
            self.assertEqual(self.credential(), VALUE)
        parameters = {"url": PAGE, "account": "work@contoso.com"}
        self.assertEqual(self.agent.asked, [{"method": "org.webviewguard.Session.SignIn", "parameters": parameters}] * 2)

    def test_the_longest_one_comes_in_pieces(self) -> None:
        self.agent.answer = said("a" * 12288)
        self.assertEqual(self.credential(), "a" * 12288)

    def test_nobody_is_asked_unless_the_daemon_says_so(self) -> None:
        changes: list[dict[str, Any]] = [
            {"signIn": False}, {"signIn": None}, {"outcome": "block"}, {"outcome": "warn"}, {"identity": ""},
            {"identity": None},
        ]  # fmt: skip
        for change in changes:
            with self.subTest(change):
                self.assertIsNone(self.credential(**change))
        # One that was made here, as the contract makes it.
        self.assertNotIn("value", self.program("credential", url=PAGE, ms=LONG_MS))
        self.assertEqual(self.agent.asked, [])

    def test_what_it_may_not_say_is_no_credential(self) -> None:
        for lie in LIES:
            with self.subTest(lie[:60]):
                self.agent.answer = lie
                self.assertIsNone(self.credential())

    def test_one_that_hangs_costs_the_time_that_was_given(self) -> None:
        self.agent.answer = None
        self.assertIsNone(self.credential(ms=50))

    def test_a_page_whose_name_no_agent_reads(self) -> None:
        self.assertIsNone(self.credential(url=PAGE + "x" * 8_000_000))

    def test_one_that_is_away(self) -> None:
        self.agent.path.unlink()
        self.assertIsNone(self.credential())

    def test_somebody_elses_hears_nothing(self) -> None:
        if os.geteuid():
            self.skipTest("only root can be somebody else")
        self.agent.path.unlink()
        self.agent.directory.chmod(0o777)
        command = [sys.executable, "-c", STRANGER, str(self.agent.path), str(pwd.getpwnam("nobody").pw_uid)]
        with Started(command, stdout=subprocess.PIPE) as stranger:
            assert stranger.stdout
            self.assertEqual(stranger.stdout.readline(), b"ready\n")
            self.assertIsNone(self.credential())
            self.assertEqual(stranger.stdout.readline(), b"heard b''\n")
