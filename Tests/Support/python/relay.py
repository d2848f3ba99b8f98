#!/usr/bin/env python3
"""relay.py SOCKET TARGET UID: whoever connects to SOCKET talks to TARGET as the user UID.

For tests that are no Python programs; only root can relay for others. It says `ready` when it listens.
"""

import os
import socket
import sys
import threading


def pump(source: socket.socket, target: socket.socket) -> None:
    """Hands on what comes, and the end of it."""
    try:
        while data := source.recv(1 << 16):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def main() -> None:
    own, target, uid = sys.argv[1], sys.argv[2], int(sys.argv[3])
    server = socket.socket(socket.AF_UNIX)
    server.bind(own)
    server.listen()
    if os.getuid() != uid:
        os.setgroups([])
        os.setgid(uid)
        os.setuid(uid)
    print("ready", flush=True)
    while True:
        near, _ = server.accept()
        far = socket.socket(socket.AF_UNIX)
        far.connect(target)
        for pair in ((near, far), (far, near)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


if __name__ == "__main__":
    main()
