"""A message bus of a test's own, and programs on it."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PYTHON = "/usr/bin/python3"

# dbus-daemon's own rules let nobody but the right user onto a bus, and let root take any name. `system` rules are like
# those of a machine: replies that nobody asked for are not delivered.
RULES = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>{kind}</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="signal"/>
    <allow receive_requested_reply="true" receive_type="method_return"/>
    <allow receive_requested_reply="true" receive_type="error"/>
  </policy>
</busconfig>
"""


class Bus:
    """dbus-daemon in a directory of its own. It and the programs on it are ended by their pids."""

    def __init__(self, kind: str = "session") -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-bus-"))
        self.directory.chmod(0o755)
        self.kind = kind
        self.socket = self.directory / "bus"
        self.address = f"unix:path={self.socket}"
        self.programs: list[subprocess.Popen[Any]] = []
        self.connections: list[Any] = []
        self.rules = self.directory / "bus.conf"
        self.rules.write_text(RULES.format(kind=kind, path=self.socket))
        self.daemon = self._start_bus()

    def _start_bus(self) -> "subprocess.Popen[str]":
        command = ["dbus-daemon", f"--config-file={self.rules}", "--nofork", "--nopidfile", "--nosyslog", "--print-address"]
        return self._first_line(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True))

    @staticmethod
    def _first_line(process: "subprocess.Popen[str]") -> "subprocess.Popen[str]":
        assert process.stdout
        if not process.stdout.readline():
            raise RuntimeError(f"{process.args!r} ended with {process.wait()}")
        return process

    @property
    def environment(self) -> dict[str, str]:
        """Variables by which programs find this bus."""
        return {f"DBUS_{self.kind.upper()}_BUS_ADDRESS": self.address}

    def run(self, script: str, *arguments: str, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        """Runs a script of this folder, which prints a line when it is ready; its standard input can be written."""
        command = [PYTHON, str(HERE / script), self.address, *arguments]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment
        )
        self.programs.append(process)
        return self._first_line(process)

    def mock(self, template: str, name: str, path: str, **parameters: Any) -> Any:
        """A template of python-dbusmock on this bus, and the object by which it is told what to do."""
        import dbus.bus

        from daemon import eventually

        command = [PYTHON, "-m", "dbusmock", f"--{self.kind}", "--template", template, "--parameters", json.dumps(parameters)]
        self.programs.append(
            subprocess.Popen(
                command, env=os.environ | self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip
        connection = dbus.bus.BusConnection(self.address)
        self.connections.append(connection)
        eventually(lambda: connection.name_has_owner(name), f"{name} is on the bus")
        return connection.get_object(name, path, introspect=False)

    def end(self, process: "subprocess.Popen[Any]") -> None:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream:
                stream.close()

    def restart(self) -> None:
        """Ends the bus, and everybody's connection to it, and starts another at the same place."""
        self.end(self.daemon)
        self.socket.unlink(missing_ok=True)
        time.sleep(0.1)
        self.daemon = self._start_bus()

    def remove(self) -> None:
        for connection in self.connections:
            connection.close()
        for process in [*self.programs, self.daemon]:
            self.end(process)
        for file in self.directory.iterdir():
            file.unlink()
        self.directory.rmdir()
