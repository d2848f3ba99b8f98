"""Credentials for sign-in pages: an agent that lies, hangs, is away or is somebody else, and a daemon that says no."""

import os
import socket
import unittest
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

from agent import LIES, NAME, PAGE, VALUE, FakeAgent
from webviewguard import Credential, Decision, sign_in_credential

YES = Decision(outcome="allow", reason="internal", id="1", identity="work@contoso.com", sign_in=True, is_local=False)
LONG = 60.0


class Agent(unittest.TestCase):
    def setUp(self) -> None:
        self.agent = FakeAgent()
        self.addCleanup(self.agent.close)
        self.enterContext(patch.dict(os.environ, XDG_RUNTIME_DIR=str(self.agent.directory)))

    def test_it_is_asked_for_the_page_and_the_account_anew_each_time(self) -> None:
        for _ in range(2):
            self.assertEqual(sign_in_credential(YES, PAGE, wait=LONG), Credential(NAME, VALUE))
        parameters = {"url": PAGE, "account": "work@contoso.com"}
        self.assertEqual(self.agent.asked, [{"method": "org.webviewguard.Session.SignIn", "parameters": parameters}] * 2)

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
        self.assertEqual(self.agent.asked, [])

    def test_what_it_may_not_say_is_no_credential(self) -> None:
        for lie in LIES:
            with self.subTest(lie[:60]):
                self.agent.answer = lie
                self.assertIsNone(sign_in_credential(YES, PAGE, wait=LONG))

    def test_one_that_hangs_costs_the_time_that_was_given(self) -> None:
        self.agent.answer = None
        self.assertIsNone(sign_in_credential(YES, PAGE, wait=0.05))

    def test_one_that_is_away(self) -> None:
        self.agent.path.unlink()
        self.assertIsNone(sign_in_credential(YES, PAGE))

    def test_somebody_elses_hears_nothing(self) -> None:
        judge: Callable[[socket.socket], int] = lambda _: os.geteuid() + 1
        with patch("webviewguard._sign_in.listener", judge):
            self.assertIsNone(sign_in_credential(YES, PAGE, wait=LONG))
        self.assertEqual(self.agent.asked, [])
