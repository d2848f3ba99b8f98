"""SIGKILL at random moments under load: every answered decision is in the log, and the log is whole."""

import random
import signal
import time

from log_files import log_files, log_records
from logs import USERS, LogCase
from traffic import Fleet

# `run.py --kills N`.
kills = 200


class Kills(LogCase):
    """The file is as small as it may be, so that many kills fall into a rotation."""

    def test_no_answered_decision_is_missing(self) -> None:
        chance = random.Random(6)
        daemon = self.daemon().start()
        fleet = Fleet(daemon.guard_socket, daemon.directory / "notes", USERS)
        self.addCleanup(fleet.kill)
        for number in range(1, kills + 1):
            time.sleep(chance.uniform(0.05, 0.45))
            daemon.stop(signal.SIGKILL)
            daemon.start()
        fleet.stop()
        self.assertEqual(daemon.stop(), 0)
        answered = fleet.answered()
        self.assertGreater(len(answered), kills * 10)
        self.assertGreater(len(log_files(daemon.logs)), 3, "the log was rotated")
        self.assert_sound(daemon.logs)
        self.assert_holds(daemon.logs, answered)
        self.assertEqual(len(log_records(daemon.logs, "start")), kills + 1)
