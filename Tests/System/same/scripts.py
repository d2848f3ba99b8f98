"""The command scripts of Tests/Vectors/commands: every call in them, with both programs; what they expect is not asked."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from configurations import ROOT
from report import Report

FOLDER = ROOT / "Tests/Vectors/commands"
WORD = re.compile(r'\{.*|"[^"]*"|\S+')
CHARACTER = re.compile(r"\{U\+([0-9A-F]+)\}")
DEADLINE = 120


@dataclass
class Call:
    """One call of the program."""

    arguments: list[str]
    input: bytes = b""
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, program: Path, directory: Path) -> dict[str, object]:
        """What it says and how it ends."""
        done = subprocess.run(
            [program, *self.arguments],
            input=self.input,
            capture_output=True,
            cwd=directory,
            env={"PATH": os.environ["PATH"], **self.environment},
            timeout=DEADLINE,
        )
        return {
            "exit": done.returncode,
            "stdout": done.stdout.decode(errors="backslashreplace").splitlines(),
            "stderr": done.stderr.decode(errors="backslashreplace").splitlines(),
        }

    def __str__(self) -> str:
        before = "".join(f"{name}={value} " for name, value in self.environment.items())
        return f"{before}webviewguard {' '.join(self.arguments)}"


class Programs:
    """The base and the new program, which must say the same."""

    def __init__(self, base: Path, new: Path, report: Report) -> None:
        self.base, self.new, self.report = base, new, report

    def same(self, where: str, call: Call, directory: Path = ROOT) -> None:
        self.report.same(where, str(call), call.run(self.base, directory), call.run(self.new, directory))


def compare(programs: Programs) -> None:
    """Runs every script. Each side has its own copy of the folder and its own `{temp}`."""
    for script in sorted(FOLDER.glob("*.txt")):
        with tempfile.TemporaryDirectory(prefix="wvg-same-") as made:
            places = [Path(made) / side for side in ("base", "new-")]
            for place in places:
                shutil.copytree(FOLDER, place / "commands")
                (place / "temp").mkdir()
            _script(programs, script, places)


def _script(programs: Programs, script: Path, places: Sequence[Path]) -> None:
    text = script.read_text()
    before: list[str] = []
    both = [calls(text, place / "temp") for place in places]
    for base_call, new_call in zip(*both, strict=True):
        said = []
        for call, program, place in zip((base_call, new_call), (programs.base, programs.new), places, strict=True):
            result = call.run(program, place / "commands")
            said.append({name: _without(place, value) for name, value in result.items()})
        programs.report.same("offline/scripts", f"{script.name}: {base_call}", *said, before[-3:])
        before.append(str(base_call))


def _without(place: Path, value: object) -> object:
    """Lines without the side's directory and the second of a start, which a new log's first name may hold."""
    return [str(line).replace(str(place), "<side>") for line in value] if isinstance(value, list) else value


def calls(text: str, temp: Path) -> Iterator[Call]:
    """The calls of a script in their order."""
    call = Call([])
    for line in text.splitlines():
        line = CHARACTER.sub(lambda found: chr(int(found[1], 16)), line.replace("{temp}", str(temp)))
        word, _, rest = line.partition(" ")
        if word == "env":
            name, _, value = rest.partition("=")
            call.environment[name] = value
        elif word in ("in", "end"):
            call.input += rest.encode() + (b"\n" if word == "in" else b"")
        elif word == "file":
            call.input += (temp.parent / "commands" / rest).read_bytes()
        elif word == "run":
            call.arguments = [found.strip('"') if found[0] == '"' else found for found in WORD.findall(rest)]
            yield call
            call = Call([])
