"""Part three: `URLBlocklist` and `URLAllowlist` against `chromium: {block, allow}` in a rule."""

from collections.abc import Iterator
from typing import Any

from blocklist_cases import Fact, facts, made
from blocklist_classes import CLASSES, BlocklistDifference
from blocklist_decisions import Policy, PolicyJudge, our_decisions
from chromium import Chromium
from known_differences import Tally, name_of, of_part

NAME = "blocklist"
TITLE = "URLBlocklist"
FLAGS = ()


def run(browser: Chromium) -> Tally:
    """Compares the browser with the facts of its own tests, and with us on these facts and on made policies."""
    tally = Tally(NAME, of_part(NAME, CLASSES))
    judge = PolicyJudge(browser)
    for policy, stated in _by_policy(facts()):
        for difference in _of_facts(judge, policy, stated):
            _count(tally, "facts" if difference.source == "stated" else "ours", difference)
        tally.compared["facts"] += len(stated)
        tally.compared["ours"] += len(stated)
    for policy in made():
        tally.compared["ours"] += len(policy.urls)
        for difference in _of_us(judge, policy):
            _count(tally, "ours", difference)
    for name, known in tally.classes.items():
        tally.example(name, _example(judge, known["example"]))
    return tally


def _by_policy(stated: list[Fact]) -> list[tuple[Policy, list[Fact]]]:
    """The facts of one policy together, since it takes a moment to set one."""
    found: dict[Policy, list[Fact]] = {}
    for fact in stated:
        found.setdefault(fact.policy, []).append(fact)
    return [(policy._replace(urls=tuple(fact.url for fact in its)), its) for policy, its in found.items()]


def _of_facts(judge: PolicyJudge, policy: Policy, stated: list[Fact]) -> Iterator[BlocklistDifference]:
    theirs = judge.decisions(policy)
    for fact, decision in zip(stated, theirs, strict=True):
        if fact.blocked != decision:
            yield BlocklistDifference("stated", policy, fact.url, fact.blocked, decision, fact.marked)
    yield from _differing(policy, theirs)


def _of_us(judge: PolicyJudge, policy: Policy) -> Iterator[BlocklistDifference]:
    return _differing(policy, judge.decisions(policy))


def _differing(policy: Policy, theirs: list[bool | None]) -> Iterator[BlocklistDifference]:
    for url, ours, decision in zip(policy.urls, our_decisions(policy), theirs, strict=True):
        if ours != decision:
            yield BlocklistDifference("ours", policy, url, ours, decision)


def _count(tally: Tally, group: str, difference: BlocklistDifference) -> None:
    names = _explained_by(difference)
    if names:
        tally.explained(group, names)
    else:
        tally.unexplained(difference)


def _explained_by(difference: BlocklistDifference) -> list[str]:
    """The first class that explains it, if any does."""
    return [name_of(function) for function in CLASSES if function(difference)][:1]


def _example(judge: PolicyJudge, example: dict[str, Any]) -> list[str]:
    """The classes that explain an example. With `stated` it is a fact; `filler` entries stand before its block list."""
    filler = (f"filler-{number}.example" for number in range(example.get("filler", 0)))
    policy = Policy((*filler, *example.get("block", ())), tuple(example.get("allow", ())), (example["url"],))
    if "stated" not in example:
        return [name for difference in _of_us(judge, policy) for name in _explained_by(difference)]
    decision = judge.decisions(policy)[0]
    stated, marked = example["stated"], example.get("marked", False)
    if decision == stated:
        return []
    return _explained_by(BlocklistDifference("stated", policy, example["url"], stated, decision, marked))
