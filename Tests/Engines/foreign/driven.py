"""A program of pywebview that does what it is told: driven_program.py, on Qt or on WebKitGTK."""

import json
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, ClassVar

import programs
from rig.site import Site
from started import Started

HERE = Path(__file__).resolve().parent
# What the guard says to the engine by itself, so that a program without it draws alike, and runs as root.
FLAGS = {"QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu", "QT_LOGGING_RULES": "*=false"}


class Driven:
    def __init__(self, program: "subprocess.Popen[str]") -> None:
        assert program.stdin is not None and program.stdout is not None
        self._into, self._out = program.stdin, program.stdout

    def load(self, url: str, window: int = 0) -> float:
        """Loads a page in one of its windows, and returns after how many milliseconds it, or a notice, was there."""
        return float(self._obeyed(window, "load", url))

    def value(self, script: str, window: int = 0) -> Any:
        """The value of a script in a window, which is a JSON text there."""
        return self._obeyed(window, "value", script)

    def _obeyed(self, window: int, act: str, about: str) -> Any:
        self._into.write(f"{window} {act} {json.dumps(about)}\n")
        self._into.flush()
        return json.loads(self._out.readline())


class DrivenCase(unittest.TestCase):
    """Such programs with the rig's site, and a folder for all that they have."""

    gui: ClassVar[str] = "qt"

    def setUp(self) -> None:
        try:
            programs.pywebview()
        except programs.NotHere as missing:
            self.skipTest(str(missing))
        self.stack, self.site = ExitStack(), Site()
        self.addCleanup(self.stack.close)
        self.stack.callback(self.site.close)
        self.folder = Path(
            self.stack.enter_context(tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True))
        )


@contextmanager
def started(gui: str, home: Path, *words: str, **surroundings: str) -> Iterator[Driven]:
    """`gui` is qt or gtk; `words` are the program's own, and `surroundings` belong to its environment."""
    home.mkdir(mode=0o700)
    (_, own), python = programs.PREPARED[gui](home), programs.pywebview()
    found = programs.environment(home, {**own, **FLAGS, "XDG_RUNTIME_DIR": str(home), **surroundings})
    command = [python, str(HERE / "driven_program.py"), *words]
    said = (home / "said").open("wb")
    with said, Started(command, env=found, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True) as program:
        yield Driven(program)
