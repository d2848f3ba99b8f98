"""Six natural families of regexes, 10 to 10,000 of each, against a plain loop over PCRE2's machine code."""

import random
import re

from . import filters, rulefiles
from .places import Places
from .report import Results, Row
from .turns import Contender, alone, take_turns

SIZES = [10, 100, 1_000, 10_000]
QUICK_SIZES = [10, 1_000]
URLS = "urls/brave-top500-requests.txt.gz"
SEED = 20_261_121

# What people write, with one word of real URLs in each.
TEMPLATES = {
    "hosts of a network": "^https://[a-z0-9-]+[.]{}[.]net/v[0-9]+/",
    "paths anywhere": "^https?://[^/]+/(?:[^/]+/)*{}/",
    "one site's pages": "^https?://(?:[a-z0-9-]+[.])*{}[.]com(?:/[^?#]*)?[?&]id=[0-9]+",
    "parameters": "(?i)[?&]{}=[^&]+",
    "file names": "/{}[-_.0-9]*[.](?:js|css|gif|png)(?:[?]|$)",
}
FILTER_LISTS = "texts of filter lists"


def families(places: Places) -> dict[str, list[str]]:
    """10,000 distinct patterns for each family; smaller sets are the first of them."""
    source = random.Random(SEED)
    made = {}
    for family, template in TEMPLATES.items():
        words = sorted(set(re.findall(r"[a-z]{4,14}", "\n".join(places.lines("urls/mixed-shuffled.txt.gz")))))
        made[family] = [template.format(word) for word in source.sample(words, SIZES[-1])]
    texts = sorted({regex for line in filters.network_rules(places) if (regex := filters.as_regex(line))})
    made[FILTER_LISTS] = source.sample(texts, SIZES[-1])
    return made


def measure(places: Places, results: Results) -> None:
    folder = places.folder("regexes")
    urls = places.unpacked(URLS)
    for family, patterns in families(places).items():
        curve = {}
        for size in QUICK_SIZES if places.quick else SIZES:
            ours = rulefiles.write(
                folder, "family", (f"external: {{ regex: {filters.quoted(regex)} }}" for regex in patterns[:size]))
            theirs = folder / "family.regexes"
            theirs.write_text("".join(f"{regex}\n" for regex in patterns[:size]))
            with Contender(places.measure, "rules", ours, urls) as mine, Contender(
                places.measure, "loop", theirs, urls
            ) as loop:
                curve[size] = one_size(places, mine, loop, size)
        results.curves.setdefault("regexes", {})[family] = curve
        add_rows(results, family, curve)


def one_size(places: Places, mine: Contender, loop: Contender, size: int) -> dict[str, object]:
    # The loop takes a millisecond or more for ten thousand.
    count = max(200, min(15_000, 1_500_000 // size))
    ours = alone(mine, 3 if places.quick else 7, "round 15000")
    first, second = take_turns(mine, loop, 3, f"round {count}")
    answered = mine.ask(f"round {count}")[1], loop.ask(f"round {count}")[1]
    cold = 20 if places.quick else 500
    return {
        "ours": ours.median, "oursOfSameURLs": first.median, "loop": second.median, "spread": ours.spread,
        "answeredOurs": int(answered[0]), "answeredLoop": int(answered[1]),
        "hot": percentiles(mine, "hot 15000 3"), "cold": percentiles(mine, f"cold {cold}"),
        "hotLoop": percentiles(loop, f"hot {count} 2"), "coldLoop": percentiles(loop, f"cold {min(cold, 100)}"),
        "allocations": int(mine.ask("allocations 15000")[0]),
        "loadSeconds": int(mine.ready[1]) / 1e9, "loadSecondsLoop": int(loop.ready[1]) / 1e9,
        "residentBytesARule": round(int(mine.ready[2]) / size),
    }


def percentiles(contender: Contender, command: str) -> list[int]:
    """Nanoseconds that 50, 99 and 99.9 of a hundred URLs do not exceed."""
    return [int(word) for word in contender.ask(command)]


def add_rows(results: Results, family: str, curve: dict[int, dict[str, object]]) -> None:
    few, many = curve[min(curve)], curve[max(curve)]
    count = f"{max(curve):,}"
    results.add(Row(
        f"{count} regexes: {family}", f"ours with {min(curve)}", ours=many["ours"], peer=few["ours"], unit="ns/URL",
        target=10, spread=max(many["spread"], few["spread"])))
    results.add(Row(
        f"{count} regexes: {family}", "loop over PCRE2 JIT", ours=many["oursOfSameURLs"], peer=many["loop"],
        unit="ns/URL", faster=True,
        details={"answeredOurs": many["answeredOurs"], "answeredLoop": many["answeredLoop"]}))
    results.add(Row(
        f"load of {count} regexes: {family}", "", ours=many["loadSeconds"], peer=None, unit="s", target=20))
    results.add(Row(
        f"allocations, {count} regexes: {family}", "", ours=many["allocations"], peer=None, unit="in all", target=0,
        gate=True))
