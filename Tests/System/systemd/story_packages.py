"""Packages come and go: a newer version, other packages with apps of theirs, and the end."""

import json
import tempfile
from pathlib import Path
from typing import Any

from rig import PERSON, SERVICE, TESTS, UNITS, Case, newer, package
from story_running import attach

PASTE = {"viewer": "elsewhere", "selection": "clipboard", "formats": ["text/plain"], "length": 7}
COPY = {"viewer": "v1", "selection": "clipboard", "formats": ["text/plain"], "length": 7}
APP = """\
apps:
  org.vendor.editor:
    peers: [{ uid: %s }]
    identityMode: multi
"""


class Upgraded(Case):
    def test_nobody_is_turned_away_and_nothing_is_forgotten(self) -> None:
        version = "9.9"
        with tempfile.TemporaryDirectory() as directory:
            deb = newer(next(self.packages.glob("webviewguard_*.deb")), Path(directory), version)
            self.machine.must("install", "-m", "644", "/dev/null", "/root/newer.deb")
            (self.machine.root / "root/newer.deb").write_bytes(deb.read_bytes())
        knocking = self.machine.begin(["/usr/bin/env", f"PYTHONPATH={TESTS}", "python3", f"{TESTS}/knock.py"])
        assert knocking.stdin and knocking.stdout
        knocking.stdout.readline()
        with self.conversation() as talk:
            token = attach(talk)
            talk.result("RegisterViewer", viewer="elsewhere", kind="auth")
            talk.result("Copy", event=COPY)
            before = talk.result("Paste", event=PASTE)["decision"]
            pid = self.machine.show(SERVICE, "MainPID")
            self.machine.must("dpkg", "-i", "/root/newer.deb")
            self.assertNotEqual(self.machine.show(SERVICE, "MainPID"), pid, "the daemon is the new one")
            self.assertTrue(talk.call("WhoAmI").get("closed"), "the old one said goodbye")
            talk.connect()
            self.assertEqual(talk.result("Attach", app="com.contoso.portal", instance=token)["instance"], token)
            talk.result("SetIdentity", level="process", account="work@contoso.com")
            talk.result("RegisterViewer", viewer="elsewhere", kind="auth")
            after = talk.result("Paste", event=PASTE)["decision"]
        knocking.stdin.close()
        heard = json.loads(knocking.stdout.read())
        knocking.wait(timeout=60)
        knocking.stdout.close()
        self.assertEqual(heard["failed"], [])
        self.assertGreater(heard["asked"], 5)
        same = ("outcome", "reason")
        self.assertEqual([after.get(name) for name in same], [before.get(name) for name in same])
        self.assertIn(version, self.machine.must("dpkg-query", "-W", "webviewguard"))
        for unit in UNITS:
            self.assertTrue(self.is_active(unit), unit)


class Extended(Case):
    """Another package says of its app who it is."""

    def test_its_app_comes_and_goes_with_it(self) -> None:
        uid = self.machine.must("id", "-u", PERSON).strip()
        with tempfile.TemporaryDirectory() as directory:
            files = {"usr/share/webviewguard/policy.d/org.vendor.editor.yaml": APP % uid}
            deb = package(Path(directory), Path(directory), "vendor-editor", files)
            (self.machine.root / "root/vendor.deb").write_bytes(deb.read_bytes())
        self.assertIn("error", self.attach())
        self.machine.must("dpkg", "-i", "/root/vendor.deb")
        self.assertIn("instance", self.attach().get("parameters", {}))
        self.machine.must("dpkg", "-r", "vendor-editor")
        self.assertIn("error", self.attach())

    def attach(self) -> dict[str, Any]:
        with self.conversation() as talk:
            return talk.call("Attach", app="org.vendor.editor")

    def test_a_package_with_mistakes_is_installed_and_its_policy_is_not(self) -> None:
        before = self.status()["generation"]
        with tempfile.TemporaryDirectory() as directory:
            files = {"usr/share/webviewguard/policy.d/vendor.yaml": "apps: { x: { colour: red } }\n"}
            deb = package(Path(directory), Path(directory), "vendor-broken", files)
            (self.machine.root / "root/broken.deb").write_bytes(deb.read_bytes())
        said = self.machine.run("dpkg", "-i", "/root/broken.deb")
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertIn("the new policy was not loaded", said.stderr)
        self.assertEqual(self.status()["generation"], before)
        self.machine.must("dpkg", "-r", "vendor-broken")
        self.assertIsNone(self.status().get("lastError"))


class Removed(Case):
    KEPT = ["/var/log/webviewguard/decisions.jsonl", "/var/lib/webviewguard", "/etc/webviewguard/policy.d/contoso.yaml"]
    GONE = [
        "/var/log/webviewguard", "/var/lib/webviewguard", "/run/webviewguard", "/lib/systemd/system/webviewguard.service",
    ]  # fmt: skip

    def exists(self, path: str) -> bool:
        return self.machine.run("test", "-e", path).returncode == 0

    def test_removed_first_and_purged_then(self) -> None:
        self.machine.must("dpkg", "-r", "webviewguard")
        for unit in UNITS:
            self.assertFalse(self.is_active(unit), unit)
        self.assertEqual([path for path in self.KEPT if not self.exists(path)], [])
        self.assertFalse(self.exists("/usr/bin/webviewguard"))
        self.machine.must("dpkg", "-P", "webviewguard")
        self.assertEqual([path for path in self.GONE if self.exists(path)], [])
        self.assertTrue(self.exists("/etc/webviewguard/policy.d/contoso.yaml"), "what an administrator wrote stays")
        self.assertFalse(self.exists("/etc/chromium/native-messaging-hosts/org.webviewguard.host.json"))
        self.machine.must("getent", "passwd", "webviewguard")
        left = self.machine.must("find", "/etc/systemd/system", "-name", "webviewguard*")
        self.assertEqual(left, "")
