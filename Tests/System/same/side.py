"""One of the two daemons, with its connections, and what its answers come to when what may differ is taken out."""

import json
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import masking
from configurations import Texts
from daemon import Daemon, eventually
from disk import Clock
from masking import Book
from masks import JOURNAL_AT_ITS_OWN_RATE, SETS
from person import Failure, Link, Person
from policies import Actor
from wire import ADMIN, GUARD, Wire

ADMIN_LINK = "admin"
NO_ANSWER = "no answer in time"
# A guard against hangs only.
ANSWER_SECONDS = 120
LISTENERS = {"webviewguard_subscribers 1", "webviewguard_watchers 1"}


@dataclass(frozen=True)
class Id:
    """An id that was answered before, by its kind and number: each side has its own."""

    kind: str
    number: int


@dataclass(frozen=True)
class Token:
    """What `Attach` answered this actor."""

    actor: str


@dataclass(frozen=True)
class Call:
    """A call as it is said, in which ids stand by reference."""

    method: str
    parameters: Any
    flags: dict[str, Any] = field(default_factory=dict)

    @property
    def is_answered(self) -> bool:
        return not self.flags.get("oneway")

    def __str__(self) -> str:
        flags = f" {self.flags}" if self.flags else ""
        return f"{self.method.rsplit('.', 1)[-1]} {self.parameters}{flags}"


class Side:
    """`tamper` is what the self-test changes raw answers with; it gets the channel and the value."""

    def __init__(self, program: Path, texts: Texts, key: bytes) -> None:
        self.daemon = Daemon(texts.configuration(), program=program)
        self.daemon.directory.chmod(0o755)
        self.clock = Clock(self.daemon.directory)
        self.daemon.environment |= self.clock.environment
        self.book = Book(str(self.daemon.directory))
        self.links: dict[str, Link | Wire] = {}
        self.tokens: dict[str, str] = {}
        self.tamper: Callable[[str, Any], Any] = lambda channel, value: value
        self._told = self._said = 0
        # With one key for both, accounts have the same pseudonyms in both logs.
        self.daemon.logs.mkdir(mode=0o750)
        (self.daemon.logs / "pseudonym.key").write_bytes(key)
        (self.daemon.logs / "pseudonym.key").chmod(0o600)

    # Life

    def start(self) -> None:
        self.daemon.start()
        self.links[ADMIN_LINK] = Wire(self.daemon.admin_socket, ANSWER_SECONDS)

    def stop(self, number: int) -> int:
        for name in list(self.links):
            self.close(name)
        return self.daemon.stop(number)

    def remove(self) -> None:
        self.daemon.remove()

    def pass_by(self, seconds: int) -> None:
        self.clock.pass_by(seconds)
        self.daemon.beat()

    def put(self, texts: Texts) -> None:
        """Writes another configuration in place of the one that is there."""
        for file in [file for file in self.daemon.config.rglob("*") if file.is_file()]:
            if str(file.relative_to(self.daemon.config)) not in texts.files:
                file.unlink()
        texts.configuration().write(self.daemon.config)

    # Connections

    def open(self, name: str, person: Person) -> Any:
        try:
            self.links[name] = person.link(self.daemon.guard_socket)
        except Failure as failure:
            return str(failure)
        return "connected"

    def close(self, name: str) -> None:
        link = self.links.pop(name, None)
        try:
            link.socket.close() if isinstance(link, Wire) else link and link.close()
        except Failure:
            pass

    def settled(self) -> bool:
        """Waits until the daemon saw which connections were closed; false when it counts others in the end."""
        try:
            eventually(lambda: self._connections() == len(self.links), "closed connections are seen", 30)
        except TimeoutError:
            return False
        return True

    def is_heard(self) -> None:
        """Waits until the daemon has taken up who subscribes and who watches: neither call has an answer of its own."""
        eventually(lambda: LISTENERS <= set(self._metrics().splitlines()), "somebody subscribes and somebody watches")

    def _metrics(self) -> str:
        return str(self.admin(f"{ADMIN}.Metrics")["parameters"]["text"])

    def _connections(self) -> int:
        return int(self.admin(f"{ADMIN}.Status")["parameters"]["connections"])

    def watcher(self) -> Wire:
        """Another connection of an administrator."""
        return Wire(self.daemon.admin_socket, ANSWER_SECONDS)

    def admin(self, method: str, **parameters: Any) -> dict[str, Any]:
        link = self.links[ADMIN_LINK]
        return link.call(method, **parameters)

    # Saying

    def say(self, name: str, calls: Sequence[Call]) -> list[Any]:
        """Sends calls in one piece; the replies to those that are answered, up to the end of the connection."""
        link = self.links.get(name)
        if link is None:
            return ["not connected"]
        frames = "".join(self._frame(call) for call in calls)
        answers: list[Any] = []
        try:
            link.send(frames.encode() if isinstance(link, Wire) else frames)
            for call in calls:
                if call.is_answered:
                    answers.append(self._answer(name, call, link.reply()))
        except (Failure, OSError) as failure:
            answers.append(_ended(failure))
            self.close(name)
        return answers

    def raw(self, name: str, text: str) -> Any:
        """Sends what is no message, and sees what becomes of the connection."""
        link = self.links.get(name)
        if link is None:
            return "not connected"
        try:
            link.send(text.encode() if isinstance(link, Wire) else text)
            return self.book.reply(link.reply(), "")
        except (Failure, OSError) as failure:
            self.close(name)
            return _ended(failure)

    def until(self, name: str, method: str, is_last: Callable[[dict[str, Any]], bool]) -> list[Any]:
        """What comes over a connection that listens, up to the last of it."""
        link, heard = self.links[name], []
        try:
            while True:
                reply = self.tamper("news", link.reply())
                heard.append(self.book.reply(reply, method))
                if is_last(reply.get("parameters") or {}) or "error" in reply:
                    return heard
        except (Failure, OSError) as failure:
            return [*heard, _ended(failure)]

    def _answer(self, name: str, call: Call, reply: dict[str, Any]) -> Any:
        if call.method == f"{GUARD}.Attach" and "error" not in reply:
            self.tokens[name.partition("/")[0]] = reply["parameters"]["instance"]
        channel = "metrics" if call.method == f"{ADMIN}.Metrics" else "replies"
        return self.book.reply(self.tamper(channel, reply), call.method)

    def _frame(self, call: Call) -> str:
        said = {"method": call.method, "parameters": self._own(call.parameters), **call.flags}
        return json.dumps(said) + "\0"

    def _own(self, value: Any) -> Any:
        """With this side's ids in place of references."""
        if isinstance(value, Id):
            return self.book.value(value.kind, value.number)
        if isinstance(value, Token):
            return self.tokens.get(value.actor, "0" * 32)
        if isinstance(value, dict):
            return {key: self._own(member) for key, member in value.items()}
        return [self._own(member) for member in value] if isinstance(value, list) else value

    # What is left

    def log(self) -> tuple[list[Any], list[str]]:
        """The records since it was last asked."""
        records = self.daemon.all_records()
        new, self._told = records[self._told :], len(records)
        return masking.log([self.tamper("log", record) for record in new], self.book)

    def said(self) -> list[str]:
        """The lines of standard error since it was last asked, by the alphabet: two threads write them."""
        lines = self.daemon.said.read_text().splitlines()
        new, self._said = lines[self._said :], len(lines)
        told = [self.tamper("journal", line) for line in new if not JOURNAL_AT_ITS_OWN_RATE.search(line)]
        return sorted(self.book.text(line) for line in told)

    def kept(self) -> dict[str, Any]:
        """The tables of the state file, and the policies beside it."""
        state = self.daemon.directory / "state"
        uri = f"file:{state / 'state.db'}?mode=ro"
        tables: dict[str, Any] = {}
        database = sqlite3.connect(uri, uri=True)
        try:
            for name, text in database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' ORDER BY name"):
                rows = [_row(name, cursor, row) for cursor in [database.execute(f'SELECT * FROM "{name}"')] for row in cursor]
                tables[name] = [text, *self._ordered(name, self.tamper("state", rows))]
            version = database.execute("PRAGMA user_version").fetchone()
        finally:
            database.close()
        policies = sorted(file for file in (state / "policy").rglob("*") if file.is_file())
        files = {self.book.text(str(file)): file.read_text() for file in policies}
        return {"version": version, "tables": tables, "policies": files, "contract": self._contract()}

    def _contract(self) -> Any:
        return json.loads(self.daemon.contract.read_text()) if self.daemon.contract.exists() else None

    def _ordered(self, table: str, rows: Sequence[dict[str, Any]]) -> list[Any]:
        """Rows in an order that does not come from ids."""
        first = sorted(rows, key=lambda row: json.dumps(self.book.draft(lambda book: book.masked(row, table))))
        return sorted((self.book.masked(row, table) for row in first), key=json.dumps)


def _row(table: str, cursor: sqlite3.Cursor, row: Sequence[Any]) -> dict[str, Any]:
    """A row by the names of its columns; a mark is a pair of a name and its value."""
    named = {column[0]: value for column, value in zip(cursor.description, row, strict=True)}
    for name, value in named.items():
        if isinstance(value, bytes):
            size = SETS.get(f"{table}.{name}", len(value) or 1)
            named[name] = b"".join(sorted(value[at : at + size] for at in range(0, len(value), size))).decode("latin-1")
    return {named["name"]: named["value"]} if list(named) == ["name", "value"] else named


def _ended(failure: Exception) -> str:
    """How a connection ended. Whether the daemon's end is seen in sending or in receiving says nothing."""
    name = str(failure) if isinstance(failure, Failure) else type(failure).__name__
    return NO_ANSWER if name == "TimeoutError" else "closed by the daemon"


def cast(actors: Sequence[Actor]) -> dict[int, Person]:
    """A process for each user; both sides hear from the same."""
    return {uid: Person(uid) for uid in sorted({actor.uid for actor in actors} | {os.getuid()})}


def steady() -> None:
    """Waits where a minute or a day would end between what the two sides do."""
    if time.time() % 60 > 58.5:
        time.sleep(2)


KILL, STOP = signal.SIGKILL, signal.SIGTERM
