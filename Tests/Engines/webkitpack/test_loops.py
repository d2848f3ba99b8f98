"""How often the library asks, that a daemon that falls silent stops no loop, and threads of the program."""

import threading
from pathlib import Path
from typing import Any

import loops
from gtk_case import PRIVATE_VIEWER, WORK_VIEWER, GtkCase
from pack import PackDriver
from rig.hosts import Host
from rig.policy import APP
from webviewguard import Guard


class Loops(loops.Loops):
    def make_driver(self, socket: Path) -> PackDriver:
        driver = PackDriver(socket)
        driver.wait(lambda: driver.guard.is_connected(), "the browser has found the daemon")
        return driver


class Threads(GtkCase):
    def test_a_thread_that_joins_the_programs_instance_is_judged_as_its_viewers_are(self) -> None:
        self.show("/")
        answers: dict[str, Any] = {}
        token = self.driver.guard.get_instance()

        def asks() -> None:
            guard = Guard(app=APP, path=self.daemon.guard_socket, instance=token)
            guard.start()
            for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
                url = self.site.url("/joined", Host.BLOCKED)
                answers[viewer] = guard.decide("navigate", viewer=viewer, url=url, frame="main").outcome
            guard.close()

        thread = threading.Thread(target=asks)
        thread.start()
        self.driver.wait(lambda: not thread.is_alive(), "the thread has its answers")
        self.assertEqual(answers, {WORK_VIEWER: "block", PRIVATE_VIEWER: "allow"})
        self.assertEqual(len({record["instance"] for record in self.records.all}), 1)
        self.show("/behind")


del GtkCase
