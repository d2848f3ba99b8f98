"""What this machine says of a file: its label, the place that it came from, and facts by which the daemon's table knows it on
a file system that keeps no attributes. The daemon opens no file; this is read by the program, with its own rights."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
from contextlib import suppress
from typing import Any

from webviewguard._words import LabelStore
from webviewguard.errors import FileProtectionError

LABEL = "user.webviewguard.owner"
_ORIGIN = "user.xdg.origin.url"

_AT_EMPTY_PATH = 0x1000
_BIRTH = 0x800
# STATX_ATTR_ENCRYPTED.
_ENCRYPTED = 0x800
_HANDLE_BYTES = 128
# The ioctl FS_IOC_GETFSUUID of Linux 6.9: the length and then the UUID.
_GET_UUID = 0x80111500
_NO_ATTRIBUTES = frozenset({errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
# FAT and exFAT make handles and inodes anew whenever a file is read into memory again, and programs behind FUSE may (statfs:
# `f_type`).
_FORGETFUL = frozenset({0x4D44, 0x2011BAB0, 0x65735546})
# A longer text is none to the daemon.
_LONGEST = 256

_libc = ctypes.CDLL(None, use_errno=True)


class _Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("kind", ctypes.c_int), ("bytes", ctypes.c_ubyte * _HANDLE_BYTES)]


def place(file: int) -> tuple[LabelStore, str | None]:
    """Where the owner of an open file is kept, and for the table its facts."""
    try:
        _attribute(file, LABEL)
    except OSError as error:
        if error.errno not in _NO_ATTRIBUTES:
            raise FileProtectionError(103, str(error)) from error
        known = table_facts(file)
        store: LabelStore = "none" if known is None else "table"
        return store, known
    return "attribute", None


def facts(file: int) -> dict[str, str]:
    """The members of an event, or of `ReadLabel`, for an open file."""
    store, known = place(file)
    if store != "attribute":
        return {} if known is None else {"file": known}
    found: dict[str, str] = {}
    label = _attribute(file, LABEL)
    if label is not None:
        found["label"] = label.hex()
    with suppress(OSError):
        origin = _attribute(file, _ORIGIN)
        if origin:
            found["origin"] = origin.decode(errors="replace")
    return found


def table_facts(file: int) -> str | None:
    """`UUID:TYPE:HANDLE:SECONDS.NANOSECONDS` of an open file; None where the file system lacks one of them or makes handles
    anew, so that nothing but sealing keeps the owner."""
    if _kind(file) in _FORGETFUL:
        return None
    parts = (_file_system(file), _handle(file), _birth(file))
    if None in parts:
        return None
    text = ":".join(str(part) for part in parts)
    return text if len(text) <= _LONGEST else None


def _attribute(file: int, name: str) -> bytes | None:
    try:
        return os.getxattr(file, name)
    except OSError as error:
        if error.errno == errno.ENODATA:
            return None
        raise


def _kind(file: int) -> int | None:
    """The type of the file system, which `struct statfs` begins with."""
    answer: Any = ctypes.create_string_buffer(256)
    if _libc.fstatfs(file, answer) != 0:
        return None
    return ctypes.c_long.from_buffer(answer).value & 0xFFFFFFFF


def _file_system(file: int) -> str | None:
    answer = bytearray(17)
    with suppress(OSError):
        fcntl.ioctl(file, _GET_UUID, answer)
        # Images that nobody gave a UUID all have zeros.
        if 0 < answer[0] <= 16 and any(answer[1:]):
            return bytes(answer[1 : 1 + answer[0]]).hex()
    device, folder = os.fstat(file).st_dev, "/dev/disk/by-uuid"
    with suppress(OSError):
        for name in sorted(os.listdir(folder)):
            with suppress(OSError):
                if os.stat(f"{folder}/{name}").st_rdev == device:
                    return name.lower()
    return None


def _handle(file: int) -> str | None:
    handle, mount = _Handle(size=_HANDLE_BYTES), ctypes.c_int()
    if _libc.name_to_handle_at(file, b"", ctypes.byref(handle), ctypes.byref(mount), _AT_EMPTY_PATH) != 0:
        return None
    return f"{handle.kind}:{bytes(handle.bytes[: handle.size]).hex()}"


def _birth(file: int) -> str | None:
    """The time of birth: it stands at byte 80 of `struct statx`."""
    raw = _status(file)
    if raw is None or not int.from_bytes(raw[:4], "little") & _BIRTH:
        return None
    seconds, nanoseconds = int.from_bytes(raw[80:88], "little", signed=True), int.from_bytes(raw[88:92], "little")
    return f"{seconds}.{nanoseconds:09}"


def is_encrypted_by_file_system(file: int) -> bool:
    """Whether fscrypt encrypts an open file, or what is created in an open directory: the attribute and the word that the
    file system knows of it stand at the bytes 8 and 56 of `struct statx`."""
    raw = _status(file)
    if raw is None:
        return False
    said, known = (int.from_bytes(raw[place : place + 8], "little") for place in (8, 56))
    return bool(said & known & _ENCRYPTED)


def _status(file: int) -> bytes | None:
    """The bytes of `struct statx`, which begins with a mask of what is in it."""
    answer: Any = ctypes.create_string_buffer(256)
    if not hasattr(_libc, "statx") or _libc.statx(file, b"", _AT_EMPTY_PATH, _BIRTH, answer) != 0:
        return None
    return bytes(answer.raw)
