"""The share of a user: a flood cannot push what is on record of others out of the log."""

import os
import unittest

import disk
from daemon import eventually
from logs import USERS, LogCase, records
from test_files import flood
from wire import GUARD

EXTERNAL = "https://example.net/"


class Share(LogCase):
    """A quarter of 4 MB: one user may fill a megabyte."""

    def test_beyond_the_share_nothing_is_allowed_and_restrictions_hold(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4")
        clock = daemon.directory / "clock"
        clock.write_text("0")
        daemon.environment |= disk.environment(daemon.logs, clock=clock)
        daemon.start()
        wire = self.asking(daemon)
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
        self.assertEqual(self.status(daemon)["log"]["fullShares"], [USERS[0]])
        # It holds across a restart, which knows the bytes from the files.
        self.assertEqual(daemon.stop(), 0)
        [limited] = records(daemon.logs, "limited")
        self.assertEqual(limited["uid"], USERS[0])
        self.assertGreaterEqual(limited["refused"], len(refused))
        self.assertEqual(limited["restricted"], 1)
        self.assertIn("fill their share", daemon.said.read_text())
        daemon.start()
        self.assertEqual(self.ask(self.asking(daemon)), f"{GUARD}.LimitReached")
        # And ends by itself when the old files go.
        clock.write_text(str(91 * 86_400))
        eventually(lambda: not self.status(daemon)["log"]["fullShares"], "the old files are removed")
        self.assertEqual(self.ask(self.asking(daemon)), "allow")
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)

    @unittest.skipUnless(os.getuid() == 0, "only root can act as several users")
    def test_another_user_goes_on(self) -> None:
        daemon = self.daemon("rotateMegabytes: 1, maximumMegabytes: 4").start()
        wire = self.asking(daemon)
        self.assertIn("error", flood(wire, 1500)[-1])
        self.assertEqual(self.as_user(daemon, USERS[1]), "allow")

    def as_user(self, daemon, user: int) -> str:
        """The outcome that another user gets, in a process of its own."""
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setuid(user)
            os.write(write, self.ask(self.asking(daemon)).encode())
            os._exit(0)
        os.waitpid(child, 0)
        os.close(write)
        with os.fdopen(read) as pipe:
            return pipe.read()
