#!/usr/bin/python3
"""What `webviewguard.pywebview` adds to loading a page, in two programs: cost.py gtk|qt [COUNT] [FILE]."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from rig import clipboard, cost  # noqa: E402, I001
import programs  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.policy import WORK  # noqa: E402


# What the guard says to the engine by itself, so that both programs draw alike, and run as root.
FLAGS = {"QTWEBENGINE_CHROMIUM_FLAGS": "--no-sandbox --disable-gpu", "QT_LOGGING_RULES": "*=false"}


@contextmanager
def started(gui: str, home: Path, *words: str) -> Iterator[cost.Load]:
    """How a program of pywebview loads that is told to by lines."""
    home.mkdir(mode=0o700)
    (_, own), python = programs.PREPARED[gui](home), programs.pywebview()
    found = programs.environment(home, {**own, **FLAGS, "XDG_RUNTIME_DIR": str(home)})
    command = [python, str(HERE / "timed_program.py"), *words]
    with subprocess.Popen(command, env=found, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None and program.stdout is not None
        into, out = program.stdin, program.stdout

        def load(url: str) -> float:
            into.write(url + "\n")
            into.flush()
            return float(out.readline())

        try:
            yield load
        finally:
            program.kill()


@contextmanager
def engine(daemon: Daemon, gui: str) -> Iterator[cost.Engine]:
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True) as homes:
        plain = stack.enter_context(started(gui, Path(homes, "plain")))
        guarded = stack.enter_context(started(gui, Path(homes, "guarded"), WORK, str(daemon.guard_socket)))
        yield f"pywebview with {gui}", {"unguarded": plain, "guarded": guarded}


if __name__ == "__main__":
    wanted = sys.argv.pop(1)
    with clipboard.display():
        cost.main(lambda daemon: engine(daemon, wanted))
