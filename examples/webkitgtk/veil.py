"""A veil over a selection that this process owns: other programs read a notice, this one still reads the content.

The selection cannot simply be filled anew: WebKit then takes the mark off the marked text. So the engine stays the
owner, and what it hands out is replaced on the way. GTK has one hidden widget that owns all selections of a process;
its signals are out of reach of Python's bindings, therefore ctypes.
"""

import ctypes
from ctypes import CFUNCTYPE, c_char_p, c_int, c_uint, c_void_p
from dataclasses import dataclass

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

# The content of a wrapped clip, for apps that ask the guard before they insert it, and the clip's id beside it.
PRIVATE_TYPE = "application/x-webviewguard-clip"
HTML_TYPE = "application/x-webviewguard-clip-html"
ID_TYPE = "application/x-webviewguard-clip-id"
CONNECT_AFTER = 1

_gtk, _gdk, _gobject = (ctypes.CDLL(f"lib{name}.so.0") for name in ("gtk-3", "gdk-3", "gobject-2.0"))
_Handler = CFUNCTYPE(None, c_void_p, c_void_p, c_uint, c_uint, c_void_p)
_gdk.gdk_atom_intern.restype = c_void_p
_gdk.gdk_atom_intern.argtypes = [c_char_p, c_int]
_gtk.gtk_selection_data_get_selection.restype = _gtk.gtk_selection_data_get_target.restype = c_void_p
_gtk.gtk_selection_data_get_selection.argtypes = _gtk.gtk_selection_data_get_target.argtypes = [c_void_p]
_gtk.gtk_selection_data_set.argtypes = [c_void_p, c_void_p, c_int, c_char_p, c_int]
_gtk.gtk_selection_data_set_text.argtypes = [c_void_p, c_char_p, c_int]
_gtk.gtk_selection_add_target.argtypes = [c_void_p, c_void_p, c_void_p, c_uint]
_gobject.g_signal_connect_data.argtypes = [c_void_p, c_char_p, _Handler, c_void_p, c_void_p, c_int]


def _atom(name: str) -> int:
    return _gdk.gdk_atom_intern(name.encode(), 0)


def owner_in_this_process(atom: Gdk.Atom) -> int:
    """The widget that owns the selection; 0 when that is another program's, or nobody's."""
    window = Gdk.selection_owner_get(atom)
    return (window.get_user_data() or 0) if window else 0


@dataclass
class Notice:
    """What other programs read in place of the content. Without `clip` the content is not handed out at all."""

    text: str
    clip: str | None = None
    content: str = ""
    html: str = ""


class Veil:
    """Veils `PRIMARY` and `CLIPBOARD`, each by its own notice."""

    def __init__(self) -> None:
        self._notices: dict[int, Notice] = {}
        self._handler = _Handler(self._selection_get)
        self._widget = 0
        # Whether this process itself reads now, as it may: nobody else is served meanwhile.
        self.is_open = False

    def drop(self, atom: Gdk.Atom, notice: Notice) -> None:
        """From now on other programs read the notice. To be called while this process owns the selection."""
        selection, widget = _atom(atom.name()), owner_in_this_process(atom)
        if not widget:
            return
        if widget != self._widget:
            _gobject.g_signal_connect_data(widget, b"selection-get", self._handler, None, None, CONNECT_AFTER)
            self._widget = widget
        if notice.clip is not None:
            for name in (PRIVATE_TYPE, ID_TYPE, *([HTML_TYPE] if notice.html else [])):
                _gtk.gtk_selection_add_target(widget, selection, _atom(name), 0)
        self._notices[selection] = notice

    def lift(self, atom: Gdk.Atom) -> None:
        self._notices.pop(_atom(atom.name()), None)

    def _selection_get(self, _widget: int, data: int, _info: int, _time: int, _user: int) -> None:
        notice = self._notices.get(_gtk.gtk_selection_data_get_selection(data))
        if notice is None or (self.is_open and not _is_asked_from_outside()):
            return
        target = _gtk.gtk_selection_data_get_target(data)
        contents = (PRIVATE_TYPE, notice.content), (HTML_TYPE, notice.html), (ID_TYPE, notice.clip or "")
        private = {_atom(name): content for name, content in contents}
        if target in private:
            text = private[target].encode() if notice.clip is not None else b""
        elif target == _atom("text/html"):
            text = notice.text.encode()
        elif _gtk.gtk_selection_data_set_text(data, notice.text.encode(), -1):
            return
        else:
            text = b""
        _gtk.gtk_selection_data_set(data, target, 8, text, len(text))


def _is_asked_from_outside() -> bool:
    """Requests of other programs come as events; those of this process are served within the call."""
    event = Gtk.get_current_event()
    return event is not None and event.type == Gdk.EventType.SELECTION_REQUEST


# GTK's hidden widget is one for the whole process, and so is this.
VEIL = Veil()
