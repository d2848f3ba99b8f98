"""The daemon is killed, hangs, or has another policy: the views follow the contract, and recover."""

import os
import signal
import time
from typing import Any

import failures
from driver import WORK_VIEWER
from failures import AWAY
from wpe_case import WpeCase

# Longer than the browser answers its own lines; no machine is so busy by itself.
ANSWER_MS = 4000


class Killed(failures.Killed, WpeCase):
    pass


class AnotherPolicy(failures.AnotherPolicy, WpeCase):
    pass


class Unexported(failures.Unexported, WpeCase):
    pass


class Stopped(WpeCase):
    """A daemon that hangs is the worst: it accepts, and never answers."""

    answer_ms = ANSWER_MS

    def test_a_click_waits_for_the_contract_and_the_program_does_not(self) -> None:
        self.show("/")
        os.kill(self.daemon.pid, signal.SIGSTOP)
        try:
            self.driver.click(WORK_VIEWER, "internal")
            began, answers = time.monotonic(), 0
            while time.monotonic() - began < ANSWER_MS / 2000:
                self.driver.call("popups")
                answers += 1
            self.assertGreater(answers, 20, "the program goes on meanwhile")
            self.until_notice(AWAY)
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)
        self.assertFalse(self.site.was_asked("/internal"))


def cases() -> list[Any]:
    return [Killed, AnotherPolicy, Unexported, Stopped]
