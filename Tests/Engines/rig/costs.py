#!/usr/bin/env python3
"""Measures what the guard adds to a navigation, with each engine that has a `cost.py`, and keeps the numbers.

costs.py [COUNT] [FILE]     COUNT pairs of navigations for each engine (200); FILE gets them (docs/engine-cost.json)

Then it measures what one question costs a program in JavaScript. Ends with 1 where something costs more than it may.
Machines differ and are busy, so what is judged is the ratio to the same without a guard, in the same run.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BROWSERS = Path(__file__).resolve().parents[1]
# Where a pack of ours is in the engine's own process. An extension is not: the browser's own work is most of its cost.
PACKS = ("QtWebEngine", "WebKitGTK")
# The most that loading a page under a pack may take, as a multiple of the same without it.
MOST = {"p50": 1.1, "p99": 1.3}
ROOT = BROWSERS.parents[1]
KEPT = ROOT / "docs/engine-cost.json"
QUESTIONS = ROOT / "clients/javascript/tests/cost.js"
# The most that a question from JavaScript may take in the middle, in milliseconds; where a bare round trip over a socket
# takes long, so many of those.
QUESTION_MS, ROUND_TRIPS = 0.5, 4.0


def measured(runner: str, program: Path, count: str) -> dict[str, Any]:
    """What `cost.py COUNT FILE` or `cost.js COUNT FILE` leaves in the file; it says one line about it itself."""
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        file = Path(directory) / "cost.json"
        subprocess.run([runner, str(program), count, str(file)], check=True)
        result: dict[str, Any] = json.loads(file.read_text())
        return result


def excess(result: dict[str, Any]) -> list[str]:
    """What of a measurement is more than it may be, in words; tells the ratios."""
    guarded, unguarded = result["guarded"], result["unguarded"]
    ratios = {part: guarded[part] / unguarded[part] for part in MOST}
    print(f"{result['engine']}: guarded / unguarded " + ", ".join(f"{part} {ratio:.2f}" for part, ratio in ratios.items()))
    if not result["engine"].startswith(PACKS):
        return []
    return [f"{result['engine']} {part}: {ratios[part]:.2f}, at most {MOST[part]}" for part in MOST if ratios[part] > MOST[part]]


def slow_questions(result: dict[str, Any]) -> list[str]:
    """The ways to ask that take longer than they may, in words."""
    most = max(QUESTION_MS, ROUND_TRIPS * float(result["bare"]["p50"]))
    asked = {name: result[name]["p50"] for name in ("await", "awaitOfThread", "decideSync")}
    return [f"{result['engine']} {name}: {took} ms, at most {most:.2f}" for name, took in asked.items() if took > most]


def main() -> int:
    count = sys.argv[1] if len(sys.argv) > 1 else "200"
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else KEPT
    results = [measured(sys.executable, program, count) for program in sorted(BROWSERS.glob("*/cost.py"))]
    # A question is so much shorter than a page that ten times as many are asked.
    questions = measured("node", QUESTIONS, str(10 * int(count)))
    kept.write_text(json.dumps([*results, questions], indent=1) + "\n")
    print(f"{len(results)} engines measured, kept in `{kept}`")
    too_much = [*(line for result in results for line in excess(result)), *slow_questions(questions)]
    for line in too_much:
        print(f"too much: {line}")
    return 1 if too_much or not results else 0


if __name__ == "__main__":
    sys.exit(main())
