"""Plays `clients/vectors/conversations.json`: what a daemon may say, and what every client makes of it."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake import ALLOWED, ATTACHED, CONTRACT, FakeDaemon, Peer, Script

VECTORS = Path(__file__).resolve().parents[3] / "clients/vectors/conversations.json"
CASES: list[dict[str, Any]] = json.loads(VECTORS.read_text())["cases"]
# As the vectors state it, longer than any answer takes on a busy machine.
PATIENT: dict[str, Any] = CONTRACT | {"startMs": 10_000, "answerMs": 10_000}
Ask = Callable[[str, str], str]
Say = Callable[[str, dict[str, Any]], object]


def played(case: dict[str, Any], directory: Path, begin: Callable[[FakeDaemon], tuple[Say, Ask]]) -> None:
    """Plays one case. `begin` starts the client, and gives what says and what asks: `ask("navigate", "v1")` is
    `"allow internal"`. A failure is an AssertionError that names the case."""
    scripts = [_script(steps, f"I{number}") for number, steps in enumerate(case["connections"], 1)]
    daemon = FakeDaemon(directory, *scripts, lambda peer: None)
    try:
        daemon.write_contract(case.get("file", json.dumps(PATIENT)))
        say, ask = begin(daemon)
        for step in case["steps"]:
            if "pauseMs" in step:
                time.sleep(step["pauseMs"] / 1000)
            elif "say" in step:
                say(step["say"], step["parameters"])
            else:
                answer = ask(step["ask"], step["viewer"])
                wanted = step["is"] if isinstance(step["is"], list) else [step["is"]]
                assert answer in wanted, f"{case['name']}: {step}: {answer}"
        heard = [[call["method"] for call in peer.calls] for peer in daemon.peers]
        assert "heard" not in case or heard == case["heard"], f"{case['name']}: {heard}"
    finally:
        daemon.close()


def _script(steps: list[dict[str, Any]], instance: str) -> Script:
    def script(peer: Peer) -> None:
        for step in steps:
            ((word, value),) = step.items()
            _STEPS[word](peer, value, instance)

    return script


def _attach(peer: Peer, contract: dict[str, Any], instance: str) -> None:
    peer.call()
    peer.reply(ATTACHED | {"instance": instance, "contract": PATIENT | contract})


def _decide(peer: Peer, decision: dict[str, Any], _: str) -> None:
    peer.call()
    peer.reply({"decision": ALLOWED | decision})


def _refuse(peer: Peer, error: str, _: str) -> None:
    peer.call()
    peer.refuse(error)


def _reply(peer: Peer, parameters: dict[str, Any], _: str) -> None:
    peer.call()
    peer.reply(parameters)


_STEPS: dict[str, Callable[[Peer, Any, str], None]] = {
    "attach": _attach,
    "decision": _decide,
    "error": _refuse,
    "reply": _reply,
    "hear": lambda peer, count, _: [peer.call() for _ in range(count)] and None,
    "send": lambda peer, text, _: peer.send(text.encode()),
    "waitMs": lambda peer, milliseconds, _: peer.pause(milliseconds / 1000),
    "silence": lambda peer, _, __: peer.stay_silent(),
}
