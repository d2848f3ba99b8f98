"""Accounts for the length of a block (MI-19, MI-20): the shared vectors, threads, tasks, and the end of a scope."""

import asyncio
import json
import queue
import threading
import time
import unittest
from contextlib import AbstractContextManager
from typing import Any

from case import PATIENCE_SECONDS, FakeCase
from fake import ATTACHED, Peer
from real import PERSONAL, WORK, RealCase
from vectors import cases
from webviewguard import Decision, Guard, GuardError
from webviewguard._conversation import Hello
from webviewguard._news import Subscription
from webviewguard._said import Said
from webviewguard._scopes import JoinedSession
from webviewguard.asyncio import AsyncGuard
from ways import CONTRACT, PATIENT_MS

PROCESS = "process@contoso.com"
NOBODY = "nobody@elsewhere.example"


def judges(peer: Peer) -> None:
    """Answers questions with the account of the connection's scope as the identity."""
    account = None
    while True:
        call = peer.call()
        said = call["parameters"]
        if call["method"] == "Attach":
            peer.reply(ATTACHED | {"contract": CONTRACT | {"answerMs": PATIENT_MS}})
        elif call["method"] != "SetIdentity":
            scope = {} if account is None else {"identity": account, "identityLevel": "scope"}
            peer.answer(call, **{"identity": PROCESS, **scope})
        elif said.get("account") == NOBODY:
            peer.refuse("UnknownAccount", account=NOBODY)
        else:
            assert said["level"] == "scope"
            account = said.get("account")
            peer.reply({"level": "scope", "effectiveUI": account})


class Boom(Exception):
    pass


class ScopeVectors(FakeCase):
    def test_in_threads(self) -> None:
        for case in cases("scopes"):
            with self.subTest(case["name"]):
                self.play(judges)
                guard = self.guard()
                guard.start()
                self.assertEqual(in_threads(guard, case["steps"]), expected(case))
                self._each_joined_once()

    def test_in_tasks(self) -> None:
        for case in cases("scopes"):
            with self.subTest(case["name"]):
                self.play(judges)
                self.assertEqual(asyncio.run(in_tasks(self.fake.path, case["steps"])), expected(case))
                self._each_joined_once()

    def _each_joined_once(self) -> None:
        """Every connection but the first joined the instance of the first."""
        attached = [call["parameters"].get("instance") for call in self.fake.heard if call["method"] == "Attach"]
        self.assertEqual(attached, [None] + ["T1"] * (len(attached) - 1))


class ScopeEnds(FakeCase):
    def test_the_end_of_a_scope_ends_its_connection(self) -> None:
        daemon = self.play(judges)
        guard = self.guard()
        guard.start()
        with guard.as_account(WORK):
            self.assertFalse(daemon.peer(1).was_closed.is_set())
        self.assertTrue(daemon.peer(1).was_closed.wait(PATIENCE_SECONDS))
        self.assertFalse(daemon.peer(0).was_closed.is_set())

    def test_what_was_asked_without_waiting_is_of_its_scope(self) -> None:
        self.play(judges)
        guard = self.guard()
        guard.start()
        heard: list[Decision] = []
        with guard.as_account(WORK):
            guard.decide_later("print", heard.append)
        while not heard:
            guard.wait(1)
        self.assertEqual(heard[0].identity, WORK)

    def test_a_daemon_that_is_not_there_blocks_and_is_told_when_it_is(self) -> None:
        daemon = self.play(judges)
        daemon.close()
        guard = self.guard()
        with guard.as_account(WORK) as shown:
            self.assertIsNone(shown.level)
            self.assertEqual(guard.navigate().reason, "noAnswer")

    def test_a_task_that_outlives_its_scope_is_blocked(self) -> None:
        """The contract says `open` of print, and that is not what an ended scope is about."""
        self.play(judges)

        async def main() -> Decision:
            async with AsyncGuard(path=self.fake.path) as guard:
                is_over = asyncio.Event()

                async def late() -> Decision:
                    await is_over.wait()
                    return await guard.print()

                async with guard.as_account(WORK):
                    task = asyncio.create_task(late())
                    self.assertEqual((await guard.print()).identity, WORK)
                is_over.set()
                return await task

        decision = asyncio.run(main())
        self.assertEqual((decision.outcome, decision.reason, decision.is_local), ("block", "scopeEnded", True))


class Joining(unittest.TestCase):
    def test_an_instance_that_ends_while_somebody_connects_to_join_it_is_not_followed_by_one_of_his_own(self) -> None:
        """One without viewers, in which questions would be judged."""
        hello = Hello(None, ())
        tokens: list[str | None] = ["T1"]
        for session in (JoinedSession(hello, Said(), lambda: tokens[0]), Subscription(hello, lambda: tokens[0], ())):
            tokens[0] = "T1"
            self.assertTrue(session.may_connect(time.monotonic()))
            tokens[0] = None
            session.connected(time.monotonic())
            said = json.loads(bytes(session.outgoing).split(b"\0")[0])["parameters"]
            self.assertEqual(said["instance"], "")


class ScopesForReal(RealCase):
    """MI-19: two threads with two scopes are judged apart, and so is the rest of the program."""

    def test_threads_are_judged_apart(self) -> None:
        guard = self.managed()
        accounts = [WORK, PERSONAL, "", WORK, PERSONAL, ""]
        ready, seen = threading.Barrier(len(accounts)), list[tuple[str, set[str | None]]]()

        def work(account: str) -> None:
            with guard.as_account(account):
                ready.wait(PATIENCE_SECONDS)
                seen.append((account, {guard.print(viewer="docs").identity for _ in range(50)}))

        threads = [threading.Thread(target=work, args=(account,)) for account in accounts]
        for thread in threads:
            thread.start()
        own = {guard.print(viewer="docs").identity for _ in range(50)}
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        self.assertEqual(sorted(seen), sorted((account, {account}) for account in accounts))
        self.assertEqual(own, {WORK})

    def test_tasks_are_judged_apart(self) -> None:
        async def seen(guard: AsyncGuard, account: str) -> set[str | None]:
            async with guard.as_account(account):
                return {(await guard.print(viewer="docs")).identity for _ in range(50)}

        async def main() -> list[set[str | None]]:
            async with AsyncGuard(path=self.daemon.guard_socket) as guard:
                await guard.set_identity("process", account=WORK)
                await guard.register_viewer("docs", viewer_class="documents")
                return await asyncio.gather(*(seen(guard, account) for account in (WORK, PERSONAL, "", WORK)))

        self.assertEqual(asyncio.run(main()), [{WORK}, {PERSONAL}, {""}, {WORK}])

    def test_a_scope_survives_the_daemon_and_stays_apart(self) -> None:
        guard = self.managed()
        with guard.as_account(PERSONAL):
            self.daemon.stop(9)
            self.daemon.start()
            deadline = time.monotonic() + PATIENCE_SECONDS
            while guard.print(viewer="docs").identity != PERSONAL:
                self.assertLess(time.monotonic(), deadline)
        self.assertEqual(guard.print(viewer="docs").identity, WORK)

    def test_what_a_scope_costs_is_told(self) -> None:
        guard = self.managed()
        began = time.monotonic()
        for _ in range(200):
            with guard.as_account(PERSONAL):
                pass
        print(f"a scope: {(time.monotonic() - began) / 200 * 1e6:.0f} us", flush=True)


def expected(case: dict[str, Any]) -> list[Any]:
    """What each question is asked as, and what each refused scope says."""
    steps = (step for step in case["steps"] if step.keys() & {"ask", "error"})
    return [step["error"] if "error" in step else step["ask"] for step in steps]


def account_of(decision: Decision) -> str | None:
    return decision.identity if decision.identity_level == "scope" else None


class Worker:
    """One thread that does its steps when it is told to."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._steps: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._done: queue.Queue[Any] = queue.Queue()
        self._thread = threading.Thread(target=self._block, daemon=True)
        self._thread.start()

    def do(self, step: dict[str, Any]) -> Any:
        self._steps.put(step)
        return self._done.get(timeout=PATIENCE_SECONDS)

    def end(self) -> None:
        self._steps.put(None)
        self._thread.join(PATIENCE_SECONDS)

    def _block(self) -> None:
        while (step := self._steps.get()) is not None and "end" not in step:
            if "throw" in step:
                raise Boom
            if "begin" in step:
                self._scope(self._guard.as_account(step["begin"]))
            else:
                self._done.put(account_of(self._guard.print()))

    def _scope(self, scope: AbstractContextManager[object]) -> None:
        try:
            with scope:
                self._done.put(None)
                self._block()
        except GuardError as refused:
            self._done.put(refused.name)
            return
        except Boom:
            pass
        self._done.put(None)


def in_threads(guard: Guard, steps: list[dict[str, Any]]) -> list[Any]:
    """What comes of the steps that expect something. The main thread is a thread like the others for a guard, as long as
    no two of them use it outside of scopes at a time."""
    workers = {name: Worker(guard) for name in {step["in"] for step in steps}}
    found = [(step, workers[step["in"]].do(step)) for step in steps]
    for worker in workers.values():
        worker.end()
    return [result for step, result in found if step.keys() & {"ask", "error"}]


class AsyncWorker:
    """One task that does its steps when it is told to."""

    def __init__(self, guard: AsyncGuard) -> None:
        self._guard = guard
        self._steps: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()
        self._done: asyncio.Queue[Any] = asyncio.Queue()
        self.task = asyncio.create_task(self._block())

    async def do(self, step: dict[str, Any]) -> Any:
        self._steps.put_nowait(step)
        return await self._done.get()

    async def end(self) -> None:
        self._steps.put_nowait(None)
        await self.task

    async def _block(self) -> None:
        while (step := await self._steps.get()) is not None and "end" not in step:
            if "throw" in step:
                raise Boom
            if "begin" in step:
                await self._scope(step["begin"])
            else:
                self._done.put_nowait(account_of(await self._guard.print()))

    async def _scope(self, account: str | None) -> None:
        try:
            async with self._guard.as_account(account):
                self._done.put_nowait(None)
                await self._block()
        except GuardError as refused:
            self._done.put_nowait(refused.name)
            return
        except Boom:
            pass
        self._done.put_nowait(None)


async def in_tasks(path: Any, steps: list[dict[str, Any]]) -> list[Any]:
    async with AsyncGuard(path=path, on_problem=lambda _: None) as guard:
        workers = {name: AsyncWorker(guard) for name in {step["in"] for step in steps}}
        async with asyncio.timeout(PATIENCE_SECONDS):
            found = [(step, await workers[step["in"]].do(step)) for step in steps]
            for worker in workers.values():
                await worker.end()
    return [result for step, result in found if step.keys() & {"ask", "error"}]
