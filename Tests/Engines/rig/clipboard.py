"""The clipboard as any other program reads it: with xclip, on an X server that nobody sees."""

import os
import select
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from started import Started

SECONDS = 5.0
# Every name under which an X program asks for text.
TEXT_TARGETS = ("UTF8_STRING", "STRING", "TEXT", "text/plain", "text/plain;charset=utf-8", "text/html")
SELECTIONS = ("clipboard", "primary")
PRIVATE_TYPE = "application/x-webviewguard-clip"


@contextmanager
def display() -> Iterator[str]:
    """An X server of one's own, by its name; `DISPLAY` is set meanwhile."""
    if shutil.which("Xvfb") is None:
        raise RuntimeError("Xvfb is missing: install the package `xvfb`")
    ours, its = os.pipe()
    command = ["Xvfb", "-displayfd", str(its), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[its], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(its)
    before = os.environ.get("DISPLAY")
    try:
        name = ":" + _line(ours)
        os.environ["DISPLAY"] = name
        yield name
    finally:
        os.close(ours)
        os.environ.pop("DISPLAY", None)
        if before is not None:
            os.environ["DISPLAY"] = before
        server.terminate()
        server.wait()


def _line(descriptor: int) -> str:
    read = b""
    while not read.endswith(b"\n"):
        if not select.select([descriptor], [], [], SECONDS)[0]:
            raise TimeoutError("Xvfb does not say its display")
        read += os.read(descriptor, 16) or b"\n"
    return read.decode().strip()


def targets(selection: str) -> list[str]:
    """The types that a selection offers; empty when nobody owns it."""
    return (read(selection, "TARGETS") or "").split()


def read(selection: str, target: str) -> str | None:
    """What a program that asks gets; None when it gets nothing. The owner must be at work meanwhile: see `reader`."""
    with reader(selection, target) as program:
        text, _ = program.communicate(timeout=SECONDS)
    return text.decode(errors="replace") if program.returncode == 0 else None


def reader(selection: str, target: str) -> Started:
    """xclip at work: a browser that is run by the test's own loop must go on running until it has ended."""
    command = ["xclip", "-selection", selection, "-o", "-target", target]
    return Started(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def write(selection: str, text: str, target: str = "UTF8_STRING") -> None:
    """Fills a selection from outside. xclip stays behind until somebody else fills it."""
    command = ["xclip", "-selection", selection, "-i", "-target", target]
    subprocess.run(command, input=text.encode(), check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)
