"""Every answered decision is in the log, with the outcome and the reason that its client got."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from log_files import log_files


def missing(folder: Path, logs: Path) -> tuple[int, list[str], Counter[str]]:
    """How many decisions were answered, which of them the log does not have, and how often each reason was recorded.

    An hour's decisions are more than fit in memory, so that two sorted files are compared.
    """
    reasons: Counter[str] = Counter()
    with open(folder / "logged", "w", encoding="utf-8") as logged:
        for line in _recorded(logs):
            reasons[line.split()[2]] += 1
            logged.write(line)
    answered = _sorted(sorted(folder.glob("answered-*")), folder / "answered.sorted")
    recorded = _sorted([folder / "logged"], folder / "logged.sorted")
    found = subprocess.run(
        ["comm", "-23", str(answered), str(recorded)], env=_plain(), capture_output=True, text=True, check=True
    )
    with open(answered, encoding="utf-8") as lines:
        return sum(1 for _ in lines), found.stdout.splitlines(), reasons


def _recorded(logs: Path) -> Iterator[str]:
    """The decisions of all files of the log, closed ones and the active one."""
    for file in log_files(logs):
        with open(file, "rb") as lines:
            for line in lines:
                record = json.loads(line)
                if record["type"] == "decision":
                    yield f"{record['id']} {record['outcome']} {record['reason']}\n"


def _sorted(files: list[Path], into: Path) -> Path:
    command = ["sort", "-u", "-o", str(into), *map(str, files)]
    subprocess.run(command, env=_plain(), check=True)
    return into


def _plain() -> dict[str, str]:
    """Bytes are compared, whatever the user's language."""
    return {**os.environ, "LC_ALL": "C"}
