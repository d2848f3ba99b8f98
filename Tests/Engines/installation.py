"""The built extension, and what an administrator puts beside it so that it asks a test's own daemon."""

import importlib.machinery
import importlib.util
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from rig import ROOT

from daemon import PROGRAM, Daemon

EXTENSION = ROOT / "clients/webextension"
HOST = "org.webviewguard.host"
# The program whose verb is tested; the daemon's own unless another was built.
HOST_PROGRAM = Path(os.environ.get("WEBVIEWGUARD_HOST") or PROGRAM).resolve()


def build_module() -> Any:
    """The extension's build program, as a module."""
    loader = importlib.machinery.SourceFileLoader("webextension_build", str(EXTENSION / "build"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


class Installation:
    """The built extension, and the native host that asks a daemon, in a directory of their own."""

    def __init__(self, daemon: Daemon) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-extension-"))
        builder = build_module()
        self.key = (EXTENSION / "key/public.base64").read_text().strip()
        self.id: str = builder.extension_id(self.key)
        builder.build(self.directory, str(HOST_PROGRAM), self.key)
        self.extension = self.directory / "chromium"
        self.host = self.directory / "host"
        self.host.write_text(
            f'#!/bin/sh\nexec "{HOST_PROGRAM}" native-messaging --socket-dir "{daemon.sockets}"'
            f' --config "{daemon.config}" "$@"\n'
        )
        self.host.chmod(0o755)

    def permit(self, permission: str) -> None:
        """Adds a permission that only a test needs."""
        file = self.extension / "manifest.json"
        manifest = json.loads(file.read_text())
        manifest["permissions"].append(permission)
        file.write_text(json.dumps(manifest))

    def manifest(self, browser: str) -> dict[str, Any]:
        """The built host manifest, with the test's own host."""
        built = json.loads((self.directory / "hosts" / browser / f"{HOST}.json").read_text())
        return {**built, "path": str(self.host)}

    def etc(self, account: str, **policies: Any) -> dict[str, Any]:
        """What an administrator puts into /etc/chromium, by file name."""
        settings = {"account": account, "class": "documents"}
        managed = {"3rdparty": {"extensions": {self.id: settings}}, **policies}
        host = {f"native-messaging-hosts/{HOST}.json": self.manifest("chromium")}
        return {"policies/managed/guard.json": managed, **host}

    def remove(self) -> None:
        shutil.rmtree(self.directory, ignore_errors=True)
