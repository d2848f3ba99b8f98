"""SIGKILL at random moments of accounts' life: nobody is trusted more, wipes go on, and nobody is asked twice."""

import os
import signal
import threading
import time
import unittest
from typing import Any

from world import HOUR, SECOND, THIRD, USERS, Told, World

# `run.py --kills N --seed S`.
kills = 200
seed = 6

ENDS = {"wipeCompleted", "wipeIncomplete"}
ANSWERED = {"done", "refused", "failed", "cleaned"}
# An account that nothing restricts, and that is not enrolled.
FREE = {"unknown", "registered", "policyRequired"}


@unittest.skipIf(os.getuid() != 0 or len(USERS) < 2, "only root can be several users")
class Kills(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World(seed)
        self.addCleanup(self.world.daemon.remove)
        self.world.daemon.start()
        self.world.connect()
        # Wipes that were seen removing data, and whose end was not in doubt.
        self.begun: set[str] = set()
        self.doubted: set[str] = set()

    def test_no_account_is_trusted_more_after_a_kill(self) -> None:
        for number in range(kills):
            with self.subTest(kill=number, seed=seed):
                self.live_until_killed()
                before = self.world.told
                self.world.daemon.start()
                self.world.connect()
                self.nobody_is_asked_twice()
                now = self.world.look()
                self.nobody_is_trusted_more(before, now)
                self.wipes_go_on(before, now)
                self.world.told = now
        self.everything_ends()

    def live_until_killed(self) -> None:
        """Everybody goes on until the daemon is killed, which may be in the middle of anything."""
        world = self.world
        world.begin_life()
        pid = world.daemon.pid
        timer = threading.Timer(world.random.uniform(0.05, 2.0), os.kill, (pid, signal.SIGKILL))
        timer.start()
        try:
            while True:
                world.step()
                self.begun |= {id for id, wipe in world.told.wipes.items() if wipe["phase"] == "asking"}
        except (ConnectionError, TimeoutError):
            pass
        timer.join()
        self.assertEqual(world.daemon.stop(signal.SIGKILL), -signal.SIGKILL, world.daemon.said.read_text())

    # Claims

    def nobody_is_asked_twice(self) -> None:
        for app in self.world.apps:
            self.assertEqual(app.answered & set(app.asked), set(), (app.uid, app.name))

    def nobody_is_trusted_more(self, before: Told, now: Told) -> None:
        """An account works only if it worked before, or if what was under way lets it work."""
        for (uid, app, name), state in now.states.items():
            was = before.states.get((uid, app, name), "unknown")
            if state == "enrolled" and was != "enrolled":
                self.assertTrue(self.may_be_enrolled(uid, name, was, before), (uid, app, name, was, before.under_way))

    def may_be_enrolled(self, uid: int, name: str, was: str, before: Told) -> bool:
        word, whose, subject = before.under_way or ("", 0, "")
        if name == SECOND and self.world.is_good is False:
            return False
        if word in ("register", "restore", "sign_in") and whose == uid and name in subject.split():
            return True
        # What restricted it may have ended since it was looked at; an attempt takes what nothing restricts.
        is_lifted = (name == SECOND and self.world.is_good) or (name == THIRD and not self.world.is_marked)
        return bool(is_lifted) or (word in ("wait", "mark") and was in FREE)

    def wipes_go_on(self, before: Told, now: Told) -> None:
        """A wipe is where it was or further, and none comes sooner; one that began goes on."""
        word, whose, subject = before.under_way or ("", 0, "")
        for id, wipe in before.wipes.items():
            after = now.wipes.get(id)
            if after is None:
                restored = word == "restore" and (whose, subject) == (wipe["uid"], wipe["account"])
                ended = word in ("answer", "report") and subject.startswith(id)
                is_over = self.has_ended(id) or self.is_cancelled(wipe)
                self.assertTrue(ended or restored or is_over, (wipe, before.under_way, self.records_of(id)))
                if ended and not self.has_ended(id):
                    self.doubted.add(id)
                self.assertFalse(wipe["phase"] == "asking" and restored)
                continue
            if wipe["phase"] == "asking":
                self.assertEqual(after["phase"], "asking")
                self.no_answer_is_lost(wipe, after)
            if wipe["phase"] == after["phase"] == "pending":
                passed = (self.world.passed - before.passed + 30) * 1000
                self.assertGreaterEqual(after["remaining"] + passed, wipe["remaining"])

    def is_cancelled(self, wipe: dict[str, Any]) -> bool:
        """Whether what brought a wipe about by itself is so no more, or was so no more for a moment of the life before: the
        daemon reads a file some time after it was written, and may cancel a wipe whose cause is there again by then. No
        cancellation by a start is one of that life."""
        world = self.world
        if wipe["phase"] == "asking":
            return False
        is_gone = {"conditionalLaunch": world.is_good is not False, "marker": not world.is_marked}
        was_gone = {"conditionalLaunch": world.was_not_bad, "marker": world.was_not_marked}
        return is_gone.get(wipe["cause"], False) or (was_gone.get(wipe["cause"], False) and self.was_cancelled(wipe))

    def was_cancelled(self, wipe: dict[str, Any]) -> bool:
        """Whether the log says that the wipe was cancelled before the latest start."""
        acts = [record.get("act") if record["type"] == "account" and record.get("request") == wipe["id"] else record["type"]
                for record in self.world.daemon.all_records()]
        return "wipeCancelled" in acts and acts.index("wipeCancelled") < len(acts) - 1 - acts[::-1].index("start")

    def no_answer_is_lost(self, wipe: dict[str, Any], after: dict[str, Any]) -> None:
        steps = {part["app"]: part["step"] for part in after["apps"]}
        for part in wipe["apps"]:
            if part["step"] in ANSWERED - {"cleaned"}:
                self.assertIn(steps[part["app"]], ANSWERED, (wipe, after))

    def records_of(self, id: str) -> list[tuple[str, str]]:
        """What the log says of a wipe, and the starts between, for people."""
        return [(record["time"], record.get("act", "start")) for record in self.world.daemon.all_records()
                if record["type"] == "start" or record.get("request") == id][-12:]

    def has_ended(self, id: str) -> bool:
        return any(record.get("request") == id and record["act"] in ENDS for record in self.world.daemon.records("account"))

    def everything_ends(self) -> None:
        """Without further kills each wipe that began comes to its end, and the log says so."""
        world = self.world
        deadline = time.monotonic() + 300
        while any(wipe["phase"] != "locked" for wipe in world.look().wipes.values()):
            self.assertLess(time.monotonic(), deadline, world.look().wipes)
            world.pass_by(HOUR + 100)
            world.daemon.beat()
            self.begun |= {id for id, wipe in world.look().wipes.items() if wipe["phase"] == "asking"}
            for app in world.apps:
                app.listen()
                for request in sorted(app.asked):
                    self.assertNotIn(request, app.answered)
                    world.answer(app, request, "done")
            world.report(world.apps[0], "")
        self.assertGreater(len(self.begun), 0, "no wipe began")
        causes = {record["cause"] for record in world.daemon.records("account") if record["act"] == "wipeStarted"}
        if kills >= 20:
            self.assertGreaterEqual(causes, {"admin", "deregister", "conditionalLaunch", "marker"})
        lost = {id for id in self.begun - self.doubted if not self.has_ended(id)}
        self.assertEqual(lost, set())
        self.assertGreater(sum(world.steps.values()), 3 * kills, world.steps)
