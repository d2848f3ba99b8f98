"""Keys of sealed objects: where they come from, and what is derived of them."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Optional

from webviewguard._sealed_format import IDS, SealedHeader, damaged
from webviewguard._words import DataKeyUse
from webviewguard.errors import GuardError, SealingError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

# Errors of the daemon that say that it has nothing to do with this app.
_STRANGE = frozenset({"NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"})
_UNMANAGED = "NotManaged"


@dataclass(frozen=True)
class KeyRequest:
    """A question for the key of one object. Ids are lower-case hexadecimal digits, as on the wire."""

    use: DataKeyUse
    # The account's name to write; to read the account id of the header.
    account: str
    # 32 bytes.
    object_id: str
    # 16 bytes to read; None to write, which takes the newest.
    key_id: str | None = None


@dataclass(frozen=True)
class DataKey:
    """The key of one object: whoever has it can read that object, and no other."""

    key: bytes = field(repr=False)
    key_id: str
    account_id: str


# Gives the key of an object. None to write: the account is not managed, and its data stays as it is. None to read: there
# is no key any more.
KeySource = Callable[[KeyRequest], Optional[DataKey]]


def read_data_key(reply: Mapping[str, Any]) -> DataKey:
    """The key of an answer; TypeError or KeyError for a reply that is none."""
    key, key_id, account_id = (_digits(reply[name], size) for name, size in (("key", 32), ("keyId", 16), ("accountId", 16)))
    return DataKey(bytes.fromhex(key), key_id, account_id)


def asking(ask: Callable[[KeyRequest], DataKey]) -> KeySource:
    """The daemon as a source of keys: what it refuses is error 100, 102 or 103."""

    def source(request: KeyRequest) -> DataKey | None:
        try:
            return ask(request)
        except GuardError as error:
            if error.name == _UNMANAGED and request.use == "write":
                return None
            if error.name in _STRANGE:
                raise SealingError(100, message=str(error)) from error
            raise no_key(request.use, str(error)) from error

    return source


def no_key(use: DataKeyUse, message: str = "") -> SealingError:
    return SealingError(102 if use == "write" else 103, "noKey", message)


class Chunks:
    """Seals and opens the chunks of one object."""

    def __init__(self, cipher: "AESGCM", header: bytes) -> None:
        self._cipher = cipher
        self._additional = hashlib.sha256(header).digest()

    def seal(self, number: int, is_last: bool, data: bytes | bytearray | memoryview) -> bytes:
        """A chunk with its tag."""
        return self._cipher.encrypt(_nonce(number, is_last), bytes(data), self._additional)

    def open(self, number: int, is_last: bool, sealed: bytes) -> bytes:
        """The data of a chunk; error 103 when it is not exactly this one."""
        from cryptography.exceptions import InvalidTag

        try:
            return self._cipher.decrypt(_nonce(number, is_last), sealed, self._additional)
        except InvalidTag:
            raise damaged(f"chunk {number}") from None


def new_chunks(key: DataKey, ids: bytes) -> tuple[bytes, Chunks]:
    """The whole header of a new object, and what seals its chunks."""
    cipher, commitment = _derived(key.key, ids)
    header = ids + commitment
    return header, Chunks(cipher, header)


def known_chunks(header: SealedHeader, keys: KeySource) -> Chunks:
    """What opens the chunks of an object: asks for its key, and checks the header with it before anything else."""
    request = KeyRequest("read", header.account_id.hex(), header.object_id.hex(), header.key_id.hex())
    key = keys(request)
    if key is None:
        raise no_key("read")
    cipher, commitment = _derived(key.key, header.raw[:IDS])
    if not hmac.compare_digest(commitment, header.commitment):
        raise damaged("the header, or another key")
    if (key.account_id, key.key_id) != (request.account, request.key_id):
        raise damaged("the header names another account than its key is of")
    return Chunks(cipher, header.raw)


def _derived(key: bytes, ids: bytes) -> "tuple[AESGCM, bytes]":
    """The cipher of an object, and the commitment over its header."""
    AESGCM, HKDF, SHA256 = _primitives()
    object_id = ids[48:IDS]

    def derived(purpose: bytes) -> bytes:
        found: bytes = HKDF(algorithm=SHA256(), length=32, salt=object_id, info=b"webviewguard WVG1 " + purpose).derive(key)
        return found

    return AESGCM(derived(b"encryption")), hmac.digest(derived(b"commitment"), ids, "sha256")


def _primitives() -> tuple[Any, Any, Any]:
    """Imported on use: whoever seals nothing needs no package."""
    try:
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
    except ImportError as error:
        text = "sealing needs the package `cryptography` (Debian: python3-cryptography)"
        raise ImportError(text, name=error.name) from error
    return AESGCM, HKDF, SHA256


def _nonce(number: int, is_last: bool) -> bytes:
    return number.to_bytes(11, "big") + bytes((is_last,))


def _digits(value: Any, size: int) -> str:
    """Exactly so many bytes in lower-case digits."""
    if not isinstance(value, str) or len(value) != 2 * size or set(value) - set("0123456789abcdef"):
        raise TypeError
    return value
