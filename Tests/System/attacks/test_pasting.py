"""A page that loads in place, although it is external, wants the organisation's clip or file (WV-31)."""

from attack_case import ALICE, INSIDE, PEOPLE
from configuration import ORGANISATION, WORK, Configuration
from long_attack import LongAttack
from program import Program

EVIL = "https://evil.example/"
IN_PLACE = "webTransfer: any\n    externalInPlace: unmanaged"
SETTINGS = "graceSeconds: 600\nlimits: { attachSeconds: 600, viewersPerInstance: 40, instancesPerUser: 8 }\n"


class ExternalPages(LongAttack):
    configuration = Configuration(
        PEOPLE, settings=SETTINGS, organisation=ORGANISATION.replace("webTransfer: managedBrowser", IN_PLACE)
    )

    def test_no_external_page_takes_what_is_the_organisations(self) -> None:
        alice = self.program(ALICE, shows=WORK, viewers={"docs": "documents", "news": "documents"})
        self.assertEqual(alice.navigate("docs", INSIDE), ("allow", "internal"))
        self.assertEqual(alice.navigate("news", EVIL), ("allow", "externalInPlace"))
        alice.copy("docs")
        alice.copy("docs", selection="drag")

        def is_kept() -> None:
            for selection in ("clipboard", "drag"):
                for page in ({}, {"from": EVIL}, {"from": "about:blank"}, {"from": f"{INSIDE[:-1]}.evil.example/"}):
                    self.assertEqual(alice.paste("news", selection=selection, **page)[0], "block", page)
                # The viewer shows another page than it did, which its app says.
                self.assertEqual(alice.paste("docs", selection=selection, **{"from": EVIL})[0], "block")
            for page in ({}, {"from": EVIL}):
                self.assertEqual(alice.outcome("Upload", "news", url=f"{INSIDE}form", owner=WORK, **page)[0], "block")

        def many_pages_load() -> None:
            for number in range(self.BEYOND_ALL_RINGS // 10):
                alice.navigate("news", f"{EVIL}{number}", action=f"a{number}")

        def an_answer_ends_in_a_download() -> None:
            self.assertEqual(alice.navigate("news", f"{INSIDE}file.zip"), ("allow", "internal"))

        def the_viewer_is_forgotten() -> None:
            alice.call("ForgetViewer", viewer="news")
            alice.call("RegisterViewer", viewer="news", **{"class": "documents"})

        def the_page_takes_a_clip_of_its_own() -> None:
            alice.copy("news", 5)
            alice.copy("docs")

        def another_window_shows_it() -> None:
            alice.navigate("news", EVIL, newWindow=True)
            alice.register("popup", "documents", opener="news")
            self.assertEqual(alice.paste("popup")[0], "block")

        def the_same_account_pastes_through_another_connection() -> None:
            twin = alice.second()
            self.assertEqual(twin.paste("news")[0], "block")
            twin.leave()

        self.holds(
            is_kept,
            again=(
                many_pages_load,
                an_answer_ends_in_a_download,
                the_viewer_is_forgotten,
                the_page_takes_a_clip_of_its_own,
                another_window_shows_it,
                the_same_account_pastes_through_another_connection,
            ),
            times=1,
        )

    def copied(self, program: Program, viewer: str) -> None:
        """Copies, and says that it happened. Without that, the copy before it may still be there."""
        about = {"selection": "clipboard", "length": 12}
        proposal = program.ask("Copy", viewer, **about)["proposal"]
        program.ask("ClipboardChanged", viewer, selfOwned=True, proposal=proposal, **about)

    def test_what_was_copied_in_a_page_is_pasted_there_and_nowhere_else(self) -> None:
        alice = self.program(ALICE, shows=WORK, viewers={"news": "documents", "other": "documents"})
        for viewer in ("news", "other"):
            self.assertEqual(alice.navigate(viewer, EVIL), ("allow", "externalInPlace"))
        for _ in range(3):
            self.copied(alice, "news")
            self.assertEqual(alice.paste("news"), ("allow", "sameAccount"))
            self.assertEqual(alice.paste("other")[0], "block")
            alice.navigate("news", EVIL)
            self.assertEqual(alice.paste("news")[0], "block")
        self.copied(alice, "news")
        # No daemon knows of the pages that another one numbered.
        for killed in (True, False):
            self.restart(killed=killed)
            self.assertEqual(alice.paste("news")[0], "block")
            self.assertEqual(alice.paste("other")[0], "block")
        self.copied(alice, "news")
        self.assertEqual(alice.paste("news"), ("allow", "sameAccount"))
        alice.call("ForgetViewer", viewer="news")
        alice.call("RegisterViewer", viewer="news", **{"class": "documents"})
        self.assertEqual(alice.paste("news")[0], "block")
