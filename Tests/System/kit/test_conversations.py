"""`clients/vectors/conversations.json` played with the client for JavaScript; Python, C, Go and Swift play it in their own tests."""

import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import conversations
from fake import FakeDaemon

PROGRAM = Path(__file__).with_name("ask.js")


class JavaScript(unittest.TestCase):
    def test_what_a_daemon_may_say_means_the_same_to_all_clients(self) -> None:
        if shutil.which("node") is None:
            self.skipTest("there is no Node: install nodejs")
        for case in conversations.CASES:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as directory:
                conversations.played(case, Path(directory), self._begin)

    def _begin(self, daemon: FakeDaemon) -> tuple[conversations.Say, conversations.Ask]:
        client = subprocess.Popen(["node", PROGRAM, daemon.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert client.stdin and client.stdout
        words, answers = client.stdin, client.stdout
        self.addCleanup(client.wait)
        self.addCleanup(answers.close)
        self.addCleanup(words.close)

        def tell(word: str, about: dict[str, Any]) -> None:
            words.write(f"{word} {json.dumps(about)}\n")
            words.flush()

        def ask(kind: str, viewer: str) -> str:
            tell(kind, {"viewer": viewer})
            return answers.readline().strip()

        return lambda method, parameters: tell(f"say:{method}", parameters), ask
