"""What the tests with a socket stand on."""

import select
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from fake import FakeDaemon, Script
from webviewguard import Decision, Guard, GuardError, _backoff, _conversation
from ways import ANSWER_MS, played

# Whoever waits for so long waits for ever.
PATIENCE_SECONDS = 120.0
URL = "https://contoso.com/"


@contextmanager
def waits_at_most(guard: Guard, milliseconds: float) -> Iterator[None]:
    """Demands that a guard lets no more time than this pass for nothing, however late a busy machine wakes it up: counted
    is the time that it wanted to wait, where nothing came before it was over."""
    line, waited = guard._engine.line, 0.0
    wait = line.wait

    def counted(until: float) -> None:
        nonlocal waited
        began = time.monotonic()
        wait(until)
        if time.monotonic() >= until:
            waited += max(0.0, until - began) * 1000

    with patch.object(line, "wait", counted):
        yield
    assert waited <= milliseconds, f"it waited for {waited:.0f} ms, and not for {milliseconds:.0f} at most"


class FakeCase(unittest.TestCase):
    """Tests against a fake daemon, one for each test."""

    fake: FakeDaemon

    def play(self, *scripts: Script) -> FakeDaemon:
        self.fake = played(self, *scripts)
        return self.fake

    def guard(self, **options: Any) -> Guard:
        self.problems: list[GuardError] = []
        defaults: dict[str, Any] = {"path": self.fake.path, "on_problem": self.problems.append}
        guard = Guard(**(defaults | options))
        self.addCleanup(guard.close)
        return guard

    def ask(self, guard: Guard, **event: Any) -> Decision:
        return guard.navigate(viewer="v1", url=URL, frame="main", **event)

    def in_time(self, guard: Guard) -> Decision:
        """Asks, and demands that the answer comes within the contract's time."""
        with waits_at_most(guard, ANSWER_MS):
            return self.ask(guard)

    def at_once(self, guard: Guard) -> Decision:
        """Asks, and demands that nothing is waited for."""
        with self.no_waiting(guard):
            return self.ask(guard)

    @contextmanager
    def no_waiting(self, guard: Guard) -> Iterator[None]:
        with patch.object(guard._engine.line, "wait", side_effect=AssertionError("it waits")):
            yield

    def long_back_off(self) -> None:
        """Nothing is tried again by itself, however slow the machine is; `rest` ends it. What is tried has its time, too."""
        for module, name in ((_backoff, "SHORTEST"), (_conversation, "BRIEF_SECONDS")):
            patcher = patch.object(module, name, 30.0)
            patcher.start()
            self.addCleanup(patcher.stop)

    def is_contract(self, decision: Decision, outcome: str = "block") -> None:
        self.assertEqual((decision.outcome, decision.reason, decision.id), (outcome, "noAnswer", ""))
        self.assertEqual(decision.message is None, decision.allowed)
        self.assertTrue(decision.is_local)

    def wait_for_news_of(self, guard: Guard) -> None:
        """Waits until the guard has something to read."""
        self.assertTrue(select.select([guard.fileno()], [], [], PATIENCE_SECONDS)[0])

    def rest(self, guard: Guard) -> None:
        """The back-off is over."""
        back_off = guard._engine.session._back_off
        back_off.until = back_off.asked_until = float("-inf")
