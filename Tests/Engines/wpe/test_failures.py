"""The daemon is killed, hangs, or has another policy: the views follow the contract, and recover."""

import time
from typing import Any

import failures
import lying
from driver import WORK_VIEWER, WpeDriver
from failures import AWAY
from wpe_case import WpeCase

# Longer than the browser answers its own lines; no machine is so busy by itself.
ANSWER_MS = 4000


class Killed(failures.Killed, WpeCase):
    pass


class AnotherPolicy(failures.AnotherPolicy, WpeCase):
    pass


class Stopped(WpeCase):
    """A daemon that hangs is the worst: it accepts, and never answers."""

    answer_ms = ANSWER_MS

    def test_a_click_waits_for_the_contract_and_the_program_does_not(self) -> None:
        self.show("/")
        with self.daemon.hanging():
            self.driver.click(WORK_VIEWER, "internal")
            began, answers = time.monotonic(), 0
            while time.monotonic() - began < ANSWER_MS / 2000:
                self.driver.call("popups")
                answers += 1
            self.assertGreater(answers, 20, "the program goes on meanwhile")
            self.until_notice(AWAY)
        self.assertFalse(self.site.was_asked("/internal"))


class Lying(lying.Lying):
    driver_type = WpeDriver


def cases() -> list[Any]:
    return [Killed, AnotherPolicy, Stopped, Lying]
