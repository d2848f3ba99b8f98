#!/usr/bin/env python3
"""Makes the table of foreign programs in docs/embedding.md from what `selftest` measured of each.

table.py [--write]     without it: 1 when the page says something else
table.py --heard KEY   holds the report of `selftest` on standard input to what is kept of a program; with
                       WEBVIEWGUARD_WRITE_FOREIGN=1 it is kept anew
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from programs import PROGRAMS, ROOT, Program

RESULTS = Path(__file__).with_name("results.json")
WRITES = "WEBVIEWGUARD_WRITE_FOREIGN"
PAGE = ROOT / "docs/embedding.md"
BEGIN, END = "<!-- foreign: made by Tests/Engines/foreign/table.py -->", "<!-- end of foreign -->"
KINDS = ("page", "form", "frame", "resource", "download")


def measured(report: dict[str, Any]) -> dict[str, Any]:
    """Of a report of `selftest`: how many ways of each kind were gone, and which leaked."""
    gone = Counter(way["kind"] for way in report["ways"] if "not tried" not in (way["external"], way["named"]))
    leaked = [way["way"] for way in report["ways"] if "LEAKED" in (way["external"], way["named"])]
    return {"gone": {kind: gone[kind] for kind in KINDS}, "leaked": leaked}


def kept(key: str, found: dict[str, Any]) -> dict[str, Any] | None:
    """What is kept of a program, which becomes the docs' table; with the variable set it is what was found."""
    known = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    if os.environ.get(WRITES):
        known[key] = found
        RESULTS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")
    return known.get(key)


def heard(key: str) -> int:
    found = measured(json.load(sys.stdin))
    print(f"{key}: {sum(found['gone'].values())} ways gone, leaked: {', '.join(found['leaked']) or 'none'}")
    if kept(key, found) != found:
        print(f"{RESULTS.name} says something else of it: set {WRITES}=1 and run table.py --write")
    open_ways = next(program.leaks for program in PROGRAMS if program.key == key)
    return 0 if kept(key, found) == found and set(found["leaked"]) == open_ways else 1


def row(program: Program, found: dict[str, Any]) -> str:
    counts = ((kind, found["gone"][kind]) for kind in KINDS)
    gone = ", ".join(f"{count} {kind if count == 1 else kind + 's'}" for kind, count in counts if count)
    leaked = ", ".join(f"`{way}`" for way in found["leaked"]) or "none"
    example = f"[{program.example}](../examples/foreign/{program.example})"
    cells = program.name, program.engine, example, str(program.lines), gone, leaked, program.not_covered
    return f"| {' | '.join(cells)} |"


def table() -> str:
    results = json.loads(RESULTS.read_text())
    head = ["| program | engine | guarded by | lines | ways gone | leaked | not covered |", "| --- " * 7 + "|"]
    return "\n".join([*head, *(row(program, results[program.key]) for program in PROGRAMS if program.key in results)])


def main() -> int:
    if sys.argv[1:2] == ["--heard"]:
        return heard(sys.argv[2])
    before, _, rest = PAGE.read_text().partition(BEGIN)
    old, _, after = rest.partition(END)
    new = f"\n\n{table()}\n\n"
    if "--write" in sys.argv[1:]:
        PAGE.write_text(before + BEGIN + new + END + after)
    elif old != new:
        print(f"{PAGE.name} says something else of the foreign programs than {RESULTS.name}: table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
