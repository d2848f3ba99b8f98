"""The client in an event loop of the app's own: one descriptor, one time, one call."""

import gc
import select
import time
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ways
from case import PATIENCE_SECONDS, URL, FakeCase, waits_at_most
from fake import Peer
from webviewguard import Decision, Guard
from ways import ANSWER_MS, Stopwatch


@contextmanager
def kept_garbage() -> Iterator[list[Any]]:
    """What only the collector could delete, of what is made while the block lasts."""
    garbage: list[Any] = []
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield garbage
        gc.collect()
        garbage += gc.garbage
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()


class Loops(FakeCase):
    def later(self, guard: Guard) -> list[Decision]:
        came: list[Decision] = []
        guard.decide_later("navigate", came.append, viewer="v1", url=URL)
        return came

    def turn(self, guard: Guard, until: list[Decision], count: int = 1) -> None:
        """What an app's loop does until the answers came. It never asks for the connection itself."""
        end = time.monotonic() + PATIENCE_SECONDS
        poll = select.poll()
        poll.register(guard.fileno(), select.POLLIN)
        while len(until) < count and time.monotonic() < end:
            poll.poll(guard.timeout_ms())
            guard.process()
        self.assertEqual(len(until), count)

    def test_questions_are_answered_by_process_in_their_order(self) -> None:
        def repeats_length(peer: Peer) -> None:
            peer.attach()
            while True:
                call = peer.call()
                peer.answer(call, limit=call["parameters"]["event"]["length"])

        self.play(repeats_length)
        guard = self.guard()
        came: list[Decision] = []
        for length in range(3):
            guard.decide_later("copy", came.append, length=length)
        self.assertEqual(came, [])
        self.turn(guard, came, 3)
        self.assertEqual([decision.limit for decision in came], [0, 1, 2])

    def test_questions_leave_nothing_for_the_collector(self) -> None:
        """It would stop the thread that draws a page, in the middle of that."""
        self.play(ways.good)
        guard = self.guard()
        self.ask(guard)
        gc.collect()
        with kept_garbage() as garbage:
            for _ in range(50):
                self.ask(guard)
            self.turn(guard, self.later(guard))
        self.assertEqual([kept for kept in garbage if type(kept).__module__.startswith("webviewguard")], [])

    def test_a_silent_daemon_costs_the_loop_nothing(self) -> None:
        self.long_back_off()
        self.play(ways.silent_when_asked)
        guard = self.guard()
        guard.start()
        with self.no_waiting(guard):
            came = self.later(guard)
        wait = guard.timeout_ms()
        assert wait is not None
        self.assertLessEqual(wait, ANSWER_MS + 1)
        with Stopwatch() as watch:
            self.turn(guard, came)
        self.assertGreater(watch.ms, ANSWER_MS - 20)
        self.is_contract(came[0])
        self.is_contract(self.later_and_turn(guard))

    def later_and_turn(self, guard: Guard) -> Decision:
        """In the back-off: the answer is there as soon as the loop comes by."""
        came = self.later(guard)
        self.assertEqual((came, guard.timeout_ms()), ([], 0))
        guard.process()
        return came[0]

    def test_the_loop_reconnects_by_itself_and_says_everything_again(self) -> None:
        self.play(ways.hangs_up, ways.good)
        guard = self.guard()
        guard.start()
        descriptor = guard.fileno()
        came = self.later(guard)
        self.turn(guard, came)
        self.is_contract(came[0])
        guard.register_viewer("v1")
        self.assertFalse(guard.is_connected)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        while "RegisterViewer" not in self.fake.methods():
            poll.poll(guard.timeout_ms())
            guard.process()
        self.assertEqual((guard.fileno(), guard.is_connected), (descriptor, True))

    def test_a_connection_that_a_hook_lost_is_made_again_by_the_loop(self) -> None:
        self.play(ways.silent_when_asked, ways.good)
        guard = self.guard()
        guard.start()
        guard.process()
        self.assertIsNone(guard.timeout_ms())
        self.is_contract(self.ask(guard))
        poll = select.poll()
        poll.register(guard.fileno(), select.POLLIN)
        self.assertTrue(poll.poll(0), "the loop would sleep on")
        turns = 0
        guard.process()
        while not guard.is_connected:
            self.assertIsNotNone(guard.timeout_ms())
            poll.poll(guard.timeout_ms())
            guard.process()
            turns += 1
        self.assertLess(turns, 20)

    def test_waiting_for_one_answer_keeps_the_others_for_process(self) -> None:
        self.play()
        guard = self.guard()
        guard.start()
        came = self.later(guard)
        self.assertEqual(self.ask(guard).reason, "internal")
        self.assertEqual(came, [])
        self.wait_for_news_of(guard)
        self.turn(guard, came)

    def test_waiting_beside_finished_answers_does_not_spin(self) -> None:
        self.play(ways.silent_when_asked)
        guard = self.guard()
        guard.start()
        came = self.later(guard)
        began = time.process_time()
        self.is_contract(self.ask(guard))
        self.assertLess(time.process_time() - began, ANSWER_MS / 1000 / 3)
        self.turn(guard, came)

    def test_a_callback_may_ask_and_may_fail(self) -> None:
        self.play()
        guard = self.guard()
        came: list[Decision] = []

        def broken(_: Decision) -> None:
            raise RuntimeError("a mistake of the app")

        guard.decide_later("print", broken)
        guard.decide_later("print", lambda _: came.append(guard.print()))
        with self.assertLogs("webviewguard", "ERROR"):
            self.turn(guard, came)
        self.assertTrue(came[0].allowed)

    def test_what_is_pending_at_the_end_is_answered_by_the_contract(self) -> None:
        self.play(ways.silent_when_asked)
        guard = self.guard()
        guard.start()
        came = self.later(guard)
        guard.close()
        guard.process()
        self.is_contract(came[0])
        self.is_contract(self.ask(guard))
        self.assertFalse(guard.start())
        self.assertIsNone(guard.register_viewer("v1").policy)
        self.assertFalse(guard.forget_viewer("v1"))

    def test_a_start_without_waiting(self) -> None:
        self.play()
        guard = self.guard()
        guard.register_viewer("v1")
        with self.no_waiting(guard):
            guard.start(wait=False)
        poll = select.poll()
        poll.register(guard.fileno(), select.POLLIN)
        while not guard.is_connected:
            poll.poll(guard.timeout_ms())
            guard.process()
        self.assertTrue(self.ask(guard).allowed)
        self.assertEqual(self.fake.methods(), ["Attach", "RegisterViewer", "Navigate"])

    def test_an_idle_loop_sleeps(self) -> None:
        self.play()
        guard = self.guard()
        guard.start()
        guard.process()
        self.assertIsNone(guard.timeout_ms())
        self.assertFalse(guard.wants_write())
        self.assertEqual(select.select([guard.fileno()], [], [], 0.05)[0], [])


class WithoutAnInstance(FakeCase):
    def test_news_wait_for_the_guard_to_have_one(self) -> None:
        self.play()
        guard = self.guard()
        with guard.news() as news:
            self.assertEqual(news.process(), [])
            self.assertIsNotNone(news.timeout_ms())
            self.assertEqual(len(self.fake.peers), 0)

    def test_the_loop_comes_by_when_the_time_to_start_is_over(self) -> None:
        self.play()
        self.long_back_off()
        self.fake.path.unlink()
        guard = self.guard()
        guard.start(wait=False)
        wait = guard.timeout_ms()
        assert wait is not None
        self.assertLessEqual(wait, ways.CONTRACT["startMs"])


class LongMessages(FakeCase):
    def test_a_question_that_does_not_fit_into_the_socket(self) -> None:
        self.play()
        guard = self.guard()
        self.assertTrue(guard.start())
        url = "data:text/plain," + "x" * 2_000_000
        self.assertTrue(guard.navigate(viewer="v1", url=url).allowed)
        self.assertEqual(self.fake.heard[-1]["parameters"]["event"]["url"], url)

    def test_a_daemon_that_does_not_read(self) -> None:
        def deaf(peer: Peer) -> None:
            peer.attach()
            peer.pause(5)

        self.play(deaf)
        guard = self.guard()
        guard.start()
        with waits_at_most(guard, ANSWER_MS):
            self.is_contract(guard.navigate(viewer="v1", url="data:," + "x" * 2_000_000))

    def test_why_a_message_was_refused_is_heard_though_the_daemon_reads_no_further(self) -> None:
        def refuses_long(peer: Peer) -> None:
            peer.attach()
            peer.connection.recv(1000)
            peer.refuse("LimitReached", limit="messageBytes", maximum=4096)

        self.play(refuses_long)
        guard = self.guard()
        guard.start()
        decision = guard.navigate(viewer="v1", url="data:," + "x" * 2_000_000)
        self.assertEqual((decision.outcome, decision.reason), ("block", "LimitReached"))


class Mistakes(unittest.TestCase):
    def test_what_cannot_be_said_is_a_mistake_of_the_program(self) -> None:
        with Guard(path="/nowhere/guard.sock", on_problem=lambda _: None) as guard:
            for event in ({"vewer": "v1"}, {"viewer": object()}, {"length": float("nan")}):
                with self.subTest(event), self.assertRaises((TypeError, ValueError)):
                    guard.copy(**event)  # type: ignore[arg-type]
            self.assertEqual(guard.copy(viewer="v1", clip=None).reason, "noAnswer")
