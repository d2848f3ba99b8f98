"""Accounts of several users: who sees them, who ends an app's access, and what is on record of that."""

import json
import subprocess
from typing import Any

from attack_case import ALICE, APP, BOB, MALLORY, PEOPLE, SETTINGS, AttackCase, Link
from configuration import PERSONAL, WORK, Configuration
from daemon import PROGRAM, Daemon
from log_files import log_bytes
from person import Failure
from wire import ADMIN, GUARD

ACCOUNTS = "org.webviewguard.Accounts"
SECOND = "second@contoso.com"
ENROLLING = PEOPLE.replace("identityMode: multi", "identityMode: multi\n    accounts: { source: [app, broker] }")


class AccountsOfOthers(AttackCase):
    configuration = Configuration(ENROLLING, settings=SETTINGS)

    def setUp(self) -> None:
        self.own_daemon = Daemon(self.configuration)
        self.addCleanup(self.own_daemon.remove)
        self.own_daemon.directory.chmod(0o755)
        self.own_daemon.start()

    def registered(self, uid: int, account: str) -> Link:
        """A program of a user that shows an account which it has registered."""
        link = self.person(uid).link(self.own_daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach"))
        self.assertEqual(self.answered(link.call(f"{ACCOUNTS}.Register", account=account))["state"], "enrolled")
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=account))
        self.answered(link.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"}))
        return link

    def listed(self, **filters: Any) -> list[tuple[int, str, str]]:
        reply = self.answered(self.wire(self.own_daemon.admin_socket).call(f"{ADMIN}.Accounts", **filters))
        return [(account["uid"], account["account"], account["state"]) for account in reply["accounts"]]

    def end(self, uid: int, account: str) -> dict[str, Any]:
        admin = self.wire(self.own_daemon.admin_socket)
        return admin.call(f"{ADMIN}.DeregisterAccount", account=account, app=APP, uid=uid, reason="left the project")

    def reason(self, link: Link) -> str:
        return self.decide(link, "Print", "docs")["reason"]

    def test_a_user_sees_his_own_accounts_and_nobody_elses(self) -> None:
        alice, bob = self.registered(ALICE, WORK), self.registered(BOB, SECOND)
        for link, account in ((alice, WORK), (bob, SECOND)):
            for told in (link, link.person.link(self.own_daemon.guard_socket)):
                [own] = self.answered(told.call(f"{GUARD}.OwnPrograms"))["accounts"]
                self.assertEqual((own["app"], own["account"], own["state"]), (APP, account, "enrolled"))
                self.assertEqual(own["sources"], ["app"])
        stranger = self.person(MALLORY).link(self.own_daemon.guard_socket)
        self.assertEqual(self.answered(stranger.call(f"{GUARD}.OwnPrograms"))["accounts"], [])
        # The administrators' calls are not there for users, whatever they say.
        for method in ("Accounts", "DeregisterAccount"):
            reply = alice.call(f"{ADMIN}.{method}", account=SECOND, app=APP, uid=BOB, reason="x")
            self.assertEqual(reply["error"], "org.varlink.service.InterfaceNotFound")
        with self.assertRaises(Failure):
            alice.person.link(self.own_daemon.admin_socket).call(f"{ADMIN}.Accounts")
        self.assertEqual(self.listed(), [(ALICE, WORK, "enrolled"), (BOB, SECOND, "enrolled")])

    def test_an_administrators_end_is_of_one_user_and_survives_the_daemon(self) -> None:
        alice, bob = self.registered(ALICE, WORK), self.registered(BOB, WORK)
        self.assertEqual((self.reason(alice), self.reason(bob)), ("printAllowed", "printAllowed"))
        self.assertEqual(self.answered(self.end(ALICE, WORK.upper()))["state"], "suspended")
        self.assertEqual((self.reason(alice), self.reason(bob)), ("policyRequired", "printAllowed"))
        self.own_daemon.stop()
        self.own_daemon.start()
        self.assertEqual(self.listed(account=WORK), [(ALICE, WORK, "suspended"), (BOB, WORK, "enrolled")])
        # The word of the session's sign-in service does not bring it back; the app's own does.
        alice = self.person(ALICE).link(self.own_daemon.guard_socket)
        self.answered(alice.call(f"{GUARD}.Attach"))
        self.answered(alice.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[{"upn": WORK}]))
        self.assertEqual(self.listed(uid=ALICE), [(ALICE, WORK, "suspended")])
        self.answered(alice.call(f"{ACCOUNTS}.Register", account=WORK))
        self.assertEqual(self.listed(uid=ALICE), [(ALICE, WORK, "enrolled")])

    def test_who_asked_is_on_record_and_no_name_is_told(self) -> None:
        self.registered(ALICE, WORK)
        self.listed()
        self.answered(self.end(ALICE, WORK))
        refusals = [self.end(ALICE, WORK), self.end(ALICE, "wrok@contoso.com"), self.end(ALICE, PERSONAL)]
        whys = [refusal["parameters"]["why"] for refusal in refusals]
        self.assertEqual(whys, ["ended", "unknownAccount", "unmanaged"])
        self.own_daemon.stop()
        records = [record for record in self.own_daemon.records("account") if "user" in record]
        [question, order] = records
        self.assertEqual((question["act"], question["uid"], question["user"]), ("listed", 0, "root"))
        self.assertEqual((order["act"], order["person"], order["app"]), ("deregistered", ALICE, APP))
        self.assertEqual((order["uid"], order["user"], order["reason"]), (0, "root", "left the project"))
        for text in (self.own_daemon.said.read_text(), json.dumps(self.own_daemon.records("account"))):
            for name in (WORK, "wrok", PERSONAL):
                self.assertNotIn(name, text)

    def test_the_log_judged_again_has_the_same_answers(self) -> None:
        alice, bob = self.registered(ALICE, WORK), self.registered(BOB, SECOND)
        asked = [self.reason(alice), self.reason(bob)]
        self.answered(self.end(ALICE, WORK))
        self.answered(bob.call(f"{ACCOUNTS}.Deregister", account=SECOND))
        asked += [self.reason(alice), self.reason(bob)]
        self.answered(bob.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[{"upn": SECOND}]))
        self.answered(alice.call(f"{ACCOUNTS}.Register", account=WORK))
        asked += [self.reason(alice), self.reason(bob)]
        held = ["printAllowed"] * 2 + ["policyRequired"] * 2 + ["printAllowed", "policyRequired"]
        self.assertEqual(asked, held)
        self.own_daemon.stop()
        log = log_bytes(self.own_daemon.logs)
        self.assertEqual([a["decision"]["reason"] for a in self.judged(log) if "decision" in a], held)
        # Without the records of the beginning nobody knows that the accounts were enrolled.
        later = b"".join(line for line in log.splitlines(keepends=True) if b'"type":"account"' not in line)
        self.assertEqual([a["decision"]["reason"] for a in self.judged(later) if "decision" in a], ["policyRequired"] * 3)

    def judged(self, log: bytes) -> list[dict[str, Any]]:
        """What `decide` says of each record."""
        command = [
            str(PROGRAM), "decide", "--config", str(self.own_daemon.config),
            "--key", str(self.own_daemon.logs / "pseudonym.key"), "-",
        ]  # fmt: skip
        done = subprocess.run(command, input=log, capture_output=True, timeout=60, check=False)
        self.assertEqual(done.stderr, b"")
        return [json.loads(line) for line in done.stdout.splitlines()]
