"""What every test stands on: a daemon for each class of tests, and the varlink package's client to talk to it.

Each call goes through `DaemonCase.call`, which keeps the books: which methods were called, which errors came, and how
many decisions were asked. The last test of each class compares the books with the daemon's log.
"""

import socket
import unittest
from pathlib import Path
from typing import Any, ClassVar

import varlink
from configuration import Configuration
from daemon import Daemon
from varlink.error import VarlinkError
from wire import ADMIN, GUARD, RULES, SERVICE, Wire

EVENTS = {
    "Navigate", "Copy", "Paste", "ClipboardChanged", "DragEnd", "Download", "Upload", "Save", "Open", "Receive", "Share",
    "Print", "Capture", "Notify", "OpenURL", "Exchange", "Index",
}  # fmt: skip
PATIENCE_SECONDS = 120.0

methods_called: set[str] = set()
errors_seen: set[str] = set()


class Handler:
    """The library's handler of one interface on one connection: a new one, or that of another handler."""

    def __init__(self, address: Path, interface: str, connection: socket.socket | None = None) -> None:
        self.interface = interface
        if connection is None:
            connection = socket.socket(socket.AF_UNIX)
            connection.settimeout(PATIENCE_SECONDS)
            connection.connect(str(address))
        self.connection = connection
        self.library = varlink.Client(f"unix:{address}").open(interface, connection=connection)

    def close(self) -> None:
        self.connection.close()


class DaemonCase(unittest.TestCase):
    """Tests that share one daemon. The configuration is the class's to choose."""

    configuration: ClassVar[Configuration] = Configuration()
    daemon: ClassVar[Daemon]
    # Decisions that were asked for, repetitions aside.
    asked: ClassVar[int] = 0
    # Daemons that were killed, and so wrote no record of their end.
    killed: ClassVar[int] = 0

    @classmethod
    def setUpClass(cls) -> None:
        cls.asked = cls.killed = 0
        cls.daemon = Daemon(cls.configuration)
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.start()

    def setUp(self) -> None:
        # A test that ended the daemon must not fail the tests behind it.
        if self.daemon.process is not None and not self.daemon.is_alive:
            self.daemon.start()
            type(self).killed += 1

    # Connections

    def guard(self) -> Handler:
        return self._open(self.daemon.guard_socket, GUARD)

    def admin(self) -> Handler:
        return self._open(self.daemon.admin_socket, ADMIN)

    def rules(self) -> Handler:
        return self._open(self.daemon.admin_socket, RULES)

    def service(self, path: Path) -> Handler:
        return self._open(path, SERVICE)

    def attached(self, **parameters: Any) -> Handler:
        handler = self.guard()
        self.call(handler, "Attach", **parameters)
        return handler

    def wire(self, path: Path | None = None) -> Wire:
        wire = Wire(path or self.daemon.guard_socket, PATIENCE_SECONDS)
        self.addCleanup(wire.socket.close)
        return wire

    def _open(self, path: Path, interface: str) -> Handler:
        handler = Handler(path, interface)
        self.addCleanup(handler.close)
        return handler

    # Calls

    def call(self, handler: Handler, method: str, **parameters: Any) -> Any:
        """Calls a method through the library. Flags of the call are named as the library names them: `_oneway`."""
        methods_called.add(f"{handler.interface}.{method}")
        if method in EVENTS:
            type(self).asked += 1
        return getattr(handler.library, method)(**parameters)

    def decide(self, handler: Handler, question: str, /, **event: Any) -> dict[str, Any]:
        return self.call(handler, question, event=event)["decision"]

    def navigate(self, handler: Handler, url: str, viewer: str = "docs", /, **event: Any) -> dict[str, Any]:
        return self.decide(handler, "Navigate", viewer=viewer, url=url, **{"frame": "main", **event})

    def refused(self, error: str, handler: Handler, method: str, **parameters: Any) -> dict[str, Any]:
        """The parameters of the error that a call must be answered with."""
        with self.assertRaises(VarlinkError, msg=f"{method} {parameters}") as raised:
            self.call(handler, method, **parameters)
        if method in EVENTS:
            type(self).asked -= 1
        return self.is_error(raised.exception.as_dict(), error)

    def is_error(self, reply: dict[str, Any], error: str) -> dict[str, Any]:
        self.assertEqual(reply.get("error"), error, reply)
        errors_seen.add(error)
        return reply.get("parameters") or {}

    # Steps that many tests begin with

    def managed(self, **parameters: Any) -> Handler:
        """A connection of an instance that shows the managed account in a viewer `docs` of class `documents`."""
        handler = self.attached(**parameters)
        self.call(handler, "SetIdentity", level="process", account="work@contoso.com")
        self.call(handler, "RegisterViewer", viewer="docs", **{"class": "documents"})
        return handler

    def assert_daemon_lives(self) -> None:
        self.assertTrue(self.daemon.is_alive, "the daemon ended")
        self.assertEqual(self.call(self.guard(), "WhoAmI")["app"], "com.contoso.portal")

    # Last of each class, since tests run in the order of their names

    def test_zz_log_is_sound_and_has_every_decision(self) -> None:
        self.assertEqual(self.daemon.stop(), 0, self.daemon.said.read_text())
        verified = self.daemon.verify_log()
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        self.assertIn("sound", verified.stdout)
        self.assertEqual(len(self.daemon.records("decision")), self.asked)
        self.assertEqual(len(self.daemon.records("start")), len(self.daemon.records("stop")) + self.killed)
