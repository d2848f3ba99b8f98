"""Where the daemon listens, and who may be it."""

import os
import pwd
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass

SYSTEM_DIRECTORY = "/run/webviewguard"
SERVICE_USER = "webviewguard"


@dataclass(frozen=True, slots=True)
class Place:
    """A socket, and whose daemon is believed there."""

    socket: str
    # The daemon may be the user's own.
    is_own: bool
    # In place of everybody who is believed else.
    only: frozenset[int] | None = None

    @property
    def contract(self) -> str:
        return os.path.join(os.path.dirname(self.socket), "contract.json")

    def trusts(self, uid: int) -> bool:
        """Whether what that user says is the daemon's word."""
        if self.only is not None:
            return uid in self.only
        # Names are looked up last: that may take time.
        return uid == 0 or (self.is_own and uid == os.geteuid()) or uid == _service_user()


def find(path: str | os.PathLike[str] | None, trusted: Iterable[int] | None) -> Place:
    """The place that was given; else that of the system's daemon when there is one, else that of the user's own."""
    only = None if trusted is None else frozenset(trusted)
    if path is not None:
        return Place(os.fspath(path), True, only)
    if os.path.isdir(SYSTEM_DIRECTORY):
        return Place(f"{SYSTEM_DIRECTORY}/guard.sock", False, only)
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return Place(f"{runtime}/webviewguard/guard.sock", True, only)


def listener(connection: socket.socket) -> int:
    """The user id of whoever listens at the other end."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, uid, _ = struct.unpack("3i", credentials)
    return int(uid)


def _service_user() -> int | None:
    try:
        return pwd.getpwnam(SERVICE_USER).pw_uid
    except KeyError:
        return None
