"""An honest client of the daemon: it asks, lags, comes back, and compares each answer with the judges'."""

import json
import socket
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TextIO

from conversation import Call, Conversation, Reference
from lives import Lives
from model import Model, comparable, note_ids
from policies import FEATURES
from wire import GUARD, Wire, frame

SECONDS = 60.0


class Disagreement(Exception):
    """The daemon answered what it must not."""


@dataclass(frozen=True)
class House:
    """Where the daemon is, and what its policies are."""

    guard_socket: Path
    admin_socket: Path
    program: Path
    # The configuration of each variant, by the digest that the daemon gives it.
    variants: Mapping[str, Path]
    lives: Lives


class Guest:
    """One instance of the app on one connection, in steps that wait for answers only."""

    def __init__(self, house: House, random: Random, name: str, has_clipboard: bool, answered: TextIO) -> None:
        self.house = house
        self.random = random
        self.answered = answered
        self.name = name
        self.conversation = Conversation(random, name, has_clipboard)
        self.models = {digest: Model(house.program, config) for digest, config in house.variants.items()}
        self.ids: dict[Reference, str] = {}
        self.calls = 0
        self.checked = 0
        self.newest = 0
        self.generation = 0
        self.recent: list[str] = []
        self.told: deque[str] = deque(maxlen=2000)
        self.waiting: list[tuple[int, Call]] = []
        self.wire = Wire(house.guard_socket, SECONDS)
        attached = self._attach(None)
        self.token = attached["instance"]
        self._send(self.conversation.opening())

    def step(self) -> None:
        """Sends a batch, or reads the answers to one; now and then it lags, comes back, or acknowledges."""
        draw = self.random.random()
        if self.waiting:
            if draw < 0.7:
                self._read()
        elif draw < 0.85:
            size = self.random.choice((1, 1, 2, 5, 20, 20, 50, 100, 400))
            self._send([self.conversation.next() for _ in range(size)])
        elif draw < 0.93:
            self._acknowledge()
        else:
            self._come_back()

    def end(self) -> None:
        """Reads what is still due, and leaves."""
        if self.waiting:
            self._read()
        self.leave()

    def leave(self) -> None:
        """Goes with answers due, or when there is no daemon."""
        self.wire.socket.close()
        for model in self.models.values():
            model.end()

    def history(self) -> str:
        """What was said lately, for whoever must find out why it failed."""
        return "\n".join(self.told)

    # The wire

    def _attach(self, token: str | None) -> dict[str, Any]:
        words = {"instance": token} if token else {}
        reply = self.wire.call(f"{GUARD}.Attach", features=[*FEATURES, "actions", "clips"], **words)
        if "error" in reply:
            raise Disagreement(f"{self.name} cannot attach: {reply}")
        return dict(reply["parameters"])

    def _send(self, calls: list[Call]) -> None:
        frames = []
        for call in calls:
            flags = {"oneway": True} if call.oneway else None
            frames.append(frame(f"{GUARD}.{call.method}", flags=flags, **call.resolved(self.ids)))
            self.waiting.append((self.calls, call))
            self.calls += 1
        text = b"".join(frames)
        for start, end in self._pieces(len(text)):
            self.wire.send(text[start:end])

    def _pieces(self, length: int) -> list[tuple[int, int]]:
        """Mostly one piece; otherwise cuts anywhere, also inside a message."""
        count = self.random.choice((0, 0, 0, 1, 2, 7))
        cuts = sorted(self.random.randint(0, length) for _ in range(count))
        return list(zip([0, *cuts], [*cuts, length]))

    def _come_back(self) -> None:
        """Another connection takes the instance up again; the first may go before or after."""
        old = self.wire
        if self.random.random() < 0.5:
            old.socket.close()
        self.wire = Wire(self.house.guard_socket, SECONDS)
        if self._attach(self.token)["instance"] != self.token:
            raise Disagreement(f"{self.name} came back to another instance")
        old.socket.close()
        for model in self.models.values():
            model.leave_scope()

    # Answers

    def _read(self) -> None:
        """Reads the replies to everything that was sent, and compares them with the judges' answers."""
        batch, self.waiting = self.waiting, []
        replies = [None if call.oneway else self.wire.reply() for _, call in batch]
        digests = [_digest(reply) for reply in replies]
        first = batch[0][0]
        calls = [call for _, call in batch]
        expected = {digest: model.answers(first, calls) for digest, model in self.models.items()}
        before: str | None = None
        for place, ((number, call), reply) in enumerate(zip(batch, replies)):
            before = digests[place] or before
            after = next((digest for digest in digests[place:] if digest), None)
            # Between two answers of one policy lies no other policy's.
            allowed = {before} if before and before == after else set(self.models)
            answers = {digest: found[place] for digest, found in expected.items()}
            self._judge(number, call, reply, digests[place], allowed, answers)

    def _judge(
        self, number: int, call: Call, reply: dict[str, Any] | None, digest: str | None, allowed: set[str],
        expected: dict[str, dict[str, Any]],
    ) -> None:  # fmt: skip
        said = json.dumps(call.resolved(self.ids), ensure_ascii=False)
        self.told.append(f"{number} {call.method} {said} -> {json.dumps(reply, ensure_ascii=False)}")
        if reply is None:
            return
        if digest is not None and digest not in expected:
            raise Disagreement(f"{self.name} was answered under a policy that never was: {digest}")
        names = {digest} if digest else allowed
        if all(comparable(reply) != comparable(expected[name]) for name in names):
            wanted = [json.dumps(comparable(expected[name])) for name in sorted(names)]
            raise Disagreement(
                f"{self.name}, call {number}: {call.method} {said}\n  daemon {json.dumps(comparable(reply))}\n  model  "
                + "\n  or     ".join(wanted)
            )
        note_ids(number, reply, self.ids)
        self.conversation.note(number, reply)
        self.checked += 1
        for decision in decisions(reply):
            self._note(decision)

    def _note(self, decision: dict[str, Any]) -> None:
        """Numbers only grow, and generations too; only a repetition has an earlier number."""
        identity = int(decision["id"])
        if decision["generation"] < self.generation:
            raise Disagreement(f"{self.name}: generation {decision['generation']} behind {self.generation}")
        self.generation = decision["generation"]
        self.answered.write(f"{identity} {decision['outcome']} {decision['reason']}\n")
        if decision.get("repeat"):
            return
        if identity <= self.newest:
            raise Disagreement(f"{self.name}: decision {identity} behind {self.newest}")
        self.newest = identity
        self.recent = [*self.recent[-2:], decision["id"]]

    def _acknowledge(self) -> None:
        """A decision of this instance can be acknowledged once, and another one never."""
        mine = bool(self.recent) and self.random.random() < 0.7
        decision = self.recent.pop() if mine else str(self.random.choice((1, self.newest + 10**9)))
        for due in (mine, False):
            reply = self.wire.call(f"{GUARD}.Acknowledge", decision=decision, outcome="block")
            if reply.get("error") != (None if due else f"{GUARD}.UnknownDecision"):
                raise Disagreement(f"{self.name}: acknowledging {decision} ({due=}): {reply}")


def decisions(reply: dict[str, Any]) -> list[dict[str, Any]]:
    parameters = reply.get("parameters") or {}
    return parameters.get("decisions") or ([parameters["decision"]] if "decision" in parameters else [])


def _digest(reply: dict[str, Any] | None) -> str | None:
    """The policy that gave this reply, when it says so."""
    found = decisions(reply) if reply else []
    return found[0]["digest"] if found else None
