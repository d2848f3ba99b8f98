"""What the client does when the daemon is not what it should be: always an answer, in time, and by the contract."""

import os
import signal
import socket
import time
from typing import Any

from case import ClientCase
from fake import ATTACHED, CONTRACT, FakeDaemon, Peer, bytes_of

ANSWER_MS = CONTRACT["answerMs"]
# What a loaded machine may take longer.
SLACK_MS = 250


def silent(peer: Peer) -> None:
    """Attaches the client, and says nothing more."""
    peer.attach()
    while peer.call() is not None:
        pass


class Failures(ClientCase):
    def test_without_a_daemon_everything_is_closed_at_once(self) -> None:
        driver = self.driver().new()
        for kind in ("navigate", "copy", "print"):
            answer = driver("ask", kind=kind, event={})
            self.assert_local(answer["decision"])
            self.assertLess(answer["ms"], 50)
        self.assertIn("cannot be reached", driver.heard()["problems"][0])

    def test_start_waits_for_the_daemon_and_no_longer_than_the_contract_says(self) -> None:
        self.contract('{"startMs": 200}')
        driver = self.driver().new()
        started = driver("start")
        self.assertFalse(started["connected"])
        self.assertTrue(190 <= started["ms"] <= 200 + SLACK_MS, started)
        self.contract('{"startMs": 3000}')
        late = self.driver().new()
        late.begin("start")
        time.sleep(0.25)
        self.fake()
        self.assertTrue(late.end()["connected"])

    def test_start_ends_when_nobody_answers(self) -> None:
        self.contract('{"startMs": 150}')
        self.fake(lambda peer: peer.was_closed.wait(5) and None)
        started = self.driver().new()("start")
        self.assertFalse(started["connected"])
        self.assertTrue(140 <= started["ms"] <= 150 + SLACK_MS, started)

    def test_a_daemon_that_never_answers(self) -> None:
        daemon = self.fake(silent)
        driver = self.driver().new()
        self.assertTrue(driver.start())
        answer = driver("ask", kind="navigate", event={"url": "u"})
        self.assert_local(answer["decision"])
        self.assertTrue(ANSWER_MS - 10 <= answer["ms"] <= ANSWER_MS + SLACK_MS, answer)
        self.assertTrue(daemon.peer(0).was_closed.wait(5), "the connection is closed")
        meanwhile = driver("ask", kind="navigate", event={"url": "u"})
        self.assert_local(meanwhile["decision"])
        self.assertLess(meanwhile["ms"], 50, "in the back-off answers come at once")
        self.assertEqual(len(daemon.peers), 1)

    def test_the_question_says_how_long_it_waits(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        driver.ask("navigate", url="u")
        driver.ask("print")
        deadlines = [call["parameters"]["event"]["deadline"] for call in daemon.peers[0].calls[1:]]
        # The first was asked under the default contract, and spent some of its time on Attach.
        self.assertTrue(0 < deadlines[0] <= 500, deadlines)
        self.assertTrue(ANSWER_MS - 100 < deadlines[1] <= ANSWER_MS, deadlines)

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
            peer.attach()
            peer.call()
            while not peer.was_closed.wait(0.02):
                peer.send(b" ")

        self.fake(dribble)
        driver = self.driver().new()
        driver.start()
        answer = driver("ask", kind="navigate", event={"url": "u"})
        self.assert_local(answer["decision"])
        self.assertLess(answer["ms"], ANSWER_MS + SLACK_MS)

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
        self.assertLess(answer["ms"], ANSWER_MS)

    def test_a_late_answer_is_nobodys(self) -> None:
        def late(peer: Peer) -> None:
            peer.attach()
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
        driver.ask("navigate", url="u")
        self.assertTrue(daemon.peer(0).was_closed.wait(5))

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
        for reply in ({}, {"parameters": {}}, {"parameters": {"instance": 1}}, {"error": "x.NoApp"}):
            with self.subTest(reply):
                daemon = self.fake(lambda peer, reply=reply: (peer.call(), peer.send(bytes_of(reply)), peer.call()))
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
        daemon = self.fake(*[lambda peer: peer.close()] * 3, Peer.oblige)
        driver = self.driver().new()
        begin = time.monotonic()
        driver("loop", ms=550)
        self.assertEqual(len(daemon.peers), 3, "at 0, 100 and 300 ms, and a little")
        driver("loop", ms=700)
        self.assertEqual(len(daemon.peers), 4)
        self.assertTrue(driver("status")["connected"])
        daemon.peers[3].connection.shutdown(socket.SHUT_RDWR)
        driver("loop", ms=300)
        self.assertEqual(len(daemon.peers), 5, "the pause is short again")
        self.assertLess(time.monotonic() - begin, 5)

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
        driver("loop", ms=50)
        folder = f"/proc/{driver.process.pid}/fd"
        opened = [fd for fd in os.listdir(folder) if int(fd) > 2]
        self.assertEqual(len(opened), 4, "epoll, timer, and two connections")
        for fd in opened:
            flags = open(f"/proc/{driver.process.pid}/fdinfo/{fd}").read().split("flags:")[1].split()[0]
            self.assertTrue(int(flags, 8) & os.O_CLOEXEC, f"{os.readlink(f'{folder}/{fd}')}: {flags}")
        driver("free")
        self.assertEqual([fd for fd in os.listdir(folder) if int(fd) > 2], [])


class Trust(ClientCase):
    OPEN = '{"navigation": "open"}'

    def test_a_daemon_of_another_user_hears_nothing(self) -> None:
        daemon = self.fake()
        driver = self.driver().new(trusted=[os.geteuid() + 1])
        self.assert_local(driver.ask("navigate", url="u"))
        self.assertTrue(daemon.peer(0).was_closed.wait(5) or not daemon.peers[0].calls)
        self.assertEqual(daemon.peers[0].calls, [])
        self.assertIn("not trusted", driver.heard()["problems"][0])

    def test_a_list_of_users_is_the_whole_list(self) -> None:
        self.fake()
        self.assert_allowed(self.driver().new(trusted=[0x7FFF, os.geteuid()]).ask("navigate", url="u"))
        self.assert_local(self.driver().new(trusted=[]).ask("navigate", url="u"))

    def test_a_contract_of_a_trusted_user_holds(self) -> None:
        self.contract(self.OPEN)
        self.assert_local(self.driver().new().ask("navigate"), "allow")

    def test_a_contract_that_others_may_write_is_none(self) -> None:
        for mode in (0o664, 0o646, 0o666):
            self.contract(self.OPEN, mode)
            self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_a_contract_of_another_user_is_none(self) -> None:
        self.contract(self.OPEN)
        self.assert_local(self.driver().new(trusted=[os.geteuid() + 1]).ask("navigate"), "block")
        if os.geteuid() == 0:
            os.chown(self.directory / "contract.json", 12345, 12345)
            self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_a_contract_that_is_a_link_a_pipe_or_a_folder_is_none(self) -> None:
        real = self.contract(self.OPEN)
        elsewhere = self.directory / "elsewhere"
        real.rename(elsewhere)
        real.symlink_to(elsewhere)
        self.assert_local(self.driver().new().ask("navigate"), "block")
        real.unlink()
        os.mkfifo(real, 0o644)
        self.assert_local(self.driver().new().ask("navigate"), "block")
        real.unlink()
        real.mkdir()
        self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_a_contract_without_end_is_none(self) -> None:
        self.contract(self.OPEN + " " * 70_000)
        self.assert_local(self.driver().new().ask("navigate"), "block")

    def test_the_user_services_socket_is_found(self) -> None:
        (self.directory / "webviewguard").mkdir()
        daemon = FakeDaemon(self.directory / "webviewguard")
        self.addCleanup(daemon.close)
        driver = self.driver(XDG_RUNTIME_DIR=str(self.directory))
        driver.path = None
        self.assert_allowed(driver.new().ask("navigate", url="u"))

    def test_the_systems_socket_comes_first_and_is_not_the_users_own(self) -> None:
        system = self.driver_type.folder / "system"
        system.mkdir()
        self.addCleanup(system.rmdir)
        daemon = FakeDaemon(system)
        self.addCleanup(daemon.close)
        driver = self.driver(XDG_RUNTIME_DIR=str(self.directory))
        driver.path = None
        decision = driver.new().ask("navigate", url="u")
        self.assertEqual(decision["outcome"], "allow" if os.geteuid() == 0 else "block")
        self.assertEqual(len(daemon.peers), 1)

    def test_a_name_too_long_for_a_socket_is_no_place(self) -> None:
        driver = self.driver(self.directory / ("x" * 120)).new()
        self.assert_local(driver.ask("navigate"))
        self.assertIn("no place", driver.heard()["problems"][0])


class WithoutPolicy(ClientCase):
    """Until a policy was loaded, questions are answered without Attach."""

    def test_questions_are_asked_all_the_same_and_attach_follows(self) -> None:
        loaded: list[bool] = []

        def serve(peer: Peer) -> None:
            while (call := peer.call()) is not None:
                if call["method"] == "Attach" and not loaded:
                    peer.refuse("NoPolicy")
                elif not loaded:
                    no_policy(peer, call)
                elif all(c["method"] != "Attach" for c in peer.calls[3:]):
                    peer.refuse("NotAttached")
                else:
                    peer.answer(call)

        daemon = self.fake(serve)
        driver = self.driver().new()
        self.assertEqual(driver.say("RegisterViewer", viewer="v1")["said"], "later")
        first = driver.ask("navigate", url="u")
        self.assertEqual((first["reason"], first["isLocal"]), ("noPolicy", False))
        self.assertFalse(driver("status")["connected"])
        self.assertEqual(driver.say("SetDocument", viewer="v1", document="d")["said"], "later")
        loaded.append(True)
        self.assert_allowed(driver.ask("navigate", url="w"))
        self.assertTrue(driver("status")["connected"])
        self.assertEqual(len(daemon.peers), 1)
        methods = [call["method"] for call in daemon.peers[0].calls]
        wanted = ["Attach", "Navigate", "SetDocument", "Navigate", "Attach", "RegisterViewer", "Navigate"]
        self.assertEqual(methods, wanted)
        self.assertEqual(daemon.peers[0].calls[5]["parameters"], {"viewer": "v1", "document": "d"})


def no_policy(peer: Peer, call: dict[str, Any]) -> None:
    if "event" in call["parameters"]:
        peer.allow(outcome="block", reason="noPolicy")
    else:
        peer.refuse("NoPolicy")
