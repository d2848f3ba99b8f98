"""Sealed streams and files of any size, in constant memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, Union

from webviewguard import _sealed_format as form
from webviewguard._sealed_format import HEADER, LONGEST_DATA, LONGEST_HEADER, TAG, SealedHeader, UnmanagedHeader, damaged
from webviewguard._sealed_keys import Chunks, KeyRequest, KeySource, known_chunks, new_chunks
from webviewguard.errors import SealingError

if TYPE_CHECKING:
    from typing import Self

Bytes = Union[bytes, bytearray, memoryview]
PIECE = 1 << 16


class Target(Protocol):
    """Where bytes can be written, such as a file or `io.BytesIO`."""

    def write(self, data: Any, /) -> int | None: ...


class Source(Protocol):
    """Where bytes can be read, such as a pipe's file."""

    def read(self, size: int, /) -> bytes | None: ...


class SealedWriter:
    """Seals what is written. `finish` writes the last chunk; without it the envelope is damaged, as it should be when
    somebody stopped half way. `with` finishes when nothing was raised."""

    def __init__(self, target: Target, account: str, keys: KeySource) -> None:
        name = form.account_name(account)
        object_id = new_object_id()
        key = keys(KeyRequest("write", account, object_id.hex())) if name else None
        self._target = target
        self._chunks: Chunks | None = None
        self._held = bytearray()
        self._number = self._length = 0
        self._is_over = self.is_finished = False
        if key is None:
            self._put(form.unmanaged_header(account))
        else:
            ids = form.sealed_ids(bytes.fromhex(key.account_id), bytes.fromhex(key.key_id), object_id)
            header, self._chunks = new_chunks(key, ids)
            self._put(header)

    def write(self, data: Bytes) -> int:
        """Takes all of it. One chunk is held back, until it is known whether it is the last."""
        self._must_go_on()
        view = memoryview(data).cast("B")
        with self._abandoning():
            self._length += len(view)
            if self._length > LONGEST_DATA:
                raise SealingError(102, "tooLong")
            if self._chunks is None:
                self._put(view)
            else:
                self._take(self._chunks, view)
        return len(view)

    def finish(self) -> None:
        """Writes what was held back. The target stays open."""
        self._must_go_on()
        with self._abandoning():
            if self._chunks is not None:
                self._put(self._chunks.seal(self._number, True, self._held))
        self.abandon()
        self.is_finished = True

    def abandon(self) -> None:
        """Ends it without a last chunk: what was written cannot be read."""
        self._is_over = True
        self._held = bytearray()

    @contextmanager
    def _abandoning(self) -> Iterator[None]:
        """An error ends it: a second try would seal other data under the number of a chunk that was written before."""
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is not None:
            self.abandon()
        elif not self._is_over:
            self.finish()

    def _take(self, chunks: Chunks, view: memoryview) -> None:
        room = form.CHUNK - len(self._held)
        self._held += view[:room]
        place = min(room, len(view))
        if place < len(view):
            self._seal(chunks, self._held)
            self._held.clear()
        while len(view) - place > form.CHUNK:
            self._seal(chunks, view[place : place + form.CHUNK])
            place += form.CHUNK
        self._held += view[place:]

    def _seal(self, chunks: Chunks, data: Bytes) -> None:
        self._put(chunks.seal(self._number, False, data))
        self._number += 1

    def _put(self, data: Bytes) -> None:
        """Raw files may take a part only."""
        left = memoryview(data)
        while left:
            taken = self._target.write(left)
            if taken is None:
                raise BlockingIOError("sealed data needs a target that waits")
            left = left[taken:]

    def _must_go_on(self) -> None:
        if self._is_over:
            raise SealingError(101, message="it has ended")


class SealedReader(io.RawIOBase):
    """Reads sealed data at any place of a file. The last chunk is opened first: then the length is true.

    As any raw file it may be wrapped in `io.BufferedReader` and `io.TextIOWrapper`. Of unmanaged data it reads what lies
    behind the header."""

    def __init__(self, file: Any, keys: KeySource, *, closes: bool = False) -> None:
        super().__init__()
        self._file, self._closes = file, closes
        self._place = self._size = 0
        # The chunk that was read last.
        self._number, self._data = -1, b""
        try:
            self._open(keys)
        except BaseException:
            self.close()
            raise

    def _open(self, keys: KeySource) -> None:
        end = self._file.seek(0, os.SEEK_END)
        header = form.read_header(self._read_at(0, min(LONGEST_HEADER, end)))
        if header is None:
            raise SealingError(104, message="it is no envelope")
        self.info = header.info
        self._header = header
        if isinstance(header, UnmanagedHeader):
            self._size = end - header.length
            return
        self._count, last = header.chunks(end - HEADER)
        self._last, self._size = last, (self._count - 1) * header.chunk + last - TAG
        self._chunks = known_chunks(header, keys)
        self._chunk(header, self._count - 1)

    @property
    def size(self) -> int:
        """The length of the data."""
        return self._size

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, place: int, whence: int = os.SEEK_SET, /) -> int:
        self._must_be_open()
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._place, os.SEEK_END: self._size}.get(whence)
        if base is None or base + place < 0:
            raise ValueError("there is no such place")
        self._place = base + place
        return self._place

    def tell(self) -> int:
        self._must_be_open()
        return self._place

    def readinto(self, buffer: Any, /) -> int:
        self._must_be_open()
        view = memoryview(buffer).cast("B")
        wanted = min(len(view), self._size - self._place)
        if wanted <= 0:
            return 0
        found = self._piece(wanted)
        view[: len(found)] = found
        self._place += len(found)
        return len(found)

    def readall(self) -> bytes:
        """All that follows."""
        self._must_be_open()
        pieces = []
        while self._place < self._size:
            pieces.append(self._piece(min(PIECE, self._size - self._place)))
            self._place += len(pieces[-1])
        return b"".join(pieces)

    def close(self) -> None:
        if not self.closed:
            self._data = b""
            super().close()
            if self._closes:
                self._file.close()

    def _must_be_open(self) -> None:
        if self.closed:
            raise ValueError("it is closed")

    def _piece(self, wanted: int) -> bytes | memoryview:
        """Some of the bytes here: not more than one chunk has."""
        header = self._header
        if isinstance(header, UnmanagedHeader):
            return self._read_at(header.length + self._place, wanted)
        number, within = divmod(self._place, header.chunk)
        return memoryview(self._chunk(header, number))[within : within + wanted]

    def _chunk(self, header: SealedHeader, number: int) -> bytes:
        if number != self._number:
            is_last = number == self._count - 1
            length = self._last if is_last else header.chunk + TAG
            sealed = self._read_at(HEADER + number * (header.chunk + TAG), length)
            # An earlier chunk is forgotten first: an error must not leave it under this number.
            self._number, self._data = -1, b""
            self._data = self._chunks.open(number, is_last, sealed)
            self._number = number
        return self._data

    def _read_at(self, place: int, length: int) -> bytes:
        self._file.seek(place)
        data = read_fully(self._file, length)
        if len(data) < length:
            raise damaged("the file became shorter")
        return data


def unsealed(source: Source, keys: KeySource) -> Iterator[bytes]:
    """The data of a stream, chunk by chunk; a foreign stream unchanged. Only the end of the iteration says that nothing is
    missing: nobody may act before that."""
    start = read_fully(source, LONGEST_HEADER)
    header = form.read_header(start)
    if isinstance(header, SealedHeader):
        yield from _opened(header, start[HEADER:], source, keys)
        return
    yield start if header is None else start[header.length :]
    while piece := source.read(PIECE):
        yield piece


def _opened(header: SealedHeader, start: bytes, source: Source, keys: KeySource) -> Iterator[bytes]:
    chunks, unit, number = known_chunks(header, keys), header.chunk + TAG, 0
    held = start + read_fully(source, max(0, unit + 1 - len(start)))
    while len(held) > unit:
        yield chunks.open(number, False, held[:unit])
        number += 1
        header.chunks(number * unit + TAG + 1)
        held = held[unit:] + read_fully(source, max(0, 2 * unit + 1 - len(held)))
    header.chunks(number * unit + len(held))
    yield chunks.open(number, True, held)


def read_fully(source: Source, length: int) -> bytes:
    """So many bytes, or all that there are: pipes give less at a time."""
    data = source.read(length)
    if data is None:
        raise BlockingIOError("sealed data needs a source that waits")
    if len(data) == length or not data:
        return data
    parts = [data]
    left = length - len(data)
    while left > 0 and (data := source.read(left)):
        parts.append(data)
        left -= len(data)
    return b"".join(parts)


def new_object_id() -> bytes:
    return os.urandom(32)
