"""The DevTools protocol over a pair of pipes: JSON messages that end with a NUL byte."""

import json
import os
import select
import time
from collections.abc import Callable
from typing import Any

Message = dict[str, Any]

ANSWER_SECONDS = 60.0
CHUNK = 1 << 20


class DevToolsError(RuntimeError):
    """The browser ended, did not answer in time, or refused a command."""


class PageCrashed(DevToolsError):
    """The process of a page ended; the browser goes on."""


class DevTools:
    """One connection. Sessions are named by their id; the browser itself is the session None."""

    def __init__(self, reading: int, writing: int) -> None:
        self._reading, self._writing = reading, writing
        self._received = bytearray()
        self._last = 0
        self._answers: dict[int, Message] = {}
        self.on_event: Callable[[Message], None] = lambda event: None

    def send(self, method: str, parameters: Message | None = None, session: str | None = None) -> int:
        """Sends a command and returns its number, without waiting for the answer."""
        self._last += 1
        message: Message = {"id": self._last, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        left = memoryview(json.dumps(message).encode() + b"\0")
        while left:
            left = left[os.write(self._writing, left) :]
        return self._last

    def wait(self, numbers: set[int]) -> tuple[int, Message]:
        """The first of these commands that is answered, and its whole answer. Events are handled meanwhile."""
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            answered = next((number for number in numbers if number in self._answers), None)
            if answered is not None:
                return answered, self._answers.pop(answered)
            self._take(self._next(deadline))

    def _take(self, message: Message) -> None:
        if "id" in message:
            self._answers[message["id"]] = message
        elif message["method"] == "Inspector.targetCrashed":
            raise PageCrashed("the page crashed")
        else:
            self.on_event(message)

    def call(self, method: str, parameters: Message | None = None, session: str | None = None) -> Message:
        """The result of a command; an error when the browser refuses it."""
        _, answer = self.wait({self.send(method, parameters, session)})
        if "error" in answer:
            raise DevToolsError(f"{method}: {answer['error']}")
        result: Message = answer["result"]
        return result

    def _next(self, deadline: float) -> Message:
        searched = 0
        while (end := self._received.find(b"\0", searched)) < 0:
            searched = len(self._received)
            if not select.select([self._reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise DevToolsError(f"no answer within {ANSWER_SECONDS:.0f} s")
            chunk = os.read(self._reading, CHUNK)
            if not chunk:
                raise DevToolsError("the browser has ended")
            self._received += chunk
        message = bytes(self._received[:end])
        del self._received[: end + 1]
        return dict(json.loads(message))

    def close(self, seconds: float) -> None:
        """Waits until all who could answer have ended, no longer than that, and closes the pipes."""
        deadline = time.monotonic() + seconds
        while select.select([self._reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not os.read(self._reading, CHUNK):
                break
        os.close(self._reading)
        os.close(self._writing)


class Page:
    """One tab."""

    def __init__(self, devtools: DevTools, url: str = "about:blank") -> None:
        self.devtools = devtools
        target = devtools.call("Target.createTarget", {"url": url})["targetId"]
        attached = devtools.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self.session: str = attached["sessionId"]
        devtools.call("Inspector.enable", session=self.session)

    def evaluate(self, script: str) -> Any:
        """The value of a script, which must be JSON."""
        parameters = {"expression": script, "returnByValue": True}
        result = self.devtools.call("Runtime.evaluate", parameters, self.session)
        if "exceptionDetails" in result:
            raise DevToolsError(f"the script failed: {json.dumps(result['exceptionDetails'])[:400]}")
        return result["result"].get("value")

    def apply(self, function: str, *arguments: Any) -> Any:
        """What a JavaScript function returns for arguments that are JSON.

        The result crosses as text: that is faster than the protocol's own values, and keeps lone surrogates.
        """
        listed = ", ".join(json.dumps(argument) for argument in arguments)
        return json.loads(self.evaluate(f"JSON.stringify(({function})({listed}))"))
