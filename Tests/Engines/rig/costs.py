#!/usr/bin/env python3
"""Measures what the guard adds to a navigation, with each engine that has a `cost.py`, and keeps the numbers.

costs.py [COUNT] [FILE]     COUNT pairs of navigations for each engine (200); FILE gets them (docs/engine-cost.json)
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

BROWSERS = Path(__file__).resolve().parents[1]
KEPT = BROWSERS.parents[1] / "docs/engine-cost.json"


def measured(program: Path, count: str) -> dict[str, Any]:
    """What an engine's `cost.py COUNT FILE` leaves in the file; it says one line about it itself."""
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        file = Path(directory) / "cost.json"
        subprocess.run([sys.executable, str(program), count, str(file)], check=True)
        result: dict[str, Any] = json.loads(file.read_text())
        return result


def main() -> int:
    count = sys.argv[1] if len(sys.argv) > 1 else "200"
    kept = Path(sys.argv[2]) if len(sys.argv) > 2 else KEPT
    results = [measured(program, count) for program in sorted(BROWSERS.glob("*/cost.py"))]
    kept.write_text(json.dumps(results, indent=1) + "\n")
    print(f"{len(results)} engines measured, kept in `{kept}`")
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
