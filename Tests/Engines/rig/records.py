"""What the daemon wrote down, read as it grows."""

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

Record = dict[str, Any]


class Records:
    """The decisions of a log. A record is there before its answer is, so what was answered is always found."""

    def __init__(self, log: Path) -> None:
        self._log, self._offset, self._found = log, 0, list[Record]()

    @property
    def all(self) -> list[Record]:
        """Every decision so far."""
        with open(self._log, "rb") as log:
            log.seek(self._offset)
            grown = log.read()
        whole = grown[: grown.rfind(b"\n") + 1]
        self._offset += len(whole)
        self._found += [record for record in map(json.loads, whole.splitlines()) if record["type"] == "decision"]
        return self._found

    def about(self, path: str) -> list[Record]:
        """Those about a URL with this path, under whatever host name."""
        return [record for record in self.all if urlsplit(record.get("url", "")).path == path]

    def of(self, event: str, since: int = 0) -> list[Record]:
        return [record for record in self.all[since:] if record["event"] == event]
