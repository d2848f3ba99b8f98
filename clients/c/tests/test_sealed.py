"""Sealed data: the vectors that all clients share, each bit and each length, any size, and memory that runs out."""

import base64
import hashlib
import json
import os
import subprocess
from pathlib import Path
from typing import Any

from case import ClientCase
from configuration import SETTINGS, Configuration
from daemon import Daemon
from fake import Peer
from program import ROOT, VECTORS, run

READERS = ("unprotect", "stream", "file")
# Four GiB at night, when the variable says 100 (percent); they take eight seconds of processor time.
BIG = (4 << 30) * int(os.environ.get("WEBVIEWGUARD_EFFORT", "10")) // 100
# A few chunks and the program itself, with libcrypto.
MOST_KIBIBYTES = 24 << 10
# More allocations than the scenario makes.
ENOUGH = 2000


def table() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((VECTORS / "sealed.json").read_text())
    return found


def filled(plain: dict[str, Any]) -> bytes:
    seed, length = plain["seed"].encode(), plain["length"]
    blocks = (hashlib.sha256(seed + number.to_bytes(8, "big")).digest() for number in range(-(-length // 32)))
    return b"".join(blocks)[:length]


def digits(data: bytes) -> str:
    return data.hex() or "-"


class Sealed(ClientCase):
    """SD-02 to SD-05."""

    def setUp(self) -> None:
        super().setUp()
        self.table = table()
        self.keys = [f"key {row['object']} {row['keyId']} {row['accountId']} {row['key']}" for row in self.table["keys"]]

    def program(self, *lines: str) -> list[str]:
        """What the program answers, line by line, with the keys of the vectors."""
        told = "\n".join([*self.keys, *lines, ""])
        done = subprocess.run(
            [self.driver_type.folder / "sealed"], input=told, capture_output=True, text=True, timeout=600,
            env=os.environ | {"ASAN_OPTIONS": "detect_leaks=1"},
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        answers = done.stdout.splitlines()
        self.assertEqual(len(answers), len(self.keys) + len(lines))
        return answers[len(self.keys) :]

    def agree(self, rows: list[tuple[str, str, str]]) -> None:
        """Each row has a name, a line, and its answer."""
        self.assertTrue(rows)
        for (name, line, wanted), found in zip(rows, self.program(*(line for _, line, _ in rows)), strict=True):
            self.assertTrue(found == wanted, f"{name}: {line.split()[0]} said {found[:200]}, not {wanted[:200]}")

    def envelopes(self) -> dict[str, bytes]:
        """Each sealed vector, as the writer makes it when it is given 1000 bytes at a time."""
        rows = self.table["sealed"]
        lines = [f"seal {row['exponent']} {row['object']} 1000 {b'work@contoso.com'.hex()} {digits(filled(row['plain']))}" for row in rows]
        return {row["name"]: bytes.fromhex(made) for row, made in zip(rows, self.program(*lines), strict=True)}

    def test_what_is_written(self) -> None:
        name = b"work@contoso.com".hex()
        for step in (1 << 30, 1000, 4096, 70_000):
            lines = [f"seal {row['exponent']} {row['object']} {step} {name} {digits(filled(row['plain']))}" for row in self.table["sealed"]]
            for row, made in zip(self.table["sealed"], self.program(*lines), strict=True):
                wanted, found = row["envelope"], bytes.fromhex(made)
                if "sha256" in wanted:
                    self.assertEqual({"length": len(found), "sha256": hashlib.sha256(found).hexdigest()}, wanted, row["name"])
                else:
                    text = bytes.fromhex(wanted["digits"]) if "digits" in wanted else base64.b64decode(wanted["base64"])
                    self.assertEqual(found, text, row["name"])

    def test_what_is_read(self) -> None:
        made = self.envelopes()
        keys = {row["object"]: row for row in self.table["keys"]}
        rows = []
        for row in self.table["sealed"]:
            envelope, key = made[row["name"]], keys[row["object"]]
            rows += [(row["name"], f"{read} {envelope.hex()}", digits(filled(row["plain"]))) for read in READERS]
            told = f"sealed {key['accountId']} {key['keyId']} {row['object']}"
            rows.append((row["name"], f"info {envelope[:112].hex()}", told))
        self.agree(rows)

    def test_unmanaged_and_foreign_data(self) -> None:
        rows = []
        for row in self.table["unmanaged"]:
            name = row["account"] or "nobody"
            rows += [(name, f"{read} {row['envelope']}", row["plain"] or "-") for read in READERS]
            rows.append((name, f"info {row['envelope']}", f"unmanaged {row['account']}  "))
            said = f"seal 16 {'00' * 32} 99 {digits(row['account'].encode())} {row['plain'] or '-'}"
            rows.append((name, said, row["envelope"]))
        for row in self.table["foreign"]:
            rows += [(row["name"], f"{read} {row['data']}", row["data"]) for read in READERS[:2]]
            rows += [(row["name"], f"file {row['data']}", "104 "), (row["name"], f"info {row['data']}", "foreign   ")]
        self.agree(rows)

    def test_damage_is_noticed(self) -> None:
        made = self.envelopes()
        rows = []
        for row in self.table["damaged"]:
            pieces = (bytes.fromhex(p) if isinstance(p, str) else made[p["of"]][p["from"] : p["to"]] for p in row["pieces"])
            data = bytearray(b"".join(pieces))
            for place, mask in row.get("xor", []):
                data[place] ^= mask
            rows += [(row["name"], f"{read} {digits(data)}", f"{row['code']} {row['reason']}") for read in READERS]
        self.assertGreater(len(rows), 300)
        self.agree(rows)

    def test_texts(self) -> None:
        rows = []
        for row in self.table["texts"]:
            wanted = f"{row['code']} {row['reason']}" if "code" in row else digits(row.get("plain", row["text"]).encode())
            rows.append((row["name"], f"untext {digits(row['text'].encode())}", wanted))
        rows += [(text, f"text {digits(text.encode())}", digits(text.encode())) for text in ("x", "Grüße", "ab" * 70_000)]
        self.agree([*rows, ("none", "text -", "105 ")])

    def test_what_is_sealed_at_once_all_readers_read(self) -> None:
        rows = [(str(length), f"protect {b'a'.hex()} {digits(bytes(length))}", "agree") for length in (1, 65535, 65536, 65537, 200_000)]
        rows += [("none", f"protect {b'a'.hex()} -", "105 "), ("nobody", "protect - 00", "agree")]
        for name in (b"a" * 1025, "é".encode() * 513, b"\xff", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"a\xc3"):
            rows.append((repr(name), f"protect {name.hex()} 00", "101 "))
        self.agree(rows)

    def test_reads_at_any_place_are_those_of_a_plain_file(self) -> None:
        made = self.envelopes()
        wanted = [row for row in self.table["sealed"] if row["exponent"] == 12]
        self.agree([(row["name"], f"places {made[row['name']].hex()} {digits(filled(row['plain']))}", "agree") for row in wanted])

    def test_each_bit_and_each_length_is_noticed(self) -> None:
        """One chunk and no chunk in full; of three chunks every length, and every bit where it takes no minutes."""
        made = self.envelopes()
        rows = []
        for name in ("16/0", "16/1", "12/8200"):
            data = made[name]
            rows.append((name, f"cuts {data.hex()}", f"{len(data) - 1} of {len(data) - 1}"))
            if self.way == "plain" or len(data) < 200:
                rows.append((name, f"flips {data.hex()}", f"{8 * len(data)} of {8 * len(data)}"))
        self.agree(rows)

    def test_what_the_fuzzer_kept_holds(self) -> None:
        """A reader that lets a damaged chunk pass is noticed by some of them."""
        inputs = sorted((ROOT / "Fuzzing/Corpus/Sealed").iterdir())
        self.assertGreaterEqual(len(inputs), 20)
        told = run(self.driver_type.folder / "sealed_reader", *inputs).stdout
        self.assertEqual(told, f"{len(inputs)} inputs\n")

    def test_without_memory_there_is_an_error_and_never_other_data(self) -> None:
        for mode in ("hungry", "starving"):
            told = run(self.driver_type.folder / "sealed", mode, str(ENOUGH), self.directory / "file").stdout
            self.assertGreater(int(told), 10)
            self.assertEqual([path.name for path in self.directory.iterdir()], ["file"], "nothing is left over")

    def test_any_size_takes_the_memory_of_a_few_chunks(self) -> None:
        """A sparse file through a writer, a pipe and a reader. The sanitizers' memory is their own."""
        if self.way != "plain":
            return
        told = run(self.driver_type.folder / "sealed", "big", str(BIG)).stdout.split()
        self.assertEqual(told[:2], ["0", str(BIG)])
        self.assertLess(max(map(int, told[2:])), MOST_KIBIBYTES)

    def test_a_file_is_replaced_whole(self) -> None:
        """Its mode and links stay."""
        file, link = self.directory / "report", self.directory / "link"
        link.symlink_to("report")
        file.touch()
        run(self.driver_type.folder / "sealed", "create", link)
        first = file.read_bytes()
        file.chmod(0o640)
        run(self.driver_type.folder / "sealed", "create", link)
        self.assertTrue(link.is_symlink())
        self.assertNotEqual(file.read_bytes(), first)
        self.assertEqual((file.stat().st_mode & 0o777, len(first)), (0o640, len(file.read_bytes())))
        with self.assertRaises(RuntimeError):
            run(self.driver_type.folder / "sealed", "create", self.directory / "none/file")
        self.assertEqual(sorted(path.name for path in self.directory.iterdir()), ["link", "report"])


ANSWER = {"key": "0a" * 32, "keyId": "0b" * 16, "accountId": "0c" * 16}
OBJECT = "ab" * 32
# Of work@contoso.com.
WORK_ID = "2bb54003f51bb9c73f499e5146dc639c"


class DataKeys(ClientCase):
    def test_the_daemon_is_asked_for_keys(self) -> None:
        wrong: list[dict[str, Any]] = [
            {}, ANSWER | {"key": "0a" * 31}, ANSWER | {"key": "0A" * 32}, ANSWER | {"keyId": "0b" * 17},
            ANSWER | {"accountId": 7},
        ]  # fmt: skip
        refusals = {"NotManaged": "notManaged", "NoApp": "strangeApp", "NoPolicy": "strangeApp", "AccountLocked": "withheld"}

        def serve(peer: Peer) -> None:
            peer.attach()
            for _ in range(2):
                peer.call()
                peer.reply(ANSWER)
            for reply in wrong:
                peer.call()
                peer.reply(reply)
            for name in refusals:
                peer.call()
                peer.refuse(name)
            peer.call()
            peer.refuse("NotManaged")
            peer.oblige()

        daemon = self.fake(serve)
        told = self.asked(daemon.path, "write", "read", *("write" for _ in (*wrong, *refusals)), "read")
        given = f"given {ANSWER['key']} {ANSWER['keyId']} {ANSWER['accountId']}"
        self.assertEqual(told, [given, given, *("withheld" for _ in wrong), *refusals.values(), "withheld"])
        write, read = daemon.peers[0].calls[1:3]
        self.assertEqual(write["method"], "org.webviewguard.Accounts.DataKey")
        self.assertEqual(write["parameters"], {"account": "work@contoso.com", "use": "write", "object": OBJECT})
        self.assertEqual(read["parameters"], {"account": "0c" * 16, "use": "read", "object": OBJECT, "keyId": "0b" * 16})

    def test_nobody_answers(self) -> None:
        self.assertEqual(self.asked(self.directory / "none.sock", "write", "read"), ["withheld", "withheld"])

    def test_the_real_daemon_gives_keys(self) -> None:
        daemon = Daemon(Configuration(settings=SETTINGS.replace("answerMs: 400", "answerMs: 20000")))
        self.addCleanup(daemon.remove)
        daemon.start()
        # The account's id is that of its name; to read under another header is refused.
        first, second, strange = self.asked(daemon.guard_socket, "write", "write", "read")
        self.assertRegex(first, f"^given [0-9a-f]{{64}} [0-9a-f]{{32}} {WORK_ID}$")
        self.assertEqual((second, strange), (first, "withheld"))

    def asked(self, path: Path, *uses: str) -> list[str]:
        """What the source says that asks the daemon."""
        return run(self.driver_type.folder / "sealed", "ask", path, *uses).stdout.splitlines()
