"""What goes wrong with a call that is no question; questions are always answered."""

import json
from collections.abc import Mapping
from typing import Any


class GuardError(Exception):
    """An error of the daemon, by its last word, or one of this client's own: `noAnswer`, `untrusted`, `unreachable`,
    `connectionLost`, `invalidReply`."""

    def __init__(self, name: str, method: str = "", parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(name, method)
        self.name = name
        self.method = method
        self.parameters: Mapping[str, Any] = parameters or {}

    def __str__(self) -> str:
        details = f" {json.dumps(self.parameters, ensure_ascii=False)}" if self.parameters else ""
        return f"{self.method}: {self.name}{details}" if self.method else f"{self.name}{details}"
