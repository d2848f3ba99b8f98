#!/usr/bin/env python3
"""Makes the table of ways in docs/embedding.md from what the tests of all engines saw.

table.py [--check] [--into FILE] OBSERVATIONS...

Without --check the text between the markers is written anew; with it the two are compared, and 1 says that they differ.
"""

import argparse
import difflib
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig import ROOT  # noqa: E402
from rig.ways import WAYS, Way  # noqa: E402

BEGIN = "<!-- ways: made by Tests/Engines/rig/table.py -->"
END = "<!-- end of ways -->"
KEEPERS = {
    "daemon": "asked", "export": "exported rules", "engine": "engine", "race": "asked, too late",
    "nothing": "**not stopped**",
}  # fmt: skip


def cell(way: Way, observation: dict[str, Any] | None) -> str:
    """Who stops what an explicit rule names, and in brackets what the default does where that is another."""
    if observation is None or not observation["stopped"]:
        return "not tried"
    stopped = observation["stopped"]
    ruled = stopped.get("tracker") or stopped.get("blocked") or "nothing"
    text = KEEPERS[ruled]
    if not way.has_default:
        return text
    default = stopped.get("external", ruled)
    return text if default == ruled else f"{text} (default: {KEEPERS[default]})"


def table(engines: list[dict[str, Any]]) -> str:
    """The Markdown: ways of one kind that all engines treat alike share a row. Below, what is said of single ways."""
    lines = ["| loads as | ways out | " + " | ".join(map(_name, engines)) + " |"]
    lines.append("| --- | --- |" + " --- |" * len(engines))
    notes: list[str] = []
    rows: dict[tuple[str, ...], list[str]] = {}
    for way in WAYS:
        cells = []
        for engine in engines:
            observation = engine["ways"].get(way.id)
            cells.append(cell(way, observation) + _mark(notes, _name(engine), observation))
        rows.setdefault((way.kind, *cells), []).append(f"`{way.id}`")
    for (kind, *cells), ways in rows.items():
        lines.append(f"| {kind} | {', '.join(ways)} | {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"{number}. {text}" for number, text in enumerate(notes, 1))]).rstrip() + "\n"


def _name(engine: dict[str, Any]) -> str:
    """Without its version, which an update of the system changes and the table does not."""
    return engine["engine"].split()[0]


def _mark(notes: list[str], engine: str, observation: dict[str, Any] | None) -> str:
    if observation is None or not observation["note"]:
        return ""
    note = f"{engine}: {observation['note']}"
    if note not in notes:
        notes.append(note)
    return f" ({notes.index(note) + 1})"


def replaced(text: str, made: str) -> str:
    """The document with the table in its place; ValueError without the markers."""
    head, begin, rest = text.partition(BEGIN + "\n")
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the document has no `{BEGIN}` with `{END}` behind it")
    return f"{head}{BEGIN}\n\n{made}\n{END}{tail}"


def main() -> int:
    reader = argparse.ArgumentParser(description="makes the table of ways in docs/embedding.md")
    reader.add_argument("--check", action="store_true")
    reader.add_argument("--into", type=Path, default=ROOT / "docs/embedding.md")
    reader.add_argument("observations", nargs="+", type=Path)
    asked = reader.parse_args()
    before = asked.into.read_text()
    after = replaced(before, table([json.loads(file.read_text()) for file in asked.observations]))
    if asked.check:
        sys.stdout.writelines(difflib.unified_diff(before.splitlines(True), after.splitlines(True), "kept", "seen"))
        return int(before != after)
    asked.into.write_text(after)
    return 0


if __name__ == "__main__":
    sys.exit(main())
