"""How often the library asks, that a daemon that falls silent stops no loop, and threads of the program."""

from pathlib import Path

import loops
from gtk_case import PRIVATE_VIEWER, WORK_VIEWER, GtkCase
from pack import PackDriver
from rig.threads import asked_from_a_thread


class Loops(loops.Loops):
    def make_driver(self, socket: Path) -> PackDriver:
        driver = PackDriver(socket)
        driver.wait(lambda: driver.guard.is_connected(), "the browser has found the daemon")
        return driver


class Threads(GtkCase):
    def test_a_thread_that_joins_the_programs_instance_is_judged_as_its_viewers_are(self) -> None:
        self.show("/")
        answers = asked_from_a_thread(self, self.driver.guard.get_instance())
        outcomes = {viewer: decision.outcome for viewer, decision in answers.items()}
        self.assertEqual(outcomes, {WORK_VIEWER: "block", PRIVATE_VIEWER: "allow"})
        self.assertEqual(len({record["instance"] for record in self.records.all}), 1)
        self.show("/behind")


del GtkCase
