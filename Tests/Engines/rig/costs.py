#!/usr/bin/env python3
"""Measures what the guard adds to loading a page, with each engine that has a `cost.py`, and keeps the numbers.

costs.py [COUNT] [FILE]     COUNT pairs of each page for each engine (300); FILE gets them (docs/engine-cost.json)

Ends with 1 where a hook pack costs more than it may. Machines differ and are busy, so only ratios of one run are judged:
cost.py says how. An engine that is not on this machine is left out and named. 300 pairs take 10 minutes.
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
# The most that loading a page under a pack may take, as a multiple of the same without it.
MOST = {"p50": 1.1, "p99": 1.3}
KEPT = BROWSERS.parents[1] / "docs/engine-cost.json"


def measured(engine: tuple[str, ...], count: str) -> dict[str, Any] | None:
    """What an engine's `cost.py` leaves in a file; it says a line about each page itself."""
    name, *words = engine
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        file = Path(directory) / "cost.json"
        program = [sys.executable, str(BROWSERS / name / "cost.py")]
        if subprocess.run([*program, *words, count, str(file)]).returncode:
            print(f"not measured: {' '.join(engine)}", flush=True)
            return None
        result: dict[str, Any] = json.loads(file.read_text())
        return result


def excess(result: dict[str, Any]) -> list[str]:
    """What of a measurement is more than it may be, in words."""
    if result["engine"].startswith(TOLD):
        return []
    return [
        f"{result['engine']}, {name}, {part}: {page['ratio'][part]}, at most {most}"
        for name, page in result["pages"].items()
        for part, most in MOST.items()
        if page["ratio"][part] > most
    ]


def main() -> int:
    count = sys.argv[1] if len(sys.argv) > 1 else "300"
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else KEPT
    results = [result for engine in ENGINES if (result := measured(engine, count))]
    kept.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results)} of {len(ENGINES)} engines measured, kept in `{kept}`")
    too_much = [line for result in results for line in excess(result)]
    for line in too_much:
        print(f"too much: {line}")
    return 1 if too_much or len(results) < len(ENGINES) else 0


if __name__ == "__main__":
    sys.exit(main())
