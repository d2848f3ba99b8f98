"""A program of pywebview that does what it is told: driven_program.py, on Qt or on WebKitGTK."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import programs

HERE = Path(__file__).resolve().parent
# What the guard says to the engine by itself, so that a program without it draws alike, and runs as root.
FLAGS = {"QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu", "QT_LOGGING_RULES": "*=false"}


class Driven:
    def __init__(self, program: "subprocess.Popen[str]") -> None:
        assert program.stdin is not None and program.stdout is not None
        self._into, self._out = program.stdin, program.stdout

    def load(self, url: str, window: int = 0) -> float:
        """Loads a page in one of its windows, and returns after how many milliseconds it, or a notice, was there."""
        self._into.write(f"{window} {url}\n")
        self._into.flush()
        return float(self._out.readline())


@contextmanager
def started(gui: str, home: Path, *words: str) -> Iterator[Driven]:
    """`gui` is qt or gtk; `words` are the program's own."""
    home.mkdir(mode=0o700)
    (_, own), python = programs.PREPARED[gui](home), programs.pywebview()
    found = programs.environment(home, {**own, **FLAGS, "XDG_RUNTIME_DIR": str(home)})
    command = [python, str(HERE / "driven_program.py"), *words]
    said = (home / "said").open("wb")
    with said, subprocess.Popen(command, env=found, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True) as program:
        try:
            yield Driven(program)
        finally:
            program.kill()
