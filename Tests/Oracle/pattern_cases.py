"""The patterns of the pattern part: those of the conformance suite, and made ones; each with things to try it on."""

import json
from typing import Any

from pattern_mutations import PatternMutations
from pattern_readings import PatternText, Question
from shared_data import cases, generator

MADE = 2000
INPUTS = 20


def known() -> list[Question]:
    """The patterns of the suite, on their own inputs and on made ones."""
    source = PatternMutations(generator("known patterns"))
    questions = []
    for case in cases("wpt/urlpattern/urlpatterntestdata.json"):
        read = _arguments(case["pattern"])
        if read is not None and _is_unicode(case):
            pattern, base, ignore_case = read
            inputs = (*_inputs(case.get("inputs", [])), *source.inputs(pattern, INPUTS))
            questions.append(Question(pattern, base, ignore_case, inputs))
    return questions


def made() -> list[Question]:
    """Seeded random patterns."""
    random = generator("patterns")
    source = PatternMutations(random)
    questions = []
    for _ in range(MADE):
        pattern, base = source.pattern()
        questions.append(Question(pattern, base, random.random() < 0.15, source.inputs(pattern, INPUTS)))
    return questions


def _arguments(given: list[Any]) -> tuple[PatternText, str | None, bool] | None:
    """What the constructor is given; None for a call that is wrong in JavaScript only."""
    given = given or [{}]
    options = given[-1] if len(given) > 1 and isinstance(given[-1], dict) else {}
    rest = given[:-1] if options else given
    if len(rest) > 2 or set(options) - {"ignoreCase"} or not all(isinstance(base, str) for base in rest[1:]):
        return None
    return rest[0], rest[1] if len(rest) == 2 else None, bool(options.get("ignoreCase"))


def _is_unicode(case: Any) -> bool:
    """False when there is a lone surrogate, which no JSON text in UTF-8 can hold."""
    return not any("\ud800" <= character <= "\udfff" for character in json.dumps(case, ensure_ascii=False))


def _inputs(given: list[Any]) -> list[PatternText]:
    """The input, unless it has a base of its own, which a question cannot hold."""
    return given[:1] if len(given) == 1 else []
