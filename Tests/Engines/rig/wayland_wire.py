"""A few words of Wayland's protocol, for what no program of Debian does: a seat's devices that stay, and a hasty reader."""

import array
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path

DISPLAY, REGISTRY = 1, 2
# Requests and events, by their numbers in the protocol's documents.
GET_REGISTRY, BIND = 1, 0
SYNC = 0
GLOBAL, DONE = 0, 0


def text(value: str) -> bytes:
    """A string of the protocol: its length with the zero behind it, and both filled up to four bytes."""
    raw = value.encode() + b"\0"
    return struct.pack("=I", len(raw)) + raw + b"\0" * (-len(raw) % 4)


def read_text(body: bytes) -> str:
    """The string at the start of an event's arguments; of a null string the empty one."""
    length = struct.unpack_from("=I", body)[0]
    return body[4 : 4 + length - 1].decode() if length else ""


class Wire:
    """A connection to the compositor of `WAYLAND_DISPLAY`, whose objects are numbers."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        path = Path(os.environ["WAYLAND_DISPLAY"])
        self._socket.connect(str(path if path.is_absolute() else Path(os.environ["XDG_RUNTIME_DIR"], path)))
        self._read = b""
        self._last = REGISTRY
        # What an object does with an event: its number, and its arguments as bytes.
        self.hears: dict[int, Callable[[int, bytes], None]] = {}
        self.globals: dict[str, int] = {}
        self.hears[REGISTRY] = self._global
        self.send(DISPLAY, GET_REGISTRY, struct.pack("=I", REGISTRY))
        self.round_trip()

    def _global(self, event: int, body: bytes) -> None:
        if event == GLOBAL:
            self.globals[read_text(body[4:])] = struct.unpack_from("=I", body)[0]

    def make(self) -> int:
        """The number of a new object, which a request makes."""
        self._last += 1
        return self._last

    def bind(self, interface: str, version: int) -> int:
        """A global object of the compositor; KeyError when it has none of that kind."""
        made = self.make()
        named = struct.pack("=I", self.globals[interface]) + text(interface) + struct.pack("=II", version, made)
        self.send(REGISTRY, BIND, named)
        return made

    def send(self, target: int, request: int, body: bytes = b"", descriptor: int | None = None) -> None:
        message = struct.pack("=IHH", target, request, 8 + len(body)) + body
        if descriptor is None:
            self._socket.sendall(message)
        else:
            held = array.array("i", [descriptor])
            self._socket.sendmsg([message], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, held)])

    def listen(self) -> None:
        """Waits for events, and has their objects hear them; ConnectionError at the end."""
        more = self._socket.recv(65536)
        if not more:
            raise ConnectionError("the compositor has ended the connection")
        self._read += more
        while len(self._read) >= 8:
            source, event, length = struct.unpack_from("=IHH", self._read)
            if len(self._read) < length:
                return
            body, self._read = self._read[8:length], self._read[length:]
            if source == DISPLAY and event == 0:
                raise ConnectionError(f"the compositor says: {read_text(body[8:])}")
            self.hears.get(source, lambda _event, _body: None)(event, body)

    def round_trip(self) -> None:
        """Returns when the compositor has done everything that was sent, and all its events are heard."""
        done: list[int] = []
        call = self.make()
        self.hears[call] = lambda event, _body: done.append(event)
        self.send(DISPLAY, SYNC, struct.pack("=I", call))
        while not done:
            self.listen()

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

