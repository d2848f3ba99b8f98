"""A load of the policy disturbs nobody."""

import os
import threading
import unittest
from pathlib import Path

from asking import QUESTION, attach, configuration
from daemon import Daemon, eventually
from wire import ADMIN, Wire

NAME = "policy-loader"
# Field 41 of /proc/PID/task/TID/stat (proc(5)); SCHED_IDLE is 5 (sched(7)).
POLICY = 38
SCHED_IDLE = 5
DOMAINS = 400_000


class Loader(unittest.TestCase):
    """With lists long enough that a load can be watched."""

    def setUp(self) -> None:
        configured = configuration()
        rules = configured.files["rules/contoso.yaml"]
        listed = "  - id: listed\n    external: { list: { file: lists/listed.txt, format: domains } }\n"
        configured.files["rules/contoso.yaml"] = rules + listed
        configured.files["rules/lists/listed.txt"] = "".join(f"host-{number}.example\n" for number in range(DOMAINS))
        self.daemon = Daemon(configured)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()

    def reload(self) -> threading.Thread:
        def ask() -> None:
            with Wire(self.daemon.admin_socket, seconds=60) as wire:
                self.reloaded = wire.call(ADMIN + ".Reload")

        thread = threading.Thread(target=ask)
        thread.start()
        self.addCleanup(thread.join)
        return thread

    def test_the_thread_runs_only_when_nobody_else_wants_the_processor(self) -> None:
        waiting = self.reload()
        policy = eventually(lambda: scheduling(self.daemon.pid) or not waiting.is_alive(), "the loader's thread", 60)
        self.assertEqual(policy, SCHED_IDLE)

    def test_every_question_asked_meanwhile_is_answered(self) -> None:
        with Wire(self.daemon.guard_socket) as wire:
            attach(wire)
            waiting = self.reload()
            asked = 0
            while waiting.is_alive() or not asked:
                wire.send(QUESTION)
                self.assertEqual(wire.reply()["parameters"]["decision"]["outcome"], "allow")
                asked += 1
        waiting.join()
        self.assertIn("parameters", self.reloaded)


def scheduling(pid: int) -> int | None:
    """The scheduling policy of the loader's thread; None when there is none."""
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            name, fields = Path(f"/proc/{pid}/task/{task}/stat").read_text().rsplit(")", 1)
        except OSError:
            continue
        if name.endswith("(" + NAME):
            return int(fields.split()[POLICY])
    return None
