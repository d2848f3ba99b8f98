"""Credentials for sign-in pages: an agent that lies, hangs, is away or is somebody else, and a daemon that says no."""

import json
import os
import shutil
import socket
import tempfile
import threading
import unittest
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from webviewguard import Credential, Decision, sign_in_credential

PAGE = "https://login.microsoftonline.com/common/oauth2/authorize?sso_nonce=n1"
NAME = "x-ms-RefreshTokenCredential"
YES = Decision(outcome="allow", reason="internal", id="1", identity="work@contoso.com", sign_in=True, is_local=False)
LONG = 60.0


def said(value: Any) -> bytes:
    return json.dumps({"parameters": {"name": NAME, "value": value}}).encode() + b"\0"


class Agent(unittest.TestCase):
    """An agent that sends these bytes to everybody; it never answers where they are None."""

    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.directory)))
        self.asked: list[Any] = []
        self.answer: bytes | None = said("eyJ0.a-b_c")
        self.server = socket.socket(socket.AF_UNIX)
        self.addCleanup(self.server.close)
        self.server.bind(str(self.directory / "webviewguard-session.sock"))
        self.server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        lines = []
        while True:
            try:
                line, _ = self.server.accept()
            except OSError:
                return
            lines.append(line)
            if frame := line.recv(65536):
                self.asked.append(json.loads(frame.rstrip(b"\0")))
            if self.answer is not None:
                with suppress(OSError):
                    line.sendall(self.answer)
                line.close()

    def test_it_is_asked_for_the_page_and_the_account_anew_each_time(self) -> None:
        for _ in range(2):
            self.assertEqual(sign_in_credential(YES, PAGE, wait=LONG), Credential(NAME, "eyJ0.a-b_c"))
        parameters = {"url": PAGE, "account": "work@contoso.com"}
        self.assertEqual(self.asked, [{"method": "org.webviewguard.Session.SignIn", "parameters": parameters}] * 2)

    def test_no_log_has_it_by_accident(self) -> None:
        self.assertNotIn("eyJ0", repr(sign_in_credential(YES, PAGE, wait=LONG)))

    def test_nobody_is_asked_unless_the_daemon_says_so(self) -> None:
        changes: list[dict[str, Any]] = [
            {"sign_in": False}, {"outcome": "block"}, {"outcome": "warn"}, {"is_local": True}, {"identity": ""},
            {"identity": None},
        ]  # fmt: skip
        for change in changes:
            with self.subTest(change):
                self.assertIsNone(sign_in_credential(replace(YES, **change), PAGE))
        self.assertEqual(self.asked, [])

    def test_what_it_may_not_say_is_no_credential(self) -> None:
        values = ("", "a\r\nHost: evil.example", "a\n", "a b", "a\0", "é", "a" * 12289, 7, None, ["a"])
        lies = [said(value) for value in values] + [
            said("a").replace(NAME.encode(), b"Host"), said("a").replace(NAME.encode(), NAME.lower().encode()),
            said("a").replace(b"{", b'{"error":"org.webviewguard.Session.NoCredential",', 1),
            b"[]\0", b"7\0", b"not JSON\0", b"", b"{}", b"\xff\0", b"x" * 100_000,
        ]  # fmt: skip
        for lie in lies:
            with self.subTest(lie[:60]):
                self.answer = lie
                self.assertIsNone(sign_in_credential(YES, PAGE, wait=LONG))

    def test_one_that_hangs_costs_the_time_that_was_given(self) -> None:
        self.answer = None
        self.assertIsNone(sign_in_credential(YES, PAGE, wait=0.05))

    def test_one_that_is_away(self) -> None:
        (self.directory / "webviewguard-session.sock").unlink()
        self.assertIsNone(sign_in_credential(YES, PAGE))

    def test_somebody_elses_hears_nothing(self) -> None:
        judge: Callable[[socket.socket], int] = lambda _: os.geteuid() + 1
        with patch("webviewguard._sign_in.listener", judge):
            self.assertIsNone(sign_in_credential(YES, PAGE, wait=LONG))
        self.assertEqual(self.asked, [])
