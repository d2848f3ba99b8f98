"""What the log tells of a person, and what a page can do to it."""

import contextlib
import signal
import sqlite3
import subprocess
import time
from datetime import datetime

from attack_case import ALICE, APP, BOB, INSIDE, OUTSIDE, PEOPLE
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from daemon import PROGRAM
from log_files import closed_files, log_bytes
from long_attack import LongAttack
from program import Refused
from wire import ADMIN, GUARD

SETTINGS = """\
graceSeconds: 600
limits: { attachSeconds: 600, viewersPerInstance: 40, instancesPerUser: 8 }
log: { rotateMegabytes: 1, maximumMegabytes: 64 }
"""

# A class whose pages are judged whoever is signed in.
ALWAYS = PEOPLE + "      judged: { policy: currentIdentity, externalURLs: contoso, rulesApply: always }\n"
SECRET = "https://clinic-for-secrets.example/my-illness"


class PrivatePages(LongAttack):
    """H7: no page of a viewer with nobody's or unmanaged data is named in the log, whatever happened before or comes
    after; pages of the organisation are."""

    configuration = Configuration(ALWAYS, settings=SETTINGS)

    def logged(self) -> str:
        return log_bytes(self.daemon.logs).decode()

    def nothing_is_told(self) -> None:
        self.assertNotIn("clinic-for-secrets", self.logged())
        self.assertNotIn("my-illness", self.logged())
        self.assertNotIn("clinic-for-secrets", self.daemon.said.read_text())

    def browses(self, program, viewer: str, number: int = 0) -> None:
        """Everything that can name a page."""
        page = f"{SECRET}/{number}"
        program.navigate(viewer, page, **{"from": f"{SECRET}/before"})
        self.says(program, viewer, page)
        for question in ("Download", "Upload", "OpenURL"):
            program.outcome(question, viewer, url=page, **{"from": page})
        program.navigate(viewer, page, frame="sub", **{"from": page})
        program.navigate(viewer, "https://\U0001f600 " + SECRET, **{"from": page})
        program.copy(viewer)
        program.paste(viewer)

    def says(self, program, viewer: str, document: str) -> None:
        """What the page is; where it was judged external, the daemon refuses to hear it."""
        try:
            program.tell("SetDocument", viewer=viewer, document=document)
        except Refused as refused:
            self.assertEqual(str(refused), "DocumentIsExternal")

    def registers(self, program, viewer: str, **facts: str) -> None:
        """With a private page as its document. After a restart the program names the page it shows then, as clients do."""
        program.told.append(("RegisterViewer", {"viewer": viewer, **facts}))
        try:
            program.call("RegisterViewer", viewer=viewer, document=SECRET, **facts)
        except Refused as refused:
            self.assertEqual(str(refused), "DocumentIsExternal")

    def test_registered_before_anybody_signed_in(self) -> None:
        alice = self.program(ALICE)
        for viewer, viewer_class in (("tab", "loose"), ("kiosk", "judged"), ("docs", "documents")):
            self.registers(alice, viewer, **{"class": viewer_class})
            self.browses(alice, viewer)
        alice.show(WORK)
        for viewer in ("tab", "kiosk", "docs"):
            # The private page is left for one of the organisation's.
            alice.navigate(viewer, "https://contoso.com/first", **{"from": SECRET})
            self.says(alice, viewer, "https://contoso.com/first")
            alice.navigate(viewer, "https://contoso.com/second", **{"from": "https://contoso.com/first"})
            self.says(alice, viewer, "https://contoso.com/second")
        self.holds(self.nothing_is_told)
        for url in ('"url":"https://contoso.com/first"', '"from":"https://contoso.com/first"'):
            self.assertIn(url, self.logged())
        self.assertIn('"document":"https://contoso.com/first"', self.logged())

    def test_signed_out_and_in_again(self) -> None:
        alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents", "kiosk": "judged"})
        alice.navigate("docs", "https://contoso.com/first")

        def signs_out() -> None:
            alice.show("")
            for viewer in ("docs", "kiosk"):
                self.browses(alice, viewer)

        def shows_another_account() -> None:
            alice.show(PERSONAL)
            for number in range(20):
                self.browses(alice, "docs", number)

        def signs_in() -> None:
            alice.show(WORK)
            alice.navigate("docs", "https://contoso.com/first", **{"from": SECRET})
            self.says(alice, "kiosk", SECRET)

        self.holds(self.nothing_is_told, again=(signs_out, signs_in, shows_another_account, signs_in))

    def test_a_viewer_whose_tag_changes(self) -> None:
        alice = self.program(ALICE, shows=WORK, viewers={"tab": "loose", "docs": "documents"})

        def is_private() -> None:
            alice.tell("SetWebViewPolicy", viewer="tab", policy="unmanaged")
            self.browses(alice, "tab")

        def is_the_organisations() -> None:
            alice.tell("SetWebViewPolicy", viewer="tab", policy="currentIdentity")
            alice.navigate("tab", "https://contoso.com/", **{"from": SECRET})

        def registers_private_ones() -> None:
            self.registers(alice, "alone", kind="ephemeral")
            self.browses(alice, "alone")

        self.holds(self.nothing_is_told, again=(is_private, is_the_organisations, registers_private_ones))
        self.assertIn('"change":"setWebViewPolicy"', self.logged())

    def test_a_private_window_beside_the_organisations(self) -> None:
        alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents"})
        alice.show(PERSONAL, window="own")
        self.registers(alice, "home", window="own", **{"class": "loose"})

        def goes_on() -> None:
            self.browses(alice, "home")
            alice.navigate("docs", "https://contoso.com/work", **{"from": "https://contoso.com/"})

        self.holds(self.nothing_is_told, again=(goes_on,))
        self.assertIn('"from":"https://contoso.com/"', self.logged())

    def test_administrators_who_watch_see_none(self) -> None:
        """Nor do those who ask for an explanation, or for a preview."""
        alice = self.program(ALICE, shows=PERSONAL, viewers={"kiosk": "judged"})
        decision = alice.ask("Navigate", "kiosk", url=SECRET, frame="main")
        admin = self.wire(self.daemon.admin_socket)
        explained = admin.call("org.webviewguard.Rules.Explain", decision=decision["id"])
        self.assertIn("parameters", explained)
        self.assertNotIn("clinic-for-secrets", str(explained))
        preview = admin.call(f"{ADMIN}.Reload", preview=True)
        self.assertNotIn("clinic-for-secrets", str(preview))


class Floods(LongAttack):
    """H3: a page that makes its user's records many and long does not lock him out for longer than an hour."""

    # A quarter of 4 MB is a user's share.
    configuration = Configuration(
        ALWAYS, settings=SETTINGS.replace("maximumMegabytes: 64", "maximumMegabytes: 4")
    )
    LONG = "https://contoso.com/" + "a" * 65_000

    def fill(self, program, limit: int = 4000) -> int:
        """Asks for long addresses until nothing is allowed any more; how often that took."""
        for number in range(limit):
            if program.navigate("docs", f"{self.LONG}{number}") == ("block", "LimitReached"):
                # The daemon takes note of the time once a second.
                self.wait(1)
                return number
        self.fail("the share does not fill")

    def test_a_share_full_of_long_addresses_recovers_within_an_hour(self) -> None:
        alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents"})
        bob = self.program(BOB, shows=WORK, viewers={"docs": "documents"})
        asked = self.fill(alice)
        for program, problems in ((alice, ["logShareFull"]), (bob, [])):
            self.assertEqual(program.call("OwnPrograms")["problems"], problems, "each is told of his own share")
        # At 65 KB each a sixteenth would have been enough.
        self.assertGreater(asked, 300)
        for _ in range(3):
            self.assertEqual(alice.navigate("docs", INSIDE), ("block", "LimitReached"))
            self.assertEqual(alice.navigate("docs", OUTSIDE)[0], "redirect")
            self.assertEqual(bob.navigate("docs", INSIDE), ("allow", "internal"))
            self.wait(1800)
            self.assertEqual(alice.navigate("docs", INSIDE), ("block", "LimitReached"))
            self.wait(1801)
            self.assertEqual(alice.navigate("docs", INSIDE), ("allow", "internal"))
            self.fill(alice)
        self.wait(3601)
        self.restart(killed=True)
        self.wait(3601)
        self.assertEqual(alice.navigate("docs", INSIDE), ("allow", "internal"))
        limited = self.daemon.records("limited")
        self.assertEqual({record["uid"] for record in limited}, {ALICE})
        self.assertGreater(sum(record["refused"] for record in limited), 6)
        self.assertEqual(self.daemon.verify_log().returncode, 0)


class Frames(LongAttack):
    """H3: what a page does by itself is not recorded one by one beyond a rate."""

    configuration = Configuration(ALWAYS, settings=SETTINGS)

    def test_frames_beyond_a_rate_are_counted(self) -> None:
        """The log holds so many records of a viewer, and how many questions there were beside them."""
        alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents", "tab": "loose"})
        asked, at_once = 3000, 100
        # A hundred in each call: one by one a busy machine takes so long that the rate records all of them.
        for first in range(0, asked, at_once):
            events = [{"viewer": "docs", "url": f"{INSIDE}{number}", "frame": "sub"} for number in range(first, first + at_once)]
            alice.call("DecideMany", questions=[{"kind": "navigate", "event": event} for event in events])
        alice.navigate("docs", f"{INSIDE}main")
        alice.ask("Navigate", "tab", url=f"{INSIDE}other", frame="sub")
        self.daemon.stop()
        frames = [record for record in self.daemon.records("decision") if record.get("frame") == "sub"]
        counted = [record for record in self.daemon.records("counts") if record.get("viewer") == "docs"]
        self.assertLess(len(frames), asked)
        self.assertEqual(len(frames) + sum(record["count"] for record in counted), asked + 1)
        self.assertEqual({record["uid"] for record in counted}, {ALICE})
        self.assertEqual([record["viewer"] for record in frames][-1], "tab")
        main = [record for record in self.daemon.records("decision") if record.get("frame") == "main"]
        self.assertEqual([record["url"] for record in main], [f"{INSIDE}main"])
        self.daemon.start()


YEARS = 10 * 366 * 86_400


class Clocks(LongAttack):
    """M3: a clock that is wrong for a moment leaves nothing behind; one that is wrong on record can be repaired."""

    configuration = Configuration(PEOPLE, settings=SETTINGS)

    def setUp(self) -> None:
        super().setUp()
        self.alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents"})

    def health(self) -> set[str]:
        return {problem["code"] for problem in self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Health"))["problems"]}

    def latest(self) -> str:
        """The time of a new record."""
        self.alice.navigate("docs", INSIDE)
        self.wait(1)
        return self.daemon.records("decision")[-1]["time"]

    def closed(self) -> list[str]:
        return [file.name for file in closed_files(self.daemon.logs)]

    def fill_a_file(self) -> None:
        for number in range(1500):
            self.alice.navigate("docs", f"{INSIDE}{'a' * 800}{number}")
        self.wait(1)

    def test_a_clock_that_was_ten_years_ahead(self) -> None:
        self.fill_a_file()
        closed, before = self.closed(), self.latest()
        self.assertTrue(closed)
        for _ in range(3):
            self.set_clock(YEARS)
            self.assertEqual(self.health(), {"clockAhead"})
            self.assertEqual(self.latest()[:4], before[:4])
            self.wait(3600)
            self.restart(killed=True)
            self.wait(3 * 86_400)
            self.restart(killed=False)
            self.assertEqual(self.health(), {"clockAhead"})
            self.assertLess(self.latest()[:4], str(int(before[:4]) + 2))
            self.set_clock(-YEARS)
            self.assertEqual(self.health(), set())
            self.assertLess(self.latest()[:4], str(int(before[:4]) + 2))
        self.assertEqual(self.closed()[: len(closed)], closed)
        acts = [record["act"] for record in self.daemon.records("clock")]
        self.assertEqual((acts[0], acts[-1]), ("ahead", "right"))
        self.daemon.tells("jumped ahead")
        self.assertEqual(self.daemon.verify_log().returncode, 0)

    def test_many_small_jumps_are_no_large_one(self) -> None:
        self.fill_a_file()
        closed = self.closed()
        for _ in range(30):
            self.set_clock(599)
        self.assertEqual(self.health(), {"clockAhead"})
        self.assertEqual(self.closed(), closed)

    def boot_in_1970(self) -> int:
        """The machine restarts, and its clock has no battery. By so many seconds it is wrong."""
        wrong = int(time.time()) + self.clock.wall - 60
        self.clock.set(-wrong)
        self.restart(killed=True, machine=True)
        self.alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents"})
        return wrong

    def test_a_machine_without_a_battery(self) -> None:
        """Its clock counts once in a boot, when it is set; and no file goes when it is set wrong."""
        self.fill_a_file()
        closed, before = self.closed(), self.latest()
        self.assertTrue(closed)
        for round_number in range(3):
            wrong = self.boot_in_1970()
            self.assertEqual(self.health(), {"clockBehind"})
            held = self.latest()
            self.assertGreaterEqual(held, before)
            if round_number:
                self.wait(30)
                self.restart(killed=bool(round_number % 2))
            self.set_clock(wrong + YEARS)
            self.assertEqual(self.health(), {"clockAhead"})
            self.assertEqual(self.latest()[:10], held[:10])
            self.restart(killed=True)
            self.assertEqual(self.health(), {"clockAhead"})
            self.set_clock(20 * 86_400 - YEARS)
            self.assertEqual(self.health(), set())
            after = datetime.fromisoformat(self.latest()) - datetime.fromisoformat(held)
            self.assertEqual(after.days, 20)
            self.set_clock(20 * 86_400)
            self.restart(killed=bool(round_number % 2))
            self.assertEqual(self.health(), {"clockAhead"}, "and once only")
            self.set_clock(-20 * 86_400)
            self.assertEqual(self.health(), set())
            before = self.latest()
        self.assertEqual(self.closed()[: len(closed)], closed)
        self.assertEqual(self.daemon.verify_log().returncode, 0)

    def test_files_go_for_their_age_when_the_time_has_passed(self) -> None:
        self.fill_a_file()
        first = self.closed()[0]
        self.wait(91 * 86_400)
        self.latest()
        self.assertNotIn(first, self.closed())
        self.assertEqual(self.health(), set())
        self.assertEqual(self.daemon.verify_log().returncode, 0)

    def test_a_wrong_time_on_record_is_repaired(self) -> None:
        """As versions left it that believed every clock: the time is on record, and holds until the clock gets there."""
        before = self.latest()
        self.daemon.stop()
        state = self.daemon.directory / "state/state.db"
        with contextlib.closing(sqlite3.connect(state)) as database:
            frozen = 2_300_000_000_000
            database.execute("UPDATE service SET latest = ?", (frozen,))
            database.commit()
        self.daemon.start()
        self.alice.reconnect()
        self.assertEqual(self.health(), {"clockBehind"})
        self.assertEqual(self.latest()[:4], "2042")
        repair = [PROGRAM, "log", "repair", "--state-dir", str(state.parent)]
        running = subprocess.run(repair, capture_output=True, text=True, env=self.daemon.environment)
        self.assertEqual(running.returncode, 2, running.stdout)
        self.daemon.stop()
        done = subprocess.run(repair, capture_output=True, text=True, env=self.daemon.environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        for _ in range(3):
            self.daemon.start()
            self.alice.reconnect()
            self.assertEqual(self.health(), set())
            self.assertEqual(self.latest()[:4], before[:4])
            self.daemon.stop()
        self.assertEqual([record["act"] for record in self.daemon.records("clock")], ["repaired"])
        self.assertEqual(self.daemon.verify_log().returncode, 0)
        self.daemon.start()


class CutLogs(LongAttack):
    """M4: who cuts, replaces or removes the log while no daemon runs is found out at the next start."""

    configuration = Configuration(PEOPLE, settings=SETTINGS)

    def setUp(self) -> None:
        super().setUp()
        self.alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents"})
        for number in range(20):
            self.alice.navigate("docs", f"{INSIDE}{number}")
        self.wait(1)

    def tampered(self, how, *, killed: bool = False, machine: bool = False) -> list[str]:
        """The problems of a daemon that starts after that was done to the log of the one before."""
        self.daemon.stop(signal.SIGKILL if killed else signal.SIGTERM)
        lines = self.daemon.log_file.read_bytes().splitlines(keepends=True)
        how(lines)
        if machine:
            self.clock.restart_machine()
        self.daemon.start()
        health = self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Health"))
        return [problem["code"] for problem in health["problems"]]

    def keep(self, count: int):
        """Leaves all but the last lines."""
        return lambda lines: self.daemon.log_file.write_bytes(b"".join(lines[: len(lines) - count]))

    def test_a_log_that_nobody_touched(self) -> None:
        for killed in (True, False, True):
            self.assertEqual(self.tampered(lambda _: None, killed=killed), [])
        self.assertEqual(self.tampered(lambda _: None, killed=True, machine=True), [])
        self.assertEqual(self.daemon.records("lost"), [])
        self.assertEqual(self.daemon.verify_log().returncode, 0)

    def test_a_cut_tail_is_told_at_the_next_start(self) -> None:
        for count in (1, 5, 15):
            with self.subTest(count):
                self.assertEqual(self.tampered(self.keep(count), killed=count == 5), ["logCut"])
                status = self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Status"))
                self.assertIn("had been written", status["log"]["lost"])
        self.assertEqual(self.daemon.tells("records of the decision log are gone", 3), 3)
        # The last cut took the records of the first two.
        self.assertEqual([record["sameBoot"] for record in self.daemon.records("lost")], [True])
        verified = self.daemon.verify_log()
        self.assertEqual(verified.returncode, 1)
        self.assertIn("were cut off while no daemon ran", verified.stdout)
        # It is told once, and stays on record.
        self.assertEqual(self.tampered(lambda _: None), [])
        self.assertEqual(self.daemon.verify_log().returncode, 1)

    def test_a_log_that_was_removed_or_replaced(self) -> None:
        self.assertEqual(self.tampered(lambda _: self.daemon.log_file.unlink()), ["logCut"])
        whole = self.daemon.log_file.read_bytes()
        self.assertEqual(self.tampered(lambda _: self.daemon.log_file.write_bytes(b"")), ["logCut"])
        self.assertEqual(self.tampered(lambda _: self.daemon.log_file.write_bytes(whole)), ["logCut"])

    def test_a_power_cut_may_take_the_end(self) -> None:
        self.assertEqual(self.tampered(self.keep(3), killed=True, machine=True), ["logCut"])
        self.assertEqual([record["sameBoot"] for record in self.daemon.records("lost")], [False])
        verified = self.daemon.verify_log()
        self.assertEqual(verified.returncode, 0)
        self.assertIn("records were lost once", verified.stdout)

    def test_the_oldest_files_removed_by_hand(self) -> None:
        for number in range(3000):
            self.alice.navigate("docs", f"{INSIDE}{'a' * 800}{number}")
        self.wait(1)
        closed = closed_files(self.daemon.logs)
        self.assertGreater(len(closed), 1)
        self.assertEqual(self.daemon.verify_log().returncode, 0)
        closed[0].unlink()
        verified = self.daemon.verify_log()
        self.assertEqual(verified.returncode, 1)
        self.assertIn("records 1 to", verified.stdout)


# A second entry of an account: the loader says which.
TWICE = ORGANISATION.replace("protections:", "  - { upn: work@contoso.com }\nprotections:")


class Journal(LongAttack):
    """M7: no account and no query of a URL is named in the operational log, whichever call is refused (ledger DC-03)."""

    configuration = Configuration(PEOPLE, settings=SETTINGS)

    def test_no_refused_call_names_an_account(self) -> None:
        names = ("anna.secret@contoso.org", "secret-object-id")

        def is_refused() -> None:
            self.are_refused(names)

        is_refused()
        for error in ("UnknownAccount", "UnknownViewer", "UnknownClass", "PolicyLocked", "UnknownRuleSet"):
            self.daemon.tells(f"{GUARD}.{error}")
        self.daemon.tells('UnknownAccount {"account":"acct:')
        self.holds(self.is_silent, again=(is_refused,))

    def test_at_no_level_is_an_account_or_a_query_named(self) -> None:
        """From `trace`, which tells most, to `error`; with names of viewers, methods and members that are addresses."""
        names = ("https://clinic.example/?token=secret", "mailto:anna.secret@contoso.org?body=secret", "tab:#a\nsecret\tb")
        plain = list(self.daemon.arguments)
        for level in ("trace", "debug", "info", "notice", "warning", "error"):
            with self.subTest(level):
                self.daemon.arguments = [*plain, "--log-level", level]
                self.restart(killed=False, returning=False)
                self.programs.clear()
                self.are_refused(names)
                self.loads_what_names_accounts()
                self.is_silent()
        for word in ("(query)", "(account)"):
            self.daemon.tells(word)

    def is_silent(self) -> None:
        said = self.daemon.said.read_text()
        for word in ("secret", "work@contoso.com", "contoso.org"):
            self.assertNotIn(word, said)

    def are_refused(self, names: tuple[str, ...]) -> None:
        """By a program that shows nobody's data, and by one that shows the organisation's."""
        alice, bob = self.program(ALICE), self.program(BOB, shows=WORK)
        for name in names:
            for program in (alice, bob):
                self.refusals(program, name)
                program.leave()
                program.reconnect()
        alice.leave()
        bob.leave()

    def loads_what_names_accounts(self) -> None:
        """A configuration that is refused, with the loader's own words."""
        Configuration(PEOPLE, settings=SETTINGS, organisation=TWICE).write(self.daemon.config)
        reply = self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Reload")
        self.assertEqual(reply.get("error"), f"{ADMIN}.LoadFailed")
        self.assertIn(WORK, str(reply), "the administrator is told")
        self.reload(self.configuration)

    def refusals(self, program, name: str) -> None:
        """Calls with an account or an address where the daemon expects something else, or does not know it."""
        program.register("docs", "documents")
        program.register("tab", "loose")
        calls = [
            ("SetIdentity", {"level": "process", "account": name}),
            ("SetIdentity", {"level": "window", "window": "w", "accounts": [WORK, name]}),
            ("RegisterViewer", {"viewer": "x", "class": name}),
            ("RegisterViewer", {"viewer": "x", "parent": name}),
            ("SetWebViewPolicy", {"viewer": name, "policy": "unmanaged"}),
            ("SetWebViewPolicy", {"viewer": "docs", "policy": "unmanaged"}),
            ("SetWebViewPolicy", {"viewer": "docs", "policy": name}),
            ("SetExternalURLRules", {"viewer": "tab", "ruleSet": name}),
            ("SetDocument", {"viewer": name, "document": "https://clinic.example/?secret"}),
            ("SetDocument", {"viewer": "docs", "document": name + "\0 ://"}),
            ("Answer", {"request": name, "result": "success"}),
            ("Acknowledge", {"decision": name, "outcome": "allow"}),
            ("Attach", {"app": name}),
            (name, {"account": name}),
            ("WhoAmI", {name: name}),
            ("Navigate", {"event": {"viewer": name * 30, "url": OUTSIDE}}),
            ("Navigate", {"event": {"viewer": "docs", "url": f"{OUTSIDE}?secret", "from": f"{INSIDE}?secret", "frame": name}}),
        ]
        may_be_answered = ("Navigate", "WhoAmI", "SetDocument", "SetIdentity")
        for method, parameters in calls:
            try:
                program.call(method, **parameters)
            except Refused:
                continue
            self.assertIn(method, may_be_answered, f"{method} of {APP} is refused")
