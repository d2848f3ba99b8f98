"""When memory runs out, and when valgrind looks."""

import shutil
from pathlib import Path

from case import ClientCase
from fake import Peer
from program import Driver, run

# More allocations than the whole scenario makes.
ENOUGH = 600


def oblige_late(peer: Peer) -> None:
    """Under valgrind everything takes long."""
    peer.attach(startMs=20000, answerMs=10000)
    peer.oblige()


def say_nonsense(peer: Peer) -> None:
    peer.call()
    peer.send(b"nonsense\0")
    peer.stay_silent()


class Memory(ClientCase):
    def test_without_memory_nothing_is_allowed_that_was_not(self) -> None:
        daemon = self.fake()
        counts = []
        for after in range(1, ENOUGH):
            allowed, was_hungry = self.live(daemon.path, after)
            counts.append(allowed)
            if not was_hungry:
                break
        self.assertFalse(was_hungry, "the program makes more allocations than were tried")
        self.assertEqual((counts[0], counts[-1]), (0, 3))
        self.assertGreater(len(counts), 60)
        self.assertEqual(counts, sorted(counts), "the later memory runs out, the more was allowed")
        daemon.close()
        self.assertEqual(self.live(daemon.path, ENOUGH), (0, False))

    def live(self, path: Path, after: int) -> tuple[int, bool]:
        """How many navigations were allowed, and whether memory ran out."""
        said = run(self.driver_type.folder / "hungry", path, str(after)).stdout
        allowed, was_hungry = map(int, said.split())
        return allowed, bool(was_hungry)

    def test_valgrind_finds_nothing(self) -> None:
        if self.way != "plain" or not shutil.which("valgrind"):
            return
        options = ["--error-exitcode=9", "--leak-check=full", "--track-fds=yes", "--quiet"]
        watched = type("Watched", (Driver,), {"folder": self.driver_type.folder, "prefix": ["valgrind", *options]})
        self.contract('{"startMs": 20000, "answerMs": 10000}')
        self.driver_type = watched
        daemon = self.fake(oblige_late, say_nonsense)
        driver = self.driver().new(app="a", features=["warn"], languages=["de"])
        driver.say("RegisterViewer", viewer="v0", parent="v0")
        self.assertTrue(driver.start())
        driver.say("SetIdentity", account="w@c.com")
        driver.say("RegisterViewer", viewer="v1", window="w1", document="d")
        driver.say("RegisterViewer", viewer="v2", opener="v1", parent="v1")
        driver.say("SetWebViewPolicy", viewer="v1", policy="unmanaged")
        driver.say("ForgetViewer", viewer="v1")
        self.assert_allowed(driver.ask("navigate", viewer="v2", url="u", newWindow=True, formats=["a", "b"]))
        self.assertEqual(driver("scope", outer="a@c.com", account="b@c.com")["said"], "done")
        driver("askLater", kind="copy", tag="a", event={"viewer": "v2"})
        driver("subscribe", topics=["policy"])
        driver("loop", answers=1)
        driver.heard()
        daemon.peer(0).connection.shutdown(2)
        driver("loop", ms=500)
        driver.say("ForgetViewer", viewer="v2")
        driver("askLater", kind="copy", tag="b", event={})
        driver("free")
        driver.heard()
