"""Programs of other users: real processes with another uid and other groups, which do what the test says."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

PYTHON = "/usr/bin/python3"

# What such a process runs. It is given as text, since other users cannot read every checkout. One JSON list a line
# comes in, a word and its arguments, and one JSON object a line goes out.
PROGRAM = r"""
import json, os, socket, sys

links = []

def link(path):
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(120)
    made.connect(path)
    links.append([made, b""])
    return len(links) - 1

def reply(number):
    made, received = links[number]
    while b"\0" not in received:
        chunk = made.recv(1 << 16)
        if not chunk:
            raise ConnectionError("closed")
        received += chunk
    frame, _, links[number][1] = received.partition(b"\0")
    return json.loads(frame)

def call(number, method, parameters):
    send(number, json.dumps({"method": method, "parameters": parameters}) + "\0")
    return reply(number)

def send(number, text):
    links[number][0].sendall(text.encode())

def push(number, text, times):
    # Sends as much as is taken at once; the rest is left.
    made, data, sent = links[number][0], text.encode() * times, 0
    made.settimeout(0.5)
    try:
        while sent < len(data):
            sent += made.send(data[sent:sent + 65536])
    except (TimeoutError, ConnectionError):
        pass
    made.settimeout(120)
    return sent

def close(number):
    links[number][0].close()

def who():
    return [os.getuid(), os.getgid(), os.getgroups(), os.getpid()]

def plant(path):
    made = socket.socket(socket.AF_UNIX)
    made.bind(path)
    made.listen()
    links.append([made, b""])

def remove(path):
    os.unlink(path)

words = {f.__name__: f for f in (link, reply, call, send, push, close, who, plant, remove)}
for line in sys.stdin:
    word, *arguments = json.loads(line)
    try:
        answer = {"value": words[word](*arguments)}
    except OSError as error:
        answer = {"failure": type(error).__name__}
    print(json.dumps(answer), flush=True)
"""


class Failure(Exception):
    """What a person's system call failed with, such as `PermissionError`."""


class Person:
    """A process of a user, with connections of its own. `prefix` is a command that starts it, such as `unshare -U`. Only
    root can be others; for everybody else `uid` has to be the own one."""

    def __init__(self, uid: int, groups: Sequence[int] = (), prefix: Sequence[str] = ()) -> None:
        self.uid = uid
        self.process = subprocess.Popen(
            [*prefix, PYTHON, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            text=True,
            **({"user": uid, "group": uid, "extra_groups": list(groups)} if os.getuid() == 0 else {}),
        )

    def _do(self, word: str, *arguments: Any) -> Any:
        """Has it do something and returns what came of it."""
        if self.process.stdin is None or self.process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self.process.stdin.write(json.dumps([word, *arguments]) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline() or '{"failure": "it ended"}')
        if "failure" in answer:
            raise Failure(answer["failure"])
        return answer["value"]

    def link(self, path: Path) -> "Link":
        """Connects it to a socket."""
        return Link(self, self._do("link", str(path)))

    def who(self) -> tuple[int, int, list[int], int]:
        """Its uid, gid, groups and process number, as it sees them itself."""
        uid, gid, groups, pid = self._do("who")
        return uid, gid, groups, pid

    def plant(self, path: Path) -> None:
        """Listens at a path."""
        self._do("plant", str(path))

    def remove(self, path: Path) -> None:
        self._do("remove", str(path))

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()


class Link:
    """One connection of a person."""

    def __init__(self, person: Person, number: int) -> None:
        self.person = person
        self.number = number

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.person._do("call", self.number, method, parameters)

    def send(self, text: str) -> None:
        self.person._do("send", self.number, text)

    def push(self, text: str, times: int) -> int:
        """Sends as much as is taken while no answer is read; returns how many bytes."""
        return self.person._do("push", self.number, text, times)

    def reply(self) -> dict[str, Any]:
        return self.person._do("reply", self.number)

    def close(self) -> None:
        self.person._do("close", self.number)
