"""Data that knows its owner: sealed so that only a program of an account that may work can read it.

    sealed = guard.sealing.protect(b"...", "work@contoso.com")
    guard.sealing.unprotect(sealed)
    with guard.sealing.create("report.pdf", "work@contoso.com") as file:
        file.write(b"...")

The format, what it protects against and the errors are in docs/sealed-data.md. It needs the package `cryptography`, which
is imported when something is sealed or unsealed.
"""

from __future__ import annotations

import binascii
import io
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from webviewguard import _sealed_format as form
from webviewguard._sealed_files import Path, replacing
from webviewguard._sealed_format import ProtectionInfo, SealedHeader, damaged
from webviewguard._sealed_keys import DataKey, KeyRequest, KeySource
from webviewguard._sealed_streams import Bytes, SealedReader, SealedWriter, Source, Target, read_fully, unsealed
from webviewguard.errors import SealingError

__all__ = [
    "DataKey", "KeyRequest", "KeySource", "ProtectionInfo", "SealedReader", "SealedWriter", "Sealing", "SealingError",
    "file_protection_info", "protection_info", "protection_info_of_text",
]  # fmt: skip

# The base64 of every envelope begins so, and a text is one that agrees in so many of these characters.
_PREFIX = "iVdWRzENCh"
_NEARLY = 6


class Sealing:
    """Seals and unseals with keys of a source, which is asked once for each object. `guard.sealing` asks the daemon. Errors
    are SealingError."""

    def __init__(self, keys: KeySource) -> None:
        self._keys = keys

    # In memory

    def protect(self, data: Bytes, account: str) -> bytes:
        """The data as an envelope: sealed, or for an account that is not managed with a header that names it. Error 105 for
        no data."""
        if not data:
            raise SealingError(105)
        target = io.BytesIO()
        with self.writer(target, account) as writer:
            writer.write(data)
        return target.getvalue()

    def unprotect(self, data: Bytes) -> bytes:
        """The data of an envelope. Bytes that are none come back unchanged; a damaged one is error 103."""
        whole = bytes(data)
        header = form.read_header(whole)
        if header is None:
            return whole
        if not isinstance(header, SealedHeader):
            return whole[header.length :]
        with SealedReader(io.BytesIO(whole), self._keys) as reader:
            return reader.readall()

    def protect_text(self, text: str, account: str) -> str:
        """As `protect`, in base64."""
        return binascii.b2a_base64(self.protect(text.encode(), account), newline=False).decode()

    def unprotect_text(self, text: str) -> str:
        """As `unprotect`, of base64; other text comes back unchanged."""
        envelope = _envelope(text)
        if envelope is None:
            return text
        try:
            return self.unprotect(envelope).decode()
        except UnicodeDecodeError:
            raise damaged("it holds no text") from None

    # Of any size, in constant memory

    def writer(self, target: Target, account: str) -> SealedWriter:
        """Seals what is written into a file or stream. Its `finish`, or the end of its `with`, completes the envelope."""
        return SealedWriter(target, account, self._keys)

    def reader(self, file: io.IOBase) -> SealedReader:
        """Reads a sealed file at any place. Error 104 for one that is no envelope."""
        return SealedReader(file, self._keys)

    def stream(self, source: Source) -> Iterator[bytes]:
        """The data of a pipe, or of anything that has only a beginning; what is no envelope comes unchanged. Do not act on
        it before the iteration has ended: only its end says that nothing is missing."""
        return unsealed(source, self._keys)

    def create(self, path: Path, account: str) -> AbstractContextManager[SealedWriter]:
        """A new sealed file, which takes the place of an old one at the end of `with`, if nothing was raised."""
        return self._creating(path, account)

    def open(self, path: Path) -> SealedReader:
        """A sealed file to read at any place. Error 104 for one that is no envelope."""
        return SealedReader(open(path, "rb", buffering=0), self._keys, closes=True)

    @contextmanager
    def _creating(self, path: Path, account: str) -> Iterator[SealedWriter]:
        with replacing(path) as file, self.writer(file, account) as writer:
            yield writer
            if not writer.is_finished:
                writer.finish()


def protection_info(data: Bytes) -> ProtectionInfo | None:
    """Whose data is, by its header: asks for no key, and needs no more than the first kilobyte and a half. None for data that
    is no envelope."""
    header = form.read_header(bytes(data[: form.LONGEST_HEADER]))
    return None if header is None else header.info


def protection_info_of_text(text: str) -> ProtectionInfo | None:
    """As `protection_info`, of base64."""
    envelope = _envelope(text)
    return None if envelope is None else protection_info(envelope)


def file_protection_info(path: Path) -> ProtectionInfo | None:
    """As `protection_info`, of a file. An empty file is error 105."""
    with open(path, "rb", buffering=0) as file:
        return protection_info(read_fully(file, form.LONGEST_HEADER))


def _envelope(text: str) -> bytes | None:
    """The bytes of a text that is an envelope; None for any other."""
    if not text:
        raise SealingError(105)
    agree = sum(one == other for one, other in zip(text, _PREFIX))
    if agree < _NEARLY:
        return None
    try:
        whole = binascii.a2b_base64(text.encode("ascii"))
    except ValueError:
        raise damaged("it is no base64") from None
    if binascii.b2a_base64(whole, newline=False).decode() != text or not whole.startswith(form.MAGIC):
        raise damaged("it is no canonical base64")
    return whole
