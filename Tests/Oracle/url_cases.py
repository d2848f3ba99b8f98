"""The URLs of the URL part: real ones, those of the conformance suites, and mutated ones."""

from collections.abc import Iterator

from shared_data import cases, generator, lines
from url_mutations import URLMutations
from url_readings import Case

MUTATED = 200_000


def corpus() -> list[Case]:
    """Real URLs."""
    return [Case(line) for name in ("mixed-shuffled", "node-files") for line in lines(f"urls/{name}.txt.gz")]


def known() -> list[Case]:
    """The hostile strings of the conformance suites and of the confusion cases."""
    return [*_with_bases(), *_hosts()]


def mutated(real: list[Case], hostile: list[Case]) -> list[Case]:
    """Seeded random changes to both."""
    random = generator("urls")
    ordinary = [case.url for case in random.sample(real, min(len(real), 5000))] + [case.url for case in hostile]
    source = URLMutations(random, ordinary)
    return [_passable(Case(source.url(), source.base())) for _ in range(MUTATED)]


def _with_bases() -> Iterator[Case]:
    files = (
        "wpt/url/urltestdata.json",
        "wpt/ada-extra/ada_extra_urltestdata.json",
        "wpt/ada-extra/ada_long_urltestdata.json",
    )
    for name in (*files, "wpt/rust-url-extra/urltestdata-2026-01.json"):
        for case in cases(name):
            if isinstance(case, dict):
                yield from _case(case["input"], case.get("base"))
    for case in cases("confusion/confusion.json")["cases"]:
        yield from _case(case["url"], case.get("base"))


def _hosts() -> Iterator[Case]:
    for name in ("toascii", "IdnaTestV2", "IdnaTestV2-removed"):
        for case in cases(f"wpt/url/{name}.json"):
            if isinstance(case, dict):
                yield from _case(f"https://{case['input']}/x", None)


def _case(url: str, base: str | None) -> Iterator[Case]:
    """The case, unless it holds a lone surrogate, which no text in UTF-8 can hold."""
    try:
        yield _passable(Case(url.encode(), base.encode() if base is not None else None))
    except UnicodeEncodeError:
        return


def _passable(case: Case) -> Case:
    """A newline needs the command line, which cannot carry a NUL: one of both is all that a case may have."""
    if b"\n" in case.url and b"\0" in case.url:
        return case._replace(url=case.url.replace(b"\0", b"\x01"))
    return case
