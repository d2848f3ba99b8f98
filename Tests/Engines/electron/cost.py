#!/usr/bin/env python3
"""What the guard of Electron apps adds to loading a page, in two apps: cost.py [COUNT] [FILE].

As root, since the stranger runs as nobody: see scripts/test-electron.
"""

import json
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig import ROOT, cost  # noqa: E402


def main() -> None:
    count, file = cost.arguments()
    pages = {name: {"path": path, "pairs": count // cost.FEWER.get(name, 1)} for name, path in cost.PAGES.items()}
    command = [str(ROOT / "scripts/test-electron"), "cost", json.dumps(pages)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    taken = json.loads(next(line for line in said.splitlines() if line.startswith('{"engine"')))
    cost.keep(taken["engine"], taken["pages"], file)


if __name__ == "__main__":
    main()
