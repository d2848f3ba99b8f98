"""Rule files of ours, written for a run."""

from collections.abc import Iterable
from pathlib import Path

# A rule file may have 4 MiB.
RULES_A_FILE = 25_000


def write(folder: Path, name: str, rules: Iterable[str]) -> Path:
    """A rule set whose rules are the given verdicts and matchers: `external: { host: a.example }`."""
    rules = list(rules)
    folder.mkdir(parents=True, exist_ok=True)
    includes = []
    for part, first in enumerate(range(0, len(rules), RULES_A_FILE)):
        file = f"{name}-{part}.yaml"
        numbered = enumerate(rules[first:first + RULES_A_FILE])
        (folder / file).write_text("rules:\n" + "".join(f"- {{ id: r{n}, {rule} }}\n" for n, rule in numbered))
        includes.append(f"- include: {file}\n")
    path = folder / f"{name}.yaml"
    path.write_text(f"ruleSet: {name}\ndefault: internal\nrules:\n" + "".join(includes))
    return path


def write_list(folder: Path, name: str, domains: Iterable[str]) -> Path:
    """A rule set of one rule: what is in the list, or below, is external."""
    (folder / "lists").mkdir(parents=True, exist_ok=True)
    (folder / f"lists/{name}.txt").write_text("".join(f"{domain}\n" for domain in domains))
    path = folder / f"{name}.yaml"
    path.write_text(
        f"ruleSet: {name}\ndefault: internal\nrules:\n"
        f"- id: listed\n  external: {{ list: {{ file: lists/{name}.txt, format: domains }} }}\n")
    return path
