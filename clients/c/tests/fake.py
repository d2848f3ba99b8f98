"""A daemon that does what a test says, also what no daemon does."""

import json
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

GUARD = "org.webviewguard.Guard"
# Long, so that no answer is missed on a loaded machine; a test that waits for a deadline asks for a short one.
CONTRACT: dict[str, Any] = {
    "startMs": 10000, "answerMs": 5000, "navigation": "closed", "clipboard": "closed", "other": "closed",
}  # fmt: skip
SHORT_MS = 300
ATTACHED: dict[str, Any] = {
    "instance": "T1", "app": "com.contoso.portal", "features": ["actions", "clips"], "contract": CONTRACT,
    "generation": 1, "digest": "ab",
}  # fmt: skip
ALLOWED: dict[str, Any] = {
    "outcome": "allow", "id": "1", "reason": "internal", "identityLevel": "process", "generation": 1, "digest": "ab",
    "mode": "enforced",
}  # fmt: skip


def attached(**contract: Any) -> dict[str, Any]:
    """What Attach is answered, with another contract."""
    return ATTACHED | {"contract": CONTRACT | contract}


def bytes_of(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply).encode() + b"\0"


class Peer:
    """One connection of a client, as the daemon sees it."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        self.calls: list[dict[str, Any]] = []
        self.was_closed = threading.Event()
        self._received = b""

    def call(self) -> dict[str, Any] | None:
        """The next call; None when the client closed the connection."""
        while b"\0" not in self._received:
            try:
                chunk = self.connection.recv(65536)
            except OSError:
                chunk = b""
            if not chunk:
                self.was_closed.set()
                return None
            self._received += chunk
        frame, _, self._received = self._received.partition(b"\0")
        call: dict[str, Any] = json.loads(frame)
        call["method"] = call["method"].removeprefix(GUARD + ".")
        self.calls.append(call)
        return call

    def send(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError:
            self.was_closed.set()

    def reply(self, parameters: dict[str, Any], **flags: Any) -> None:
        self.send(bytes_of({"parameters": parameters, **flags}))

    def refuse(self, error: str, **parameters: Any) -> None:
        self.send(bytes_of({"error": f"{GUARD}.{error}", "parameters": parameters}))

    def allow(self, **decision: Any) -> None:
        self.reply({"decision": ALLOWED | decision})

    def close(self) -> None:
        self.connection.close()

    def stay_silent(self) -> None:
        """Hears, and says nothing, until the client goes."""
        while self.call() is not None:
            pass

    def attach(self, **contract: Any) -> None:
        """Answers the first call as Attach."""
        if self.call() is not None:
            self.reply(attached(**contract))

    def oblige(self) -> None:
        """Answers everything well until the client goes."""
        while (call := self.call()) is not None:
            self.answer(call)

    def answer(self, call: dict[str, Any]) -> None:
        if call.get("oneway"):
            return
        if call["method"] == "Attach":
            self.reply(ATTACHED)
        elif "event" in call["parameters"]:
            self.allow()
        elif call["method"] != "Subscribe":
            self.reply({})


Serve = Callable[[Peer], None]


class FakeDaemon:
    """Listens, and has each connection served by the next of the scripts; the last serves all that follow."""

    def __init__(self, directory: Path, *scripts: Serve) -> None:
        self.path = directory / "guard.sock"
        self.peers: list[Peer] = []
        self._scripts = list(scripts) or [Peer.oblige]
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(16)
        self._came = threading.Condition()
        threading.Thread(target=self._accept, daemon=True).start()

    def peer(self, index: int, seconds: float = 60.0) -> Peer:
        """The connection of that number, as soon as it came."""
        with self._came:
            if not self._came.wait_for(lambda: len(self.peers) > index, seconds):
                raise TimeoutError(f"connection {index} did not come")
            return self.peers[index]

    def close(self) -> None:
        """Ends it, with all connections and the socket's name."""
        if self._listener.fileno() < 0:
            return
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.path.unlink(missing_ok=True)
        for peer in self.peers:
            with suppress(OSError):
                peer.connection.shutdown(socket.SHUT_RDWR)
            peer.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            peer = Peer(connection)
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            with self._came:
                self.peers.append(peer)
                self._came.notify_all()
            threading.Thread(target=_serve, args=(script, peer), daemon=True).start()


def _serve(script: Serve, peer: Peer) -> None:
    """A script that returns hangs up only where it says so."""
    with suppress(OSError):
        script(peer)
