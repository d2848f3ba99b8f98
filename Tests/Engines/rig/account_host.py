#!/usr/bin/env python3
"""A native host that allows everything, and says what a test wants said.

account_host.py DIRECTORY     `news` there holds messages to send, one a line, as they are appended; `replies/CALL` holds the
                              reply to a call, or an error; each call about accounts is appended to `calls`
"""

import json
import os
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

DIRECTORY = Path(sys.argv[1])
CONTRACT = {"startMs": 10000, "answerMs": 20000, "navigation": "open", "clipboard": "open", "other": "open"}
STANDING = {"isConnected": True, "app": "com.contoso.portal", "generation": 1, "digest": "d", "contract": CONTRACT}
ABOUT_ACCOUNTS = {
    "identity", "accounts", "config", "complete", "register", "deregister", "maySignIn", "allowedAccounts", "answer",
    "store",
}  # fmt: skip
turn = threading.Lock()


def send(message: dict[str, Any]) -> None:
    text = json.dumps(message).encode()
    with turn:
        sys.stdout.buffer.write(struct.pack("=I", len(text)) + text)
        sys.stdout.buffer.flush()


def answer(message: dict[str, Any]) -> dict[str, Any]:
    call = message["call"]
    if call == "hello":
        return {"reply": STANDING}
    if call == "rules":
        return {"part": 0, "parts": 1, "rules": [], "isFree": True}
    if call in ABOUT_ACCOUNTS:
        return about_accounts(call, {name: value for name, value in message.items() if name not in ("id", "call")})
    if call in ("registerViewer", "setDocument", "forgetViewer", "open"):
        return {"reply": {}}
    return {"decision": {"id": "1", "outcome": "allow", "reason": "internal", "generation": 1, "digest": "d"}}


def about_accounts(call: str, members: dict[str, Any]) -> dict[str, Any]:
    with turn, (DIRECTORY / "calls").open("a") as calls:
        calls.write(json.dumps({"host": os.getpid(), "call": call, **members}) + "\n")
    file = DIRECTORY / "replies" / call
    said: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"reply": {}}
    return said


def pass_on_news() -> None:
    with (DIRECTORY / "news").open() as news:
        # News from before this host were for another one.
        news.seek(0, 2)
        while True:
            line = news.readline()
            if line.endswith("\n"):
                send(json.loads(line))
            else:
                time.sleep(0.02)


def main() -> None:
    threading.Thread(target=pass_on_news, daemon=True).start()
    while len(header := sys.stdin.buffer.read(4)) == 4:
        message = json.loads(sys.stdin.buffer.read(struct.unpack("=I", header)[0]))
        send({"id": message["id"], **answer(message)})


if __name__ == "__main__":
    main()
