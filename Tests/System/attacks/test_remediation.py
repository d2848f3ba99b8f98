"""`Remediate`, misused: by floods, for accounts of others, for those that are locked, and over ends of apps and daemons."""

import json
import queue
import signal
from typing import Any

from attack_case import ALICE, APP, BOB
from configuration import ORGANISATION, WORK, Configuration
from daemon import eventually
from test_unlock import LOCKED_PRINT, UnlockCase
from wire import ACCOUNTS, ADMIN, GUARD

NOTES = "com.contoso.notes"
OTHER = "second@contoso.com"
POLICY = "apps:\n" + "".join(
    f"""\
  {app}:
    peers: [{{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    identityMode: multi
    managedAccounts: several
    accounts: {{ source: [app] }}
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""
    for app in (APP, NOTES)
)
WIPE = "wipe: { mode: on, causes: [admin, deregister] }\n"


class Asker:
    """A program of a person that wants accounts to be looked at, and its subscription."""

    def __init__(self, case: "Remediation", uid: int, app: str = APP, token: str | None = None) -> None:
        self.case = case
        self.person = case.person(uid)
        self.link = self.person.link(case.daemon.guard_socket)
        attach = {"app": app} if token is None else {"app": app, "instance": token}
        self.token = case.answered(self.link.call(f"{GUARD}.Attach", **attach))["instance"]
        self.app = app
        case.answered(self.link.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"}))

    def listen(self) -> None:
        self.listening = self.person.link(self.case.daemon.guard_socket)
        self.case.answered(self.listening.call(f"{GUARD}.Attach", app=self.app, instance=self.token))
        subscribe = {"method": f"{GUARD}.Subscribe", "parameters": {"topics": ["compliance"]}, "more": True}
        self.listening.send(json.dumps(subscribe) + "\0")

    def look(self, account: str = WORK, **more: Any) -> str | None:
        reply = self.link.call(f"{ACCOUNTS}.Remediate", account=account, **more)
        request: str | None = self.case.answered(reply).get("request")
        return request

    def told(self) -> tuple[str, str]:
        """The next news: the request and the status."""
        news = self.case.answered(self.listening.reply())
        self.case.assertEqual(news["topic"], "compliance")
        self.case.assertTrue(news["title"] and news["text"], news)
        return news["request"], news["status"]

    def state(self, account: str = WORK) -> str | None:
        listed = self.case.answered(self.link.call(f"{ACCOUNTS}.List"))["accounts"]
        return next((each["state"] for each in listed if each["account"] == account), None)

    def printed(self, account: str = WORK) -> tuple[str, str]:
        self.case.answered(self.link.call(f"{GUARD}.SetIdentity", level="process", account=account))
        decision = self.case.decide(self.link, "Print", "docs")
        return decision["outcome"], decision["reason"]


class Remediation(UnlockCase):
    def setUp(self) -> None:
        super().setUp()
        self.order("say", "challenge", "dismissed")

    def begin_daemon(self, configuration: Configuration) -> None:
        more = '    accounts: ["*@contoso.com"]\n    printing: allow\n    unlock: polkit\n    webTransfer:'
        organisation = ORGANISATION.replace("    webTransfer:", more)
        super().begin_daemon(Configuration(POLICY + WIPE, organisation=organisation))

    def asker(self, uid: int = ALICE, app: str = APP, token: str | None = None) -> Asker:
        asker = Asker(self, uid, app, token)
        asker.listen()
        return asker

    def test_the_word_of_polkit_alone_makes_an_account_compliant(self) -> None:
        asker = self.asker()
        request = asker.look(silent=True)
        self.assertEqual(asker.told(), (request, "interactionRequired"))
        self.assertEqual(asker.printed(), LOCKED_PRINT)
        asker.look()
        self.assertEqual(asker.told()[1], "userCancelled")
        self.assertEqual(asker.state(), "locked")
        self.order("say", "challenge", "yes")
        request = asker.look()
        self.assertEqual(asker.told(), (request, "compliant"))
        self.assertEqual(asker.printed(), ("allow", "printAllowed"))
        records = [record for record in self.daemon.records("account") if record["act"].startswith("remediat")]
        self.assertEqual([record["act"] for record in records], ["remediating", "remediated"] * 3)
        self.assertEqual({record["pid"] for record in records[::2]}, {asker.person.who()[3]})

    def test_a_flood_asks_the_person_once_and_is_told_once(self) -> None:
        self.order("say", "challenge", "hang")
        asker = self.asker()
        requests = {asker.look() for _ in range(500)}
        self.assertEqual(len(requests), 1)
        self.question(), self.question()
        with self.assertRaises(queue.Empty):
            self.question(seconds=1)
        self.order("answer", "dismissed")
        self.assertEqual(asker.told(), (requests.pop(), "userCancelled"))
        self.assertEqual([record["note"] for record in self.records("remediated")], ["repeated 499"])

    def test_names_without_end_are_refused(self) -> None:
        self.order("say", "challenge", "hang")
        asker = self.asker()
        asker.look()
        replies = [asker.link.call(f"{ACCOUNTS}.Remediate", account=f"n{number}@contoso.com") for number in range(200)]
        refused = [reply for reply in replies if "error" in reply]
        self.assertGreaterEqual(len(refused), 200 - 64)
        self.assertTrue(all(reply["error"] == f"{GUARD}.LimitReached" for reply in refused), refused[:1])
        # Others are served meanwhile.
        bob = self.asker(BOB)
        bob.look(silent=True)
        self.assertEqual(bob.told()[1], "interactionRequired")

    def test_one_person_is_told_nothing_of_another(self) -> None:
        alice, bob = self.asker(ALICE), self.asker(BOB)
        self.order("say", "challenge", "yes")
        alice.look()
        self.assertEqual(alice.told()[1], "compliant")
        # When Bob shows his account, he is asked as well: a yes would unlock it before he prints.
        self.order("say", "challenge", "dismissed")
        # The first news that Bob hears are his own.
        request = bob.look(silent=True)
        self.assertEqual(bob.told(), (request, "interactionRequired"))
        self.assertEqual(bob.printed(), LOCKED_PRINT)

    def test_another_app_of_the_person_hears_nothing(self) -> None:
        asker, other = self.asker(), self.asker(app=NOTES)
        asker.look(silent=True)
        self.assertEqual(asker.told()[1], "interactionRequired")
        self.assertIsNone(other.state())
        request = other.look(silent=True)
        self.assertEqual(other.told(), (request, "interactionRequired"))

    def test_a_wrong_account_begins_nothing(self) -> None:
        asker = self.asker()
        for account in ("ghost", "", "x" * 100_000, "a@contoso.com\0"):
            reply = asker.link.call(f"{ACCOUNTS}.Remediate", account=account)
            self.assertNotIn("request", reply.get("parameters", {}), account[:20])
        self.assertIsNone(asker.look("me@example.org"))
        stranger = self.person(ALICE).link(self.daemon.guard_socket)
        self.assertEqual(stranger.call(f"{ACCOUNTS}.Remediate", account=WORK)["error"], f"{GUARD}.NotAttached")
        self.assertEqual(self.records("remediating"), [])

    def test_what_has_ended_or_is_wiped_is_not_brought_back(self) -> None:
        self.order("say", "challenge", "yes")
        asker = self.asker()
        for account in (WORK, OTHER):
            self.answered(asker.link.call(f"{ACCOUNTS}.Register", account=account))
        self.answered(asker.link.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.answered(asker.link.call(f"{ACCOUNTS}.Deregister", account=OTHER, data="remove"))
        before = [asker.state(account) for account in (WORK, OTHER)]
        for account in (WORK, OTHER):
            request = asker.look(account)
            self.assertEqual(asker.told(), (request, "notCompliant"))
            self.assertEqual(asker.printed(account)[0], "block")
        self.assertEqual([asker.state(account) for account in (WORK, OTHER)], before)
        self.assertTrue(self.asked.empty(), "nobody is asked to unlock what may not work anyway")

    def test_a_kill_in_the_middle_loses_no_look_and_trusts_no_answer(self) -> None:
        self.order("say", "challenge", "hang")
        asker = self.asker()
        request = asker.look()
        self.question(), self.question()
        self.daemon.stop(signal.SIGKILL)
        self.order("answer", "yes")
        self.order("say", "challenge", "dismissed")
        self.daemon.start()
        again = self.asker(token=asker.token)
        self.assertEqual(again.told(), (request, "userCancelled"))
        self.assertEqual(again.state(), "locked")

    def test_an_app_that_ends_is_told_when_it_comes_back(self) -> None:
        self.order("say", "challenge", "hang")
        asker = self.asker()
        request = asker.look()
        self.question(), self.question()
        asker.person.end()
        self.order("answer", "dismissed")
        eventually(lambda: self.records("unlockFailed"), "the question ends")
        again = self.asker()
        self.assertEqual(again.told(), (request, "userCancelled"))

    def test_a_reload_in_the_middle_goes_by_the_policy_in_force(self) -> None:
        self.order("say", "challenge", "hang")
        asker = self.asker()
        request = asker.look()
        self.question(), self.question()
        files = [file for file in self.daemon.config.rglob("*.yaml") if f"upn: {WORK}" in file.read_text()]
        self.assertEqual(len(files), 1)
        files[0].write_text(files[0].read_text().replace(f"upn: {WORK}", f"state: blocked, upn: {WORK}"))
        self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Reload"))
        self.order("answer", "yes")
        self.assertEqual(asker.told(), (request, "notCompliant"))
        self.assertEqual(asker.printed()[0], "block")
