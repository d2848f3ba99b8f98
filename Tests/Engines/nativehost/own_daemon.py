"""A daemon of the user's own, at DIRECTORY/guard.sock: it takes everybody in, and allows everything.

own_daemon.py DIRECTORY
"""

import contextlib
import json
import socket
import sys
import threading
from pathlib import Path
from typing import Any

OPEN = {"startMs": 2000, "answerMs": 500, "navigation": "open", "clipboard": "open", "other": "open"}
ATTACHED = {"instance": "T1", "app": "a", "features": [], "contract": OPEN, "generation": 1, "digest": "d"}
ALLOWED = {"outcome": "allow", "reason": "internal", "id": "1", "identityLevel": "process", "generation": 1,
           "digest": "d", "mode": "enforced"}  # fmt: skip


def serve(connection: socket.socket) -> None:
    received = b""
    # A host that is killed leaves replies unread, and the connection is reset.
    with contextlib.suppress(ConnectionError):
        while chunk := connection.recv(65536):
            received += chunk
            while b"\0" in received:
                frame, _, received = received.partition(b"\0")
                connection.sendall(json.dumps({"parameters": reply(json.loads(frame))}).encode() + b"\0")


def reply(call: dict[str, Any]) -> dict[str, Any]:
    method = call["method"].rpartition(".")[2]
    if method == "Attach":
        return ATTACHED
    return {"decision": ALLOWED} if "event" in call.get("parameters", {}) else {}


def main() -> None:
    place = Path(sys.argv[1])
    (place / "contract.json").write_text(json.dumps(OPEN))
    # Also where a user's own service has its socket.
    (place / "webviewguard").symlink_to(place)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(place / "guard.sock"))
        listener.listen()
        print("ready", flush=True)
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


if __name__ == "__main__":
    main()
