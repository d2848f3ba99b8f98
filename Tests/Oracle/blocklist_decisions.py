"""What the browser and the program decide about URLs under a block list and an allow list."""

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from chromium import Chromium
from devtools import DevToolsError, Message, Page
from url_readings import PROGRAM

TABS = 6
RELOAD_SECONDS = 30.0
RULE = "lists"
REFUSED = 2
FIRST_LINE = 10
"""The line of the first entry in the rule file that is written here."""
BLOCKED = "net::ERR_BLOCKED_BY_ADMINISTRATOR"

Decision = bool | None
"""True for blocked; None where the text is no URL."""


class Policy(NamedTuple):
    """A URLBlocklist and a URLAllowlist, and what is asked about them."""

    block: tuple[str, ...]
    allow: tuple[str, ...]
    urls: tuple[str, ...]


class PolicyJudge:
    """Asks the browser by navigating. Nothing is loaded: a URL that is not blocked gets an empty answer."""

    def __init__(self, browser: Chromium) -> None:
        self._browser, self._devtools = browser, browser.devtools
        self._control = browser.page("chrome://policy")
        self._tabs = [self._tab() for _ in range(TABS)]
        self._devtools.on_event = self._answer
        self._sets = 0

    def _tab(self) -> Page:
        page = self._browser.page()
        self._devtools.call("Fetch.enable", {"patterns": [{"urlPattern": "*"}]}, page.session)
        return page

    def _answer(self, event: Message) -> None:
        if event["method"] == "Fetch.requestPaused":
            request = event["params"]["requestId"]
            parameters = {"requestId": request, "responseCode": 204}
            self._devtools.send("Fetch.fulfillRequest", parameters, event["sessionId"])

    def decisions(self, policy: Policy) -> list[Decision]:
        """The decisions about all URLs, in their order."""
        self._apply(policy)
        decided: list[Decision] = [None] * len(policy.urls)
        idle = list(self._tabs)
        waiting: dict[int, tuple[int, Page]] = {}
        left = list(enumerate(policy.urls))[::-1]
        while left or waiting:
            while left and idle:
                index, url = left.pop()
                tab = idle.pop()
                waiting[self._devtools.send("Page.navigate", {"url": url}, tab.session)] = index, tab
            number, answer = self._devtools.wait(set(waiting))
            index, tab = waiting.pop(number)
            decided[index] = self._decision(answer)
            idle.append(tab)
        return decided

    @staticmethod
    def _decision(answer: Message) -> Decision:
        """An error is the answer to what is no URL."""
        return None if "error" in answer else answer["result"].get("errorText") == BLOCKED

    def _apply(self, policy: Policy) -> None:
        """Sets the policy. That both lists hold is seen by an entry in each, about a host that nobody asks about."""
        self._sets += 1
        sentinel = f"sentinel-{self._sets}.oracle.test"
        block, allow = [sentinel, *policy.block], [f"{sentinel}/allowed", *policy.allow]
        self._browser.set_policies({"URLBlocklist": block, "URLAllowlist": allow})
        self._wait_for_control()
        self._control.evaluate("chrome.send('reloadPolicies')")
        deadline = time.monotonic() + RELOAD_SECONDS
        while not self._is_blocked(f"http://{sentinel}/") or self._is_blocked(f"http://{sentinel}/allowed"):
            if time.monotonic() > deadline:
                raise DevToolsError(f"the policies were not read within {RELOAD_SECONDS:.0f} s")
            time.sleep(0.01)

    def _wait_for_control(self) -> None:
        deadline = time.monotonic() + RELOAD_SECONDS
        while self._control.evaluate("typeof chrome.send + document.readyState") != "functioncomplete":
            if time.monotonic() > deadline:
                raise DevToolsError("chrome://policy did not load")
            time.sleep(0.01)

    def _is_blocked(self, url: str) -> bool:
        answer = self._devtools.call("Page.navigate", {"url": url}, self._tabs[0].session)
        return answer.get("errorText") == BLOCKED


def our_decisions(policy: Policy) -> list[Decision]:
    """What `webviewguard classify` says of the same lists. Only what the rule itself calls external is blocked.

    Entries that the program refuses are left out and the question is asked again: they are those of which the browser
    is said to take nothing, and where it does take something, the decisions differ.
    """
    done = _classify(policy)
    if done.returncode == REFUSED:
        done = _classify(_without_refused(policy, done.stderr.decode()))
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) != len(policy.urls):
        raise RuntimeError(f"`webviewguard classify` ended with {done.returncode}: {done.stderr.decode()}")
    return [None if answer["rule"] == "invalidURL" else _is_blocked(answer) for answer in answers]


def _classify(policy: Policy) -> subprocess.CompletedProcess[bytes]:
    lists = {"block": policy.block, "allow": policy.allow}
    rule = {"id": RULE, "external": {"chromium": {name: list(entries) for name, entries in lists.items() if entries}}}
    rules = [rule] if policy.block or policy.allow else []
    with tempfile.TemporaryDirectory(prefix="wvg-oracle-") as directory:
        file = Path(directory) / "lists.yaml"
        file.write_text(json.dumps({"ruleSet": "oracle", "default": "internal", "rules": rules}, indent=0))
        text = "".join(url + "\n" for url in policy.urls).encode()
        command = [str(PROGRAM), "classify", "--rules", str(file), "--format", "json", "-"]
        return subprocess.run(command, input=text, capture_output=True, timeout=60)


def _without_refused(policy: Policy, said: str) -> Policy:
    """The file has one entry a line, and a message for each refused one that begins with file and line."""
    lines = {int(line) for line in re.findall(r"lists\.yaml:(\d+):\d+: error: ", said)}
    if not lines:
        raise RuntimeError(said)
    allow_line = FIRST_LINE + len(policy.block) + 2 if policy.block else FIRST_LINE
    return policy._replace(block=_kept(policy.block, FIRST_LINE, lines), allow=_kept(policy.allow, allow_line, lines))


def _kept(entries: tuple[str, ...], first: int, refused: set[int]) -> tuple[str, ...]:
    return tuple(entry for number, entry in enumerate(entries, first) if number not in refused)


def _is_blocked(answer: dict[str, str]) -> bool:
    return answer["rule"] == RULE and answer["verdict"] == "external"
