"""The JSON reader beside Python's: what is valid means the same, and no bytes do harm."""

import json
import random
import subprocess
from typing import Any

from case import ClientCase
from test_vectors import cases

SEED = 20261121
DEPTH = 32
MEMBERS = 256
LONG = 2**63
# Documents by hand: the edges.
VALID = [
    b"0", b"-0", b"9223372036854775807", b"-9223372036854775808", b" [ ] ", b"{ }", b'""', b"true", b"null\n",
    rb'"\u00e4\u20ac\ud83d\ude00\n\/"', '"ä€😀\u007f"'.encode(), b'"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf"',
    b"[" * DEPTH + b"]" * DEPTH, b'{"a":{"a":{"a":1}},"":""}', b"[1.5,-2e3,0.1E-7,1e400,123456789012345678901]",
    b"[-0.0, 10, 0]", b'{"b":1,"a":[null,false]}', b'\t\r\n{"x"\t:\r1\n,"y" : 2}',
]  # fmt: skip
REFUSED = [
    b"", b" ", b"01", b"-", b"1.", b".5", b"1e", b"+1", b"--1", b"0x1", b"NaN", b"Infinity", b"-Infinity", b"tru",
    b"nul", b"'a'", b'"', b'"\\"', b'"\\x"', b'"\\u12"', b'"\\u12g4"', b'"\x01"', b'"\n"', b"[", b"]", b"[1", b"[1,]",
    b"[,1]", b"[1 2]", b"{", b"}", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{a:1}', b'{"a":1 "b":2}', b"1 2", b"{} x",
    b"\x00", b"1\x00", b"\xef\xbb\xbf1",
    # What Python takes and this reader does not: surrogates alone, no UTF-8, U+0000, two of a name, depth.
    rb'"\ud800"', rb'"\udc00"', rb'"\ud800\u0041"', rb'"\ud800\ud800"', b'"\xff"', b'"\xc0\x80"', b'"\xed\xa0\x80"',
    b'"\xf4\x90\x80\x80"', b'"\xe2\x82"', b'"\xe2\x82', rb'"\u0000"', b'{"a":1,"a":1}', rb'{"a":1,"\u0061":2}',
    b"[" * (DEPTH + 1) + b"]" * (DEPTH + 1),
]  # fmt: skip


class Reader(ClientCase):
    def read(self, documents: list[bytes]) -> list[str]:
        """What the reader made of each: the document written anew, or `refused`."""
        return self.through("json", documents)

    def through(self, mode: str, documents: list[bytes]) -> list[str]:
        told = b"".join(len(document).to_bytes(4, "big") + document for document in documents)
        command = [str(self.driver_type.folder / "documents"), mode]
        done = subprocess.run(command, input=told, capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
        lines = done.stdout.decode().split("\n")[:-1]
        self.assertEqual(len(lines), len(documents))
        return lines

    def test_valid_documents_mean_what_python_says(self) -> None:
        chance = random.Random(SEED)
        documents = VALID + [written(chance, value(chance, 4)) for _ in range(3000)]
        for document, line in zip(documents, self.read(documents)):
            self.assertNotEqual(line, "refused", document)
            self.assertEqual(exact(line), exact(document.decode()), document)

    def test_what_is_malformed_is_refused(self) -> None:
        for document, line in zip(REFUSED, self.read(REFUSED)):
            self.assertEqual(line, "refused", document)

    def test_members_are_counted(self) -> None:
        for count, is_read in ((MEMBERS, True), (MEMBERS + 1, False)):
            document = json.dumps({str(number): number for number in range(count)}).encode()
            self.assertEqual(self.read([document])[0] != "refused", is_read, count)

    def test_mutated_bytes_do_no_harm_and_are_read_as_python_reads_them(self) -> None:
        chance = random.Random(SEED + 1)
        documents = [mutated(chance, written(chance, value(chance, 3))) for _ in range(20_000)]
        counts = {True: 0, False: 0}
        for document, line in zip(documents, self.read(documents)):
            is_read = line != "refused"
            counts[is_read] += 1
            self.assertEqual(is_read, is_valid(document), document)
            if is_read:
                self.assertEqual(exact(line), exact(document.decode()), document)
        self.assertTrue(all(count > 1000 for count in counts.values()), counts)

    def test_mutated_replies_allow_nothing_that_they_do_not_say(self) -> None:
        chance = random.Random(SEED + 3)
        replies = [json.dumps(case["reply"]).encode() for case in cases("decisions.json")]
        frames = [mutated(chance, chance.choice(replies)) for _ in range(20_000)]
        outcomes: dict[str, int] = {}
        for frame, line in zip(frames, self.through("reply", frames)):
            outcome = "broken" if line == "broken" else json.loads(line)["outcome"]
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
            self.assertEqual(outcome == "broken", not is_reply(frame), frame)
            if outcome not in ("broken", "block"):
                reply = json.loads(frame)
                self.assertEqual(
                    (reply["parameters"]["decision"]["outcome"], reply.get("error")), (outcome, None), frame
                )
        self.assertTrue(all(outcomes[outcome] > 100 for outcome in ("broken", "block", "allow", "redirect")), outcomes)

    def test_written_text_is_what_was_given_with_replacements(self) -> None:
        chance = random.Random(SEED + 2)
        given = [b"", b'"\\/', b"\x01\x1f\x7f", b"\xff", b"a\xe2\x82b", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc3\xa4"]
        given += [bytes(chance.choices(PIECES, k=chance.randrange(12))) for _ in range(5000)]
        for text, line in zip(given, self.through("text", given)):
            self.assertEqual(json.loads(line), text.decode("utf-8", "replace"), text)


PIECES = [
    *b'a"\\',
    0x01,
    0x1F,
    0x7F,
    0x80,
    0xA0,
    0xBF,
    0xC0,
    0xC3,
    0xE0,
    0xE2,
    0xED,
    0xEF,
    0xF0,
    0xF4,
    0xF5,
    0xFF,
    0x90,
]
TEXTS = ["", "a", "outcome", "ä", "€", "😀", '"', "\\", "\n", "\x01", "\x7f", "\u2028", "x" * 50]


def value(chance: random.Random, depth: int) -> Any:
    kind = chance.randrange(9 if depth else 6)
    if kind < 2:
        return "".join(chance.choices(TEXTS, k=chance.randrange(4)))
    if kind == 2:
        return chance.choice([0, 1, -1, chance.getrandbits(62), -chance.getrandbits(62), 2**63 - 1, -(2**63)])
    if kind == 3:
        return chance.choice([1.5, -0.25, 1e10, 2**70, 3e-9])
    if kind < 6:
        return chance.choice([None, True, False])
    if kind == 6:
        return [value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return {chance.choice(TEXTS) + str(number): value(chance, depth - 1) for number in range(chance.randrange(4))}


def written(chance: random.Random, document: Any) -> bytes:
    separators = chance.choice([(",", ":"), (", ", ": "), (" ,\n", "\t: ")])
    indent = chance.choice([None, 1])
    ascii_only = chance.random() < 0.5
    return json.dumps(document, separators=separators, ensure_ascii=ascii_only, indent=indent).encode()


def mutated(chance: random.Random, document: bytes) -> bytes:
    data = bytearray(document)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(data) + 1)
        match chance.randrange(4):
            case 0:
                data[place:place] = bytes(
                    [chance.choice(b'"\\{}[]:,0123456789eE+-. \n\t' + bytes([0, 0x80, 0xFF, 0xE2]))]
                )
            case 1:
                del data[place : place + chance.randrange(3)]
            case 2 if place < len(data):
                data[place] ^= 1 << chance.randrange(8)
            case _:
                data[place:] = data[chance.randrange(len(data) + 1) :][:100]
    return bytes(data)


class _Twice(ValueError):
    pass


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in members]
    if len(set(names)) != len(names):
        raise _Twice
    return dict(members)


def is_valid(document: bytes) -> bool:
    """Whether Python reads it, under this reader's stricter rules."""
    try:
        read = json.loads(document.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return False
    return not document.startswith(b"\xef\xbb\xbf") and all(_is_c_text(text) for text in _texts(read))


def is_reply(frame: bytes) -> bool:
    """Whether it has the shape of a reply."""
    reply = json.loads(frame) if is_valid(frame) else None
    if not isinstance(reply, dict):
        return False
    return isinstance(reply.get("parameters"), dict | None) and isinstance(reply.get("error"), str | None)


def _refuse(word: str) -> None:
    raise ValueError(word)


def _texts(document: Any) -> list[str]:
    if isinstance(document, str):
        return [document]
    if isinstance(document, list):
        return [text for item in document for text in _texts(item)]
    if isinstance(document, dict):
        return [text for name, item in document.items() for text in [name, *_texts(item)]]
    return []


def _is_c_text(text: str) -> bool:
    return "\0" not in text and not any(0xD800 <= ord(character) <= 0xDFFF for character in text)


def exact(document: str) -> Any:
    """The document with its types and the order of its members; numbers that are no 64-bit integers as written."""
    return json.loads(document, object_pairs_hook=lambda pairs: ("object", pairs), parse_float=_written, parse_int=_int)


def _written(digits: str) -> tuple[str, str]:
    return ("real", digits)


def _int(digits: str) -> Any:
    number = int(digits)
    return ("integer", number) if -LONG <= number < LONG else ("real", digits)
