"""What a decision of each kind costs beside a navigation that matches no URL."""

from .places import Places
from .report import Results, Row
from .turns import Contender, Series

BUDGET = 2
# Under these, what is refused is judged twice.
TWICE = {"monitored": "only monitored", "warned": "warned of"}


def measure(places: Places, results: Results) -> None:
    count, rounds = (5_000, 5) if places.quick else (20_000, 21)
    with Contender(places.measure, "decisions") as contender:
        kinds = [kind for kind in contender.ready if kind != "navigate"]
        allocations = 0
        for way in ("managed", *TWICE):
            for kind in kinds:
                ours, navigation, outcome = beside_navigation(contender, way, kind, count, rounds)
                what = f"decision: {kind}" + (f", {TWICE[way]}" if way in TWICE else "")
                results.add(Row(
                    what, "ours: a navigation without rules", ours=ours.median, peer=navigation.median, unit="ns",
                    target=BUDGET, spread=max(ours.spread, navigation.spread),
                    details={"outcome": outcome}))
                allocations += int(contender.ask(f"allocations {way} {kind} {count}")[0])
    results.add(Row(
        f"allocations, decisions of {len(kinds)} kinds", "", ours=allocations, peer=None, unit="in all", target=0,
        gate=True))


def beside_navigation(
    contender: Contender, way: str, kind: str, count: int, rounds: int
) -> tuple[Series, Series, str]:
    """Both in turns, in one process, after a round each that is not counted."""
    commands = f"round {way} {kind} {count}", f"round managed navigate {count}"
    for command in commands:
        contender.ask(command)
    pairs = [[contender.ask(command) for command in commands] for _ in range(rounds)]
    ours, navigation = (Series([float(pair[side][0]) for pair in pairs]) for side in (0, 1))
    return ours, navigation, pairs[0][0][1]
