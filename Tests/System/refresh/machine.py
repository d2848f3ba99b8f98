"""A distributor that signs policies, and a machine that fetches them as webviewguard-refresh.service does."""

import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from configuration import BROKEN, Configuration
from daemon import PROGRAM, ROOT, Daemon

REFRESH = ROOT / "systemd/webviewguard-refresh"
NOBODY = 65_534
Archive = Callable[[tarfile.TarFile], None]

# Each is another policy: another rule's host.
RULES = """\
ruleSet: contoso
default: external
rules:
  - {{ id: own, internal: {{ domain: contoso.com }} }}
  - {{ id: issue, external: {{ host: h{number}.example }} }}
"""

STUB = '#!/bin/sh\necho "$0 $*" | sed "s|.*/||" >> {said}\n'


class Distributor:
    """Signs archives, and puts them where the fetch command finds them."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.place.mkdir(mode=0o755)
        self.key = place / "secret.pem"
        self.make_key(self.key, "ed25519")

    @staticmethod
    def make_key(path: Path, kind: str) -> None:
        options = ["-algorithm", kind, *(["-pkeyopt", "rsa_keygen_bits:2048"] if kind == "rsa" else [])]
        subprocess.run(["openssl", "genpkey", *options, "-out", str(path)], check=True, capture_output=True)

    @staticmethod
    def public(key: Path) -> bytes:
        command = ["openssl", "pkey", "-in", str(key), "-pubout"]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def sign(self, archive: bytes, key: Path | None = None) -> bytes:
        file, signature = self.place / "to-sign", self.place / "signed"
        file.write_bytes(archive)
        command = ["openssl", "pkeyutl", "-sign", "-inkey", str(key or self.key), "-rawin", "-in", str(file)]
        subprocess.run([*command, "-out", str(signature)], check=True, capture_output=True)
        return signature.read_bytes()

    @staticmethod
    def archive(serial: int | str | None, *, broken: bool = False, until: str = "", more: Archive | None = None) -> bytes:
        """An archive with the policy of that number."""
        configuration = Configuration(*([BROKEN] if broken else []), rules=RULES.format(number=serial or 0))
        source = Path(tempfile.mkdtemp(prefix="wvg-"))
        configuration.write(source)
        if serial is not None:
            (source / "serial").write_text(f"{serial}\n")
        if until:
            (source / "valid-until").write_text(until + "\n")
        stream = BytesIO()
        with tarfile.open(fileobj=stream, mode="w:gz") as archive:
            archive.add(source, ".")
            if more is not None:
                more(archive)
        shutil.rmtree(source)
        return stream.getvalue()

    def publish(self, archive: bytes, signature: bytes | None = None) -> None:
        for name, content in (("policy.tar", archive), ("policy.tar.sig", signature or self.sign(archive))):
            (self.place / name).write_bytes(content)


class FetchingDaemon(Daemon):
    """Reads the fetched policy below its own configuration, as the system's daemon does."""

    def __init__(self, store: Path) -> None:
        empty = Configuration()
        empty.files = {"webviewguard.yaml": empty.files["webviewguard.yaml"]}
        super().__init__(empty)
        self.store = store

    def command(self) -> list[str]:
        command = super().command()
        at = command.index("--config")
        return [*command[:at], "--config", str(self.store / "current"), *command[at:]]


class MachineCase(unittest.TestCase):
    """A machine with a daemon that runs, and no policy so far."""

    def setUp(self) -> None:
        if os.getuid() != 0:
            self.skipTest("the step that installs is root's")
        self.place = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.place.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.place, ignore_errors=True)
        self.settings, self.store, self.staging, self.stubs = (
            self.place / name for name in ("etc", "store", "staging", "stubs")
        )
        for directory in (self.settings / "keys", self.store, self.staging, self.stubs):
            directory.mkdir(parents=True, mode=0o755)
        os.chown(self.staging, NOBODY, NOBODY)
        self.distributor = Distributor(self.place / "web")
        (self.settings / "keys/contoso.pem").write_bytes(self.distributor.public(self.distributor.key))
        self.fetch_by(f"cp {self.distributor.place}/policy.tar {self.distributor.place}/policy.tar.sig .")
        self.said = self.place / "said"
        self.said.touch()
        for name in ("systemctl", "systemd-run"):
            self.write_script(self.stubs / name, STUB.format(said=self.said))
        self.daemon = FetchingDaemon(self.store)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()

    @staticmethod
    def write_script(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def fetch_by(self, command: str) -> None:
        """The administrator's command."""
        self.write_script(self.settings / "fetch", f"#!/bin/sh\nset -e\n{command}\n")

    # The unit

    def step(self, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(REFRESH), name], env=self.environment(**environment), capture_output=True, text=True, timeout=120,
            check=False, **({"user": NOBODY, "group": NOBODY, "extra_groups": []} if name == "fetch" else {}),
        )  # fmt: skip

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "WEBVIEWGUARD": str(PROGRAM), "WEBVIEWGUARD_REFRESH": str(self.settings), "WEBVIEWGUARD_POLICY": str(self.store),
            "RUNTIME_DIRECTORY": str(self.staging), "WEBVIEWGUARD_SOCKETS": str(self.daemon.sockets),
            "WEBVIEWGUARD_REFRESH_PATH": str(self.stubs), "WEBVIEWGUARD_REFRESH_PATIENCE": "2", **more,
        }  # fmt: skip

    def refresh(self, **environment: str) -> int:
        """One run of the unit; the exit status of the step that failed, else 0."""
        done = self.step("fetch", **environment)
        if done.returncode == 0:
            done = self.step("install", **environment)
        self.told = done.stdout + done.stderr
        result = "exit-code" if done.returncode else "success"
        ended = self.step("ended", SERVICE_RESULT=result, EXIT_CODE="exited", EXIT_STATUS=str(done.returncode))
        self.assertNotIn("could not be told", ended.stderr if self.daemon.is_alive else "")
        return done.returncode

    def check_in(self, archive: bytes) -> None:
        self.distributor.publish(archive)
        self.assertEqual(self.refresh(), 0, self.told)

    # The daemon

    def status(self) -> dict[str, Any]:
        command = [str(PROGRAM), "status", "--socket-dir", str(self.daemon.sockets), "--format", "json"]
        status: dict[str, Any] = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)
        return status

    def current(self) -> str:
        """The directory that `current` leads to."""
        link = self.store / "current"
        return os.readlink(link) if link.is_symlink() else ""

    def serial(self) -> int:
        """The number of the policy that the daemon has in force, by its digest; 0 for none."""
        status = self.status()
        if status["apps"] == 0:
            return 0
        [directory] = [place for place in self.store.glob("[0-9]*-*") if place.name == self.current()]
        digest = json.loads(
            subprocess.run(
                [str(PROGRAM), "status", "--socket-dir", str(self.daemon.sockets), "--format", "json"],
                capture_output=True, text=True, check=False,
            ).stdout
        )["digest"]  # fmt: skip
        self.assertEqual(digest, status["digest"])
        return int((directory / "serial").read_text())

    def retries(self) -> list[int]:
        """The pauses before the next tries that were ordered, in seconds."""
        lines = [line for line in self.said.read_text().splitlines() if line.startswith("systemd-run ")]
        return [int(line.split("--on-active ")[1].split()[0]) for line in lines]
