"""The package is installed: everything is in its place, sandboxed, and answers."""

import json
import subprocess

from rig import ADMINISTRATOR, GUARD_SOCKET, PERSON, SERVICE, SOCKETS, TESTS, UNITS, Case

EXPOSURE = 9  # tenths


class Installed(Case):
    def test_lintian_finds_nothing(self) -> None:
        for deb in sorted(self.packages.glob("*.deb")):
            command = ["lintian", "--allow-root", "--profile", "debian", "--fail-on", "error,warning", str(deb)]
            with self.subTest(deb.name):
                done = subprocess.run(command, capture_output=True, text=True, timeout=600)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_it_needs_no_swift(self) -> None:
        needed = self.machine.must("objdump", "-p", "/usr/bin/webviewguard")
        self.assertNotIn("libswift", needed)
        self.assertNotIn("libFoundation", needed)
        self.assertNotIn("RUNPATH", needed)

    def test_users_and_groups_are_there(self) -> None:
        self.assertIn("webviewguard", self.machine.must("getent", "passwd", "webviewguard"))
        self.assertIn("webviewguard-admin", self.machine.must("getent", "group", "webviewguard-admin"))
        self.assertIn("nologin", self.machine.must("getent", "passwd", "webviewguard"))

    def test_every_unit_is_enabled_and_active(self) -> None:
        for unit in UNITS:
            with self.subTest(unit):
                self.assertEqual(self.machine.must("systemctl", "is-enabled", unit).strip(), "enabled")
                self.assertTrue(self.is_active(unit), self.machine.journal(unit))
        enabled = self.machine.run("systemctl", "is-enabled", "webviewguard-metrics.timer").stdout.strip()
        self.assertEqual(enabled, "disabled")

    def test_places_have_their_owners(self) -> None:
        expected = {
            "/run/webviewguard": "755 webviewguard webviewguard",
            GUARD_SOCKET: "666 root root",
            "/run/webviewguard/admin.sock": "660 webviewguard webviewguard-admin",
            "/run/webviewguard/contract.json": "644 webviewguard webviewguard",
            "/var/lib/webviewguard": "700 webviewguard webviewguard",
            "/var/log/webviewguard": "750 webviewguard webviewguard",
            "/etc/webviewguard": "755 root root",
        }
        found = {path: self.machine.must("stat", "-c", "%a %U %G", path).strip() for path in expected}
        self.assertEqual(found, expected)

    def test_manual_and_completions_are_there(self) -> None:
        for page in ("webviewguard", "webviewguard-serve", "webviewguard.yaml", "webviewguard-native-host"):
            with self.subTest(page):
                self.assertTrue(self.machine.must("man", "--where", page).strip())
        complete = "source /usr/share/bash-completion/completions/webviewguard; complete -p webviewguard"
        self.assertIn("webviewguard", self.machine.must("bash", "-c", complete))
        self.machine.must("zsh", "-n", "/usr/share/zsh/vendor-completions/_webviewguard")
        self.machine.must("fish", "--no-execute", "/usr/share/fish/vendor_completions.d/webviewguard.fish")

    def test_templates_are_found(self) -> None:
        self.machine.must("webviewguard", "init", "monitor-only", "/tmp/pilot")
        self.machine.must("webviewguard", "test", "/tmp/pilot")

    def test_only_administrators_may_ask_for_the_status(self) -> None:
        self.machine.must("usermod", "--append", "--groups", "webviewguard-admin", ADMINISTRATOR)
        command = ["webviewguard", "status", "--format", "json"]
        self.assertIn("version", json.loads(self.machine.run(*command, user=ADMINISTRATOR).stdout))
        refused = self.machine.run(*command, user=PERSON)
        self.assertEqual(refused.returncode, 2, refused.stdout)


class Units(Case):
    def test_they_have_no_mistake(self) -> None:
        wipe = ("webviewguard-wipe@.service", "webviewguard-wipe@.path")
        files = [f"/lib/systemd/system/{unit}" for unit in (*UNITS, "webviewguard-metrics.timer", *wipe)]
        done = self.machine.run("systemd-analyze", "verify", "--recursive-errors=yes", "--man=yes", *files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_those_for_users_have_no_mistake(self) -> None:
        files = [f"/usr/lib/systemd/user/{unit}" for unit in (*UNITS, "webviewguard-session.service")]
        analyze = ["env", "XDG_RUNTIME_DIR=/run", "systemd-analyze", "--user", "verify"]
        done = self.machine.run(*analyze, "--recursive-errors=yes", "--man=no", *files)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_mistake_would_be_found(self) -> None:
        text = self.machine.must("cat", "/lib/systemd/system/webviewguard.service")
        self.machine.write("/run/broken/webviewguard.service", text.replace("ProtectHome=", "ProtectHomes="))
        file = "/run/broken/webviewguard.service"
        done = self.machine.run("systemd-analyze", "verify", "--recursive-errors=yes", "--man=no", file)
        self.assertNotEqual(done.returncode, 0)

    def test_the_exposure_is_low(self) -> None:
        for unit in (SERVICE, "webviewguard-metrics.service", "webviewguard-wipe@.service"):
            with self.subTest(unit):
                command = ["systemd-analyze", "security", "--no-pager", "--offline=true"]
                file = f"/lib/systemd/system/{unit}"
                done = self.machine.run(*command, f"--threshold={EXPOSURE}", file)
                self.assertEqual(done.returncode, 0, done.stdout[-300:])

    def test_it_has_no_capabilities_and_filters_system_calls(self) -> None:
        pid = self.machine.show(SERVICE, "MainPID")
        lines = self.machine.must("cat", f"/proc/{pid}/status").splitlines()
        status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
        self.assertEqual({int(status[name], 16) for name in ("CapEff", "CapPrm", "CapBnd", "CapAmb")}, {0})
        self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
        self.assertNotIn("0", status["Uid"].split())
        self.assertEqual(self.machine.show(SERVICE, "PrivateUsers"), "no")

    def test_the_sandbox_holds(self) -> None:
        """What the daemon could not do if it were taken over, tried by a program in its place."""
        self.machine.write("/tmp/seen-by-all", "")
        # A program of its own: the daemon's sandbox is the unit's.
        probe = f"ExecStartPre=/usr/bin/python3 {TESTS}/probe.py"
        with self.drop_in(probe):
            found = json.loads(self.machine.must("cat", "/run/webviewguard/probe"))
        self.assertEqual([name for name, could in found["trials"].items() if could], [])
        self.assertEqual([name for name, could in found["needs"].items() if not could], [])
        self.assertGreater(len(found["trials"]), 10)
        self.machine.must("rm", "/run/webviewguard/probe")


class Activated(Case):
    def test_the_first_question_starts_it(self) -> None:
        self.machine.must("systemctl", "stop", SERVICE)
        for unit in SOCKETS:
            self.assertTrue(self.is_active(unit))
        self.assertFalse(self.is_active(SERVICE))
        with self.conversation() as talk:
            uid = int(self.machine.must("id", "-u", PERSON))
            self.assertEqual(talk.result("WhoAmI")["uid"], uid)
        self.assertTrue(self.is_active(SERVICE))

    def test_an_administrators_question_starts_it_as_well(self) -> None:
        self.machine.must("systemctl", "stop", SERVICE)
        self.assertEqual(self.status()["pid"], int(self.machine.show(SERVICE, "MainPID")))

    def test_it_says_how_it_stands(self) -> None:
        self.configure()
        self.restart()
        self.assertIn("is in force", self.machine.show(SERVICE, "StatusText"))
        self.assertEqual(self.machine.show(SERVICE, "SubState"), "running")
