"""Where the policy warns: the user says why, or it does not happen."""

from typing import Any

from engine import QtCase
from rig.driver import WORK_VIEWER
from rig.policy import BrowserConfiguration


class TestWarning(QtCase):
    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, more="    warn: [print]")

    def printed(self, reason: str) -> list[str]:
        """What the daemon was told in the end of a print that was warned about."""
        people = self.driver.people
        people.reason, people.chosen_place = reason, ""
        people.asked_why.clear()
        self.show("/")
        self.driver.script(WORK_VIEWER, "void(setTimeout(print, 0))")
        decision = self.driver.decided("print")
        self.assertEqual(decision.outcome, "warn")
        self.driver.wait(lambda: people.asked_why, "the user is asked why")
        self.show("/behind")
        records = self.driver.wait(lambda: self._acknowledged(decision.id), "it is acknowledged")
        return [record["outcome"] for record in records]

    def _acknowledged(self, decision: str) -> list[dict[str, Any]]:
        return [record for record in self.daemon.records("acknowledged") if record["id"] == decision]

    def test_with_a_reason_it_happens(self) -> None:
        self.assertEqual(self.printed("the auditor wants it on paper"), ["allow"])

    def test_without_one_it_does_not(self) -> None:
        self.assertEqual(self.printed(""), ["block"])
