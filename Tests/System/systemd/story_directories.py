"""The keeper of directories as its unit runs it: an account's directory is open while the account may work, and closed
however the keeper ends."""

import unittest
from pathlib import Path
from typing import Any

from log_files import log_records
from rig import ADMINISTRATOR, LOGS, PERSON, POLICY, SERVICE, Case, Conversation

APP, ACCOUNTS = "com.contoso.portal", "org.webviewguard.Accounts"
WORK = "work@contoso.com"
KEEPER = "webviewguard-directories.service"
STORE = "/var/lib/webviewguard-accounts"
SECRET = "the contract with Fabrikam ends on Friday"


@unittest.skipUnless(Path("/dev/fuse").exists(), "this machine has no FUSE")
class Directories(Case):
    @classmethod
    def setUpClass(cls) -> None:
        policy = POLICY.replace("    webTransfer:", "    encryption: { by: gocryptfs }\n    webTransfer:")
        mode = "    identityMode: multi\n"
        cls.configure(policy.replace(mode, f"{mode}    accounts: {{ source: [app] }}\n"))
        cls.addClassCleanup(cls.end)
        cls.machine.must("systemctl", "restart", SERVICE)
        cls.machine.must("systemctl", "enable", "--now", KEEPER)
        cls.uid = cls.machine.must("id", "-u", PERSON).strip()

    @classmethod
    def end(cls) -> None:
        cls.machine.must("systemctl", "disable", "--now", KEEPER)
        cls.configure()
        cls.machine.must("systemctl", "restart", SERVICE)

    # People and files

    def app(self) -> Conversation:
        app = Conversation(self.machine)
        self.addCleanup(app.close)
        app.result("Attach", app=APP)
        self.register(app)
        return app

    def register(self, app: Conversation) -> None:
        self.assertEqual(app.result("Register", of=ACCOUNTS, account=WORK)["state"], "enrolled")

    def opened(self, app: Conversation) -> str:
        """The file in the account's directory, once that is open."""

        def path() -> Any:
            state = app.result("OpenDirectory", of=ACCOUNTS, account=WORK)
            return state["path"] if state["state"] == "open" else None

        folder = str(self.machine.eventually(path, "the directory is open"))
        self.assertTrue(folder.startswith(f"{STORE}/{self.uid}/") and folder.endswith("/files"), folder)
        return f"{folder}/plan.txt"

    def read(self, file: str, user: str | None = PERSON) -> str | None:
        done = self.machine.run("cat", file, user=user)
        return done.stdout if done.returncode == 0 else None

    def closed(self, file: str) -> None:
        for user in (PERSON, None, ADMINISTRATOR):
            self.machine.eventually(lambda user=user: self.read(file, user) is None, f"{user} cannot read it")

    def mounts(self) -> list[str]:
        return [line.split()[1] for line in self.machine.must("cat", "/proc/mounts").splitlines() if STORE in line]

    # Claims

    def test_a_directory_is_open_while_the_account_may_work(self) -> None:
        app = self.app()
        file = self.opened(app)
        self.machine.must("sh", "-c", f"echo '{SECRET}' > {file}", user=PERSON)
        self.assertEqual(self.read(file), SECRET + "\n")
        self.assertIsNone(self.read(file, ADMINISTRATOR))
        self.assertEqual(len(self.mounts()), 1)
        sealed = str(Path(file).parent.parent / "sealed")
        self.assertIn("cipher", self.machine.must("ls", sealed))
        self.assertEqual(self.machine.run("grep", "-rqF", SECRET, sealed).returncode, 1, "the disk has it encrypted")
        keys = log_records(self.machine.root / LOGS.lstrip("/"), "key")
        opened = [record for record in keys if record["act"] == "opened"]
        self.assertEqual(opened[-1]["person"], int(self.uid))
        app.result("Deregister", of=ACCOUNTS, account=WORK)
        self.closed(file)
        self.assertEqual(self.mounts(), [])
        self.register(app)
        self.assertEqual(self.read(self.opened(app)), SECRET + "\n")

    def test_however_the_keeper_ends_everything_is_closed(self) -> None:
        app = self.app()
        file = self.opened(app)
        self.machine.must("sh", "-c", f"echo '{SECRET}' > {file}", user=PERSON)
        self.machine.must("systemctl", "stop", KEEPER)
        self.closed(file)
        self.assertEqual(self.mounts(), [])
        self.machine.must("systemctl", "start", KEEPER)
        self.assertEqual(self.read(self.opened(app)), SECRET + "\n")
        # Killed, it is started again, and what it left open was closed before.
        pid = self.machine.show(KEEPER, "MainPID")
        self.machine.must("systemctl", "kill", "--kill-whom=main", "-s", "KILL", KEEPER)
        self.machine.eventually(lambda: self.machine.show(KEEPER, "MainPID") not in (pid, "0"), "it is started again")
        self.assertEqual(self.read(self.opened(app)), SECRET + "\n")
        self.assertEqual(len(self.mounts()), 1)

    def test_the_daemon_is_started_anew_and_the_directory_stays(self) -> None:
        app = self.app()
        file = self.opened(app)
        self.machine.must("sh", "-c", f"echo '{SECRET}' > {file}", user=PERSON)
        self.machine.must("systemctl", "restart", SERVICE)
        self.assertEqual(self.read(file), SECRET + "\n")
        again = self.app()
        self.assertEqual(self.read(self.opened(again)), SECRET + "\n")

    def test_it_has_the_rights_of_its_unit_and_no_others(self) -> None:
        """The unit gives what mounting needs; nothing of it reaches the daemon."""
        pid = self.machine.show(KEEPER, "MainPID")
        status = dict(line.split(":", 1) for line in self.machine.must("cat", f"/proc/{pid}/status").splitlines())
        self.assertEqual(status["NoNewPrivs"].strip(), "1")
        self.assertEqual(status["Seccomp"].strip(), "2")
        bounding = int(status["CapBnd"], 16)
        expected = self.machine.show(KEEPER, "CapabilityBoundingSet").split()
        self.assertEqual(bounding.bit_count(), len(expected))
        self.assertIn("cap_sys_admin", expected)
        self.assertNotIn("cap_sys_ptrace", expected)
        self.assertEqual(self.machine.show(SERVICE, "CapabilityBoundingSet"), "")
