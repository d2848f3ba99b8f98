"""How the browser and the program read a URL: the eleven members of the web's URL."""

import json
import os
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from devtools import Page
from shared_data import ROOT

PROGRAM = Path(os.environ.get("WEBVIEWGUARD") or ROOT / ".build/release/webviewguard").resolve()

MEMBERS = (
    "href", "origin", "protocol", "username", "password", "host", "hostname", "port", "pathname", "search", "hash",
)  # fmt: skip

READ = """(urls, base, members) => urls.map(url => {
  try { const read = base === null ? new URL(url) : new URL(url, base); return members.map(m => read[m]) }
  catch { return null }
})"""

BATCH = 20_000
ARGUMENT_BYTES = 500_000

Reading = tuple[str, ...] | None
"""The members in their order; None for what is no URL."""


class Case(NamedTuple):
    """One input. It is bytes, and need not be UTF-8: both sides read it as UTF-8 with replacement characters."""

    url: bytes
    base: bytes | None = None


class URLDifference(NamedTuple):
    """An input that was read in two ways."""

    case: Case
    ours: Reading
    theirs: Reading

    @property
    def members(self) -> tuple[str, ...]:
        """The members that differ; none when only one side takes the input for a URL."""
        if self.ours is None or self.theirs is None:
            return ()
        return tuple(m for m, a, b in zip(MEMBERS, self.ours, self.theirs, strict=True) if a != b)

    def __str__(self) -> str:
        base = f" base {self.case.base!a}" if self.case.base is not None else ""
        return f"{self.case.url!a}{base}: ours {_shown(self, self.ours)}, Chromium {_shown(self, self.theirs)}"


def _shown(difference: URLDifference, reading: Reading) -> str:
    if reading is None:
        return "invalid"
    members = difference.members or ("href",)
    return " ".join(f"{member}={reading[MEMBERS.index(member)]!a}" for member in members)


def differences(page: Page, cases: Iterable[Case]) -> Iterator[URLDifference]:
    """Reads every input on both sides and gives those that were read in two ways."""
    by_base: dict[bytes | None, list[bytes]] = {}
    for case in cases:
        by_base.setdefault(case.base, []).append(case.url)
    for base, urls in by_base.items():
        for start in range(0, len(urls), BATCH):
            batch = urls[start : start + BATCH]
            for url, ours, theirs in zip(
                batch, our_readings(batch, base), browser_readings(page, batch, base), strict=True
            ):
                if ours != theirs:
                    yield URLDifference(Case(url, base), ours, theirs)


def browser_readings(page: Page, urls: Sequence[bytes], base: bytes | None) -> list[Reading]:
    texts = [url.decode("utf-8", "replace") for url in urls]
    answer = page.apply(READ, texts, base if base is None else base.decode("utf-8", "replace"), MEMBERS)
    return [reading and tuple(reading) for reading in answer]


def our_readings(urls: Sequence[bytes], base: bytes | None) -> list[Reading]:
    """Reads from standard input what is one line, and from the arguments what holds a newline."""
    readings: list[Reading] = [None] * len(urls)
    command = [os.fsencode(PROGRAM), b"url", *([b"--base", base] if base is not None else [])]
    if base == b"":
        return readings
    lines = [index for index, url in enumerate(urls) if b"\n" not in url]
    _fill(readings, lines, _run([*command, b"-"], b"".join(urls[index] + b"\n" for index in lines)))
    split = [index for index, url in enumerate(urls) if b"\n" in url]
    for group in _groups(split, urls):
        _fill(readings, group, _run([*command, b"--", *(urls[index] for index in group)], b""))
    return readings


def _groups(indices: list[int], urls: Sequence[bytes]) -> Iterator[list[int]]:
    """Parts that are short enough for one command line."""
    group: list[int] = []
    size = 0
    for index in indices:
        size += len(urls[index]) + 16
        if group and size > ARGUMENT_BYTES:
            yield group
            group, size = [], len(urls[index]) + 16
        group.append(index)
    if group:
        yield group


def _run(command: list[bytes], text: bytes) -> list[Reading]:
    done = subprocess.run(command, input=text, capture_output=True, timeout=120)
    if done.returncode == 2 and b"the base is no URL" in done.stderr:
        return []
    if done.returncode != 0:
        raise RuntimeError(f"`webviewguard url` ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return [_reading(json.loads(line)) for line in done.stdout.splitlines()]


def _reading(answer: dict[str, str]) -> Reading:
    return tuple(answer[member] for member in MEMBERS) if answer["valid"] else None


def _fill(readings: list[Reading], indices: list[int], answers: list[Reading]) -> None:
    """Puts the answers in their places. No answer at all stands for a base that is no URL."""
    if answers and len(answers) != len(indices):
        raise RuntimeError(f"{len(indices)} URLs were given and {len(answers)} answers came back")
    for index, answer in zip(indices, answers, strict=False):
        readings[index] = answer
