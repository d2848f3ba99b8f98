"""Varlink by hand, for what no library sends: JSON objects that end with NUL on a stream socket."""

import json
import socket
from pathlib import Path
from typing import Any

GUARD = "org.webviewguard.Guard"
ACCOUNTS = "org.webviewguard.Accounts"
ADMIN = "org.webviewguard.Admin"
RULES = "org.webviewguard.Rules"
SERVICE = "org.varlink.service"


class Wire:
    """One raw connection. Every wait has a deadline: a daemon that hangs fails a test and does not stop it."""

    def __init__(self, path: Path, seconds: float = 60.0) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(seconds)
        self.socket.connect(str(path))
        self._received = b""

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, *frames: bytes) -> None:
        """Sends bytes as they are, in one piece."""
        self.socket.sendall(b"".join(frames))

    def reply(self) -> dict[str, Any]:
        """The next reply; ConnectionError when the daemon closed the connection."""
        while b"\0" not in self._received:
            chunk = self.socket.recv(65536)
            if not chunk:
                raise ConnectionError("the daemon closed the connection")
            self._received += chunk
        frame, _, self._received = self._received.partition(b"\0")
        return dict(json.loads(frame))

    @property
    def has_reply(self) -> bool:
        """Whether a whole reply has been read from the socket, and not been taken."""
        return b"\0" in self._received

    def drain(self) -> None:
        """Takes up what has come so far, for `reply`: a daemon leaves out what a slow reader does not take."""
        deadline = self.socket.gettimeout()
        self.socket.setblocking(False)
        try:
            while chunk := self.socket.recv(1 << 20):
                self._received += chunk
        except BlockingIOError:
            pass
        finally:
            self.socket.settimeout(deadline)

    def replies(self, count: int) -> list[dict[str, Any]]:
        return [self.reply() for _ in range(count)]

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self.send(frame(method, **parameters))
        return self.reply()

    def is_closed(self) -> bool:
        """Whether the daemon closes the connection before the deadline; what it still says is thrown away."""
        try:
            while self.socket.recv(65536):
                pass
        except TimeoutError:
            return False
        except ConnectionError:
            pass
        return True


def frame(method: str, *, flags: dict[str, Any] | None = None, **parameters: Any) -> bytes:
    """One call as bytes: `frame("org.webviewguard.Guard.WhoAmI")`; `flags` are members beside the parameters."""
    return json.dumps({"method": method, "parameters": parameters, **(flags or {})}).encode() + b"\0"
