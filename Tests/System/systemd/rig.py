"""What the cases share: the machine, the packages, and words to talk to the daemon with."""

import json
import re
import shutil
import subprocess
import sys
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from machine import Machine

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Tests/Support/python"))

from log_files import log_records  # noqa: E402

TESTS = "/opt/webviewguard-tests"
GUARD_SOCKET = "/run/webviewguard/guard.sock"
SERVICE = "webviewguard.service"
SOCKETS = ["webviewguard.socket", "webviewguard-admin.socket"]
UNITS = [SERVICE, *SOCKETS]
GUARD = "org.webviewguard.Guard"
LOGS = "/var/log/webviewguard"

PERSON = "wvgperson"
ADMINISTRATOR = "wvgadmin"

POLICY = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }]
    identityMode: multi
    classes:
      documents: { policy: currentIdentity, externalURLs: contoso }
  com.contoso.kiosk:
    peers: [{ unit: contoso-kiosk.service }]
    identityMode: single
    account: work@contoso.com
  com.contoso.lobby:
    peers: [{ socket: lobby }]
    identityMode: single
    account: work@contoso.com
accounts:
  - { upn: work@contoso.com, protection: contoso-standard }
protections:
  contoso-standard:
    webTransfer: managedBrowser
    clipboard: { level: managedWithPasteIn, exceptionLength: 0 }
browsers:
  managed: { desktopId: com.contoso.Browser.desktop }
"""
RULES = """\
ruleSet: contoso
default: external
rules:
  - id: own
    internal: { domain: contoso.com }
"""
SETTINGS = "graceSeconds: 600\ncontract: { startMs: 5000, answerMs: 2000, navigation: open }\n"
BROKEN = "apps: { com.contoso.portal: { colour: blue } }\n"


class Conversation:
    """A client inside the container that does what it is told."""

    def __init__(self, machine: Machine, user: str = PERSON) -> None:
        command = ["setpriv", f"--reuid={user}", f"--regid={user}", "--init-groups"]
        self.process = machine.begin([*command, "/usr/bin/env", f"PYTHONPATH={TESTS}", "python3", f"{TESTS}/talk.py"])
        self.connect()

    def order(self, **order: Any) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"the client ended with {self.process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def connect(self, socket: str = GUARD_SOCKET) -> dict[str, Any]:
        return self.order(do="connect", socket=socket)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.order(do="call", method=f"{GUARD}.{method}", parameters=parameters)

    def result(self, method: str, *, of: str = GUARD, **parameters: Any) -> dict[str, Any]:
        """What a call returns; an error when it is refused, or nobody answers."""
        reply = self.order(do="call", method=f"{of}.{method}", parameters=parameters)
        if "error" in reply or "parameters" not in reply:
            raise AssertionError(f"{method}: {reply}")
        found: dict[str, Any] = reply["parameters"]
        return found

    def close(self) -> None:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        self.process.wait(timeout=60)
        self.process.stdout.close()


class Case(unittest.TestCase):
    """A part of the story: the parts run in order, on one machine."""

    machine: ClassVar[Machine]
    packages: ClassVar[Path]
    maxDiff = None

    @contextmanager
    def conversation(self, user: str = PERSON) -> Iterator[Conversation]:
        talk = Conversation(self.machine, user)
        try:
            yield talk
        finally:
            talk.close()

    @contextmanager
    def drop_in(self, text: str, unit: str = SERVICE) -> Iterator[None]:
        """A drop-in for a unit, as long as it takes; the daemon is started anew with it, and without it."""
        path = f"/etc/systemd/system/{unit}.d/test.conf"
        self.machine.write(path, f"[Service]\n{text}\n")
        try:
            self.restart()
            yield
        finally:
            self.machine.must("rm", path)
            self.restart()

    def restart(self) -> None:
        self.machine.must("systemctl", "daemon-reload")
        self.machine.must("systemctl", "restart", SERVICE)

    def is_active(self, unit: str) -> bool:
        return self.machine.run("systemctl", "is-active", "--quiet", unit).returncode == 0

    def status(self) -> dict[str, Any]:
        """What the daemon says of itself; its exit status says how well it is, and is not asked here."""
        done = self.machine.run("webviewguard", "status", "--format", "json")
        try:
            found: dict[str, Any] = json.loads(done.stdout)
        except ValueError:
            raise AssertionError(f"no status: {done.stdout}{done.stderr}") from None
        return found

    def records(self, act: str) -> list[dict[str, Any]]:
        """The log's records of accounts in which this happened."""
        found = log_records(self.machine.root / LOGS.lstrip("/"), "account")
        return [record for record in found if record["act"] == act]

    @classmethod
    def configure(cls, policy: str = POLICY) -> None:
        uid, other = (cls.machine.must("id", "-u", user).strip() for user in (PERSON, ADMINISTRATOR))
        policy = policy.replace("$other", other)
        cls.machine.write("/etc/webviewguard/webviewguard.yaml", SETTINGS)
        cls.machine.write("/etc/webviewguard/policy.d/contoso.yaml", policy.replace("$uid", uid))
        cls.machine.write("/etc/webviewguard/rules/contoso.yaml", RULES)


def put_tests(machine: Machine) -> None:
    """Puts the programs of the tests, and two users, where the container sees them."""
    inside = machine.root / TESTS.lstrip("/")
    shutil.copytree(HERE / "inside", inside)
    for shared in ("wire.py", "broker.py", "orders.py"):
        shutil.copy(ROOT / "Tests/Support/python" / shared, inside)
    for user in (PERSON, ADMINISTRATOR):
        command = ["chroot", str(machine.root), "useradd", "--create-home", user]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"useradd {user}: {done.stderr}")


def package(directory: Path, into: Path, name: str, files: dict[str, str]) -> Path:
    """A Debian package of another vendor, with files."""
    tree = directory / name
    about = {"Package": name, "Version": "1.0", "Architecture": "all", "Maintainer": "Contoso <it@contoso.com>"}
    control = "".join(f"{key}: {value}\n" for key, value in {**about, "Description": "a test"}.items())
    for path, text in {"DEBIAN/control": control, **files}.items():
        file = tree / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o644)
    deb = into / f"{name}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-b", str(tree), str(deb)]
    subprocess.run(command, check=True, capture_output=True)
    return deb


def newer(deb: Path, into: Path, version: str) -> Path:
    """The same package as another version."""
    tree, made = into / "newer", into / "newer.deb"
    subprocess.run(["dpkg-deb", "-R", str(deb), str(tree)], check=True, capture_output=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*$", f"Version: {version}", control.read_text()))
    command = ["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "-b", str(tree), str(made)]
    subprocess.run(command, check=True, capture_output=True)
    shutil.rmtree(tree)
    return made
