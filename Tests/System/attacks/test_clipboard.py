"""Somebody wants the organisation's text in a private page, by telling the daemon of copies, changes and drags that are
not what they seem (review H1, M5; CB-01; amendments, clipboard, second part)."""

from collections.abc import Callable
from functools import partial
from typing import Any

from attack_case import ALICE, BOB, PEOPLE
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from long_attack import LongAttack
from program import Program, Refused

SETTINGS = "graceSeconds: 600\nlimits: { attachSeconds: 600, viewersPerInstance: 40, instancesPerUser: 24 }\n"

SILENT = ("wrap", "plainText")
ECHO = ("clipEcho", *SILENT)
# Of the organisation's text, which is copied first.
LENGTH = 300
SELECTIONS = ("clipboard", "primary")
LONG_NAME = "d" * 5000

BOUND = Configuration(
    PEOPLE,
    settings=SETTINGS,
    organisation=ORGANISATION.replace(f"upn: {PERSONAL} ", f"upn: {PERSONAL}, protection: contoso-standard "),
)


class Clipboard(LongAttack):
    configuration = Configuration(PEOPLE, settings=SETTINGS)

    # Programs, and what they do

    def work(self, uid: int = ALICE) -> Program:
        return self.program(uid, features=ECHO, shows=WORK, viewers={"docs": "documents"})

    def notes(self, features: tuple[str, ...] = ECHO, uid: int = ALICE) -> Program:
        """A program with private data only."""
        return self.program(uid, features=features, shows=PERSONAL, viewers={"home": "loose"})

    def fill(self, work: Program, viewer: str = "docs", **event: Any) -> None:
        """The organisation's text comes on both selections, and its program sees that."""
        for selection in SELECTIONS:
            proposal = self.asked(work, viewer, LENGTH, selection, **event)
            self.report(work, viewer, proposal, LENGTH, selection, **event)

    def asked(
        self, program: Program, viewer: str, length: int | None, selection: str = "clipboard", **event: Any
    ) -> str:
        """The proposal of a copy."""
        event |= {"selection": selection} | ({} if length is None else {"length": length})
        return program.ask("Copy", viewer, **event)["proposal"]

    def report(
        self, program: Program, viewer: str, proposal: str | None, length: int | None, selection: str = "clipboard",
        own: bool = True, **event: Any,
    ) -> None:  # fmt: skip
        """A program says that a selection changed."""
        event |= {} if proposal is None else {"proposal": proposal}
        event |= {} if length is None else {"length": length}
        program.ask("ClipboardChanged", viewer, selection=selection, selfOwned=own, **event)

    def pasted(self, program: Program, length: int | None = LENGTH, selection: str = "clipboard", **event: Any) -> str:
        event |= {} if length is None else {"length": length}
        return program.outcome("Paste", "home", selection=selection, **event)[0]

    def stays(self, program: Program, *lengths: int | None, **event: Any) -> None:
        """The organisation's text does not get into the private page."""
        for selection in (*SELECTIONS, "unknown"):
            for length in (LENGTH, None, *lengths):
                self.assertEqual(self.pasted(program, length, selection, **event), "block", (selection, length, event))

    # Copies that never happen

    def never_happens(self, features: tuple[str, ...]) -> None:
        work, notes = self.work(), self.notes(features)
        self.fill(work)

        def once(length: int | None = 0) -> None:
            for selection in (*SELECTIONS, "unknown"):
                self.asked(notes, "home", length, selection)

        def copies_of_any_length() -> None:
            for length in (None, LENGTH, 7, 0):
                once(length)

        def nine_copies() -> None:
            for _ in range(9):
                once()

        def three_hundred_copies() -> None:
            for _ in range(300):
                once()

        def the_daemon_ends_between_copies() -> None:
            for killed in (True, False, True):
                once()
                self.restart(killed=killed)
                once()
                self.stays(notes)

        def nobody_reports_for_eleven_seconds() -> None:
            once()
            self.wait(11)

        def copies_elsewhere() -> None:
            for display in ("wayland-0", ":0", ":7", LONG_NAME):
                for _ in range(3):
                    notes.outcome("Copy", "home", selection="clipboard", length=0, display=display)
                if display != LONG_NAME:
                    self.stays(notes, display=display)

        def copies_and_asks_alternate() -> None:
            for _ in range(20):
                once()
                self.stays(notes)

        once()
        self.stays(notes)
        self.assertEqual(work.paste("docs", LENGTH), ("allow", "sameAccount"))
        self.holds(
            lambda: self.stays(notes),
            again=(
                once, copies_of_any_length, the_daemon_ends_between_copies, nobody_reports_for_eleven_seconds,
                nine_copies, copies_elsewhere, three_hundred_copies, copies_and_asks_alternate,
            ),
            times=1,
        )  # fmt: skip
        # It is no nuisance either: a copy that happens frees the selection.
        for selection in SELECTIONS:
            self.report(notes, "home", self.asked(notes, "home", 5, selection), 5, selection)
            self.assertEqual(self.pasted(notes, 5, selection), "allow")

    def test_a_copy_that_never_happens_lowers_nothing(self) -> None:
        self.never_happens(ECHO)

    def test_nor_does_one_of_a_program_that_reports_nothing(self) -> None:
        self.never_happens(SILENT)

    def test_only_its_own_echo_makes_a_copy_happen(self) -> None:
        """Neither the program's next change, nor a late one, nor one of another program."""
        work, notes = self.work(), self.notes()
        both = self.notes()
        both.show(WORK, window="w")
        both.register("office", "documents", window="w")
        self.fill(work)

        def another_change_of_a_program_that_shows_both() -> None:
            for asked, seen in ((3, None), (3, 0), (3, 7), (LENGTH, LENGTH), (None, 3), (None, None)):
                self.fill(work)
                for selection in SELECTIONS:
                    self.asked(both, "home", asked, selection)
                    self.report(both, "home", None, seen, selection)
                    self.assertEqual(self.pasted(notes, seen, selection), "block", (asked, seen))
            self.fill(work)

        def another_program_names_it() -> None:
            for selection in SELECTIONS:
                proposal = self.asked(notes, "home", 3, selection)
                for other in (work, both):
                    self.report(other, "office" if other is both else "docs", proposal, 3, selection)
                    self.assertEqual(self.pasted(notes, 3, selection), "block")
            self.fill(work)

        def a_late_one() -> None:
            proposals = [self.asked(both, "home", 3, selection) for selection in SELECTIONS]
            self.wait(11)
            for proposal, selection in zip(proposals, SELECTIONS, strict=True):
                self.report(both, "home", proposal, 3, selection)
                self.assertEqual(self.pasted(notes, 3, selection), "block")
            self.fill(work)

        def invented_names() -> None:
            for name in ("proposal-0000000000000001-1", "proposal-ffffffffffffffff-99", "x", ""):
                for selection in SELECTIONS:
                    self.asked(both, "home", 3, selection)
                    both.outcome(
                        "ClipboardChanged", "home", selection=selection, selfOwned=True, length=3, proposal=name
                    )
                    self.assertEqual(self.pasted(notes, None, selection), "block", name)
            self.fill(work)

        self.holds(
            lambda: self.stays(notes),
            again=(another_change_of_a_program_that_shows_both, another_program_names_it, a_late_one, invented_names),
            times=1,
        )

    # Calls that are refused

    def limit_reached(self, ask: Callable[[], Any]) -> None:
        with self.assertRaisesRegex(Refused, "LimitReached"):
            ask()

    def test_a_refused_report_only_raises(self) -> None:
        work, notes = self.work(), self.notes()
        self.fill(work)

        def many(program: Program, *questions: tuple[str, dict[str, Any]]) -> None:
            """Neither of them is answered, since the last has too long a name."""
            asked = [{"kind": kind, "event": event} for kind, event in questions]
            asked.append({"kind": "paste", "event": {"selection": "clipboard", "display": LONG_NAME}})
            self.limit_reached(lambda: program.call("DecideMany", questions=asked))

        def nothing_is_lowered() -> None:
            for selection in SELECTIONS:
                proposal = self.asked(notes, "home", 4, selection)
                asked = {"viewer": "home", "selection": selection, "length": 3}
                seen = asked | {"selfOwned": True, "proposal": proposal, "length": 4}
                for question, event in (("Copy", asked), ("ClipboardChanged", seen)):
                    too_long = event | {"display": LONG_NAME}
                    self.limit_reached(partial(notes.ask, question, **too_long))
                many(notes, ("copy", asked), ("clipboardChanged", seen))
                for length in (3, 4):
                    self.assertEqual(self.pasted(notes, length, selection), "block", (selection, length))

        self.holds(lambda: self.stays(notes), again=(nothing_is_lowered,), times=1)

        def copy(asked: dict[str, Any]) -> None:
            self.limit_reached(lambda: work.ask("Copy", **asked, display=LONG_NAME))

        def change(asked: dict[str, Any]) -> None:
            self.limit_reached(lambda: work.ask("ClipboardChanged", **asked, selfOwned=True, display=LONG_NAME))

        def copy_of_many(asked: dict[str, Any]) -> None:
            many(work, ("copy", asked))

        def change_of_many(asked: dict[str, Any]) -> None:
            many(work, ("clipboardChanged", asked | {"selfOwned": True}))

        displays: tuple[dict[str, Any], ...] = ({}, {"display": ":0"})
        for display in displays:
            for refuse in (copy, change, copy_of_many, change_of_many):
                for selection in SELECTIONS:
                    with self.subTest(refuse.__name__, selection=selection, **display):
                        proposal = self.asked(notes, "home", 5, selection, **display)
                        self.report(notes, "home", proposal, 5, selection, **display)
                        self.assertEqual(self.pasted(notes, 5, selection, **display), "allow")
                        refuse({"viewer": "docs", "selection": selection, "length": 5})
                        for killed in (True, False):
                            self.assertEqual(self.pasted(notes, 5, selection, **display), "block")
                            self.restart(killed=killed)
                            self.assertEqual(self.pasted(notes, None, selection, **display), "block")

    # Drags

    def test_a_second_drag_launders_nothing(self) -> None:
        work, notes = self.work(), self.notes()

        def drop() -> tuple[str, str]:
            return notes.paste("home", 9, "drag")

        def ends(program: Program, viewer: str) -> None:
            program.ask("DragEnd", viewer, selection="drag")

        work.copy("docs", LENGTH, "drag")

        def is_kept() -> None:
            self.assertEqual(drop()[0], "block")

        def another_starts() -> None:
            notes.copy("home", 9, "drag")

        def another_starts_and_ends() -> None:
            for _ in range(20):
                notes.copy("home", 9, "drag")
                is_kept()
                ends(notes, "home")
                is_kept()

        def many_start() -> None:
            for _ in range(300):
                notes.copy("home", 9, "drag")

        def it_is_reported_as_another_programs() -> None:
            for length in (9, LENGTH):
                self.report(notes, "home", None, length, "drag", own=False)
                self.report(notes, "home", None, length, "drag")

        steps = (another_starts, another_starts_and_ends, many_start, it_is_reported_as_another_programs)
        for step in (*steps, *steps):
            step()
            is_kept()
            for killed in (True, False):
                self.restart(killed=killed)
                is_kept()
        self.wait(200)
        another_starts()
        is_kept()
        # Its own program tells that it was cancelled, and the next drag is nobody's.
        for _ in range(3):
            ends(notes, "home")
            ends(work, "docs")
            self.assertEqual(drop()[0], "block")
            notes.copy("home", 9, "drag")
            self.assertEqual(drop()[0], "allow")
            work.copy("docs", LENGTH, "drag")
            is_kept()
        # Nobody ended it: after five minutes the next begins anew.
        self.wait(301)
        is_kept()
        ends(notes, "home")
        notes.copy("home", 9, "drag")
        self.assertEqual(drop()[0], "allow")

    def test_the_drags_of_many_programs_launder_none(self) -> None:
        """Nor when there are more than the daemon keeps apart, and each says that its own has ended."""
        work = self.work()
        others = [self.notes() for _ in range(12)]
        for rounds in range(2):
            work.copy("docs", LENGTH, "drag")
            for _ in range(3):
                for other in others:
                    other.copy("home", 9, "drag")
                    self.assertEqual(other.paste("home", 9, "drag")[0], "block")
                if rounds == 1:
                    self.restart(killed=True)
                for other in others:
                    other.ask("DragEnd", "home", selection="drag")
                    self.assertEqual(other.paste("home", 9, "drag")[0], "block")
            self.wait(301)
            others[0].copy("home", 9, "drag")
            self.assertEqual(others[1].paste("home", 9, "drag")[0], "allow")
            others[0].ask("DragEnd", "home", selection="drag")

    # Displays and persons

    def test_two_persons_on_one_x_display_launder_nothing(self) -> None:
        """M5: Bob's programs report what lies there as somebody else's, of the same length."""
        work, bob = self.work(), self.notes(uid=BOB)
        self.fill(work, display=":0")
        names = (":0", ":0.0", ":0.1", "unix:0", "localhost:0.0")

        def reports() -> None:
            for display in names:
                for length in (LENGTH, None):
                    for selection in SELECTIONS:
                        self.report(bob, "home", None, length, selection, own=False, display=display)

        def is_kept() -> None:
            for display in names:
                for selection in (*SELECTIONS, "unknown"):
                    pasted = bob.paste("home", LENGTH, selection, display=display)
                    self.assertEqual(pasted, ("block", "ownerUnknown"), (display, selection))

        def bob_asks_for_copies() -> None:
            for _ in range(20):
                for selection in SELECTIONS:
                    self.asked(bob, "home", 0, selection, display=":0")

        reports()
        self.holds(is_kept, again=(reports, bob_asks_for_copies), times=1)
        # What is surely something else is free: another length, another display, Bob's own copy since.
        for selection in SELECTIONS:
            proposal = self.asked(bob, "home", 8, selection, display=":0")
            self.report(bob, "home", proposal, 8, selection, display=":0")
            self.assertEqual(self.pasted(bob, 8, selection, display=":0.0"), "allow")
            proposal = self.asked(bob, "home", LENGTH, selection, display=":0")
            self.report(bob, "home", proposal, LENGTH, selection, display=":0")
            self.assertEqual(self.pasted(bob, LENGTH, selection, display=":0.0"), "allow")
        self.fill(work, display="wayland-0")
        for display in ("wayland-0", ":1"):
            self.report(bob, "home", None, LENGTH, own=False, display=display)
            self.assertEqual(self.pasted(bob, LENGTH, display=display), "allow", display)

    def test_a_clipboard_manager_takes_no_clip_over(self) -> None:
        """A text of the same or of no length is still the organisation's, also when its program has ended."""
        work, notes = self.work(), self.notes()
        self.fill(work)

        def others_report(*programs: Program) -> None:
            for program in programs or (notes,):
                for length in (LENGTH, None):
                    for selection in SELECTIONS:
                        self.report(
                            program, "docs" if program is work else "home", None, length, selection, own=False
                        )

        def its_own_program_reports_it_too() -> None:
            others_report(work, notes)

        self.holds(lambda: self.stays(notes), again=(others_report, its_own_program_reports_it_too), times=1)
        self.programs.remove(work)
        work.end()
        self.wait(700)
        self.holds(lambda: self.stays(notes), again=(others_report,), times=1)
        # Another length is another text: nobody holds the organisation's any more.
        for selection in SELECTIONS:
            self.report(notes, "home", None, 8, selection, own=False)
            self.assertEqual(self.pasted(notes, 8, selection), "allow")

    def test_a_policy_that_comes_later_binds_what_was_copied(self) -> None:
        """EN-16: management that begins after sign-in. A policy that frees an account frees nothing that was copied."""
        private, nobody = self.notes(), self.notes()
        nobody.show("")
        self.fill(private, "home")
        for selection in SELECTIONS:
            self.assertEqual(self.pasted(nobody, LENGTH, selection), "allow")
        self.reload(BOUND)

        def is_bound() -> None:
            for selection in SELECTIONS:
                self.assertEqual(nobody.paste("home", LENGTH, selection), ("block", "orgData"))
                self.assertEqual(private.paste("home", LENGTH, selection), ("allow", "sameAccount"))

        self.holds(is_bound, again=(lambda: self.asked(nobody, "home", 0),), times=1)
        self.fill(private, "home")
        self.reload(type(self).configuration)
        for selection in SELECTIONS:
            self.assertEqual(nobody.paste("home", LENGTH, selection), ("block", "ownerUnknown"))

    # What stays allowed

    def test_private_copies_beside_the_organisations_are_free(self) -> None:
        work, echo, silent = self.work(), self.notes(), self.notes(SILENT)

        def named() -> None:
            self.report(echo, "home", self.asked(echo, "home", 20), 20)
            self.assertEqual(self.pasted(echo, 20), "allow")
            self.assertEqual(self.pasted(silent, None), "allow")

        def by_length() -> None:
            self.asked(echo, "home", 21)
            self.report(echo, "home", None, 21)
            self.assertEqual(self.pasted(silent, 21), "allow")

        def of_a_program_that_reports_nothing() -> None:
            self.asked(silent, "home", 22)
            self.assertEqual(self.pasted(silent, 22), "allow")

        def which_another_program_sees() -> None:
            self.asked(silent, "home", 23)
            self.report(echo, "home", None, 23, own=False)
            self.assertEqual(self.pasted(echo, None), "allow")

        def that_its_program_makes_by_itself() -> None:
            self.report(echo, "home", None, 24)
            self.assertEqual(self.pasted(silent, 24), "allow")

        def across_a_restart() -> None:
            for killed in (True, False):
                proposal = self.asked(echo, "home", 25)
                self.restart(killed=killed)
                self.report(echo, "home", proposal, 25)
                self.assertEqual(self.pasted(echo, 25), "allow")

        def for_hours() -> None:
            named()
            self.wait(7200)
            self.assertEqual(self.pasted(echo, 20), "allow")

        def a_cancelled_drag() -> None:
            work.copy("docs", 9, "drag")
            work.ask("DragEnd", "docs", selection="drag")
            echo.copy("home", 9, "drag")
            self.assertEqual(echo.paste("home", 9, "drag")[0], "allow")
            echo.ask("DragEnd", "home", selection="drag")

        ways = (
            named, by_length, of_a_program_that_reports_nothing, which_another_program_sees,
            that_its_program_makes_by_itself, across_a_restart, for_hours, a_cancelled_drag,
        )  # fmt: skip
        for _ in range(3):
            for way in ways:
                with self.subTest(way.__name__):
                    self.fill(work)
                    self.stays(echo)
                    way()
        # A work viewer in the same program, which was not copied from.
        both = self.notes()
        both.show(WORK, window="w")
        both.register("office", "documents", window="w")
        for number in range(50):
            self.report(both, "home", self.asked(both, "home", 30 + number), 30 + number)
            self.assertEqual(self.pasted(both, 30 + number), "allow", number)
