"""A daemon that does as it is told: a script for each connection, and a book of what it heard."""

import json
import os
import select
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

PREFIX = "org.webviewguard.Guard."
ANSWER_MS = 300
PATIENT_MS = 20_000
CONTRACT: dict[str, Any] = {
    "startMs": 800,
    "answerMs": ANSWER_MS,
    "navigation": "closed",
    "clipboard": "closed",
    "other": "open",
}
ATTACHED = {"instance": "T1", "app": "a", "features": [], "contract": CONTRACT, "generation": 1, "digest": "d"}
DECISION = {"outcome": "allow", "reason": "internal", "id": "1", "identityLevel": "process", "generation": 1,
            "digest": "d", "mode": "enforced"}  # fmt: skip

Frame = dict[str, Any]


class Peer:
    """One connection, as the fake daemon has it."""

    def __init__(self, connection: socket.socket, fake: "Fake") -> None:
        self.connection, self._fake = connection, fake
        self._received = b""
        self.contract = CONTRACT

    def frame(self) -> Frame:
        """The next call, with its method's last word; EOFError when the client is gone, or the test is over."""
        while b"\0" not in self._received:
            self.wait_readable()
            chunk = self.connection.recv(65536)
            if not chunk:
                raise EOFError
            self._received += chunk
        text, _, self._received = self._received.partition(b"\0")
        call: Frame = json.loads(text)
        call["method"] = call["method"].removeprefix(PREFIX)
        self._fake.heard.append(call)
        return call

    def wait_readable(self) -> None:
        ready, _, _ = select.select([self.connection, self._fake.over], [], [])
        if self._fake.over in ready:
            raise EOFError

    def wait_gone(self) -> None:
        """Says nothing until the client closes."""
        while True:
            self.wait_readable()
            if not self.connection.recv(65536):
                raise EOFError

    def pause(self, seconds: float) -> None:
        if select.select([self._fake.over], [], [], seconds)[0]:
            raise EOFError

    def send(self, data: bytes) -> None:
        self.connection.sendall(data)

    def reply(self, error: str | None = None, /, **parameters: Any) -> None:
        reply: dict[str, Any] = {"parameters": parameters} | ({"error": PREFIX + error} if error else {})
        self.send(json.dumps(reply).encode() + b"\0")

    def answer(self, call: Frame, **decision: Any) -> None:
        """What a good daemon would say."""
        if call["method"] == "Attach":
            self.reply(**(ATTACHED | {"contract": self.contract}))
        elif call["method"] == "DecideMany":
            self.reply(decisions=[DECISION | decision for _ in call["parameters"]["questions"]])
        elif "event" in call["parameters"]:
            self.reply(decision=DECISION | decision)
        else:
            self.reply()

    def attach(self) -> None:
        """Answers all calls up to and including Attach."""
        self.answer(self.frame())


Script = Callable[[Peer], None]


def good(peer: Peer) -> None:
    """Answers everything, and may be as slow about it as a busy machine is."""
    peer.contract = CONTRACT | {"answerMs": PATIENT_MS}
    brisk(peer)


def brisk(peer: Peer) -> None:
    """Answers everything in time, if the machine lets it."""
    while True:
        peer.answer(peer.frame())


def silent(peer: Peer) -> None:
    """Accepts, reads, and never answers."""
    peer.wait_gone()


def silent_when_asked(peer: Peer) -> None:
    """Answers Attach, and nothing else."""
    peer.attach()
    peer.frame()
    peer.wait_gone()


def hangs_up(peer: Peer) -> None:
    """Closes as soon as it is asked."""
    peer.attach()
    peer.frame()


def closes_half_way(peer: Peer) -> None:
    """Closes in the middle of a reply."""
    peer.attach()
    peer.frame()
    peer.send(b'{"parameters":{"decision":{"outcome":"allow"')


def dribbles(peer: Peer) -> None:
    """Sends one byte after the other, too slowly."""
    peer.attach()
    peer.frame()
    for byte in json.dumps({"parameters": {"decision": DECISION}}).encode() + b"\0":
        peer.send(bytes([byte]))
        peer.pause(0.02)


def late(peer: Peer) -> None:
    """Answers after the deadline."""
    peer.attach()
    call = peer.frame()
    peer.pause(ANSWER_MS / 1000 * 1.5)
    peer.answer(call, reason="late")
    good(peer)


def garbage(peer: Peer) -> None:
    """Speaks something else."""
    peer.attach()
    peer.frame()
    peer.send(b"HTTP/1.1 400 Bad Request\r\n\r\n\0")
    peer.wait_gone()


def never_ends(peer: Peer) -> None:
    """Sends a reply without an end, as fast as it goes."""
    peer.attach()
    peer.frame()
    while True:
        peer.send(b'"' + b"x" * 65536)


def chatters(peer: Peer) -> None:
    """Sends a reply to no call."""
    peer.attach()
    peer.pause(0.02)
    peer.reply(decision=DECISION)
    peer.wait_gone()


def refuses(peer: Peer) -> None:
    """Does not know the app."""
    while True:
        peer.frame()
        peer.reply("NoApp")


class Fake:
    """Listens, and plays the script of each connection in a thread; the last script goes on for all further ones."""

    def __init__(self, *scripts: Script) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.path = self.directory / "guard.sock"
        self.contract = self.directory / "contract.json"
        self.heard: list[Frame] = []
        self.connections = 0
        self.over, self._end = socket.socketpair()
        self._scripts = list(scripts) or [good]
        self._threads: list[threading.Thread] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        self.write_contract(CONTRACT)
        self._run(self._accept)

    def write_contract(self, contract: Any, mode: int = 0o644) -> None:
        self.contract.write_text(contract if isinstance(contract, str) else json.dumps(contract))
        os.chmod(self.contract, mode)

    def methods(self) -> list[str]:
        """What was called, in order."""
        return [call["method"] for call in self.heard]

    def play(self, *scripts: Script) -> None:
        """Scripts for the connections that come from now on."""
        self._scripts = list(scripts)

    def remove(self) -> None:
        self._end.send(b"!")
        for thread in self._threads:
            thread.join(10)
        for end in (self._listener, self.over, self._end):
            end.close()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _accept(self) -> None:
        while True:
            ready, _, _ = select.select([self._listener, self.over], [], [])
            if self.over in ready:
                return
            connection, _ = self._listener.accept()
            self.connections += 1
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            self._run(self._serve, connection, script)

    def _serve(self, connection: socket.socket, script: Script) -> None:
        # A client that closes in the middle is what the tests are about.
        with connection:
            connection.settimeout(20)
            try:
                script(Peer(connection, self))
            except (EOFError, OSError):
                pass

    def _run(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()


class Stopwatch:
    """How long something took: `with Stopwatch() as watch: …` and then `watch.ms`."""

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self.ms = 0.0
        return self

    def __exit__(self, *_: object) -> None:
        self.ms = (time.monotonic() - self._began) * 1000
