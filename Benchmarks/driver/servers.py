"""Servers on Unix sockets that are asked by the same generator: the daemon, redis-server, and a bare echo in C."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from .peers import apt_install, run
from .places import REPOSITORY, Places

sys.path.append(str(REPOSITORY / "Tests/Support/python"))
import daemon as rig  # noqa: E402
from configuration import APP, PORTAL, WORK, Configuration  # noqa: E402
from wire import ADMIN, GUARD, Wire, frame  # noqa: E402

MANY = 2048
LIMITS = f"limits: {{ connections: {MANY}, connectionsPerUser: {MANY}, instancesPerUser: {MANY} }}\n"
QUESTION = frame(
    GUARD + ".Navigate",
    event={
        "viewer": "page", "url": "https://docs.contoso.com/d/42/edit?tab=t.0", "from": "https://docs.contoso.com/d/",
        "frame": "main", "hop": False, "gesture": "yes", "method": "GET",
    },
)  # fmt: skip
# A GET's answer is as long as a decision.
VALUE_BYTES = 400
LISTED = "  - id: listed\n    external: { list: { file: lists/listed.txt, format: domains } }\n"
START_SECONDS = 10.0


class Server:
    """A server that answers `request`; a reply ends with `per_reply` bytes of value `terminator`."""

    terminator, per_reply = 0, 1

    def __init__(self, name: str, load: Path) -> None:
        self.name = name
        self.load = load
        self.folder = Path(tempfile.mkdtemp(prefix="wvg-bench-"))
        self.socket = self.folder / "socket"
        self.request = self.folder / "request"
        self.prologue: Path | None = None

    def ask(self, connections: int, depth: int, seconds: float, rate: float = 0, uid: int | None = None) -> dict:
        """Asks for a while; returns what the generator says."""
        return json.loads(self.asking(connections, depth, seconds, rate, uid).communicate()[0])

    def asking(
        self, connections: int, depth: int, seconds: float, rate: float = 0, uid: int | None = None
    ) -> subprocess.Popen[str]:
        command: list[object] = [
            self.load, self.socket, connections, depth, seconds, self.terminator, self.per_reply, self.request, rate,
        ]  # fmt: skip
        if self.prologue:
            command.append(self.prologue)
        return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True, user=uid)

    def stop(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


class Started(Server):
    """A program that is started on the socket, and ended by its pid."""

    def __init__(self, name: str, load: Path, command: Sequence[object], request: bytes) -> None:
        super().__init__(name, load)
        self.request.write_bytes(request)
        text = [str(part).format(socket=self.socket, folder=self.folder) for part in command]
        self.process = subprocess.Popen(text, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS
        while not self.socket.exists():
            if self.process.poll() is not None or time.monotonic() > deadline:
                sys.exit(f"bench: error: `{text[0]}` does not listen")
            time.sleep(0.01)

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        super().stop()


class Redis(Started):
    terminator, per_reply = 10, 2

    def __init__(self, load: Path) -> None:
        options = "--port 0 --unixsocket {socket} --appendonly no --dir {folder} --save".split()
        super().__init__("redis", load, ["redis-server", *options, ""], b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n")
        value = "x" * VALUE_BYTES
        run("redis-cli", "-s", self.socket, "set", "k", value)


class Guard(Server):
    """The daemon with one app that has one viewer; each connection attaches to it."""

    portal = PORTAL

    def __init__(
        self, name: str, load: Path, program: Path, arguments: Sequence[str] = (), durability: str = "written",
        domains: int = 0, uids: Sequence[int] = (), prefix: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        super().__init__(name, load)
        peers = "".join(f", {{ uid: {uid} }}" for uid in uids)
        apps = self.portal.replace("[{ uid: $uid }]", "[{ uid: $uid }" + peers + "]")
        settings = LIMITS if durability == "written" else LIMITS + f"log: {{ durability: {durability} }}\n"
        configured = Configuration(apps, settings=settings)
        if domains:
            configured.files["rules/contoso.yaml"] += LISTED
            listed = "".join(f"host-{number}.example\n" for number in range(domains))
            configured.files["rules/lists/listed.txt"] = listed
        self.daemon = rig.Daemon(configured, arguments, prefix, environment, program)
        try:
            self.daemon.start()
            self.prepare()
        except BaseException:
            self.stop()
            raise

    def prepare(self) -> None:
        self.socket = self.daemon.guard_socket
        self.request.write_bytes(QUESTION)
        # An instance lives as long as somebody is attached.
        self.others = [Wire(self.socket)]
        token = self.attach(self.others[0])
        self.prologue = self.folder / "prologue"
        self.prologue.write_bytes(frame(GUARD + ".Attach", app=APP, instance=token))
        for folder in (self.folder, self.daemon.directory):
            folder.chmod(0o755)

    def attach(self, wire: Wire) -> str:
        token = self.call(wire, "Attach", app=APP)["instance"]
        self.call(wire, "SetIdentity", level="process", account=WORK)
        self.call(wire, "RegisterViewer", viewer="page", **{"class": "documents"})
        return token

    def attach_as(self, uid: int) -> None:
        """From now on the generator asks as another user, in an instance of that user."""
        os.seteuid(uid)
        try:
            other = Wire(self.socket)
        finally:
            os.seteuid(0)
        self.others.append(other)
        token = self.attach(other)
        self.prologue = self.folder / f"prologue-{uid}"
        self.prologue.write_bytes(frame(GUARD + ".Attach", app=APP, instance=token))

    def call(self, wire: Wire, method: str, **parameters: object) -> dict:
        reply = wire.call(f"{GUARD}.{method}", **parameters)
        if "error" in reply:
            raise RuntimeError(f"{method}: {reply}")
        return reply["parameters"]

    def reload(self) -> dict:
        with Wire(self.daemon.admin_socket, seconds=60) as wire:
            return wire.call(ADMIN + ".Reload")

    def stop(self) -> None:
        self.daemon.remove()
        super().stop()


def generator(places: Places) -> Path:
    return built(places, "load")


def echo(places: Places) -> Started:
    return Started("echo", generator(places), [built(places, "echo"), "{socket}"], QUESTION)


def redis(places: Places) -> Redis:
    if shutil.which("redis-server") is None:
        apt_install("redis-server")
    return Redis(generator(places))


def built(places: Places, name: str) -> Path:
    """A program of Benchmarks/Peers in C."""
    source = REPOSITORY / f"Benchmarks/Peers/{name}.c"
    target = places.build / name
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        run("cc", "-O2", "-o", target, source)
    return target


def shared_library(places: Places, name: str) -> Path:
    """A library of Benchmarks/Peers, to be preloaded."""
    target = places.build / f"{name}.so"
    run("cc", "-O2", "-shared", "-fPIC", "-o", target, REPOSITORY / f"Benchmarks/Peers/{name}.c")
    return target
