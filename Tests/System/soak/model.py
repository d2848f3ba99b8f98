"""The judge beside the daemon: `webviewguard decide`, a process for each variant, fed with the same calls."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from conversation import Call, Reference
from policies import APP, FEATURES

# What differs from start to start, and what only a daemon that logs can know.
VARYING = frozenset(("id", "generation", "digest", "request", "clip", "proposal", "repeat"))

# Bytes that a pipe takes while nobody reads.
PIPE = 32 << 10
REMEMBERED = 64


def comparable(reply: dict[str, Any]) -> dict[str, Any]:
    """A reply without what may differ between the daemon and a judge."""
    made: dict[str, Any] = {"parameters": _comparable(reply.get("parameters") or {})}
    if "error" in reply:
        made["error"] = reply["error"]
    return made


def _comparable(value: Any) -> Any:
    if isinstance(value, list):
        return [_comparable(member) for member in value]
    if not isinstance(value, dict):
        return value
    made = {key: _comparable(member) for key, member in value.items() if key not in VARYING}
    if "ruleLocation" in made:
        made["ruleLocation"] = made["ruleLocation"].rpartition("/rules/")[2]
    return made


def note_ids(number: int, reply: dict[str, Any], ids: dict[Reference, str]) -> None:
    """Remembers the ids in the answer to the call `number`, and forgets old ones: all sides the same ones."""
    decision = (reply.get("parameters") or {}).get("decision", {})
    for kind in ("clip", "request"):
        if kind in decision:
            ids[Reference(kind, number)] = decision[kind]
    while len(ids) > REMEMBERED:
        ids.pop(next(iter(ids)))


class Model:
    """One judge under one variant of the policy. It answers each line at once, so that ids can be told to it."""

    def __init__(self, program: Path, config: Path) -> None:
        features = [word for feature in FEATURES for word in ("--feature", feature)]
        self.process = subprocess.Popen(
            [str(program), "decide", "--config", str(config), "--app", APP, *features],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.ids: dict[Reference, str] = {}

    def answers(self, first: int, calls: Sequence[Call]) -> list[dict[str, Any]]:
        """The replies that the daemon should give to calls with the numbers from `first` on, in the daemon's words.

        No call may refer to an id that another of them brings.
        """
        lines = [json.dumps(_line(call, call.resolved(self.ids))).encode() + b"\n" for call in calls]
        replies: list[dict[str, Any]] = []
        while len(replies) < len(lines):
            replies += self._exchange(lines[len(replies) :])
        for number, (call, reply) in enumerate(zip(calls, replies), first):
            if not call.oneway:
                note_ids(number, reply, self.ids)
        return replies

    def _exchange(self, lines: Sequence[bytes]) -> list[dict[str, Any]]:
        """Writes no more lines than an empty pipe holds, so that neither side waits for the other; the answers."""
        assert self.process.stdin and self.process.stdout
        count = 1
        while count < len(lines) and sum(map(len, lines[: count + 1])) < PIPE:
            count += 1
        self.process.stdin.write(b"".join(lines[:count]))
        self.process.stdin.flush()
        return [_reply(json.loads(self.process.stdout.readline())) for _ in range(count)]

    def leave_scope(self) -> None:
        """The connection is a new one: its scope has no identity."""
        self._exchange([b'{"call":"SetIdentity","parameters":{"level":"scope"}}\n'])

    def end(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def _line(call: Call, parameters: dict[str, Any]) -> dict[str, Any]:
    if call.is_event:
        return {"event": call.method[0].lower() + call.method[1:], **parameters["event"]}
    return {"call": call.method, "parameters": parameters}


def _reply(said: dict[str, Any]) -> dict[str, Any]:
    if "error" in said:
        return said
    return {"parameters": said["reply"] if "reply" in said else said}
