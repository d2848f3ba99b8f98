"""Who is signed in, by the word of the person's session: the sign-in service may hang, lie, answer too much, or be anybody."""

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from attack_case import APP, CROWD, AttackCase
from bus import Bus
from configuration import Configuration
from daemon import PROGRAM, eventually
from wire import GUARD

ACCOUNTS = "org.webviewguard.Accounts"
OBJECT_ID = "6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11"
TENANT = "f52f0148-c8bb-4ee1-899b-8f93b0e4d63d"
ADA: dict[str, Any] = {
    "name": "Ada", "username": "work@contoso.com", "homeAccountId": f"{OBJECT_ID}.{TENANT}", "localAccountId": OBJECT_ID,
    "realm": TENANT,
}  # fmt: skip
SECOND: dict[str, Any] = {"username": "second@contoso.com"}

PORTAL = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}]
    identityMode: multi
    accounts: {{ source: [broker] }}
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""


class SessionCase(AttackCase):
    """A bus with a scripted sign-in service, and the session service that asks it."""

    configuration = Configuration(PORTAL)

    def setUp(self) -> None:
        self.bus = Bus()
        self.addCleanup(self.bus.remove)
        self.questions: queue.Queue[list[str]] = queue.Queue()
        # Where the session service remembers what it showed.
        self.home = Path(tempfile.mkdtemp(prefix="wvg-home-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.variables = {"XDG_STATE_HOME": str(self.home), "LC_ALL": "en_US.UTF-8", "LANGUAGE": ""}
        self.begin_broker()
        self.tell_nobody()
        # Instances of the test before would keep its accounts.
        self.app = self.wire()
        self.answered(self.app.call(f"{GUARD}.Attach", app=APP))

    def tell_nobody(self) -> None:
        self.answered(self.wire().call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[]))

    def begin_broker(self) -> None:
        self.broker = self.bus.run("broker.py")
        threading.Thread(target=self._hear, args=(self.broker.stdout,), daemon=True).start()

    def _hear(self, lines: Any) -> None:
        try:
            for line in lines:
                self.questions.put(json.loads(line))
        except ValueError:
            pass  # The test is over.

    def order(self, *words: Any) -> None:
        assert self.broker.stdin
        self.broker.stdin.write(json.dumps(words) + "\n")

    def session(self, every: str = "1h") -> "subprocess.Popen[bytes]":
        """The session service; what it says is in `said`."""
        said = open(self.bus.directory / "said", "ab")
        self.addCleanup(said.close)
        service = subprocess.Popen(
            [PROGRAM, "session", "--every", every, "--socket-dir", self.daemon.sockets], stderr=said,
            stdin=subprocess.DEVNULL, env=os.environ | self.bus.environment | self.variables,
        )  # fmt: skip
        self.addCleanup(lambda: (service.kill(), service.wait()))
        return service

    @property
    def said_by_session(self) -> str:
        return (self.bus.directory / "said").read_text()

    def hears(self, text: str) -> None:
        eventually(lambda: text in self.said_by_session, f"the session service says `{text}`")

    def once(self, *arguments: str, seconds: float = 60) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [PROGRAM, "session", "--once", "--socket-dir", self.daemon.sockets, *arguments], capture_output=True, text=True,
            timeout=seconds, env=os.environ | self.bus.environment,
        )  # fmt: skip

    def question(self, seconds: float = 60) -> list[str]:
        return self.questions.get(timeout=seconds)

    @property
    def listed(self) -> dict[str, str]:
        """The app's accounts and their states."""
        listed = self.answered(self.app.call(f"{ACCOUNTS}.List"))["accounts"]
        return {account["account"]: account["state"] for account in listed if "broker" in account["sources"]}

    def is_listed(self, **states: str) -> None:
        wanted = {name.replace("_at_", "@") + ".com": state for name, state in states.items()}
        try:
            eventually(lambda: self.listed == wanted, "the accounts are listed")
        except TimeoutError:
            self.assertEqual(self.listed, wanted, self.said_by_session)

    def reload(self, configuration: Configuration) -> str:
        configuration.write(self.daemon.config)
        for file in (self.daemon.config / "policy.d").iterdir():
            if f"policy.d/{file.name}" not in configuration.files:
                file.unlink()
        done = subprocess.run(
            [PROGRAM, "reload", "--wait", "--socket-dir", self.daemon.sockets], capture_output=True, text=True, timeout=60
        )
        return "enforced" if done.returncode == 0 else done.stderr


class GoodWords(SessionCase):
    def test_who_is_signed_in_is_told_at_the_start_and_again_and_again(self) -> None:
        self.order("accounts", [ADA])
        self.session(every="2s")
        version, correlation, request = self.question()
        self.assertEqual(version, "0.0")
        self.assertTrue(correlation)
        self.assertIn("clientId", json.loads(request))
        self.is_listed(work_at_contoso="enrolled")
        self.order("accounts", [ADA, SECOND])
        # The app takes one account of the organisation at a time.
        self.is_listed(work_at_contoso="enrolled", second_at_contoso="registered")
        self.order("accounts", [])
        self.is_listed()

    def test_another_owner_of_the_name_is_asked_at_once(self) -> None:
        self.session()
        self.question()
        self.bus.end(self.broker)
        self.begin_broker()
        self.order("accounts", [ADA])
        self.order("leave")
        self.order("take")
        self.question()
        self.is_listed(work_at_contoso="enrolled")

    def test_a_name_that_changes_hands_without_end_makes_few_questions(self) -> None:
        self.session()
        self.question()
        end = time.monotonic() + 5
        while time.monotonic() < end:
            self.order("leave")
            self.order("take")
        self.order("accounts", [ADA])
        self.is_listed(work_at_contoso="enrolled")
        self.assertLess(self.questions.qsize(), 8)

    def test_it_finds_another_bus_and_another_daemon(self) -> None:
        self.order("accounts", [ADA])
        self.session(every="1s")
        self.is_listed(work_at_contoso="enrolled")
        self.tell_nobody()
        self.bus.restart()
        self.begin_broker()
        self.order("accounts", [ADA])
        self.is_listed(work_at_contoso="enrolled")
        self.hears("the bus answers again")

    def test_the_account_of_the_person(self) -> None:
        """EN-12: nobody's, then the one that is signed in, then nobody's again; needs no `Attach`."""
        for accounts, expected in (([], None), ([ADA], "work@contoso.com"), ([ADA, SECOND], None), ([], None)):
            with self.subTest(expected):
                self.order("accounts", accounts)
                self.assertEqual(self.once().returncode, 0)
                device = self.answered(self.wire().call(f"{ACCOUNTS}.DeviceAccount"))
                self.assertEqual(device.get("account"), expected)

    def test_the_object_id_is_what_stands_before_the_dot(self) -> None:
        """CA-13: the daemon takes `ObjectId.TenantId`, too."""
        named = {"objectId": f"{OBJECT_ID}.{TENANT}"}
        self.answered(self.wire().call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[named]))
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})
        self.order("accounts", [{"homeAccountId": f"{OBJECT_ID}.{TENANT}"}])
        shown = self.once("--format", "json")
        self.assertEqual(json.loads(shown.stdout)["accounts"], [{"objectId": OBJECT_ID}])
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})

    def test_a_person_sees_who_is_signed_in(self) -> None:
        self.order("accounts", [ADA])
        shown = self.once("--format", "json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertEqual(
            json.loads(shown.stdout), {"source": "broker", "accounts": [{"upn": "work@contoso.com", "objectId": OBJECT_ID}]}
        )
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})


class BadWords(SessionCase):
    """After each of them the daemon's latest word holds: a service that fails signs nobody out."""

    def setUp(self) -> None:
        super().setUp()
        self.order("accounts", [ADA])
        self.assertEqual(self.once().returncode, 0)

    def says_nothing(self, words: str, *order: Any) -> None:
        """The service does as ordered: it says nothing, in these words, and nobody is signed out."""
        self.order(*order)
        failed = self.once()
        self.assertEqual(failed.returncode, 2, failed.stdout)
        self.assertIn(words, failed.stderr)
        self.assertEqual(failed.stderr.count("\n"), 1)
        self.assertLess(len(failed.stderr), 1000)
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})

    def test_ten_megabytes(self) -> None:
        self.says_nothing("the answer is too large", "big", 10_000_000)

    def test_no_json_and_no_list(self) -> None:
        for text, words in {
            "": "no JSON", "no": "no JSON", '{"accounts":[]': "no JSON", '{"accounts":[],"accounts":[]}': "no JSON",
            "[" * 100_000: "no JSON", "[]": "no list", '{"error":{"context":"x"}}': "no list", '{"accounts":{}}': "no list",
            json.dumps({"accounts": [SECOND] * 33}): "more than 32 accounts",
        }.items():  # fmt: skip
            with self.subTest(text[:40]):
                self.says_nothing(words, "text", text)

    def test_an_error(self) -> None:
        self.says_nothing("`com.example.Nobody`: `not today`", "error", "com.example.Nobody")

    def test_it_goes_away_in_the_middle(self) -> None:
        self.says_nothing("NoReply", "vanish")

    def test_nobody_serves_the_name(self) -> None:
        self.order("leave")
        eventually(lambda: "no sign-in service is installed" in self.once().stderr, "the name is nobody's")
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})

    def test_it_hangs(self) -> None:
        self.order("hang")
        service = self.session()
        self.question()
        self.question()
        self.hears("no answer in time")
        self.assertIsNone(service.poll())
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})
        # It is asked again when another one takes the name.
        self.order("accounts", [SECOND])
        self.order("leave")
        self.order("take")
        self.is_listed(second_at_contoso="enrolled")

    def test_names_that_are_none_are_left_out(self) -> None:
        evil = ["a b@contoso.com", "work@contoso.com\n", "\u202ework@contoso.com", "work", "@", "a@", "a@b@c", "x" * 300 + "@contoso.com"]
        entries: list[Any] = [{"username": name, "homeAccountId": "../" + name} for name in evil]
        entries += [None, 1, "work@contoso.com", [], {}, {"username": 1}, {"homeAccountId": f"{OBJECT_ID[:-1]}g.{TENANT}"}]
        self.order("accounts", [*entries, SECOND])
        shown = self.once("--format", "json")
        self.assertEqual(json.loads(shown.stdout)["accounts"], [{"upn": "second@contoso.com"}])
        self.assertEqual(self.listed, {"second@contoso.com": "enrolled"})

    def test_it_adds_accounts_and_frees_none(self) -> None:
        """An account that the policy blocks stays blocked, whatever the session says; one of nobody is nothing."""
        blocked = Configuration(PORTAL)
        blocked.files["policy.d/blocked.yaml"] = (
            "accounts:\n  - { upn: gone@contoso.com, protection: contoso-standard, state: blocked }\n"
        )
        self.assertEqual(self.reload(blocked), "enforced")
        self.addCleanup(self.reload, self.configuration)
        self.order("accounts", [ADA, {"username": "gone@contoso.com"}, {"username": "stranger@contoso.com"}])
        self.assertEqual(self.once().returncode, 0)
        self.assertEqual(self.listed.get("work@contoso.com"), "enrolled")
        self.assertEqual(self.listed.get("gone@contoso.com", "blocked"), "blocked")
        self.assertNotIn("stranger@contoso.com", self.listed)

    def test_a_signal_of_a_stranger_is_no_news(self) -> None:
        self.session()
        self.question()
        self.question()
        self.is_listed(work_at_contoso="enrolled")
        # The service pauses after its question.
        time.sleep(3)
        self.order("fake", "")
        with self.assertRaises(queue.Empty):
            self.question(seconds=4)

    def test_only_the_session_speaks_for_the_session(self) -> None:
        """The daemon's own sources cannot be spoken for, and another person's word is about that person."""
        for source in ("user", "app"):
            refused = self.wire().call(f"{ACCOUNTS}.SignedIn", source=source, accounts=[])
            self.assertEqual(refused.get("error"), "org.varlink.service.InvalidParameter")
        other = self.link(CROWD[0])
        self.answered(other.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[]))
        self.assertEqual(self.listed, {"work@contoso.com": "enrolled"})
