"""A page wants to be the document, so that `same` calls all that it links to the organisation's own (M1)."""

from attack_case import ALICE, BOB, INSIDE, PEOPLE
from configuration import ORGANISATION, PERSONAL, RULES, WORK, Configuration
from long_attack import LongAttack
from program import Program, Refused

OWN = """\
  - id: own-origin
    internal: { same: origin }
"""
DOCUMENT = "https://partner.example/contract"
EVIL = "https://evil.example/"
SETTINGS = "graceSeconds: 600\nlimits: { attachSeconds: 600, viewersPerInstance: 40, instancesPerUser: 8 }\n"


class Documents(LongAttack):
    """External pages load in place. `partner.example` has no rule of its own: the app says that it is the document."""

    configuration = Configuration(
        PEOPLE,
        settings=SETTINGS,
        rules=RULES + OWN,
        organisation=ORGANISATION.replace("webTransfer: managedBrowser", "webTransfer: any"),
    )

    def reader(self, uid: int, shows: str = WORK) -> Program:
        program = self.program(uid, shows=shows, viewers={"docs": "documents"})
        program.tell("SetDocument", viewer="docs", document=DOCUMENT)
        self.assertEqual(program.navigate("docs", DOCUMENT), ("allow", "internal"))
        return program

    def refuses(self, program: Program, url: str, viewer: str = "docs") -> None:
        """No page becomes the document, however the app says it; and nothing of it counts as the organisation's."""
        for method in ("SetDocument", "RegisterViewer"):
            with self.assertRaisesRegex(Refused, "DocumentIsExternal"):
                program.call(method, viewer=viewer, document=url)
        self.assertEqual(program.navigate(viewer, EVIL + "next"), ("allow", "externalInPlace"))

    def test_no_page_becomes_the_document(self) -> None:
        alice, bob = self.reader(ALICE), self.reader(BOB)
        for number in range(self.BEYOND_ALL_RINGS):
            alice.navigate("docs", f"{EVIL}{number}", action=f"a{number}")
        bob.navigate("docs", EVIL)

        def is_refused() -> None:
            for program in (alice, bob):
                for url in (EVIL, f"{EVIL}0", f"{EVIL}#top", "https://other.example/"):
                    self.refuses(program, url)
                # The document itself is said again after every reconnect.
                program.call("SetDocument", viewer="docs", document=DOCUMENT)

        def it_is_said_and_refused() -> None:
            for program in (alice, bob):
                for told in ({"viewer": "docs", "document": EVIL}, {"viewer": "new", "class": "documents"}):
                    try:
                        program.tell("RegisterViewer", **told)
                    except Refused:
                        pass

        def the_viewer_is_forgotten() -> None:
            alice.call("ForgetViewer", viewer="docs")
            with self.assertRaisesRegex(Refused, "DocumentIsExternal"):
                alice.call("RegisterViewer", viewer="docs", document=EVIL, **{"class": "documents"})
            alice.call("RegisterViewer", viewer="docs", **{"class": "documents"})

        def somebody_signs_in() -> None:
            for account in (PERSONAL, "", WORK):
                alice.call("SetIdentity", level="process", account=account)

        def another_connection_says_it() -> None:
            twin = alice.second()
            self.refuses(twin, EVIL)
            twin.leave()

        def the_same_user_begins_another_program() -> None:
            other = self.program(ALICE, shows=WORK, viewers={"docs": "documents"})
            other.call("SetDocument", viewer="docs", document=EVIL)
            other.end()
            self.programs.remove(other)

        def the_policy_is_loaded_again() -> None:
            self.reload(self.configuration)

        def an_answer_ends_in_a_download() -> None:
            self.assertEqual(alice.navigate("docs", f"{INSIDE}file.zip"), ("allow", "internal"))

        self.holds(
            is_refused,
            again=(
                it_is_said_and_refused,
                the_viewer_is_forgotten,
                somebody_signs_in,
                another_connection_says_it,
                the_same_user_begins_another_program,
                the_policy_is_loaded_again,
                an_answer_ends_in_a_download,
            ),
            times=1,
        )

    def test_a_page_from_before_the_sign_in_is_not_the_document(self) -> None:
        alice = self.program(ALICE, shows=PERSONAL, viewers={"docs": "documents"})
        self.assertEqual(alice.navigate("docs", EVIL), ("allow", "unmanaged"))
        alice.show(WORK)
        self.holds(lambda: self.refuses(alice, EVIL))

    def test_a_program_that_lost_its_token_is_still_the_one_that_showed_it(self) -> None:
        alice = self.reader(ALICE)
        alice.navigate("docs", EVIL)
        for killed in (True, False):
            alice.token = ""
            self.restart(killed=killed)
            self.refuses(alice, EVIL)

    def test_windows_that_a_page_opens_are_no_documents(self) -> None:
        alice = self.reader(ALICE)
        alice.navigate("docs", EVIL, newWindow=True)
        for number in range(30):
            alice.navigate("docs", f"{INSIDE}{number}", newWindow=True)
        alice.register("popup", "documents", opener="docs")
        self.holds(lambda: self.refuses(alice, EVIL, "popup"))

    def test_redirects_and_back_stay_usable(self) -> None:
        """The other side: who reads an external page and comes back works on as before."""
        alice = self.reader(ALICE)

        def comes_back() -> None:
            alice.navigate("docs", EVIL)
            self.assertEqual(alice.navigate("docs", f"{INSIDE}go", **{"from": EVIL}), ("allow", "internal"))
            there = alice.navigate("docs", f"{INSIDE}there", hop=True, **{"from": f"{INSIDE}go"})
            self.assertEqual(there, ("allow", "internal"))
            alice.call("SetDocument", viewer="docs", document=f"{INSIDE}there")
            alice.call("SetDocument", viewer="docs", document=DOCUMENT)
            self.assertEqual(alice.navigate("docs", f"{DOCUMENT}/2", **{"from": DOCUMENT}), ("allow", "internal"))
            alice.navigate("docs", EVIL)
            self.assertEqual(alice.navigate("docs", DOCUMENT), ("allow", "internal"))
            alice.call("SetDocument", viewer="docs", document=DOCUMENT)
            alice.call("SetDocument", viewer="docs", document="https://third.example/")
            alice.call("SetDocument", viewer="docs", document=DOCUMENT)

        self.holds(comes_back)
