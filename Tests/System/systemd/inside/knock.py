"""Connects and asks, again and again, until standard input ends; then says how often, and what failed."""

import json
import select
import sys
import time
from pathlib import Path

from wire import Wire

SOCKET = Path("/run/webviewguard/guard.sock")


def knock() -> str | None:
    """What went wrong with one question; nil when it was answered."""
    try:
        with Wire(SOCKET, 60.0) as wire:
            return None if "uid" in wire.call("org.webviewguard.Guard.WhoAmI")["parameters"] else "no uid"
    except OSError as error:
        return f"{type(error).__name__}: {error}"


def main() -> None:
    asked, failed, longest = 0, [], 0.0
    print("knocking", flush=True)
    while not select.select([sys.stdin], [], [], 0.01)[0]:
        began = time.monotonic()
        if problem := knock():
            failed.append(problem)
        asked += 1
        longest = max(longest, time.monotonic() - began)
    print(json.dumps({"asked": asked, "failed": failed, "longest": longest}), flush=True)


main()
