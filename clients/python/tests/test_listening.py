"""A handler for each topic of news: the shared vectors, and what becomes of handlers that ask, fail and close."""

import asyncio
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, get_args

from case import PATIENCE_SECONDS, FakeCase
from fake import ATTACHED, Peer, Script, bytes_of
from real import WORK, RealCase
from vectors import cases
from webviewguard import Guard, Listening, NewsItem, _words
from webviewguard._event import camel
from webviewguard.asyncio import AsyncGuard
from ways import good

POLICY = {"topic": "policy", "generation": 1, "digest": "a1"}


class ListeningVectors(FakeCase):
    def test_which_handler_hears_what(self) -> None:
        for case in cases("news"):
            for way in (self._in_a_loop, self._on_asyncio):
                with self.subTest(case["name"], way=way.__name__):
                    daemon = self.play(good, *scripts(case))
                    told = way(case)
                    self.assertEqual(told, case["told"])
                    wanted = [connection["subscribe"] for connection in case["connections"]]
                    said = [call["parameters"] for call in daemon.heard if call["method"] == "Subscribe"]
                    self.assertEqual(said, [whole(parameters) for parameters in wanted])
                    daemon.close()

    def _in_a_loop(self, case: dict[str, Any]) -> list[dict[str, Any]]:
        guard = started(self)
        told: list[dict[str, Any]] = []
        handlers: dict[str, Any] = {name: note(told, case, name) for name in case["handlers"]}
        with guard.listen(**handlers):
            until(guard, lambda: len(told) >= len(case["told"]))
        guard.close()
        return told

    def _on_asyncio(self, case: dict[str, Any]) -> list[dict[str, Any]]:
        async def listen() -> list[dict[str, Any]]:
            told: list[dict[str, Any]] = []
            handlers: dict[str, Any] = {name: awaited(note(told, case, name)) for name in case["handlers"]}
            async with AsyncGuard(path=self.fake.path, on_problem=lambda _: None) as guard:
                listening = asyncio.create_task(guard.listen(**handlers))
                async with asyncio.timeout(PATIENCE_SECONDS):
                    while len(told) < len(case["told"]):
                        await asyncio.sleep(0.01)
            await listening
            return told

        return asyncio.run(listen())


class Listeners(FakeCase):
    def test_a_handler_may_ask(self) -> None:
        self.play(good, tells(POLICY))
        guard = started(self)
        asked: list[str] = []
        with guard.listen(policy=lambda _: asked.append(guard.print(viewer="v1").outcome)):
            until(guard, lambda: asked)
        self.assertEqual(asked, ["allow"])

    def test_a_handler_that_fails_takes_no_news_away(self) -> None:
        self.play(good, tells(POLICY, POLICY | {"generation": 2}))
        guard = started(self)
        heard: list[int] = []

        def fail(item: NewsItem) -> None:
            heard.append(item.generation)
            raise ZeroDivisionError

        with self.assertLogs("webviewguard"), guard.listen(policy=fail):
            until(guard, lambda: len(heard) == 2)
        self.assertEqual(heard, [1, 2])

    def test_a_handler_may_end_it_and_hears_nothing_more(self) -> None:
        self.play(good, tells(POLICY, POLICY | {"generation": 2}))
        guard = started(self)
        heard: list[int] = []

        def end(item: NewsItem) -> None:
            heard.append(item.generation)
            listening.close()

        listening: Listening = guard.listen(policy=end)
        until(guard, lambda: heard)
        self.assertTrue(self.fake.peer(1).was_closed.wait(PATIENCE_SECONDS))
        guard.wait(0.05)
        self.assertEqual(heard, [1])
        self.assertTrue(guard.print().allowed, "questions go on")

    def test_news_that_come_while_an_answer_is_waited_for_are_kept_for_process(self) -> None:
        came, answer = threading.Event(), threading.Event()

        def slow(peer: Peer) -> None:
            peer.attach(answerMs=20_000)
            call = peer.call()
            answer.wait(PATIENCE_SECONDS)
            peer.answer(call)
            peer.oblige()

        def tell(peer: Peer) -> None:
            attach(peer)
            peer.reply(POLICY, continues=True)
            came.set()
            peer.stay_silent()

        self.play(slow, tell)
        guard = started(self)
        heard: list[NewsItem] = []
        guard.listen(policy=heard.append)
        until(guard, came.is_set)
        turns = count_turns(guard)
        threading.Timer(0.3, answer.set).start()
        self.assertTrue(guard.print().allowed)
        self.assertLess(len(turns), 20, "news kept it from waiting")
        until(guard, lambda: heard)

    def test_what_no_daemon_knows_is_told_to_the_app(self) -> None:
        refusal = {"error": "org.varlink.service.InvalidParameter", "parameters": {"parameter": "topics"}}
        self.play(good, lambda peer: (attach(peer), peer.send(bytes_of(refusal))), tells(POLICY))
        guard = started(self)
        heard: list[NewsItem] = []
        handlers: Mapping[str, Any] = {"moon": heard.append, "policy": heard.append}
        with guard.listen(**handlers):
            until(guard, lambda: heard)
        self.assertEqual([(p.name, p.method) for p in self.problems], [("InvalidParameter", "Subscribe")])

    def test_news_that_are_refused_again_and_again_are_asked_for_less_and_less(self) -> None:
        def refuse(peer: Peer) -> None:
            attach(peer)
            peer.refuse("NotAttached")
            peer.stay_silent()

        daemon = self.play(good, refuse)
        guard = self.guard()
        guard.start()
        began = time.monotonic()
        with guard.listen(policy=lambda _: None):
            until(guard, lambda: len(daemon.peers) == 5)
        self.assertGreater(time.monotonic() - began, 0.7, "100, 200 and 400 ms")
        self.assertEqual([problem.name for problem in self.problems], ["NotAttached"])

    def test_an_idle_listener_sleeps(self) -> None:
        self.play(good, tells(POLICY))
        guard = started(self)
        heard: list[NewsItem] = []
        with guard.listen(policy=heard.append):
            until(guard, lambda: heard)
            self.assertIsNone(guard.timeout_ms())
        guard.close()
        with self.assertRaisesRegex(Exception, "closed"):
            guard.listen(policy=heard.append)


class ListeningForReal(RealCase):
    def test_a_new_policy_and_a_new_daemon_are_heard(self) -> None:
        guard = self.managed()
        heard: list[tuple[str, int]] = []
        with guard.listen(
            policy=lambda item: heard.append(("policy", item.generation)),
            missed=lambda item: heard.append(("missed", item.missed)),
            # That comes first as well, at its own time.
            data_protection=lambda _: None,
            other=lambda item: heard.append((item.topic, 0)),
        ):
            until(guard, lambda: heard == [("policy", 1)])
            rules = self.daemon.config / "rules/contoso.yaml"
            rules.write_text(rules.read_text().replace("contoso.com", "fabrikam.com"))
            self.admin("Reload")
            until(guard, lambda: heard[1:] == [("policy", 2)])
            self.daemon.stop(9)
            self.daemon.start()
            until(guard, lambda: ("missed", 0) in heard)
            self.assertEqual(guard.print(viewer="docs").identity, WORK)


def started(test: FakeCase) -> Guard:
    guard = test.guard()
    assert guard.start()
    return guard


def scripts(case: dict[str, Any]) -> list[Script]:
    """What the daemon does on each connection for news; the last stays."""
    return [serve(connection, number == len(case["connections"]) - 1)
            for number, connection in enumerate(case["connections"])]  # fmt: skip


def serve(connection: dict[str, Any], is_last: bool) -> Script:
    def script(peer: Peer) -> None:
        attach(peer)
        if "error" in connection:
            peer.send(bytes_of({"error": connection["error"], "parameters": {"parameter": "topics"}}))
        for reply in connection.get("replies", ()):
            peer.reply(reply, continues=True)
        if is_last:
            peer.stay_silent()

    return script


def attach(peer: Peer) -> None:
    """Lets a client join, and hears what it subscribes to."""
    assert peer.call()["parameters"]["instance"] == "T1"
    peer.reply(ATTACHED)
    assert peer.call()["more"]


def tells(*replies: dict[str, Any]) -> Script:
    return serve({"replies": replies}, is_last=True)


def whole(parameters: dict[str, Any]) -> dict[str, Any]:
    """The parameters of Subscribe, with `all` for all the topics that there are."""
    return {"topics": sorted(get_args(_words.Topic))} if parameters.get("topics") == "all" else parameters


def note(told: list[dict[str, Any]], case: dict[str, Any], name: str) -> Callable[[NewsItem], None]:
    """A handler that writes down what it hears, as far as the case speaks of it."""

    names = [field.name for field in fields(NewsItem)]

    def hear(item: NewsItem) -> None:
        known = {camel(member): getattr(item, member) for member in names if member != "raw"}
        members = dict(item.raw) | known
        wanted = case["told"][len(told)] if len(told) < len(case["told"]) else {"to": None, "topic": None}
        told.append({member: name if member == "to" else members.get(member) for member in wanted})

    return hear


def awaited(handler: Callable[[NewsItem], None]) -> Callable[[NewsItem], Any]:
    async def hear(item: NewsItem) -> None:
        await asyncio.sleep(0)
        handler(item)

    return hear


def until(guard: Guard, holds: Callable[[], object]) -> None:
    """Runs the guard's own loop until something holds."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        guard.wait(1)


def count_turns(guard: Guard) -> list[float]:
    """The waits of a guard from now on."""
    turns: list[float] = []
    line = guard._engine.line
    wait = line.wait

    def counted(until: float) -> None:
        turns.append(until)
        wait(until)

    line.wait = counted  # type: ignore[method-assign]
    return turns
