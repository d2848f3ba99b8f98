"""Nobody acts for another user or another instance: names, tokens, clips, requests and decisions are their own."""

import secrets

from attack_case import ALICE, BOB, INSIDE, AttackCase
from configuration import PERSONAL, WORK
from wire import GUARD, RULES

CONNECTIONS, GUESSES = 40, 50


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
