"""Finds tests by the names that pages and data files give them: `FILE:TEST`.

FILE is how the path of one file below Tests, clients or Rules ends. TEST is one of

  test_of_python       a function of a file in Python
  functionOfSwift      a function of a file in Swift
  "a case"             a case of a table in Swift, by the text that it begins with; or a test of a policy, or in JavaScript, by
                       its name

    attacks/test_who.py:test_a_user_is_an_app_by_its_number
    TransferTests.swift:"DT-02 none, managed apps included"
    ledger/clipboard.yaml:"CB-04 managed apps both ways"
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

PLACES = ("Tests", "clients", "Rules")
SUFFIXES = {".py", ".swift", ".yaml", ".js"}
OTHERS = {"build", "node_modules"}
NAME = re.compile(r"([\w./+-]+):(\w+|\"[^\"]+\")")
FUNCTION = re.compile(r"^\s*(?:async )?def (test_\w+)\(|^.*?\bfunc (\w+)\(", re.M)
NAMED = re.compile(r'^  ("[^"\n]+"): ', re.M)
CLOSING = {"(": ")", "[": "]", "{": "}"}


def files(root: Path) -> list[Path]:
    """The files below the places of tests."""
    found = [file for place in PLACES for file in (root / place).rglob("*") if file.suffix in SUFFIXES]
    return [file for file in found if not OTHERS & set(file.relative_to(root).parts)]


def functions(file: Path) -> set[str]:
    """The tests in a file; of Swift every function, since its attribute may stand lines above."""
    if file.suffix == ".js":
        return set(NAMED.findall(file.read_text()))
    return {python or swift for python, swift in FUNCTION.findall(file.read_text())}


def meant(end: str, among: list[Path]) -> list[Path]:
    """The files whose paths end so."""
    name = end.rpartition("/")[2]
    return [file for file in among if file.name == name and f"/{file}".endswith(f"/{end}")]


def text(file: Path, test: str) -> str | None:
    """What a test says, with its name, its comment and its attribute; None when the file has no such test."""
    return _text(file.suffix, file.read_text(), test)


@cache
def _text(suffix: str, lines: str, test: str) -> str | None:
    """Kept: a self-test asks for the same tests of the same files again and again."""
    if suffix == ".yaml":
        return _policy_test(lines, test.strip('"'))
    if suffix == ".js":
        return _javascript(lines, test)
    if test.startswith('"'):
        return _swift_case(lines, test)
    return _python(lines, test) if suffix == ".py" else _swift(lines, test)


def _python(lines: str, test: str) -> str | None:
    """The function down to the next line that is indented no deeper."""
    return _down_to(lines, rf"^([ \t]*)(?:async )?def {test}\(", lambda found: rf"^{found[1]}[^\s)]")


def _javascript(lines: str, test: str) -> str | None:
    """The member of the table of tests, down to the next one."""
    return _down_to(lines, rf"^  {re.escape(test)}: ", lambda _: r'^(?:  "|\S)')


def _down_to(lines: str, start: str, end: Callable[[re.Match[str]], str]) -> str | None:
    """From the line that `start` finds to the one before that of `end`."""
    found = re.search(start, lines, re.M)
    if not found:
        return None
    after = re.compile(end(found), re.M).search(lines, found.end())
    return lines[found.start() : after.start() if after else len(lines)]


def _swift(lines: str, test: str) -> str | None:
    """The function with the comment and the attributes above it, and the tables of cases that its attributes name."""
    found = re.search(rf"^[^\n/]*\bfunc {test}\(", lines, re.M)
    if not found:
        return None
    above = lines[lines.rfind("\n\n", 0, found.start()) + 1 : found.start()]
    if "@Test" not in above + found[0]:
        return None
    body = _balanced(lines, lines.find("{", found.start()))
    tables = [_table(lines, name) for name in re.findall(r"\b([a-z]\w+)\b", above.partition("arguments:")[2])]
    return above + found[0] + body + "".join(tables)


def _table(lines: str, name: str) -> str:
    """The array that is declared under this name in the same file."""
    found = re.search(rf"\blet {name}\b[^=\n]*=\s*\[", lines)
    return _balanced(lines, found.end() - 1) if found else ""


def _swift_case(lines: str, case: str) -> str | None:
    """The innermost expression in brackets that holds the case's text."""
    place = lines.find(case[:-1])
    if place < 0 or lines.rfind("//", lines.rfind("\n", 0, place) + 1, place) >= 0:
        return None
    depth = 0
    for start in range(place - 1, -1, -1):
        if lines[start] in CLOSING.values():
            depth += 1
        elif lines[start] in CLOSING:
            if depth == 0:
                return _balanced(lines, start)
            depth -= 1
    return None


def _balanced(lines: str, start: int) -> str:
    """From a bracket to the one that closes it; brackets in texts do not count."""
    depth, place = 0, start
    while place < len(lines):
        sign = lines[place]
        if sign == '"':
            text = re.compile(r'"""(?s:.*?)"""|"(?:\\.|[^"\\\n])*"').match(lines, place)
            place = text.end() if text else place + 1
            continue
        if lines.startswith("//", place):
            place = lines.find("\n", place)
            continue
        depth += (sign in CLOSING) - (sign in CLOSING.values())
        place += 1
        if depth == 0:
            break
    return lines[start:place]


def _policy_test(lines: str, name: str) -> str | None:
    """The item of the list that has this name, down to the next one."""
    found = re.search(rf"^( *)- name: [\"']?{re.escape(name)}[\"']?$", lines, re.M)
    if not found:
        return None
    end = re.compile(rf"^{found[1]}- |^\S", re.M).search(lines, found.end())
    return lines[found.start() : end.start() if end else len(lines)]
