"""The bytes of an envelope, without any cryptography but sums. docs/sealed-data.md says each of them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Union

from webviewguard.errors import SealingError

MAGIC = bytes.fromhex("8957564731 0d0a1a")
VERSION = 1
SEALED, UNMANAGED = 0x53, 0x2D
PREFIX = 16
FLAGS = slice(11, PREFIX)
# Places of the magic that make bytes an envelope, if only a damaged one.
NEARLY = 5

IDS = 80
HEADER = 112
TAG = 16
EXPONENTS = range(12, 21)
CHUNK = 1 << 16
LONGEST_DATA = 1 << 44

LONGEST_NAME = 1024
SUM = 32
# As many bytes as a reader needs to know all of a header.
LONGEST_HEADER = PREFIX + 2 + LONGEST_NAME + SUM


@dataclass(frozen=True)
class ProtectionInfo:
    """Whose data is, by its header alone. It is a claim: of sealed data it is true once the data was unsealed, of unmanaged
    data never more than what somebody said."""

    is_sealed: bool
    # The name of the owner of unmanaged data, empty for nobody; None for sealed data.
    account: str | None = None
    # Of sealed data, in hexadecimal digits: the account, its key, and this object.
    account_id: str | None = None
    key_id: str | None = None
    object_id: str | None = None


@dataclass(frozen=True)
class SealedHeader:
    """The header of sealed data. Nothing in it is true before the commitment was checked."""

    raw: bytes

    @property
    def chunk(self) -> int:
        return 1 << self.raw[10]

    @property
    def account_id(self) -> bytes:
        return self.raw[16:32]

    @property
    def key_id(self) -> bytes:
        return self.raw[32:48]

    @property
    def object_id(self) -> bytes:
        return self.raw[48:IDS]

    @property
    def commitment(self) -> bytes:
        return self.raw[IDS:HEADER]

    @property
    def info(self) -> ProtectionInfo:
        return ProtectionInfo(True, None, self.account_id.hex(), self.key_id.hex(), self.object_id.hex())

    def chunks(self, length: int) -> tuple[int, int]:
        """How many chunks lie in so many bytes behind the header, and the length of the last, with its tag:
        `chunks(16)` is `(1, 16)`, for data of no bytes."""
        unit = self.chunk + TAG
        count = -(-length // unit)
        last = length - (count - 1) * unit
        if count == 0 or last < TAG or (last == TAG and count > 1):
            raise damaged("a part is missing")
        if length - count * TAG > LONGEST_DATA:
            raise damaged("it is too long")
        return count, last


@dataclass(frozen=True)
class UnmanagedHeader:
    """The header of unmanaged data: whose it is, as somebody said, and the number of bytes before the data."""

    account: str
    length: int

    @property
    def info(self) -> ProtectionInfo:
        return ProtectionInfo(False, self.account)


Header = Union[SealedHeader, UnmanagedHeader]


def sealed_ids(account_id: bytes, key_id: bytes, object_id: bytes, chunk: int = CHUNK) -> bytes:
    """The header of sealed data without its commitment."""
    return _prefix(SEALED, chunk.bit_length() - 1) + account_id + key_id + object_id


def unmanaged_header(account: str) -> bytes:
    """The header of unmanaged data."""
    name = account_name(account)
    head = _prefix(UNMANAGED, 0) + len(name).to_bytes(2, "big") + name
    return head + hashlib.sha256(head).digest()


def account_name(account: object) -> bytes:
    """The bytes of an account's name; error 101 for what can be none."""
    try:
        name = account.encode() if isinstance(account, str) else None
    except UnicodeEncodeError:
        name = None
    if name is None or len(name) > LONGEST_NAME or b"\0" in name:
        raise SealingError(101, message="no account has such a name")
    return name


def read_header(start: bytes) -> Header | None:
    """The header at the beginning of data; None for foreign data. `start` has all of the data, or LONGEST_HEADER bytes."""
    if not start:
        raise SealingError(105)
    present = min(len(start), len(MAGIC))
    agree = sum(start[place] == MAGIC[place] for place in range(present))
    if agree < min(present, NEARLY):
        return None
    if agree < len(MAGIC) or len(start) < PREFIX:
        raise damaged("the beginning of the header")
    _check_version(start)
    if start[9] == SEALED:
        return _read_sealed(start)
    return _read_unmanaged(start)


def damaged(message: str) -> SealingError:
    return SealingError(103, "damaged", message)


def _prefix(kind: int, exponent: int) -> bytes:
    return MAGIC + bytes((VERSION, kind, exponent)) + bytes(5)


def _check_version(start: bytes) -> None:
    if start[8] > VERSION:
        raise SealingError(103, "newer", f"version {start[8]}: an update of webviewguard may know it")
    if start[8] != VERSION or start[9] not in (SEALED, UNMANAGED):
        raise damaged("version or kind")
    if any(start[FLAGS]):
        raise SealingError(103, "newer", "flags that an update of webviewguard may know")
    if start[10] not in EXPONENTS if start[9] == SEALED else start[10] != 0:
        raise damaged("the size of the chunks")


def _read_sealed(start: bytes) -> SealedHeader:
    if len(start) < HEADER:
        raise damaged("the header was cut off")
    return SealedHeader(start[:HEADER])


def _read_unmanaged(start: bytes) -> UnmanagedHeader:
    length = int.from_bytes(start[16:18], "big")
    end = PREFIX + 2 + length
    name, said = start[PREFIX + 2 : end], start[end : end + SUM]
    if length > LONGEST_NAME or len(said) < SUM or hashlib.sha256(start[:end]).digest() != said:
        raise damaged("the owner's name")
    if b"\0" in name:
        raise damaged("the owner's name")
    try:
        return UnmanagedHeader(name.decode(), end + SUM)
    except UnicodeDecodeError:
        raise damaged("the owner's name") from None
