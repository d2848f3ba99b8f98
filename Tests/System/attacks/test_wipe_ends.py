"""Wipes that end too early, or for the wrong account: what an administrator or the policy ordered is carried out."""

import json

from attack_case import APP, Link
from configuration import ORGANISATION, WORK, Configuration
from daemon import eventually
from test_wipes import ALICE, BOB, DAY, DELAY, HOUR, OBJECT, POLICY, ConditionCase, WipeCase
from wire import ACCOUNTS, GUARD

# Anybody of the domain is the organisation's, and an app takes several.
SEVERAL = POLICY.replace("    identityMode", "    managedAccounts: several\n    identityMode")
PATTERN = ORGANISATION.replace("  contoso-standard:\n", '  contoso-standard:\n    accounts: ["*@contoso.com"]\n')
SETTINGS = "graceSeconds: 1\n"
NO_SOURCES = POLICY.replace("    accounts: { source: [app] }\n", "")


class Ends(WipeCase):
    """A wipe whose account still has data on the disk."""

    def gone(self, link: Link) -> None:
        """Ends a program, and the daemon knows it."""
        link.person.end()
        self.wait(60)

    def is_removed(self, request: str) -> None:
        """After the delay the files of the portal are ordered removed; no wipe ends before."""
        self.wait(DELAY + HOUR)
        self.wait(HOUR)
        found = [json.loads(order.read_text())["directories"] for order in self.orders()]
        self.assertEqual(found, [[f"/srv/wvg-absent/{APP}/{WORK}"]], self.acts(request))
        self.assertEqual(self.phases(), ["asking"])


class Reach(Ends):
    """The apps that a wipe reaches are those that had the account when it was locked, whatever they do until then."""

    configuration = Configuration(SEVERAL, organisation=PATTERN, settings=SETTINGS)

    def test_names_that_an_app_invents_push_no_account_out_of_its_wipe(self) -> None:
        """The program ends its access and registers 64 others: room is made where the access has ended."""
        link = self.enrolled(ALICE)
        request = self.wiped(ALICE)
        self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
        for number in range(64):
            self.answered(link.call(f"{ACCOUNTS}.Register", account=f"n{number}@contoso.com"))
        self.gone(link)
        self.is_removed(request)

    def test_a_registration_that_is_forgotten_during_the_delay_is_wiped(self) -> None:
        self.gone(self.enrolled(ALICE))
        self.wait(88 * DAY)
        self.is_removed(self.wiped(ALICE))


class WithoutSources(Ends):
    """Apps that register nobody: accounts count as enrolled while they are shown."""

    configuration = Configuration(NO_SOURCES, settings=SETTINGS)

    def test_an_app_that_is_closed_during_the_delay_is_wiped(self) -> None:
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        request = self.wiped(ALICE)
        self.gone(link)
        self.is_removed(request)

    def test_a_kill_frees_no_wiped_account_of_a_running_program(self) -> None:
        app = self.program(ALICE, app=APP)
        app.register("docs")
        app.show(WORK)
        request = self.wiped(ALICE, now=True)
        self.wait(HOUR)
        self.answered(app.link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        self.assertEqual(app.outcome("Print", "docs"), ("block", "accountWiped"))
        self.restart(killed=True)
        self.assertEqual(app.outcome("Print", "docs"), ("block", "accountWiped"))

    def test_the_policy_wipes_accounts_that_nobody_registered(self) -> None:
        """An account that a protection binds counts as enrolled here, and so it does for what the policy wants wiped."""
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        policy = NO_SOURCES.replace("causes: [", "causes: [nonCompliant, ")
        marked = ORGANISATION.replace(f"{OBJECT},", f"{OBJECT}, state: nonCompliant,")
        self.reload(Configuration(policy, organisation=marked))
        self.wait(HOUR)
        self.assertEqual(self.phases(), ["pending"])


class OfRoot(Ends):
    """Programs of root, whose files no helper removes."""

    configuration = Configuration(POLICY.replace(f"{{ uid: {ALICE} }}", "{ uid: 0 }"), settings=SETTINGS)

    def test_a_wipe_that_root_refuses_ends_and_says_that_files_are_left(self) -> None:
        link = self.enrolled(0)
        request = self.begun(0)
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="refused"))
        eventually(lambda: not self.phases(), "the wipe ends")
        self.assertEqual(self.acts(request)[-1], "wipeIncomplete")


class GivenNames(Ends):
    def test_a_name_that_was_given_to_somebody_else_locks_and_removes_nothing(self) -> None:
        """As after a restart: nobody knows which of the two accounts was meant."""
        self.gone(self.enrolled(ALICE))
        self.wiped(ALICE)
        old = f"upn: {WORK}, objectId: {OBJECT}"
        renamed = ORGANISATION.replace(old, f"upn: {WORK}, objectId: {OBJECT[:-2]}99")
        other = f"  - {{ {old.replace('work', 'old')}, protection: contoso-standard }}\n"
        renamed = renamed.replace("accounts:\n", f"accounts:\n{other}")
        self.reload(Configuration(POLICY, organisation=renamed))
        self.wait(DELAY + HOUR)
        self.wait(HOUR)
        self.assertEqual(self.orders(), [])
        self.assertNotIn("asking", self.phases())


class Causes(ConditionCase):
    """The cause of a wipe ends as the page says, and not by the word of a program."""

    def test_a_word_of_the_session_ends_no_wipe_of_a_condition(self) -> None:
        policy = self.daemon.config / "policy.d/app-0.yaml"
        policy.write_text(policy.read_text().replace("source: [app]", "source: [broker]"))
        self.admin("Reload")
        self.say(True)
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[{"upn": WORK}]))
        eventually(lambda: self.printed(link) == "printAllowed", "the good word counts")
        self.say(False)
        eventually(lambda: self.phases() == ["pending"], "the account is locked, and the delay runs")
        self.answered(link.call(f"{ACCOUNTS}.SignedIn", source="broker", accounts=[]))
        self.admin("Reload", checkedIn=True)
        self.assertEqual((self.phases(), self.begun_acts()), (["pending"], ["wipeBegun"]))

    def test_a_program_that_ends_its_access_ends_no_wipe_of_a_condition(self) -> None:
        link = self.working()
        self.say(False)
        eventually(lambda: self.phases() == ["pending"], "the account is locked, and the delay runs")
        self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.admin("Reload", checkedIn=True)
        self.assertEqual((self.phases(), self.begun_acts()), (["pending"], ["wipeBegun"]))


class Offline(WipeCase):
    """A machine that is not checked in locks at once, however many accounts it has; only the removal is limited."""

    policy = POLICY.replace("causes: [", "offlineAfter: 10d, causes: [offlineGrace, ")
    organisation = ORGANISATION.replace("  contoso-standard:\n", "  contoso-standard:\n    printing: allow\n")
    configuration = Configuration(policy, organisation=organisation, settings=SETTINGS)

    def printed(self, link: Link) -> str:
        link.call(f"{GUARD}.SetIdentity", level="process", account=WORK)
        return str(self.answered(link.call(f"{GUARD}.Print", event={}))["decision"]["reason"])

    def is_locked(self) -> None:
        links = [self.enrolled(ALICE), self.enrolled(BOB)]
        self.assertEqual([self.printed(link) for link in links], ["printAllowed"] * 2)
        self.wait(11 * DAY)
        self.wait(120)
        self.assertEqual([self.printed(link) for link in links], ["accountBlocked"] * 2)

    def test_two_accounts_are_locked_as_one_is(self) -> None:
        self.is_locked()

    def test_also_where_nothing_is_ever_removed(self) -> None:
        self.reload(Configuration(self.policy.replace("mode: on", "mode: off"), organisation=self.organisation))
        self.is_locked()


class Reworded(ConditionCase):
    """A bad word, whose file is gone, under a policy that puts the condition otherwise."""

    condition = ConditionCase.condition.replace("wipe", "block")
    configuration = Configuration(
        POLICY, settings=SETTINGS,
        organisation=ORGANISATION.replace("  contoso-standard:\n", f"  contoso-standard:\n    printing: allow\n{condition}"))

    def is_blocked_after(self, old: str, new: str) -> None:
        link = self.working()
        said = self.say(False)
        eventually(lambda: self.printed(link) == "accountNotCompliant", "the account is blocked")
        said.unlink()
        self.wait(HOUR)
        policy = self.daemon.config / "policy.d/organisation.yaml"
        policy.write_text(policy.read_text().replace(old, new))
        self.assertTrue(self.admin("Reload")["changed"])
        self.assertEqual(self.printed(link), "accountNotCompliant")

    def test_a_protection_with_another_name_forgets_no_bad_word(self) -> None:
        self.is_blocked_after("contoso-standard", "contoso-strict")

    def test_a_condition_in_other_words_forgets_no_bad_word(self) -> None:
        self.is_blocked_after("operator: equals, value: true", "operator: notEquals, value: false")
