"""Sealed data, docs/sealed-data.md: the vectors, and what no table can state."""

import base64
import hashlib
import io
import re
import subprocess
import sys
import unittest
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import plain_reader
import sealed_vectors
from vectors import VECTORS, whole
from webviewguard import Sealing, SealingError, _sealed_format, _sealed_streams, protection_info
from webviewguard.sealing import DataKey, KeyRequest, protection_info_of_text

HERE = Path(__file__).resolve().parent
TABLE = whole("sealed")
KEYS = {row["object"]: row for row in TABLE["keys"]}
PLAIN_LINES = 40
# What an app would call data: bytes to seal, or an error.
Outcome = bytes | tuple[int, str]


class Vault:
    """A source of keys as the vectors have them. It counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[KeyRequest] = []

    def __call__(self, request: KeyRequest) -> DataKey | None:
        self.asked.append(request)
        row = KEYS.get(request.object_id)
        return row and DataKey(bytes.fromhex(row["key"]), row["keyId"], row["accountId"])

    def plain(self, account: bytes, key_id: bytes, object_id: bytes) -> bytes | None:
        """As the plain reader asks; it compares no ids itself."""
        row = KEYS.get(object_id.hex())
        if row and row["accountId"] != account.hex():
            raise ValueError(103, "damaged")
        return bytes.fromhex(row["key"]) if row else None


SEALING = Sealing(Vault())


def data_of(row: dict[str, Any]) -> bytes:
    return sealed_vectors.filled(row["plain"]["seed"], row["plain"]["length"])


@contextmanager
def writing(row: dict[str, Any]) -> Iterator[None]:
    """The next object has the vector's id and chunks."""
    chunk = 1 << row["exponent"]
    ids = _sealed_format.sealed_ids
    with (
        patch.object(_sealed_streams, "new_object_id", lambda: bytes.fromhex(row["object"])),
        patch.object(_sealed_format, "CHUNK", chunk),
        patch.object(_sealed_format, "sealed_ids", lambda *said: ids(*said, chunk)),
    ):
        yield


def write(row: dict[str, Any], step: int | None = None) -> bytes:
    """What the client's writer makes of a vector, given so many bytes at a time."""
    data, target = data_of(row), io.BytesIO()
    with writing(row), SEALING.writer(target, "work@contoso.com") as writer:
        for place in range(0, len(data), step or max(1, len(data))):
            writer.write(data[place : place + step] if step else data)
    return target.getvalue()


ENVELOPES = {row["name"]: write(row) for row in TABLE["sealed"]}


def joined(row: dict[str, Any]) -> bytes:
    """The bytes of a damaged vector."""
    pieces = (
        bytes.fromhex(piece) if isinstance(piece, str) else ENVELOPES[piece["of"]][piece["from"] : piece["to"]]
        for piece in row["pieces"]
    )
    found = bytearray(b"".join(pieces))
    for place, mask in row.get("xor", []):
        found[place] ^= mask
    return bytes(found)


def streamed(data: bytes) -> bytes:
    """Through a pipe that gives a little at a time."""
    pieces = io.BytesIO(data)

    class Pipe:
        def read(self, size: int, /) -> bytes:
            return pieces.read(min(size, 1000))

    return b"".join(SEALING.stream(Pipe()))


def from_file(data: bytes) -> bytes:
    with SEALING.reader(io.BytesIO(data)) as reader:
        return reader.readall()


def plainly(data: bytes) -> bytes:
    try:
        return plain_reader.unseal(data, Vault().plain)
    except ValueError as error:
        raise SealingError(*error.args) from None


def outcome(read: Callable[[Any], Any], data: Any) -> Any:
    try:
        return read(data)
    except SealingError as error:
        return error.code, error.reason


WHOLE: tuple[Callable[[bytes], bytes], ...] = (SEALING.unprotect, streamed, plainly)
READERS = (*WHOLE, from_file)


class SealedVectors(unittest.TestCase):
    """SD-02 to SD-05: every reader of this folder says what the vectors say."""

    def test_the_file_is_what_its_maker_makes(self) -> None:
        self.assertEqual((VECTORS / "sealed.json").read_text(), sealed_vectors.written())

    def test_the_plain_reader_has_at_most_forty_lines(self) -> None:
        text = Path(plain_reader.__file__).read_text()
        body = text[text.index("\nMAGIC") :]
        self.assertLessEqual(len([line for line in body.splitlines() if line]), PLAIN_LINES)
        self.assertNotIn("webviewguard.", re.sub(r'""".*?"""', "", text, flags=re.DOTALL), "it is of its own")

    def test_what_is_written(self) -> None:
        for row in TABLE["sealed"]:
            wanted = row["envelope"]
            for step in (None, 1000, 4096, 70_000):
                with self.subTest(row["name"], step=step):
                    made = write(row, step)
                    if "sha256" in wanted:
                        found: Any = {"length": len(made), "sha256": hashlib.sha256(made).hexdigest()}
                        self.assertEqual(found, wanted)
                    else:
                        text = bytes.fromhex(wanted["digits"]) if "digits" in wanted else base64.b64decode(wanted["base64"])
                        self.assertEqual(made, text)

    def test_what_is_read(self) -> None:
        for row in TABLE["sealed"]:
            key, data = KEYS[row["object"]], data_of(row)
            for read in READERS:
                with self.subTest(row["name"], reader=read):
                    self.assertTrue(read(ENVELOPES[row["name"]]) == data)
            info = protection_info(ENVELOPES[row["name"]][:112])
            assert info
            self.assertEqual((info.is_sealed, info.account, info.account_id, info.key_id, info.object_id),
                             (True, None, key["accountId"], key["keyId"], row["object"]))  # fmt: skip

    def test_unmanaged_data_names_its_owner(self) -> None:
        for row in TABLE["unmanaged"]:
            envelope, plain = bytes.fromhex(row["envelope"]), bytes.fromhex(row["plain"])
            for read in READERS:
                with self.subTest(row["account"], reader=read):
                    self.assertEqual(read(envelope), plain)
            info = protection_info(envelope)
            assert info
            self.assertEqual((info.is_sealed, info.account, info.key_id), (False, row["account"], None))
            target = io.BytesIO()
            with Sealing(lambda request: None).writer(target, row["account"]) as writer:
                writer.write(plain)
            self.assertEqual(target.getvalue(), envelope)

    def test_foreign_data_comes_back_unchanged(self) -> None:
        for row in TABLE["foreign"]:
            data = bytes.fromhex(row["data"])
            for read in WHOLE:
                with self.subTest(row["name"], reader=read):
                    self.assertEqual(read(data), data)
            self.assertIsNone(protection_info(data), row["name"])
            self.assertEqual(outcome(from_file, data), (104, ""), row["name"])

    def test_damage_is_noticed(self) -> None:
        self.assertGreater(len(TABLE["damaged"]), 120)
        for row in TABLE["damaged"]:
            data = joined(row)
            for read in READERS:
                with self.subTest(row["name"], reader=read):
                    self.assertEqual(outcome(read, data), (row["code"], row["reason"]))

    def test_texts(self) -> None:
        for row in TABLE["texts"]:
            wanted = (row["code"], row["reason"]) if "code" in row else row.get("plain", row["text"])
            with self.subTest(row["name"]):
                self.assertEqual(outcome(SEALING.unprotect_text, row["text"]), wanted)
                if "code" not in row:
                    self.assertEqual(protection_info_of_text(row["text"]) is not None, "plain" in row)


class Damage(unittest.TestCase):
    """Each bit, each length, and each place of a small envelope of three chunks."""

    envelope, data = ENVELOPES["12/8200"], b""

    def test_each_bit_that_flips_is_noticed(self) -> None:
        """All of the header, of the beginnings and ends of chunks, and some in between."""
        edges = {112 + number * 4112 + off for number in range(3) for off in range(-20, 24)}
        places = sorted({*range(112), *edges, *range(112, len(self.envelope), 97)} & {*range(len(self.envelope))})
        for place in places:
            for bit in range(8):
                changed = bytearray(self.envelope)
                changed[place] ^= 1 << bit
                for read in WHOLE[:1] if place >= 112 else WHOLE:
                    found = outcome(read, bytes(changed))
                    self.assertEqual(found[0] if isinstance(found, tuple) else found, 103, (place, bit, read))

    def test_each_length_that_is_cut_is_noticed(self) -> None:
        for length in range(1, len(self.envelope), 1):
            for read in (SEALING.unprotect,):
                self.assertEqual(outcome(read, self.envelope[:length]), (103, "damaged"), length)
        for length in range(1, len(self.envelope), 89):
            self.assertEqual(outcome(streamed, self.envelope[:length]), (103, "damaged"), length)

    def test_the_commitment_is_checked_before_anything_is_decrypted(self) -> None:
        changed = bytearray(self.envelope)
        changed[90] ^= 1
        with patch("webviewguard._sealed_keys.Chunks.open", side_effect=AssertionError("it decrypts")):
            for read in (SEALING.unprotect, streamed, from_file):
                self.assertEqual(outcome(read, bytes(changed)), (103, "damaged"))

    def test_no_data_comes_before_the_last_chunk_was_opened(self) -> None:
        opened: list[tuple[int, bool]] = []
        real = _sealed_streams.Chunks.open

        def noted(chunks: Any, number: int, is_last: bool, sealed: bytes) -> bytes:
            opened.append((number, is_last))
            return real(chunks, number, is_last, sealed)

        with patch.object(_sealed_streams.Chunks, "open", noted), SEALING.reader(io.BytesIO(self.envelope)) as reader:
            self.assertEqual(opened, [(2, True)])
            reader.read(10)
            self.assertEqual(opened, [(2, True), (0, False)])

    def test_without_a_key_nothing_is_read_and_nothing_written(self) -> None:
        no_keys = Sealing(lambda request: None)
        for read in (no_keys.unprotect, lambda data: b"".join(no_keys.stream(io.BytesIO(data)))):
            self.assertEqual(outcome(read, self.envelope), (103, "noKey"))

    def test_the_source_is_asked_once_and_for_what_the_header_names(self) -> None:
        vault = Vault()
        Sealing(vault).unprotect(self.envelope)
        row = KEYS[next(row["object"] for row in TABLE["sealed"] if row["name"] == "12/8200")]
        self.assertEqual(vault.asked, [KeyRequest("read", row["accountId"], row["object"], row["keyId"])])
        for row in (*TABLE["foreign"], *TABLE["unmanaged"]):
            Sealing(vault).unprotect(bytes.fromhex(row.get("data") or row["envelope"]))
        self.assertEqual(len(vault.asked), 1)


class Arguments(unittest.TestCase):
    def test_no_data_is_an_error(self) -> None:
        for call in (lambda data: SEALING.protect(data, "a"), SEALING.unprotect, protection_info, from_file):
            self.assertEqual(outcome(call, b""), (105, ""))
        for say in (lambda text: SEALING.protect_text(text, "a"), SEALING.unprotect_text, protection_info_of_text):
            self.assertEqual(outcome(say, ""), (105, ""))

    def test_names_that_nobody_has(self) -> None:
        vault = Vault()
        for name in (None, 1, "a" * 1025, "é" * 513, "a\0b", "\ud800"):
            self.assertEqual(outcome(lambda name: Sealing(vault).protect(b"x", name), name), (101, ""), name)
        self.assertEqual(vault.asked, [], "nobody was asked")

    def test_nobodys_data_needs_no_key(self) -> None:
        vault = Vault()
        sealed = Sealing(vault).protect(b"x", "")
        self.assertEqual((Sealing(vault).unprotect(sealed), vault.asked), (b"x", []))

    def test_each_writing_is_another_object(self) -> None:
        vault = Always()
        made = {Sealing(vault).protect(b"the same", "a") for _ in range(50)}
        self.assertEqual((len(made), len({request.object_id for request in vault.asked})), (50, 50))
        self.assertEqual({(request.use, request.account, request.key_id) for request in vault.asked}, {("write", "a", None)})

    def test_texts_go_round(self) -> None:
        sealing = Sealing(Always())
        for text in ("x", "Grüße", "\0", "😀" * 30_000):
            sealed = sealing.protect_text(text, "a")
            self.assertRegex(sealed, r"\A[A-Za-z0-9+/]+=*\Z")
            self.assertEqual(sealing.unprotect_text(sealed), text)

    def test_an_envelope_in_an_envelope(self) -> None:
        sealing = Sealing(Always())
        inner = sealing.protect(b"x", "a")
        self.assertEqual(sealing.unprotect(sealing.protect(inner, "b")), inner)

    def test_errors_have_the_numbers_and_names_of_the_sdk(self) -> None:
        names = {code: SealingError(code).name for code in range(100, 106)}
        self.assertEqual(names, {100: "appNotManaged", 101: "invalidArguments", 102: "encryptFailed", 103: "decryptFailed",
                                 104: "notProtected", 105: "emptyData"})  # fmt: skip
        self.assertEqual(str(SealingError(103, "newer", "version 2")), "103 decryptFailed (newer): version 2")

    def test_the_package_is_there_without_cryptography(self) -> None:
        program = (
            "import sys; sys.modules['cryptography'] = None\n"
            "import webviewguard as w\n"
            "s = w.Sealing(lambda said: w.DataKey(bytes(32), '00' * 16, '00' * 16))\n"
            "assert s.unprotect(b'foreign') == b'foreign'\n"
            "try: s.protect(b'x', 'a')\n"
            "except ImportError as error: print(error)\n"
        )
        said = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=HERE.parent / "src"
        ).stdout
        self.assertIn("python3-cryptography", said)
        lazy = "import sys, webviewguard; print(any(name.startswith('cryptography') for name in sys.modules))"
        said = subprocess.run([sys.executable, "-c", lazy], check=True, capture_output=True, text=True, cwd=HERE.parent / "src").stdout
        self.assertEqual(said, "False\n")


class Always(Vault):
    """A source that has a key for every object."""

    def __call__(self, request: KeyRequest) -> DataKey:
        self.asked.append(request)
        return DataKey(hashlib.sha256(request.object_id.encode()).digest(), "ab" * 16, "cd" * 16)
