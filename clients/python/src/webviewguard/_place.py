"""Where the daemon listens, and who may be it."""

from __future__ import annotations

import os
import pwd
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass

SYSTEM_DIRECTORY = "/run/webviewguard"
# Where systemd looks for a unit: the first place that has it counts.
UNIT_DIRECTORIES = tuple(f"{place}/systemd/system" for place in ("/etc", "/usr/local/lib", "/usr/lib", "/lib"))
SERVICE_USER = "webviewguard"


@dataclass(frozen=True)
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
    """The place that was given; else that of the system's daemon when there is one, else that of the user's own.

    Where the machine has a daemon of its own, nobody's own daemon is believed, and none is looked for: a user could put
    another policy in the place of the organisation's.
    """
    only = None if trusted is None else frozenset(trusted)
    has_system = has_system_daemon()
    if path is not None:
        return Place(os.fspath(path), not has_system, only)
    if has_system:
        return Place(f"{SYSTEM_DIRECTORY}/guard.sock", False, only)
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return Place(f"{runtime}/webviewguard/guard.sock", True, only)


def has_system_daemon() -> bool:
    """Whether this machine has a daemon of its own, running or not: its directory is there, or one of its units that is
    not masked (a link to /dev/null). Only root makes those, or masks them."""
    return os.path.exists(SYSTEM_DIRECTORY) or any(map(_has_unit, ("service", "socket")))


def _has_unit(kind: str) -> bool:
    paths = (f"{directory}/webviewguard.{kind}" for directory in UNIT_DIRECTORIES)
    found = next(filter(os.path.exists, paths), None)
    return found is not None and os.path.isfile(found)


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
