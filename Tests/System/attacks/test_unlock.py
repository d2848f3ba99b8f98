"""`unlock: polkit`: the daemon asks the person itself, and what it hears may be missing, late or a lie."""

import json
import os
import queue
import subprocess
import threading
import time
import unittest
from typing import Any

import dbus
import dbus.bus
from attack_case import ALICE, APP, BOB, AttackCase, Person
from bus import Bus
from configuration import ORGANISATION, WORK, Configuration
from daemon import PROGRAM, Daemon, eventually
from wire import GUARD

MOCK = "org.freedesktop.DBus.Mock"
SESSION = "org.freedesktop.login1.Session"
KIOSK = "com.contoso.kiosk"
LOCKED_PRINT = ("block", "locked")
ALLOWED_PRINT = ("allow", "printAllowed")

APPS = f"""\
apps:
  {APP}:
    peers: [{{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    identityMode: multi
    unlocks: true
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""
FIXED = f"""\
apps:
  {KIOSK}:
    peers: [{{ uid: {ALICE} }}]
    identityMode: single
    account: {WORK}
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""


def organisation(unlock: str) -> str:
    return ORGANISATION.replace("    webTransfer:", f"    unlock: {unlock}\n    webTransfer:")


class UnlockCase(AttackCase):
    """A daemon with a system bus of its own, on which there is a scripted polkit."""

    recheck = "1h"

    @classmethod
    def setUpClass(cls) -> None:
        cls.refuse_without_root()

    def setUp(self) -> None:
        self.bus = Bus("system")
        self.addCleanup(self.bus.remove)
        self.asked: queue.Queue[list[Any]] = queue.Queue()
        self.begin_polkit()
        self.begin_daemon(Configuration(APPS, FIXED, organisation=organisation(f"polkit\n    recheckAfter: {self.recheck}")))

    def begin_daemon(self, configuration: Configuration) -> None:
        # Each test has its own: what one person unlocked stays unlocked.
        daemon = Daemon(configuration, environment=self.bus.environment)
        type(self).daemon = daemon
        self.addCleanup(daemon.remove)
        daemon.directory.chmod(0o755)
        daemon.start()

    def begin_polkit(self) -> None:
        self.polkit = self.bus.run("polkit.py")
        threading.Thread(target=self._hear, args=(self.polkit.stdout,), daemon=True).start()

    def _hear(self, lines: Any) -> None:
        try:
            for line in lines:
                self.asked.put(json.loads(line))
        except ValueError:
            pass  # The test is over.

    def order(self, *words: Any) -> None:
        assert self.polkit.stdin
        self.polkit.stdin.write(json.dumps(words) + "\n")

    def question(self, seconds: float = 60) -> list[Any]:
        return self.asked.get(timeout=seconds)

    def attach(self, uid: int = ALICE, app: str = APP) -> "Desk":
        return Desk(self, self.person(uid), app)

    def records(self, act: str) -> list[dict[str, Any]]:
        return [record for record in self.daemon.records("account") if record["act"] == act]


class Desk:
    """A program of a person, and its subscription."""

    def __init__(self, case: UnlockCase, person: Person, app: str) -> None:
        self.case = case
        self.person = person
        self.link = person.link(case.daemon.guard_socket)
        token = case.answered(self.link.call(f"{GUARD}.Attach", app=app))["instance"]
        self.listening = person.link(case.daemon.guard_socket)
        case.answered(self.listening.call(f"{GUARD}.Attach", app=app, instance=token))
        subscribe = {"method": f"{GUARD}.Subscribe", "parameters": {"topics": ["account"]}, "more": True}
        self.listening.send(json.dumps(subscribe) + "\0")
        case.answered(self.link.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"}))

    def state(self, account: str = WORK, **more: Any) -> tuple[Any, Any]:
        """States the account; the result and the reason."""
        reply = self.case.answered(self.link.call(f"{GUARD}.SetIdentity", level="process", account=account, **more))
        return reply.get("result"), reply.get("reason")

    def printed(self) -> tuple[str, str]:
        decision = self.case.decide(self.link, "Print", "docs")
        return decision["outcome"], decision["reason"]

    def news(self) -> tuple[Any, Any]:
        """The next news of the account: its state, and how the question ended."""
        parameters = self.case.answered(self.listening.reply())
        self.case.assertEqual(parameters["account"], WORK)
        return parameters["state"], parameters.get("unlock")

    def unlock(self) -> None:
        self.case.assertEqual(self.state(), ("failed", "locked"))
        self.case.assertEqual(self.news(), ("active", "unlocked"))
        self.case.assertEqual(self.state(), (None, None))
        self.case.assertEqual(self.printed(), ALLOWED_PRINT)


class Asking(UnlockCase):
    def test_a_person_unlocks_and_goes_on(self) -> None:
        desk = self.attach()
        desk.unlock()
        without, shown = self.question(), self.question()
        uid, _, _, pid = desk.person.who()
        for call, flags in ((without, 0), (shown, 1)):
            name, (kind, subject), action, details, asked, cancellation = call
            self.assertEqual((name, kind, action, asked), ("CheckAuthorization", "unix-process", "org.webviewguard.unlock", flags))
            self.assertEqual((subject["pid"], subject["uid"]), (pid, uid))
            with open(f"/proc/{pid}/stat") as stat:
                self.assertEqual(subject["start-time"], int(stat.read().rsplit(")", 1)[1].split()[19]))
            if "pidfd" in subject:
                self.assertEqual(subject["pidfd"], {"pidfd": pid})
            self.assertEqual(details, {"account": WORK, "app": APP})
            self.assertEqual(bool(cancellation), flags == 1)
        record = self.records("unlocked")[0]
        self.assertEqual((record["unlock"], record["person"], record["pid"]), ("unlocked", ALICE, pid))

    def test_an_answer_that_is_no_dialogue_unlocks_nothing(self) -> None:
        """A rule of the machine that says yes to everybody, a dialogue that is closed, one that nobody can show."""
        cases = {
            ("yes", "yes"): "noChallenge", ("no", "yes"): "refused", ("challenge", "no"): "refused",
            ("challenge", "challenge"): "noAgent", ("challenge", "dismissed"): "dismissed",
            ("challenge", "cancelled"): "dismissed", ("failed", "yes"): "serviceFailure",
            ("challenge", "failed"): "serviceFailure", ("text", "yes"): "serviceFailure", ("empty", "yes"): "serviceFailure",
            ("short", "yes"): "serviceFailure", ("challenge", "text"): "serviceFailure", ("challenge", "big"): "serviceFailure",
            ("challenge", "empty"): "serviceFailure",
        }  # fmt: skip
        for (without, shown), result in cases.items():
            with self.subTest(without=without, shown=shown):
                self.order("say", without, shown)
                # Each has a person's own pause before the next question.
                self.restart()
                desk = self.attach()
                self.assertEqual(desk.state(), ("failed", "locked"))
                self.assertEqual(desk.news(), ("locked", result))
                self.assertNotEqual(desk.printed()[0], "allow")
                self.assertEqual(self.records("unlockFailed")[-1]["unlock"], result)
        self.assertEqual(self.records("unlocked"), [])

    def restart(self) -> None:
        self.daemon.stop()
        self.daemon.start()

    def test_a_dialogue_that_was_closed_is_no_try(self) -> None:
        self.order("say", "challenge", "dismissed")
        desk = self.attach()
        for _ in range(3):
            eventually(lambda: (desk.state(), not self.asked.empty())[1], "the person is asked")
            self.assertEqual(desk.news(), ("locked", "dismissed"))
            while not self.asked.empty():
                self.question()
        self.order("say", "challenge", "yes")
        eventually(lambda: desk.state() == (None, None), "the person answers")

    def test_who_asks_again_and_again_fills_no_screen(self) -> None:
        self.order("say", "challenge", "hang")
        desks = [self.attach() for _ in range(4)]
        for _ in range(50):
            for desk in desks:
                self.assertEqual(desk.state(), ("failed", "locked"))
        self.question(), self.question()
        with self.assertRaises(queue.Empty):
            self.question(seconds=1)
        self.order("answer", "dismissed")
        for desk in desks:
            self.assertEqual(desk.news(), ("locked", "dismissed"))
            self.assertEqual(desk.state(), ("failed", "locked"))
        with self.assertRaises(queue.Empty):
            self.question(seconds=2)

    def test_nobody_waits_for_a_dialogue(self) -> None:
        """The call is answered at once, others are served, and the daemon takes the dialogue back when it ends."""
        self.order("say", "challenge", "hang")
        desk = self.attach()
        self.assertEqual(desk.state(), ("failed", "locked"))
        self.question()
        cancellation = self.question()[5]
        self.assertEqual(desk.state("me@example.org"), (None, None))
        self.assertEqual(desk.printed(), ("allow", "unmanaged"))
        began = time.monotonic()
        self.daemon.stop()
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(self.question(), ["CancelCheckAuthorization", cancellation])
        self.daemon.start()

    def test_polkit_or_the_bus_goes_away_in_the_middle(self) -> None:
        self.order("say", "challenge", "vanish")
        desk = self.attach()
        self.assertEqual(desk.state(), ("failed", "locked"))
        self.assertEqual(desk.news(), ("locked", "serviceFailure"))
        self.daemon.tells("nobody can be asked to unlock accounts")
        self.bus.restart()
        self.begin_polkit()
        eventually(lambda: desk.state() == (None, None), "the person is asked again")
        self.assertEqual(desk.printed(), ALLOWED_PRINT)

    def test_without_polkit_or_a_bus_nothing_is_unlocked(self) -> None:
        self.order("leave")
        desk = self.attach()
        self.assertEqual(desk.state(), ("failed", "locked"))
        self.assertEqual(desk.news(), ("locked", "serviceFailure"))
        self.bus.end(self.bus.daemon)
        self.restart()
        desk = self.attach()
        self.assertEqual(desk.state(), ("failed", "locked"))
        self.assertEqual(desk.news(), ("locked", "serviceFailure"))
        self.assertEqual(desk.state("me@example.org"), (None, None))

    def test_one_person_unlocks_for_nobody_else(self) -> None:
        self.order("say", "challenge", "yes")
        self.attach(ALICE).unlock()
        self.order("say", "challenge", "dismissed")
        other = self.attach(BOB)
        self.assertEqual(other.state(), ("failed", "locked"))
        self.assertEqual(other.news(), ("locked", "dismissed"))
        # Another program of the same person is not asked again.
        self.assertEqual(self.attach(ALICE).state(), (None, None))

    def test_the_word_of_the_app_unlocks_nothing(self) -> None:
        self.order("say", "challenge", "dismissed")
        desk = self.attach()
        self.assertEqual(desk.state(gates="success"), ("failed", "locked"))
        self.assertEqual(desk.news(), ("locked", "dismissed"))
        reply = self.answered(desk.link.call(f"{GUARD}.SetIdentity", level="scope", account=WORK))
        self.assertEqual(reply.get("reason"), "locked")
        self.assertEqual(desk.printed(), LOCKED_PRINT)

    def test_an_app_with_one_account_asks_at_its_start(self) -> None:
        self.order("say", "challenge", "hang")
        desk = self.attach(app=KIOSK)
        self.question(), self.question()
        self.assertEqual(desk.printed(), LOCKED_PRINT)
        self.order("answer", "yes")
        self.assertEqual(desk.news()[0], "active")
        self.assertEqual(desk.printed(), ALLOWED_PRINT)

    def test_after_a_restart_everybody_is_asked_again(self) -> None:
        self.attach().unlock()
        self.restart()
        self.assertEqual(self.attach().state(), ("failed", "locked"))

    def test_a_policy_that_asks_nobody_opens_no_bus(self) -> None:
        self.daemon.remove()
        self.begin_daemon(Configuration(APPS, organisation=organisation("none")))
        self.assertEqual(self.attach().state(), (None, None))
        with open(f"/proc/{self.daemon.pid}/maps") as maps:
            self.assertNotIn("libsystemd", maps.read())


class Doctoring(UnlockCase):
    """`doctor` says what `unlock: polkit` lacks."""

    def findings(self) -> list[tuple[str, str]]:
        command = [str(PROGRAM), "doctor", "--format", "json", "--config", str(self.daemon.config), "--socket-dir", str(self.daemon.sockets)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ | self.bus.environment)
        return [(found["level"], found["text"]) for found in json.loads(said.stdout) if found["area"] == "unlock"]

    def finds(self, level: str, words: str) -> None:
        findings = self.findings()
        self.assertTrue([text for found, text in findings if found == level and words in text], findings)

    def test_the_doctor_says_what_asking_lacks(self) -> None:
        self.finds("ok", "polkit can ask persons")
        self.finds("warning", "`recheckAfter` counts from each answer")
        self.order("say", "failed", "failed")
        self.finds("problem", "keeps every account locked: polkit says")
        login = self.bus.mock("logind", "org.freedesktop.login1", "/org/freedesktop/login1")
        login.AddSession("c7", "seat0", dbus.UInt32(ALICE), "somebody", True, dbus_interface=MOCK)
        self.finds("ok", "logind knows 1 sessions of persons; never idle so far")
        self.bus.end(self.bus.daemon)
        self.finds("problem", "keeps every account locked")


class MockedPolkit(UnlockCase):
    """The polkit that others test with: it says yes, and asks nobody."""

    def begin_polkit(self) -> None:
        self.bus.mock("polkitd", "org.freedesktop.PolicyKit1", "/org/freedesktop/PolicyKit1/Authority").AllowUnknown(
            True, dbus_interface=MOCK
        )

    def test_a_yes_without_a_dialogue_is_none(self) -> None:
        desk = self.attach()
        self.assertEqual(desk.state(), ("failed", "locked"))
        self.assertEqual(desk.news(), ("locked", "noChallenge"))


class Holding(UnlockCase):
    """How long an unlocking holds, by the word of logind."""

    recheck = "3s"

    def setUp(self) -> None:
        super().setUp()
        self.login = self.bus.mock("logind", "org.freedesktop.login1", "/org/freedesktop/login1")

    def session(self, name: str = "c1", uid: int = ALICE, **hints: Any) -> None:
        self.login.AddSession(name, "seat0", dbus.UInt32(uid), "somebody", True, dbus_interface=MOCK)
        self.hint(name, LockedHint=False, **hints)

    def hint(self, name: str = "c1", **hints: Any) -> None:
        bus = dbus.bus.BusConnection(self.bus.address)
        self.addCleanup(bus.close)
        session = bus.get_object("org.freedesktop.login1", f"/org/freedesktop/login1/session/{name}", introspect=False)
        session.UpdateProperties(SESSION, dbus.Dictionary(hints, signature="sv"), dbus_interface=MOCK)

    def idle(self, seconds: float, name: str = "c1") -> None:
        # At the earliest since just after the boot: a machine of CI may be younger than an hour.
        since = dbus.UInt64(int(max(time.monotonic() - seconds, 1) * 1_000_000))
        self.hint(name, IdleHint=True, IdleSinceHintMonotonic=since)

    def stays(self, desk: Desk, seconds: float) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.assertEqual(desk.printed(), ALLOWED_PRINT)
            time.sleep(0.2)

    def is_locked(self, desk: Desk) -> None:
        self.assertEqual(desk.news(), ("locked", None))
        self.assertEqual(desk.printed(), LOCKED_PRINT)
        self.assertTrue(self.records("locked"))

    def test_it_holds_while_somebody_is_there(self) -> None:
        self.session()
        desk = self.attach()
        desk.unlock()
        self.stays(desk, 6)

    def test_it_ends_when_nobody_was_there_for_the_time(self) -> None:
        self.session()
        desk = self.attach()
        desk.unlock()
        self.stays(desk, 4)
        self.idle(0)
        self.is_locked(desk)
        # Being there again is no answer; a new one is, and what was shown goes on.
        self.hint(IdleHint=False)
        time.sleep(1)
        self.assertEqual(desk.printed(), LOCKED_PRINT)
        self.assertEqual(desk.state(), ("failed", "locked"))
        self.assertEqual([desk.news(), desk.news()], [("active", None), ("active", "unlocked")])
        self.assertEqual(desk.printed(), ALLOWED_PRINT)

    def test_time_before_the_answer_does_not_count(self) -> None:
        self.session()
        self.idle(3600)
        desk = self.attach()
        desk.unlock()
        self.stays(desk, 1.5)
        self.is_locked(desk)

    def test_a_locked_session_ends_it_at_once(self) -> None:
        self.session()
        desk = self.attach()
        desk.unlock()
        self.hint(LockedHint=True)
        self.is_locked(desk)

    def test_one_session_of_two_is_enough(self) -> None:
        self.session("c1")
        self.session("c2")
        desk = self.attach()
        desk.unlock()
        self.hint("c1", LockedHint=True)
        self.idle(3600, "c1")
        self.stays(desk, 5)
        self.hint("c2", LockedHint=True)
        self.is_locked(desk)

    def test_sessions_of_others_and_of_greeters_say_nothing(self) -> None:
        self.session("c1", uid=BOB)
        self.session("c2")
        self.hint("c2", Class="greeter")
        desk = self.attach()
        desk.unlock()
        self.is_locked(desk)

    def test_without_logind_the_time_counts_from_the_answer(self) -> None:
        desk = self.attach()
        desk.unlock()
        self.is_locked(desk)

    def test_logind_or_the_bus_goes_away(self) -> None:
        """Nobody says any more that somebody is there: the time counts from then."""
        self.session()
        desk = self.attach()
        desk.unlock()
        self.stays(desk, 4)
        self.bus.end(self.bus.daemon)
        self.stays(desk, 1.5)
        self.is_locked(desk)


if __name__ == "__main__":
    unittest.main()
