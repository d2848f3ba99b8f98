"""The real daemon in a directory of its own, for tests that talk to it from outside."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from configuration import Configuration
from log_files import ACTIVE, log_records
from wire import ADMIN, Wire

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(os.environ.get("WEBVIEWGUARD") or ROOT / ".build/release/webviewguard").resolve()
INTERFACES = ROOT / "Sources/GuardProtocol/Interfaces"

SOCKET_PATH_MAXIMUM = 103
# Guards against hangs only: a machine with other work takes its time.
START_SECONDS = 120.0


def eventually(holds: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
    """The first true value of `holds`; it is asked again until then, and an error after the deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {seconds} s: {what}")
        time.sleep(0.01)


class Daemon:
    """`webviewguard serve` with its own configuration, sockets and log. It is ended by its pid, never by name.

    `arguments` come behind those of `serve`; `prefix` is a command that runs it, such as `prlimit`; `environment` is
    added to this process's own. `program` is which one is run.
    """

    def __init__(
        self,
        configuration: Configuration,
        arguments: Sequence[str] = (),
        prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        program: Path = PROGRAM,
    ) -> None:
        self.program = program
        self.arguments = list(arguments)
        self.prefix = list(prefix)
        self.environment = {**os.environ, **(environment or {})}
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.config = self.directory / "config"
        self.sockets = self.directory / "run"
        self.logs = self.directory / "log"
        self.guard_socket = self.sockets / "guard.sock"
        self.admin_socket = self.sockets / "admin.sock"
        self.contract = self.sockets / "contract.json"
        self.log_file = self.logs / ACTIVE
        self.said = self.directory / "stderr"
        self.process: subprocess.Popen[bytes] | None = None
        if len(os.fsencode(self.guard_socket)) > SOCKET_PATH_MAXIMUM:
            raise ValueError(f"`{self.guard_socket}` is too long for a socket: set TMPDIR to a shorter directory")
        self.sockets.mkdir(mode=0o755)
        configuration.write(self.config)

    def command(self) -> list[str]:
        return [
            *self.prefix, str(self.program), "serve", "--config", str(self.config), "--socket-dir", str(self.sockets),
            "--log-dir", str(self.logs), "--state-dir", str(self.directory / "state"),
            *self.arguments,
        ]  # fmt: skip

    def start(self) -> "Daemon":
        """Starts it and returns when both sockets answer and the failure contract is written."""
        self.contract.unlink(missing_ok=True)
        with open(self.said, "ab") as said:
            # Python ignores SIGXFSZ, and so must the child: a log over its limit is then an error like a full disk.
            self.process = subprocess.Popen(
                self.command(),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                restore_signals=False,
                env=self.environment,
            )
        eventually(self._is_serving, "the daemon serves", START_SECONDS)
        return self

    def _is_serving(self) -> bool:
        if self.process is None or self.process.poll() is not None:
            raise RuntimeError(f"the daemon ended by itself: {self.said.read_text()}")
        return self.contract.exists() and _accepts(self.guard_socket) and _accepts(self.admin_socket)

    @property
    def pid(self) -> int:
        if self.process is None:
            raise RuntimeError("the daemon does not run")
        return self.process.pid

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends it with a signal and returns its exit status, negative for the number of the signal that killed it."""
        if self.process is None:
            return 0
        self.process.send_signal(number)
        status = self.process.wait(timeout=START_SECONDS)
        self.process = None
        return status

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """It stands still meanwhile. One of its threads may else still answer when the signal is on its way to another."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            tasks = Path(f"/proc/{self.pid}/task")
            eventually(lambda: all(map(_is_stopped, tasks.iterdir())), "each thread of the daemon has stopped")
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    def tells(self, text: str, times: int = 1) -> int:
        """How often it told so, at least `times`. A thread of its own writes what it tells, after what it is about."""
        eventually(lambda: self.said.read_text().count(text) >= times, f"it tells `{text}` {times} times")
        return self.said.read_text().count(text)

    def beat(self) -> None:
        """Waits until it did all that it does once a second. It puts its contract back then, before the rest, so that the
        second time shows that the first is over."""
        for _ in range(2):
            self.contract.unlink(missing_ok=True)
            eventually(self.contract.exists, "the daemon looks after itself", START_SECONDS)

    def remove(self) -> None:
        """Ends it however it is, and removes its directory."""
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            self.process = None
        shutil.rmtree(self.directory, ignore_errors=True)

    # The log

    def records(self, kind: str) -> list[dict[str, Any]]:
        """The log's whole records of one type."""
        return log_records(self.logs, kind)

    def settled_records(self, kind: str) -> list[dict[str, Any]]:
        """As `records`, with those of all calls that were answered. An error leaves before its record is in the file; an
        answer without one waits for every record so far."""
        if self.is_alive:
            with Wire(self.admin_socket) as wire:
                wire.call(f"{ADMIN}.Health")
        return self.records(kind)

    def all_records(self) -> list[dict[str, Any]]:
        """The log's whole records in their order."""
        return log_records(self.logs)

    def verify_log(self) -> subprocess.CompletedProcess[str]:
        """What `webviewguard log verify` says."""
        return subprocess.run(
            [str(self.program), "log", "verify", str(self.logs)], capture_output=True, text=True, timeout=60
        )


def _accepts(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as attempt:
        return attempt.connect_ex(str(path)) == 0


def _is_stopped(task: Path) -> bool:
    return (task / "stat").read_text().rpartition(")")[2].split()[0] == "T"
