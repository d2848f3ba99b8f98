#!/usr/bin/env python3
"""A native host that allows everything, and says what a test wants said.

account_host.py DIRECTORY     `news` there holds messages to send, one a line, as they are appended; what the extension says
                              of requests is appended to `completed`; `accounts` holds the reply to that call,
                              and `config` the values of the account
"""

import json
import struct
import sys
import threading
import time
from pathlib import Path
from typing import Any

DIRECTORY = Path(sys.argv[1])
CONTRACT = {"startMs": 10000, "answerMs": 5000, "navigation": "closed", "clipboard": "closed", "other": "closed"}
STANDING = {"isConnected": True, "app": "com.contoso.portal", "generation": 1, "digest": "d", "contract": CONTRACT}
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
    if call == "accounts":
        return {"reply": json.loads((DIRECTORY / "accounts").read_text())}
    if call == "config":
        file = DIRECTORY / "config"
        values = json.loads(file.read_text()) if file.exists() else []
        return {"reply": {"accounts": [{"account": message["account"], "state": "enrolled", "values": values}]}}
    if call == "complete":
        with (DIRECTORY / "completed").open("a") as completed:
            completed.write(json.dumps({"request": message["request"], "result": message["result"]}) + "\n")
        return {"reply": {}}
    if call in ("identity", "registerViewer", "setDocument", "forgetViewer", "open"):
        return {"reply": {}}
    return {"decision": {"id": "1", "outcome": "allow", "reason": "internal", "generation": 1, "digest": "d"}}


def pass_on_news() -> None:
    with (DIRECTORY / "news").open() as news:
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
