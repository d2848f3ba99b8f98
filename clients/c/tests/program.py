"""The test programs, which hold the client's source, built in every way that matters."""

import json
import os
import re
import selectors
import subprocess
from pathlib import Path
from typing import Any, ClassVar

CLIENT = Path(__file__).resolve().parents[1]
ROOT = CLIENT.parents[1]
VECTORS = CLIENT.parent / "vectors"
VERSION = re.findall(r'^#define WVG_VERSION "(.*)"$', (CLIENT / "webviewguard.h").read_text(), re.MULTILINE)[0]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def parts(*names: str) -> list[str]:
    """The sources of a library beside the client's own."""
    return [str(CLIENT / f"webviewguard-{name}.c") for name in names]


PROGRAMS = {
    # The linker leads waits to the program, which adds them up.
    "driver": ["-Wl,--wrap=poll"],
    "documents": [],
    "notice": parts("notice", "notice-text", "notice-words"),
    # The linker leads the client's allocations to the program, which lets memory run out.
    "hungry": ["-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup"],
    "files": [str(CLIENT / "webviewguard.c"), *parts("files", "file-facts")],
    "stored": [
        str(CLIENT / "webviewguard.c"),
        *parts("files", "file-facts", "sealed", "stored", "readable", "volumes", "places"),
        "-lcrypto",
    ],
    # The same of sealed data, and the ids of new objects as the vectors have them.
    "sealed": [
        str(CLIENT / "webviewguard.c"), "-lcrypto",
        "-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=strndup,--wrap=realpath,--wrap=RAND_bytes",
        "-Wl,--wrap=preadv",
    ],
    # The fuzzer's inputs, once more.
    "sealed_reader": [str(CLIENT / "webviewguard.c"), "-lcrypto", "-Wl,--wrap=RAND_bytes", "-DREPLAYED"],
}
# Sources that lie elsewhere than beside this file.
ELSEWHERE = {"sealed_reader": ROOT / "Fuzzing/Clients/sealed_reader.c"}
WAYS = {
    "plain": ["-O2"],
    "sanitized": ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}
PATIENCE_SECONDS = 60.0


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs to the end, and shows all that was said if it failed."""
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=300, env=os.environ | environment
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def build(directory: Path, way: str) -> Path:
    """The folder of the programs, built in one of the ways."""
    folder = directory / way
    folder.mkdir()
    # The machine's own daemon, if it has one, is nobody's business here.
    places = [f'-DWVG_SYSTEM_DIRECTORY="{folder}/system"', f'-DWVG_UNIT_DIRECTORIES="{folder}/units","{folder}/more"']
    for name, options in PROGRAMS.items():
        source, program = ELSEWHERE.get(name, CLIENT / f"tests/{name}.c"), folder / name
        run(os.environ.get("CC", "gcc"), "-std=c11", *WARNINGS, *WAYS[way], *places, source, "-o", program, *options)
    return folder


class Driver:
    """The program `driver` at work. It holds one handle."""

    folder: ClassVar[Path]
    prefix: ClassVar[list[str]] = []

    def __init__(self, path: Path | None, **environment: str) -> None:
        self.path = path
        self.process = subprocess.Popen(
            [*self.prefix, str(self.folder / "driver")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"ASAN_OPTIONS": "detect_leaks=1"} | environment,
        )
        self._lines = b""

    def __call__(self, command: str, **told: Any) -> dict[str, Any]:
        """Has it do something, and returns what came of it."""
        self.begin(command, **told)
        return self.end()

    def begin(self, command: str, **told: Any) -> None:
        """Has it do something meanwhile; `end` waits for it."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": command, **told}).encode() + b"\n")
        self.process.stdin.flush()

    def end(self) -> dict[str, Any]:
        assert self.process.stdout
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._lines:
                if not selector.select(PATIENCE_SECONDS):
                    raise TimeoutError("the program says nothing")
                chunk = os.read(self.process.stdout.fileno(), 1 << 20)
                if not chunk:
                    raise RuntimeError(f"the program ended with {self.process.wait()}")
                self._lines += chunk
        line, _, self._lines = self._lines.partition(b"\n")
        said: dict[str, Any] = json.loads(line)
        return said

    # Words that tests use much

    def new(self, **options: Any) -> "Driver":
        place = {"path": str(self.path)} if self.path else {}
        assert self("new", **place, **options)["made"]
        return self

    def start(self) -> bool:
        connected: bool = self("start")["connected"]
        return connected

    def ask(self, kind: str, **event: Any) -> dict[str, Any]:
        decision: dict[str, Any] = self("ask", kind=kind, event=event)["decision"]
        return decision

    def say(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self("say", method=method, parameters=parameters)

    def heard(self) -> dict[str, Any]:
        return self("heard")

    def close(self) -> int:
        """Has it end by itself, and returns its status."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.close()
        status = self.process.wait(PATIENCE_SECONDS)
        self.process.stdout.close()
        return status
