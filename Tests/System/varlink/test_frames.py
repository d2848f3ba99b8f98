"""What no library sends: many calls at once, half messages, and no messages at all."""

import resource
import threading
import time
from pathlib import Path
from typing import Any

from session import DaemonCase
from wire import GUARD, SERVICE, Wire, frame

WHO = f"{GUARD}.WhoAmI"
INVALID = f"{SERVICE}.InvalidParameter"
MESSAGE_BYTES = 524_288
# So long the daemon may go on reading, to let its last answer arrive.
LINGERING_SECONDS = 120.0


class Pipelining(DaemonCase):
    def test_200_questions_at_once_are_answered_in_order(self) -> None:
        self._pipelined(200)

    def test_5000_questions_at_once_are_more_than_may_wait_and_are_answered_in_order(self) -> None:
        self._pipelined(5000)

    def test_calls_of_all_kinds_are_answered_in_order(self) -> None:
        wire = self._attached()
        wire.send(
            frame(WHO), frame(f"{GUARD}.Fly"), self._question(1), frame(f"{GUARD}.Attach"),
            self._question(2, flags={"oneway": True}), frame(f"{SERVICE}.GetInfo"), self._question(3),
        )  # fmt: skip
        who, fly, first, attach, info, third = wire.replies(6)
        self.assertIn("uid", who["parameters"])
        self.is_error(fly, f"{SERVICE}.MethodNotFound")
        self.assertEqual(first["parameters"]["decision"]["open"]["url"], "https://example.net/1")
        self.is_error(attach, f"{GUARD}.AlreadyAttached")
        self.assertIn("interfaces", info["parameters"])
        self.assertEqual(third["parameters"]["decision"]["open"]["url"], "https://example.net/3")

    def test_one_byte_at_a_time(self) -> None:
        wire = self._attached()
        for byte in self._question(7) + frame(WHO):
            wire.send(bytes([byte]))
        decision, who = wire.replies(2)
        self.assertEqual(decision["parameters"]["decision"]["open"]["url"], "https://example.net/7")
        self.assertIn("uid", who["parameters"])

    def test_a_client_that_does_not_read_stops_nobody_else(self) -> None:
        greedy = self._attached()
        questions = b"".join(self._question(number) for number in range(20_000))
        sent = self._sent_until_full(greedy, questions)
        self.assertLess(sent, len(questions), "the daemon read on although nobody took its answers")
        self.assert_daemon_lives()
        replies = self._replies(greedy, questions[sent:], 20_000)
        self.assertEqual([self._number(reply) for reply in replies], list(range(20_000)))

    def _pipelined(self, count: int) -> None:
        wire = self._attached()
        questions = b"".join(self._question(number) for number in range(count))
        replies = self._replies(wire, questions, count)
        self.assertEqual([self._number(reply) for reply in replies], list(range(count)))
        ids = [reply["parameters"]["decision"]["id"] for reply in replies]
        self.assertEqual(len(set(ids)), count)

    def _attached(self) -> Wire:
        wire = self.wire()
        for method, parameters in (
            ("Attach", {}),
            ("SetIdentity", {"level": "process", "account": "work@contoso.com"}),
            ("RegisterViewer", {"viewer": "docs", "class": "documents"}),
        ):
            self.assertNotIn("error", wire.call(f"{GUARD}.{method}", **parameters))
        return wire

    def _question(self, number: int, flags: dict[str, Any] | None = None) -> bytes:
        type(self).asked += 1
        event = {"viewer": "docs", "url": f"https://example.net/{number}", "frame": "main"}
        return frame(f"{GUARD}.Navigate", flags=flags, event=event)

    @staticmethod
    def _replies(wire: Wire, questions: bytes, count: int) -> list[dict[str, Any]]:
        """Sends in one thread and reads in another: the daemon reads no faster than its answers are taken."""
        sending = threading.Thread(target=wire.send, args=(questions,))
        sending.start()
        replies = wire.replies(count)
        sending.join()
        return replies

    @staticmethod
    def _sent_until_full(wire: Wire, data: bytes) -> int:
        """Sends until for half a second nothing more is taken; returns how many bytes went."""
        sent, seconds = 0, wire.socket.gettimeout()
        wire.socket.settimeout(0.5)
        try:
            while sent < len(data):
                sent += wire.socket.send(data[sent : sent + 65_536])
        except TimeoutError:
            pass
        wire.socket.settimeout(seconds)
        return sent

    @staticmethod
    def _number(reply: dict[str, Any]) -> int:
        return int(reply["parameters"]["decision"]["open"]["url"].rpartition("/")[2])


class Garbage(DaemonCase):
    def tearDown(self) -> None:
        if self.daemon.process is not None:
            self.assert_daemon_lives()

    def test_what_is_no_message_closes_the_connection(self) -> None:
        for bytes_ in (
            b"GET / HTTP/1.1\r\nHost: x\r\n\r\n\0",
            b"\0",
            b"\0" * 65_536,
            b" " * 65_536 + b"\0",
            b"[]\0",
            b"null\0",
            b'"text"\0',
            b"17\0",
            b'{"method":\0',
            b'{"method":"' + WHO.encode() + b'"}}\0',
            b'{"method":"a","method":"b"}\0',
            b'{"method":"\xff\xfe"}\0',
            b'{"method":"\x01"}\0',
            b"[" * 100_000 + b"\0",
            b'{"a":' * 2_000 + b"1" + b"}" * 2_000 + b"\0",
            b"\xef\xbb\xbf" + frame(WHO),
        ):
            with self.subTest(bytes_[:40]):
                wire = self.wire()
                wire.send(bytes_)
                self.assertTrue(wire.is_closed())

    def test_what_came_before_the_garbage_counts_and_what_came_after_does_not(self) -> None:
        wire = self.wire()
        wire.send(frame(WHO), b"garbage\0", frame(WHO))
        self.assertIn("uid", wire.reply()["parameters"])
        with self.assertRaises(ConnectionError):
            wire.reply()
        question = frame(f"{GUARD}.Navigate", event={"url": "https://contoso.com/"})
        wire = self.wire()
        wire.send(frame(f"{GUARD}.Attach"), question * 3, b"garbage\0", question * 3)
        type(self).asked += 3
        self.assertTrue(wire.is_closed())

    def test_what_is_no_call_is_answered_and_the_connection_kept(self) -> None:
        for message, parameter in (
            (b"{}", "method"),
            (b'{"parameters":{}}', "method"),
            (b'{"method":5}', "method"),
            (b'{"method":null}', "method"),
            (b'{"method":"WhoAmI"}', "method"),
            (b'{"method":""}', "method"),
            (b'{"method":"%s","parameters":[]}' % WHO.encode(), "parameters"),
            (b'{"method":"%s","more":1}' % WHO.encode(), "more"),
            (b'{"method":"%s","upgrade":true}' % WHO.encode(), "upgrade"),
            (b'{"method":"%s","urgent":true}' % WHO.encode(), "urgent"),
            (b'{"method":"%s","parameters":{"verbose":true}}' % WHO.encode(), "verbose"),
        ):
            with self.subTest(message):
                wire = self.wire()
                wire.send(message + b"\0")
                self.assertEqual(self.is_error(wire.reply(), INVALID), {"parameter": parameter})
                self.assertNotIn("error", wire.call(WHO))

    def test_wrong_types_are_named_and_the_connection_kept(self) -> None:
        wire = self.wire()
        self.assertNotIn("error", wire.call(f"{GUARD}.Attach"))
        for method, parameters, wrong in (
            ("RegisterViewer", {"viewer": 5}, "viewer"),
            ("RegisterViewer", {"viewer": "v", "window": ["w"]}, "window"),
            ("RegisterViewer", {"viewer": "v", "colour": "red"}, "colour"),
            ("Attach", {"features": "actions"}, "features"),
            ("Attach", {"features": [1]}, "features"),
            ("SetIdentity", {"level": 1}, "level"),
            ("Navigate", {"event": []}, "event"),
            ("Navigate", {"event": {"url": 5}}, "url"),
            ("Navigate", {"event": {"hop": "yes"}}, "hop"),
            ("Navigate", {"event": {"frame": True}}, "frame"),
            ("Navigate", {"event": {"urll": "https://a.example/"}}, "urll"),
            ("Navigate", {"event": {}, "events": {}}, "events"),
            ("Copy", {"event": {"length": "12"}}, "length"),
            ("Copy", {"event": {"length": 1.5}}, "length"),
            ("Copy", {"event": {"formats": "text/plain"}}, "formats"),
        ):
            with self.subTest(method, parameters=parameters):
                reply = wire.call(f"{GUARD}.{method}", **parameters)
                self.assertEqual(self.is_error(reply, INVALID), {"parameter": wrong})
        self.assertNotIn("error", wire.call(WHO))

    def test_a_null_member_is_one_that_was_left_out(self) -> None:
        wire = self.wire()
        self.assertNotIn("error", wire.call(f"{GUARD}.Attach", app=None, instance=None, features=None))
        reply = wire.call(f"{GUARD}.Navigate", event={"viewer": None, "url": "https://contoso.com/", "frame": None})
        type(self).asked += 1
        self.assertTrue(reply["parameters"]["decision"]["viewerIsUnknown"])
        wire.send(b'{"method":"%s","parameters":null,"more":null,"oneway":null}\0' % WHO.encode())
        self.assertNotIn("error", wire.reply())

    def test_a_oneway_call_gets_no_error_either(self) -> None:
        wire = self.wire()
        wire.send(frame(f"{GUARD}.Fly", flags={"oneway": True}))
        wire.send(frame(f"{GUARD}.RegisterViewer", flags={"oneway": True}))
        wire.send(frame(WHO, flags={"oneway": True, "more": True}))
        self.assertIn("uid", wire.call(WHO)["parameters"])

    def test_a_long_name_does_not_come_back_whole(self) -> None:
        wire = self.wire()
        reply = wire.call(f"{GUARD}.{'x' * 100_000}")
        self.is_error(reply, f"{SERVICE}.MethodNotFound")
        self.assertLess(len(str(reply)), 500)

    def test_a_message_of_the_greatest_length_is_read(self) -> None:
        wire = self.wire()
        call = frame(f"{GUARD}.Attach", app="")[:-1]
        wire.send(call.replace(b'""', b'"%s"' % (b"x" * (MESSAGE_BYTES - len(call)))) + b"\0")
        self.is_error(wire.reply(), f"{GUARD}.AppMismatch")

    def test_a_longer_message_is_refused_and_the_connection_closed(self) -> None:
        wire = self.wire()
        try:
            wire.send(b'{"method":"' + b"x" * 600 * 1024 + b'"}\0')
        except ConnectionError:
            pass
        self._is_overlong(wire)

    def test_a_message_without_end_is_refused(self) -> None:
        wire, began, before = self.wire(), time.monotonic(), self._resident_bytes()
        with self.assertRaises(ConnectionError):
            while time.monotonic() - began < LINGERING_SECONDS:
                wire.send(b" " * 65_536)
        self.assertLess(self._resident_bytes() - before, 32 << 20, "what is thrown away was kept")
        self._is_overlong(wire)

    def _resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.daemon.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()

    def _is_overlong(self, wire: Wire) -> None:
        refused = self.is_error(wire.reply(), f"{GUARD}.LimitReached")
        self.assertEqual(refused, {"limit": "messageBytes", "maximum": MESSAGE_BYTES})
        with self.assertRaises(ConnectionError):
            wire.reply()


class HalfMessages(DaemonCase):
    """`partialMessageSeconds` is 1 here."""

    def test_half_a_message_is_given_its_time_and_no_more(self) -> None:
        idle, half = self.wire(), self.wire()
        began = time.monotonic()
        half.send(frame(WHO) + b'{"method":"org.webview')
        self.assertIn("uid", half.reply()["parameters"])
        self.assertTrue(half.is_closed())
        self.assertGreater(time.monotonic() - began, 0.8)
        self.assertIn("uid", idle.call(WHO)["parameters"])

    def test_a_trickle_does_not_prolong_it(self) -> None:
        self.assertTrue(self._trickle(self.wire()), "half a message is read for as long as it grows")

    def test_a_message_in_two_halves_is_one(self) -> None:
        wire, call = self.wire(), frame(WHO)
        wire.send(call[:20])
        time.sleep(0.3)
        wire.send(call[20:])
        self.assertIn("uid", wire.reply()["parameters"])

    def test_a_client_that_leaves_in_the_middle(self) -> None:
        for _ in range(50):
            wire = self.wire()
            wire.send(b'{"method":"org')
            wire.socket.close()
        self.assert_daemon_lives()

    def test_a_client_that_leaves_before_its_answers(self) -> None:
        for _ in range(20):
            wire = self.wire()
            wire.send(frame(WHO) * 100)
            wire.socket.close()
        self.assert_daemon_lives()

    @staticmethod
    def _trickle(wire: Wire) -> bool:
        """Whether the daemon, which is sent one byte every tenth of a second, closes within three hundred of them."""
        try:
            for _ in range(300):
                wire.send(b" ")
                time.sleep(0.1)
        except ConnectionError:
            return True
        return False
