"""An app with one identity that has not said whose data it shows: whoever reloads, restarts or refuses, nothing gets
freer. Review H8; ledger MI-01, SE-04."""

import unittest

from attack_case import ALICE, BOB
from configuration import Configuration
from long_attack import LongAttack
from program import Program, Refused

APP = f"""\
apps:
  com.contoso.portal:
    peers: [{{ uid: $uid }}, {{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
"""

ANNA, BERT = "anna@contoso.com", "bert@contoso.com"
SETTINGS = "graceSeconds: 7200\nlimits: { attachSeconds: 600 }\n"


def policy(*accounts: str) -> Configuration:
    """Accounts by name, whose prints are blocked and whose pictures the user may take after a justification."""
    names = ", ".join(f'"{name}"' for name in accounts)
    return Configuration(
        APP,
        settings=SETTINGS,
        organisation=f"protections:\n  contoso: {{ accounts: [{names}], printing: block, screenCapture: block, "
        "warn: [capture] }\n",
    )


class OneIdentity(LongAttack):
    configuration = policy(ANNA)

    def printed(self, program: Program) -> tuple[str, str]:
        decision = program.ask("Print", "docs")
        return decision["outcome"], decision["reason"]

    def started(self, uid: int = ALICE) -> Program:
        return self.program(uid, viewers={"docs": "documents"}, features=["warn"])

    def test_a_second_account_frees_no_running_app(self) -> None:
        """H8: a reload adds a managed account to running apps, again and again."""
        alice, bob = self.started(ALICE), self.started(BOB)
        twin = alice.second()

        def is_blocked() -> None:
            for program in (alice, bob, twin):
                self.assertEqual(self.printed(program)[0], "block")
                self.assertNotEqual(program.ask("Capture", "docs")["outcome"], "allow")

        def a_second_account() -> None:
            self.reload(policy(ANNA, BERT))

        def two_others() -> None:
            self.reload(policy(BERT, "carl@contoso.com"))

        def one_again() -> None:
            self.reload(policy(ANNA))

        self.programs.append(twin)
        self.holds(is_blocked, again=(a_second_account, two_others, one_again, a_second_account))

    def test_an_app_that_starts_between_two_accounts_has_to_say(self) -> None:
        self.reload(policy(ANNA, BERT))
        alice = self.started()

        def has_to_say() -> None:
            self.assertEqual(self.printed(alice), ("block", "noIdentity"))

        def comes_back_as_a_new_one() -> None:
            alice.token = ""
            alice.reconnect()

        self.holds(has_to_say, again=(comes_back_as_a_new_one,))
        alice.show(BERT)
        self.assertEqual(self.printed(alice), ("block", "printBlocked"))
        alice.show("")
        self.assertEqual(self.printed(alice), ("allow", "noManagedIdentity"))

    def test_a_refused_account_blocks_until_another_is_taken(self) -> None:
        alice, bob = self.started(ALICE), self.started(BOB)
        twin = alice.second()
        self.programs.append(twin)
        for account in ("mallory@elsewhere.example", "x" * 300):
            with self.assertRaises(Refused):
                alice.call("SetIdentity", level="process", account=account)
        with self.assertRaises(Refused):
            alice.call("SetIdentity", level="window", window="w", account=ANNA)

        def is_blocked() -> None:
            self.assertEqual(self.printed(alice), ("block", "noIdentity"))
            self.assertEqual(self.printed(twin), ("block", "noIdentity"))
            self.assertEqual(self.printed(bob), ("block", "printBlocked"))

        def a_reload() -> None:
            self.reload(policy(ANNA))

        self.holds(is_blocked, again=(a_reload,))
        twin.call("SetIdentity", level="process", account=ANNA)
        self.assertEqual(self.printed(alice), ("block", "printBlocked"))

    def test_nobody_is_free_where_nothing_can_bind_him(self) -> None:
        """The other side: a policy that binds nobody here restricts nothing."""
        self.reload(policy())
        alice = self.started()
        self.assertEqual(self.printed(alice), ("allow", "noManagedIdentity"))


if __name__ == "__main__":
    unittest.main()
