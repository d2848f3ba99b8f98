"""Chromium: `declarativeNetRequest` in a throw-away extension, and `URLBlocklist` as a managed policy."""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Oracle"))

from blocklist_decisions import Policy, PolicyJudge
from cases import FRAME, IMAGE, PAGE, SOCKET, Request
from chromium import Chromium
from devtools import DevToolsError, Message
from engine_case import EngineCase, with_rules

WORKER_SECONDS = 20.0
TYPES = {PAGE: "main_frame", FRAME: "sub_frame", IMAGE: "image", SOCKET: "websocket"}

MANIFEST = {
    "manifest_version": 3,
    "name": "export",
    "version": "1",
    "permissions": ["declarativeNetRequest", "declarativeNetRequestFeedback"],
    "host_permissions": ["<all_urls>"],
    "background": {"service_worker": "worker.js"},
}

SET_RULES = """
async rules => {
  const net = chrome.declarativeNetRequest;
  const old = await net.getDynamicRules();
  for (const {condition} of rules) {
    if (!condition.regexFilter) continue;
    const answer = await net.isRegexSupported({regex: condition.regexFilter, isCaseSensitive: true});
    if (!answer.isSupported) throw new Error(condition.regexFilter + ': ' + answer.reason);
  }
  await net.updateDynamicRules({removeRuleIds: old.map(rule => rule.id), addRules: rules});
}
"""

ASK = """
async requests => {
  const net = chrome.declarativeNetRequest;
  const blocking = new Set((await net.getDynamicRules()).filter(r => r.action.type == 'block').map(r => r.id));
  const stopped = [];
  for (const request of requests) {
    const {matchedRules} = await net.testMatchOutcome(request);
    stopped.push(matchedRules.some(rule => blocking.has(rule.ruleId)));
  }
  return stopped;
}
"""


class Worker:
    """The service worker of an extension that is loaded for the test."""

    def __init__(self, browser: Chromium) -> None:
        self._devtools = browser.devtools
        target = self._target()
        attached = self._devtools.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self._session = attached["sessionId"]
        deadline = time.monotonic() + WORKER_SECONDS
        while self._evaluate("typeof chrome") != "object":
            if time.monotonic() > deadline:
                raise DevToolsError("the extension has no interface")
            time.sleep(0.05)

    def _target(self) -> str:
        deadline = time.monotonic() + WORKER_SECONDS
        while time.monotonic() < deadline:
            for target in self._devtools.call("Target.getTargets")["targetInfos"]:
                if target["type"] == "service_worker":
                    return str(target["targetId"])
            time.sleep(0.05)
        raise DevToolsError("the extension was not loaded")

    def apply(self, function: str, argument: Any) -> Any:
        """What an asynchronous function returns for JSON."""
        return self._evaluate(f"({function})({json.dumps(argument)})")

    def _evaluate(self, script: str) -> Any:
        parameters = {"expression": script, "returnByValue": True, "awaitPromise": True}
        result = self._devtools.call("Runtime.evaluate", parameters, self._session)
        if "exceptionDetails" in result:
            raise DevToolsError(json.dumps(result["exceptionDetails"])[:600])
        return result["result"].get("value")


@with_rules
class NetRequestTests(EngineCase):
    """The engine's own matching is asked (`testMatchOutcome`), and its check of regular expressions."""

    engine = "declarative-net-request"
    kinds = (PAGE, FRAME, IMAGE, SOCKET)
    browser: ClassVar[Chromium]
    worker: ClassVar[Worker]

    @classmethod
    def setUpClass(cls) -> None:
        directory = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="wvg-extension-")))
        (directory / "manifest.json").write_text(json.dumps(MANIFEST))
        (directory / "worker.js").write_text("")
        flags = (f"--load-extension={directory}", "--disable-features=DisableLoadExtensionCommandLineSwitch")
        cls.browser = cls.enterClassContext(Chromium(*flags))
        cls.worker = Worker(cls.browser)

    def stopped(self, document: str, requests: list[Request]) -> list[bool]:
        self.worker.apply(SET_RULES, json.loads(document))
        asked = [{"url": request.url, "type": TYPES[request.kind]} for request in requests]
        return [bool(it) for it in self.worker.apply(ASK, asked)]


@with_rules
class BlocklistTests(EngineCase):
    """The browser navigates under the exported policy."""

    engine = "chromium-policy"
    kinds = (PAGE,)
    browser: ClassVar[Chromium]
    judge: ClassVar[PolicyJudge]

    @classmethod
    def setUpClass(cls) -> None:
        cls.browser = cls.enterClassContext(Chromium())
        cls.judge = PolicyJudge(cls.browser)

    def test_frames_are_stopped_as_pages_are(self) -> None:
        """Of two frames of a page only the one that the policy does not name asks the network."""
        for block, expected in (((), ["contoso.test", "evil.test"]), (("contoso.test",), ["evil.test"])):
            self.judge.decisions(Policy(block, (), ("http://evil.test/",)))
            self.assertEqual(self._frames_that_ask(), expected)

    def _frames_that_ask(self) -> list[str]:
        """The hosts of the frames that got as far as a request, the last of which is never stopped."""
        asked: list[str] = []
        answer = self.browser.devtools.on_event

        def note(event: Message) -> None:
            if event["method"] == "Fetch.requestPaused":
                asked.append(event["params"]["request"]["url"].split("/")[2])
            answer(event)

        self.browser.devtools.on_event = note
        try:
            page = self.browser.page()
            page.devtools.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}, page.session)
            for host in ("contoso.test", "evil.test"):
                frame = f"<iframe src=http://{host}/></iframe>"
                page.evaluate(f"document.body.insertAdjacentHTML('beforeend', {json.dumps(frame)})")
            deadline = time.monotonic() + WORKER_SECONDS
            while "evil.test" not in asked and time.monotonic() < deadline:
                page.evaluate("0")
                time.sleep(0.01)
            return sorted(asked)
        finally:
            self.browser.devtools.on_event = answer

    def stopped(self, document: str, requests: list[Request]) -> list[bool]:
        policy = json.loads(document)
        urls = tuple(request.url for request in requests)
        lists = Policy(tuple(policy["URLBlocklist"]), tuple(policy.get("URLAllowlist", ())), urls)
        return [bool(decision) for decision in self.judge.decisions(lists)]
