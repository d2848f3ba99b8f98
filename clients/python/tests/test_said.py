"""What is said again, where the shared vectors do not look."""

import unittest

from talk import Talk
from webviewguard import GuardError, _calls
from webviewguard._calls import StateCall
from webviewguard._said import Said
from webviewguard._ticket import Ticket


def register(viewer: str, **members: str) -> StateCall[None]:
    return StateCall("RegisterViewer", {"viewer": viewer, **members}, lambda _: None, None)


class NamesUsedAgain(unittest.TestCase):
    def test_the_old_viewer_of_a_name_is_forgotten_before_the_new_one_is_registered(self) -> None:
        said = Said()
        for method, parameters in (
            ("RegisterViewer", {"viewer": "a", "class": "old"}),
            ("SetWebViewPolicy", {"viewer": "a", "policy": "unmanaged"}),
            ("RegisterViewer", {"viewer": "popup", "opener": "a"}),
            ("ForgetViewer", {"viewer": "a"}),
            ("RegisterViewer", {"viewer": "a", "class": "new"}),
        ):
            said.apply(method, parameters, delivered=True)
        self.assertEqual(said.frames(), [
            ("RegisterViewer", {"viewer": "a", "class": "old"}),
            ("RegisterViewer", {"viewer": "popup", "opener": "a"}),
            ("SetWebViewPolicy", {"viewer": "a", "policy": "unmanaged"}),
            ("ForgetViewer", {"viewer": "a"}),
            ("RegisterViewer", {"viewer": "a", "class": "new"}),
        ])  # fmt: skip

    def test_nothing_grows_with_viewers_that_are_gone(self) -> None:
        said = Said()
        for number in range(1000):
            said.apply("RegisterViewer", {"viewer": f"v{number}"}, delivered=True)
            said.apply("SetIdentity", {"level": "window", "window": f"w{number}", "account": "a"}, delivered=True)
            said.apply("ForgetViewer", {"viewer": f"v{number}"}, delivered=True)
            said.apply("SetIdentity", {"level": "window", "window": f"w{number}"}, delivered=True)
        self.assertEqual(said.frames(), [])

    def test_what_is_said_of_nobody_is_not_kept(self) -> None:
        said = Said()
        for method in ("SetDocument", "ForgetViewer", "SetExternalURLRules"):
            said.apply(method, {"viewer": "ghost"}, delivered=False)
        said.apply("SetWebViewPolicy", {"viewer": "ghost", "policy": "unmanaged"}, delivered=False)
        self.assertEqual(said.frames(), [])


class LatestWords(unittest.TestCase):
    def test_a_document_that_is_known_again(self) -> None:
        said = Said()
        for method, parameters in (
            ("RegisterViewer", {"viewer": "c", "kind": "container"}),
            ("RegisterViewer", {"viewer": "v", "parent": "c", "opener": "c"}),
            ("SetDocument", {"viewer": "v"}),
            ("RegisterViewer", {"viewer": "v", "document": "https://contoso.com/"}),
        ):
            said.apply(method, parameters, delivered=True)
        again = {"viewer": "v", "document": "https://contoso.com/", "parent": "c", "opener": "c"}
        self.assertEqual(said.frames()[1:], [("RegisterViewer", again)])


class SwitchesInFlight(unittest.TestCase):
    def test_a_switch_whose_answer_was_lost_is_taken_back(self) -> None:
        for before in (None, "me@example.org"):
            with self.subTest(before):
                talk = Talk()
                talk.attach()
                if before:
                    talk.asker.state(_calls.set_identity("window", "w", before, None, None))
                    talk.answer_all()
                ticket = talk.asker.state(_calls.set_identity("window", "w", "work@contoso.com", None, "success"))
                talk.lose()
                self.assertEqual(ticket.result().result, "failed")
                again = {"level": "window", "window": "w"} | ({"account": before} if before else {})
                self.assertEqual(talk.attach()[1:], [{"method": "SetIdentity", "parameters": again}])


class BeforeTheDaemon(unittest.TestCase):
    def test_what_is_forgotten_before_the_first_connection_is_not_spoken_of(self) -> None:
        talk = Talk()
        for call in (register("v"), _calls.forget_viewer("v"), _calls.set_identity("process", None, None, None, None)):
            talk.asker.note(call)  # type: ignore[arg-type]
        self.assertEqual([frame["method"] for frame in talk.attach()], ["Attach"])

    def test_a_switch_that_nobody_heard_did_not_come_about(self) -> None:
        talk = Talk()
        ticket = talk.asker.note(_calls.set_identity("process", None, "work@contoso.com", None, "success"))
        self.assertEqual(ticket.result().result, "failed")
        self.assertEqual([frame["method"] for frame in talk.attach()], ["Attach"])

    def test_a_parent_that_nobody_registered_is_said_so_that_the_daemon_refuses_it(self) -> None:
        talk = Talk()
        talk.asker.note(register("v", parent="missing"))
        self.assertEqual(talk.attach()[1]["parameters"], {"viewer": "v", "parent": "missing"})

    def test_viewers_that_nobody_registered_are_refused_here_as_well(self) -> None:
        talk = Talk()
        for call in (
            _calls.set_document("v", None), _calls.forget_viewer("v"), _calls.set_external_url_rules("v", None),
            _calls.set_web_view_policy("v", "unmanaged"),
        ):  # fmt: skip
            ticket: Ticket[object] = talk.asker.note(call)  # type: ignore[arg-type]
            with self.assertRaisesRegex(GuardError, "UnknownViewer"):
                ticket.result()

    def test_viewers_in_a_circle_hang_nobody(self) -> None:
        talk = Talk()
        for call in (register("a"), register("b", parent="a"), register("a", parent="b"), register("c", parent="c")):
            talk.asker.note(call)
        self.assertEqual([talk.said.window(name) for name in "abc"], [None] * 3)
        self.assertEqual(len(talk.attach()), 4)


class RefusedWhenSaidAgain(unittest.TestCase):
    def test_a_viewer_that_is_gone_anyway_can_be_forgotten(self) -> None:
        talk = Talk()
        talk.asker.note(register("v", **{"class": "gone"}))
        talk.connect()
        talk.frames()
        talk.reply(instance="T1", contract={})
        talk.reply("UnknownClass", **{"class": "gone"})
        self.assertEqual([problem.name for problem in talk.session.problems], ["UnknownClass"])
        for expected in (True, False):
            ticket = talk.asker.state(_calls.forget_viewer("v"))
            talk.reply("UnknownViewer", viewer="v")
            if expected:
                self.assertTrue(ticket.result())
            else:
                self.assertRaises(GuardError, ticket.result)


class Problems(unittest.TestCase):
    def test_the_same_is_not_told_again_until_it_was_well_meanwhile(self) -> None:
        talk = Talk()
        for _ in range(3):
            talk.session.lost(0.0, "gone")
        self.assertEqual(len(talk.session.problems), 1)
        talk.session.lost(0.0, "gone elsewhere")
        self.assertEqual(len(talk.session.problems), 2)
        talk.attach()
        talk.lose()
        talk.session.lost(0.0, "gone elsewhere")
        self.assertEqual(len(talk.session.problems), 3)


class Windows(unittest.TestCase):
    def test_a_switch_that_the_daemon_asked_for_is_said_again_for_the_window_of_the_viewer(self) -> None:
        talk = Talk()
        talk.attach()
        for call in (register("c", window="w1", kind="container"), register("v", parent="c")):
            talk.asker.state(call)
        talk.answer_all()
        talk.asker.question("receive", {"viewer": "v"})
        talk.reply(decision={"outcome": "switchIdentity", "switchTo": "work@contoso.com", "request": "switch-1"})
        talk.asker.state(_calls.answer("switch-1", "success"))
        talk.reply()
        talk.frames()
        talk.lose()
        self.assertEqual(
            talk.attach()[-1],
            {"method": "SetIdentity", "parameters": {"level": "window", "window": "w1", "account": "work@contoso.com"}},
        )

    def test_a_switch_that_failed_is_not(self) -> None:
        talk = Talk()
        talk.attach()
        talk.asker.note_request("switch-1", "work@contoso.com", None)
        talk.asker.state(_calls.answer("switch-1", "canceled"))
        talk.reply()
        talk.lose()
        self.assertEqual(len(talk.attach()), 1)


class InFlight(unittest.TestCase):
    def test_what_was_sent_before_the_loss_is_said_again_in_its_order(self) -> None:
        talk = Talk()
        talk.attach()
        tickets = [talk.asker.state(register("v", window=f"w{number}")) for number in range(3)]
        talk.reply()
        talk.frames()
        talk.lose()
        self.assertTrue(all(ticket.is_done for ticket in tickets))
        self.assertEqual(talk.attach()[1]["parameters"], {"viewer": "v", "window": "w2"})

    def test_questions_wait_behind_what_is_said_again(self) -> None:
        talk = Talk()
        talk.asker.note(register("v"))
        talk.connect()
        talk.asker.question("print", {"viewer": "v"})
        talk.frames()
        talk.reply(instance="T1", contract={})
        self.assertEqual([frame["method"] for frame in talk.frames()], ["RegisterViewer", "Print"])

    def test_replies_that_come_in_pieces(self) -> None:
        talk = Talk()
        talk.attach()
        ticket = talk.asker.question("print", {"viewer": "v"})
        for letter in '{"parameters":{"decision":{"outcome":"allow","reason":"x"}}}':
            talk.say(letter)
            self.assertFalse(ticket.is_done)
        talk.say("\0")
        self.assertTrue(ticket.result().allowed)

    def test_a_question_says_the_time_that_is_left_when_it_leaves(self) -> None:
        talk = Talk()
        talk.connect()
        talk.asker.question("print", {"viewer": "v"})
        self.assertEqual([frame["method"] for frame in talk.frames()], ["Attach"])
        talk.session.received(b'{"parameters":{"instance":"T1","contract":{}}}\0', talk.now() + 0.3)
        left = talk.frames()[0]["parameters"]["event"]["deadline"]
        self.assertTrue(0 < left <= 200, left)
