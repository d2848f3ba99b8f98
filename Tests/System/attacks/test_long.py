"""What holds at once must hold later: after thousands of tries, hours, kills, restarts and reloads, for each of several
users."""

from attack_case import ALICE, BOB, INSIDE, OUTSIDE, PEOPLE
from configuration import PERSONAL, WORK, Configuration
from long_attack import LongAttack

# The private pages have a window of their own.
SETTINGS = "graceSeconds: 600\nlimits: { attachSeconds: 600, viewersPerInstance: 40, instancesPerUser: 8 }\n"


class Lasting(LongAttack):
    configuration = Configuration(PEOPLE, settings=SETTINGS)

    def both(self, uid: int):
        """A program that shows the organisation's account in `docs`, and the user's own in `home`."""
        program = self.program(uid, shows=WORK, viewers={"docs": "documents"})
        program.show(PERSONAL, window="own")
        program.register("home", "loose", window="own")
        return program

    def test_the_organisations_clip_stays_its_own(self) -> None:
        """H1, M5: what was copied from the organisation is not pasted into a private page, for whoever waits long
        enough, asks often enough, has the daemon killed, or lets another user copy."""
        alice, bob = self.both(ALICE), self.both(BOB)
        alice.copy("docs", 300)

        def is_kept() -> None:
            self.assertEqual(alice.paste("home", 300)[0], "block")
            self.assertEqual(alice.paste("docs", 300)[0], "allow")

        def another_user_copies() -> None:
            for _ in range(40):
                bob.copy("home", 300)

        def viewers_come_and_go() -> None:
            for number in range(60):
                alice.call("RegisterViewer", viewer=f"v{number}", **{"class": "loose"})
                alice.call("ForgetViewer", viewer=f"v{number}")

        self.holds(is_kept, again=(another_user_copies, viewers_come_and_go))

    def test_a_guarded_viewer_stays_guarded(self) -> None:
        alice = self.both(ALICE)
        twin = alice.second()

        def is_guarded() -> None:
            for program in (alice, twin):
                self.assertEqual(program.navigate("docs", INSIDE), ("allow", "internal"))
                self.assertEqual(program.navigate("docs", OUTSIDE), ("redirect", "external"))

        def asks_beyond_all_rings() -> None:
            for number in range(self.BEYOND_ALL_RINGS // 4):
                twin.navigate("home", f"{OUTSIDE}{number}", action=f"a{number}")

        self.programs.append(twin)
        self.holds(is_guarded, again=(asks_beyond_all_rings,))

    def test_private_data_in_private_places_is_never_blocked(self) -> None:
        """The other side: strictness that everybody meets is no protection but a nuisance."""
        alice = self.program(ALICE, shows=PERSONAL, viewers={"home": "loose"})

        def is_free() -> None:
            alice.copy("home", 20)
            self.assertEqual(alice.paste("home", 20)[0], "allow")
            self.assertEqual(alice.navigate("home", OUTSIDE)[0], "allow")

        self.holds(is_free)

    def test_an_instance_ends_when_its_grace_is_over(self) -> None:
        """Time that tests let pass is the daemon's own: instances end by it. Grace begins when the daemon sees the end of the
        connection, so it is given time to."""
        alice = self.both(ALICE)
        before = alice.token
        alice.leave()
        self.wait(0)
        self.wait(300)
        alice.reconnect()
        self.assertEqual(alice.token, before)
        alice.leave()
        self.wait(0)
        self.wait(700)
        alice.reconnect()
        self.assertNotEqual(alice.token, before)

    def test_a_machine_that_restarts_ends_every_program(self) -> None:
        alice = self.both(ALICE)
        alice.copy("docs", 300)
        before = alice.token
        self.restart(machine=True)
        alice = self.program(ALICE, token=before, shows=PERSONAL, viewers={"home": "loose"})
        self.assertNotEqual(alice.token, before)
        self.assertEqual(alice.paste("home", 300)[0], "block")
