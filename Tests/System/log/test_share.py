"""The share of a user: a flood cannot push what is on record of others out of the log."""

import os
import unittest

import disk
from daemon import eventually
from log_files import log_records
from logs import USERS, LogCase
from test_files import flood
from wire import ADMIN, GUARD, Wire

EXTERNAL = "https://example.net/"


@unittest.skipUnless(os.getuid() == 0, "only root can act as several users")
class Share(LogCase):
    """A quarter of 4 MB: one user may fill a megabyte."""

    def test_beyond_the_share_nothing_is_allowed_and_restrictions_hold(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4")
        clock = daemon.directory / "clock"
        clock.write_text("0")
        daemon.environment |= disk.environment(daemon.logs, clock=clock)
        daemon.start()
        wire = self.asking(daemon, user=USERS[1])
        replies = flood(wire, 1500)
        refused = [reply for reply in replies if "error" in reply]
        self.assertTrue(refused)
        self.assertEqual(refused[0]["error"], f"{GUARD}.LimitReached")
        self.assertEqual(refused[0]["parameters"]["limit"], "logBytes")
        self.assertEqual(replies[-len(refused) :], refused, "it is full once and for all")
        self.assertEqual(self.ask(wire, EXTERNAL), "redirect")
        many = wire.call(
            f"{GUARD}.DecideMany",
            questions=[{"event": "navigate", "parameters": {"viewer": "docs", "url": "https://contoso.com/"}}],
        )
        self.assertIn("error", many)
        self.assertEqual(self.status(daemon)["log"]["fullShares"], [USERS[1]])
        # It holds across a restart, which knows the bytes from the files.
        self.assertEqual(daemon.stop(), 0)
        [limited] = log_records(daemon.logs, "limited")
        self.assertEqual(limited["uid"], USERS[1])
        self.assertGreaterEqual(limited["refused"], len(refused))
        self.assertEqual(limited["restricted"], 1)
        daemon.tells("fill their share")
        daemon.start()
        self.assertEqual(self.ask(self.asking(daemon, user=USERS[1])), f"{GUARD}.LimitReached")
        # And ends by itself when the old files go.
        clock.write_text(f"{91 * 86_400} {91 * 86_400}")
        eventually(lambda: not self.status(daemon)["log"]["fullShares"], "the old files are removed")
        self.assertEqual(self.ask(self.asking(daemon, user=USERS[1])), "allow")
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)

    def test_it_is_told_before_it_is_full(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4").start()
        wire = self.asking(daemon, user=USERS[1])
        warned = False
        told: list[str] = []
        while "logShareFull" not in told:
            flood(wire, 50)
            with Wire(daemon.admin_socket) as admin:
                told = [problem["code"] for problem in admin.call(f"{ADMIN}.Health")["parameters"]["problems"]]
            self.assertIn(told, ([], ["logShareFilling"], ["logShareFull"]))
            if told == ["logShareFilling"]:
                self.assertEqual(self.ask(wire), "allow")
                warned = True
        self.assertTrue(warned)

    def test_another_user_goes_on(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4").start()
        self.assertIn("error", flood(self.asking(daemon, user=USERS[1]), 1500)[-1])
        self.assertEqual(self.ask(self.asking(daemon, user=USERS[2])), "allow")


class OwnUser(LogCase):
    def test_who_runs_the_daemon_is_never_refused(self) -> None:
        """A user service has one user, who holds the log: to refuse him would protect nobody."""
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4").start()
        replies = flood(self.asking(daemon), 1500)
        self.assertTrue(all("error" not in reply for reply in replies))
        self.assertEqual(self.status(daemon)["log"]["fullShares"], [])
        self.assertGreater(self.status(daemon)["log"]["bytes"], 1 << 20)
