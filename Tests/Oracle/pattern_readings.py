"""How the browser and the program read and match URL patterns.

The program is asked through a helper that reads one JSON object a line and answers each with one:

    {"pattern": text or object, "base": text or null, "ignoreCase": bool, "inputs": [text or object, ...]}
    {"valid": bool, "components": {name: text, ...}, "hasRegExpGroups": bool, "results": [null or match, ...]}

`components` has all eight. A match has all eight too, each with its groups: {name: text or null}; null stands for a
group that took no part. When `valid` is false nothing else is read. An answer that is a text says why there is none.
"""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import url_readings
from chromium import Chromium
from devtools import PageCrashed
from shared_data import ROOT

READER = Path(os.environ.get("WEBVIEWGUARD_PATTERN_READER") or ROOT / ".build/release/pattern-reader").resolve()

COMPONENTS = ("protocol", "username", "password", "hostname", "port", "pathname", "search", "hash")

READ = """(questions, components) => {
  const groups = found => Object.fromEntries(Object.entries(found).map(([name, text]) => [name, text ?? null]))
  const match = (pattern, input) => {
    const found = pattern.exec(input)
    return found && Object.fromEntries(components.map(name => [name, groups(found[name].groups)]))
  }
  return questions.map(({pattern, base, ignoreCase, inputs}) => {
    let read
    try {
      read = base === null ? new URLPattern(pattern, {ignoreCase}) : new URLPattern(pattern, base, {ignoreCase})
    } catch { return {valid: false} }
    return {
      valid: true, components: Object.fromEntries(components.map(name => [name, read[name]])),
      hasRegExpGroups: read.hasRegExpGroups, results: inputs.map(input => match(read, input)),
    }
  })
}"""

BATCH = 50
CRASHED = "crashed"

PatternText = str | dict[str, str]
Answer = dict[str, Any]


class Question(NamedTuple):
    """A pattern and what it is tried on."""

    pattern: PatternText
    base: str | None
    ignore_case: bool
    inputs: tuple[PatternText, ...]

    def message(self) -> dict[str, Any]:
        return {
            "pattern": self.pattern, "base": self.base, "ignoreCase": self.ignore_case, "inputs": list(self.inputs)
        }  # fmt: skip


class PatternDifference(NamedTuple):
    """One pattern, or one pattern and one input, that was answered in two ways.

    `what` is `valid` (where CRASHED may stand for the browser's answer), the name of a component, `hasRegExpGroups` or
    `result`; `input` is there with `result` only.
    """

    what: str
    question: Question
    input: PatternText | None
    ours: Any
    theirs: Any
    patterns_differ: bool
    """A component of the pattern itself differs."""
    urls_differ: bool = False
    """The input is a URL that is read in two ways, of which part one speaks."""

    def __str__(self) -> str:
        question = self.question
        base = f" base {question.base!a}" if question.base is not None else ""
        case = " ignoring case" if question.ignore_case else ""
        tried = f" on {self.input!a}" if self.input is not None else ""
        return f"{question.pattern!a}{base}{case}{tried}: {self.what}: ours {self.ours!a}, Chromium {self.theirs!a}"


def differences(browser: Chromium, questions: Sequence[Question]) -> Iterator[PatternDifference]:
    """Asks both sides and gives what they answer in two ways."""
    judge = PatternJudge(browser)
    for start in range(0, len(questions), BATCH):
        batch = questions[start : start + BATCH]
        answers = zip(batch, _our_answers(batch), judge.answers(batch), strict=True)
        found = [difference for answer in answers for difference in _compared(*answer)]
        odd = judge.urls_read_in_two_ways([each.input for each in found if isinstance(each.input, str)])
        yield from (each._replace(urls_differ=isinstance(each.input, str) and each.input in odd) for each in found)


class PatternJudge:
    """Asks the browser. There are patterns at which its page crashes: they get an answer that says so."""

    def __init__(self, browser: Chromium) -> None:
        self._browser = browser
        self._page = browser.page()

    def answers(self, questions: Sequence[Question]) -> list[Answer]:
        try:
            answers: list[Answer] = self._page.apply(READ, [question.message() for question in questions], COMPONENTS)
            return answers
        except PageCrashed:
            self._page = self._browser.page()
        if len(questions) == 1:
            return [{"valid": CRASHED}]
        return [answer for question in questions for answer in self.answers([question])]

    def urls_read_in_two_ways(self, texts: list[str]) -> set[str]:
        """Those that the browser reads in another way than we do; patterns do not ask for the origin."""
        cases = [url_readings.Case(text.encode()) for text in texts]
        found = url_readings.differences(self._page, cases)
        return {each.case.url.decode() for each in found if each.members != ("origin",)}


def _our_answers(questions: Sequence[Question]) -> list[Answer]:
    text = "".join(json.dumps(question.message()) + "\n" for question in questions)
    done = subprocess.run([READER], input=text.encode(), capture_output=True, timeout=120)
    if done.returncode != 0:
        raise RuntimeError(f"`{READER.name}` ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _compared(question: Question, ours: Answer, theirs: Answer) -> Iterator[PatternDifference]:
    patterns_differ = ours.get("components") != theirs.get("components")

    def difference(what: str, our: Any, their: Any, input: PatternText | None = None) -> PatternDifference:
        return PatternDifference(what, question, input, our, their, patterns_differ)

    if ours["valid"] != theirs["valid"]:
        yield difference("valid", ours["valid"], theirs["valid"])
    if ours["valid"] is not True or theirs["valid"] is not True:
        return
    for name in COMPONENTS:
        if ours["components"][name] != theirs["components"][name]:
            yield difference(name, ours["components"][name], theirs["components"][name])
    if ours["hasRegExpGroups"] != theirs["hasRegExpGroups"]:
        yield difference("hasRegExpGroups", ours["hasRegExpGroups"], theirs["hasRegExpGroups"])
    for input, our, their in zip(question.inputs, ours["results"], theirs["results"], strict=True):
        if our != their:
            yield difference("result", our, their, input)
