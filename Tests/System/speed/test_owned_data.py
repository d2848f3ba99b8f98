"""What data that knows its owner costs: keys and labels beside an ordinary decision, a million files in the table, and the
wipe of an account with many sealed files.

Times are told, since machines differ; what is gated is memory, and times of which a machine would have to be many times
slower.
"""

import hashlib
import os
import secrets
import sqlite3
import statistics
import sys
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asking import EVENT, USERS, attach, succeed
from configuration import WORK, Configuration
from daemon import ROOT, Daemon, eventually
from disk import Clock
from wire import ACCOUNTS, ADMIN, GUARD, Wire, frame

sys.path.append(str(ROOT / "clients/python/src"))

from webviewguard.sealing import DataKey, KeyRequest, Sealing  # noqa: E402

DAY, HOUR = 86_400, 3_600
POLICY = USERS % (os.getuid(), os.getuid()) + "wipe: { mode: on, causes: [admin], answerTime: 24h }\n"
SETTINGS = "graceSeconds: 1\nlog: { rotateMegabytes: 64, maximumMegabytes: 1024 }\n"

AT_ONCE, ROUNDS = 100, 40
# A key or a label may take so many times what a navigation takes, of a program that waits for each answer.
MOST_RATIO = 5
FILES, SAMPLE = 1_000_000, 2_000
# What the page of labels says of a million entries, and what the daemon may take at most while it starts with them.
MOST_MEBIBYTES, MOST_AT_START = 64, 320
SEALED_FILES = 20_000


class OwnedData(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon(Configuration(POLICY, settings=SETTINGS))
        self.addCleanup(self.daemon.remove)
        self.clock = Clock(self.daemon.directory)
        self.clock.pass_by(2 * DAY)
        self.daemon.environment |= self.clock.environment
        self.start()

    def start(self) -> float:
        """Starts it, attaches an app that shows the organisation's account; how long the start took."""
        began = time.monotonic()
        self.daemon.start()
        seconds = time.monotonic() - began
        self.wire = Wire(self.daemon.guard_socket, seconds=300)
        self.addCleanup(self.wire.socket.close)
        attach(self.wire)
        return seconds

    def status(self, name: str) -> int:
        """A figure of memory in MiB."""
        for line in Path(f"/proc/{self.daemon.pid}/status").read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) >> 10
        raise AssertionError(f"no {name}")

    def many(self, calls: list[bytes], at_once: int = AT_ONCE) -> list[dict[str, Any]]:
        """The replies to calls of which so many are on their way at a time."""
        replies: list[dict[str, Any]] = []
        for start in range(0, len(calls), at_once):
            part = calls[start : start + at_once]
            self.wire.send(*part)
            replies += self.wire.replies(len(part))
        return replies


class Rates(OwnedData):
    def test_keys_and_labels_are_answered_like_decisions(self) -> None:
        created = succeed(self.wire.call(f"{ACCOUNTS}.FileCreated"))
        key = succeed(self.wire.call(f"{ACCOUNTS}.DataKey", account=WORK, use="write", object=secrets.token_hex(32)))
        calls: dict[str, Callable[[], bytes]] = {
            # A page that was not asked about just before.
            "Navigate": lambda: frame(
                f"{GUARD}.Navigate", event={**EVENT, "url": f"{EVENT['url']}&n={secrets.token_hex(8)}"}),
            "DataKey to write": lambda: frame(
                f"{ACCOUNTS}.DataKey", account=WORK, use="write", object=secrets.token_hex(32)),
            "DataKey to read": lambda: frame(
                f"{ACCOUNTS}.DataKey", account=key["accountId"], use="read", object=secrets.token_hex(32), keyId=key["keyId"]),
            "FileCreated": lambda: frame(f"{ACCOUNTS}.FileCreated"),
            "ReadLabel": lambda: frame(f"{ACCOUNTS}.ReadLabel", label=created["label"]),
            "Receive with a label": lambda: frame(f"{GUARD}.Receive", event={"label": created["label"]}),
        }
        waited, together = ({name: [] for name in calls} for _ in range(2))
        # In turns, so that what else the machine does hits all of them.
        for _ in range(ROUNDS):
            for name, call in calls.items():
                waited[name].append(self.seconds([call() for _ in range(AT_ONCE)], at_once=1))
                together[name].append(self.seconds([call() for _ in range(AT_ONCE)], at_once=AT_ONCE))
        alone = {name: statistics.median(times) for name, times in waited.items()}
        many = {name: statistics.median(times) for name, times in together.items()}
        for name in calls:
            ratio = alone[name] / alone["Navigate"]
            print(
                f"{name}: {1e6 * alone[name]:.0f} us, {ratio:.2f} of a navigation;"
                f" {AT_ONCE} at once {1e6 * many[name]:.0f} us each, {many[name] / many['Navigate']:.2f}")
            self.assertLess(ratio, MOST_RATIO, name)

    def seconds(self, calls: list[bytes], at_once: int) -> float:
        """How long one of the calls took."""
        began = time.monotonic()
        replies = self.many(calls, at_once)
        taken = (time.monotonic() - began) / len(calls)
        for reply in replies:
            self.assertIn("parameters", reply)
            self.assertNotIn("error", reply)
        return taken


class Table(OwnedData):
    def test_a_million_files(self) -> None:
        succeed(self.wire.call(f"{ACCOUNTS}.FileCreated", store="table", file=facts(0)))
        self.daemon.stop()
        plain = self.start()
        before = self.status("VmRSS")
        self.daemon.stop()
        with sqlite3.connect(self.daemon.directory / "state/state.db") as database:
            [(uid, first, account)] = database.execute("SELECT uid, file, account FROM file").fetchall()
            self.assertEqual(first, table_key(facts(0)), "the table's key is computed as the daemon does")
            rows = ((uid, table_key(facts(number)), account) for number in range(1, FILES))
            database.executemany("INSERT INTO file (uid, file, account) VALUES (?,?,?)", rows)
        database.close()
        full = self.start()
        grown, most = self.status("VmRSS") - before, self.status("VmHWM")
        print(f"start without files: {plain:.2f} s, with {FILES}: {full:.2f} s; {grown} MiB more, {most} MiB at most")
        self.assertLess(grown, MOST_MEBIBYTES)
        self.assertLess(most, MOST_AT_START)
        self.is_known(self.sample())
        # The table is full: nothing is pushed out, and a file that is in it stays what it is.
        reply = self.wire.call(f"{ACCOUNTS}.FileCreated", store="table", file=facts(FILES))
        self.assertEqual(reply.get("error"), f"{GUARD}.LimitReached", reply)
        self.assertEqual(reply["parameters"], {"limit": "files", "maximum": FILES})
        succeed(self.wire.call(f"{ACCOUNTS}.FileCreated", store="table", file=facts(FILES // 2)))
        self.is_known(self.sample())

    def sample(self) -> list[int]:
        return [0, FILES - 1, *(number * FILES // SAMPLE for number in range(1, SAMPLE))]

    def is_known(self, numbers: list[int]) -> None:
        began = time.monotonic()
        replies = self.many([frame(f"{ACCOUNTS}.ReadLabel", file=facts(number)) for number in numbers])
        print(f"{len(numbers)} of them were asked for in {time.monotonic() - began:.2f} s")
        self.assertEqual({succeed(reply)["standing"] for reply in replies}, {"mine"})
        others = self.many([frame(f"{ACCOUNTS}.ReadLabel", file=facts(FILES + 1 + number)) for number in numbers])
        self.assertEqual({succeed(reply)["standing"] for reply in others}, {"unmanaged"})


class Wipe(OwnedData):
    def test_the_wipe_of_an_account_with_many_files_is_one_key(self) -> None:
        sealed = self.sealed_files()
        order = {"account": WORK, "uid": os.getuid(), "reason": "left", "now": True}
        with Wire(self.daemon.admin_socket) as admin:
            began = time.monotonic()
            code = succeed(admin.call(f"{ADMIN}.WipeAccount", **order))["code"]
            succeed(admin.call(f"{ADMIN}.WipeAccount", confirm=code, **order))
            answered = time.monotonic() - began
            # No file opens from the answer on.
            self.assertEqual(self.errors(sealed), {f"{GUARD}.KeyWithheld"})
            self.daemon.beat()
            self.clock.pass_by(HOUR)
            began = time.monotonic()
            eventually(self.is_destroyed, "the keys are destroyed")
            destroyed = time.monotonic() - began
            print(f"{len(sealed)} sealed files: the wipe was answered after {1000 * answered:.1f} ms, and the key was gone"
                  f" {destroyed:.2f} s after it was due")
            self.assertLess(answered, 1)
            [wipe] = succeed(admin.call(f"{ADMIN}.Wipes"))["wipes"]
        succeed(self.wire.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="done"))
        self.wire.call(f"{ACCOUNTS}.Register", account=WORK)
        self.assertEqual(self.errors(sealed), {f"{GUARD}.KeyDestroyed"})

    def is_destroyed(self) -> bool:
        return any(record["act"] == "destroyed" for record in self.daemon.records("key"))

    def sealed_files(self) -> list[KeyRequest]:
        """The headers of many sealed files."""
        folder = self.daemon.directory / "files"
        folder.mkdir()
        asked: list[KeyRequest] = []

        def ask(request: KeyRequest) -> DataKey:
            answer = succeed(self.wire.call(
                f"{ACCOUNTS}.DataKey", account=request.account, use=request.use, object=request.object_id))
            asked.append(KeyRequest("read", answer["accountId"], request.object_id, answer["keyId"]))
            return DataKey(bytes.fromhex(answer["key"]), answer["keyId"], answer["accountId"])

        sealing = Sealing(ask)
        for number in range(SEALED_FILES):
            (folder / str(number)).write_bytes(sealing.protect(b"the organisation's figures", WORK))
        return asked

    def errors(self, headers: list[KeyRequest]) -> set[str]:
        """What the daemon answers to who wants to open them."""
        calls = [
            frame(f"{ACCOUNTS}.DataKey", account=header.account, use="read", object=header.object_id, keyId=header.key_id)
            for header in headers
        ]  # fmt: skip
        return {str(reply.get("error")) for reply in self.many(calls)}


def facts(number: int) -> str:
    return f"5ca1ab1e:1:{number:016x}:1700000000.{number % 1_000_000_000:09}"


def table_key(text: str) -> bytes:
    """docs in FileTable.swift."""
    return hashlib.sha256(b"webviewguard file facts v1\0" + text.encode()).digest()[:16]
