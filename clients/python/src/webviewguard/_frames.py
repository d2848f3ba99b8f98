"""Varlink on the wire: JSON objects that end with NUL."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

INTERFACE = "org.webviewguard.Guard"
LONGEST_REPLY = 16 * 1024 * 1024
# Made once: `json.dumps` makes one for each call that is not its default.
_text = json.JSONEncoder(allow_nan=False).encode
_value = json.JSONDecoder().decode


class BrokenReply(Exception):
    """What came is no varlink reply, so nothing that follows can be trusted to be one."""


@dataclass(frozen=True)
class Reply:
    """One reply: parameters, and the error's full name when it is one."""

    parameters: Mapping[str, Any]
    error: str | None = None
    continues: bool = False

    @property
    def error_word(self) -> str:
        """The last word of the error; empty for none."""
        return (self.error or "").rpartition(".")[2]


def encode(method: str, parameters: Mapping[str, Any], *, more: bool = False) -> bytes:
    """One call as bytes; the method's interface is the guard's unless it names another. Raises TypeError or ValueError
    for what JSON does not know."""
    full = method if "." in method else f"{INTERFACE}.{method}"
    call: dict[str, Any] = {"method": full, "parameters": parameters}
    if more:
        call["more"] = True
    return _text(call).encode() + b"\0"


def question(kind: str, event: Mapping[str, Any]) -> Callable[[int], bytes]:
    """A question about one event as bytes, by the milliseconds that it waits: all else is encoded before. The event
    names no `deadline`. Raises as `encode`."""
    begin, said = _beginning(kind), _text(event)[:-1]
    both = begin + said + (', "deadline": ' if event else '"deadline": ')
    return lambda left: f"{both}{left}}}}}}}\0".encode()


@lru_cache(maxsize=64)
def _beginning(kind: str) -> str:
    """What stands before the event: of `navigate`, a call of Navigate."""
    method = _text(f"{INTERFACE}.{kind[0].upper()}{kind[1:]}")
    return f'{{"method": {method}, "parameters": {{"event": '


class FrameSplitter:
    """Cuts what arrives into replies."""

    def __init__(self) -> None:
        self._partial = bytearray()

    def feed(self, data: bytes) -> list[Reply]:
        """The replies that are whole now. Raises BrokenReply for what is none, and for one that never ends."""
        if data.endswith(b"\0") and not self._partial and data.count(b"\0") == 1:
            return [_reply(data[:-1])]  # One, and whole: nearly all are.
        *frames, rest = (bytes(self._partial) + data if b"\0" in data else data).split(b"\0")
        if frames:
            self._partial.clear()
        self._partial += rest
        if len(self._partial) > LONGEST_REPLY:
            raise BrokenReply("a reply that does not end")
        return [_reply(frame) for frame in frames]


def _reply(frame: bytes) -> Reply:
    try:
        value = _value(frame.decode())
    except (ValueError, RecursionError) as problem:
        raise BrokenReply("a reply that is no JSON") from problem
    if not isinstance(value, dict):
        raise BrokenReply("a reply that is no object")
    parameters, error = value.get("parameters"), value.get("error")
    if not isinstance(parameters, (dict, type(None))) or not isinstance(error, (str, type(None))):
        raise BrokenReply("a reply that is no varlink reply")
    return Reply(parameters or {}, error, value.get("continues") is True)
