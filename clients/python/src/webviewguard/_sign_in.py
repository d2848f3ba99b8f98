"""The credential for one navigation to a sign-in page, from the agent of the person's session.

    decision = guard.navigate(url, viewer="v1", frame="main")
    if credential := sign_in_credential(decision, url):
        request.setHttpHeader(credential.name.encode(), credential.value.encode())

The daemon says yes with `sign_in`, in its answer about that navigation. The agent (webviewguard-session.service) has
the sign-in service of the person make the credential, for that page and the account of the decision.
"""

from __future__ import annotations

import json
import os
import re
import socket
import time
from dataclasses import dataclass, field
from typing import Any

from webviewguard._decision import Decision
from webviewguard._place import listener

METHOD = "org.webviewguard.Session.SignIn"
# The one header: an agent that names another one would replace a header of the request.
NAME = "x-ms-RefreshTokenCredential"
_VALUE = re.compile(r"[A-Za-z0-9._~+/=-]{1,12288}")
_MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class Credential:
    """A header for one request. Never keep it, never log it, and send it to no other URL: take it off when the request
    is redirected."""

    name: str
    # Not in `repr`, so that no log has it by accident.
    value: str = field(repr=False)


def sign_in_credential(decision: Decision, url: str, *, wait: float = 0.5) -> Credential | None:
    """The credential for the navigation to `url` that the decision is about.

    None when the decision says none, or when nobody makes one within `wait` seconds: the page then loads as it is, and
    the person signs in by hand. Never raises.
    """
    if not (decision.sign_in and decision.allowed and not decision.is_local and decision.identity):
        return None
    try:
        return _read(_ask(_path(), {"url": url, "account": decision.identity}, time.monotonic() + wait))
    except (OSError, ValueError):
        return None


def _path() -> str:
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    return os.path.join(runtime, "webviewguard-session.sock")


def _ask(path: str, parameters: dict[str, str], deadline: float) -> bytes:
    """The frame that answers, without its NUL."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC) as line:
        _hurry(line, deadline)
        line.connect(path)
        if listener(line) != os.geteuid():
            raise PermissionError("somebody else listens there")
        line.sendall(json.dumps({"method": METHOD, "parameters": parameters}).encode() + b"\0")
        received = b""
        while b"\0" not in received:
            _hurry(line, deadline)
            part = line.recv(_MOST_BYTES)
            received += part
            if not part or len(received) > _MOST_BYTES:
                raise ValueError("no answer")
        return received.partition(b"\0")[0]


def _hurry(line: socket.socket, deadline: float) -> None:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    line.settimeout(left)


def _read(frame: bytes) -> Credential | None:
    reply: Any = json.loads(frame)
    said = reply.get("parameters") if isinstance(reply, dict) and not reply.get("error") else None
    if not isinstance(said, dict) or said.get("name") != NAME:
        return None
    value = said.get("value")
    # The value becomes a header: a line break in it would be a second one.
    return Credential(NAME, value) if isinstance(value, str) and _VALUE.fullmatch(value) else None
