"""What the tests with a socket stand on."""

import select
import time
import unittest
from typing import Any

from fake import ANSWER_MS, Fake, Script, Stopwatch
from webviewguard import Decision, Guard, GuardError

# The machine may be busy: what must come at once has this long, and a deadline may be passed by as much.
AT_ONCE_MS = 60.0
SLACK_MS = 250.0
URL = "https://contoso.com/"


class FakeCase(unittest.TestCase):
    """Tests against a fake daemon, one for each test."""

    fake: Fake

    def play(self, *scripts: Script) -> Fake:
        self.fake = Fake(*scripts)
        self.addCleanup(self.fake.remove)
        return self.fake

    def guard(self, **options: Any) -> Guard:
        self.problems: list[GuardError] = []
        defaults: dict[str, Any] = {"path": self.fake.path, "on_problem": self.problems.append}
        guard = Guard(**(defaults | options))
        self.addCleanup(guard.close)
        return guard

    def ask(self, guard: Guard, **event: Any) -> Decision:
        return guard.navigate(viewer="v1", url=URL, frame="main", **event)

    def in_time(self, guard: Guard, limit: float = ANSWER_MS + SLACK_MS) -> Decision:
        """Asks, and demands that it is answered in that time."""
        with Stopwatch() as watch:
            decision = self.ask(guard)
        self.assertLess(watch.ms, limit)
        return decision

    def is_contract(self, decision: Decision, outcome: str = "block") -> None:
        self.assertEqual((decision.outcome, decision.reason, decision.id), (outcome, "noAnswer", ""))
        self.assertTrue(decision.is_local)

    def wait_for_news_of(self, guard: Guard) -> None:
        """Waits until the guard has something to read."""
        self.assertTrue(select.select([guard.fileno()], [], [], 10)[0])

    def rest(self, guard: Guard) -> None:
        """Waits until the back-off is over."""
        time.sleep(max(0.0, guard._engine.session.wake_at() - time.monotonic()) + 0.001)
