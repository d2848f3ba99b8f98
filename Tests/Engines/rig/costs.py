#!/usr/bin/env python3
"""Measures what the guard adds to a navigation, with each engine that has a `cost.py`, and keeps the numbers.

costs.py [COUNT] [FILE]     COUNT pairs of navigations for each engine (200); FILE gets them (docs/engine-cost.json)

Ends with 1 where a hook pack costs more than it may. Machines differ and are busy, so only ratios of one run are judged.
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
KEPT = BROWSERS.parents[1] / "docs/engine-cost.json"


def measured(program: Path, count: str) -> dict[str, Any]:
    """What an engine's `cost.py COUNT FILE` leaves in the file; it says one line about it itself."""
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        file = Path(directory) / "cost.json"
        subprocess.run([sys.executable, str(program), count, str(file)], check=True)
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


def main() -> int:
    count = sys.argv[1] if len(sys.argv) > 1 else "200"
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else KEPT
    results = [measured(program, count) for program in sorted(BROWSERS.glob("*/cost.py"))]
    kept.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results)} engines measured, kept in `{kept}`")
    too_much = [line for result in results for line in excess(result)]
    for line in too_much:
        print(f"too much: {line}")
    return 1 if too_much or not results else 0


if __name__ == "__main__":
    sys.exit(main())
