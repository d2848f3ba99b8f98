"""The clipboard as any other program of a Wayland desktop reads it: with wl-paste, under a sway that nobody sees."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SECONDS = 20.0
# How long the desktop has its keyboard: longer than any test.
KEYBOARD_MS = "7200000"
CONFIGURATION = "output HEADLESS-1 resolution 1280x900\nxwayland disable\n"
# The backend shows nothing, opens no device of the machine and draws without a graphics card.
HEADLESS = {"WLR_BACKENDS": "headless", "WLR_LIBINPUT_NO_DEVICES": "1", "WLR_RENDERER": "pixman"}
# The names of text that programs of Wayland offer.
TEXT_TYPES = ("text/plain", "text/plain;charset=utf-8", "UTF8_STRING", "STRING", "TEXT", "text/html")
VARIABLES = ("DISPLAY", "WAYLAND_DISPLAY", "SWAYSOCK")


@contextmanager
def display() -> Iterator[Path]:
    """A compositor of one's own, by its socket; `WAYLAND_DISPLAY` and `SWAYSOCK` are set meanwhile, `DISPLAY` is not."""
    for program in ("sway", "wl-paste", "wtype"):
        if shutil.which(program) is None:
            raise RuntimeError(f"{program} is missing: install the packages `sway`, `wl-clipboard` and `wtype`")
    before = {name: os.environ.pop(name, None) for name in VARIABLES}
    home = Path(tempfile.mkdtemp(prefix="wvg-sway-", dir="/tmp"))
    programs: list[subprocess.Popen[bytes]] = []
    try:
        (home / "config").write_text(CONFIGURATION)
        programs.append(server := _start(home))
        os.environ["WAYLAND_DISPLAY"] = str(_socket(home, server, "wayland-*[0-9]"))
        os.environ["SWAYSOCK"] = str(_socket(home, server, "sway-ipc.*.sock"))
        # A client without any keyboard on its desktop never gets the focus of one, and may fill no selection.
        programs.append(subprocess.Popen(["wtype", "-s", KEYBOARD_MS]))
        yield home
    finally:
        for program in reversed(programs):
            program.terminate()
            program.wait()
        for name, value in before.items():
            os.environ.pop(name, None)
            os.environ.update({name: value} if value is not None else {})
        shutil.rmtree(home, ignore_errors=True)


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


def reader(selection: str, *more: str) -> "subprocess.Popen[bytes]":
    """wl-paste at work: a browser that is run by the test's own loop must go on running until it has ended."""
    which = ["--primary"] if selection == "primary" else []
    command = ["wl-paste", "--no-newline", *which, *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def press(*keys: str) -> None:
    """Presses keys with Control, as a keyboard does it: a client may fill a selection only after real input."""
    for key in keys:
        subprocess.run(["wtype", "-M", "ctrl", "-k", key, "-m", "ctrl"], check=True, timeout=SECONDS)


def focus_next() -> None:
    """Gives the focus to the next window."""
    subprocess.run(["swaymsg", "focus", "next"], timeout=SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
