"""Verdicts in the process, against Brave's engine: 1.5 million domains, and 100,000 rules of filter lists."""

from pathlib import Path

from . import filters, peers, rulefiles
from .places import REPOSITORY, Places
from .report import Results, Row
from .turns import Contender, take_turns

DOCUMENT = "https://www.example.org/page"
MOST_RULES = 100_000


def measure(places: Places, results: Results) -> None:
    domains(places, results)
    filter_lists(places, results)


def domains(places: Places, results: Results) -> None:
    folder = places.folder("domains")
    names = places.lines("domains/union-all.txt.gz")
    if places.quick:
        # Brave's engine takes a while to load them all.
        names = names[::10]
    ours = rulefiles.write_list(folder, "domains", names)
    theirs = folder / "domains.adblock"
    theirs.write_text("".join(f"||{name}^\n" for name in names))
    compare(
        places, results, "verdict, 1.5 million domains", ours, theirs, places.unpacked("urls/mixed-shuffled.txt.gz"),
        rules=len(names), target=20, details={})


def filter_lists(places: Places, results: Results) -> None:
    folder = places.folder("filters")
    lines = filters.network_rules(places)
    converted = [rule for rule in map(filters.convert, lines) if rule]
    # Ours is first match wins, theirs lets exceptions win: exceptions go first.
    chosen = sorted(converted, key=lambda rule: not rule.is_exception)[:MOST_RULES]
    verdicts = ("external", "internal")
    ours = rulefiles.write(
        folder, "filters", (f"{verdicts[rule.is_exception]}: {{ {rule.matchers} }}" for rule in chosen))
    theirs = folder / "filters.adblock"
    theirs.write_text("".join(f"{rule.theirs}\n" for rule in chosen))
    compare(
        places, results, "verdict, 100,000 filter-list rules", ours, theirs,
        places.unpacked("urls/brave-top500-requests.txt.gz"), rules=len(chosen), target=10,
        details={"networkRules": len(lines), "convertible": len(converted), "leftOut": len(lines) - len(converted)},
        is_external=[not rule.is_exception for rule in chosen])


def compare(
    places: Places, results: Results, what: str, ours: Path, theirs: Path, urls: Path, rules: int, target: float,
    details: dict[str, object], is_external: list[bool] | None = None,
) -> None:
    peer = REPOSITORY / "Benchmarks/Peers/judge_adblock.py"
    with (
        Contender(places.measure, "rules", ours, urls, DOCUMENT) as mine,
        Contender(peers.python(), peer, theirs, urls, DOCUMENT) as its,
    ):
        rounds = 3 if places.quick else 11
        times = take_turns(mine, its, rounds, "round 20000")
        call = float(its.ask("round 20000")[2])
        answers = ours.with_suffix(".answers"), theirs.with_suffix(".answers")
        mine.ask(f"answers {answers[0]}")
        its.ask(f"answers {answers[1]}")
        allocations = float(mine.ask("allocations 20000")[0])
    same, compared = agreement(*answers, is_external)
    count = int(mine.ready[0])
    results.add(Row(
        what, "Brave's adblock 0.6.0", ours=times[0].median, peer=times[1].median, unit="ns/URL", target=target,
        faster=True, spread=max(series.spread for series in times),
        details=details | {
            "rules": rules, "urls": count, "sameVerdicts": same, "compared": compared,
            "pythonCallTakenOutNanoseconds": round(call), "loadSecondsOurs": round(int(mine.ready[1]) / 1e9, 3),
            "loadSecondsPeer": round(int(its.ready[1]) / 1e9, 3),
            "residentBytesARuleOurs": round(int(mine.ready[2]) / rules, 1),
            "residentBytesARulePeer": round(int(its.ready[2]) / rules, 1)}))
    results.add(Row(
        f"allocations of {what}", "", ours=allocations, peer=None, unit="in all", target=0, gate=True))


def agreement(ours: Path, theirs: Path, is_external: list[bool] | None) -> tuple[int, int]:
    """How many URLs get the same verdict, of those that both can read."""
    same = compared = 0
    for mine, its in zip(ours.read_text().split(), theirs.read_text().split()):
        rule = int(mine)
        if rule == -2:
            continue
        compared += 1
        external = rule >= 0 and (is_external is None or is_external[rule])
        same += external == (its == "1")
    return same, compared
