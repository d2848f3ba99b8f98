"""The rule files with the URLs that are asked under each of them, and what the daemon would say."""

import json
import os
import re
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
RULES = sorted((HERE / "rules").glob("*.yaml"))
PROGRAM = os.environ.get("WEBVIEWGUARD") or str(HERE.parents[2] / ".build" / "release" / "webviewguard")

PAGE, FRAME, IMAGE, SOCKET = "page", "frame", "image", "socket"
PURPOSES = {PAGE: "page", FRAME: "frame", IMAGE: "resource", SOCKET: "resource"}
OPEN = {"not-expressible", "partly-expressed"}


class Request(NamedTuple):
    """What a browser is asked to load."""

    kind: str
    url: str


class Expectation(NamedTuple):
    """Whether it must be stopped; None where the report says that it may be otherwise."""

    request: Request
    stopped: bool | None
    why: str


def requests(kinds: tuple[str, ...]) -> list[Request]:
    """Every URL in each of the ways. A socket has no fragment: WebKit opens none for such a URL."""
    urls = (HERE / "urls.txt").read_text().split()
    return [Request(kind, _as(kind, url)) for kind in kinds for url in urls if kind != SOCKET or "#" not in url]


def _as(kind: str, url: str) -> str:
    return "ws" + url.removeprefix("http") if kind == SOCKET else url


@cache
def export(rules: Path, engine: str) -> tuple[str, dict[str, set[str]]]:
    """The document for an engine, and the codes of its report by rule."""
    with tempfile.NamedTemporaryFile(prefix="wvg-report-") as report:
        command = [PROGRAM, "export", "--for", engine, "--rules", str(rules), "--report", report.name]
        document = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
        notes = json.loads(Path(report.name).read_text())["notes"]
    codes: dict[str, set[str]] = {}
    for note in notes:
        codes.setdefault(note["subject"].split("`")[1], set()).add(note["code"])
    return document, codes


def expectations(rules: Path, engine: str, kinds: tuple[str, ...]) -> list[Expectation]:
    """What the engine must do with each request."""
    _, codes = export(rules, engine)
    passing = {rule for rule, said in codes.items() if "may-stop" in said} & _external(rules)
    return [_expectation(request, *_verdict(rules, request), codes, passing) for request in requests(kinds)]


def _external(rules: Path) -> set[str]:
    """The external rules, which stand in the files on two lines, or more."""
    return set(re.findall(r"- id: (\S+)\n +external:", rules.read_text()))


def _expectation(
    request: Request, verdict: str, rule: str, codes: dict[str, set[str]], passing: set[str]
) -> Expectation:
    why = f"{verdict} by {rule}"
    said = codes.get(rule, set())
    if verdict == "external" and rule != "default":
        is_open = said & OPEN or (request.kind == SOCKET and "no-websockets" in said)
        return Expectation(request, None if is_open else True, why)
    # A user name makes external what no rule names; and an external rule may stop what it excepts from itself.
    excused = "may-stop" in said or verdict == "external" or passing
    return Expectation(request, None if excused else False, why)


def _verdict(rules: Path, request: Request) -> tuple[str, str]:
    return _verdicts(rules, PURPOSES[request.kind])[request.url]


@cache
def _verdicts(rules: Path, purpose: str) -> dict[str, tuple[str, str]]:
    urls = [request.url for request in requests((PAGE, SOCKET))]
    command = [PROGRAM, "classify", "--rules", str(rules), "--for", purpose, "--no-hop", "--format", "json", "-"]
    done = subprocess.run(command, input="\n".join(urls), check=True, capture_output=True, text=True, timeout=60)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    return {url: (answer["verdict"], answer["rule"]) for url, answer in zip(urls, answers, strict=True)}


def judged(requests: list[Request]) -> dict[Request, str]:
    """The URLs as the daemon judges them: in one spelling, without user name and fragment."""
    command = [PROGRAM, "classify", "--rules", str(RULES[0]), "--format", "json", "-"]
    text = "\n".join(request.url for request in requests)
    done = subprocess.run(command, input=text, check=True, capture_output=True, text=True, timeout=60)
    answers = [json.loads(line)["judged"] for line in done.stdout.splitlines()]
    return dict(zip(requests, answers, strict=True))
