"""H5: a native host that the user puts into the profile, and the policy that forbids it."""

import json
import unittest
from pathlib import Path
from typing import Any

from browser import Chromium

from configuration import WORK
from daemon import Daemon, eventually
from installation import EXTENSION, HOST, Installation
from rig.policy import BrowserConfiguration

POLICY = EXTENSION.parents[1] / "packaging/browsers/system-hosts-only.json"
STRICT = EXTENSION.parents[1] / "packaging/browsers/webviewguard-host-only.json"


class UserHosts(unittest.TestCase):
    def setUp(self) -> None:
        self.daemon = Daemon(BrowserConfiguration(Path("/bin/true"))).start()
        self.addCleanup(self.daemon.remove)
        self.installation = Installation(self.daemon)
        self.addCleanup(self.installation.remove)
        self.marks = {name: self.installation.directory / f"{name}-started" for name in ("user", "system")}

    def started(self, **policies: Any) -> list[str]:
        """Whose host the browser started: each leaves a mark, and goes on as the real one."""
        real = self.installation.host
        hosts = {}
        for name, mark in self.marks.items():
            hosts[name] = self.installation.directory / f"{name}-host"
            hosts[name].write_text(f'#!/bin/sh\ntouch "{mark}"\nexec "{real}" "$@"\n')
            hosts[name].chmod(0o755)
        built = self.installation.manifest("chromium")
        etc = self.installation.etc(WORK, **policies)
        etc[f"native-messaging-hosts/{HOST}.json"] = {**built, "path": str(hosts["system"])}
        profile = {f"NativeMessagingHosts/{HOST}.json": {**built, "path": str(hosts["user"])}}
        browser = Chromium(etc, f"--load-extension={self.installation.extension}", profile=profile)
        try:
            eventually(lambda: any(mark.exists() for mark in self.marks.values()), "a host is started", 60.0)
        finally:
            browser.close()
        return [name for name, mark in self.marks.items() if mark.exists()]

    def test_without_the_policy_a_users_host_is_started(self) -> None:
        self.assertEqual(self.started(), ["user"])

    def test_the_packages_policy_forbids_it(self) -> None:
        self.assertEqual(self.started(**json.loads(POLICY.read_text())), ["system"])

    def test_so_does_the_strict_one_which_lets_no_other_host_start(self) -> None:
        self.assertEqual(self.started(**json.loads(STRICT.read_text())), ["system"])


def cases() -> list[Any]:
    return [UserHosts]
