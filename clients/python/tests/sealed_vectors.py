#!/usr/bin/env python3
"""Makes clients/vectors/sealed.json, with a writer of its own: `sealed_vectors.py --write`. The suite demands that the file is
what this makes."""

import base64
import hashlib
import hmac
import json
import sys
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

FILE = Path(__file__).resolve().parents[2] / "vectors/sealed.json"
MAGIC = bytes.fromhex("8957564731 0d0a1a")
LENGTHS = {16: (0, 1, 65535, 65536, 65537, 131072, 131073, 1_000_000), 12: (0, 1, 4095, 4096, 4097, 8192, 8200, 12_288),
           20: (1, 1_048_577)}  # fmt: skip
ABOUT = (
    "Sealed data, docs/sealed-data.md. Digits are hexadecimal. `keys`: what the daemon answers for an object, and what is "
    "derived of it; a reader finds no key for an object that is not here. `plain` is the data, or `length` bytes of the blocks "
    "SHA-256(seed in UTF-8, number of the block from 0 in 8 bytes, the most significant first). `envelope` is the whole in "
    "digits or base64, or only its length and SHA-256: a writer has to make that one. `unmanaged`: headers that name an owner, "
    "in digits, with the data behind them. `foreign`: data that comes back unchanged. `damaged`: `pieces` are joined, each "
    "digits or the bytes `from` up to `to` of the envelope of that name, then `xor` changes single bytes; `code` and `reason` "
    "are the error. `texts`: a text in base64, and what comes of unsealing it: `plain`, or an error; else it is unchanged."
)


def filled(seed: str, length: int) -> bytes:
    blocks = -(-length // 32)
    return b"".join(hashlib.sha256(seed.encode() + i.to_bytes(8, "big")).digest() for i in range(blocks))[:length]


class Key:
    def __init__(self, number: int) -> None:
        self.object, self.key = filled(f"object {number}", 32), filled(f"key {number}", 32)
        self.account, self.id = filled(f"account {number % 2}", 16), filled(f"key id {number % 3}", 16)
        extracted = hmac.digest(self.object, self.key, "sha256")
        self.encryption, self.commitment = (
            hmac.digest(extracted, f"webviewguard WVG1 {name}\1".encode(), "sha256") for name in ("encryption", "commitment")
        )

    def header(self, exponent: int, account: bytes | None = None) -> bytes:
        ids = MAGIC + bytes((1, 0x53, exponent)) + bytes(5) + (account or self.account) + self.id + self.object
        return ids + hmac.digest(self.commitment, ids, "sha256")

    def chunk(self, header: bytes, number: int, is_last: bool, data: bytes) -> bytes:
        nonce = number.to_bytes(11, "big") + bytes([is_last])
        return AESGCM(self.encryption).encrypt(nonce, data, hashlib.sha256(header).digest())

    def seal(self, data: bytes, exponent: int, account: bytes | None = None) -> bytes:
        header, size = self.header(exponent, account), 1 << exponent
        cuts = range(0, max(1, len(data)), size)
        return header + b"".join(
            self.chunk(header, i, place + size >= len(data), data[place : place + size]) for i, place in enumerate(cuts)
        )

    def row(self) -> dict[str, str]:
        return {"object": self.object.hex(), "accountId": self.account.hex(), "keyId": self.id.hex(), "key": self.key.hex(),
                "encryption": self.encryption.hex(), "commitment": self.commitment.hex()}  # fmt: skip


def unmanaged(name: bytes, length: int | None = None) -> bytes:
    head = MAGIC + bytes((1, 0x2D, 0)) + bytes(5) + (len(name) if length is None else length).to_bytes(2, "big") + name
    return head + hashlib.sha256(head).digest()


def made() -> dict[str, Any]:
    keys: list[Key] = []
    sealed: list[dict[str, Any]] = []
    for exponent, lengths in LENGTHS.items():
        for length in lengths:
            keys.append(Key(len(keys)))
            sealed.append(sealed_row(keys[-1], exponent, length))
    # A second object of the same size, to mix with the first.
    keys.append(Key(len(keys)))
    sealed.append(sealed_row(keys[-1], 12, 8200) | {"name": "other"})
    return {
        "about": ABOUT,
        "keys": [key.row() for key in keys],
        "sealed": sealed,
        "unmanaged": [unmanaged_row(name, data) for name, data in (
            ("me@example.org", b"hello"), ("", b"nobody's"), ("Jörg@Example.ORG", b""), ("a" * 1024, b"\0"), ("x", MAGIC))],
        "foreign": [{"name": name, "data": data.hex()} for name, data in foreign()],
        "damaged": damaged(keys),
        "texts": texts(keys[1]),
    }  # fmt: skip


def sealed_row(key: Key, exponent: int, length: int) -> dict[str, Any]:
    seed = f"{exponent}/{length}/{key.object.hex()[:4]}"
    envelope = key.seal(filled(seed, length), exponent)
    row: dict[str, Any] = {"name": f"{exponent}/{length}", "object": key.object.hex(), "exponent": exponent}
    row["plain"] = {"seed": seed, "length": length}
    if length <= 1:
        row["envelope"] = {"digits": envelope.hex()}
    elif length == 8200:
        row["envelope"] = {"base64": base64.b64encode(envelope).decode()}
    else:
        row["envelope"] = {"length": len(envelope), "sha256": hashlib.sha256(envelope).hexdigest()}
    return row


def unmanaged_row(name: str, data: bytes) -> dict[str, str]:
    return {"account": name, "plain": data.hex(), "envelope": (unmanaged(name.encode()) + data).hex()}


def foreign() -> list[tuple[str, bytes]]:
    return [
        ("a text", b"hello"), ("the name of the format", b"WVG1"), ("a picture", bytes.fromhex("89504e470d0a1a0a0000000d")),
        ("one byte", b"\x88"), ("a zero", b"\0"), ("four bytes of the magic", MAGIC[:4] + b"2\n\x0b\x1b"),
        ("three bytes of the magic, and one", MAGIC[:3] + b"g"), ("the magic later", b" " + MAGIC), ("marks", b"\xef\xbb\xbfx"),
        ("four bytes in seven", MAGIC[:4] + b"abc"), ("base64 as bytes", base64.b64encode(MAGIC + bytes(200))),
    ]  # fmt: skip


def damaged(keys: list[Key]) -> list[dict[str, Any]]:
    whole, other, one, empty = "12/8200", "other", "16/1", "16/0"
    key = keys[[row for lengths in LENGTHS.values() for row in lengths].index(8200)]
    unit, end = 4112, 112 + 2 * 4112 + 8 + 16
    header = part(whole, 0, 112)
    first, second = part(whole, 112, 112 + unit), part(whole, 112 + unit, 112 + 2 * unit)
    last = part(whole, 112 + 2 * unit, end)
    found: list[dict[str, Any]] = []

    def add(name: str, *pieces: Any, xor: dict[int, int] | None = None, code: int = 103, reason: str = "damaged") -> None:
        row: dict[str, Any] = {"name": name, "pieces": list(pieces)}
        if xor:
            row["xor"] = [list(pair) for pair in xor.items()]
        found.append(row | {"code": code, "reason": reason})

    add("nothing", code=105, reason="")
    for length in (1, 2, 4, 5, 7, 8, 9, 15, 16, 17, 47, 48, 79, 80, 111, 112, 113, 127, 128):
        add(f"cut off at {length}", part(one, 0, length))
    add("no data, cut in its tag", part(empty, 0, 127))
    for place in range(8):
        for bit in (1, 128):
            add(f"the magic's byte {place} by {bit}", part(one, 0, 129), xor={place: bit})
    add("three bytes of the magic", part(one, 0, 129), xor={0: 1, 3: 2, 7: 4})
    add("seven bits", digits(bytes(byte & 127 for byte in MAGIC)), part(one, 8, 129))
    add("CR LF became LF", digits(MAGIC.replace(b"\r", b"")), part(one, 8, 129))
    add("LF became CR LF", digits(MAGIC.replace(b"\r\n", b"\r\r\n")), part(one, 8, 129))
    add("version 0", part(one, 0, 129), xor={8: 1})
    for version in (2, 3, 255):
        add(f"version {version}", part(one, 0, 129), xor={8: 1 ^ version}, reason="newer")
    for kind in (0, 0x54, 0xFF):
        add(f"kind {kind}", part(one, 0, 129), xor={9: 0x53 ^ kind})
    for place in range(11, 16):
        for bit in (1, 128):
            add(f"flag {bit} of byte {place}", part(one, 0, 129), xor={place: bit}, reason="newer")
    for exponent in (0, 11, 21, 32, 63, 255):
        add(f"chunks of 2^{exponent} bytes", part(one, 0, 129), xor={10: 16 ^ exponent})
    add("chunks of 2^12 bytes", part(one, 0, 129), xor={10: 16 ^ 12})
    for place, name in ((16, "account id"), (31, "account id's end"), (32, "key id"), (47, "key id's end")):
        add(f"the {name}", part(one, 0, 129), xor={place: 1})
    add("the object id", part(one, 0, 129), xor={48: 1}, reason="noKey")
    add("the object id's end", part(one, 0, 129), xor={79: 128}, reason="noKey")
    for place in (80, 111):
        add(f"the commitment's byte {place}", part(one, 0, 129), xor={place: 1})
    for place in (112, 113, 128):
        add(f"the only chunk's byte {place}", part(one, 0, 129), xor={place: 16})
    for place in (112, 112 + unit - 1, 112 + unit, 112 + 2 * unit - 16, 112 + 2 * unit, end - 1):
        add(f"one of three chunks' byte {place}", part(whole, 0, end), xor={place: 4})
    add("the last chunk is missing", header, first, second)
    add("two chunks are missing", header, first)
    add("all chunks are missing", header)
    add("the first chunk is missing", header, second, last)
    add("the middle chunk is missing", header, first, last)
    add("chunks change places", header, second, first, last)
    add("a chunk comes twice", header, first, first, second, last)
    add("a chunk comes in the place of another", header, first, first, last)
    add("the last chunk comes twice", header, first, second, last, last)
    add("only the last chunk", header, last)
    add("something follows", part(whole, 0, end), "00")
    add("a tag follows", part(whole, 0, end), "00" * 16)
    add("the envelope comes twice", part(one, 0, 129), part(one, 0, 129))
    for place in (112 + unit, 112 + 2 * unit + 15, 112 + 2 * unit + 16, end - 1):
        add(f"three chunks cut off at {place}", part(whole, 0, place))
    add("the first chunk of another object", header, part(other, 112, 112 + unit), second, last)
    add("the last chunk of another object", header, first, second, part(other, 112 + 2 * unit, end))
    add("the header of another object", part(other, 0, 112), first, second, last)
    add("the commitment of another object", part(whole, 0, 80), part(other, 80, 112), first, second, last)
    add("an empty chunk at the end", header, first, digits(key.chunk(key.header(12), 1, True, b"")))
    short = key.chunk(key.header(12), 0, False, b"short")
    add("a short chunk before the last", header, digits(short), digits(key.chunk(key.header(12), 1, True, b"end")))
    add("a last chunk that does not say so", header, digits(key.chunk(key.header(12), 0, False, b"end")))
    claimed = keys[1].seal(b"x", 16, account=keys[2].account)
    add("sealed with a key of another account", digits(claimed))
    recommitted = keys[1].header(16)[:80] + hmac.digest(keys[2].commitment, keys[1].header(16)[:80], "sha256")
    add("committed to another key", digits(recommitted), part(one, 112, 129))
    add("sealed data called unmanaged", part(one, 0, 129), xor={9: 0x53 ^ 0x2D, 10: 16})
    mine = unmanaged(b"me@example.org")
    add("unmanaged data called sealed", digits(mine + bytes(80)), xor={9: 0x53 ^ 0x2D, 10: 16}, reason="noKey")
    for place in (17, 18, 31, 32, len(mine) - 1):
        add(f"the owner's byte {place}", digits(mine + b"data"), xor={place: 1})
    for length in (16, 17, 18, 31, 32, len(mine) - 1):
        add(f"the owner cut off at {length}", digits(mine[:length]))
    add("an owner with U+0000", digits(unmanaged(b"me\0you") + b"data"))
    add("an owner that is not UTF-8", digits(unmanaged(b"m\xff") + b"data"))
    add("an owner in surrogates", digits(unmanaged(b"m\xed\xa0\x80") + b"data"))
    add("an owner that is too long", digits(unmanaged(b"a" * 1025) + b"data"))
    add("an owner that is longer than all", digits(unmanaged(b"me", 65535) + b"data"))
    add("an owner with chunks", digits(mine + b"data"), xor={10: 16})
    add("an owner with a flag", digits(mine + b"data"), xor={12: 2}, reason="newer")
    return found


def part(name: str, begin: int, end: int) -> dict[str, Any]:
    return {"of": name, "from": begin, "to": end}


def digits(data: bytes) -> str:
    return data.hex()


def texts(key: Key) -> list[dict[str, Any]]:
    good = base64.b64encode(key.seal("Grüße A".encode(), 16)).decode()
    assert good.endswith("=") and not good.endswith("==")
    damaged = {"code": 103, "reason": "damaged"}
    loose = good[:-2] + chr(ord(good[-2]) + 1) + "="
    mine = base64.b64encode(unmanaged(b"me@example.org") + "Grüße A".encode()).decode()
    return [
        {"name": "sealed", "text": good, "plain": "Grüße A"}, {"name": "unmanaged", "text": mine, "plain": "Grüße A"},
        {"name": "no UTF-8", "text": base64.b64encode(key.seal(b"\xff", 16)).decode(), **damaged},
        {"name": "empty", "text": "", "code": 105, "reason": ""},
        {"name": "without padding", "text": good[:-1], **damaged}, {"name": "more padding", "text": good + "=", **damaged},
        {"name": "a line's end", "text": good + "\n", **damaged}, {"name": "wrapped", "text": good[:76] + "\n" + good[76:], **damaged},
        {"name": "another alphabet", "text": good[:40] + "-_" + good[42:], **damaged},
        {"name": "unused bits", "text": loose, **damaged}, {"name": "no ASCII", "text": good[:40] + "é" + good[41:], **damaged},
        {"name": "cut off", "text": good[:100], **damaged}, {"name": "cut off early", "text": "iVdWRz", **damaged},
        {"name": "four other characters", "text": "iVdWRz====", **damaged},
        {"name": "four other bytes", "text": "iVdWRzAAAAAA", **damaged},
        {"name": "changed data", "text": good[:160] + ("A" if good[160] != "A" else "B") + good[161:], **damaged},
        {"name": "a word", "text": "i"}, {"name": "five characters", "text": "iVdWR"}, {"name": "a text", "text": "hello, Grüße"},
        {"name": "a picture", "text": "iVBORw0KGgoAAAANSUhEUg=="}, {"name": "it begins later", "text": " " + good},
        {"name": "five of ten", "text": "iVdWR12345"},
    ]  # fmt: skip


def written() -> str:
    parts = []
    for name, value in made().items():
        rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in value) if isinstance(value, list) else ""
        parts.append(f'  "{name}": ' + (f"[\n    {rows}\n  ]" if rows else json.dumps(value, ensure_ascii=False)))
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    FILE.write_text(written())
