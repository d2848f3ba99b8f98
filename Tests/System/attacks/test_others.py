"""Nobody acts for another user or another instance: names, tokens, clips, requests and decisions are their own."""

import secrets

from attack_case import ALICE, BOB, INSIDE, PEOPLE, AttackCase
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from long_attack import LongAttack
from program import Program, Refused
from wire import GUARD, RULES

CONNECTIONS, GUESSES = 40, 50


def printing(settings: str, state: str = "active") -> Configuration:
    """Prints are blocked but for `settings`; the account has this state."""
    organisation = ORGANISATION.replace("    receive: managed\n", f"    receive: managed\n    printing: block\n{settings}")
    account = f"{{ upn: {WORK}, state: {state}"
    return Configuration(PEOPLE, organisation=organisation.replace(f"{{ upn: {WORK}", account))


WARNS, BLOCKS = printing("    warn: [print]\n"), printing("")
BLOCKED_ACCOUNT = printing("    warn: [print]\n", state="blocked")


class ActingForOthers(AttackCase):
    def test_a_token_of_another_user_opens_nothing(self) -> None:
        token = self.managed(self.link(ALICE))
        bob = self.link(BOB)
        self.refused(bob.call(f"{GUARD}.Attach", instance=token), "UnknownInstance")
        self.assertNotEqual(self.managed(bob), token)

    def test_tokens_are_not_guessed(self) -> None:
        token = self.managed(self.link(ALICE))
        self.assertRegex(token, r"^[0-9a-f]{32}$")
        bob = self.person(BOB)
        for _ in range(CONNECTIONS):
            # Who never attaches does not stay long.
            guessing = bob.link(self.daemon.guard_socket)
            for _ in range(GUESSES):
                self.refused(guessing.call(f"{GUARD}.Attach", instance=secrets.token_hex(16)), "UnknownInstance")
            guessing.close()
        guessing = bob.link(self.daemon.guard_socket)
        # The log names instances by the first half of their tokens; the other half is as long.
        for half in (token[:16], token[:16] + "0" * 16, token.upper(), token + "0"):
            self.refused(guessing.call(f"{GUARD}.Attach", instance=half), "UnknownInstance")
        self.assertLess(self.said("call refused"), 50, "whoever guesses must not fill the journal")

    def test_a_name_of_another_instance_names_nothing(self) -> None:
        first, second = self.link(ALICE), self.link(ALICE)
        self.managed(first)
        self.answered(second.call(f"{GUARD}.Attach"))
        for method in ("SetDocument", "ForgetViewer"):
            self.refused(second.call(f"{GUARD}.{method}", viewer="docs"), "UnknownViewer")
        self.refused(
            second.call(f"{GUARD}.SetWebViewPolicy", viewer="docs", policy="unmanaged"), "UnknownViewer")
        self.is_guarded(first)

    def test_another_instance_of_the_same_user_changes_no_identity(self) -> None:
        first, second = self.link(ALICE), self.link(ALICE)
        self.managed(first)
        self.private(second)
        self.answered(second.call(f"{GUARD}.SetIdentity", level="process", account=""))
        self.is_guarded(first)

    def test_a_replayed_clip_id_only_raises(self) -> None:
        """Bob copies Alice's id of a clip, and Alice one of her own past: both are taken for the organisation's."""
        alice, bob = self.link(ALICE), self.link(BOB)
        self.managed(alice)
        clip = self.copy(alice)
        self.private(bob)
        self.decide(bob, "Copy", "home", selection="clipboard", length=3)
        self.assertEqual(self.paste(bob)[0], "allow")
        self.assertEqual(self.paste(bob, clip=clip)[0], "block")
        for forged in ("clip-0000000000000000-1", "clip", "\u0000", "x" * 300):
            reply = bob.call(
                f"{GUARD}.Paste", event={"viewer": "home", "selection": "clipboard", "length": 12, "clip": forged})
            outcome = "block" if "error" in reply else reply["parameters"]["decision"]["outcome"]
            self.assertEqual(outcome, "block", forged)

    def test_a_clip_of_another_user_is_not_weakened(self) -> None:
        """What Bob says of his clipboard says nothing of Alice's."""
        alice, bob = self.link(ALICE), self.link(BOB)
        token = self.managed(alice)
        self.copy(alice)
        self.private(bob)
        for _ in range(3):
            self.decide(bob, "Copy", "home", selection="clipboard", length=3)
        again = alice.person.link(self.daemon.guard_socket)
        self.answered(again.call(f"{GUARD}.Attach", instance=token))
        self.answered(again.call(f"{GUARD}.SetIdentity", level="window", window="own", account=PERSONAL))
        self.answered(again.call(f"{GUARD}.RegisterViewer", viewer="home", window="own", **{"class": "loose"}))
        self.assertEqual(self.paste(again), ("block", "orgData"))

    def test_the_request_of_another_cannot_be_answered(self) -> None:
        alice, bob = self.link(ALICE), self.link(BOB)
        self.answered(alice.call(f"{GUARD}.Attach", features=["switchIdentity"]))
        self.answered(alice.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        self.answered(alice.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"}))
        asked = self.decide(alice, "Receive", "docs", peer="a.desktop")
        self.assertEqual(asked["outcome"], "switchIdentity")
        second = self.link(ALICE)
        for other in (bob, second):
            self.answered(other.call(f"{GUARD}.Attach"))
            self.refused(
                other.call(f"{GUARD}.Answer", request=asked["request"], result="success"), "UnknownRequest")
        # It is still open, and its owner's to answer.
        self.answered(alice.call(f"{GUARD}.Answer", request=asked["request"], result="failed"))

    def test_the_decision_of_another_cannot_be_acknowledged(self) -> None:
        alice, bob = self.link(ALICE), self.link(BOB)
        self.managed(alice)
        decision = self.decide(alice, "Navigate", "docs", url=INSIDE, frame="main")["id"]
        for other in (bob, self.link(ALICE)):
            self.managed(other)
            self.refused(
                other.call(f"{GUARD}.Acknowledge", decision=decision, outcome="allow"), "UnknownDecision")
        self.answered(alice.call(f"{GUARD}.Acknowledge", decision=decision, outcome="allow"))

    def test_what_was_decided_for_others_is_the_administrators_to_see(self) -> None:
        alice = self.link(ALICE)
        self.managed(alice)
        decision = self.decide(alice, "Navigate", "docs", url=INSIDE, frame="main")["id"]
        for method in (f"{RULES}.Explain", "org.webviewguard.Admin.Monitor", "org.webviewguard.Admin.Status"):
            reply = self.link(BOB).call(method, decision=decision)
            self.assertEqual(reply["error"], "org.varlink.service.InterfaceNotFound")


class GoingOnAfterAWarning(LongAttack):
    """A warning stands on a screen for hours. Whoever goes on then is judged by what holds then."""

    configuration = WARNS

    def started(self, uid: int) -> Program:
        return self.program(uid, shows=WORK, viewers={"docs": "documents"}, features=["warn"])

    def warned(self, program: Program) -> str:
        decision = program.ask("Print", "docs")
        self.assertEqual((decision["outcome"], decision["reason"]), ("warn", "printBlocked"))
        return decision["id"]

    def may_go_on(self, program: Program, decision: str, outcome: str = "allow") -> bool:
        try:
            program.call("Acknowledge", decision=decision, outcome=outcome, justification="for the court")
        except Refused as refused:
            self.assertEqual(str(refused), "UnknownDecision")
            return False
        return True

    def test_nobody_goes_on_after_a_warning_that_no_longer_stands(self) -> None:
        programs = alice, bob, twin = [self.started(ALICE), self.started(BOB), self.started(ALICE)]
        second = alice.second()
        for change, answer in ((BLOCKS, "printBlocked"), (BLOCKED_ACCOUNT, "accountBlocked")):
            warned = [self.warned(program) for program in programs]
            kept, declined = self.warned(alice), self.warned(alice)
            self.assertFalse(self.may_go_on(alice, warned[1]), "another user's")
            self.reload(change)
            for program, decision in zip([second, bob, twin], warned):
                self.assertFalse(self.may_go_on(program, decision), "from any connection")
                self.assertFalse(self.may_go_on(program, decision), "and not by asking again")
            self.assertTrue(self.may_go_on(second, declined, "block"), "whoever gives up is heard")
            self.reload(WARNS)
            self.assertEqual([self.may_go_on(*pair) for pair in zip(programs, warned)], [False] * 3)
            self.assertTrue(self.may_go_on(second, kept), "nobody tried while it did not stand")
            self.assertFalse(self.may_go_on(alice, kept), "once")
            said = self.daemon.settled_records("acknowledged")[-5:]
            self.assertEqual({(record["now"], record["reason"]) for record in said[:3]}, {("block", answer)})
            self.assertEqual(["now" in record for record in said], [True] * 3 + [False] * 2)
            self.assertEqual([record["outcome"] for record in said], ["allow"] * 3 + ["block", "allow"])

    def test_a_restart_forgets_every_warning(self) -> None:
        alice = self.started(ALICE)
        for killed in (True, False):
            decision = self.warned(alice)
            self.restart(killed=killed)
            self.assertFalse(self.may_go_on(alice, decision))
            self.assertTrue(self.may_go_on(alice, self.warned(alice)))
