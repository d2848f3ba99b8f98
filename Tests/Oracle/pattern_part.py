"""Part two: `URLPattern` against our patterns."""

from chromium import Chromium
from known_differences import Tally, name_of, of_part
from pattern_cases import known, made
from pattern_classes import CLASSES
from pattern_readings import PatternDifference, Question, differences

NAME = "pattern"
TITLE = "URLPattern"
FLAGS = ("--disable-crashpad-for-testing",)
"""There are patterns at which the page crashes; without its report that takes a tenth of the time."""


def run(browser: Chromium) -> Tally:
    """Compares all patterns: whether they are valid, their components, and their matches on every input."""
    tally = Tally(NAME, of_part(NAME, CLASSES))
    for group, questions in (("known", known()), ("made", made())):
        tally.compared[group] = sum(1 + len(question.inputs) for question in questions)
        for difference in differences(browser, questions):
            names = _explained_by(difference)
            if names:
                tally.explained(group, names)
            else:
                tally.unexplained(difference)
    for name, known_class in tally.classes.items():
        example = known_class["example"]
        inputs = tuple(example.get("inputs", ()))
        question = Question(example["pattern"], example.get("base"), example.get("ignoreCase", False), inputs)
        names = [found for difference in differences(browser, [question]) for found in _explained_by(difference)]
        tally.example(name, names)
    return tally


def _explained_by(difference: PatternDifference) -> list[str]:
    """The first class that explains it, if any does."""
    return [name_of(function) for function in CLASSES if function(difference)][:1]
