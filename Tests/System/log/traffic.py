#!/usr/bin/env python3
"""Clients that pipeline questions and note every answer they got: what the log must then have.

As a program: traffic.py SOCKET NOTES DEPTH UID asks until it is told to stop by SIGTERM, as the user UID, and connects
again whenever the daemon is gone. Each line of NOTES is the id of a decision and its outcome.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from wire import GUARD, frame

URLS = ("https://contoso.com/a", "https://docs.contoso.com/b", "https://example.net/c", "https://sharing.example/d")
# The daemon is gone, or not there yet; for a moment its socket is open to its own user only.
ENDED = (ConnectionError, TimeoutError, FileNotFoundError, PermissionError)


class Asker:
    """One client process: connects, attaches and asks in batches."""

    def __init__(self, address: str, notes: str, depth: int) -> None:
        self.address = address
        self.notes = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self.depth = depth
        self.count = 0
        self.is_stopped = False

    def run(self) -> None:
        while not self.is_stopped:
            try:
                with socket.socket(socket.AF_UNIX) as connection:
                    connection.settimeout(20)
                    connection.connect(self.address)
                    self.ask(connection)
            except ENDED:
                time.sleep(0.01)

    def ask(self, connection: socket.socket) -> None:
        """Asks until the daemon is gone. What it had answered until then is still read."""
        connection.sendall(
            frame(f"{GUARD}.Attach")
            + frame(f"{GUARD}.SetIdentity", level="process", account="work@contoso.com")
            + frame(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"})
        )
        received = b""
        waiting = 3
        while not self.is_stopped or waiting:
            if waiting <= self.depth // 2 and not self.is_stopped:
                waiting += self.send(connection)
            chunk = connection.recv(1 << 16)
            if not chunk:
                return
            *frames, received = (received + chunk).split(b"\0")
            waiting -= len(frames)
            self.note(frames)

    def send(self, connection: socket.socket) -> int:
        batch = []
        for _ in range(self.depth):
            self.count += 1
            url = f"{random.choice(URLS)}/{os.getpid()}/{self.count}"
            batch.append(frame(f"{GUARD}.Navigate", event={"viewer": "docs", "url": url, "frame": "main"}))
        try:
            connection.sendall(b"".join(batch))
        except ConnectionError:
            # The daemon is gone; answers that it had sent are still to be read.
            pass
        return len(batch)

    def note(self, frames: Iterable[bytes]) -> None:
        lines = []
        for text in frames:
            decision = json.loads(text).get("parameters", {}).get("decision")
            if decision:
                lines.append(f"{decision['id']} {decision['outcome']}\n")
        os.write(self.notes, "".join(lines).encode())

    def stop(self, *_: object) -> None:
        self.is_stopped = True


class Fleet:
    """Several askers at once, as several users where that is allowed."""

    def __init__(self, address: Path, notes: Path, users: Iterable[int], depth: int = 32) -> None:
        notes.mkdir(mode=0o777, exist_ok=True)
        notes.chmod(0o777)
        self.notes = notes
        self.processes = [
            subprocess.Popen(
                [sys.executable, __file__, str(address), str(notes / f"{number}-{user}"), str(depth), str(user)],
                env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / "Support/python")},
            )
            for number, user in enumerate(users)
        ]

    def stop(self) -> None:
        """Ends the askers once what they asked is answered, or nobody is left to answer."""
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            if process.wait(30):
                raise RuntimeError("an asker failed")

    def kill(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()

    def answered(self) -> dict[str, str]:
        """The outcome of each decision that was answered, by its id."""
        lines = b"".join(file.read_bytes() for file in self.notes.iterdir()).decode().split()
        return dict(zip(lines[::2], lines[1::2], strict=True))


def main() -> None:
    address, notes, depth, user = sys.argv[1:]
    if os.getuid() == 0 and int(user):
        os.setgroups([])
        os.setgid(int(user))
        os.setuid(int(user))
    asker = Asker(address, notes, int(depth))
    signal.signal(signal.SIGTERM, asker.stop)
    asker.run()


if __name__ == "__main__":
    main()
