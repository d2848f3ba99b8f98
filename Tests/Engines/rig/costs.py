#!/usr/bin/env python3
"""Measures what the guard adds to loading a page, with each engine that has a `cost.py`, and keeps the numbers.

costs.py [COUNT] [FILE]     COUNT pairs of each page for each engine (300); FILE gets them (docs/engine-cost.json)

Then it measures what one question costs a program in JavaScript. Ends with 1 where something costs more than it may, or
is not measured. Machines differ and are busy, so only ratios of one run are judged: cost.py says how. 300 pairs take 25
minutes.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BROWSERS = Path(__file__).resolve().parents[1]
# The engines' programs, and their own words.
ENGINES = (
    ("qtwebengine",), ("webkitpack", "--api", "4.1"), ("webkitpack", "--api", "6.0"), ("cef",), ("electron",),
    ("foreign", "qt"), ("foreign", "gtk"), ("chromium",), ("firefox",),
)  # fmt: skip
# Where an extension guards, the browser's own work is most of the cost: it is told, and not judged.
TOLD = ("Chromium", "Firefox")
# The most that the median page of the web (cost.py) may take under a pack, as a multiple of the same without it.
MOST = {"p50": 1.1, "p99": 1.3}
# The most for pages of the same machine that come without delay. A tenth of such a page is a millisecond, and in it no engine
# hears of a page, asks and goes on: in Electron any listener for requests takes more. They show when a pack gets slower.
MOST_WITHOUT_DELAY = {"p50": 1.35, "p99": 1.7}
ROOT = BROWSERS.parents[1]
KEPT = ROOT / "docs/engine-cost.json"
QUESTIONS = ROOT / "clients/javascript/tests/cost.js"
# The most that a question from JavaScript may take in the middle, in milliseconds; where a bare round trip over a socket
# takes long, so many of those.
QUESTION_MS, ROUND_TRIPS = 0.5, 4.0


def measured(runner: str, program: Path, *words: str) -> dict[str, Any] | None:
    """What `cost.py COUNT FILE` or `cost.js COUNT FILE` leaves in the file; it says itself what it measured."""
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        file = Path(directory) / "cost.json"
        if subprocess.run([runner, str(program), *words, str(file)]).returncode:
            print(f"not measured: {program.relative_to(ROOT)} {' '.join(words)}", flush=True)
            return None
        result: dict[str, Any] = json.loads(file.read_text())
        return result


def judged(engine: tuple[str, ...], count: int) -> dict[str, Any] | None:
    """As `measured`; once more with twice as many pairs where only the rare slow page is too slow: of 300 pairs, one run in
    ten says so of a pack that takes 1.1 times as long."""
    name, *words = engine
    program = BROWSERS / name / "cost.py"
    first = measured(sys.executable, program, *words, str(count))
    too_much = excess(first) if first else []
    if not too_much or any(", p50:" in line for line in too_much):
        return first
    print(f"once more: {'; '.join(too_much)}", flush=True)
    return measured(sys.executable, program, *words, str(2 * count)) or first


def excess(result: dict[str, Any]) -> list[str]:
    """What of a measurement is more than it may be, in words."""
    if result["engine"].startswith(TOLD):
        return []
    return [
        f"{result['engine']}, {name}, {part}: {page['ratio'][part]}, at most {most}"
        for name, page in result["pages"].items()
        for part, most in (MOST if name == "median page" else MOST_WITHOUT_DELAY).items()
        if page["ratio"][part] > most
    ]


def slow_questions(result: dict[str, Any]) -> list[str]:
    """The ways to ask that take longer than they may, in words."""
    most = max(QUESTION_MS, ROUND_TRIPS * float(result["bare"]["p50"]))
    asked = {name: result[name]["p50"] for name in ("await", "awaitOfThread", "decideSync")}
    return [f"{result['engine']} {name}: {took} ms, at most {most:.2f}" for name, took in asked.items() if took > most]


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else KEPT
    engines = [judged(engine, count) for engine in ENGINES]
    # A question is so much shorter than a page that ten times as many are asked.
    questions = measured("node", QUESTIONS, str(10 * count))
    results = [result for result in (*engines, questions) if result]
    kept.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results)} of {len(ENGINES) + 1} measured, kept in `{kept}`")
    too_much = [line for result in engines if result for line in excess(result)]
    too_much += slow_questions(questions) if questions else []
    for line in too_much:
        print(f"too much: {line}")
    return 1 if too_much or len(results) <= len(ENGINES) else 0


if __name__ == "__main__":
    sys.exit(main())
