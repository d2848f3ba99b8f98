"""The extension's own matching of rules beside the browser's: they must say the same of every request."""

import itertools
import json
from typing import Any

from driver import ChromiumDriver
from test_ways import ChromiumCase

from rig.driver import PRIVATE_VIEWER, Driver

BLOCK, ALLOW = {"type": "block"}, {"type": "allow"}
ALL = ["main_frame", "sub_frame", "image", "xmlhttprequest", "websocket", "ping"]

CONDITIONS: tuple[dict[str, Any], ...] = (
    {"urlFilter": "||a.example^"}, {"urlFilter": "||a.example/x"}, {"urlFilter": "|http://a.example/|"},
    {"urlFilter": "/x*y"}, {"urlFilter": "X", "isUrlFilterCaseSensitive": True}, {"urlFilter": "?q=1^"},
    {"urlFilter": "||example^*y|"}, {"regexFilter": r"^https?://[^/]*\.example(?::[0-9]+)?/x"},
    {"regexFilter": "X$", "isUrlFilterCaseSensitive": True}, {"requestDomains": ["a.example"]},
    {"requestDomains": ["example"], "excludedRequestDomains": ["b.a.example"]}, {"requestDomains": ["127.0.0.1"]},
    {"initiatorDomains": ["from.example"], "urlFilter": "*"}, {"excludedInitiatorDomains": ["from.example"]},
    {"urlFilter": "*", "resourceTypes": ["image"]}, {"urlFilter": "*", "excludedResourceTypes": ["image"]},
    {"urlFilter": "*", "requestMethods": ["post"]}, {"urlFilter": "*", "excludedRequestMethods": ["post"]},
    {"urlFilter": "||a.example:8080^"}, {"urlFilter": "a.example|"},
)  # fmt: skip
URLS = (
    "http://a.example/", "http://b.a.example/x?q=1", "https://A.example/X/1y", "http://ba.example/x", "http://example/xy",
    "http://a.example:8080/x", "http://127.0.0.1/x", "http://a.example./", "http://u@a.example/", "ws://a.example/X",
    "http://other.test/?to=a.example", "http://a.example/#X", "http://xn--bcher-kva.example/x?q=12",
)  # fmt: skip
ASK = """
(async (rules, requests) => {
  const api = chrome.declarativeNetRequest;
  const { RuleTable } = await import("/rule-match.js");
  // Of the session, since the extension itself looks after the others.
  const old = await api.getSessionRules();
  await api.updateSessionRules({ removeRuleIds: old.map(rule => rule.id), addRules: rules });
  const table = new RuleTable(rules);
  const answers = [];
  for (const request of requests) {
    const { matchedRules } = await api.testMatchOutcome(request);
    answers.push([matchedRules[0]?.ruleId ?? 0, table.find(request)?.id ?? 0]);
  }
  return answers;
})(%s, %s)
"""


class Matching(ChromiumCase):
    """Chromium's `testMatchOutcome` is the oracle."""

    @classmethod
    def make_driver(cls) -> Driver:
        return ChromiumDriver(cls.daemon, "declarativeNetRequestFeedback")

    def compare(self, rules: list[dict[str, Any]]) -> int:
        """How many requests a rule matched; every answer must be the browser's."""
        requests = [
            {"url": url, "type": kind, "method": method, **({"initiator": "https://from.example"} if named else {})}
            for url, kind, method, named in itertools.product(URLS, ("main_frame", "image"), ("get", "post"), (0, 1))
            if not url.startswith("ws")
        ] + [{"url": url, "type": "websocket"} for url in URLS if url.startswith("ws")]
        # No protection binds the account there, so that no rule of a policy is in the way.
        page = self.driver.viewer(PRIVATE_VIEWER).status_page
        answers = page.value(ASK % (json.dumps(rules), json.dumps(requests)))
        for request, (browser, own) in zip(requests, answers, strict=True):
            self.assertEqual(own, browser, f"{request} under {rules}")
        return sum(1 for browser, _ in answers if browser)

    def test_each_condition_means_what_the_browser_takes_it_for(self) -> None:
        for condition in CONDITIONS:
            with self.subTest(condition=condition):
                kinds = {} if any("esourceTypes" in name for name in condition) else {"resourceTypes": ALL}
                rule = {"id": 1, "priority": 1, "action": BLOCK, "condition": {**condition, **kinds}}
                self.assertGreater(self.compare([rule]), 0)

    def test_the_stronger_rule_decides(self) -> None:
        everything, some = {"urlFilter": "*", "resourceTypes": ALL}, {"urlFilter": "||a.example^", "resourceTypes": ALL}
        for first, second in itertools.product((1, 2), repeat=2):
            for actions in ((BLOCK, ALLOW), (ALLOW, BLOCK)):
                with self.subTest(priorities=(first, second), actions=actions):
                    rules = [
                        {"id": 1, "priority": first, "action": actions[0], "condition": everything},
                        {"id": 2, "priority": second, "action": actions[1], "condition": some},
                    ]
                    self.compare(rules)


def cases() -> list[Any]:
    return [Matching]
