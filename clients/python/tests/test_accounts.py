"""The life of accounts: the shared vectors, and the real daemon."""

import asyncio
import json
import re
import unittest
from dataclasses import asdict, is_dataclass
from typing import Any, get_args

from case import FakeCase
from fake import Peer
from real import PERSONAL, WORK, RealCase
from talk import Talk
from test_listening import until
from vectors import VECTORS, cases
from webviewguard import (
    Accounts,
    GuardError,
    NewsItem,
    _words,
    account_key,
    compliance_number,
    enrollment_number,
    may_work,
    same_account,
)
from webviewguard._accounts import AccountCall
from webviewguard._event import camel
from webviewguard._results import is_success, must_remove
from webviewguard.asyncio import AsyncGuard

CALLS = {
    "Register": lambda accounts, said: accounts.register(said.get("account")),
    "Deregister": lambda accounts, said: accounts.deregister(said["account"], said.get("data")),
    "List": lambda accounts, said: accounts.list(),
    "DeviceAccount": lambda accounts, said: accounts.device_account(),
    "MaySignIn": lambda accounts, said: accounts.may_sign_in(said["account"]),
    "AllowedAccounts": lambda accounts, said: accounts.allowed(),
    "Remediate": lambda accounts, said: accounts.remediate(said["account"], silent=said.get("silent", False)),
    "Complete": lambda accounts, said: accounts.complete(said["request"], said["result"]),
}
PROPERTIES = ("number", "is_success", "must_remove", "may_work", "must_encrypt")


class AccountVectors(unittest.TestCase):
    def test_calls_and_their_replies(self) -> None:
        for case in cases("accounts"):
            with self.subTest(case["name"]):
                talk = Talk()
                talk.attach()
                sent: list[dict[str, Any]] = []

                def ask(call: AccountCall[Any], case: Any = case, talk: Talk = talk, sent: Any = sent) -> Any:
                    ticket = talk.asker.account(call)
                    sent += talk.frames()
                    talk.say(json.dumps(case["reply"]) + "\0")
                    return ticket.result()

                if "fails" in case:
                    with self.assertRaises(GuardError) as raised:
                        CALLS[case["call"]](Accounts(ask), case["arguments"])
                    self.assertEqual((raised.exception.name, raised.exception.method), (case["fails"], case["call"]))
                else:
                    found = view(CALLS[case["call"]](Accounts(ask), case["arguments"]))
                    self.assertEqual(chosen(found, case["means"]), case["means"])
                method = f"org.webviewguard.Accounts.{case['call']}"
                self.assertEqual(sent, [{"method": method, "parameters": case["sent"]}])
                self.assertFalse(talk.session.is_down, "the connection goes on")

    def test_ids(self) -> None:
        for case in cases("ids"):
            with self.subTest(case["id"]):
                self.assertEqual(account_key(case["id"]), case["key"])
        for pair in json.loads((VECTORS / "ids.json").read_text())["same"]:
            with self.subTest(pair):
                self.assertIs(same_account(pair["one"], pair["other"]), pair["are"])
                self.assertIs(same_account(pair["other"], pair["one"]), pair["are"])

    def test_numbers_and_states(self) -> None:
        table = json.loads((VECTORS / "results.json").read_text())
        for row in table["enrollment"]:
            word = row["word"]
            found = {"word": word, "number": enrollment_number(word), "isSuccess": is_success(word),
                     "mustRemove": must_remove(word)}  # fmt: skip
            self.assertEqual(found, row)
        for row in table["compliance"]:
            self.assertEqual(compliance_number(row["word"]), row["number"])
        for row in table["states"] + table["lives"]:
            self.assertIs(may_work(row["word"]), row["mayWork"], row)
        for word in ("", "enchanted", None):
            self.assertEqual((enrollment_number(word), compliance_number(word)), (None, None))
            self.assertEqual((is_success(word), must_remove(word), may_work(word)), (False, False, False))

    def test_the_table_has_every_word_of_the_interfaces(self) -> None:
        table = json.loads((VECTORS / "results.json").read_text())
        for name, words in {
            "enrollment": _words.EnrollmentResult, "states": _words.AccountState, "lives": _words.LifeState,
        }.items():  # fmt: skip
            self.assertEqual([row["word"] for row in table[name]], list(get_args(words)), name)

    def test_the_page_about_accounts_shows_the_table(self) -> None:
        page = (VECTORS.parents[1] / "docs/accounts.md").read_text()
        shown = re.findall(r"^\| `(\w+)` \| (\d+) \|(?: (yes|no) \| (yes|no) \|)? .+ \|$", page, re.MULTILINE)
        table = json.loads((VECTORS / "results.json").read_text())
        words = {True: "yes", False: "no"}
        enrollment = [(row["word"], str(row["number"]), words[row["isSuccess"]], words[row["mustRemove"]])
                      for row in table["enrollment"]]  # fmt: skip
        self.assertEqual(shown, enrollment + [(row["word"], str(row["number"]), "", "") for row in table["compliance"]])

    def test_news_say_who_may_work(self) -> None:
        self.assertTrue(NewsItem("account", state="active").may_work)
        self.assertTrue(NewsItem("enrollment", life="enrolled").may_work)
        for item in (NewsItem("account"), NewsItem("account", state="locked"), NewsItem("account", state="enchanted"),
                     NewsItem("enrollment", life="wiped", state="active")):  # fmt: skip
            self.assertFalse(item.may_work, item)


class AccountFailures(FakeCase):
    def test_nobody_answers(self) -> None:
        self.play(lambda peer: (peer.attach(), peer.stay_silent()))
        guard = self.guard()
        guard.start()
        with self.assertRaises(GuardError) as raised:
            guard.accounts.register(WORK)
        self.assertEqual((raised.exception.name, raised.exception.method), ("noAnswer", "Register"))

    def test_with_asyncio(self) -> None:
        def serve(peer: Peer) -> None:
            peer.attach(answerMs=20_000)
            peer.call()
            peer.reply({"account": WORK, "state": "enrolled", "result": "newPolicies"})
            peer.call()
            peer.reply({"account": WORK})
            peer.oblige()

        self.play(serve)

        async def main() -> int | None:
            async with AsyncGuard(path=self.fake.path) as guard:
                status = await guard.accounts.register(WORK)
                with self.assertRaises(GuardError):
                    await guard.accounts.register(WORK)
                return status.number

        self.assertEqual(asyncio.run(main()), 100)


class AccountsForReal(RealCase):
    """EN-10, AA-04, CA-13: accounts of an app are registered, listed, and end."""

    def test_an_account_is_registered_listed_and_ended(self) -> None:
        guard = self.managed()
        status = guard.accounts.register(WORK.upper())
        self.assertEqual((status.account, status.state, status.may_work), (WORK, "enrolled", True))
        listed = guard.accounts.list()
        self.assertEqual([(one.account, one.state, one.managed) for one in listed.accounts], [(WORK, "enrolled", True)])
        self.assertEqual(listed.enrolled, WORK)
        self.assertEqual(guard.accounts.register(WORK).result, "alreadyEnrolled")
        ended = guard.accounts.deregister(WORK)
        self.assertEqual((ended.state, ended.number, ended.may_work), ("suspended", 104, False))
        self.assertIsNone(guard.accounts.list().enrolled)

    def test_results_have_the_numbers_of_the_sdk(self) -> None:
        """ST-03, ST-04: what really comes of enrolments and their ends, as words and as numbers."""
        accounts = self.managed().accounts
        said = [(accounts.register(name)) for name in (None, "", WORK, WORK, PERSONAL)]
        said += [accounts.deregister(name) for name in (WORK, WORK, PERSONAL)]
        self.assertEqual([(status.result, status.number, status.is_success) for status in said], [
            ("noAccount", 207, False), ("noAccount", 207, False), ("newPolicies", 100, True),
            ("alreadyEnrolled", 208, False), ("notTargeted", 225, False),
            ("unenrolled", 104, True), ("notEnrolled", 213, False), ("noPolicy", 103, True),
        ])  # fmt: skip

    def test_who_may_sign_in(self) -> None:
        guard = self.managed()
        self.assertTrue(guard.accounts.may_sign_in(WORK).allowed)
        self.assertTrue(guard.accounts.may_sign_in(PERSONAL).allowed)
        self.assertIsNone(guard.accounts.allowed().accounts)

    def test_an_enrolment_is_news(self) -> None:
        guard = self.managed()
        heard: list[NewsItem] = []
        with guard.listen(enrollment=heard.append, policy=heard.append):
            until(guard, lambda: heard)
            guard.accounts.register(WORK)
            until(guard, lambda: len(heard) == 2)
        item = heard[1]
        self.assertEqual((item.topic, item.account, item.life, item.may_work), ("enrollment", WORK, "enrolled", True))


def view(value: Any) -> Any:
    """What a call gave, by the names of the wire, with what its properties say."""
    if not is_dataclass(value):
        return {"account": value, "request": value}
    members = asdict(value)  # type: ignore[call-overload]
    raw = members.pop("raw", None)
    members |= {name: getattr(value, name) for name in PROPERTIES if hasattr(value, name)}
    found = {camel(name): listed(member) for name, member in members.items()}
    if raw is None and "accounts" in members and members["accounts"] and is_dataclass(value.accounts[0]):
        found["accounts"] = [view(account) for account in value.accounts]
    return found


def listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def chosen(found: Any, means: Any) -> Any:
    """The members that a case speaks of."""
    if isinstance(means, list) and means and isinstance(means[0], dict):
        return [chosen(one, wanted) for one, wanted in zip(found, means, strict=True)]
    return {name: chosen(found[name], means[name]) for name in means} if isinstance(means, dict) else found
