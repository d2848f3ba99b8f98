"""Notices for people, and apps that have to start anew: shown once, to the right person, and as text."""

from typing import Any

from attack_case import APP, CROWD
from configuration import WORK, Configuration
from daemon import Daemon, eventually
from test_session import ACCOUNTS, ADA, SessionCase
from wire import ADMIN, GUARD, Wire, frame

MOCK = "org.freedesktop.DBus.Mock"
NOTIFICATIONS = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
# Of no configuration that is in force here.
OLD = "0" * 64
MORE = [f"com.contoso.more{number}" for number in range(6)]
OTHER = CROWD[0]
# Programs come back to the next daemon, however long it takes to start.
SETTINGS = "graceSeconds: 60\n"

APPS = "apps:\n" + "".join(
    f"""\
  {app}:
    peers: [{{ uid: $uid }}, {{ uid: {OTHER} }}]
    identityMode: multi
    accounts: {{ source: [broker] }}
"""
    for app in (APP, *MORE)
)
POLICY = APPS + """\
wipe: { mode: on, causes: [admin] }
texts:
  default: { organization: "A & B <b>Sons</b>", contact: "<\u0338a href='https://evil.example'>Eve</a>" }
"""
# The second `<` has an accent on it: together they are one character of Swift, and no `<` to it.


class NoticeCase(SessionCase):
    configuration = Configuration(POLICY, settings=SETTINGS)

    @classmethod
    def setUpClass(cls) -> None:
        cls.refuse_without_root()

    def setUp(self) -> None:
        # Programs of the test before would still have to start anew.
        self.daemon = Daemon(self.configuration)
        self.addCleanup(self.daemon.remove)
        self.daemon.directory.chmod(0o755)
        self.daemon.start()
        super().setUp()

    def notifications(self, **parameters: Any) -> None:
        """A notification service that writes down what it is to show."""
        self.desktop = self.bus.mock("notification_daemon", *NOTIFICATIONS, **parameters)

    def shown(self) -> list[str]:
        """The bodies of all notifications so far."""
        calls = self.desktop.GetMethodCalls("Notify", dbus_interface=MOCK)
        return [str(arguments[4]) for _, arguments in calls]

    def shows(self, count: int) -> list[str]:
        """So many and no more: the session service looks again and again meanwhile."""
        eventually(lambda: len(self.shown()) >= count, f"{count} notifications are shown: {self.said_by_session}")
        self.looks()
        self.assertEqual(len(self.shown()), count, self.shown())
        return self.shown()

    def looks(self) -> None:
        """Waits until the session service has looked once more at least: it does so between its questions."""
        while not self.questions.empty():
            self.questions.get()
        for _ in range(3):
            self.question()

    def notices(self, link: Any = None, *languages: str) -> list[dict[str, Any]]:
        reply = (link or self.wire()).call(f"{ACCOUNTS}.Notices", languages=list(languages))
        return list(self.answered(reply)["notices"])

    def news(self, token: str, app: str = APP) -> Wire:
        """A connection that hears of restarts; the news of the policy in force is taken."""
        news = self.wire()
        self.answered(news.call(f"{GUARD}.Attach", app=app, instance=token))
        news.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["restart", "policy"]))
        self.assertEqual(self.answered(news.reply())["topic"], "policy")
        return news

    def stale(self, app: str = APP, link: Any = None) -> tuple[Any, dict[str, Any]]:
        """A program whose static rules are old, and the request that it gets."""
        program = link or self.wire()
        attached = self.answered(program.call(f"{GUARD}.Attach", app=app, rules=OLD))
        if link:
            return program, attached
        told = self.answered(self.news(attached["instance"], app).reply())
        self.assertEqual((told["topic"], told["restart"]), ("restart", "staticRules"))
        return program, told | attached

    def complete(self, program: Any, request: str, result: str) -> dict[str, Any]:
        return dict(program.call(f"{ACCOUNTS}.Complete", request=request, result=result))

    def refuse(self, app: str = APP) -> dict[str, Any]:
        """An app leaves its restart to the person."""
        program, told = self.stale(app)
        self.answered(self.complete(program, told["request"], "refused"))
        return told

    def wipe(self, reason: str = "left the company") -> None:
        """An administrator's wipe of the account of this person, which begins in three days."""
        wire = self.wire(self.daemon.admin_socket)
        named = {"account": WORK, "uid": 0, "reason": reason}
        code = self.answered(wire.call(f"{ADMIN}.WipeAccount", **named))["code"]
        self.answered(wire.call(f"{ADMIN}.WipeAccount", confirm=code, **named))
        self.addCleanup(lambda: self.wire(self.daemon.admin_socket).call(f"{ADMIN}.RestoreAccount", **named))

    def sign_in(self) -> None:
        self.order("accounts", [ADA])
        self.assertEqual(self.once().returncode, 0)


class Shown(NoticeCase):
    def test_once_over_restarts_of_both_sides(self) -> None:
        self.variables |= {"LANGUAGE": "", "LC_ALL": "de_AT.UTF-8"}
        self.notifications()
        told = self.refuse()
        service = self.session(every="1s")
        [body] = self.shows(1)
        self.assertEqual(
            body,
            f"Schließen Sie {APP}, und öffnen Sie es wieder: Die Regeln haben sich geändert, "
            "die A &amp; B &lt;b&gt;Sons&lt;/b&gt; stellt.",
        )
        _, arguments = self.desktop.GetMethodCalls("Notify", dbus_interface=MOCK)[0]
        self.assertEqual((str(arguments[0]), str(arguments[3])), ("webviewguard", "A & B <b>Sons</b>"))
        service.kill()
        service.wait()
        self.session(every="1s")
        self.shows(1)
        self.daemon.stop()
        self.daemon.start()
        again = self.wire()
        self.answered(again.call(f"{GUARD}.Attach", app=APP, instance=told["instance"], rules=OLD))
        self.assertEqual(len(self.notices()), 1, "the next daemon knows of it")
        self.shows(1)
        # What happens then is news.
        self.sign_in()
        self.wipe()
        self.assertIn("Daten des Kontos work@contoso.com", self.shows(2)[1])

    def test_names_are_no_markup(self) -> None:
        self.notifications()
        self.sign_in()
        self.wipe()
        self.session(every="1s")
        [body] = self.shows(1)
        self.assertIn("A &amp; B &lt;b&gt;Sons&lt;/b&gt; will remove the data of the account work@contoso.com here", body)
        self.assertIn("&lt;\u0338a href=&apos;https://evil.example&apos;&gt;Eve&lt;/a&gt;", body)
        self.assertNotIn("<", body)

    def test_a_service_without_markup_gets_the_text_itself(self) -> None:
        self.notifications(capabilities="body")
        self.refuse()
        self.session(every="1s")
        [body] = self.shows(1)
        self.assertIn("A & B <b>Sons</b> changed its rules", body)

    def test_no_more_than_four_an_hour_and_the_others_later(self) -> None:
        self.notifications()
        for app in MORE:
            self.refuse(app)
        service = self.session(every="1s")
        self.shows(4)
        service.kill()
        service.wait()
        file = self.home / "webviewguard/notices"
        self.assertEqual((file.stat().st_mode & 0o777, len(file.read_text().splitlines())), (0o600, 4))
        self.session(every="1s")
        self.shows(4)
        file.write_text("".join(f"1 {line.split(' ', 1)[1]}\n" for line in file.read_text().splitlines()))
        self.session(every="1s")
        self.assertEqual(len(set(self.shows(6))), 6)

    def test_without_a_notification_service_nothing_breaks_and_nothing_is_lost(self) -> None:
        self.refuse()
        self.order("accounts", [ADA])
        self.session(every="1s")
        self.hears("no notification service runs in this session")
        self.is_listed(work_at_contoso="enrolled")
        self.looks()
        self.assertEqual(self.said_by_session.count("no notification service"), 1)
        self.notifications()
        self.shows(1)

    def test_a_notification_service_that_hangs_holds_nobody_up(self) -> None:
        self.notifications()
        hang = "import time; time.sleep(60)"
        self.desktop.AddMethod(NOTIFICATIONS[0], "GetCapabilities", "", "as", hang, dbus_interface=MOCK)
        self.refuse()
        self.order("accounts", [ADA])
        self.session(every="1s")
        self.is_listed(work_at_contoso="enrolled")
        self.hears("no answer in time")
        self.order("accounts", [])
        self.is_listed()

    def test_a_home_that_cannot_be_written(self) -> None:
        self.variables["XDG_STATE_HOME"] = "/proc/none"
        self.notifications()
        self.refuse()
        self.session(every="1s")
        self.shows(1)

    def test_a_file_of_rubbish_shows_what_it_does_not_name(self) -> None:
        self.notifications()
        (self.home / "webviewguard").mkdir()
        (self.home / "webviewguard/notices").write_bytes(b"\xff\0\n" * 50_000 + b"99999999999999999999999 x\n1\n \n")
        self.refuse()
        self.session(every="1s")
        self.shows(1)


class Told(NoticeCase):
    def test_nothing_about_others(self) -> None:
        """A person hears of the own apps and accounts only, and a stranger's answer counts nothing."""
        program, told = self.stale()
        stranger = self.link(OTHER)
        self.stale(link=stranger)
        refused = self.complete(stranger, told["request"], "refused")
        self.assertEqual(refused["error"], f"{GUARD}.UnknownRequest")
        self.assertEqual(self.notices(), [])
        self.answered(self.complete(program, told["request"], "failed"))
        self.sign_in()
        self.wipe()
        self.assertEqual([notice["id"].split("/")[0] for notice in self.notices()], ["wipe", "restart"])
        self.assertEqual(self.notices(self.link(OTHER)), [])
        self.assertEqual([notice["title"] for notice in self.notices()], ["A & B <b>Sons</b>"] * 2)

    def test_an_app_that_starts_anew_by_itself_is_no_notice(self) -> None:
        program, told = self.stale()
        answer = self.answered(self.complete(program, told["request"], "done"))
        self.assertEqual((answer["state"], answer["result"]), ("unknown", "unchanged"))
        self.assertEqual(self.notices(), [])
        twice = self.complete(program, told["request"], "refused")
        self.assertEqual(twice["error"], f"{GUARD}.RequestIsOver")
        self.assertEqual(self.notices(), [])
        records = [record for record in self.daemon.records("account") if record.get("request") == told["request"]]
        acts = [(record["act"], record["note"]) for record in records]
        self.assertEqual(acts, [("restartAsked", "staticRules"), ("restartAnswered", "done")])

    def test_what_was_answered_is_not_asked_again_and_what_was_not_is(self) -> None:
        answers = {result: self.stale() for result in ("done", "refused", "failed")}
        for result, (program, told) in answers.items():
            self.answered(self.complete(program, told["request"], result))
        _, open_one = self.stale()
        for number in (9, 15):
            self.daemon.stop(number)
            self.daemon.start()
            for result, (_, told) in answers.items():
                with self.subTest(result, signal=number):
                    self.answered(self.wire().call(f"{GUARD}.Attach", app=APP, instance=told["instance"], rules=OLD))
                    news = self.news(told["instance"])
                    # It would have come before these.
                    for _ in range(2):
                        self.answered(self.wire().call(f"{GUARD}.WhoAmI"))
                    news.drain()
                    self.assertFalse(news.has_reply)
            self.answered(self.wire().call(f"{GUARD}.Attach", app=APP, instance=open_one["instance"], rules=OLD))
            again = self.answered(self.news(open_one["instance"]).reply())
            self.assertEqual((again["request"], again["deadline"]), (open_one["request"], open_one["deadline"]))

    def test_rules_of_this_policy_are_fresh(self) -> None:
        digest = self.answered(self.wire().call(f"{GUARD}.Attach", app=APP))["digest"]
        attached = self.answered(self.wire().call(f"{GUARD}.Attach", app=APP, rules=digest))
        news = self.news(attached["instance"])
        changed = Configuration(POLICY.replace("A & B", "A + B"), settings=SETTINGS)
        self.assertEqual(self.reload(changed), "enforced")
        topics = {self.answered(news.reply())["topic"] for _ in range(2)}
        self.assertEqual(topics, {"policy", "restart"})

    def test_another_fixed_account(self) -> None:
        def fixed(account: str) -> Configuration:
            return Configuration(POLICY.replace("identityMode: multi", f"account: {account}", 1), settings=SETTINGS)

        self.assertEqual(self.reload(fixed(WORK)), "enforced")
        attached = self.answered(self.wire().call(f"{GUARD}.Attach", app=APP))
        news = self.news(attached["instance"])
        self.assertEqual(self.reload(fixed("second@contoso.com")), "enforced")
        told = [self.answered(news.reply()) for _ in range(2)][-1]
        self.assertEqual((told["topic"], told.get("restart"), told.get("account")), ("restart", "fixedAccount", WORK))

    def test_notices_are_asked_for_in_any_words(self) -> None:
        self.refuse()
        for languages in ([], ["x"] * 5000, ["", "\0", "de-AT\n", "DE"], ["fr"]):
            with self.subTest(languages[:4]):
                [notice] = self.notices(None, *languages)
                self.assertIn(APP, notice["text"])
        self.assertTrue(self.notices(None, "fr")[0]["text"].startswith("Fermez"))
        wrong = self.wire().call(f"{ACCOUNTS}.Notices", languages="de")
        self.assertEqual(wrong["error"], "org.varlink.service.InvalidParameter")
