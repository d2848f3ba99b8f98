"""`unlock: polkit` with the real polkit and PAM: people who log in with passwords, and the agents that ask them."""

from typing import Any

from desk import Desk, Terminal, give_passwords, password_of
from rig import ADMINISTRATOR, PERSON, SERVICE, TESTS, Case

APP, WORK = "com.contoso.portal", "work@contoso.com"
POLICY = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }, { uid: $other }]
    identityMode: multi
    classes:
      documents: { policy: currentIdentity, externalURLs: contoso }
accounts:
  - { upn: work@contoso.com, protection: contoso-standard }
protections:
  contoso-standard:
    unlock: polkit
    webTransfer: managedBrowser
browsers:
  managed: { desktopId: com.contoso.Browser.desktop }
"""
YES = """\
polkit.addRule(function(action) { if (action.id == "org.webviewguard.unlock") return polkit.Result.YES; });
"""
LOCKED, ALLOWED = ("block", "locked"), ("allow", "printAllowed")


class Unlocked(Case):
    @classmethod
    def setUpClass(cls) -> None:
        give_passwords(cls.machine, PERSON, ADMINISTRATOR)
        cls.configure(POLICY)
        cls.addClassCleanup(lambda: (cls.configure(), cls.machine.must("systemctl", "restart", SERVICE)))

    def setUp(self) -> None:
        # Nobody is unlocked, and nobody waits for a pause to end.
        self.restart()
        self.unlocked = len(self.records("unlocked"))

    # People

    def desk(self, user: str = PERSON, beside: str = "") -> Desk:
        """An app of a user, which hears of its accounts and shows none."""
        desk = Desk(self.machine, user, beside)
        self.addCleanup(desk.close)
        self.begin(desk)
        return desk

    def begin(self, desk: Desk) -> None:
        desk.attach(APP, "account")
        desk.result("RegisterViewer", viewer="docs", **{"class": "documents"})

    def terminal(self, user: str = PERSON) -> Terminal:
        terminal = Terminal(self.machine, user)
        self.addCleanup(terminal.close)
        return terminal

    def registered(self, pid: int) -> int:
        return self.machine.journal("polkit.service").count(f"Registered Authentication Agent for unix-process:{pid}:")

    def agent(self, desk: Desk, user: str = PERSON) -> Terminal:
        """polkit's own agent for terminals, which asks for this app."""
        terminal = self.terminal(user)
        before = self.registered(desk.pid)
        terminal.type(f"pkttyagent --process {desk.pid}")
        self.machine.eventually(lambda: self.registered(desk.pid) > before, "polkit knows the agent")
        return terminal

    def state(self, desk: Desk) -> tuple[Any, Any]:
        """States the account: the result, and the reason."""
        reply = desk.result("SetIdentity", level="process", account=WORK)
        return reply.get("result"), reply.get("reason")

    def is_asked(self, desk: Desk, agent: Terminal) -> None:
        """States the account until the agent asks for a password: between two questions there is a pause."""

        def asks() -> bool:
            self.assertEqual(self.state(desk), ("failed", "locked"))
            return agent.has("Password:")

        self.machine.eventually(asks, "the person is asked")
        self.assertIn(f"Unlock the account {WORK} for {APP}", agent.expect("Password:"))

    def ended(self, desk: Desk) -> tuple[Any, Any]:
        """The next news: the account's state, and how the question ended."""
        news = desk.news("account")
        self.assertEqual(news["account"], WORK)
        return news["state"], news.get("unlock")

    def printed(self, desk: Desk) -> tuple[str, str]:
        decision = desk.result("Print", event={"viewer": "docs"})["decision"]
        return decision["outcome"], decision["reason"]

    def is_locked(self, desk: Desk) -> None:
        self.assertEqual(self.state(desk), ("failed", "locked"))
        self.assertNotEqual(self.printed(desk)[0], "allow")
        self.assertEqual(len(self.records("unlocked")), self.unlocked)

    def unlock(self, desk: Desk, agent: Terminal) -> None:
        self.is_asked(desk, agent)
        agent.answer(password_of(agent.user))
        agent.expect("AUTHENTICATION COMPLETE")
        # It was stated meanwhile, and nobody could be asked.
        while (news := self.ended(desk)) != ("active", "unlocked"):
            self.assertEqual(news, ("locked", "noAgent"))
        self.assertEqual(self.state(desk), (None, None))
        self.assertEqual(self.printed(desk), ALLOWED)

    # Claims

    def test_the_right_password_unlocks_and_no_other(self) -> None:
        desk = self.desk()
        self.is_locked(desk)
        self.assertEqual(self.ended(desk), ("locked", "noAgent"))
        agent = self.agent(desk)
        for wrong in ("wrong", "", password_of(ADMINISTRATOR)):
            self.is_asked(desk, agent)
            agent.answer(wrong)
            agent.expect("AUTHENTICATION FAILED")
            self.assertEqual(self.ended(desk), ("locked", "refused"))
            self.is_locked(desk)
        self.unlock(desk, agent)
        record = self.records("unlocked")[-1]
        uid = int(self.machine.must("id", "-u", PERSON))
        self.assertEqual((record["person"], record["pid"], record["unlock"]), (uid, desk.pid, "unlocked"))
        # It is one answer for the person: a second app of theirs goes on, and nobody else's.
        self.assertEqual(self.state(self.desk()), (None, None))
        self.assertEqual(self.state(self.desk(ADMINISTRATOR)), ("failed", "locked"))

    def test_the_agent_of_another_user_answers_for_nobody_else(self) -> None:
        desk, other = self.desk(), self.desk(ADMINISTRATOR)
        stranger = self.terminal(ADMINISTRATOR)
        said = stranger.command(f"pkttyagent --process {desk.pid}")
        self.assertIn("Error registering authentication agent", said)
        self.is_locked(desk)
        self.assertEqual(self.ended(desk), ("locked", "noAgent"))
        self.unlock(other, self.agent(other, ADMINISTRATOR))
        self.unlocked += 1
        self.is_locked(desk)
        self.unlock(desk, self.agent(desk))

    def test_a_dialogue_that_was_closed_is_no_try(self) -> None:
        """A desktop has its agent for the whole session: this one runs beside the app, and closes each dialogue."""
        asked = f"/home/{PERSON}/asked"
        desk = self.desk(beside=f"python3 {TESTS}/agent.py >{asked}")
        self.addCleanup(self.machine.must, "rm", asked)
        seen = lambda: self.machine.must("cat", asked).splitlines()  # noqa: E731
        self.machine.eventually(lambda: seen() == ["registered"], "polkit knows the agent")
        for number in (1, 2):
            is_over = lambda: (self.state(desk), len(seen()) > number)[1]  # noqa: E731, B023
            self.machine.eventually(is_over, "the person is asked, and closes the dialogue")
            self.assertEqual(seen()[-1], f"asked: Unlock the account {WORK} for {APP}")
            self.assertEqual(self.ended(desk), ("locked", "dismissed"))
            self.is_locked(desk)
        # The agent of the app itself goes before the session's.
        self.unlock(desk, self.agent(desk))

    def test_a_rule_that_says_yes_unlocks_nothing(self) -> None:
        rule = "/etc/polkit-1/rules.d/10-webviewguard-test.rules"
        self.machine.write(rule, YES)
        self.machine.must("systemctl", "restart", "polkit.service")
        try:
            desk = self.desk()
            self.is_locked(desk)
            self.assertEqual(self.ended(desk), ("locked", "noChallenge"))
            self.is_locked(desk)
        finally:
            self.machine.must("rm", rule)
            self.machine.must("systemctl", "restart", "polkit.service")

    def test_the_daemon_ends_in_the_middle(self) -> None:
        """The password then opens nothing, however the daemon ended; its successor asks anew."""
        desk = self.desk()
        agent = self.agent(desk)
        for end in (["restart"], ["kill", "--signal=SIGKILL"]):
            with self.subTest(end):
                self.is_asked(desk, agent)
                pid = self.machine.show(SERVICE, "MainPID")
                self.machine.must("systemctl", *end, SERVICE)
                self.machine.eventually(lambda: self.is_another(pid), "the next daemon runs")  # noqa: B023
                agent.type(password_of(PERSON))
                self.begin(desk)
                self.is_locked(desk)
                agent.close()
                self.assertEqual(self.ended(desk)[0], "locked")
                agent = self.agent(desk)
        self.unlock(desk, agent)

    def is_another(self, pid: str) -> bool:
        """Whether a daemon runs, and not this one."""
        return self.machine.show(SERVICE, "MainPID") not in ("0", pid) and self.is_active(SERVICE)

    def test_polkit_ends_in_the_middle(self) -> None:
        desk = self.desk()
        agent = self.agent(desk)
        self.is_asked(desk, agent)
        self.machine.must("systemctl", "restart", "polkit.service")
        agent.type(password_of(PERSON))
        self.assertEqual(self.ended(desk), ("locked", "serviceFailure"))
        self.is_locked(desk)
        # It waits for the end of a line, and would register itself anew.
        agent.close()
        self.unlock(desk, self.agent(desk))
        self.assertIn("polkit can ask persons", self.machine.run("webviewguard", "doctor").stdout)
