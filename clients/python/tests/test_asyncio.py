"""The client on asyncio."""

import asyncio
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import ways
from case import URL
from fake import ATTACHED, Peer, Script
from webviewguard import GuardError, NewsItem
from webviewguard.asyncio import AsyncGuard
from ways import ANSWER_MS, played


class Async(unittest.IsolatedAsyncioTestCase):
    def play(self, *scripts: Script, **options: Any) -> AsyncGuard:
        self.fake = played(self, *scripts)
        self.problems: list[GuardError] = []
        guard = AsyncGuard(path=self.fake.path, on_problem=self.problems.append, **options)
        self.addCleanup(guard.close)
        return guard

    @contextmanager
    def waits_at_most(self, milliseconds: float) -> Iterator[None]:
        """Demands that the loop is asked for no longer wait, however late a busy machine wakes it up."""
        loop = asyncio.get_running_loop()
        with patch.object(loop, "call_later", wraps=loop.call_later) as asked:
            yield
        self.assertLessEqual(max(call.args[0] for call in asked.call_args_list) * 1000, milliseconds)

    async def test_questions_side_by_side(self) -> None:
        guard = self.play()
        self.assertTrue(await guard.start())
        await guard.register_viewer("v1")
        questions = [guard.navigate(viewer="v1", url=f"{URL}{number}") for number in range(50)]
        decisions = await asyncio.gather(*questions)
        self.assertEqual({decision.reason for decision in decisions}, {"internal"})
        urls = [call["parameters"]["event"]["url"] for call in self.fake.heard[2:]]
        self.assertEqual(urls, [f"{URL}{number}" for number in range(50)])

    async def test_the_loop_runs_on_while_a_daemon_is_silent(self) -> None:
        guard = self.play(ways.silent_when_asked)
        await guard.start()
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        ticking = asyncio.create_task(tick())
        with self.waits_at_most(ANSWER_MS):
            decision = await guard.print()
        ticking.cancel()
        self.assertEqual((decision.outcome, decision.is_local), ("allow", True))
        self.assertGreater(ticks, 3)

    async def test_the_start_gives_up_in_time(self) -> None:
        guard = self.play(ways.silent)
        with self.waits_at_most(ways.CONTRACT["startMs"]):
            self.assertFalse(await guard.start())

    async def test_it_comes_back_by_itself(self) -> None:
        guard = self.play(ways.hangs_up, ways.good)
        await guard.set_identity("process", account="work@contoso.com")
        self.assertFalse((await guard.start()) and (await guard.copy()).allowed)
        while not guard.is_connected:
            await asyncio.sleep(0.01)
        self.assertTrue((await guard.copy()).allowed)
        self.assertEqual(self.fake.methods().count("SetIdentity"), 2)

    async def test_who_no_longer_waits_disturbs_nobody(self) -> None:
        guard = self.play()
        await guard.start()
        given_up = asyncio.ensure_future(guard.print())
        given_up.cancel()
        self.assertTrue((await guard.print()).allowed)

    async def test_errors_are_raised_where_they_are_awaited(self) -> None:
        def refuses(peer: Peer) -> None:
            peer.attach()
            peer.call()
            peer.refuse("UnknownClass", **{"class": "none"})
            ways.good(peer)

        guard = self.play(refuses)
        await guard.start()
        with self.assertRaises(GuardError) as raised:
            await guard.register_viewer("v1", viewer_class="none")
        self.assertEqual((raised.exception.name, raised.exception.parameters), ("UnknownClass", {"class": "none"}))
        self.assertTrue((await guard.decide_many([("print", {})]))[0].allowed)

    async def test_the_end_answers_what_waits(self) -> None:
        guard = self.play(ways.silent_when_asked)
        async with guard:
            waiting = guard.copy()
        self.assertEqual((await waiting).reason, "noAnswer")
        self.assertEqual((await guard.copy()).reason, "noAnswer")

    async def test_news_come_until_the_end(self) -> None:
        guard = self.play(ways.good, tells)
        items: list[NewsItem] = []

        async def listen() -> None:
            async for item in guard.news(["policy", "identity"]):
                items.append(item)

        listening = asyncio.create_task(listen())
        await guard.start()
        async with asyncio.timeout(10):
            while len(items) < 3:
                await asyncio.sleep(0.01)
            guard.close()
            await listening
        self.assertEqual([(item.topic, item.generation) for item in items[:2]], [("policy", 1), ("policy", 2)])
        self.assertEqual((items[2].request, items[2].account, items[2].window), ("switch-1", "", "w1"))
        subscribed = [call for call in self.fake.heard if call["method"] == "Subscribe"]
        self.assertEqual(subscribed[0]["parameters"], {"topics": ["policy", "identity"]})


def tells(peer: Peer) -> None:
    """Policy 1 twice, policy 2, and a switch."""
    assert peer.call()["parameters"]["instance"] == "T1"
    peer.reply(ATTACHED)
    assert peer.call()["more"]
    for news in (
        {"topic": "policy", "generation": 1, "digest": "d"},
        {"topic": "policy", "generation": 1, "digest": "d"},
        {"topic": "policy", "generation": 2, "digest": "e"},
        {"topic": "identity", "generation": 2, "digest": "e", "request": "switch-1", "account": "", "window": "w1"},
    ):
        peer.reply(news, continues=True)
    peer.stay_silent()
