"""A session without a socket: what it sends is read here, and what it hears is said here."""

import json
import time
from typing import Any

from webviewguard import __version__
from webviewguard._asker import Asker
from webviewguard._conversation import Hello
from webviewguard._said import Said
from webviewguard._session import Session

PREFIX = "org.webviewguard.Guard."
HELLO: dict[str, Any] = {"features": ["actions", "clips"]}


class Talk:
    """Plays the service for one session. Time stands still unless a test moves it."""

    def __init__(self, hello: dict[str, Any] | None = None) -> None:
        said = HELLO | (hello or {})
        self.said = Said()
        greeting = Hello(said.get("app"), tuple(said["features"]), tuple(said.get("languages", ())), said.get("version"), said.get("rules"))
        self.session = Session(greeting, self.said, chance=lambda: 0.0)
        self.asker = Asker(self.session, self.said)

    def now(self) -> float:
        return time.monotonic()

    def connect(self) -> None:
        self.session.connected(self.now())

    def frames(self) -> list[dict[str, Any]]:
        """What was sent since the last time, with methods by their last word."""
        data = bytes(self.session.outgoing)
        self.session.outgoing.clear()
        calls = [json.loads(frame) for frame in data.split(b"\0")[:-1]]
        return [self._frame(call["method"].removeprefix(PREFIX), call["parameters"]) for call in calls]

    def _frame(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        """As the vectors write it: no vector states the library's own version."""
        if method == "Attach":
            assert parameters.pop("clientVersion") == __version__
        return {"method": method, "parameters": parameters}

    def say(self, text: str) -> None:
        self.session.received(text.encode(), self.now())

    def reply(self, error: str | None = None, **parameters: Any) -> None:
        reply: dict[str, Any] = {"parameters": parameters}
        self.say(json.dumps(reply | ({"error": PREFIX + error} if error else {})) + "\0")

    def attach(self, token: str = "T1", **contract: Any) -> list[dict[str, Any]]:
        """Connects, answers Attach and all that is said again, and returns those frames."""
        self.connect()
        frames = self.frames()
        self.reply(instance=token, contract=contract)
        return frames + self.answer_all()

    def answer_all(self) -> list[dict[str, Any]]:
        frames = self.frames()
        for _ in frames:
            self.reply()
        return frames

    def lose(self) -> None:
        """The connection ends, and the back-off is over."""
        self.session.lost(self.now(), "gone")
        self.session._back_off.until = self.session._back_off.asked_until = float("-inf")
