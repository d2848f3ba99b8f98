"""The daemon runs: it is watched, told to load, and ended while it is asked."""

import json
import signal
import subprocess

from rig import BROKEN, GUARD, LOGS, PERSON, POLICY, SERVICE, SOCKETS, TESTS, Case, Conversation

NAVIGATION = {"viewer": "v1", "url": "https://example.net/", "frame": "main"}


def attach(talk: Conversation, **more: object) -> str:
    """Becomes the portal, with a viewer of the work account; returns the token of the instance."""
    token: str = talk.result("Attach", app="com.contoso.portal", **more)["instance"]
    talk.result("SetIdentity", level="process", account="work@contoso.com")
    talk.result("RegisterViewer", viewer="v1", **{"class": "documents"})
    return token


class Watched(Case):
    def restarts(self) -> int:
        return int(self.machine.show(SERVICE, "NRestarts"))

    def pid(self) -> str:
        return self.machine.show(SERVICE, "MainPID")

    def test_a_daemon_that_hangs_is_replaced(self) -> None:
        with self.drop_in("WatchdogSec=2s"):
            before = self.restarts()
            pid = self.pid()
            self.machine.must("kill", f"-{signal.SIGSTOP.value}", pid)
            with self.conversation() as talk:
                self.assertIn("uid", talk.result("WhoAmI"), "who asks meanwhile is answered by the next")
            self.assertGreater(self.restarts(), before)
            self.assertNotEqual(self.pid(), pid)
            self.assertIn("Watchdog timeout", self.machine.journal(SERVICE))

    def test_a_daemon_that_lives_is_left_alone(self) -> None:
        with self.drop_in("WatchdogSec=1s"), self.conversation() as talk:
            before, pid = self.restarts(), self.pid()
            attach(talk)
            for _ in range(40):
                talk.result("Navigate", event=NAVIGATION)
                self.machine.must("sleep", "0.1")
            self.assertEqual((self.restarts(), self.pid()), (before, pid))

    def test_a_daemon_that_is_killed_comes_back_and_knows_its_clients(self) -> None:
        with self.conversation() as talk:
            token = attach(talk)
            before = self.restarts()
            self.machine.must("kill", f"-{signal.SIGKILL.value}", self.pid())
            self.machine.eventually(lambda: self.restarts() > before and self.is_active(SERVICE), "it is back")
            talk.connect()
            self.assertEqual(talk.result("Attach", app="com.contoso.portal", instance=token)["instance"], token)


class Loaded(Case):
    def reload(self) -> int:
        return self.machine.run("systemctl", "reload", SERVICE).returncode

    def generation(self) -> int:
        return int(self.status()["generation"])

    def test_a_good_policy_is_loaded(self) -> None:
        before = self.generation()
        self.configure(POLICY.replace("exceptionLength: 0", "exceptionLength: 5"))
        self.assertEqual(self.reload(), 0)
        self.assertGreater(self.generation(), before)
        self.assertTrue(self.is_active(SERVICE))
        self.assertIn("is in force", self.machine.show(SERVICE, "StatusText"))

    def test_the_journal_knows_what_is_an_error(self) -> None:
        self.configure(BROKEN)
        self.reload()
        self.configure()
        self.reload()
        said = self.machine.must("journalctl", "--no-pager", "-o", "cat", "-p", "err", "-u", SERVICE)
        self.assertIn("colour", said)
        self.assertNotIn("notice:", said)

    def test_a_bad_policy_is_refused_and_the_old_one_stays(self) -> None:
        before = self.generation()
        self.configure(BROKEN)
        self.assertNotEqual(self.reload(), 0)
        self.assertEqual(self.generation(), before)
        self.assertTrue(self.is_active(SERVICE))
        self.assertIn("the last load failed", self.machine.show(SERVICE, "StatusText"))
        with self.conversation() as talk:
            attach(talk)
        self.configure()
        self.assertEqual(self.reload(), 0)
        self.assertNotIn("failed", self.machine.show(SERVICE, "StatusText"))


class Counted(Case):
    """The counters as a file for node_exporter."""

    FILE = "/var/lib/prometheus/node-exporter/webviewguard.prom"
    UNIT = "webviewguard-metrics.service"

    def test_a_daemon_that_is_down_is_a_number_as_well(self) -> None:
        self.machine.must("install", "-d", "-o", "webviewguard", self.FILE.rpartition("/")[0])
        self.machine.must("systemctl", "start", self.UNIT)
        self.assertIn("\nwebviewguard_up 1\n", self.machine.must("cat", self.FILE))
        self.machine.must("systemctl", "stop", SERVICE, *SOCKETS)
        try:
            self.assertNotEqual(self.machine.run("systemctl", "start", self.UNIT).returncode, 0)
            self.assertTrue(self.machine.must("cat", self.FILE).endswith("\nwebviewguard_up 0\n"))
        finally:
            self.machine.must("systemctl", "start", *SOCKETS, SERVICE)


class Refreshed(Case):
    """A check-in, by the units as they are: the command has no rights, and root believes nothing but a signature."""

    UNIT = "webviewguard-refresh.service"
    SETTINGS = "/etc/webviewguard-refresh"
    WEB = "/srv/webviewguard-web"

    def fetch_by(self, command: str) -> None:
        self.machine.write(f"{self.SETTINGS}/fetch", f"#!/bin/sh\nset -e\n{command}\n", 0o755)

    def publish(self, serial: int) -> None:
        """An archive of a configuration without apps, signed."""
        self.machine.must("mkdir", "-p", f"{self.WEB}/policy/rules", f"{self.SETTINGS}/keys")
        self.machine.write(f"{self.WEB}/policy/serial", f"{serial}\n")
        rules = f"ruleSet: fetched\ndefault: external\nrules: [{{ id: r, internal: {{ host: h{serial}.example }} }}]\n"
        self.machine.write(f"{self.WEB}/policy/rules/fetched.yaml", rules)
        script = f"""
            cd {self.WEB}
            test -f secret.pem || openssl genpkey -algorithm ed25519 -out secret.pem
            openssl pkey -in secret.pem -pubout -out {self.SETTINGS}/keys/contoso.pem
            tar -czf policy.tar -C policy .
            openssl pkeyutl -sign -inkey secret.pem -rawin -in policy.tar -out policy.tar.sig
            chmod 0755 . && chmod 0644 policy.tar policy.tar.sig && chmod 0600 secret.pem"""
        self.machine.must("sh", "-ec", script)

    def test_a_policy_comes_by_itself(self) -> None:
        self.publish(5)
        copy = f"cp {self.WEB}/policy.tar {self.WEB}/policy.tar.sig ."
        # What the command may not: read root's files, the key of the distributor here, or write what is not its own.
        denied = f"/etc/shadow {self.WEB}/secret.pem /run/webviewguard/admin.sock"
        self.fetch_by(f'for file in {denied}; do test ! -r "$file"; done; ! touch /etc/x; ! touch {self.WEB}/x; {copy}')
        self.machine.must("systemctl", "start", self.UNIT)
        status = self.status()
        self.assertEqual(status["checkIn"]["digest"], status["digest"], self.machine.journal(self.UNIT))
        self.assertEqual(self.machine.must("cat", "/var/lib/webviewguard-policy/current/serial"), "5\n")
        owner = self.machine.must("stat", "-L", "-c", "%U %a", "/var/lib/webviewguard-policy/current")
        self.assertEqual(owner, "root 755\n")
        self.fails_and_tries_again(status)
        self.fetch_by(copy)
        self.machine.must("systemctl", "start", self.UNIT)
        self.assertNotIn("checkInFailure", self.status())
        self.assertEqual(self.retries(), "", "the next try is not needed any more")
        self.machine.must("rm", "-r", "/var/lib/webviewguard-policy/current")
        self.machine.must("webviewguard", "reload", "--wait")

    def fails_and_tries_again(self, before: dict[str, object]) -> None:
        self.fetch_by("exit 3")
        self.assertNotEqual(self.machine.run("systemctl", "start", self.UNIT).returncode, 0)
        status = self.status()
        self.assertEqual((status["digest"], status["checkIn"]), (before["digest"], before["checkIn"]))
        self.assertIn("fetch command failed", status["checkInFailure"]["cause"])
        self.assertIn("webviewguard-refresh-retry.timer", self.retries())

    def retries(self) -> str:
        return self.machine.run("systemctl", "list-units", "--no-legend", "webviewguard-refresh-retry.timer").stdout

    def test_the_timer_is_off_until_it_is_enabled(self) -> None:
        timer = "webviewguard-refresh.timer"
        self.assertEqual(self.machine.run("systemctl", "is-enabled", timer).stdout, "disabled\n")
        self.machine.must("systemctl", "enable", "--now", timer)
        self.assertTrue(self.is_active(timer))
        self.machine.must("systemctl", "disable", "--now", timer)


class Rebooted(Case):
    def test_it_starts_with_the_system(self) -> None:
        self.machine.reboot()
        for unit in (SERVICE, *SOCKETS):
            self.assertTrue(self.is_active(unit), self.machine.journal(unit))
        self.assertEqual(self.machine.must("stat", "-c", "%U", "/run/webviewguard").strip(), "webviewguard")
        self.assertIn("is in force", self.machine.show(SERVICE, "StatusText"))
        with self.conversation() as talk:
            attach(talk)


class OfAUser(Case):
    """The variant for one user, where there is no daemon of the system."""

    TMPFILES = "/etc/tmpfiles.d/webviewguard.conf"

    def setUp(self) -> None:
        self.uid = self.machine.must("id", "-u", PERSON).strip()
        self.machine.must("systemctl", "disable", "--now", SERVICE, *SOCKETS)
        self.machine.must("ln", "-sf", "/dev/null", self.TMPFILES)
        self.machine.must("rm", "-r", "/run/webviewguard")
        self.machine.must("loginctl", "enable-linger", PERSON)
        self.machine.eventually(lambda: self.is_active(f"user@{self.uid}.service"), "the user's own systemd runs")

    def tearDown(self) -> None:
        self.of_user("systemctl", "--user", "stop", SERVICE, *SOCKETS)
        self.machine.must("loginctl", "disable-linger", PERSON)
        self.machine.must("rm", self.TMPFILES)
        self.machine.must("systemctl", "unmask", SERVICE, *SOCKETS)
        self.machine.must("systemd-tmpfiles", "--create", "webviewguard.conf")
        self.machine.must("systemctl", "enable", "--now", *SOCKETS, SERVICE)

    def of_user(self, *command: str) -> subprocess.CompletedProcess[str]:
        return self.machine.run("env", f"XDG_RUNTIME_DIR=/run/user/{self.uid}", *command, user=PERSON)

    def found(self) -> tuple[bool, bool]:
        """Whether a client of the user connects, and whether it answers by itself."""
        said = json.loads(self.of_user("/usr/bin/python3", f"{TESTS}/client.py").stdout)
        return said["connected"], said["local"]

    def test_a_user_has_a_daemon_that_starts_when_it_is_asked(self) -> None:
        started = self.of_user("systemctl", "--user", "start", *SOCKETS)
        self.assertEqual(started.returncode, 0, started.stderr)
        self.assertNotEqual(self.of_user("systemctl", "--user", "is-active", SERVICE).returncode, 0)
        answered = json.loads(self.of_user("webviewguard", "whoami", "--format", "json").stdout)
        self.assertEqual(answered["uid"], int(self.uid))
        self.assertEqual(self.of_user("systemctl", "--user", "is-active", SERVICE).returncode, 0)
        self.assertEqual(self.of_user("systemctl", "--user", "reload", SERVICE).returncode, 0)
        self.assertEqual(self.found(), (False, True), "a system that has a daemon, running or not, has no other")
        self.machine.must("systemctl", "mask", SERVICE, *SOCKETS)
        self.assertEqual(self.found(), (True, False))
        said = self.machine.must("stat", "-c", "%U %a", f"/run/user/{self.uid}/webviewguard").strip()
        self.assertEqual(said, f"{PERSON} 700")


class Ended(Case):
    QUESTIONS = 200

    def test_who_waits_while_it_stops_is_answered_or_told(self) -> None:
        """Every answer is in the log, and every decision of the log that was to leave did."""
        with self.conversation() as talk:
            attach(talk)
            talk.order(do="flood", method=f"{GUARD}.Navigate", parameters={"event": NAVIGATION}, count=self.QUESTIONS)
            self.machine.must("systemctl", "stop", SERVICE)
            answered = talk.order(do="drain")["decisions"]
        self.assertEqual(self.machine.show(SERVICE, "Result"), "success")
        log = self.machine.must("webviewguard", "log", "show", "--format", "json", LOGS)
        records = [json.loads(line) for line in log.splitlines()]
        self.assertEqual(records[-1]["type"], "stop")
        recorded = {record["id"] for record in records if record["type"] == "decision"}
        self.assertEqual(set(answered) - recorded, set())
        self.machine.must("webviewguard", "log", "verify", LOGS)
        self.assertTrue(all(self.is_active(unit) for unit in SOCKETS))
        self.machine.must("systemctl", "start", SERVICE)
