"""The client in an event loop: one descriptor, callbacks from `wvg_process`, and news on a connection of its own."""

import time

from case import ClientCase
from fake import ATTACHED, SHORT_MS, Peer, bytes_of
from program import Driver


def news(peer: Peer, *told: dict[str, object]) -> None:
    """Serves a connection for news."""
    while True:
        call = peer.call()
        if call["method"] == "Attach":
            peer.reply(ATTACHED)
        else:
            for item in told:
                peer.reply(item, continues=True)


def silent(peer: Peer) -> None:
    """Attaches the client, and says nothing more."""
    peer.attach(answerMs=SHORT_MS)
    peer.stay_silent()


POLICY = {"topic": "policy", "generation": 1, "digest": "ab"}


class Loop(ClientCase):
    def later(self, driver: Driver, tag: str, kind: str = "navigate", **event: object) -> int:
        ticket: int = driver("askLater", tag=tag, kind=kind, event=event)["ticket"]
        self.assertNotEqual(ticket, 0)
        return ticket

    def test_answers_come_from_process_in_order(self) -> None:
        for way in ({}, {"byTimeout": True}):
            with self.subTest(way):
                daemon = self.fake()
                driver = self.driver().new()
                for number in range(300):
                    self.later(driver, str(number), url=str(number))
                self.assertEqual(driver.heard()["answers"], [], "no callback but from process")
                driver("loop", answers=300, **way)
                answers = driver.heard()["answers"]
                self.assertEqual([answer["tag"] for answer in answers], [str(number) for number in range(300)])
                self.assertTrue(all(answer["decision"]["outcome"] == "allow" for answer in answers))
                urls = [call["parameters"]["event"]["url"] for call in daemon.peers[0].calls[1:]]
                self.assertEqual(urls, [str(number) for number in range(300)])
                daemon.close()

    def test_watching_connects_and_the_descriptor_stays(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        fd = driver("status")["fd"]
        self.until_connected(driver)
        daemon.close()
        self.until_connected(driver, False)
        self.fake()
        self.until_connected(driver)
        self.assertEqual(driver("status")["fd"], fd)

    def test_a_loop_reconnects_what_a_question_lost(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        driver.start()
        daemon.close()
        self.assert_local(driver.ask("print"))
        self.assertGreaterEqual(driver("status")["timeout"], 0, "the loop is to come by")
        self.fake()
        self.until_connected(driver)

    def test_an_idle_loop_sleeps(self) -> None:
        self.fake()
        driver = self.driver().new()
        driver("subscribe")
        self.until(driver, lambda: driver("status")["timeout"] == -1)
        self.assertLessEqual(driver("loop", ms=500)["turns"], 1)

    def test_a_deadline_needs_nothing_but_the_descriptor(self) -> None:
        self.fake(silent)
        driver = self.driver().new()
        driver.start()
        begin = time.monotonic()
        self.later(driver, "a", url="u")
        self.assertLessEqual(driver("status")["timeout"], SHORT_MS)
        turns = driver("loop", answers=1)["turns"]
        took = (time.monotonic() - begin) * 1000
        self.assertLess(turns, 10)
        self.assertGreaterEqual(took, SHORT_MS - 10)
        self.assert_local(driver.heard()["answers"][0]["decision"])

    def test_one_missed_deadline_answers_all_that_wait(self) -> None:
        self.fake(silent)
        driver = self.driver().new()
        driver.start()
        for tag in "abc":
            self.later(driver, tag, url=tag)
        driver("loop", answers=3)
        answers = driver.heard()["answers"]
        self.assertEqual([answer["tag"] for answer in answers], ["a", "b", "c"])
        for answer in answers:
            self.assert_local(answer["decision"])

    def test_in_the_back_off_the_answer_still_comes_from_process(self) -> None:
        driver = self.driver().new()
        driver.ask("print")
        said = driver("askLater", tag="a", kind="print", event={})
        self.assertEqual(said["timeout"], 0)
        self.assertEqual(driver.heard()["answers"], [])
        self.assertLessEqual(driver("loop", answers=1)["turns"], 2)
        self.assert_local(driver.heard()["answers"][0]["decision"])

    def test_a_cancelled_question_calls_nobody(self) -> None:
        self.fake()
        driver = self.driver().new()
        driver.start()
        ticket = self.later(driver, "gone", url="a")
        self.later(driver, "here", url="b")
        driver("cancel", ticket=ticket)
        driver("loop", answers=1)
        self.assertEqual([answer["tag"] for answer in driver.heard()["answers"]], ["here"])

    def test_a_question_in_between_does_not_swallow_answers(self) -> None:
        self.fake()
        driver = self.driver().new()
        driver.start()
        self.later(driver, "a", url="a")
        self.assert_allowed(driver.ask("print"))
        self.assertEqual(driver.heard()["answers"], [])
        self.assertEqual(driver("status")["timeout"], 0)
        self.assertLessEqual(driver("loop", answers=1)["turns"], 2, "the descriptor is readable")
        self.assert_allowed(driver.heard()["answers"][0]["decision"])

    def test_a_callback_may_ask(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        for tag in "abc":
            self.later(driver, tag, url=tag)
        driver("loop", answers=3, asksAgain=True)
        self.assertEqual([answer["tag"] for answer in driver.heard()["answers"]], ["a", "b", "c"])
        self.assertEqual([call["method"] for call in daemon.peers[0].calls].count("Print"), 3)

    def test_the_end_answers_what_is_open(self) -> None:
        self.contract('{"navigation": "open"}')
        self.fake(Peer.stay_silent)
        driver = self.driver().new()
        self.later(driver, "a", url="u")
        self.later(driver, "b", kind="copy")
        driver("free")
        answers = driver.heard()["answers"]
        self.assertEqual([answer["tag"] for answer in answers], ["a", "b"])
        self.assert_local(answers[0]["decision"], "allow")
        self.assert_local(answers[1]["decision"], "block")

    def test_a_flood_of_questions_waits_its_turn(self) -> None:
        def counted(peer: Peer) -> None:
            peer.attach(answerMs=5000)
            time.sleep(0.2)
            peer.connection.setblocking(False)
            try:
                most.append(peer.connection.recv(1 << 20).count(b"\0"))
            except BlockingIOError:
                most.append(0)
            for _ in range(most[0]):
                peer.allow()
            peer.connection.setblocking(True)
            peer.oblige()

        most: list[int] = []
        self.fake(counted)
        driver = self.driver().new()
        driver.start()
        for number in range(100):
            self.later(driver, str(number), url=str(number))
        driver("loop", answers=100)
        self.assertEqual(len(driver.heard()["answers"]), 100)
        self.assertTrue(0 < most[0] <= 64, most)

    def test_an_acknowledgement_waits_for_nothing(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        driver.start()
        said = driver("acknowledge", id="7", outcome="allow", justification="contract")
        self.assertTrue(said["sent"])
        self.assert_allowed(driver.ask("print"))
        call = daemon.peers[0].calls[1]
        self.assertEqual((call["method"], call["oneway"]), ("Acknowledge", True))
        self.assertEqual(call["parameters"], {"decision": "7", "outcome": "allow", "justification": "contract"})
        self.assertFalse(driver("acknowledge", id="", outcome="allow", isLocal=True)["sent"])
        daemon.close()
        self.assertFalse(driver("acknowledge", id="7", outcome="allow")["sent"])


class News(ClientCase):
    def test_news_come_on_a_connection_of_their_own(self) -> None:
        account = {"topic": "account", "generation": 1, "digest": "ab", "account": "w@c.com", "state": "blocked"}
        daemon = self.fake(Peer.oblige, lambda peer: news(peer, POLICY, account))
        driver = self.driver().new(app="com.contoso.portal")
        driver("subscribe", topics=["policy", "account"])
        driver("loop", news=2)
        told = driver.heard()["news"]
        self.assertEqual([item["topic"] for item in told], ["policy", "account"])
        self.assertEqual((told[1]["account"], told[1]["state"]), ("w@c.com", "blocked"))
        attach, subscribe = daemon.peers[1].calls
        self.assertEqual(attach["parameters"]["instance"], "T1")
        self.assertEqual((subscribe["more"], subscribe["parameters"]), (True, {"topics": ["policy", "account"]}))
        self.assert_allowed(driver.ask("print"))

    def test_after_a_reconnect_only_a_changed_policy_is_news(self) -> None:
        changed = POLICY | {"generation": 2, "digest": "cd"}
        serve = [lambda peer: news(peer, POLICY), lambda peer: news(peer, POLICY), lambda peer: news(peer, changed)]
        daemon = self.fake(Peer.oblige, *serve)
        driver = self.driver().new()
        driver("subscribe")
        driver("loop", news=1)
        for index in (1, 2):
            daemon.peers[index].connection.shutdown(2)
            self.until(driver, lambda: len(daemon.peers) == index + 2 and len(daemon.peers[-1].calls) == 2)
        driver("loop", news=2)
        self.assertEqual([item["generation"] for item in driver.heard()["news"]], [1, 2])
        self.assertEqual(len(daemon.peers), 4)

    def test_a_subscription_may_be_ended_by_its_own_callback(self) -> None:
        daemon = self.fake(Peer.oblige, lambda peer: news(peer, POLICY, POLICY | {"generation": 2}))
        driver = self.driver().new()
        driver("subscribe")
        driver("loop", news=1, unsubscribes=True)
        driver("loop", ms=100)
        self.assertEqual(len(driver.heard()["news"]), 1)
        self.assertTrue(daemon.peer(1).was_closed.wait(5))
        self.assert_allowed(driver.ask("print"))

    def test_a_handler_may_ask_and_may_end_its_listening(self) -> None:
        daemon = self.fake(Peer.oblige, lambda peer: news(peer, POLICY | {"missed": 2}, POLICY | {"generation": 2}))
        driver = self.driver().new()
        driver("listen", handlers=["policy", "missed"])
        driver("loop", news=1, unsubscribes=True, asksAgain=True)
        driver("loop", ms=100)
        self.assertEqual([item["to"] for item in driver.heard()["news"]], ["missed"])
        self.assertTrue(daemon.peer(1).was_closed.wait(5))
        self.assertIn("Print", daemon.methods())
        self.assert_allowed(driver.ask("print"))

    def test_a_daemon_that_does_not_know_a_topic_is_told_of(self) -> None:
        def refuse(peer: Peer) -> None:
            peer.attach()
            peer.call()
            peer.send(bytes_of({"error": "org.varlink.service.InvalidParameter", "parameters": {}}))

        self.fake(Peer.oblige, refuse, lambda peer: news(peer, POLICY))
        driver = self.driver().new()
        driver("listen", handlers=["policy", "moon"])
        driver("loop", news=1)
        heard = driver.heard()
        self.assertEqual([item["topic"] for item in heard["news"]], ["policy"])
        self.assertEqual(len(heard["problems"]), 1, heard)
        self.assertIn("does not know all topics", heard["problems"][0])

    def test_news_that_are_refused_again_and_again_are_asked_for_less_and_less(self) -> None:
        def refuse(peer: Peer) -> None:
            peer.attach()
            peer.call()
            peer.refuse("NotAttached")
            peer.stay_silent()

        daemon = self.fake(Peer.oblige, refuse)
        driver = self.driver().new()
        driver("listen", handlers=["policy"])
        begin = time.monotonic()
        self.until(driver, lambda: len(daemon.peers) == 5)
        self.assertGreater(time.monotonic() - begin, 0.7, "100, 200 and 400 ms")

    def test_a_switch_that_came_about_is_said_again(self) -> None:
        wish = {"topic": "identity", "generation": 1, "digest": "ab", "account": "w@c.com", "request": "r1"}
        daemon = self.fake(Peer.oblige, lambda peer: news(peer, wish, wish | {"request": "r2", "window": "w1"}))
        driver = self.driver().new()
        driver("subscribe")
        driver("loop", news=2)
        self.assertEqual(driver.say("Answer", request="r1", result="canceled")["said"], "done")
        self.assertEqual(driver.say("Answer", request="r2", result="success")["said"], "done")
        daemon.close()
        self.assertEqual(driver.say("Answer", request="r3", result="success")["error"], "noAnswer")
        again = self.fake()
        driver.start()
        said = [call for call in again.peers[0].calls if call["method"] == "SetIdentity"]
        wanted = {"level": "window", "window": "w1", "account": "w@c.com"}
        self.assertEqual([call["parameters"] for call in said], [wanted])

    def test_a_switch_that_a_decision_asked_for_is_kept_for_the_viewers_window(self) -> None:
        def switch(peer: Peer) -> None:
            for _ in range(3):
                peer.answer(peer.call())
            peer.call()
            peer.allow(outcome="switchIdentity", reason="identitySwitchNeeded", switchTo="w@c.com", request="r1")
            peer.oblige()

        daemon = self.fake(switch)
        driver = self.driver().new()
        driver.say("RegisterViewer", viewer="win", kind="window", window="w1")
        driver.say("RegisterViewer", viewer="v1", parent="win")
        self.assertEqual(driver.ask("navigate", viewer="v1", url="u")["switchTo"], "w@c.com")
        self.assertEqual(driver.say("Answer", request="r1", result="success")["said"], "done")
        daemon.close()
        again = self.fake()
        driver("loop", ms=300)
        driver.start()
        self.assertEqual(
            again.peers[0].calls[-1]["parameters"], {"level": "window", "window": "w1", "account": "w@c.com"}
        )

    def test_a_refused_subscription_is_tried_again_after_a_pause(self) -> None:
        def refuse(peer: Peer) -> None:
            peer.call()
            peer.refuse("UnknownInstance")
            peer.call()

        daemon = self.fake(Peer.oblige, refuse)
        driver = self.driver().new()
        driver("subscribe")
        begin = time.monotonic()
        self.until(driver, lambda: len(daemon.peers) == 4)
        self.assertGreater(time.monotonic() - begin, 0.3, "100 and 200 ms")
        self.assert_allowed(driver.ask("print"))
