"""What goes wrong with a call that is no question, since questions are always answered, and with sealed data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal


class GuardError(Exception):
    """An error of the daemon, by its last word, or one of this client's own: `noAnswer`, `untrusted`, `unreachable`,
    `connectionLost`, `invalidReply`, `notReady`."""

    def __init__(self, name: str, method: str = "", parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(name, method)
        self.name = name
        self.method = method
        self.parameters: Mapping[str, Any] = parameters or {}

    def __str__(self) -> str:
        details = f" {json.dumps(self.parameters, ensure_ascii=False)}" if self.parameters else ""
        return f"{self.method}: {self.name}{details}" if self.method else f"{self.name}{details}"


_FILE_CODES: Mapping[int, str] = {
    100: "appNotManaged", 101: "invalidArguments", 102: "encryptFailed", 103: "decryptFailed", 104: "fileNotFound",
    105: "isDirectory", 106: "unmanagedIdentity", 107: "internalError",
}  # fmt: skip


class FileProtectionError(Exception):
    """A file's owner could not be read or set, by the number that Microsoft's SDK has for it (ledger FO-06). 102 says that
    nothing keeps the owner: the file must be sealed, or not written."""

    def __init__(self, code: int, message: str = "") -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message

    @property
    def name(self) -> str:
        """The number's name: `fileNotFound`."""
        return _FILE_CODES[self.code]

    def __str__(self) -> str:
        return f"{self.code} {self.name}" + (f": {self.message}" if self.message else "")


SealingReason = Literal["", "damaged", "newer", "noKey", "tooLong"]

_CODES: Mapping[int, str] = {
    100: "appNotManaged", 101: "invalidArguments", 102: "encryptFailed", 103: "decryptFailed", 104: "notProtected",
    105: "emptyData",
}  # fmt: skip


class SealingError(Exception):
    """Data could not be sealed or unsealed, by the number that Microsoft's SDK has for it: `SealingError(103, "damaged")`.

    `reason` tells a damaged envelope from one of a newer version and from a key that is withheld (docs/sealed-data.md)."""

    def __init__(self, code: int, reason: SealingReason = "", message: str = "") -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason
        self.message = message

    @property
    def name(self) -> str:
        """The number's name: `decryptFailed`."""
        return _CODES[self.code]

    def __str__(self) -> str:
        said = f"{self.code} {self.name}" + (f" ({self.reason})" if self.reason else "")
        return f"{said}: {self.message}" if self.message else said
