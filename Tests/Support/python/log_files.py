"""The files of a daemon's decision log, and the records in them."""

import json
from pathlib import Path
from typing import Any

ACTIVE = "decisions.jsonl"


def closed_files(directory: Path) -> list[Path]:
    """The files that the daemon has closed, the oldest first. Their names hold the number of their first record."""
    return sorted(directory.glob("decisions-*.jsonl"))


def log_files(directory: Path) -> list[Path]:
    """All files with records, in their order. At midnight, which a test may pass, the daemon begins another file."""
    active = directory / ACTIVE
    return [*closed_files(directory), *([active] if active.exists() else [])]


def log_bytes(directory: Path) -> bytes:
    """The text of all files."""
    return b"".join(file.read_bytes() for file in log_files(directory))


def log_records(directory: Path, kind: str | None = None) -> list[dict[str, Any]]:
    """The whole records in their order, or those of one type. A kill or a full disk may cut a line short: `log verify`
    judges that, and such a line is left out here."""
    found = filter(None, map(_record, log_bytes(directory).splitlines()))
    return [record for record in found if kind in (None, record["type"])]


def _record(line: bytes) -> dict[str, Any] | None:
    try:
        return dict(json.loads(line))
    except ValueError:
        return None
