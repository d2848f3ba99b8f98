"""A reader of escrow copies that was written from docs/sealed-data.md alone: copy and private key to account key, and that to an
object's key, for the plain reader of sealed data beside it. HPKE is written out; X25519 and AES-GCM are a library's."""

import hashlib
import hmac

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

KEM, SUITE = b"KEM\x00\x20", b"HPKE\x00\x20\x00\x01\x00\x02"


def word(prefix: str, text: str) -> bytes:
    """The bytes of a key in its text."""
    name, digits, check = text.strip().split(".")
    key = bytes.fromhex(digits)
    assert name == prefix and len(key) == 32 and hashlib.sha256(prefix.encode() + b"\0" + key).hexdigest()[:8] == check
    return key


def private_key(file: str) -> bytes:
    [line] = [line for line in file.splitlines() if line and not line.startswith("#")]
    return word("wvg-escrow-PRIVATE-1", line)


def extract(salt: bytes, suite: bytes, label: bytes, text: bytes) -> bytes:
    return hmac.digest(salt, b"HPKE-v1" + suite + label + text, "sha256")


def expand(key: bytes, suite: bytes, label: bytes, info: bytes, count: int) -> bytes:
    return hmac.digest(key, count.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info + b"\1", "sha256")[:count]


def account_key(copy: bytes, private: bytes) -> bytes:
    """The account's key; InvalidTag for a copy that was changed, or that is another key's."""
    assert copy[:8] == b"WVGESC1\n" and len(copy) == 172
    header, encapsulated, sealed = copy[:92], copy[92:124], copy[124:]
    own = X25519PrivateKey.from_private_bytes(private)
    public = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    agreed = own.exchange(X25519PublicKey.from_public_bytes(encapsulated))
    shared = expand(extract(b"", KEM, b"eae_prk", agreed), KEM, b"shared_secret", encapsulated + public, 32)
    context = b"\0" + extract(b"", SUITE, b"psk_id_hash", b"") + extract(b"", SUITE, b"info_hash", b"webviewguard escrow copy v1")
    secret = extract(shared, SUITE, b"secret", b"")
    key, nonce = expand(secret, SUITE, b"key", context, 32), expand(secret, SUITE, b"base_nonce", context, 12)
    return AESGCM(key).decrypt(nonce, sealed, header)


def object_key(account: bytes, object_id: bytes) -> bytes:
    """What the daemon answers to `DataKey` for an envelope."""
    extracted = hmac.digest(object_id, account, "sha256")
    return hmac.digest(extracted, b"webviewguard data key v1\0envelope\1", "sha256")
