"""GTK's own dialogue for printing, as a person sees it."""

from collections.abc import Callable, Iterator
from typing import Any

from gi.repository import GObject
from toolkit import IS_GTK4, GLib, Gtk

# Printers are looked for when the dialogue is there.
LOOK_MS = 1000


def in_dialog() -> Callable[[], list[str]]:
    """The names of its printers, once it was there; then it is cancelled. It runs a loop of its own meanwhile."""
    found: list[list[str]] = []

    def look() -> bool:
        for window in Gtk.Window.list_toplevels():
            if GObject.type_name(window.__gtype__) == "GtkPrintUnixDialog" and window.get_mapped():
                found.append([name for widget in _all(window) for name in _rows(widget)])
                window.response(Gtk.ResponseType.CANCEL)
                return GLib.SOURCE_REMOVE
        return GLib.SOURCE_CONTINUE

    GLib.timeout_add(LOOK_MS, look)
    return lambda: ["(the dialogue)", *found[0]] if found else []


def _all(widget: Any) -> Iterator[Any]:
    yield widget
    for child in _children(widget):
        yield from _all(child)


def _children(widget: Any) -> list[Any]:
    if not IS_GTK4:
        return widget.get_children() if isinstance(widget, Gtk.Container) else []
    found, child = [], widget.get_first_child()
    while child is not None:
        found.append(child)
        child = child.get_next_sibling()
    return found


def _rows(widget: Any) -> list[str]:
    if IS_GTK4:
        model = widget.get_model() if isinstance(widget, Gtk.ColumnView) else None
        items = [model.get_item(place) for place in range(model.get_n_items())] if model else []
        return [item.get_name() for item in items if hasattr(item, "get_name")]
    model = widget.get_model() if isinstance(widget, Gtk.TreeView) else None
    return [str(value) for row in model or [] for value in row if isinstance(value, str)]
