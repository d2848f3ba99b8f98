"""Ways of daemons, good and bad, and the contract that they answer."""

import shutil
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any, Self

from fake import ALLOWED, SHORT_MS, FakeDaemon, Peer, Script, bytes_of

ANSWER_MS = SHORT_MS
PATIENT_MS = 20_000
CONTRACT: dict[str, Any] = {
    "startMs": 800,
    "answerMs": ANSWER_MS,
    "navigation": "closed",
    "clipboard": "closed",
    "other": "open",
}


def played(test: unittest.TestCase, *scripts: Script) -> FakeDaemon:
    """A fake daemon in a folder of its own, with its contract beside it, until the test is over."""
    directory = Path(tempfile.mkdtemp(prefix="wvg-"))
    test.addCleanup(shutil.rmtree, directory, ignore_errors=True)
    daemon = FakeDaemon(directory, *scripts or (good,), contract=CONTRACT)
    test.addCleanup(daemon.close)
    daemon.write_contract(CONTRACT)
    return daemon


def good(peer: Peer) -> None:
    """Answers everything, and may be as slow about it as a busy machine is."""
    peer.contract = CONTRACT | {"answerMs": PATIENT_MS}
    brisk(peer)


def brisk(peer: Peer) -> None:
    """Answers everything in time, if the machine lets it."""
    peer.oblige()


def silent(peer: Peer) -> None:
    """Accepts, reads, and never answers."""
    peer.stay_silent()


def silent_when_asked(peer: Peer) -> None:
    """Answers Attach, and nothing else."""
    peer.attach()
    peer.call()
    peer.stay_silent()


def hangs_up(peer: Peer) -> None:
    """Closes as soon as it is asked."""
    peer.attach()
    peer.call()


def closes_half_way(peer: Peer) -> None:
    """Closes in the middle of a reply."""
    peer.attach()
    peer.call()
    peer.send(b'{"parameters":{"decision":{"outcome":"allow"')


def dribbles(peer: Peer) -> None:
    """Sends one byte after the other, too slowly."""
    peer.attach()
    peer.call()
    for byte in bytes_of({"parameters": {"decision": ALLOWED}}):
        peer.send(bytes([byte]))
        peer.pause(0.02)


def late(peer: Peer) -> None:
    """Answers after the deadline."""
    peer.attach()
    call = peer.call()
    peer.pause(ANSWER_MS / 1000 * 1.5)
    peer.answer(call, reason="late")
    good(peer)


def garbage(peer: Peer) -> None:
    """Speaks something else."""
    peer.attach()
    peer.call()
    peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n\0")
    peer.stay_silent()


def never_ends(peer: Peer) -> None:
    """Sends a reply without an end, as fast as it goes."""
    peer.attach()
    peer.call()
    while True:
        peer.send(b'"' + b"x" * 65536)


def chatters(peer: Peer) -> None:
    """Sends a reply to no call."""
    peer.attach()
    peer.pause(0.02)
    peer.allow()
    peer.stay_silent()


def refuses(peer: Peer) -> None:
    """Does not know the app."""
    while True:
        peer.call()
        peer.refuse("NoApp")


class Stopwatch:
    """How long something took: `with Stopwatch() as watch: …` and then `watch.ms`."""

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self.ms = 0.0
        return self

    def __exit__(self, *_: object) -> None:
        self.ms = (time.monotonic() - self._began) * 1000
