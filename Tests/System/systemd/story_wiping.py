"""An account is wiped while its app says nothing: the helper's unit removes its directories, as their user, in its sandbox."""

import json
import shutil
from typing import Any

import disk
from desk import Desk, give_passwords
from rig import ADMINISTRATOR, PERSON, SERVICE, TESTS, Case

APP, ACCOUNTS = "com.contoso.portal", "org.webviewguard.Accounts"
WORK, SECOND = "work@contoso.com", "second@contoso.com"
HOUR = 3_600
POLICY = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }, { uid: $other }]
    identityMode: multi
    managedAccounts: several
    accounts: { source: [app] }
    dataDirectories: ["~/.local/share/contoso/{account}", "~/.cache/contoso/{account}"]
accounts:
  - { upn: work@contoso.com, protection: contoso-standard }
  - { upn: second@contoso.com, protection: contoso-standard }
protections:
  contoso-standard: { webTransfer: managedBrowser }
browsers:
  managed: { desktopId: com.contoso.Browser.desktop }
wipe: { mode: on, causes: [admin], answerTime: 30s }
"""
# A home with data of two accounts, beside a document of the person; `$1` is the home.
HOME = """
cd "$1"
rm -rf .local/share/contoso .cache/contoso documents
mkdir -p documents .cache/contoso/work@contoso.com
echo mine >documents/letter
for account in work@contoso.com second@contoso.com; do
  mkdir -p ".local/share/contoso/$account/mail/2026"
  for number in 1 2 3; do echo "$account" >".local/share/contoso/$account/mail/2026/$number"; done
  mkfifo ".local/share/contoso/$account/pipe"
done
echo page >.cache/contoso/work@contoso.com/page
"""
DATA = ".local/share/contoso"


class Wiped(Case):
    @classmethod
    def setUpClass(cls) -> None:
        give_passwords(cls.machine, PERSON, ADMINISTRATOR)
        cls.uid = cls.machine.must("id", "-u", PERSON).strip()
        cls.unit = f"webviewguard-wipe@{cls.uid}.service"
        cls.configure(POLICY)
        shutil.copy(disk.library(), cls.machine.root / TESTS.lstrip("/"))
        cls.passed = 0
        cls.wait(48 * HOUR)
        # Nothing is removed within a day of the boot, and one removal an hour: the daemon's clocks can be moved.
        preload = f"Environment=LD_PRELOAD={TESTS}/disk.so DISK_CLOCK={TESTS}/clock"
        cls.addClassCleanup(cls.end_clock)
        cls.machine.write(f"/etc/systemd/system/{SERVICE}.d/clock.conf", f"[Service]\n{preload}\n")
        cls.machine.must("systemctl", "daemon-reload")
        cls.machine.must("systemctl", "restart", SERVICE)

    @classmethod
    def end_clock(cls) -> None:
        cls.machine.must("rm", f"/etc/systemd/system/{SERVICE}.d/clock.conf")
        cls.machine.must("systemctl", "daemon-reload")
        cls.configure()
        # Its log and its state are of days that have not come.
        cls.forget()

    @classmethod
    def forget(cls) -> None:
        """The daemon begins without a log and a state."""
        cls.machine.must("systemctl", "stop", SERVICE)
        cls.machine.must("sh", "-c", "rm -rf /var/lib/webviewguard/* /var/log/webviewguard/* /run/webviewguard/wipe/*/*")
        cls.machine.must("systemctl", "start", SERVICE)

    @classmethod
    def wait(cls, seconds: int) -> None:
        """So much time passes for the daemon. Its file is replaced as a whole."""
        cls.passed += seconds
        cls.machine.write(f"{TESTS}/clock.new", f"{cls.passed} {cls.passed}\n")
        cls.machine.must("mv", f"{TESTS}/clock.new", f"{TESTS}/clock")

    def setUp(self) -> None:
        self.forget()
        for user in (PERSON, ADMINISTRATOR):
            self.machine.must("sh", "-ec", HOME, "sh", f"/home/{user}", user=user)

    # People

    def desk(self, user: str = PERSON) -> Desk:
        """An app that has both accounts, hears what it is asked, and does nothing."""
        desk = Desk(self.machine, user)
        self.addCleanup(desk.close)
        desk.attach(APP, "wipe")
        for account in (WORK, SECOND):
            self.assertEqual(desk.result("Register", of=ACCOUNTS, account=account)["state"], "enrolled")
        return desk

    def states(self, desk: Desk) -> dict[str, str]:
        return {account["account"]: account["state"] for account in desk.result("List", of=ACCOUNTS)["accounts"]}

    def facts(self, *directories: str) -> str:
        """Every entry, with its kind, owner and size."""
        return self.machine.must("find", *directories, "-printf", "%p %y %u %i %s %l\n")

    def untouched(self) -> str:
        """What no wipe of the person's account may change."""
        home = f"/home/{PERSON}"
        return self.facts(f"/home/{ADMINISTRATOR}/.local", f"{home}/documents", f"{home}/{DATA}/{SECOND}")

    def ask(self, desk: Desk) -> str:
        """An administrator wipes the person's account, and the app is asked: the request."""
        command = ["webviewguard", "account", "wipe", WORK, "--user", PERSON, "--reason", "left", "--now", "--format", "json"]
        code = json.loads(self.machine.must(*command))["code"]
        self.machine.must(*command, "--confirm", code)
        # One removal an hour, and the daemon does not believe that the last one was long ago.
        self.wait(HOUR + 60)
        news = desk.news("wipe")
        self.assertEqual(news["account"], WORK)
        request: str = news["request"]
        self.assertEqual(self.states(desk), {WORK: "wiped", SECOND: "enrolled"})
        return request

    def end(self, request: str) -> dict[str, Any]:
        """The last record of a wipe."""
        is_last = lambda record: record.get("request") == request  # noqa: E731
        ends = lambda: [r for act in ("wipeCompleted", "wipeIncomplete") for r in self.records(act) if is_last(r)]  # noqa: E731
        found: list[dict[str, Any]] = self.machine.eventually(ends, "the wipe ends")
        return found[0]

    # Claims

    def test_the_helper_removes_the_directories_of_this_account_and_nothing_else(self) -> None:
        self.machine.write(
            "/etc/systemd/system/webviewguard-wipe@.service.d/test.conf",
            f"[Service]\nExecStartPre=/usr/bin/python3 {TESTS}/probe.py /home/{PERSON}/documents/probed\n",
        )
        self.addCleanup(self.machine.must, "systemctl", "daemon-reload")
        self.addCleanup(self.machine.must, "rm", "/etc/systemd/system/webviewguard-wipe@.service.d/test.conf")
        self.machine.must("systemctl", "daemon-reload")
        before = self.untouched()
        self.gone = len(self.facts(f"/home/{PERSON}/{DATA}/{WORK}", f"/home/{PERSON}/.cache/contoso/{WORK}").splitlines())
        request = self.ask(self.desk())
        self.wait(20)
        self.assertIn("/work@contoso.com/", self.facts(f"/home/{PERSON}"), "the app has time to answer")
        self.wait(HOUR)
        end = self.end(request)
        probed = json.loads(self.machine.must("cat", f"/home/{PERSON}/documents/probed"))
        self.machine.must("rm", f"/home/{PERSON}/documents/probed", f"/home/{PERSON}/probe")
        self.assertEqual((end["act"], end["note"]), ("wipeCompleted", f"removed {self.gone}, kept 0"))
        self.assertNotIn("work@contoso.com", self.facts(f"/home/{PERSON}"))
        self.assertEqual(self.untouched(), before)
        self.assertEqual(self.machine.run("find", "/run/webviewguard/wipe", "-name", "*.json").stdout, "")
        self.assertEqual([name for name, could in probed["trials"].items() if could], [])
        self.assertEqual([name for name, could in probed["needs"].items() if not could], [])
        self.assertEqual(probed["uid"], int(self.uid))

    def test_links_mounts_and_files_of_others_stay(self) -> None:
        place = f"/home/{PERSON}/{DATA}/{WORK}"
        links = 'ln -s "$1/documents" "$2/elsewhere" && ln -s /etc/passwd "$2/passwd"'
        self.machine.must("sh", "-ec", links, "sh", f"/home/{PERSON}", place, user=PERSON)
        # Another user's file, in a directory of the person; and a file system in another.
        self.machine.must("install", "-o", ADMINISTRATOR, "/dev/null", f"{place}/mail/foreign")
        self.machine.must("install", "-d", "-o", PERSON, f"{place}/disk")
        self.machine.must("mount", "-t", "tmpfs", "-o", f"uid={self.uid}", "tmpfs", f"{place}/disk")
        self.addCleanup(self.machine.must, "umount", f"{place}/disk")
        self.machine.must("install", "-o", PERSON, "/dev/null", f"{place}/disk/kept")
        before = self.untouched()
        desk = self.desk()
        request = self.ask(desk)
        self.wait(HOUR)
        end = self.end(request)
        self.assertRegex(end["note"], "removed [1-9][0-9]*, kept 2")
        said = self.machine.journal(self.unit).rpartition(f"{request}-1: ")[2]
        for reason in ("of another user", "on another file system"):
            self.assertIn(f"kept 1 entry {reason}", said)
        left = set(self.machine.must("find", place, "-mindepth", "1", "-printf", "%P\n").splitlines())
        self.assertEqual(left, {"mail", "mail/foreign", "disk", "disk/kept"})
        self.assertEqual(self.untouched(), before)
        self.assertIn("root:", self.machine.must("cat", "/etc/passwd"))
        self.assertEqual(self.states(desk), {SECOND: "enrolled"})
