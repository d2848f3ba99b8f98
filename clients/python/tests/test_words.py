"""The client knows every member and every word of the interface file, and says no others."""

import dataclasses
import re
import unittest
from pathlib import Path
from typing import get_args

from webviewguard import (
    AccountList,
    Accounts,
    AccountStatus,
    Advice,
    AccountDirectory,
    AllowedAccounts,
    Contract,
    Decision,
    Guard,
    Handlers,
    Identity,
    ListedAccount,
    NewsItem,
    OpenOffer,
    SignIn,
    _words,
)
from webviewguard._accounts import AsyncAccounts
from webviewguard._contract import read_contract
from webviewguard._decision import read_decision
from webviewguard._event import WIRE_NAMES, camel

INTERFACES = Path(__file__).resolve().parents[3] / "Sources/GuardProtocol/Interfaces"


def interface(name: str = "Guard") -> str:
    return re.sub(r"#.*", "", (INTERFACES / f"org.webviewguard.{name}.varlink").read_text())


def members(name: str, of: str = "Guard") -> dict[str, str]:
    """The members of one object type with their types: `members("Event")`."""
    found = re.search(rf"^type {name} ?\((.*?)^\)", interface(of), re.MULTILINE | re.DOTALL)
    assert found, name
    return dict(re.findall(r"(\w+): ([^,\s]+)", found[1]))


def enums() -> dict[str, tuple[str, ...]]:
    text = interface() + interface("Accounts")
    bodies = re.findall(r"^type (\w+) \(([^():]*)\)", text, re.MULTILINE)
    return {name: tuple(re.findall(r"\w+", body)) for name, body in bodies}


def methods(of: str = "Guard") -> list[str]:
    return re.findall(r"^method (\w+)", interface(of), re.MULTILINE)


def reply(method: str, of: str) -> set[str]:
    """The members of a method's reply."""
    found = re.search(rf"^method {method}\(.*?-> \((.*?)\)\n", interface(of), re.MULTILINE | re.DOTALL)
    assert found, method
    return set(re.findall(r"(\w+): ", found[1]))


def fields(value: type) -> set[str]:
    return {camel(field.name) for field in dataclasses.fields(value)}


class Words(unittest.TestCase):
    def test_enums(self) -> None:
        self.assertGreater(len(enums()), 20)
        for name, words in enums().items():
            with self.subTest(name):
                self.assertEqual(get_args(getattr(_words, name)), words)

    def test_events(self) -> None:
        self.assertEqual(list(WIRE_NAMES.values()), list(members("Event")))

    def test_decisions(self) -> None:
        ours = fields(Decision) - {"isLocal", "raw"}
        self.assertEqual(ours, set(members("Decision")))
        self.assertEqual(fields(OpenOffer), set(members("OpenOffer")))
        self.assertEqual(fields(Advice), set(members("Advice")))

    def test_every_member_of_a_decision_is_read(self) -> None:
        for name, kind in members("Decision").items():
            if name == "outcome":
                continue
            with self.subTest(name):
                samples = {"bool": True, "int": 7, "[]Note": ["a"], "[]string": ["a"], "OpenOffer": {"target": "t", "url": "u"},
                           "Advice": {"outcome": "block", "reason": "r", "cause": "app"}}  # fmt: skip
                sample = samples.get(kind.lstrip("?"), "text")
                decision = read_decision({"outcome": "allow", name: sample})
                self.assertEqual(decision.outcome, "allow")
                changed = {field.name for field in dataclasses.fields(decision)
                           if getattr(decision, field.name) != getattr(Decision(), field.name)}  # fmt: skip
                snake = re.sub(r"([A-Z])", lambda letter: "_" + letter[1].lower(), name)
                self.assertLessEqual({snake}, changed | {"reason"})
                self.assertEqual(read_decision({"outcome": "allow", name: object()}).reason, "invalidReply")

    def test_the_contract(self) -> None:
        said = {name: 7 if kind == "int" else "open" for name, kind in members("FailureContract").items()}
        self.assertEqual(read_contract(said), Contract(7, 7, "open", "open", "open"))
        self.assertEqual(fields(Contract), set(said))

    def test_news(self) -> None:
        self.assertEqual(fields(NewsItem) - {"raw"}, reply("Subscribe", "Guard"))

    def test_identities(self) -> None:
        self.assertEqual({camel(name).replace("Ui", "UI") for name in fields(Identity)}, reply("SetIdentity", "Guard"))

    def test_accounts(self) -> None:
        self.assertEqual(fields(ListedAccount) - {"raw"}, set(members("ListedAccount", "Accounts")))
        self.assertEqual(fields(AccountStatus) - {"raw"}, reply("Register", "Accounts"))
        for method in ("Deregister", "Complete"):
            self.assertEqual(reply(method, "Accounts"), reply("Register", "Accounts"))
        self.assertEqual(fields(AccountList), reply("List", "Accounts"))
        self.assertEqual(fields(SignIn), reply("MaySignIn", "Accounts"))
        self.assertEqual(fields(AllowedAccounts), reply("AllowedAccounts", "Accounts"))
        self.assertEqual(fields(AccountDirectory), reply("OpenDirectory", "Accounts"))

    def test_every_method_of_accounts_has_one_here(self) -> None:
        """`SignedIn`, `FilesRemoved` and `Notices` are for programs of the daemon, `Config` has getters of its own, and
        `guard.files` makes the calls about files."""
        others = {"AllowedAccounts": "allowed"}
        elsewhere = {"SignedIn", "FilesRemoved", "Notices", "Config", "FileCreated", "ReadLabel", "SetOwner"}
        for name in set(methods("Accounts")) - elsewhere:
            snake = others.get(name) or re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
            for accounts in (Accounts, AsyncAccounts):
                self.assertTrue(callable(getattr(accounts, snake, None)), snake)

    def test_every_topic_may_have_a_handler(self) -> None:
        names = {camel(name) for name in Handlers.__annotations__} - {"missed", "other"}
        # Some are named before a daemon has them: one that does not know them is asked without them.
        self.assertLessEqual(set(get_args(_words.Topic)), names)

    def test_every_method_has_one_here(self) -> None:
        general = {"WhoAmI", "OwnPrograms", "DecideLocations", "DecidePeers", "Identities"}
        others = {"Attach": "start", "Subscribe": "news", "OpenURL": "open_url", "ExportRules": "rules",
                  "SetExternalURLRules": "set_external_url_rules"}  # fmt: skip
        self.assertEqual(len(methods()), 34)
        for name in set(methods()) - general:
            snake = others.get(name) or re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
            self.assertTrue(callable(getattr(Guard, snake, None)), snake)
