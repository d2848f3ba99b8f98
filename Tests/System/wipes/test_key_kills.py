"""SIGKILL around rotations and wipes: no key comes back, and no key of a living account is lost."""

import os
import signal
import unittest

import test_kills
from key_world import GONE, LIVES, OPEN, KeyWorld
from world import USERS


@unittest.skipIf(os.getuid() != 0 or len(USERS) < 2, "only root can be several users")
class KeyKills(unittest.TestCase):
    """As often as `run.py --kills` says."""

    def setUp(self) -> None:
        self.world = KeyWorld(test_kills.seed)
        self.addCleanup(self.world.daemon.remove)
        self.world.start()

    def test_no_key_comes_back_and_none_is_lost(self) -> None:
        world = self.world
        for place in world.places:
            world.seal(place)
        # So many operations has a life, at most: each of them may be its last.
        longest = world.operations + 40
        for number in range(test_kills.kills):
            with self.subTest(kill=number, seed=test_kills.seed):
                longest = max(longest, self.live_until_killed(world.random.uniform(0.02, 1.5)))
                if world.random.random() < 0.4:
                    world.restore()
                world.crash_at(world.random.randint(1, longest) if number % 2 else 0)
                world.start()
                self.judge()
        self.everything_ends()

    def live_until_killed(self, seconds: float) -> int:
        """Returns the number of the daemon's operations on its state."""
        world = self.world
        timer = world.killed_in(seconds)
        try:
            while True:
                world.step()
        except (ConnectionError, TimeoutError):
            pass
        timer.cancel()
        timer.join()
        self.assertIn(world.daemon.stop(signal.SIGKILL), (-signal.SIGKILL, 137), world.daemon.said.read_text())
        return world.operations

    def judge(self) -> None:
        """It may be killed again meanwhile: then the next one is judged, and that is no kill of its own."""
        world = self.world
        try:
            world.judge_all()
        except (ConnectionError, TimeoutError):
            world.daemon.stop(signal.SIGKILL)
            world.crash_at(0)
            world.start()
            world.judge_all()
        try:
            for place in world.places:
                world.finish(place)
                world.seal(place)
        except (ConnectionError, TimeoutError):
            return
        self.assertFalse([place for place in world.places if place.is_wiped or OPEN in place.fates])
        world.remember_files()
        world.nothing_is_left()

    def everything_ends(self) -> None:
        """Nothing is in the way any more: every account has keys that work, and those that went are gone."""
        world = self.world
        world.daemon.stop(signal.SIGKILL)
        world.crash_at(0)
        world.start()
        self.judge()
        world.judge_all()
        print(f"after {test_kills.kills} kills: {world.done}, {len(world.files)} keys")
        for place in world.places:
            self.assertIn(LIVES, place.fates, place)
        if test_kills.kills >= 20:
            self.assertGreater(min(world.done.get(word, 0) for word in ("seal", "open", "rotate", "wipe", "restore")), 0)
            self.assertTrue(any(GONE in place.fates for place in world.places), "no wipe came to its end")
