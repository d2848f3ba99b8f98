"""What a person does with windows and keys, and what other programs read: on X11, and on Wayland.

`HANDS` is that of this process's desktop, which `GDK_BACKEND` names.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from gi.repository import GLib
from rig import clipboard, wayland

SECONDS = 60.0
BUTTONS = {"left": "1", "middle": "2", "right": "3"}


class Hands(Protocol):
    """A window is one of GTK's, and a place is in pixels of the screen."""

    # The names of text under which other programs ask.
    text_types: tuple[str, ...]

    def desktop(self) -> AbstractContextManager[Any]:
        """A desktop that nobody sees."""

    def place(self, window: Any, left: int, width: int, height: int) -> None:
        """Puts a window to the top of the screen."""

    def focus(self, window: Any) -> None:
        """Gives a window the keys, and puts it in front of others."""

    def point(self, x: int, y: int) -> None: ...

    def hold(self, button: str = "left") -> None: ...

    def release(self, button: str = "left") -> None: ...

    def press(self, key: str) -> None:
        """Presses a key with Control, in the window that has the keys."""

    def reader(self, selection: str, kind: str | None) -> "subprocess.Popen[bytes]":
        """A program that reads text, or what has this type; of `TARGETS` it reads the list of types."""

    def write(self, selection: str, text: str) -> None: ...


class XHands:
    text_types = clipboard.TEXT_TARGETS

    def desktop(self) -> AbstractContextManager[Any]:
        return clipboard.display()

    def place(self, window: Any, left: int, width: int, height: int) -> None:
        """Nothing manages windows here."""
        number = self._number(window)
        self._do("windowmove", number, str(left), "0", "windowsize", number, str(width), str(height))

    def focus(self, window: Any) -> None:
        number = self._number(window)
        self._do("windowraise", number, "windowfocus", number)

    def point(self, x: int, y: int) -> None:
        self._do("mousemove", str(x), str(y))

    def hold(self, button: str = "left") -> None:
        self._do("mousedown", BUTTONS[button])

    def release(self, button: str = "left") -> None:
        self._do("mouseup", BUTTONS[button])

    def press(self, key: str) -> None:
        self._do("key", f"ctrl+{key}")

    def reader(self, selection: str, kind: str | None) -> "subprocess.Popen[bytes]":
        return clipboard.reader(selection, kind or "UTF8_STRING")

    def write(self, selection: str, text: str) -> None:
        clipboard.write(selection, text)

    def _number(self, window: Any) -> str:
        return str((window.get_surface() if hasattr(window, "get_surface") else window.get_window()).get_xid())

    def _do(self, *arguments: str) -> None:
        subprocess.run(["xdotool", *arguments], check=True, timeout=SECONDS, stdout=subprocess.DEVNULL)


class WaylandHands:
    text_types = wayland.TEXT_TYPES

    @contextmanager
    def desktop(self) -> Iterator[None]:
        """The engine's sandbox lets its own processes to a socket of the runtime directory only."""
        with wayland.display():
            socket = Path(os.environ["WAYLAND_DISPLAY"])
            Path(os.environ["XDG_RUNTIME_DIR"], socket.name).symlink_to(socket)
            os.environ["WAYLAND_DISPLAY"] = socket.name
            yield

    def place(self, window: Any, left: int, width: int, height: int) -> None:
        """The compositor's windows are found by their titles."""
        title = f"window {id(window)}"
        window.set_title(title)
        while not wayland.window(title):
            GLib.MainContext.default().iteration(False)
        wayland.order(f'[title="^{title}$"] floating enable, resize set {width} {height}')
        wayland.order(f'[title="^{title}$"] move absolute position {left} 0')

    def focus(self, window: Any) -> None:
        wayland.order(f'[title="^window {id(window)}$"] focus')

    def point(self, x: int, y: int) -> None:
        wayland.point(x, y)

    def hold(self, button: str = "left") -> None:
        wayland.hold(button)

    def release(self, button: str = "left") -> None:
        wayland.release(button)

    def press(self, key: str) -> None:
        wayland.press(key)

    def reader(self, selection: str, kind: str | None) -> "subprocess.Popen[bytes]":
        return wayland.reader(selection, *(["--list-types"] if kind == "TARGETS" else ["--type", kind] if kind else []))

    def write(self, selection: str, text: str) -> None:
        wayland.write(selection, text)


IS_WAYLAND = os.environ.get("GDK_BACKEND") == "wayland"
HANDS: Hands = WaylandHands() if IS_WAYLAND else XHands()
