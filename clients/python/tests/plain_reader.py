"""A reader of sealed data that was written from docs/sealed-data.md alone: at most forty lines, which the suite counts.

It shares nothing with the client but AES-GCM. An error is ValueError with the number and the reason."""

import hashlib
import hmac
from collections.abc import Callable

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

MAGIC = bytes.fromhex("89 57 56 47 31 0d 0a 1a")


def demand(holds: bool, code: int = 103, reason: str = "damaged") -> None:
    if not holds:
        raise ValueError(code, reason)


def derive(key: bytes, salt: bytes, info: bytes) -> bytes:
    extracted = hmac.digest(salt, key, "sha256")
    return hmac.digest(extracted, info + b"\1", "sha256")


def unseal(data: bytes, key_of: Callable[[bytes, bytes, bytes], bytes | None]) -> bytes:
    demand(data != b"", 105, "")
    n, agree = min(len(data), 8), sum(a == b for a, b in zip(data, MAGIC))
    if agree < min(n, 5):
        return data
    demand(agree == 8 and len(data) >= 16)
    version, kind, exponent, flags = data[8], data[9], data[10], data[11:16]
    demand(version <= 1, 103, "newer")
    demand(version == 1 and kind in (0x53, 0x2D))
    demand(flags == bytes(5), 103, "newer")
    demand(12 <= exponent <= 20 if kind == 0x53 else exponent == 0)
    if kind == 0x2D:
        length = int.from_bytes(data[16:18], "big")
        name, total, rest = data[18 : 18 + length], data[18 + length : 50 + length], data[50 + length :]
        demand(length <= 1024 and 0 not in name and total == hashlib.sha256(data[: 18 + length]).digest())
        demand(name.decode(errors="replace").encode() == name)
        return rest
    header, body, unit = data[:112], data[112:], (1 << exponent) + 16
    demand(len(header) == 112)
    count = -(-len(body) // unit)
    last = len(body) - (count - 1) * unit
    demand(count > 0 and last >= 16 and (last > 16 or count == 1))
    key = key_of(data[16:32], data[32:48], data[48:80])
    if key is None:
        raise ValueError(103, "noKey")
    commitment = hmac.digest(derive(key, data[48:80], b"webviewguard WVG1 commitment"), data[:80], "sha256")
    demand(hmac.compare_digest(commitment, data[80:112]))
    cipher, extra = AESGCM(derive(key, data[48:80], b"webviewguard WVG1 encryption")), hashlib.sha256(header).digest()
    nonces = [i.to_bytes(11, "big") + bytes([i == count - 1]) for i in range(count)]
    try:
        return b"".join(cipher.decrypt(nonces[i], body[i * unit :][:unit], extra) for i in range(count))
    except InvalidTag:
        raise ValueError(103, "damaged") from None
