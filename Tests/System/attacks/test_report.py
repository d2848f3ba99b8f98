"""What users collect of their own programs tells them nothing of others."""

import json
import signal
import subprocess
from typing import Any

from attack_case import ALICE, APP, BOB, INSIDE, KIOSK, MALLORY, PEOPLE, SETTINGS, AttackCase, Link
from configuration import PERSONAL, WORK, Configuration
from daemon import PROGRAM, Daemon
from long_attack import LongAttack
from test_who import SOCKET_SETTINGS, SOCKETS, group
from wire import GUARD

OWN = f"{GUARD}.OwnPrograms"
# A user has more programs, and a program more viewers, than are listed.
MANY = SETTINGS.replace("connectionsPerUser: 16", "connectionsPerUser: 48")


class OwnReports(LongAttack):
    configuration = Configuration(PEOPLE, settings=MANY)

    def own(self, link: Link) -> list[dict[str, Any]]:
        """The programs in a user's report, which must be all there are."""
        report = self.answered(link.call(OWN))
        self.assertEqual(report["programCount"], len(report["programs"]))
        return report["programs"]

    def test_a_user_sees_his_own_programs_and_nobody_elses(self) -> None:
        alice, bob = self.link(ALICE), self.link(BOB)
        token = self.managed(alice)
        self.private(bob)
        for _ in range(3):
            # Another program of the user, one that did not attach, and the program itself are told the same.
            for link in (alice, alice.person.link(self.daemon.guard_socket), self.link(ALICE)):
                [program] = self.own(link)
                self.assertEqual((program["app"], program["instance"], program["connections"]), (APP, token[:16], 1))
                self.assertEqual((program["accounts"], program["protections"]), ([WORK], ["contoso-standard"]))
                docs = {"viewer": "docs", "class": "documents", "policy": "currentIdentity", "policySource": "class"}
                self.assertEqual(program["viewers"], [docs | {"ruleSet": "contoso"}])
            [program] = self.own(bob)
            self.assertEqual((program["accounts"], program["protections"]), ([PERSONAL], []))
            self.assertEqual([viewer["viewer"] for viewer in program["viewers"]], ["home"])
            # Whom no app's peers name has nothing, whoever else is there.
            self.assertEqual(self.own(self.link(MALLORY)), [])
        for said in (str(self.answered(link.call(OWN))) for link in (bob, self.link(MALLORY))):
            for word in (token[:16], WORK, "docs", "contoso-standard", str(ALICE)):
                self.assertNotIn(word, said)

    def test_no_token_and_no_page_is_in_it(self) -> None:
        alice = self.link(ALICE)
        token = self.managed(alice)
        self.navigate(alice, f"{INSIDE}secret")
        self.answered(alice.call(f"{GUARD}.SetDocument", viewer="docs", document=f"{INSIDE}secret"))
        self.copy(alice)
        said = json.dumps(self.answered(alice.call(OWN)))
        for word in (token, token[16:], "secret", "contoso.com/"):
            self.assertNotIn(word, said)
        self.refused(self.link(BOB).call(f"{GUARD}.Attach", instance=token[:16]), "UnknownInstance")

    def test_what_is_many_is_counted(self) -> None:
        alice = self.person(ALICE)
        links = [alice.link(self.daemon.guard_socket) for _ in range(40)]
        for link in links:
            self.managed(link)
        for number in range(70):
            self.answered(links[0].call(f"{GUARD}.RegisterViewer", viewer=f"v{number}"))
        for number in range(10):
            self.answered(links[0].call(f"{GUARD}.ForgetViewer", viewer=f"v{number}"))
        report = self.answered(links[0].call(OWN))
        self.assertEqual((report["programCount"], len(report["programs"])), (40, 32))
        first = report["programs"][0]
        self.assertEqual((first["viewerCount"], len(first["viewers"])), (61, 32))
        self.assertEqual(self.own(self.link(BOB)), [])

    def test_a_program_without_an_account_is_told_of(self) -> None:
        bob = self.link(BOB)
        self.answered(bob.call(f"{GUARD}.Attach"))
        [program] = self.own(bob)
        self.assertEqual((program["accounts"], program["protections"], program["viewers"]), ([], [], []))


class OwnReportsThroughSockets(AttackCase):
    """An app that has a socket of its own is not told of elsewhere, not even to its own user."""

    configuration = Configuration(SOCKETS, settings=SOCKET_SETTINGS)

    def test_an_apps_socket_tells_of_that_app_only(self) -> None:
        person = self.person(ALICE, group("daemon"))
        outside, kiosk = person.link(self.daemon.guard_socket), person.link(self.daemon.sockets / "contoso-kiosk.sock")
        for link in (outside, kiosk):
            self.answered(link.call(f"{GUARD}.Attach"))
        for _ in range(3):
            for link, app in ((outside, APP), (kiosk, KIOSK)):
                self.assertEqual([program["app"] for program in self.answered(link.call(OWN))["programs"]], [app])


class ReportCommand(AttackCase):
    """`webviewguard whoami --report`, with a daemon and without."""

    def setUp(self) -> None:
        self.own_daemon = Daemon(self.configuration)
        self.addCleanup(self.own_daemon.remove)
        self.own_daemon.directory.chmod(0o755)
        self.own_daemon.start()

    def report(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [str(PROGRAM), "whoami", "--report", "--socket-dir", str(self.own_daemon.sockets), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def test_it_has_the_users_own_programs_and_none_of_others(self) -> None:
        mine = self.wire(self.own_daemon.guard_socket)
        self.managed(mine)
        self.answered(mine.call(f"{GUARD}.RegisterViewer", viewer="tab \x1b[2J\u202e"))
        self.private(self.person(BOB).link(self.own_daemon.guard_socket))
        done = self.report("--format", "json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        report = json.loads(done.stdout)
        self.assertEqual(set(report), {"time", "program", "socket", "daemon", "you", "yours", "contract"})
        self.assertEqual((report["you"]["uid"], report["yours"]["problems"]), (0, []))
        self.assertEqual(report["contract"], report["yours"]["contract"])
        self.assertEqual([program["app"] for program in report["yours"]["programs"]], [APP])
        text = self.report().stdout
        self.assertRegex(text, r"\nyours\.programs\.1\.accounts +work@contoso\.com\n")
        self.assertRegex(text, r"\nyours\.programs\.1\.viewers\.2\.viewer +tab \\u\{1B\}\[2J\\u\{202E\}\n")
        for said in (done.stdout, text):
            for word in ("home", PERSONAL, str(BOB), "\x1b", "\u202e"):
                self.assertNotIn(word, said)

    def test_without_a_daemon_it_says_so(self) -> None:
        self.own_daemon.stop(signal.SIGKILL)
        done = self.report("--format", "json")
        self.assertEqual(done.returncode, 2)
        report = json.loads(done.stdout)
        self.assertIn("nobody listens", report["failure"])
        self.assertNotIn("yours", report)
        self.assertIn("answerMs", report["contract"], "what programs do meanwhile")
