"""The power is cut: what was answered in `synced` mode is on the disk, and in `written` mode it need not be."""

import random
import shutil
import signal
import time
from pathlib import Path

from disk import PowerCut
from logs import USERS, LogCase, decisions
from traffic import Fleet

# `run.py --kills N` cuts a tenth as often.
cuts = 20


class Cuts(LogCase):
    def run_through_cuts(self, durability: str) -> tuple[Path, dict[str, str]]:
        """Cuts the power again and again under load; returns the log and what was answered."""
        chance = random.Random(7)
        daemon = self.daemon(f"rotateMegabytes: 1, durability: {durability}")
        state = daemon.directory / "state"
        power = PowerCut(daemon.directory / "power", [daemon.logs, state], seed=8)
        boot = daemon.directory / "boot"
        boot.write_text("boot-0\n")
        daemon.environment |= power.environment() | {"DISK_BOOT": str(boot)}
        daemon.start()
        fleet = Fleet(daemon.guard_socket, daemon.directory / "notes", USERS)
        self.addCleanup(fleet.kill)
        for number in range(1, cuts + 1):
            time.sleep(chance.uniform(0.2, 0.6))
            daemon.stop(signal.SIGKILL)
            power.cut()
            # A new boot: what lay in memory is gone.
            boot.write_text(f"boot-{number}\n")
            shutil.rmtree(daemon.sockets)
            daemon.sockets.mkdir(mode=0o755)
            daemon.start()
        fleet.stop()
        self.assertEqual(daemon.stop(), 0, daemon.said.read_text())
        return daemon.logs, fleet.answered()

    def test_synced_answers_survive(self) -> None:
        log, answered = self.run_through_cuts("synced")
        self.assertGreater(len(answered), cuts * 10)
        self.assert_sound(log)
        self.assert_holds(log, answered)

    def test_written_answers_need_not_and_the_log_stays_whole(self) -> None:
        """Were nothing lost here, the simulated cut would cut nothing."""
        log, answered = self.run_through_cuts("written")
        self.assert_sound(log)
        self.assertGreater(len(set(answered) - set(decisions(log))), 0)
