"""The keyboard and the pointer of a desktop that has neither.

They stay for as long as the desktop is there, as a person's do: a client without a keyboard on its seat never gets the focus
of one, and one whose keyboard changes with every key (`wtype`) may miss what a key is bound to, as GTK does.
"""

import ctypes
import os
import struct
import time

from rig.wayland_wire import Wire

CREATE = 0
KEYMAP, KEY, MODIFIERS = 0, 1, 2
XKB_V1 = 1
MOTION_ABSOLUTE, BUTTON, FRAME = 1, 2, 4
CONTROL = 4
# The codes of keys, by the rows of a keyboard (linux/input-event-codes.h).
ROWS = {16: "qwertyuiop", 30: "asdfghjkl", 44: "zxcvbnm"}
KEYS = {letter: first + place for first, row in ROWS.items() for place, letter in enumerate(row)}
# Of a pointer, the same.
BUTTONS = {"left": 0x110, "right": 0x111, "middle": 0x112}
KEYS |= {"Escape": 1, "Tab": 15, "Return": 28, "space": 57, "Up": 103, "Down": 108}


def keymap() -> bytes:
    """An American keyboard, as libxkbcommon writes it."""
    library = ctypes.CDLL("libxkbcommon.so.0")
    for name in ("xkb_context_new", "xkb_keymap_new_from_names"):
        getattr(library, name).restype = ctypes.c_void_p
    library.xkb_keymap_get_as_string.restype = ctypes.c_char_p
    names = (ctypes.c_char_p * 5)(b"evdev", b"pc105", b"us", b"", b"")
    context = ctypes.c_void_p(library.xkb_context_new(0))
    made = ctypes.c_void_p(library.xkb_keymap_new_from_names(context, names, 0))
    return bytes(library.xkb_keymap_get_as_string(made, XKB_V1)) + b"\0"


class Devices:
    """A connection to the compositor; its devices are there until `close`."""

    def __init__(self) -> None:
        self._wire = Wire()
        seat = self._wire.bind("wl_seat", 1)
        keyboards = self._wire.bind("zwp_virtual_keyboard_manager_v1", 1)
        self._keyboard = self._wire.make()
        self._wire.send(keyboards, CREATE, struct.pack("=II", seat, self._keyboard))
        self._send_keymap(keymap())
        pointers = self._wire.bind("zwlr_virtual_pointer_manager_v1", 1)
        self._pointer = self._wire.make()
        self._wire.send(pointers, CREATE, struct.pack("=II", seat, self._pointer))
        self._wire.round_trip()
        self._time = 0

    def _send_keymap(self, text: bytes) -> None:
        file = os.memfd_create("keymap")
        os.write(file, text)
        self._wire.send(self._keyboard, KEYMAP, struct.pack("=II", XKB_V1, len(text)), file)
        os.close(file)

    def point(self, x: int, y: int, width: int, height: int) -> None:
        """Moves the pointer to a place on a screen of that size, also while a button is down."""
        self._move(MOTION_ABSOLUTE, x, y, width, height)

    def button(self, name: str, *, is_down: bool) -> None:
        self._move(BUTTON, BUTTONS[name], int(is_down))

    def _move(self, request: int, *values: int) -> None:
        # Programs tell two clicks from a double one by their times.
        now = time.monotonic_ns() // 1_000_000 & 0xFFFFFFFF
        self._wire.send(self._pointer, request, struct.pack(f"={len(values) + 1}I", now, *values))
        self._wire.send(self._pointer, FRAME, b"")
        self._wire.round_trip()

    def press(self, key: str, *, control: bool) -> None:
        """Presses a key of `KEYS` and lets it go; returns when the window that has the focus was told."""
        held = CONTROL if control else 0
        self._wire.send(self._keyboard, MODIFIERS, struct.pack("=IIII", held, 0, 0, 0))
        for is_down in (1, 0):
            self._time += 10
            self._wire.send(self._keyboard, KEY, struct.pack("=III", self._time, KEYS[key], is_down))
        self._wire.send(self._keyboard, MODIFIERS, struct.pack("=IIII", 0, 0, 0, 0))
        self._wire.round_trip()

    def close(self) -> None:
        self._wire.close()
