"""A daemon that does as a test says, also what no daemon does: a script for each connection."""

import json
import os
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from wire import GUARD

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


def bytes_of(reply: dict[str, Any]) -> bytes:
    return json.dumps(reply).encode() + b"\0"


class Peer:
    """One connection of a client, as the daemon sees it. `contract` is what Attach is answered."""

    def __init__(self, connection: socket.socket, daemon: "FakeDaemon") -> None:
        self.connection = connection
        self.contract = daemon.contract
        self.calls: list[dict[str, Any]] = []
        self.was_closed = threading.Event()
        self._daemon = daemon
        self._received = b""

    def call(self) -> dict[str, Any]:
        """The next call, with its method's last word; EOFError, which ends the script, when the client is gone."""
        while b"\0" not in self._received:
            try:
                chunk = self.connection.recv(65536)
            except OSError:
                chunk = b""
            if not chunk:
                self.was_closed.set()
                raise EOFError
            self._received += chunk
        frame, _, self._received = self._received.partition(b"\0")
        call: dict[str, Any] = json.loads(frame)
        call["method"] = call["method"].removeprefix(GUARD + ".")
        self.calls.append(call)
        self._daemon.heard.append(call)
        return call

    def send(self, data: bytes) -> None:
        try:
            self.connection.sendall(data)
        except OSError:
            self.was_closed.set()
            raise

    def reply(self, parameters: dict[str, Any], **flags: Any) -> None:
        self.send(bytes_of({"parameters": parameters, **flags}))

    def refuse(self, error: str, **parameters: Any) -> None:
        self.send(bytes_of({"error": f"{GUARD}.{error}", "parameters": parameters}))

    def allow(self, **decision: Any) -> None:
        self.reply({"decision": ALLOWED | decision})

    def close(self) -> None:
        self.connection.close()

    def pause(self, seconds: float) -> None:
        """Does nothing, until the test is over at most."""
        if self._daemon.over.wait(seconds):
            raise EOFError

    def stay_silent(self) -> None:
        """Hears, and says nothing, until the client goes."""
        while True:
            self.call()

    def attach(self, **contract: Any) -> None:
        """Answers the first call as Attach, with another contract if one is given."""
        self.contract = self.contract | contract
        self.call()
        self.reply(ATTACHED | {"contract": self.contract})

    def oblige(self) -> None:
        """Answers everything well until the client goes."""
        while True:
            self.answer(self.call())

    def answer(self, call: dict[str, Any], **decision: Any) -> None:
        """Says what a good daemon would; `decision` are members that it decides otherwise."""
        if call.get("oneway"):
            return
        if call["method"] == "Attach":
            self.reply(ATTACHED | {"contract": self.contract})
        elif call["method"] == "DecideMany":
            self.reply({"decisions": [ALLOWED | decision for _ in call["parameters"]["questions"]]})
        elif "event" in call["parameters"]:
            self.allow(**decision)
        elif call["method"] != "Subscribe":
            self.reply({})


Script = Callable[[Peer], None]


class FakeDaemon:
    """Listens at DIRECTORY/guard.sock, and has each connection served by the next of the scripts, in a thread; the last
    serves all that follow. A script that returns hangs up."""

    def __init__(self, directory: Path, *scripts: Script, contract: dict[str, Any] = CONTRACT) -> None:
        self.directory = directory
        self.path = directory / "guard.sock"
        self.contract = contract
        self.contract_file = directory / "contract.json"
        self.peers: list[Peer] = []
        self.heard: list[dict[str, Any]] = []
        self.over = threading.Event()
        self._threads: list[threading.Thread] = []
        self._came = threading.Condition()
        self.play(*scripts or (Peer.oblige,))
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        self._run(self._accept)

    def play(self, *scripts: Script) -> None:
        """Scripts for the connections that come from now on."""
        self._scripts = list(scripts)

    def write_contract(self, contract: dict[str, Any] | str, mode: int = 0o644) -> None:
        """Writes the contract beside the socket."""
        self.contract_file.write_text(contract if isinstance(contract, str) else json.dumps(contract))
        os.chmod(self.contract_file, mode)

    def peer(self, index: int, seconds: float = 60.0) -> Peer:
        """The connection of that number, as soon as it came."""
        with self._came:
            if not self._came.wait_for(lambda: len(self.peers) > index, seconds):
                raise TimeoutError(f"connection {index} did not come")
            return self.peers[index]

    def methods(self) -> list[str]:
        """What was called, in order, on whatever connection."""
        return [call["method"] for call in self.heard]

    def close(self) -> None:
        """Ends it, with all connections and the socket's name."""
        if self.over.is_set():
            return
        self.over.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self.path.unlink(missing_ok=True)
        self._threads[0].join(10)
        self._listener.close()
        for peer in self.peers:
            with suppress(OSError):
                peer.connection.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join(10)

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            peer = Peer(connection, self)
            script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
            with self._came:
                self.peers.append(peer)
                self._came.notify_all()
            self._run(self._serve, script, peer)

    def _serve(self, script: Script, peer: Peer) -> None:
        # A client that closes in the middle is what the tests are about.
        with peer.connection, suppress(EOFError, OSError):
            script(peer)

    def _run(self, work: Callable[..., None], *arguments: Any) -> None:
        thread = threading.Thread(target=work, args=arguments, daemon=True)
        self._threads.append(thread)
        thread.start()
