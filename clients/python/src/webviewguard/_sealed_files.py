"""Files that are replaced whole: there is the old one or the new one, and never a part."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, Union

Path = Union[str, "os.PathLike[str]"]


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` when nothing was raised. It has the permissions of the one before, or those of
    any new file; where `path` is a link, the file that it leads to is replaced. Another name of the same file (a hard
    link) keeps the old content. A crash may leave a file `.NAME.*.new`, which nobody can read without its last chunk."""
    final = os.path.realpath(path)
    directory, name = os.path.split(final)
    folder = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        temporary = f".{os.fsdecode(os.fsencode(name)[:100])}.{secrets.token_hex(8)}.new"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=folder)
        try:
            with open(descriptor, "wb", buffering=0) as file:
                _keep_mode(descriptor, name, folder)
                yield file
                os.fsync(descriptor)
            os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
            raise
        os.fsync(folder)
    finally:
        os.close(folder)


def _keep_mode(descriptor: int, name: str, folder: int) -> None:
    """A file system without permissions, such as FAT behind FUSE, refuses to set them, and has the same for each file."""
    with suppress(FileNotFoundError):
        old = os.stat(name, dir_fd=folder).st_mode & 0o777
        if os.fstat(descriptor).st_mode & 0o777 != old:
            os.fchmod(descriptor, old)
