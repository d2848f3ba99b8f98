"""The few lines in which GTK 3 and GTK 4 differ. `WEBKITGTK_API` names the version of WebKitGTK: 4.1 or 6.0."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gi

API = os.environ.get("WEBKITGTK_API", "4.1")
IS_GTK4 = API == "6.0"
gi.require_version("Gtk", "4.0" if IS_GTK4 else "3.0")
gi.require_version("WebKit" if IS_GTK4 else "WebKit2", API)
gi.require_version("WvgWebKit", API)
if IS_GTK4:
    from gi.repository import GLib, Gtk, WebKit, WvgWebKit
else:
    from gi.repository import GLib, Gtk, WvgWebKit
    from gi.repository import WebKit2 as WebKit

__all__ = ["API", "IS_GTK4", "GLib", "Gtk", "WebKit", "WvgWebKit"]


def make_view(kept: Path) -> WebKit.WebView:
    """A view that shares nothing with others, and keeps what pages keep below a directory."""
    data, cache = str(kept / "data"), str(kept / "cache")
    if IS_GTK4:
        return WebKit.WebView(network_session=WebKit.NetworkSession.new(data, cache))
    manager = WebKit.WebsiteDataManager(base_data_directory=data, base_cache_directory=cache)
    return WebKit.WebView(web_context=WebKit.WebContext.new_with_website_data_manager(manager))


def append(box: Gtk.Box, child: Gtk.Widget, *, grows: bool = False) -> None:
    """Adds a child, and shows it; one that shall be hidden is hidden later."""
    if IS_GTK4:
        is_upright = box.get_orientation() == Gtk.Orientation.VERTICAL
        child.set_vexpand(grows and is_upright)
        child.set_hexpand(grows and not is_upright)
        box.append(child)
    else:
        box.pack_start(child, grows, grows, 0)
        child.show()


def children(box: Gtk.Box) -> list[Gtk.Widget]:
    if not IS_GTK4:
        return list(box.get_children())
    found, child = [], box.get_first_child()
    while child is not None:
        found.append(child)
        child = child.get_next_sibling()
    return found


def fill(window: Gtk.Window, content: Gtk.Widget, closed: Callable[[], None]) -> None:
    """Puts the content into a window. `closed` is called when the person closes it."""
    if IS_GTK4:
        window.set_child(content)
        window.connect("close-request", lambda _: closed())
    else:
        window.add(content)
        content.show()
        window.connect("delete-event", lambda *_: closed())


def icon_button(icon: str, tip: str, act: Callable[[], Any]) -> Gtk.Button:
    name = f"{icon}-symbolic"
    button = Gtk.Button.new_from_icon_name(*([name] if IS_GTK4 else [name, Gtk.IconSize.BUTTON]))
    button.set_tooltip_text(tip)
    button.connect("clicked", lambda _: act())
    return button


def colour(widget: Gtk.Widget) -> Callable[[str], None]:
    """Gives a widget the colours of a style sheet."""
    sheet = Gtk.CssProvider()
    widget.get_style_context().add_provider(sheet, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
    # GTK 4.12 and later have the first.
    return getattr(sheet, "load_from_string", lambda css: sheet.load_from_data(css.encode()))
