"""What both programs say without a daemon: of every configuration, of broken ones, of URLs, and of random events."""

import gzip
import json
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

import scripts
import shared_data
from configurations import ROOT, Texts, Vocabulary, directories, rule_files
from scripts import Call, Programs
from words import Words

# A day at which nothing depends on when the test runs.
DAY = "2026-12-01"
ENGINES = ("webkit-content-blocker", "chromium-policy", "firefox-policy", "declarative-net-request")
URLS = 300
EVENTS = 200
BROKEN = 40
VERBS = (
    "init", "check", "test", "diff", "export", "classify", "decide", "url", "serve", "call", "whoami", "status", "health",
    "metrics", "doctor", "monitor", "reload", "rollback", "exception", "explain", "native-messaging", "session", "wipe-files", "log",
)  # fmt: skip


def compare(programs: Programs, seed: int, rounds: int) -> None:
    """All of it; `rounds` says how many times what is random is drawn."""
    for verb in VERBS:
        programs.same("offline/help", Call(["help", verb]))
    scripts.compare(programs)
    found = directories()
    for place in found:
        for call in _of(place):
            programs.same(f"offline/{call.arguments[0]}", call)
    for one, other in zip(found, found[1:], strict=False):
        for words in ([], ["--format", "json"]):
            programs.same("offline/diff", Call(["diff", *words, "--at", DAY, str(one), str(other)]))
    for number in range(rounds):
        choices = random.Random(f"{seed} offline {number}")
        _urls(programs, choices)
        _decide(programs, choices, found)
        _broken(programs, choices, found)


def _of(place: Path) -> Iterator[Call]:
    """What there is to ask of one configuration."""
    path = str(place)
    for words in ([], ["--strict"], ["--format", "json"]):
        yield Call(["check", *words, path])
    for words in ([], ["--coverage"], ["--boundaries"], ["--format", "json"], ["--coverage", "--format", "yaml"]):
        yield Call(["test", *words, path])
    for app, classes in Texts.read(ROOT / place).vocabulary.apps.items():
        for engine in ENGINES:
            for named in classes:
                yield Call(["export", "--for", engine, "--config", path, "--app", app, "--class", named, "--at", DAY])


def _sample(choices: random.Random) -> list[str]:
    """URLs of the shared data, hostile ones among them; none where the data is absent."""
    corpus, hostile = shared_data.DATA / "urls/mixed-shuffled.txt.gz", shared_data.DATA / "confusion/confusion.json"
    if not corpus.exists():
        print(f"no shared data at `{shared_data.DATA}`: URLs are drawn from the configurations only", flush=True)
        return []
    with gzip.open(corpus, "rt", errors="replace") as file:
        urls = choices.sample([line.rstrip("\n") for line in file], URLS)
    odd = [case["url"] for case in _cases(json.loads(hostile.read_text())) if "\n" not in case["url"]]
    return urls + choices.sample(odd, min(URLS, len(odd)))


def _cases(tree: object) -> Iterator[dict[str, str]]:
    """Every object with a `url`, wherever it stands."""
    if isinstance(tree, dict):
        if isinstance(tree.get("url"), str):
            yield tree
        for member in tree.values():
            yield from _cases(member)
    elif isinstance(tree, list):
        for member in tree:
            yield from _cases(member)


def _urls(programs: Programs, choices: random.Random) -> None:
    files = rule_files()
    words = Words(choices, Vocabulary({}, [], [], _hosts(files)), lambda kind: kind)
    urls = [*_sample(choices), *(words.url() for _ in range(URLS))]
    given = "\n".join(urls).encode(errors="surrogateescape") + b"\n"
    programs.same("offline/url", Call(["url", "-"], given))
    programs.same("offline/url", Call(["url", "--base", "https://www.contoso.com/a/b", "-"], given))
    uses = ("page", "frame", "resource", "download", "upload", "paste")
    for file in files:
        rules = ["classify", "--rules", str(file), "--at", DAY]
        for more in ([], ["--for", choices.choice(uses), "--from", choices.choice(urls[-50:]), "--hop"]):
            programs.same("offline/classify", Call([*rules, *more, "--format", "json", "-"], given))
        few = "\n".join(choices.sample(urls, 30)).encode(errors="surrogateescape") + b"\n"
        programs.same("offline/classify", Call([*rules, "--explain", "-"], few))
    pairs = [(one, other) for one, other in zip(files, files[1:], strict=False)]
    for one, other in choices.sample(pairs, min(6, len(pairs))):
        programs.same("offline/diff", Call(["diff", "--urls", "-", "--at", DAY, str(one), str(other)], given))


def _hosts(files: list[Path]) -> list[str]:
    return Texts({str(file): (ROOT / file).read_text() for file in files}).vocabulary.hosts


def _decide(programs: Programs, choices: random.Random, found: list[Path]) -> None:
    for place in found:
        vocabulary = Texts.read(ROOT / place).vocabulary
        for app in vocabulary.apps or {"": []}:
            lines = "".join(json.dumps(line) + "\n" for line in _lines(choices, vocabulary)).encode()
            call = ["decide", "--config", str(place), *(["--app", app] if app else []), "--at", DAY]
            for more in ([], ["--explain", "--feature", "redact", "--feature", "switchIdentity", "--feature", "warn"]):
                programs.same("offline/decide", Call([*call, *more, "-"], lines))


def _lines(choices: random.Random, vocabulary: Vocabulary) -> Iterator[object]:
    """Events and calls of one instance. `decide` draws no ids: it counts them."""
    epoch = f"{1:016x}"
    words = Words(choices, vocabulary, lambda kind: f"{kind}-{epoch}-{choices.randint(1, 20)}")
    for _ in range(EVENTS):
        draw = choices.random()
        if draw < 0.7:
            kind = words.kind()
            yield {"event": kind, **words.event(kind)}
        else:
            method, parameters = words.hint() if draw < 0.8 else words.change()
            yield {"call": method, "parameters": parameters}


def _broken(programs: Programs, choices: random.Random, found: list[Path]) -> None:
    """Configurations with a mistake or two: every diagnostic, its place and its words."""
    with tempfile.TemporaryDirectory(prefix="wvg-same-") as made:
        for number in range(BROKEN):
            texts = Texts.read(ROOT / choices.choice(found))
            for _ in range(choices.randint(1, 2)):
                texts = texts.mutated(choices)
            place = Path(made) / str(number)
            for name, text in texts.files.items():
                (place / name).parent.mkdir(parents=True, exist_ok=True)
                (place / name).write_text(text)
            for words in (["check"], ["check", "--format", "json"], ["test"]):
                programs.same("offline/broken", Call([*words, str(number)]), Path(made))
