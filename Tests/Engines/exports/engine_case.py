"""What the tests of all engines have in common: one test for each rule file."""

import unittest
from pathlib import Path
from typing import ClassVar

import cases
from cases import Request

LEAST_STOPPED = 15


class EngineCase(unittest.TestCase):
    """An engine that is asked about every request under every rule file. Subclasses say how."""

    engine: ClassVar[str]
    kinds: ClassVar[tuple[str, ...]]
    judged = 0
    named = 0

    @classmethod
    def tearDownClass(cls) -> None:
        """A run in which nothing had to be stopped has shown nothing."""
        print(f"{cls.engine}: {cls.judged} requests judged, {cls.named} of them to be stopped", flush=True)
        if cls.judged and cls.named < LEAST_STOPPED:
            raise AssertionError(f"only {cls.named} requests had to be stopped")

    def stopped(self, document: str, requests: list[Request]) -> list[bool]:
        """Whether the engine stops each request under a document."""
        raise NotImplementedError

    def hold(self, rules: Path) -> None:
        """The engine must stop what the rules name, and nothing else, but for what the report says."""
        document, _ = cases.export(rules, self.engine)
        expected = cases.expectations(rules, self.engine, self.kinds)
        stopped = self.stopped(document, [one.request for one in expected])
        wrong = [
            f"{one.request.kind} {one.request.url}: {'stopped' if it else 'not stopped'}, though {one.why}"
            for one, it in zip(expected, stopped, strict=True)
            if one.stopped is not None and one.stopped != it
        ]
        self.assertFalse(wrong, "\n" + "\n".join(wrong) + "\n" + document)
        type(self).judged += sum(one.stopped is not None for one in expected)
        type(self).named += sum(one.stopped is True for one in expected)


def with_rules(case: type[EngineCase]) -> type[EngineCase]:
    """Gives a case a test for each rule file."""
    for rules in cases.RULES:
        setattr(case, f"test_{rules.stem}", lambda self, rules=rules: self.hold(rules))
    return case
