"""What the tests share: a daemon for each test, an app that asks, and the program's own verbs."""

import json
import re
import resource
import subprocess
import unittest
from typing import Any

from configuration import WORK, Configuration
from daemon import PROGRAM, Daemon
from wire import GUARD, Wire


class SeenCase(unittest.TestCase):
    """A test with daemons of its own."""

    def daemon(self, configuration: Configuration | None = None, *arguments: str) -> Daemon:
        daemon = Daemon(configuration or Configuration(), arguments)
        self.addCleanup(daemon.remove)
        return daemon

    def app(self, daemon: Daemon) -> Wire:
        """An app that shows the managed account in its viewer `docs`."""
        wire = Wire(daemon.guard_socket)
        self.addCleanup(wire.socket.close)
        for method, parameters in (
            ("Attach", {}),
            ("SetIdentity", {"level": "process", "account": WORK}),
            ("RegisterViewer", {"viewer": "docs", "class": "documents"}),
        ):
            self.assertNotIn("error", wire.call(f"{GUARD}.{method}", **parameters))
        return wire

    def run_verb(self, daemon: Daemon, *arguments: str, seconds: float = 30) -> subprocess.CompletedProcess[str]:
        """What a verb says of the daemon."""
        command = [str(PROGRAM), *arguments, "--socket-dir", str(daemon.sockets)]
        return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)


def navigate(wire: Wire, url: str, **event: Any) -> dict[str, Any]:
    """The decision on a link of the viewer `docs`."""
    reply = wire.call(f"{GUARD}.Navigate", event={"viewer": "docs", "url": url, "frame": "main", **event})
    return reply["parameters"]["decision"]


def limit_files(daemon: Daemon, size: int | None) -> None:
    """Lets no file of the daemon grow beyond `size` bytes, which stands for a full disk; None lifts it."""
    hard = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)[1]
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


def fill_disk(daemon: Daemon) -> None:
    """Leaves room for part of a record."""
    limit_files(daemon, daemon.log_file.stat().st_size + 100)


def write(daemon: Daemon, name: str, text: str) -> None:
    (daemon.config / name).write_text(text)


def date_last_record(daemon: Daemon, time: str) -> None:
    """Lets the log end as a clock that was wrong would have let it end. The chain is not mended."""
    *lines, last = daemon.log_file.read_bytes().splitlines()
    changed = re.sub(rb'"time":"[^"]*"', b'"time":"' + time.encode() + b'"', last, count=1)
    if changed == last:
        raise ValueError("the last record has no time")
    daemon.log_file.write_bytes(b"\n".join([*lines, changed]) + b"\n")


def as_json(said: str) -> Any:
    return json.loads(said)


def rules_file(count: int) -> str:
    """A rule set of so many rules, one for each host `h<number>.example`."""
    rules = "".join(f"  - {{ id: r{n}, external: {{ host: h{n}.example }} }}\n" for n in range(count))
    return f"ruleSet: contoso\ndefault: external\nrules:\n{rules}"
