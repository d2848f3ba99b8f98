"""Wipes that somebody wants to come sooner, to hit another account, or never to end: nothing is destroyed by mistake."""

import json
import pwd
import shutil
import signal
import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from attack_case import APP, CROWD, MALLORY, Link
from configuration import ORGANISATION, WORK, Configuration
from daemon import eventually
from long_attack import LongAttack
from wire import ACCOUNTS, ADMIN, GUARD

NOTES = "com.contoso.notes"
# Users with homes: files of one without are not removed.
ALICE, BOB = MALLORY, CROWD[0]
HOUR, DAY = 3_600, 86_400
DELAY = 72 * HOUR

POLICY = "apps:\n" + "".join(
    f"""\
  {app}:
    peers: [{{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    identityMode: multi
    accounts: {{ source: [app] }}
    dataDirectories: ["/srv/wvg-absent/{app}/{{account}}"]
"""
    for app in (APP, NOTES)
)
OBJECT = "6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11"
POLICY += "wipe: { mode: on, causes: [admin, deregister], answerTime: 24h }\n"


class WipeCase(LongAttack):
    configuration = Configuration(POLICY, settings="graceSeconds: 1\n")

    def setUp(self) -> None:
        super().setUp()
        # Long enough since the boot.
        self.wait(2 * DAY)

    def begin(self) -> None:
        """Starts the daemon; running time counts from its first tick on."""
        self.daemon.start()
        self.daemon.beat()

    # People

    def enrolled(self, uid: int, app: str = APP) -> Link:
        link = self.person(uid).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=app))
        self.assertEqual(self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))["state"], "enrolled")
        return link

    def admin(self, method: str, **parameters: Any) -> dict[str, Any]:
        wire = self.wire(self.daemon.admin_socket)
        reply = self.answered(wire.call(f"{ADMIN}.{method}", **parameters))
        # Administrators have few places, and some tests ask again and again.
        wire.socket.close()
        return reply

    def wiped(self, uid: int, **more: Any) -> str:
        """An administrator wipes the account of a user; the request."""
        wanted = {"account": WORK, "uid": uid, "reason": "left", **more}
        code = self.admin("WipeAccount", **wanted)["code"]
        return self.admin("WipeAccount", confirm=code, **wanted)["wipe"]["id"]

    def begun(self, uid: int) -> str:
        """The same, and its apps are asked."""
        request = self.wiped(uid, now=True)
        self.wait(HOUR)
        self.assertEqual(self.phases(), ["asking"])
        return request

    def phases(self) -> list[str]:
        return [wipe["phase"] for wipe in self.admin("Wipes")["wipes"]]

    def remaining(self) -> int:
        """Seconds of the one wipe that is pending."""
        [wipe] = self.admin("Wipes")["wipes"]
        self.assertEqual(wipe["phase"], "pending")
        return wipe["remaining"] // 1000

    def orders(self) -> list[Path]:
        return sorted((self.daemon.sockets / "wipe").glob("*/*.json"))

    def acts(self, request: str) -> list[str]:
        return [record["act"] for record in self.daemon.records("account") if record.get("request") == request]


class Wipes(WipeCase):
    # Time

    def test_a_clock_set_to_2038_and_back_destroys_nothing(self) -> None:
        self.enrolled(ALICE)
        self.wiped(ALICE)
        years = 12 * 365 * DAY
        for seconds in (years, -years, years, -2 * years, years):
            self.set_clock(seconds)
            self.assertGreater(self.remaining(), DELAY - HOUR)
        self.wait(DELAY - 2 * HOUR)
        self.assertGreater(self.remaining(), HOUR)
        self.wait(3 * HOUR)
        self.assertEqual(self.phases(), ["asking"])

    def test_a_clock_that_nobody_keeps_right_destroys_nothing(self) -> None:
        self.enrolled(ALICE)
        self.wiped(ALICE)
        self.daemon.stop()
        self.daemon.environment["DISK_UNSYNCHRONISED"] = "1"
        self.begin()
        self.wait(6 * DAY)
        self.assertGreater(self.remaining(), DELAY - HOUR)

    def changed_state(self, *statements: str) -> None:
        """The daemon ends, and the next one finds a state file in which something is otherwise."""
        self.daemon.stop(signal.SIGKILL)
        with sqlite3.connect(self.daemon.directory / "state/state.db") as database:
            for statement in statements:
                database.execute(statement)
        database.close()
        self.begin()

    def test_a_cloned_machine_or_an_old_state_begins_the_delay_anew(self) -> None:
        link = self.enrolled(ALICE)
        request = self.wiped(ALICE)
        statements = ("UPDATE wipeClock SET machine = 'ffff'", f"UPDATE wipeClock SET time = time - {100 * DAY * 1000}")
        for statement in statements:
            self.wait(71 * HOUR)
            self.assertLess(self.remaining(), 2 * HOUR)
            self.changed_state(statement)
            self.assertGreater(self.remaining(), DELAY - HOUR)
        self.wait(DELAY + HOUR)
        self.assertEqual(self.phases(), ["asking"])
        # Nor does it go on with what had begun elsewhere, or long ago.
        for statement in statements:
            link = self.person(ALICE).link(self.daemon.guard_socket)
            self.answered(link.call(f"{GUARD}.Attach", app=APP))
            self.changed_state(statement)
            self.assertGreater(self.remaining(), DELAY - HOUR)
            self.assertEqual(self.orders(), [])
            self.wait(DELAY + HOUR)
            self.assertEqual(self.phases(), ["asking"])
        self.assertEqual(self.acts(request).count("wipeCompleted"), 0)

    # Orders

    def test_a_boot_takes_no_order_away_and_leaves_no_strange_one(self) -> None:
        link = self.enrolled(ALICE)
        request = self.begun(ALICE)
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="refused"))
        [order] = eventually(self.orders, "the order is written")
        self.assertEqual(json.loads(order.read_text())["request"], f"{request}-1")
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(self.daemon.sockets / "wipe")
        self.daemon.start()
        self.assertEqual(eventually(self.orders, "the order is written again"), [order])
        # An order that no wipe knows goes with the next start.
        self.daemon.stop(signal.SIGKILL)
        strange = order.with_name("w-0-9-1.json")
        strange.write_text(order.read_text().replace(f"{request}-1", "w-0-9-1"))
        self.daemon.start()
        eventually(lambda: self.orders() == [order], "the strange order is gone")
        link = self.person(ALICE).link(self.daemon.guard_socket)
        report = {"removed": 3, "kept": 1, "problems": []}
        self.answered(link.call(f"{ACCOUNTS}.FilesRemoved", request=f"{request}-1", **report))
        eventually(lambda: self.orders() == [], "an order that is done goes")
        self.assertEqual(self.acts(request)[-2:], ["filesRemoved", "wipeIncomplete"])
        self.refused(link.call(f"{ACCOUNTS}.FilesRemoved", request=f"{request}-1", **report), "UnknownRequest")

    # Answers

    def test_nobody_answers_for_another(self) -> None:
        alice, bob, notes = self.enrolled(ALICE), self.enrolled(BOB), self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(notes.call(f"{GUARD}.Attach", app=NOTES))
        request = self.wiped(ALICE, now=True)
        for link in (alice, bob, notes):
            self.refused(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"), "UnknownRequest")
        self.wait(HOUR)
        for link in (bob, notes):
            for strange in (request, "w-0-0", ""):
                reply = link.call(f"{ACCOUNTS}.Complete", request=strange, result="done")
                self.assertIn("error", reply)
        reply = bob.call(f"{ACCOUNTS}.FilesRemoved", request=f"{request}-1", removed=1, kept=0, problems=[])
        self.refused(reply, "UnknownRequest")
        self.assertEqual(self.phases(), ["asking"])
        self.answered(alice.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        self.assertEqual(self.phases(), [])
        self.refused(alice.call(f"{ACCOUNTS}.Complete", request=request, result="failed"), "UnknownRequest")
        # Bob's account of the same name works on.
        [left] = self.admin("Accounts")["accounts"]
        self.assertEqual((left["uid"], left["state"]), (BOB, "enrolled"))

    def test_an_app_removes_nothing_of_another_app(self) -> None:
        portal, notes = self.enrolled(ALICE), self.enrolled(ALICE, NOTES)
        self.answered(notes.call(f"{ACCOUNTS}.Deregister", account=WORK, data="remove"))
        self.wait(DELAY + HOUR)
        [wipe] = self.admin("Wipes")["wipes"]
        self.assertEqual([part["app"] for part in wipe["apps"]], [NOTES])
        self.answered(notes.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="failed"))
        [order] = eventually(self.orders, "the order is written")
        self.assertEqual(json.loads(order.read_text())["directories"], [f"/srv/wvg-absent/{NOTES}/{WORK}"])
        [account] = self.answered(portal.call(f"{ACCOUNTS}.List"))["accounts"]
        self.assertEqual(account["state"], "enrolled")

    def test_two_apps_of_one_user_answer_otherwise(self) -> None:
        """One has removed its data and one refuses: each answer counts for its own data, and the wipe ends with both."""
        portal, notes = self.enrolled(ALICE), self.enrolled(ALICE, NOTES)
        request = self.begun(ALICE)
        self.answered(portal.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        self.answered(notes.call(f"{ACCOUNTS}.Complete", request=request, result="refused"))
        [order] = eventually(self.orders, "the order is written")
        self.assertEqual(json.loads(order.read_text())["directories"], [f"/srv/wvg-absent/{NOTES}/{WORK}"])
        for link, others in ((portal, "refused"), (notes, "done")):
            self.refused(link.call(f"{ACCOUNTS}.Complete", request=request, result=others), "RequestIsOver")
        [wipe] = self.admin("Wipes")["wipes"]
        self.assertEqual({part["app"]: part["step"] for part in wipe["apps"]}, {APP: "done", NOTES: "refused"})
        self.wait(2 * DAY)
        self.assertEqual(self.phases(), ["asking"], "the word of one app is not that of the other")
        report = {"removed": 2, "kept": 0, "problems": []}
        self.answered(notes.call(f"{ACCOUNTS}.FilesRemoved", request=f"{request}-1", **report))
        self.assertEqual(self.phases(), [])
        acts = ["wipeAnswered", "wipeAnswered", "filesRemoved", "wipeCompleted"]
        self.assertEqual(self.acts(request)[-4:], acts)

    # Previews

    def test_a_preview_names_the_directories_of_this_person(self) -> None:
        own = f"/srv/wvg-absent/{APP}"
        self.reload(Configuration(POLICY.replace(f'["{own}', f'["~/.cache/{{objectId}}", "~/.local/share/x/{{account}}", "{own}')))
        self.enrolled(ALICE)
        wanted = {"account": WORK.upper(), "uid": ALICE, "reason": "left"}
        preview = self.admin("WipeAccount", **wanted)
        home = pwd.getpwuid(ALICE).pw_dir.rstrip("/")
        # A home directly below the root, or of a user without one, is refused as a whole.
        named = [place.removeprefix(f"{APP}: ") for place in preview["directories"]]
        self.assertIn(f"/srv/wvg-absent/{APP}/{WORK}", named)
        refused = " ".join(preview["refused"])
        for below in (f"/.cache/{OBJECT}", f"/.local/share/x/{WORK}"):
            self.assertTrue(home + below in named or "~" in refused, (named, refused))
        self.assertFalse(any("{" in place or "~" in place for place in named), named)
        self.assertEqual(self.admin("Wipes"), {"wipes": []})
        # The code is of this preview.
        self.assertEqual(self.admin("WipeAccount", confirm=preview["code"], **wanted)["wipe"]["phase"], "pending")

    def test_reports_of_any_size_break_nothing(self) -> None:
        links = {app: self.enrolled(ALICE, app) for app in (APP, NOTES)}
        request = self.begun(ALICE)
        for link in links.values():
            self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="failed"))
        eventually(lambda: len(self.orders()) == 2, "the orders are written")
        for number in (1, 2):
            report = {"removed": (1 << 63) - 1, "kept": (1 << 63) - 1, "problems": ["x" * 500] * 16}
            self.answered(links[APP].call(f"{ACCOUNTS}.FilesRemoved", request=f"{request}-{number}", **report))
        self.assertEqual(self.acts(request)[-1], "wipeIncomplete")


NAMES = [f"left{number}@contoso.com" for number in range(3)]
# Long after everything that the test's clock reaches.
SINCE = "2090-01-01T00:00:00Z"


class Marks(WipeCase):
    """Accounts that the policy marks."""

    @staticmethod
    def marked(number: int) -> Configuration:
        mark = f", state: wiped, since: {SINCE}"
        accounts = "".join(
            f"  - {{ upn: {name}, objectId: {OBJECT[:-2]}f{place}, protection: contoso-standard"
            f"{mark if place < number else ''} }}\n"
            for place, name in enumerate(NAMES)
        )
        policy = POLICY.replace("causes: [", "causes: [marker, ")
        policy = policy.replace("    identity", "    managedAccounts: several\n    identity")
        return Configuration(policy, organisation=ORGANISATION.replace("accounts:\n", "accounts:\n" + accounts))

    configuration = marked(0)

    def held(self) -> set[str]:
        return {account["account"] for account in self.admin("Accounts")["accounts"]}

    def limits(self) -> list[dict[str, Any]]:
        return [record for record in self.daemon.records("account") if record["act"] == "wipeLimit"]

    def test_a_reload_that_would_wipe_three_accounts_wipes_none(self) -> None:
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        for name in NAMES:
            self.assertEqual(self.answered(link.call(f"{ACCOUNTS}.Register", account=name))["state"], "enrolled")
        self.reload(self.marked(3))
        self.assertEqual(len(self.limits()), 3)
        for _ in range(2):
            self.wait(DELAY + 2 * HOUR)
            self.admin("Reload")
            self.admin("Reload", checkedIn=True)
            self.daemon.stop(signal.SIGKILL)
            self.begin()
            self.assertEqual((self.phases(), self.orders()), ([], []))
        # Neither fewer nor more than there are.
        for number in (1, 2, 4, 1000):
            self.admin("Reload", allowWipes=number)
            self.assertEqual(self.phases(), [], number)
        self.assertEqual(self.held(), set(NAMES))
        started = [record for record in self.daemon.records("account") if record["act"] in ("wipeBegun", "wipeStarted")]
        self.assertEqual(started, [])
        self.admin("Reload", allowWipes=3)
        self.assertEqual(self.phases(), ["pending"] * 3)


class ConditionCase(WipeCase):
    """A condition that wipes, by the word of a posture file."""

    condition = "    conditionalLaunch: [{ check: Encrypted, operator: equals, value: true, action: wipe }]\n"
    configuration = Configuration(
        POLICY.replace("causes: [", "causes: [conditionalLaunch, "), settings="graceSeconds: 1\n",
        organisation=ORGANISATION.replace("  contoso-standard:\n", f"  contoso-standard:\n    printing: allow\n{condition}"))

    def setUp(self) -> None:
        super().setUp()
        self.posture = self.daemon.directory / "posture.d"
        self.posture.mkdir(mode=0o755)
        self.posture.chmod(0o755)
        settings = self.daemon.config / "webviewguard.yaml"
        settings.write_text(settings.read_text() + f"postureDirectory: {self.posture}\n")
        self.daemon.stop()
        self.begin()

    def say(self, value: bool) -> Path:
        """Root's word, which holds for a day: the daemon's clock is two days ahead."""
        end = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
        new = self.posture / ".intune.json"
        new.write_text(json.dumps({"validUntil": end, "Encrypted": value}))
        new.chmod(0o644)
        return new.rename(self.posture / "intune.json")

    def printed(self, link: Link) -> str:
        link.call(f"{GUARD}.SetIdentity", level="process", account=WORK)
        return self.answered(link.call(f"{GUARD}.Print", event={}))["decision"]["reason"]

    def working(self) -> Link:
        """An app whose account works, by a good word."""
        self.say(True)
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))
        eventually(lambda: self.printed(link) == "printAllowed", "the good word counts")
        return link

    def begun_acts(self) -> list[str]:
        records = self.daemon.records("account")
        return [record["act"] for record in records if record.get("cause") == "conditionalLaunch"]


class Silence(ConditionCase):
    """The provider of a condition that wipes falls silent."""

    def test_silence_for_91_days_after_a_good_word_destroys_nothing(self) -> None:
        link = self.working()
        (self.posture / "intune.json").unlink()
        for days in (1, 10, 80):
            self.wait(days * DAY)
            self.assertEqual(self.phases(), [])
        self.assertEqual(self.printed(link), "notChecked")
        self.assertEqual((self.orders(), self.begun_acts()), ([], []))

    def test_silence_for_91_days_after_a_bad_word_destroys_nothing(self) -> None:
        self.working()
        said = self.say(False)
        eventually(lambda: self.phases() == ["pending"], "the account is locked, and the delay runs")
        said.unlink()
        self.wait(HOUR)
        self.assertEqual(self.phases(), ["pending"])
        # Ninety days of silence in one piece, and a daemon that was away for some of them.
        self.wait(60 * DAY)
        self.daemon.stop(signal.SIGKILL)
        self.clock.pass_by(30 * DAY)
        self.begin()
        self.wait(DELAY + DAY)
        self.assertEqual((self.phases(), self.orders()), ([], []))
        self.assertEqual(self.begun_acts(), ["wipeBegun", "wipeCancelled"])
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.assertEqual(self.printed(link), "accountNotCompliant")
