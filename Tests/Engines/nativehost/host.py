"""`webviewguard native-messaging` as a browser runs it: messages with four bytes of length on its standard streams."""

import json
import os
import select
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Support/python"))

from daemon import PROGRAM

ORIGIN = "chrome-extension://jdkpgeebkblcbcjdjflflmlpmmlmcofo/"
# The program whose verb is tested; the daemon's own unless another was built.
HOST = Path(os.environ.get("WEBVIEWGUARD_HOST") or PROGRAM).resolve()


class Host:
    """One host process. Every wait has a deadline."""

    def __init__(
        self, *options: str, environment: dict[str, str] | None = None, prefix: Sequence[str] = ()
    ) -> None:
        self.process = subprocess.Popen(
            [*prefix, str(HOST), "native-messaging", *options, ORIGIN], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, **(environment or {})},
        )  # fmt: skip
        self._received = b""
        # Messages that came while another was waited for.
        self.kept: list[dict[str, Any]] = []
        self._last = 0

    def send_bytes(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, call: str, **members: Any) -> int:
        """Sends a call and returns its id."""
        self._last += 1
        self.send_bytes(framed({"id": self._last, "call": call, **members}))
        return self._last

    def call(self, call: str, **members: Any) -> dict[str, Any]:
        """The reply to a call; what else comes meanwhile is kept."""
        number = self.send(call, **members)
        return self.until(lambda message: message.get("id") == number)

    def until(self, wanted: Any, seconds: float = 60.0) -> dict[str, Any]:
        """The first message that is wanted, kept or yet to come; the others are kept."""
        deadline = time.monotonic() + seconds
        for index, message in enumerate(self.kept):
            if wanted(message):
                return self.kept.pop(index)
        while True:
            message = self.receive(deadline - time.monotonic())
            if wanted(message):
                return message
            self.kept.append(message)

    def receive(self, seconds: float = 60.0) -> dict[str, Any]:
        """The next message."""
        deadline = time.monotonic() + seconds
        header = self._take(4, deadline)
        return dict(json.loads(self._take(struct.unpack("=I", header)[0], deadline)))

    def _take(self, count: int, deadline: float) -> bytes:
        assert self.process.stdout is not None
        while len(self._received) < count:
            if not select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the host said nothing")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                raise EOFError("the host has ended")
            self._received += chunk
        taken, self._received = self._received[:count], self._received[count:]
        return taken

    def end(self) -> int:
        """Closes its standard input, as a browser does, and returns its exit status."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return self.process.wait(10)

    def remove(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()


def framed(message: Any) -> bytes:
    """A message as the browser sends it."""
    text = json.dumps(message).encode()
    return struct.pack("=I", len(text)) + text
