"""The configurations and rule files of the checkout, and what is in them to speak of."""

import random
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "Tests/Support/python"), str(ROOT / "Tests/System/attacks"), str(ROOT / "Tests/Oracle")]

from configuration import Configuration  # noqa: E402

KEY = re.compile(r"^  (?:  )?([\w.-]+|\"[^\"]+\"): ?[^\s]?", re.M)
HOST = re.compile(r"\b(?:[a-z0-9-]+\.)+(?:com|example|org|net|test)\b")
ACCOUNT = re.compile(r"\b[\w.+-]+@[\w-]+\.[\w.-]+\b")
RULE_SET = re.compile(r"^ruleSet: *([\w.-]+)", re.M)


@dataclass(frozen=True)
class Vocabulary:
    """The names that a configuration speaks of, each list in an order of its own: apps with their classes, and others."""

    apps: dict[str, list[str]]
    rule_sets: list[str]
    accounts: list[str]
    hosts: list[str]

    @property
    def classes(self) -> list[str]:
        return sorted({name for names in self.apps.values() for name in names})


class Texts:
    """A configuration as its files."""

    def __init__(self, files: dict[str, str]) -> None:
        self.files = files

    @staticmethod
    def read(directory: Path) -> "Texts":
        found = sorted(file for file in directory.rglob("*") if file.is_file())
        return Texts({str(file.relative_to(directory)): file.read_text() for file in found})

    @cached_property
    def vocabulary(self) -> Vocabulary:
        whole = "\n".join(self.files.values())
        return Vocabulary(
            self._apps(),
            sorted(set(RULE_SET.findall(whole))),
            sorted(set(ACCOUNT.findall(whole))),
            sorted(set(HOST.findall(whole))),
        )

    def _apps(self) -> dict[str, list[str]]:
        """The apps by name, with their classes. Files are read by their indentation, as our configurations have it."""
        apps: dict[str, list[str]] = {}
        for name, text in self.files.items():
            if not name.startswith("policy.d/"):
                continue
            for section in re.findall(r"^apps:\n((?:[ #].*\n|\n)*)", text, re.M):
                for app, body in re.findall(r"^  ([\w.-]+):(.*\n(?:    .*\n|\n)*)", section, re.M):
                    found = re.findall(r"^      ([\w.-]+):", body, re.M)
                    apps[app] = found + re.findall(r"classes: \{ ([\w.-]+):", body)
        return apps

    def configuration(self) -> Configuration:
        """As the rig starts a daemon with it."""
        made = Configuration("")
        made.files = {name: text.replace("$", "$$") for name, text in self.files.items()}
        return made

    def with_settings(self, settings: str) -> "Texts":
        """With further settings of the daemon, one a line; those that its `webviewguard.yaml` states itself stay."""
        stated = self.files.get("webviewguard.yaml", "")
        own = set(re.findall(r"^(\w+):", stated, re.M))
        more = [line for line in settings.splitlines() if line.partition(":")[0] not in own]
        return Texts({**self.files, "webviewguard.yaml": "\n".join([stated, *more, ""])})

    def mutated(self, choices: random.Random) -> "Texts":
        """With a mistake in one file: a line is gone, twice there, moved in or out, or has another word."""
        name = choices.choice(sorted(name for name in self.files if name.endswith(".yaml")))
        lines = self.files[name].splitlines(keepends=True) or ["\n"]
        at = choices.randrange(len(lines))
        line = lines[at]
        word = choices.choice(re.findall(r"[\w@*.-]+", line) or [line])
        lines[at : at + 1] = choices.choice(
            (
                [],
                [line, line],
                [" " + line],
                [line[1:]],
                [line.replace(word, choices.choice(WRONG_WORDS), 1)],
                [line.replace(word, word + choices.choice("xs0"), 1)],
                [line.replace(":", "", 1)],
                [line.replace("}", "", 1)],
                [line.rstrip("\n") + choices.choice((" ]", " }", ": 1", ' "', " \t", " é\u202e")) + "\n"],
            )
        )
        return Texts({**self.files, name: "".join(lines)})


WRONG_WORDS = ("block", "any", "-1", "7", "true", "null", "[]", "{}", '""', "managed", "2020-01-01", "*@contoso.com", "&a", "~")


def directories() -> list[Path]:
    """Each directory of the checkout that is a configuration, from the root."""
    found = {place.parent for folder in ("Rules", "Tests", "examples", "clients", "docs") for place in _policies(folder)}
    return sorted(place.relative_to(ROOT) for place in found)


def _policies(folder: str) -> list[Path]:
    return [place for place in (ROOT / folder).rglob("policy.d") if ".build" not in place.parts]


def rule_files() -> list[Path]:
    """Each file of the checkout that states a rule set, from the root."""
    folders = [ROOT / "Rules", ROOT / "Tests"]
    found = [file for folder in folders for file in folder.rglob("*.yaml") if RULE_SET.search(file.read_text())]
    return sorted(file.relative_to(ROOT) for file in found)


def described(value: Any) -> str:
    """A short text of a value for a report."""
    text = str(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
