"""Keys of two people's accounts, which are made, rotated and destroyed while the daemon is killed: by a signal at any time, or
in place of one of its operations on the disk. Each key that a program got is remembered, and what may have become of it."""

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import disk
from configuration import ORGANISATION, WORK, Configuration
from daemon import Daemon
from disk import Clock
from wire import ACCOUNTS, ADMIN, GUARD, Wire
from world import DAY, HOUR, SECOND, USERS, answered

APP = "com.contoso.portal"
NAMES = (WORK, SECOND)
POLICY = f"""\
apps:
  {APP}:
    peers: [{", ".join(f"{{ uid: {uid} }}" for uid in USERS)}]
    identityMode: multi
    managedAccounts: several
    accounts: {{ source: [app] }}
wipe: {{ mode: on, causes: [admin], answerTime: 24h }}
"""
CONFIGURATION = Configuration(POLICY, settings="graceSeconds: 1\n", organisation=ORGANISATION)

# Why a key is withheld while a wipe takes its account away.
WITHHELD = {"accountBlocked", "accountWiped", "policyRequired"}
PATIENCE_SECONDS = 120.0
# Keys that are tried after each kill, of each account.
MOST = 12

LIVES, OPEN, GONE = "lives", "its destruction was ordered", "is destroyed"


@dataclass
class Key:
    object: str
    key: str
    key_id: str
    account_id: str
    fate: str = LIVES


@dataclass
class Place:
    """An account of a person."""

    uid: int
    name: str
    keys: list[Key] = field(default_factory=list)
    # The number of the key that an administrator was told of last; None when another order is in doubt.
    newest: str | None = None
    # A wipe was ordered, and nobody has seen its end.
    is_wiped: bool = False

    @property
    def fates(self) -> set[str]:
        return {key.fate for key in self.keys}


class KeyWorld:
    """Two people, their accounts and an administrator. A step that the daemon does not survive raises a ConnectionError."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.daemon = Daemon(CONFIGURATION)
        self.daemon.directory.chmod(0o755)
        self.clock = Clock(self.daemon.directory)
        self.clock.pass_by(2 * DAY)
        self.counter = self.daemon.directory / "operations"
        self.places = [Place(uid, name) for uid in USERS for name in NAMES]
        self.done: dict[str, int] = {}
        # What the files of keys held, by the key's number: of one that is destroyed nothing is left.
        self.files: dict[str, bytes] = {}
        self.crash_at(0)

    # The daemon

    @property
    def state(self) -> Path:
        return self.daemon.directory / "state"

    def crash_at(self, operation: int) -> None:
        """The next daemon ends in place of this operation on its state; never with 0."""
        self.daemon.environment |= {
            **self.clock.environment, **disk.environment(self.state, crash_at=operation, count=self.counter)}

    @property
    def operations(self) -> int:
        return int(self.counter.read_text() or 0)

    def start(self) -> None:
        """Starts it, and everybody comes back. A daemon that ends at once is started again, in good health."""
        try:
            self.daemon.start()
            self.connect()
        except (RuntimeError, ConnectionError, TimeoutError):
            self.daemon.stop(signal.SIGKILL)
            self.crash_at(0)
            self.daemon.start()
            self.connect()

    def connect(self) -> None:
        self.admin = Wire(self.daemon.admin_socket)
        self.apps: dict[int, Wire] = {}
        for uid in USERS:
            os.setegid(uid)
            os.seteuid(uid)
            try:
                app = Wire(self.daemon.guard_socket)
            finally:
                os.seteuid(0)
                os.setegid(0)
            answered(app.call(f"{GUARD}.Attach", app=APP))
            self.apps[uid] = app
        for place in self.places:
            self.register(place)

    def register(self, place: Place) -> None:
        """Refused while a wipe is under way."""
        self.apps[place.uid].call(f"{ACCOUNTS}.Register", account=place.name)

    def killed_in(self, seconds: float) -> threading.Timer:
        process = self.daemon.process
        assert process
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        return timer

    # Steps

    def step(self) -> None:
        word = self.random.choice(("seal", "seal", "open", "rotate", "rotate", "wipe"))
        place = self.random.choice(self.places)
        self.done[word] = self.done.get(word, 0) + 1
        # What a kill interrupted comes first.
        self.finish(place)
        getattr(self, word)(place)
        self.remember_files()

    def seal(self, place: Place) -> None:
        item = self.random.randbytes(32).hex()
        reply = self.apps[place.uid].call(f"{ACCOUNTS}.DataKey", account=place.name, use="write", object=item)
        if "error" in reply:
            assert place.is_wiped and is_withheld(reply), (place, reply)
            return
        answer = reply["parameters"]
        assert not place.is_wiped, (place, "a new key while a wipe is under way")
        assert place.newest in (None, answer["keyId"]), (place, answer, "an older key than an administrator was told of")
        place.keys.append(Key(item, answer["key"], answer["keyId"], answer["accountId"]))
        if len(place.keys) > MOST:
            place.keys.remove(self.random.choice(place.keys[:-1]))

    def open(self, place: Place) -> None:
        for key in place.keys[-1:]:
            self.judge(place, key)

    def rotate(self, place: Place) -> None:
        before, place.newest = place.newest, None
        order = {"account": place.name, "uid": place.uid, "reason": "as every year"}
        reply = self.admin.call(f"{ADMIN}.RotateAccountKey", **order)
        if "error" in reply:
            assert reply["parameters"]["why"] in ("noKey", "underWay"), reply
            place.newest = before
        else:
            place.newest = reply["parameters"]["keyId"]

    def wipe(self, place: Place) -> None:
        """Ordered, carried out and answered. A kill may end it anywhere; the next look goes on with it."""
        if LIVES not in place.fates:
            return
        wanted = {"account": place.name, "uid": place.uid, "reason": "left", "now": True}
        code = answered(self.admin.call(f"{ADMIN}.WipeAccount", **wanted))["code"]
        place.is_wiped = True
        for key in place.keys:
            key.fate = OPEN if key.fate == LIVES else key.fate
        answered(self.admin.call(f"{ADMIN}.WipeAccount", confirm=code, **wanted))
        self.finish(place)

    def finish(self, place: Place) -> None:
        """Goes on with a wipe until it is over, or until it shows that it was never ordered."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while place.is_wiped:
            assert time.monotonic() < deadline, (place, self.wipes(place))
            for wipe in self.wipes(place):
                if wipe["phase"] == "asking":
                    app = self.apps[place.uid]
                    app.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="done")
                else:
                    self.clock.pass_by(HOUR)
                    time.sleep(0.05)
            if not self.wipes(place):
                self.register(place)
                replies = [(key, self.read(place, key)) for key in place.keys if key.fate == OPEN]
                if any(is_withheld(reply) for _, reply in replies):
                    time.sleep(0.05)
                    continue
                for key, reply in replies:
                    key.fate = GONE if "error" in reply else LIVES
                    self.judge(place, key)
                assert len({key.fate for key, _ in replies}) <= 1, (place, "some are destroyed, and some are not")
                place.is_wiped = False
                place.newest = None

    def wipes(self, place: Place) -> list[dict[str, Any]]:
        wipes = answered(self.admin.call(f"{ADMIN}.Wipes"))["wipes"]
        return [wipe for wipe in wipes if (wipe["uid"], wipe["account"]) == (place.uid, place.name)]

    # Claims

    def read(self, place: Place, key: Key) -> dict[str, Any]:
        return self.apps[place.uid].call(
            f"{ACCOUNTS}.DataKey", account=key.account_id, use="read", object=key.object, keyId=key.key_id)

    def judge(self, place: Place, key: Key) -> None:
        """Whether the key is what it may be."""
        reply = self.read(place, key)
        is_destroyed = reply.get("error") == f"{GUARD}.KeyDestroyed"
        opens = "error" not in reply and reply["parameters"]["key"] == key.key
        expected = {
            LIVES: opens,
            OPEN: opens or is_destroyed or is_withheld(reply),
            GONE: is_destroyed or (is_withheld(reply) and place.is_wiped),
        }[key.fate]
        assert expected, (place.uid, place.name, key.fate, key.key_id, reply.get("error"), reply.get("parameters"))
        if is_destroyed:
            key.fate = GONE

    def judge_all(self) -> None:
        for place, key in self.all_keys():
            self.judge(place, key)

    def all_keys(self) -> Iterator[tuple[Place, Key]]:
        for place in self.places:
            for key in place.keys:
                yield place, key

    def remember_files(self) -> None:
        for file in self.state.glob("keys/*/*.key"):
            try:
                self.files.setdefault(file.stem, file.read_bytes())
            except FileNotFoundError:
                continue

    def nothing_is_left(self) -> None:
        """No file of the state has anything of a key that is destroyed."""
        gone = {key.key_id for _, key in self.all_keys() if key.fate == GONE} & set(self.files)
        content = b"".join(file.read_bytes() for file in self.state.rglob("*") if file.is_file())
        left = [key_id for key_id in gone if self.files[key_id][-48:] in content]
        assert not left, left

    def restore(self) -> None:
        """Somebody puts the directory of keys of an earlier day over that of today, while no daemon runs."""
        backup = self.daemon.directory / "backup"
        if not backup.exists():
            shutil.copytree(self.state / "keys", backup)
        elif self.random.random() < 0.3:
            shutil.copytree(backup, self.state / "keys", dirs_exist_ok=True)
            self.done["restore"] = self.done.get("restore", 0) + 1
        else:
            shutil.rmtree(backup)


def is_withheld(reply: dict[str, Any]) -> bool:
    return reply.get("error") == f"{GUARD}.KeyWithheld" and reply["parameters"]["reason"] in WITHHELD
