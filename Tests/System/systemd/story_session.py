"""Who is signed in, told by the session service, which runs in a person's own service manager and asks a sign-in service."""

import json
import subprocess
from typing import Any

from desk import Desk, Terminal, give_passwords
from rig import ADMINISTRATOR, PERSON, SERVICE, TESTS, Case

APP, ACCOUNTS = "com.contoso.portal", "org.webviewguard.Accounts"
UNIT = "webviewguard-session.service"
WORK, SECOND = "work@contoso.com", "second@contoso.com"
POLICY = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }, { uid: $other }]
    identityMode: multi
    managedAccounts: several
    accounts: { source: [broker] }
accounts:
  - { upn: work@contoso.com, protection: contoso-standard }
  - { upn: second@contoso.com, protection: contoso-standard }
protections:
  contoso-standard: { webTransfer: managedBrowser }
browsers:
  managed: { desktopId: com.contoso.Browser.desktop }
"""


class SignedIn(Case):
    @classmethod
    def setUpClass(cls) -> None:
        give_passwords(cls.machine, PERSON, ADMINISTRATOR)
        cls.uid = cls.machine.must("id", "-u", PERSON).strip()
        cls.configure(POLICY)
        cls.machine.must("systemctl", "restart", SERVICE)
        cls.addClassCleanup(lambda: (cls.configure(), cls.machine.must("systemctl", "restart", SERVICE)))

    def terminal(self) -> Terminal:
        terminal = Terminal(self.machine, PERSON)
        self.addCleanup(terminal.close)
        return terminal

    def desk(self, user: str = PERSON) -> Desk:
        desk = Desk(self.machine, user)
        self.addCleanup(desk.close)
        desk.attach(APP, "enrollment")
        return desk

    def broker(self, *accounts: str) -> "subprocess.Popen[str]":
        """The scripted sign-in service on the person's session bus; it knows these accounts."""
        bus = f"/run/user/{self.uid}/bus"
        self.machine.eventually(lambda: self.machine.run("test", "-S", bus).returncode == 0, "the session's bus is there")
        broker = self.machine.begin([
            "setpriv", f"--reuid={PERSON}", f"--regid={PERSON}", "--init-groups",
            "/usr/bin/python3", f"{TESTS}/broker.py", f"unix:path={bus}",
        ])  # fmt: skip
        assert broker.stdin and broker.stdout
        self.addCleanup(self.end, broker)
        self.assertEqual(broker.stdout.readline(), "ready\n")
        broker.stdin.write(json.dumps(["accounts", [{"username": name} for name in accounts]]) + "\n")
        broker.stdin.flush()
        return broker

    def end(self, broker: "subprocess.Popen[str]") -> None:
        assert broker.stdin and broker.stdout
        if not broker.stdin.closed:
            broker.stdin.close()
            broker.wait(timeout=60)
            broker.stdout.close()

    def listed(self, desk: Desk) -> dict[str, Any]:
        """The accounts of the desk's app, and their states."""
        found = desk.result("List", of=ACCOUNTS)["accounts"]
        return {account["account"]: account["state"] for account in found if "broker" in account["sources"]}

    def is_listed(self, desk: Desk, **states: str) -> None:
        wanted = {f"{name}@contoso.com": state for name, state in states.items()}
        self.machine.eventually(lambda: self.listed(desk) == wanted, f"{wanted} are listed")

    def test_the_daemon_learns_who_is_signed_in(self) -> None:
        desk, other, terminal = self.desk(), self.desk(ADMINISTRATOR), self.terminal()
        self.assertEqual(self.listed(desk), {})
        broker = self.broker(WORK)
        said = terminal.command(f"systemctl --user enable --now {UNIT}; systemctl --user is-active {UNIT}")
        self.addCleanup(self.machine.run, "rm", "-rf", f"/home/{PERSON}/.config/systemd")
        self.assertIn("\nactive\r\n", said)
        self.is_listed(desk, work="enrolled")
        self.assertEqual(desk.news("enrollment")["account"], WORK)
        self.assertEqual(self.listed(other), {}, "a session speaks of nobody else")
        with self.subTest("a sign-in service that goes away signs nobody out, and another one is asked at once"):
            self.end(broker)
            self.is_listed(desk, work="enrolled")
            broker = self.broker(SECOND)
            self.is_listed(desk, second="enrolled")
        with self.subTest("a service that is killed comes back, and asks again"):
            pid = self.pid()
            self.machine.must("kill", "-KILL", pid)
            self.machine.eventually(lambda: self.pid() not in ("0", pid), "it is back")
            self.end(broker)
            self.broker(WORK, SECOND)
            self.is_listed(desk, work="enrolled", second="enrolled")
        with self.subTest("it holds what a user's service manager can hold"):
            lines = self.machine.must("cat", f"/proc/{self.pid()}/status").splitlines()
            status = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
            self.assertEqual((status["NoNewPrivs"], status["Seccomp"]), ("1", "2"))
            self.assertEqual(set(status["Uid"].split()), {self.uid})

    def pid(self) -> str:
        """The session service's process."""
        show = ["systemctl", "--user", "show", "--value", "-p", "MainPID", UNIT]
        return self.machine.must("env", f"XDG_RUNTIME_DIR=/run/user/{self.uid}", *show, user=PERSON).strip()
