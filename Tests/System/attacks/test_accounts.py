"""The life of accounts under attack: other people's accounts, invented ones, words of sources, kills and long times."""

import shutil
import time
from pathlib import Path
from typing import Any

from attack_case import ALICE, APP, BOB, AttackCase
from configuration import ORGANISATION, WORK, Configuration
from log_files import log_bytes
from long_attack import LongAttack
from person import Link
from program import Program
from wire import ACCOUNTS, GUARD

NOTES = "com.contoso.notes"
SECOND = "second@contoso.com"
PEERS = f"[{{ uid: $uid }}, {{ uid: {ALICE} }}, {{ uid: {BOB} }}]"
HOUR, DAY = 3600, 86_400


def portal(source: str, more: str = "managedAccounts: several") -> str:
    """Two apps of the same people; the portal asks these sources."""
    return f"""\
apps:
  {APP}:
    peers: {PEERS}
    identityMode: multi
    accounts: {{ source: [{source}] }}
    {more}
    classes: {{ documents: {{ policy: currentIdentity }} }}
  {NOTES}:
    peers: {PEERS}
    identityMode: multi
    accounts: {{ source: [app] }}
"""


# Anybody of the domain is the organisation's.
PATTERN = ORGANISATION.replace("  contoso-standard:\n", '  contoso-standard:\n    accounts: ["*@contoso.com"]\n')


class AccountsCase(AttackCase):
    configuration = Configuration(portal("app, broker"), organisation=PATTERN)

    def app(self, uid: int, app: str = APP) -> Link:
        link = self.link(uid)
        self.answered(link.call(f"{GUARD}.Attach", app=app))
        self.answered(link.call(f"{GUARD}.RegisterViewer", viewer="docs"))
        return link

    def ask(self, link: Link, method: str, **parameters: Any) -> dict[str, Any]:
        return self.answered(link.call(f"{ACCOUNTS}.{method}", **parameters))

    def result(self, link: Link, method: str, account: str) -> tuple[str, str]:
        answer = self.ask(link, method, account=account)
        return answer["state"], answer["result"]

    def states(self, link: Link) -> dict[str, str]:
        return {account["account"]: account["state"] for account in self.ask(link, "List")["accounts"]}

    def printed(self, link: Link, account: str) -> tuple[str, str]:
        """The answer to printing while the account is shown, whether the daemon took it or not."""
        link.call(f"{GUARD}.SetIdentity", level="process", account=account)
        decision = self.answered(link.call(f"{GUARD}.Print", event={"viewer": "docs"}))["decision"]
        return decision["outcome"], decision["reason"]


class OtherPeoplesAccounts(AccountsCase):
    def test_accounts_of_another_user_are_neither_seen_nor_ended(self) -> None:
        alice, bob = self.app(ALICE), self.app(BOB)
        self.assertEqual(self.result(alice, "Register", WORK), ("enrolled", "newPolicies"))
        self.assertEqual(self.states(bob), {})
        self.assertEqual(self.result(bob, "Deregister", WORK), ("policyRequired", "notEnrolled"))
        self.assertEqual(self.printed(bob, WORK), ("block", "policyRequired"))
        self.assertEqual(self.states(alice), {WORK: "enrolled"})
        self.assertEqual(self.printed(alice, WORK)[0], "allow")
        self.assertEqual(self.result(bob, "Register", WORK), ("enrolled", "newPolicies"))
        self.assertEqual(self.result(alice, "Deregister", WORK), ("suspended", "unenrolled"))
        self.assertEqual(self.states(bob), {WORK: "enrolled"})
        self.assertEqual(self.states(alice), {WORK: "suspended"})
        self.assertIsNone(self.ask(bob, "DeviceAccount").get("account"))

    def test_two_apps_of_one_user_have_their_own_accounts(self) -> None:
        bob, notes = self.app(BOB), self.app(BOB, NOTES)
        self.assertEqual(self.result(notes, "Register", SECOND), ("enrolled", "newPolicies"))
        self.assertNotIn(SECOND, self.states(bob))
        self.assertEqual(self.printed(bob, SECOND), ("block", "policyRequired"))
        self.assertEqual(self.printed(notes, SECOND)[0], "allow")
        self.assertEqual(self.result(bob, "Deregister", SECOND), ("policyRequired", "notEnrolled"))
        self.assertEqual(self.states(notes), {SECOND: "enrolled"})

    def test_without_an_attach_there_is_nothing_to_ask(self) -> None:
        for method, parameters in (("Register", {"account": WORK}), ("Deregister", {"account": WORK}), ("List", {}),
                                   ("MaySignIn", {"account": WORK}), ("AllowedAccounts", {})):  # fmt: skip
            self.refused(self.link(ALICE).call(f"{ACCOUNTS}.{method}", **parameters), "NotAttached")

    def test_the_admin_socket_does_not_serve_it(self) -> None:
        admin = self.wire(self.daemon.admin_socket)
        reply = admin.call(f"{ACCOUNTS}.List")
        self.assertEqual(reply.get("error"), "org.varlink.service.InterfaceNotFound")


class Words(AccountsCase):
    """What the sign-in service of a session says, and what a program says in its name."""

    def say(self, link: Link, *accounts: dict[str, str], source: str = "broker") -> dict[str, Any]:
        return link.call(f"{ACCOUNTS}.SignedIn", source=source, accounts=list(accounts))

    def test_a_program_is_none_of_the_other_sources(self) -> None:
        app = self.app(ALICE)
        for source in ("user", "app", "portal", "", "Broker"):
            reply = self.say(app, {"upn": WORK}, source=source)
            self.assertEqual(reply.get("error"), "org.varlink.service.InvalidParameter", source)
        self.assertEqual(self.states(app), {})

    def test_the_word_of_one_user_says_nothing_of_another(self) -> None:
        alice, bob = self.app(ALICE), self.app(BOB)
        self.answered(self.say(self.link(BOB), {"upn": SECOND}))
        self.addCleanup(lambda: self.say(self.link(BOB)))
        self.assertNotIn(SECOND, self.states(alice))
        self.assertEqual(self.states(bob).get(SECOND), "enrolled")
        self.assertEqual(self.ask(self.link(BOB), "DeviceAccount"), {"account": SECOND})
        self.assertEqual(self.ask(self.link(ALICE), "DeviceAccount"), {})

    def test_a_word_with_thousands_of_accounts_is_refused(self) -> None:
        bob = self.app(BOB)
        self.answered(self.say(bob, {"upn": SECOND}))
        for accounts, limit in (
            ([{"upn": f"u{number}@contoso.com"} for number in range(10_000)], "accounts"),
            ([{"upn": f"u{number}@contoso.com"} for number in range(65)], "accounts"),
            ([{"upn": "x" * 300 + "@contoso.com"}], "nameBytes"), ([{"objectId": "y" * 257}], "nameBytes"),
        ):  # fmt: skip
            self.assertEqual(self.refused(self.say(bob, *accounts), "LimitReached")["limit"], limit)
        for malformed in ([{}], [{"upn": ""}], ["a"], [{"upn": 1}], "a"):
            reply = bob.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=malformed)
            self.assertEqual(reply.get("error"), "org.varlink.service.InvalidParameter", malformed)
        self.assertEqual(self.ask(bob, "DeviceAccount"), {"account": SECOND}, "the earlier word stays")
        self.answered(self.say(bob))

    def test_odd_names_are_names_and_nothing_more(self) -> None:
        """Control characters, quotes, half a pattern: they end no record and stand for nobody else."""
        odd = ['a\u0000b@contoso.com', "\n@contoso.com", '"},{@contoso.com', "*@contoso.com", "\u202e@contoso.com", "%s@contoso.com"]
        bob = self.app(BOB)
        self.answered(self.say(bob, *({"upn": name} for name in odd)))
        states = self.states(bob)
        for name in odd:
            self.assertIn(states.get(name), ("enrolled", "registered"), repr(name))
        self.assertEqual(self.printed(bob, "other@contoso.com"), ("block", "policyRequired"))
        self.answered(self.say(bob))
        for name in odd:
            self.assertNotIn("enrolled", (self.states(bob).get(name),))
            self.assertNotIn(name, log_bytes(self.daemon.logs).decode())
        self.assertEqual(self.daemon.verify_log().returncode, 0)


class NotAllowed(AccountsCase):
    configuration = Configuration(
        portal("app, broker", f"allowedAccounts: [{WORK}]\n    managedAccounts: several"),
        organisation=PATTERN.replace(f"{{ upn: {WORK},", f"{{ upn: {WORK}, state: blocked,"))

    def test_no_word_lifts_a_block(self) -> None:
        alice = self.app(ALICE)
        self.assertEqual(self.result(alice, "Register", WORK), ("blocked", "blocked"))
        self.answered(alice.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[{"upn": WORK}]))
        self.assertEqual(self.printed(alice, WORK), ("block", "accountBlocked"))
        self.assertEqual(self.states(alice)[WORK], "blocked")

    def test_an_account_that_is_not_allowed_is_refused_and_recorded(self) -> None:
        """AA-LIST: in any case of letters it is the account of the list; another one is refused and logged."""
        alice = self.app(ALICE)
        listed = self.ask(alice, "MaySignIn", account="WORK@contoso.com")
        self.assertEqual(listed["reason"], "accountBlocked", "it is of the list, and blocked for another reason")
        other = self.ask(alice, "MaySignIn", account="me@example.org")
        self.assertEqual((other["allowed"], other["state"], other["reason"]), (False, "notAllowed", "accountNotAllowed"))
        self.assertIn(APP, other["text"])
        self.assertEqual(self.ask(alice, "AllowedAccounts"), {"accounts": [WORK], "mustSignOut": []})
        self.assertEqual(self.result(alice, "Register", SECOND), ("notAllowed", "blocked"))
        self.assertEqual(self.printed(alice, SECOND), ("block", "accountNotAllowed"))
        records = [record for record in self.daemon.records("account") if record["act"] == "signInRefused"]
        self.assertEqual([(record["app"], record["state"], record["person"]) for record in records],
                         [(APP, "notAllowed", ALICE)])  # fmt: skip
        self.assertNotIn("me@example.org", log_bytes(self.daemon.logs).decode())


class Floods(AccountsCase):
    configuration = Configuration(
        portal("app"), organisation=PATTERN,
        settings="graceSeconds: 1\nlog: { rotateMegabytes: 1, maximumMegabytes: 4 }\n")

    def test_a_flood_of_registrations_fills_its_own_share(self) -> None:
        """A user may fill a quarter of four megabytes. Accounts that it invents are bounded, and others go on."""
        bob, alice = self.app(BOB), self.app(ALICE)
        answers = [bob.call(f"{ACCOUNTS}.Register", account=f"u{number}@contoso.com") for number in range(300)]
        self.assertEqual(sum("error" not in answer for answer in answers), 64)
        self.assertEqual(self.refused(answers[-1], "LimitReached")["limit"], "accounts")
        for _ in range(5000):
            self.assertEqual(self.result(bob, "Register", "u1@contoso.com"), ("enrolled", "alreadyEnrolled"))
        self.assertEqual(self.result(alice, "Register", WORK), ("enrolled", "newPolicies"))
        records = self.daemon.records("account")
        size = sum(len(str(record)) for record in records if record["person"] == BOB)
        self.assertLess(size, 1_300_000)
        self.assertLess(len([record for record in records if record["person"] == BOB]), 5000)
        self.assertEqual([record["act"] for record in records if record["person"] == ALICE], ["registered", "enrolled"])
        self.assertEqual(len(self.states(bob)), 64)

    def test_thousands_of_invented_names_are_bounded(self) -> None:
        """Names that only a program said: no call keeps more than its share, in memory, on disk or in the list."""
        bob, alice = self.app(BOB), self.app(ALICE)
        status = Path(f"/proc/{self.daemon.pid}/status")
        resident = lambda: int(status.read_text().split("VmRSS:")[1].split()[0])  # noqa: E731
        before, codes = 0, set()
        for number in range(12_000):
            if number == 4_000:
                before = resident()
            method = ("Register", "MaySignIn", "Deregister")[number % 3]
            answer = bob.call(f"{ACCOUNTS}.{method}", account=f"n{number}-{'x' * 200}@contoso.com")
            codes.add(answer.get("error", "none").rpartition(".")[2])
        self.assertLessEqual(codes, {"none", "LimitReached"})
        self.assertIn("LimitReached", codes)
        self.assertLess(resident() - before, 8_192, "8,000 more names take no room")
        self.assertLessEqual(len(self.states(bob)), 64)
        state = self.daemon.directory / "state/state.db"
        self.assertLess(sum(file.stat().st_size for file in state.parent.glob("state.db*")), 8_000_000)
        self.assertEqual(self.printed(alice, WORK)[1] == "policyRequired", WORK not in self.states(alice))
        self.assertIn(self.result(alice, "Register", WORK)[0], ("enrolled",))


class LongLife(LongAttack):
    """Enrolment over hours, kills and restarts of daemon and machine."""

    configuration = Configuration(portal("app, broker"), organisation=PATTERN)

    def call(self, program: Program, method: str, **parameters: Any) -> dict[str, Any]:
        return self.answered(program.link.call(f"{ACCOUNTS}.{method}", **parameters))

    def listed(self, program: Program) -> dict[str, dict[str, Any]]:
        return {account["account"]: account for account in self.call(program, "List")["accounts"]}

    def acts(self) -> list[str]:
        return [f"{record['act']} {record.get('result', '')}".strip() for record in self.daemon.records("account")]

    def printed(self, program: Program, account: str) -> tuple[str, str]:
        program.link.call(f"{GUARD}.SetIdentity", level="process", account=account)
        return program.outcome("Print", "docs")

    def test_nothing_is_lost_and_nothing_trusted_more(self) -> None:
        """An enrolled, an ended and an unregistered account, over hours, kills, restarts and a boot."""
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        self.call(alice, "Register", account=WORK)
        self.call(alice, "Register", account=SECOND)
        self.call(alice, "Deregister", account=SECOND)
        enrolled = self.listed(alice)[WORK]["enrolled"]

        def stands() -> None:
            listed = self.listed(alice)
            self.assertEqual({name: account["state"] for name, account in listed.items()},
                             {WORK: "enrolled", SECOND: "suspended"})  # fmt: skip
            self.assertEqual(listed[WORK]["enrolled"], enrolled)
            self.assertEqual(self.printed(alice, SECOND), ("block", "policyRequired"))
            self.assertEqual(self.printed(alice, "third@contoso.com"), ("block", "policyRequired"))
            self.assertEqual(self.printed(alice, WORK)[0], "allow")

        self.holds(stands, times=1)
        self.restart(machine=True)
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        stands()

    def test_every_answer_survives_a_kill(self) -> None:
        """The daemon is killed the moment its answer is there, twenty times: the next one knows it."""
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        for number in range(20):
            method, state = ("Register", "enrolled") if number % 2 == 0 else ("Deregister", "suspended")
            self.assertEqual(self.call(alice, method, account=WORK)["state"], state)
            self.restart(killed=True)
            self.assertEqual(self.listed(alice)[WORK]["state"], state, number)

    def test_attempts_check_ins_and_their_times(self) -> None:
        """EN-RETRY-STOP, EN-RETRY-RESUME, EN-CHECKIN: through the socket, with a clock that runs ahead."""
        self.reload(Configuration(portal("broker", "managedAccounts: one"), organisation=PATTERN))
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        for account in (WORK, SECOND):
            self.assertEqual(self.call(alice, "Register", account=account)["result"], "notSignedIn")
        first = self.listed(alice)[WORK]["retry"]
        self.wait(DAY + 60)
        self.assertGreaterEqual(self.listed(alice)[WORK]["retry"], first + DAY * 1000)
        self.call(alice, "SignedIn", source="broker", accounts=[{"upn": WORK}, {"upn": SECOND}])
        self.assertEqual({name: account["state"] for name, account in self.listed(alice).items()},
                         {WORK: "enrolled", SECOND: "registered"})  # fmt: skip
        before = len(self.acts())
        self.wait(48 * HOUR)
        self.assertEqual(self.acts()[before:], ["checkedIn unchanged"])
        self.assertNotIn("retry", self.listed(alice)[SECOND])
        self.call(alice, "Deregister", account=WORK)
        self.wait(DAY + 60)
        self.assertIn("enrolled newPolicies", self.acts()[before:])
        self.assertEqual(self.listed(alice)[SECOND]["state"], "enrolled")
        before = len(self.acts())
        for _ in range(3):
            self.wait(8 * HOUR + 60)
        self.assertEqual(self.acts()[before:], ["checkedIn unchanged"] * 3)

    def test_a_silent_source_and_a_long_rest(self) -> None:
        """After a week nothing is known; after ninety days the registration is forgotten; no data is."""
        self.reload(Configuration(portal("broker"), organisation=PATTERN))
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        self.call(alice, "SignedIn", source="broker", accounts=[{"upn": WORK}])
        self.assertEqual(self.printed(alice, WORK)[0], "allow")
        alice.copy("docs")
        self.wait(7 * DAY + 60)
        self.assertEqual(self.printed(alice, WORK), ("block", "notChecked"))
        self.restart(killed=True)
        self.assertEqual(self.printed(alice, WORK), ("block", "notChecked"))
        self.wait(84 * DAY)
        self.assertNotIn(WORK, self.listed(alice))
        self.assertIn("forgotten notEnrolled", self.acts())
        other = self.program(ALICE, app=NOTES)
        other.register("home")
        self.assertEqual(other.paste("home")[0], "block", "the clip is the organisation's")
        self.call(alice, "SignedIn", source="broker", accounts=[{"upn": WORK}])
        self.assertEqual(self.printed(alice, WORK)[0], "allow")

    def test_a_lost_state_trusts_nobody(self) -> None:
        """The state file is gone, or another day's: accounts register again, and until then nothing passes."""
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        self.call(alice, "Register", account=WORK)
        self.daemon.stop()
        shutil.rmtree(self.daemon.directory / "state")
        self.daemon.start()
        alice.reconnect()
        self.assertEqual(self.listed(alice), {})
        self.assertEqual(self.printed(alice, WORK), ("block", "policyRequired"))
        self.assertEqual(self.call(alice, "Register", account=WORK)["state"], "enrolled")

    def test_another_list_is_told(self) -> None:
        """AA-03: the topic `allowedAccounts` has the new list, and none when the app takes all again."""
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        self.call(alice, "Register", account=WORK)
        alice.show(WORK)
        news = alice.second().link
        news.send(
            '{"method":"org.webviewguard.Guard.Subscribe","parameters":{"topics":["allowedAccounts"]},"more":true}\u0000')
        time.sleep(0.5)
        for listed, accounts in ((f"allowedAccounts: [{SECOND}]", [SECOND]), ("", None)):
            self.reload(Configuration(portal("app, broker", listed), organisation=PATTERN))
            told = self.answered(news.reply())
            self.assertEqual((told["topic"], told.get("accounts")), ("allowedAccounts", accounts))
            must = self.call(alice, "AllowedAccounts")["mustSignOut"]
            self.assertEqual(must, [WORK] if listed else [])

    def test_private_accounts_are_on_no_disk(self) -> None:
        """The sign-in service names the person's own accounts as well."""
        alice = self.program(ALICE, app=APP, viewers={"docs": "documents"})
        accounts = [{"upn": WORK}, {"upn": "ada@private.example", "objectId": "0c0ffee0-private"}]
        self.call(alice, "SignedIn", source="broker", accounts=accounts[:1] + [{"upn": "ada@private.example"}])
        self.wait(60)
        self.daemon.stop()
        for file in self.daemon.directory.rglob("*"):
            if file.is_file():
                self.assertNotIn(b"private.example", file.read_bytes(), file)
        self.daemon.start()


class News(AccountsCase):
    """ST-01, ST-02: the results come by the topic `enrollment`, to the app and person concerned alone."""

    def test_news_of_enrolment_stay_with_their_person(self) -> None:
        hears = {}
        for uid in (ALICE, BOB):
            link = self.link(uid)
            token = self.answered(link.call(f"{GUARD}.Attach", app=APP))["instance"]
            news = link.person.link(self.daemon.guard_socket)
            self.answered(news.call(f"{GUARD}.Attach", app=APP, instance=token))
            hears[uid] = (link, news)
        alice, news = hears[ALICE]
        self.subscribe(news)
        self.subscribe(hears[BOB][1])
        self.ask(alice, "Register", account=WORK)
        told = self.answered(news.reply())
        self.assertEqual((told["topic"], told["account"], told["life"], told["result"]),
                         ("enrollment", WORK, "enrolled", "newPolicies"))  # fmt: skip
        self.ask(alice, "Deregister", account=WORK)
        told = self.answered(news.reply())
        self.assertEqual((told["life"], told["result"]), ("suspended", "unenrolled"))
        # Bob hears nothing of it: the next that he hears is his own.
        self.ask(hears[BOB][0], "Register", account=SECOND)
        self.assertEqual(self.answered(hears[BOB][1].reply())["account"], SECOND)

    def test_an_account_that_a_source_enrolled_is_told_of(self) -> None:
        """IS-12, EN-09: nobody calls `Register`; the app hears of the account, and may show it at once."""
        app = self.link(ALICE)
        token = self.answered(app.call(f"{GUARD}.Attach", app=APP))["instance"]
        news = app.person.link(self.daemon.guard_socket)
        self.answered(news.call(f"{GUARD}.Attach", app=APP, instance=token))
        self.answered(app.call(f"{GUARD}.RegisterViewer", viewer="docs"))
        self.answered(self.link(ALICE).call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[]))
        self.assertEqual(self.printed(app, "third@contoso.com"), ("block", "policyRequired"))
        self.subscribe(news)
        self.answered(
            self.link(ALICE).call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[{"upn": "third@contoso.com"}]))
        told = self.answered(news.reply())
        self.assertEqual((told["topic"], told["account"], told["life"], told["result"]),
                         ("enrollment", "third@contoso.com", "enrolled", "newPolicies"))  # fmt: skip
        self.assertEqual(self.printed(app, "third@contoso.com")[0], "allow")
        self.answered(self.link(ALICE).call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[]))

    def subscribe(self, link: Link) -> None:
        link.send(
            '{"method":"org.webviewguard.Guard.Subscribe","parameters":{"topics":["enrollment"]},"more":true}\u0000')
        # A subscription has no first answer for this topic.
        time.sleep(0.5)

