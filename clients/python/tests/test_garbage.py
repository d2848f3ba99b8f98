"""Replies that nobody would write: whatever comes, nothing is raised, and nothing is allowed that was not."""

import json
import random
import unittest
from typing import Any

from fake import ALLOWED, ATTACHED
from talk import Talk
from webviewguard._conversation import Hello
from webviewguard._frames import LONGEST_REPLY, BrokenReply, FrameSplitter
from webviewguard._news import Subscription

ROUNDS = 4000
OFFER = {"target": "managedBrowser", "url": "https://example.net/", "argv": ["a", "b"], "fallback": [{"target": "x"}]}
REPLIES: list[Any] = [
    {"parameters": {"decision": ALLOWED | {"open": OFFER, "notes": ["a"], "limit": 3, "repeat": True}}},
    {"parameters": {"decisions": [ALLOWED, ALLOWED]}},
    {"parameters": ATTACHED},
    {"error": "org.webviewguard.Guard.UnknownInstance", "parameters": {}},
    {"parameters": {"topic": "identity", "generation": 1, "request": "r", "account": ""}, "continues": True},
]
ODD: list[Any] = [None, True, -1, 1e400, 10**30, "", "\ud800", "open", [], {}, [[]], {"a": {}}, "x" * 5000]


class Garbage(unittest.TestCase):
    def setUp(self) -> None:
        self.chance = random.Random(7)

    def test_replies_to_questions(self) -> None:
        for _ in range(ROUNDS):
            text = self._reply()
            talk = Talk()
            talk.attach()
            one, two = talk.asker.question("navigate", {"viewer": "v"}), talk.asker.questions([("copy", {})] * 2)
            talk.say(text)
            if one.is_done and one.result().outcome != "block":
                decision = json.loads(text.split("\0")[0])["parameters"]["decision"]
                self.assertEqual(decision["outcome"], one.result().outcome)
            talk.lose()
            self.assertEqual(len(two.result()), 2)

    def test_replies_to_attach(self) -> None:
        for _ in range(ROUNDS):
            talk = Talk()
            talk.connect()
            talk.say(self._reply())
            self.assertIn(talk.session.contract.navigation, ("open", "closed"))
            self.assertTrue(1 <= talk.session.contract.answer_ms <= 60_000)
            talk.lose()

    def test_news(self) -> None:
        for _ in range(ROUNDS):
            news = Subscription(Hello(), lambda: "T1", [])
            news.connected(0.0)
            news.received(json.dumps({"parameters": ATTACHED}).encode() + b"\0", 0.0)
            news.received(self._reply().encode(errors="surrogatepass"), 0.0)
            self.assertLessEqual(len(news.items), 2)

    def test_a_reply_has_an_end(self) -> None:
        splitter = FrameSplitter()
        with self.assertRaises(BrokenReply):
            for _ in range(LONGEST_REPLY // 65536 + 1):
                splitter.feed(b"x" * 65536)

    def _reply(self) -> str:
        """One or two replies with something wrong in them, perhaps."""
        value = json.loads(json.dumps(self.chance.choice(REPLIES)))
        for _ in range(self.chance.randrange(3)):
            value = self._changed(value)
        text = json.dumps(value, ensure_ascii=self.chance.random() < 0.9)
        if self.chance.random() < 0.2:
            place = self.chance.randrange(len(text))
            text = text[:place] + self.chance.choice(["", '"', "{", "\0", "é", "9" * 5000]) + text[place + 1 :]
        return (text.encode(errors="replace").decode() + "\0") * self.chance.choice([1, 1, 2])

    def _changed(self, value: Any) -> Any:
        """The value with one part of it replaced or taken away."""
        if not isinstance(value, dict | list) or not value or self.chance.random() < 0.15:
            return self.chance.choice(ODD)
        if isinstance(value, list):
            place = self.chance.randrange(len(value))
            return [*value[:place], self._changed(value[place]), *value[place + 1 :]]
        name = self.chance.choice(list(value))
        rest = {key: member for key, member in value.items() if key != name}
        return rest if self.chance.random() < 0.3 else rest | {name: self._changed(value[name])}
