"""Static rules that the daemon exports: what is asked for, in which parts, and what the app gets."""

import asyncio
from typing import Any
from unittest.mock import patch

from case import FakeCase
from fake import Peer, bytes_of
from vectors import cases
from webviewguard import Guard, GuardError, Rules, _rules
from webviewguard.asyncio import AsyncGuard


def answer(step: dict[str, Any]) -> dict[str, Any]:
    """The reply of a step of a vector, as it goes over the wire."""
    return {"parameters": step["reply"]} if "reply" in step else {key: step[key] for key in ("error", "parameters")}


def means(rules: Rules) -> dict[str, Any]:
    members = ("document", "digest", "generation", "gaps")
    return {name: getattr(rules, name) for name in members}


class RulesOfVectors(FakeCase):
    def serve(self, case: dict[str, Any]) -> None:
        def script(peer: Peer) -> None:
            peer.attach()
            for step in case["talk"]:
                peer.call()
                peer.send(bytes_of(answer(step)))
            peer.oblige()

        self.play(script)

    def judge(self, case: dict[str, Any], found: dict[str, Any]) -> None:
        self.assertEqual(found, case["means"])
        asked = [call for call in self.fake.peers[0].calls if call["method"].endswith("ExportRules")]
        self.assertEqual([call["parameters"] for call in asked], [step["sent"] for step in case["talk"]])

    def test_a_document_is_read_as_the_vectors_say(self) -> None:
        for case in cases("rules"):
            with self.subTest(case["name"]):
                self.serve(case)
                guard = self.guard()
                guard.start()
                try:
                    found = means(guard.rules(case["ask"]["format"], case["ask"].get("class")))
                except GuardError as error:
                    found = {"error": error.name}
                self.judge(case, found)

    def test_on_asyncio_as_well(self) -> None:
        async def read(ask: dict[str, Any]) -> dict[str, Any]:
            guard = AsyncGuard(path=self.fake.path)
            try:
                await guard.start()
                return means(await guard.rules(ask["format"], ask.get("class")))
            except GuardError as error:
                return {"error": error.name}
            finally:
                guard.close()

        for case in cases("rules"):
            with self.subTest(case["name"]):
                self.serve(case)
                self.judge(case, asyncio.run(read(case["ask"])))


class Waiting(FakeCase):
    def test_a_document_that_is_never_made_is_given_up(self) -> None:
        def script(peer: Peer) -> None:
            peer.attach()
            while peer.call():
                peer.send(bytes_of({"parameters": {"generation": 1, "digest": "a", "ready": False}}))

        self.play(script)
        guard: Guard = self.guard()
        guard.start()
        slept: list[float] = []
        now = [0.0]

        def sleep(seconds: float) -> None:
            slept.append(seconds)
            now[0] += seconds

        with patch.object(_rules.time, "monotonic", lambda: now[0]), patch("webviewguard._guard.time.sleep", sleep):
            with self.assertRaises(GuardError) as caught:
                guard.rules("chromium-policy", wait=30.0)
        self.assertEqual(caught.exception.name, "notReady")
        self.assertLessEqual(sum(slept), 30.0)
        self.assertGreater(sum(slept), 28.0)
        self.assertLessEqual(max(slept), 1.0)
