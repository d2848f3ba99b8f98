"""A Wayland desktop that nobody sees: sway, its keyboard and pointer, and the clipboard as wl-paste reads it.

`with display():` begins it, and programs that are started meanwhile find it by their environment. Tests look for a window
(`window`), give it the focus (`focus`), press keys (`press`), click (`click`) and drag (`hold`, `point`, `release`), as a
person does: a client may fill a selection only after real input. `read` and `reader` are wl-paste.
"""

import json
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from started import Started

from rig.wayland_devices import Devices

SECONDS = 20.0
SCREEN = (1280, 900)
# Windows have no borders, and lie where they are put, as on a desktop without tiles.
CONFIGURATION = f"""\
output HEADLESS-1 resolution {SCREEN[0]}x{SCREEN[1]}
default_border none
default_floating_border none
focus_follows_mouse no
for_window [title=".*"] floating enable
"""
# The backend shows nothing, opens no device of the machine and draws without a graphics card.
HEADLESS = {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
# The names of text that programs of Wayland offer.
TEXT_TYPES = ("text/plain", "text/plain;charset=utf-8", "UTF8_STRING", "STRING", "TEXT", "text/html")
VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK")


@dataclass(frozen=True)
class Window:
    """A window as the compositor knows it; its place in pixels of the screen."""

    number: int
    pid: int
    app: str
    title: str
    x: int
    y: int
    width: int
    height: int
    has_focus: bool


# Of each desktop, by its socket. A process that others start has its own: they are alike.
_devices: dict[str, Devices] = {}


@contextmanager
def display(*, has_x11: bool = False) -> Iterator[Path]:
    """A compositor of one's own, by its socket; `WAYLAND_DISPLAY` and `SWAYSOCK` are set meanwhile, `DISPLAY` is not. With
    `has_x11` it has an Xwayland: see rig/xwayland.py."""
    for program in ("sway", "wl-paste"):
        if shutil.which(program) is None:
            raise RuntimeError(f"{program} is missing: install the packages `sway` and `wl-clipboard`")
    before = {name: os.environ.pop(name, None) for name in VARIABLES}
    home = Path(tempfile.mkdtemp(prefix="wvg-sway-", dir="/tmp"))
    server = None
    try:
        (home / "config").write_text(CONFIGURATION + f"xwayland {'force' if has_x11 else 'disable'}\n")
        server = _start(home)
        os.environ["WAYLAND_DISPLAY"] = str(_socket(home, server, "wayland-*[0-9]"))
        os.environ["SWAYSOCK"] = str(_socket(home, server, "sway-ipc.*.sock"))
        _here()
        yield home
    finally:
        if devices := _devices.pop(os.environ.get("SWAYSOCK", ""), None):
            devices.close()
        if server:
            server.terminate()
            server.wait()
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})
        shutil.rmtree(home, ignore_errors=True)


def _here() -> Devices:
    name = os.environ["SWAYSOCK"]
    if name not in _devices:
        _devices[name] = Devices()
    return _devices[name]


def _start(home: Path) -> "subprocess.Popen[bytes]":
    """sway refuses root, so root starts it as `nobody`; programs of root may still use its socket."""
    command = ["sway", "-c", str(home / "config")]
    if os.getuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.chown(home, nobody.pw_uid, nobody.pw_gid)
        command = ["setpriv", f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups", *command]
    environment = {**os.environ, **HEADLESS, "HOME": str(home), "XDG_RUNTIME_DIR": str(home)}
    return subprocess.Popen(
        command, cwd=home, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def _socket(home: Path, server: "subprocess.Popen[bytes]", pattern: str) -> Path:
    deadline = time.monotonic() + SECONDS
    while not (found := list(home.glob(pattern))):
        if server.poll() is not None:
            raise RuntimeError(f"sway ended with {server.returncode}")
        if time.monotonic() > deadline:
            raise TimeoutError("sway does not make its socket")
        time.sleep(0.02)
    return found[0]


# What other programs read


def reader(selection: str, *more: str) -> Started:
    """wl-paste at work: a browser that is run by the test's own loop must go on running until it has ended."""
    which = ["--primary"] if selection == "primary" else []
    command = ["wl-paste", "--no-newline", *which, *more]
    return Started(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def read(selection: str, *more: str) -> str | None:
    """What wl-paste gets; None when it gets nothing. The owner must be at work meanwhile: see `reader`."""
    with reader(selection, *more) as program:
        text, _ = program.communicate(timeout=SECONDS)
    return text.decode(errors="replace") if program.returncode == 0 else None


def write(selection: str, text: str) -> None:
    """Fills a selection from outside. wl-copy stays behind until somebody else fills it."""
    which = ["--primary"] if selection == "primary" else []
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    subprocess.run(["wl-copy", *which], input=text.encode(), check=True, timeout=SECONDS, **quiet)


class Spies:
    """What programs read that watch both selections as fast as they can: see wayland_spy.py, and `wl-paste --watch`."""

    def __init__(self) -> None:
        watch = ["wl-paste", "--no-newline", "--watch", "sh", "-c", "cat; echo"]
        program = str(Path(__file__).with_name("wayland_spy.py"))
        commands = ([sys.executable, program], watch, [watch[0], "--primary", *watch[1:]])
        self.programs = [subprocess.Popen(command, stdout=subprocess.PIPE) for command in commands]
        self.lines: list[str] = []
        self._threads = [threading.Thread(target=self._follow, args=[program]) for program in self.programs]
        for thread in self._threads:
            thread.start()
        deadline = time.monotonic() + SECONDS
        while not any("ready" in line for line in self.lines):
            if time.monotonic() > deadline:
                raise TimeoutError("the spy is not ready")
            time.sleep(0.02)

    def _follow(self, program: "subprocess.Popen[bytes]") -> None:
        assert program.stdout is not None
        for line in program.stdout:
            self.lines.append(line.decode(errors="replace"))

    def have_read(self, text: str) -> list[str]:
        """The lines of what they read so far in which this text is: `[]` when none of them ever got it."""
        return [line for line in list(self.lines) if text in line]

    def end(self) -> None:
        for program in self.programs:
            program.terminate()
        for program, thread in zip(self.programs, self._threads, strict=True):
            program.wait()
            thread.join()
            assert program.stdout is not None
            program.stdout.close()


@contextmanager
def spying() -> Iterator[Spies]:
    """Programs watch both selections meanwhile. Begin before the copy: they are there for its first moment."""
    spies = Spies()
    try:
        yield spies
    finally:
        spies.end()


# The person


def press(*keys: str, control: bool = True) -> None:
    """Presses keys, with Control or without: a client may fill a selection only after real input."""
    for key in keys:
        _here().press(key, control=control)


def point(x: float, y: float) -> None:
    """Moves the pointer to a place on the screen."""
    _here().point(round(x), round(y), *SCREEN)


def hold(button: str = "left") -> None:
    _here().button(button, is_down=True)


def release(button: str = "left") -> None:
    _here().button(button, is_down=False)


def click(x: float, y: float, button: str = "left") -> None:
    point(x, y)
    hold(button)
    release(button)


# Windows


def windows() -> list[Window]:
    """The windows that are shown, in the order of the desktop's tree."""
    return [_window(node) for node in _leaves(json.loads(_swaymsg("-t", "get_tree")))]


def _leaves(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if node.get("pid"):
        yield node
    for child in (*node.get("nodes", ()), *node.get("floating_nodes", ())):
        yield from _leaves(child)


def _window(node: dict[str, Any]) -> Window:
    place = node["rect"]
    named = (node["id"], node["pid"], node.get("app_id") or "", node["name"] or "")
    return Window(*named, place["x"], place["y"], place["width"], place["height"], node["focused"])


def window(title: str = "", pid: int | None = None) -> Window | None:
    """The window whose title has this text, of any process or of one; None while there is none."""
    return next((found for found in windows() if title in found.title and pid in (None, found.pid)), None)


def focus(window: Window) -> None:
    """Gives a window the keys. It hears of it a moment later: ask the page for `document.hasFocus()`."""
    order(f"[con_id={window.number}] focus")


def focus_next() -> None:
    """Gives the focus to the next window."""
    order("focus next")


def order(command: str) -> None:
    """One of sway's own commands; it may find nothing to do."""
    _swaymsg(command)


def _swaymsg(*arguments: str) -> bytes:
    command = ["swaymsg", *arguments]
    done = subprocess.run(command, timeout=SECONDS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return done.stdout
