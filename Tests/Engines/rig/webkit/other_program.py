#!/usr/bin/python3
"""Another program on the same screen: it takes what is dropped on it, gives what is dragged out of it, or owns a wrapped clip as
a guarded one would.

other_program.py drop X Y        says on standard output what was dropped
other_program.py give WHAT       text, or the URL of a file; where it and `drop` are on Wayland, the test puts them by their titles
other_program.py own ID TEXT     owns the clipboard until its standard input ends
other_program.py window TITLE    has a window
"""

import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, GLib, Gtk  # noqa: E402

PRIVATE_TYPE = "application/x-webviewguard-clip"


def take_drops(x: int, y: int) -> Gtk.Window:
    is_x11 = "X11" in type(Gdk.Display.get_default()).__name__
    window = Gtk.Window(type=Gtk.WindowType.POPUP if is_x11 else Gtk.WindowType.TOPLEVEL, title="takes drops")
    window.set_decorated(False)
    window.set_default_size(200, 200)
    window.drag_dest_set(Gtk.DestDefaults.ALL, [], Gdk.DragAction.COPY | Gdk.DragAction.MOVE)
    window.drag_dest_add_text_targets()

    def received(_window: Gtk.Window, _drag: object, _x: int, _y: int, data: Gtk.SelectionData, *_: int) -> None:
        print(f"dropped {data.get_text()!r}", flush=True)

    window.connect("drag-data-received", received)
    window.move(x, y)
    window.show_all()
    return window


def give_drags(what: str) -> Gtk.Window:
    window, inside = Gtk.Window(title="gives drags"), Gtk.EventBox()
    window.set_decorated(False)
    window.add(inside)
    inside.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
    is_file = what.startswith("file:")
    (inside.drag_source_add_uri_targets if is_file else inside.drag_source_add_text_targets)()

    def give(_inside: Gtk.EventBox, _drag: object, data: Gtk.SelectionData, *_: int) -> None:
        data.set_uris([what]) if is_file else data.set_text(what, -1)

    inside.connect("drag-data-get", give)
    window.show_all()
    return window


def own_clip(clip: str, text: str) -> Gtk.Window:
    window = Gtk.Window(type=Gtk.WindowType.POPUP)
    window.realize()
    contents = {"UTF8_STRING": "a notice", PRIVATE_TYPE: text, PRIVATE_TYPE + "-id": clip}
    for name in contents:
        Gtk.selection_add_target(window, Gdk.SELECTION_CLIPBOARD, Gdk.Atom.intern(name, False), 0)

    def give(_window: Gtk.Window, data: Gtk.SelectionData, *_: int) -> None:
        data.set(data.get_target(), 8, contents[data.get_target().name()].encode())

    window.connect("selection-get", give)
    Gtk.selection_owner_set(window, Gdk.SELECTION_CLIPBOARD, 0)
    return window


def have_window(title: str) -> Gtk.Window:
    window = Gtk.Window(title=title)
    window.show_all()
    return window


if __name__ == "__main__":
    word, *rest = sys.argv[1:]
    begin = {"drop": lambda x, y: take_drops(int(x), int(y)), "give": give_drags, "own": own_clip, "window": have_window}
    kept = begin[word](*rest)
    GLib.idle_add(lambda: print("ready", flush=True))
    GLib.unix_fd_add_full(0, 0, GLib.IOCondition.HUP, lambda *_: Gtk.main_quit())
    Gtk.main()
