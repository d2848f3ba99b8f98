"""The agent of a person's session that gives out credentials, doing as a test says: for tests of clients."""

import json
import shutil
import socket
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

NAME = "x-ms-RefreshTokenCredential"
PAGE = "https://login.microsoftonline.com/common/oauth2/authorize?sso_nonce=n1"
VALUE = "eyJ0.a-b_c"


def said(value: Any) -> bytes:
    """A reply with this credential."""
    return json.dumps({"parameters": {"name": NAME, "value": value}}).encode() + b"\0"


# What no client may take for a credential.
LIES = (
    *(said(value) for value in ("", "a\r\nHost: evil.example", "a\n", "a b", "a\0", "é", "a" * 12289, 7, None, ["a"])),
    said("a").replace(NAME.encode(), b"Host"), said("a").replace(NAME.encode(), NAME.lower().encode()),
    said("a").replace(b"{", b'{"error":"org.webviewguard.Session.NoCredential",', 1),
    b"[]\0", b"7\0", b"not JSON\0", b"", b"{}", b"\xff\0", b"x" * 100_000,
)  # fmt: skip


class FakeAgent:
    """An agent that sends these bytes to everybody; it never answers where they are None."""

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.path = self.directory / "webviewguard-session.sock"
        self.asked: list[Any] = []
        self.answer: bytes | None = said(VALUE)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(self.path))
        self._server.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._server.close()
        shutil.rmtree(self.directory)

    def _serve(self) -> None:
        lines = []
        while True:
            try:
                line, _ = self._server.accept()
            except OSError:
                return
            lines.append(line)
            # A client that gives up may leave half a frame.
            if (frame := line.recv(65536)).endswith(b"\0"):
                self.asked.append(json.loads(frame.rstrip(b"\0")))
            if self.answer is not None:
                with suppress(OSError):
                    line.sendall(self.answer)
                line.close()
