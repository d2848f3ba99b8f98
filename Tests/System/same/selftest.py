"""Shows that the comparison finds what it is for: each of these makes one side different, and must be found there."""

import json
import shlex
import stat
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import masking
import policies
from configurations import Texts
from conversation import Conversation
from masking import Book
from report import Report
from scripts import Call, Programs

STEPS = 40
# A reason that users see, in the program and in a copy of it.
WORD, OTHER_WORD = b"uploadBlockedViewer", b"uploadBlockedViewex"

Tamper = Callable[[Any], Any]
Tampering = Callable[[str, Any], Any]


@dataclass(frozen=True)
class Case:
    """What each answer of the `channel` is changed by. A channel has the name of what is compared of it."""

    what: str
    channel: str
    change: Tamper


def _member(name: str, change: Callable[[Any], Any]) -> Tamper:
    """Changes each member of this name, wherever it stands; None takes it away."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(member) for member in value]
        if not isinstance(value, dict):
            return value
        members = {key: change(member) if key == name else changed(member) for key, member in value.items()}
        return {key: member for key, member in members.items() if member is not None or value[key] is None}

    return changed


def _reversed(value: Any) -> Any:
    """With the members of every object in another order."""
    return {key: _reversed(value[key]) for key in reversed(value)} if isinstance(value, dict) else value


CASES = (
    Case("a mode", "replies", _member("mode", lambda _: "monitored")),
    Case("no id", "replies", _member("id", lambda _: None)),
    Case("an id of another shape", "replies", _member("id", lambda found: f"d{found}")),
    Case("an id that is a number", "replies", _member("id", lambda found: int(found) if found.isdigit() else 7)),
    Case("one id for all", "replies", _member("id", lambda _: "7354004388950020")),
    Case("members in another order", "replies", _reversed),
    Case("a further member", "replies", lambda reply: {**reply, "colour": "blue"}),
    Case("a digest", "news", _member("digest", lambda _: "0" * 64)),
    Case("no durations", "log", _member("durationMicros", lambda _: None)),
    Case("a duration that is a text", "log", _member("durationMicros", str)),
    Case("a reason", "log", _member("reason", lambda found: f"{found}x")),
    Case("a pseudonym", "log", _member("account", lambda _: "acct:00000000000000000000")),
    Case("a time in another form", "log", _member("time", lambda found: found.replace("Z", "+00:00"))),
    Case("another line", "journal", lambda line: line.replace("policy loaded", "policy read")),
    Case("a count", "metrics", _member("text", lambda text: text.replace("webviewguard_apps 5", "webviewguard_apps 6"))),
    Case("no memory", "metrics", _member("text", lambda text: text.replace("resident", "residing"))),
    Case("a lost row", "state", lambda rows: rows[:-1]),
    Case("an app in the state", "state", _member("app", lambda app: app and f"{app}x")),
)
# One of each channel, for the way from the daemon to the report.
ON_THE_WAY = {case.channel: case for case in reversed(CASES)}


def run(base: Path, seed: int) -> int:
    """How many were not found; what is equal must be found equal as well."""
    heard: list[tuple[str, Any]] = []

    def listened(channel: str, value: Any) -> Any:
        heard.append((channel, value))
        return value

    results = [_told("equal programs are equal", not _differences(base, base, seed, listened))]
    results += [_told(case.what, _shows(case, heard)) for case in CASES]
    left = dict(ON_THE_WAY)

    def once(channel: str, value: Any) -> Any:
        """Changes the first value of each channel that can be changed so."""
        changed = left[channel].change(value) if channel in left else value
        if changed != value:
            left.pop(channel)
        return changed

    places = _differences(base, base, seed, once)
    results += [_told(f"on its way: {name}", any(place.endswith(name) for place in places)) for name in ON_THE_WAY]
    with tempfile.TemporaryDirectory(prefix="wvg-same-") as made:
        results += _programs(base, Path(made), seed)
    results.append(_told("a policy of one other value", bool(_differences(base, base, seed, None, "send: none", "send: any"))))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return results.count(False)


def _shows(case: Case, heard: Sequence[tuple[str, Any]]) -> bool:
    """Whether what a daemon said and the same with the change are told apart."""
    values = [value for channel, value in heard if channel == case.channel]
    return _masked(case.channel, values) != _masked(case.channel, [case.change(value) for value in values])


def _masked(channel: str, values: Sequence[Any]) -> str:
    """What one side's values of a channel come to, in the order that they came in."""
    book = Book("/nowhere")
    if channel == "log":
        return json.dumps(masking.log(list(values), book))
    if channel == "journal":
        return json.dumps([book.text(line) for line in values])
    if channel == "state":
        return json.dumps([book.masked(rows, "table") for rows in values])
    return json.dumps([book.reply(reply, "Metrics" if channel == "metrics" else "") for reply in values])


def _told(what: str, found: bool) -> bool:
    print(f"{what}: {'yes' if found else 'NO'}", flush=True)
    return found


def _differences(base: Path, new: Path, seed: int, tamper: Tampering | None, *replaced: str) -> list[str]:
    """Where a short conversation differs, with the new side's raw answers changed, or its policy."""
    report = Report(is_quiet=True)
    talk = Conversation((base, new), policies.rich(), f"{seed} self-test", report, STEPS)
    if tamper is not None:
        talk.new.tamper = tamper
    if replaced:
        files = talk.stage.variants[0].files
        talk.new.put(Texts({name: text.replace(*replaced) for name, text in files.items()}))
    talk.hold(1)
    return [difference.where for difference in report.differences]


def _programs(base: Path, folder: Path, seed: int) -> list[bool]:
    """Programs that say one word otherwise, and scripts that print, complain or end otherwise."""
    patched = folder / "patched"
    content = base.read_bytes()
    patched.write_bytes(content.replace(WORD, OTHER_WORD))
    patched.chmod(0o755)
    if WORD not in content:
        print(f"`{WORD.decode()}` is not in the program: choose another word that users see")
        return [False]
    results = [_told("a program with another word", bool(_differences(base, patched, seed, None)))]
    path = shlex.quote(str(base))
    for what, text in (
        ("what it prints", f'{path} "$@" | sed s/https/httpx/'),
        ("what it complains of", f'{path} "$@"; code=$?; echo odd >&2; exit $code'),
        ("how it ends", f'{path} "$@"; exit 3'),
    ):
        script = folder / "script"
        script.write_text(f"#!/bin/sh\n{text}\n")
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        report = Report(is_quiet=True)
        Programs(base, script, report).same("offline/url", Call(["url", "https://www.contoso.com/"]))
        results.append(_told(what, bool(report.differences)))
    return results
