"""The desktop, the library and the processes of the rigs of WebKitGTK."""

import gc
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

import tally
from rig import ROOT

HERE = Path(__file__).resolve().parent
LIBRARY = ROOT / "clients/c/webkitgtk"
BUILD = ROOT / ".build/webkitpack"
APIS = ("4.1", "6.0")
# What both rigs run.
SHARED = ("test_ways", "test_hooks", "test_clipboard", "test_files", "test_failures")
SANITIZED = "-O1 -g -Werror -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"

PLACES = ("examples/webkitgtk", "examples/accounts", "clients/python/src")
sys.path[:0] = [str(HERE), *(str(ROOT / place) for place in PLACES)]


@contextmanager
def desktop() -> Iterator[None]:
    """A desktop that nobody sees, and nothing else of this machine's own: X11 unless `GDK_BACKEND` is `wayland`."""
    os.environ.setdefault("GDK_BACKEND", "x11")
    from hands import HANDS

    # WebKit refuses a runtime directory that others may read.
    runtime = tempfile.mkdtemp(prefix="wvg-")
    os.environ.update(XDG_RUNTIME_DIR=runtime, NO_AT_BRIDGE="1", GTK_A11Y="none")
    os.environ.update(GTK_THEME="Adwaita", LC_ALL="C.UTF-8", GSK_RENDERER="cairo", GSETTINGS_BACKEND="memory")
    try:
        with HANDS.desktop():
            yield
    finally:
        shutil.rmtree(runtime, ignore_errors=True)


def build(into: Path, apis: Iterable[str] = APIS, flags: str = "-O1 -g -Werror") -> None:
    """Builds the library, as its Makefile does for anybody."""
    command = ["make", "--no-print-directory", "--silent", "-C", str(LIBRARY), f"BUILD={into}", f"APIS={' '.join(apis)}"]
    links = ["LDFLAGS=-fsanitize=address,undefined"] if "-fsanitize" in flags else []
    subprocess.run([*command, f"CFLAGS={flags}", *links], check=True)


def sanitizer() -> dict[str, str]:
    """What a process needs in which the library is checked, while Python and the engine are not."""
    library = subprocess.run(["gcc", "-print-file-name=libasan.so"], check=True, capture_output=True, text=True).stdout
    return {"LD_PRELOAD": library.strip(), "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:abort_on_error=1"}


def start(program: str, api: str, into: Path, tests: Iterable[str], more: dict[str, str] | None = None) -> int:
    """Runs a rig's program once more with one of the two: a process can hold one GTK only, and finds its library as it
    starts."""
    paths = dict.fromkeys(("GI_TYPELIB_PATH", "LD_LIBRARY_PATH", "WEBVIEWGUARD_WEBKIT"), str(into))
    environment = os.environ | paths | {"WEBKITGTK_API": api} | (more or {})
    print(f"== WebKitGTK {api}", flush=True)
    return subprocess.run([sys.executable, program, "--inside", *tests], env=environment, check=False).returncode


def run(tests: Iterable[str]) -> int:
    # The engine's objects may be let go in this thread only, and the site has threads of its own.
    gc.disable()
    return tally.run(unittest.defaultTestLoader.loadTestsFromNames(tests))


def leave(status: int) -> NoReturn:
    """The engine's own end may crash after its display is gone; the result is known by now."""
    sys.stdout.flush()
    os._exit(status)
