#!/usr/bin/python3
"""What `webviewguard.pywebview` adds to loading a page, in two programs: cost.py gtk|qt [COUNT] [FILE]."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from rig import clipboard, cost  # noqa: E402, I001
import driven  # noqa: E402

from daemon import Daemon  # noqa: E402
from rig.policy import APP, WORK  # noqa: E402


@contextmanager
def engine(daemon: Daemon, gui: str) -> Iterator[cost.Engine]:
    with ExitStack() as stack, tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True) as homes:
        plain = stack.enter_context(driven.started(gui, Path(homes, "plain")))
        words = (WORK, str(daemon.guard_socket), APP)
        guarded = stack.enter_context(driven.started(gui, Path(homes, "guarded"), *words))
        yield f"pywebview with {gui}", {"unguarded": plain.load, "guarded": guarded.load}


if __name__ == "__main__":
    wanted = sys.argv.pop(1)
    with clipboard.display():
        cost.main(lambda daemon: engine(daemon, wanted))
