"""A Wayland desktop for programs of X11: sway's Xwayland hands their selections on to programs of Wayland."""

import os
import pwd
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from daemon import eventually

from rig import wayland

# The connection's beginning without a name of who it is, and the request that lets everybody in.
HELLO, OPEN = b"l\0\x0b\0\0\0\0\0\0\0\0\0", b"\x6f\0\x01\0"


@contextmanager
def display() -> Iterator[str]:
    """As `wayland.display`, with `DISPLAY` set too."""
    if shutil.which("Xwayland") is None:
        raise RuntimeError("Xwayland is missing: install the package `xwayland`")
    with wayland.display(has_x11=True) as home:
        name = home / "x11"
        wayland.order(f"exec sh -c 'echo $DISPLAY > {name}.new && mv {name}.new {name}'")
        eventually(name.exists, "sway tells of its Xwayland", 20)
        os.environ["DISPLAY"] = name.read_text().strip()
        # Xwayland ends with its last program, and another one knows nobody again.
        with _let_in(os.environ["DISPLAY"]):
            yield os.environ["DISPLAY"]


def _let_in(name: str) -> socket.socket:
    """Xwayland knows its own user alone, which is `nobody` where root runs the tests."""
    before = os.geteuid()
    line = socket.socket(socket.AF_UNIX)
    try:
        if before == 0:
            os.seteuid(pwd.getpwnam("nobody").pw_uid)
        line.connect(str(Path("/tmp/.X11-unix") / f"X{name.removeprefix(':')}"))
    finally:
        os.seteuid(before)
    line.sendall(HELLO)
    if line.recv(65536)[:1] != b"\1":
        raise PermissionError("Xwayland does not know its own user")
    # What was asked before an answer is done when that comes: the pointer's map, which is short.
    line.sendall(OPEN + b"\x75\0\x01\0")
    line.recv(4096)
    return line
