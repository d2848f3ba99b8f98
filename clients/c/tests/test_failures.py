"""What the client does when the daemon is not what it should be: always an answer, in time, and by the contract."""

import itertools
import os
import signal
import socket
import tempfile
import time
from pathlib import Path
from typing import Any

import conversations
from case import ClientCase
from fake import ATTACHED, CONTRACT, SHORT_MS, FakeDaemon, Peer, Script, bytes_of

ANSWER_MS = SHORT_MS
# What a question waits for a new connection after a silence.
BRIEF_MS = 20


def silent(peer: Peer) -> None:
    """Attaches the client, and says nothing more."""
    peer.attach(answerMs=ANSWER_MS)
    peer.stay_silent()


def attach_answered_with(reply: dict[str, Any]) -> Script:
    def serve(peer: Peer) -> None:
        peer.call()
        peer.send(bytes_of(reply))
        peer.stay_silent()

    return serve


class Conversations(ClientCase):
    def test_what_a_daemon_may_say_means_the_same_to_all_clients(self) -> None:
        for case in conversations.CASES:
            with self.subTest(case["name"]), tempfile.TemporaryDirectory() as directory:
                conversations.played(case, Path(directory), self._begin)

    def _begin(self, daemon: FakeDaemon) -> tuple[conversations.Say, conversations.Ask]:
        driver = self.driver(daemon.path).new()

        def ask(kind: str, viewer: str) -> str:
            decision = driver.ask(kind, viewer=viewer)
            return f"{decision['outcome']} {decision['reason']}"

        return lambda method, parameters: driver.say(method, **parameters), ask


class Failures(ClientCase):
    def test_without_a_daemon_everything_is_closed_at_once(self) -> None:
        driver = self.driver().new()
        for kind in ("navigate", "copy", "print"):
            answer = driver("ask", kind=kind, event={})
            self.assert_local(answer["decision"])
            self.assertEqual(answer["waited"], 0)
        self.assertIn("cannot be reached", driver.heard()["problems"][0])

    def test_start_waits_for_the_daemon_and_no_longer_than_the_contract_says(self) -> None:
        self.contract('{"startMs": 200}')
        driver = self.driver().new()
        started = driver("start")
        self.assertFalse(started["connected"])
        self.assertGreaterEqual(started["ms"], 190)
        self.assertLessEqual(started["waited"], 200)
        self.contract('{"startMs": 3000}')
        late = self.driver().new()
        late.begin("start")
        time.sleep(0.25)
        self.fake()
        self.assertTrue(late.end()["connected"])

    def test_start_ends_when_nobody_answers(self) -> None:
        self.contract('{"startMs": 150}')
        self.fake(Peer.stay_silent)
        started = self.driver().new()("start")
        self.assertFalse(started["connected"])
        self.assertGreaterEqual(started["ms"], 140)
        self.assertLessEqual(started["waited"], 150)

    def test_who_is_refused_is_blocked_and_told_why_whatever_the_contract_says(self) -> None:
        """F11, H6: an error reply is `block`, and is no silence that an `open` contract could speak of."""
        self.contract('{"navigation": "open", "other": "open"}')

        def refuse(peer: Peer) -> None:
            while True:
                peer.call()
                peer.refuse("AppMismatch", app="com.contoso.portal")

        daemon = self.fake(refuse)
        driver = self.driver().new()
        for kind in ("navigate", "copy", "print") * 3:
            decision = driver.ask(kind, url="u")
            self.assert_local(decision, reason="AppMismatch")
            self.assertIn("does not know this program", decision["message"])
        self.assertLess(len(daemon.peers), 9, "in the back-off nobody is asked")
        said = driver.say("WhoAmI")
        self.assertEqual((said["said"], said["error"]), ("refused", "AppMismatch"))
        daemon.close()
        time.sleep(0.6)
        self.assert_local(driver.ask("navigate", url="u"), "allow")

    def test_the_first_question_after_an_outage_is_answered(self) -> None:
        """F12: nobody listened, so trying costs nothing, and no pause holds a question up."""
        driver = self.driver().new()
        for _ in range(7):
            self.assert_local(driver.ask("navigate", url="u"))
            driver("loop", ms=120)
        daemon = self.fake()
        self.assert_allowed(driver.ask("navigate", url="u"))
        self.assertEqual(len(daemon.peers), 1)

    def test_also_where_the_socket_is_still_there_and_nobody_listens(self) -> None:
        """A daemon that is killed leaves its socket behind."""
        path = self.directory / "guard.sock"
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        driver = self.driver().new()
        for _ in range(7):
            self.assert_local(driver.ask("navigate", url="u"))
            driver("loop", ms=120)
        path.unlink()
        self.fake()
        self.assert_allowed(driver.ask("navigate", url="u"))

    def test_a_length_is_never_passed_over(self) -> None:
        """Whoever sets `length` and forgets `has_length` has said it all the same; only of 0 that is not known."""
        daemon = self.fake()
        driver = self.driver().new()
        for length, forgets, said in ((5000, True, 5000), (5000, None, 5000), (0, None, 0), (0, True, None), (-1, True, -1)):
            driver("ask", kind="copy", event={"length": length, "forgetsHasLength": forgets})
            self.assertEqual(daemon.peers[0].calls[-1]["parameters"]["event"].get("length"), said)

    def test_a_daemon_that_never_answers(self) -> None:
        daemon = self.fake(silent)
        driver = self.driver().new()
        self.assertTrue(driver.start())
        answer = driver("ask", kind="navigate", event={"url": "u"})
        self.assert_local(answer["decision"])
        self.assertGreaterEqual(answer["ms"], ANSWER_MS - 10)
        self.assertLessEqual(answer["waited"], ANSWER_MS)
        self.assertTrue(daemon.peer(0).was_closed.wait(60), "the connection is closed")
        self.asks_until_at_once(driver, url="u")

    def test_who_hangs_costs_one_question_its_time_and_the_others_next_to_nothing(self) -> None:
        """However often it is tried again, as long as nobody answers: a click each second is no standstill each second."""
        daemon = self.fake(silent, Peer.stay_silent)
        driver = self.driver().new()
        self.assertTrue(driver.start())
        driver.ask("navigate", url="u")
        for _ in range(10):
            driver("loop", ms=60)
            answer = driver("ask", kind="navigate", event={"url": "u"})
            self.assert_local(answer["decision"])
            self.assertLessEqual(answer["waited"], BRIEF_MS)
        self.assertGreater(len(daemon.peers), 1)

    def test_the_question_says_how_long_it_waits(self) -> None:
        def oblige(peer: Peer) -> None:
            peer.attach(answerMs=2000)
            peer.oblige()

        daemon = self.fake(oblige)
        driver = self.driver().new()
        driver.ask("navigate", url="u")
        driver.ask("print")
        deadlines = [call["parameters"]["event"]["deadline"] for call in daemon.peers[0].calls[1:]]
        # The first was asked under the contract of the file, and spent some of its time on Attach.
        self.assertTrue(0 < deadlines[0] <= CONTRACT["answerMs"], deadlines)
        self.assertTrue(1000 < deadlines[1] <= 2000, deadlines)

    def test_a_reply_in_single_bytes_is_a_reply(self) -> None:
        def dribble(peer: Peer) -> None:
            peer.attach()
            peer.call()
            for byte in bytes_of({"parameters": {"decision": ATTACHED | {"outcome": "allow"}}}):
                peer.send(bytes([byte]))
            peer.oblige()

        self.fake(dribble)
        self.assert_allowed(self.driver().new().ask("navigate", url="u"))

    def test_a_reply_that_dribbles_too_long_is_none(self) -> None:
        def dribble(peer: Peer) -> None:
            peer.attach(answerMs=ANSWER_MS)
            peer.call()
            while not peer.was_closed.wait(0.02):
                peer.send(b" ")

        self.fake(dribble)
        driver = self.driver().new()
        driver.start()
        # The blanks end with the connection only.
        self.assert_local(driver.ask("navigate", url="u"))

    def test_a_connection_that_ends_inside_a_reply(self) -> None:
        def close(peer: Peer) -> None:
            peer.attach()
            peer.call()
            peer.send(b'{"parameters":{"decision":{"outcome":"allow"')
            peer.close()

        self.fake(close, Peer.oblige)
        driver = self.driver().new()
        driver.start()
        answer = driver("ask", kind="navigate", event={"url": "u"})
        self.assert_local(answer["decision"])
        self.assertEqual(answer["waited"], 0)

    def test_a_late_answer_is_nobodys(self) -> None:
        def late(peer: Peer) -> None:
            peer.attach(answerMs=ANSWER_MS)
            peer.call()
            time.sleep((ANSWER_MS + 100) / 1000)
            peer.allow(id="late")

        self.fake(late, Peer.oblige)
        driver = self.driver().new()
        driver.start()
        self.assert_local(driver.ask("navigate", url="first"))
        time.sleep(0.3)
        second = driver.ask("navigate", url="second")
        self.assertEqual((second["outcome"], second["id"]), ("allow", "1"))

    def test_a_reply_to_no_call_ends_the_connection(self) -> None:
        def eager(peer: Peer) -> None:
            peer.attach()
            peer.allow()
            peer.oblige()

        daemon = self.fake(eager, Peer.oblige)
        driver = self.driver().new()
        driver.start()
        self.until(driver, daemon.peer(0).was_closed.is_set)
        self.until_connected(driver)
        self.assert_allowed(driver.ask("navigate", url="u"))

    def test_a_reply_that_never_ends(self) -> None:
        def giant(peer: Peer) -> None:
            peer.attach(answerMs=20000)
            peer.call()
            peer.send(b"[" * (5 * 1024 * 1024))
            peer.call()

        daemon = self.fake(giant)
        driver = self.driver().new()
        driver.start()
        answer = driver("ask", kind="navigate", event={"url": "u"})
        self.assert_local(answer["decision"])
        self.assertTrue(daemon.peer(0).was_closed.wait(5))
        self.assertIn("does not end", driver.heard()["problems"][0])

    def test_a_reply_that_is_deep_is_refused(self) -> None:
        def deep(peer: Peer) -> None:
            peer.attach(answerMs=20000)
            peer.call()
            peer.send(b'{"parameters":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001 + b"\0")
            peer.call()

        daemon = self.fake(deep)
        driver = self.driver().new()
        driver.start()
        self.assert_local(driver.ask("navigate", url="u"))
        self.assertTrue(daemon.peer(0).was_closed.wait(5))

    def test_attach_that_is_answered_with_nonsense(self) -> None:
        replies: list[dict[str, Any]] = [{}, {"parameters": {}}, {"parameters": {"instance": 1}}, {"error": 1}]
        for reply in replies:
            with self.subTest(reply):
                daemon = self.fake(attach_answered_with(reply))
                driver = self.driver().new()
                self.assert_local(driver.ask("navigate", url="u"))
                self.assertTrue(daemon.peer(0).was_closed.wait(5))
                self.assertTrue(driver.heard()["problems"])
                daemon.close()

    def test_the_contract_of_attach_wins_over_the_file(self) -> None:
        self.contract('{"navigation": "open", "clipboard": "closed", "answerMs": 100}')

        def closes(peer: Peer) -> None:
            peer.call()
            peer.reply(ATTACHED | {"contract": {"navigation": "closed", "clipboard": "open", "answerMs": 50}})
            peer.call()
            peer.close()

        daemon = self.fake(closes)
        driver = self.driver().new()
        driver.start()
        self.assert_local(driver.ask("navigate", url="u"), "block")
        daemon.close()
        self.assert_local(driver.ask("copy"), "allow")
        status = driver("status")
        self.assertEqual((status["answerMs"], status["startMs"]), (50, 2000))

    def test_the_pause_grows_and_ends_with_success(self) -> None:
        came: list[float] = []

        def hang_up(peer: Peer) -> None:
            came.append(time.monotonic())
            peer.close()

        daemon = self.fake(*[hang_up] * 4, Peer.oblige)
        driver = self.driver().new()
        self.until_connected(driver)
        self.assertEqual(len(daemon.peers), 5)
        pauses = [after - before for before, after in itertools.pairwise(came)]
        # 100, 200 and 400 ms and up to a quarter more; the fake daemon may be slow to note the first of two.
        for pause, least in zip(pauses, (0.05, 0.1, 0.2)):
            self.assertGreater(pause, least, pauses)
        daemon.peers[4].connection.shutdown(socket.SHUT_RDWR)
        self.until(driver, lambda: len(daemon.peers) == 6)

    def test_a_daemon_that_accepts_and_hangs_up_keeps_nobody_busy(self) -> None:
        def hang_up(peer: Peer) -> None:
            peer.attach()
            time.sleep(0.005)
            peer.close()

        daemon = self.fake(hang_up)
        driver = self.driver().new()
        driver("loop", ms=500)
        self.assertLessEqual(len(daemon.peers), 7)

    def test_a_connection_that_ended_while_nobody_asked_is_made_again_for_the_question(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        self.assertTrue(driver.start())
        time.sleep(0.15)
        daemon.close()
        self.fake()
        self.assert_allowed(driver.ask("navigate", url="u"))

    def test_what_is_refused_when_it_is_said_again_is_told(self) -> None:
        def refuse(peer: Peer) -> None:
            peer.attach()
            while True:
                call = peer.call()
                if call["method"] == "RegisterViewer":
                    peer.refuse("UnknownClass", **{"class": "documents"})
                else:
                    peer.answer(call)

        daemon = self.fake(Peer.oblige, refuse)
        driver = self.driver().new()
        driver.start()
        self.assertEqual(driver.say("RegisterViewer", viewer="v", **{"class": "documents"})["said"], "done")
        daemon.peers[0].connection.shutdown(socket.SHUT_RDWR)
        self.until(driver, lambda: len(daemon.peers) == 2)
        self.assert_allowed(driver.ask("navigate", viewer="v", url="u"))
        wanted = '`RegisterViewer` is refused now, with `UnknownClass` {"class": "documents"}'
        self.assertEqual(driver.heard()["problems"], [wanted])

    def test_a_long_question_passes_a_small_pipe(self) -> None:
        def slow(peer: Peer) -> None:
            peer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            peer.attach(answerMs=10000)
            peer.oblige()

        daemon = self.fake(slow)
        driver = self.driver().new()
        driver.start()
        url = "https://contoso.com/" + "ä" * 200_000
        self.assert_allowed(driver.ask("navigate", url=url))
        self.assertEqual(daemon.peers[0].calls[1]["parameters"]["event"]["url"], url)

    def test_a_question_that_no_daemon_reads_is_blocked_here(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        self.assert_local(driver.ask("navigate", url="x" * 600_000), reason="LimitReached")
        self.assert_allowed(driver.ask("navigate", url="u"))
        self.assertEqual(len(daemon.peers), 1)
        refused = driver.say("RegisterViewer", viewer="v", document="x" * 600_000)
        self.assertEqual((refused["said"], refused["error"]), ("refused", "LimitReached"))

    def test_a_kind_that_nobody_knows_is_blocked_here(self) -> None:
        self.contract('{"navigation": "open", "clipboard": "open", "other": "open"}')
        self.assert_local(self.driver().new().ask("dance"), reason="unknownEvent")

    def test_signals_do_not_disturb_a_question(self) -> None:
        def slow(peer: Peer) -> None:
            peer.attach()
            peer.call()
            time.sleep(0.15)
            peer.allow()

        self.fake(slow)
        driver = self.driver().new()
        driver.start()
        driver.begin("ask", kind="navigate", event={"url": "u"})
        for _ in range(10):
            driver.process.send_signal(signal.SIGWINCH)
            driver.process.send_signal(signal.SIGSTOP)
            driver.process.send_signal(signal.SIGCONT)
            time.sleep(0.01)
        self.assert_allowed(driver.end()["decision"])

    def test_descriptors_are_closed_on_exec_and_by_the_handle(self) -> None:
        self.fake()
        driver = self.driver().new()
        driver("subscribe")
        driver.start()
        self.until(driver, lambda: driver("status")["timeout"] == -1)
        folder = f"/proc/{driver.process.pid}/fd"
        opened = [fd for fd in os.listdir(folder) if int(fd) > 2]
        self.assertEqual(len(opened), 4, "epoll, timer, and two connections")
        for fd in opened:
            flags = Path(f"/proc/{driver.process.pid}/fdinfo/{fd}").read_text().split("flags:")[1].split()[0]
            self.assertTrue(int(flags, 8) & os.O_CLOEXEC, f"{os.readlink(f'{folder}/{fd}')}: {flags}")
        driver("free")
        self.assertEqual([fd for fd in os.listdir(folder) if int(fd) > 2], [])
