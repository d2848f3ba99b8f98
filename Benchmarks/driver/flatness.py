"""Our own flatness: what 1.5 million domains cost beside a thousand, in time, at start and in memory."""

import random

from . import rulefiles
from .classifying import DOMAINS, URLS, run, write
from .places import Places
from .report import Results, Row
from .turns import Contender, Series, alone, take_turns

SIZES = [1_000, 10_000, 100_000, 1_496_659]
SEED = 20_261_121


def measure(places: Places, results: Results) -> None:
    folder = places.folder("flatness")
    names = places.lines(DOMAINS)
    shuffled = random.Random(SEED).sample(names, len(names))
    urls = places.unpacked(URLS)
    sets = {
        size: rulefiles.write_list(folder, f"domains-{size}", sorted(shuffled[:size]))
        for size in ([SIZES[0], SIZES[-1]] if places.quick else SIZES)}
    contenders = {size: Contender(places.measure, "rules", rules, urls) for size, rules in sets.items()}
    curve = {size: one_size(places, contender, size) for size, contender in contenders.items()}
    few, many = min(sets), max(sets)
    rounds = 5 if places.quick else 21
    all_times = take_turns(contenders[many], contenders[few], rounds, "round 60000")
    for contender in contenders.values():
        contender.__exit__()
    first = write(folder / "first.txt", [names[0]])
    starts = [
        run([places.program, "classify", "--rules", sets[many], "-"], first, folder / "first.answer")
        for _ in range(2 if places.quick else 7)]
    results.curves["domains"] = curve
    add_rows(results, curve[few], curve[many], all_times, starts)


def one_size(places: Places, contender: Contender, size: int) -> dict[str, object]:
    cold = 100 if places.quick else 2_000
    rounds = alone(contender, 5, "round 60000")
    return {
        "ours": rounds.median,
        "hot": [int(word) for word in contender.ask(f"hot 60000 {2 if places.quick else 5}")],
        "cold": [int(word) for word in contender.ask(f"cold {cold}")],
        "allocations": int(contender.ask("allocations 60000")[0]),
        "loadSeconds": int(contender.ready[1]) / 1e9, "residentBytesARule": round(int(contender.ready[2]) / size, 1),
    }


def add_rows(results: Results, few: dict, many: dict, all_times: tuple[Series, Series], starts: list) -> None:
    results.add(Row(
        "verdict, 1.5 million domains", "ours with 1,000", ours=all_times[0].median, peer=all_times[1].median,
        unit="ns/URL", target=2, spread=max(series.spread for series in all_times)))
    for heat in ("hot", "cold"):
        for place, name in enumerate(("p50", "p99", "p99.9")):
            results.add(Row(
                f"the same, {heat}, {name}", "ours with 1,000", ours=many[heat][place], peer=few[heat][place],
                unit="ns", target=2 if name == "p50" else None))
    results.add(Row(
        "start with 1.5 million domains from text", "", ours=min(start.elapsed for start in starts), peer=None,
        unit="s", target=1, details={"processorSeconds": round(min(start.processor for start in starts), 3)}))
    results.add(Row(
        "resident, 1.5 million domains", "", ours=many["residentBytesARule"], peer=None, unit="bytes/rule",
        target=60, gate=True, details={"peakOfStartBytesARule": round(starts[0].peak / SIZES[-1], 1)}))
    results.add(Row(
        "allocations, 1.5 million domains", "", ours=many["allocations"], peer=None, unit="in all", target=0,
        gate=True))
