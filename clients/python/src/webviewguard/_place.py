"""Where the daemon listens, and who may be it."""

import os
import pwd
import socket
import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass

SYSTEM_DIRECTORY = "/run/webviewguard"
SERVICE_USER = "webviewguard"


@dataclass(frozen=True, slots=True)
class Place:
    """A socket, and the users whose daemon is believed there."""

    socket: str
    trusted: frozenset[int]

    @property
    def contract(self) -> str:
        return os.path.join(os.path.dirname(self.socket), "contract.json")


def find(path: str | os.PathLike[str] | None, trusted: Iterable[int] | None) -> Place:
    """The place that was given; else that of the system's daemon when there is one, else that of the user's own."""
    if path is not None:
        found, is_own = os.fspath(path), True
    elif os.path.isdir(SYSTEM_DIRECTORY):
        found, is_own = f"{SYSTEM_DIRECTORY}/guard.sock", False
    else:
        runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
        found, is_own = f"{runtime}/webviewguard/guard.sock", True
    return Place(found, frozenset(_believed(is_own) if trusted is None else trusted))


def _believed(is_own: bool) -> Collection[int]:
    users = {0}
    try:
        users.add(pwd.getpwnam(SERVICE_USER).pw_uid)
    except KeyError:
        pass
    return users | {os.geteuid()} if is_own else users


def listener(connection: socket.socket) -> int:
    """The user id of whoever listens at the other end."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return int(uid)
