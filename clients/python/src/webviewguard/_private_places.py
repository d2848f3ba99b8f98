"""Directories of this program alone for content that may not lie about in plain: it lies there for a moment only, and goes
with the program.

A directory is locked as long as it is used. What a killed program left is not locked any more, and the next program that
needs a directory in that place removes it."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

_PREFIX = ".webviewguard-"
# What a download of unknown length may need.
_UNKNOWN_SIZE = 64 << 20


class PrivatePlace:
    """One directory, locked until it is closed."""

    def __init__(self, base: str, label: bytes | None = None, attribute: str = "") -> None:
        clear(base)
        self.directory, self._lock = _locked(base)
        if label is not None:
            with suppress(OSError):
                os.setxattr(self._lock, attribute, label)

    def close(self) -> None:
        """Removes it with everything in it."""
        if self._lock >= 0:
            shutil.rmtree(self.directory, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1


def clear(base: str) -> None:
    """Removes the directories below `base` that programs of this user left when they were killed."""
    try:
        names = [name for name in os.listdir(base) if name.startswith(_PREFIX)]
    except OSError:
        return
    for name in names:
        with suppress(OSError):
            _remove_unused(os.path.join(base, name))


def memory(size: int | None) -> str:
    """The place for a copy of so many bytes: the person's directory in memory, where there is room twice, so that nothing
    of it reaches the disk; else the person's cache."""
    wanted = 2 * (_UNKNOWN_SIZE if size is None or size < 0 else size)
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if os.path.isabs(runtime) and _is_own(runtime) and _room(runtime) >= wanted:
        return runtime
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "webviewguard"
    with suppress(OSError):
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        if _is_own(str(cache)):
            return str(cache)
    return tempfile.gettempdir()


def places() -> list[str]:
    """All places that `memory` may name."""
    return list({memory(0), memory(1 << 62)})


def _locked(base: str) -> tuple[str, int]:
    """A directory that nobody else may enter. Another program may take it for one that was left, before it is locked: then
    there is another try."""
    while True:
        directory = tempfile.mkdtemp(prefix=_PREFIX, dir=base)
        lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
        with suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.stat(directory), os.fstat(lock)):
                return directory, lock
        os.close(lock)


def _remove_unused(directory: str) -> None:
    lock = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        if os.fstat(lock).st_uid == os.geteuid():
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(directory, ignore_errors=True)
    finally:
        os.close(lock)


def _is_own(directory: str) -> bool:
    """Nobody else can put or read anything there."""
    try:
        found = os.stat(directory)
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _room(directory: str) -> int:
    try:
        found = os.statvfs(directory)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize
