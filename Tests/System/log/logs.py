"""Daemons with logs of several files, and what the logs must hold."""

import os
import re
import subprocess
import unittest
from pathlib import Path
from typing import Any

from configuration import Configuration
from daemon import PROGRAM, Daemon
from log_files import log_files
from wire import ADMIN, GUARD, Wire

# Users that need not exist; only root can act as them.
USERS = [os.getuid(), 20_001, 20_002] if os.getuid() == 0 else [os.getuid()] * 3

PORTAL = f"""\
apps:
  com.contoso.portal:
    peers: [{", ".join(f"{{ uid: {uid} }}" for uid in sorted(set(USERS)))}]
    identityMode: multi
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""

DECISION = re.compile(rb'"type":"decision","id":"([^"]+)".*?"outcome":"([^"]+)"')
WITHDRAWN = re.compile(rb'"type":"withdrawn","id":"([^"]+)"')


def configuration(log: str) -> Configuration:
    """A configuration whose `log` has these settings."""
    return Configuration(PORTAL, settings=f"graceSeconds: 1\nlog: {{ {log} }}\n")


def decisions(directory: Path) -> dict[str, str]:
    """The outcome of each decision on record, by its id."""
    found = {}
    for file in log_files(directory):
        for number, outcome in DECISION.findall(file.read_bytes()):
            found[number.decode()] = outcome.decode()
    return found


def log(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """`webviewguard log` with these arguments."""
    return subprocess.run([PROGRAM, "log", *map(str, arguments)], capture_output=True, text=True, timeout=120)


def attach(wire: Wire) -> Wire:
    """The same connection, which may ask now."""
    wire.call(f"{GUARD}.Attach")
    wire.call(f"{GUARD}.SetIdentity", level="process", account="work@contoso.com")
    wire.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"})
    return wire


class LogCase(unittest.TestCase):
    """Tests with a daemon each, which other users can reach."""

    def daemon(self, settings: str = "rotateMegabytes: 1", **options: Any) -> Daemon:
        daemon = Daemon(configuration(settings), **options)
        self.addCleanup(daemon.remove)
        daemon.directory.chmod(0o755)
        return daemon

    def asking(self, daemon: Daemon, seconds: float = 20, user: int | None = None) -> Wire:
        """A connection that may ask; of another user, as root can make it."""
        if user is not None:
            os.seteuid(user)
        try:
            wire = Wire(daemon.guard_socket, seconds)
        finally:
            os.seteuid(os.getuid())
        self.addCleanup(wire.socket.close)
        return attach(wire)

    def ask(self, wire: Wire, url: str = "https://contoso.com/") -> str:
        """The outcome, or the error."""
        reply = wire.call(f"{GUARD}.Navigate", event={"viewer": "docs", "url": url, "frame": "main"})
        return reply["error"] if "error" in reply else reply["parameters"]["decision"]["outcome"]

    def status(self, daemon: Daemon) -> dict[str, Any]:
        with Wire(daemon.admin_socket) as wire:
            return wire.call(f"{ADMIN}.Status")["parameters"]

    def assert_sound(self, directory: Path, *arguments: str) -> str:
        verified = log("verify", directory, *arguments)
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        return verified.stdout

    def assert_holds(self, directory: Path, answered: dict[str, str]) -> None:
        """Every answer is on record, with the outcome that was answered."""
        found = decisions(directory)
        missing = {number for number, outcome in answered.items() if found.get(number) != outcome}
        self.assertFalse(missing, f"{len(missing)} of {len(answered)} answered decisions are not on record")
