"""Firefox's remote control, spoken directly: JSON arrays with their length in front, over TCP on this machine.

https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

import json
import socket
from typing import Any

ANSWER_SECONDS = 60.0


class MarionetteError(RuntimeError):
    """The browser refused a command, or has ended."""


class Marionette:
    """One session."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS)
        self._file = self._socket.makefile("rb")
        self._last = 0
        self._receive()
        self.capabilities = self.call(
            "WebDriver:NewSession", pageLoadStrategy="none", unhandledPromptBehavior="dismiss", acceptInsecureCerts=True
        )["capabilities"]

    def call(self, command: str, **parameters: Any) -> Any:
        """The result of a command; an error when the browser refuses it."""
        self._last += 1
        message = json.dumps([0, self._last, command, parameters]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        while True:
            kind, number, error, result = self._receive()
            if kind == 1 and number == self._last:
                break
        if error:
            raise MarionetteError(f"{command}: {error.get('error')}: {error.get('message')}")
        return result

    def script(self, source: str, *arguments: Any) -> Any:
        """What a function body returns in the page; a promise is waited for."""
        return self.call("WebDriver:ExecuteScript", script=source, args=list(arguments))["value"]

    def chrome(self, source: str, *arguments: Any) -> Any:
        """The same in the browser's own window."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.script(source, *arguments)
        finally:
            self.call("Marionette:SetContext", value="content")

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    def _receive(self) -> Any:
        length = b""
        while not length.endswith(b":"):
            byte = self._file.read(1)
            if not byte:
                raise MarionetteError("the browser has ended")
            length += byte
        return json.loads(self._file.read(int(length[:-1])))
