"""A browser of a few lines under the library's guard, in this process, driven with the pointer and real keys."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gi

API = sys.argv[sys.argv.index("--api") + 1]
IS_GTK4 = API == "6.0"
gi.require_version("Gtk", "4.0" if IS_GTK4 else "3.0")
gi.require_version("GdkX11", "4.0" if IS_GTK4 else "3.0")
gi.require_version("WvgWebKit", API)
if IS_GTK4:
    gi.require_version("WebKit", API)
    from gi.repository import GdkX11, GLib, Gtk, WebKit, WvgWebKit  # noqa: F401
else:
    gi.require_version("WebKit2", API)
    from gi.repository import GdkX11, GLib, Gtk, WvgWebKit  # noqa: F401
    from gi.repository import WebKit2 as WebKit
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER  # noqa: E402
from rig.policy import APP, PERSONAL, WORK  # noqa: E402

PATIENCE_SECONDS = 60.0
WIDTH, HEIGHT = 640, 800
BUTTONS = {"left": "1", "middle": "2", "right": "3"}
POSITION = """(() => {{
  const shape = document.getElementById("{element}").getBoundingClientRect();
  return JSON.stringify([shape.x + shape.width / 2, shape.y + shape.height / 2]);
}})()"""
Kind = WvgWebKit.RequestKind


class Person:
    """Answers the guard's requests at once, as the test says, and remembers what was said."""

    def __init__(self, guard: Any) -> None:
        self.files: list[str] = []
        self.place: Path | None = None
        self.justification = ""
        self.said: list[tuple[str, str, str]] = []
        self.problems: list[str] = []
        guard.connect("ask-person", self._asked)
        guard.connect("refused", lambda _, _view, *words: bool(self.said.append(words)) or True)
        guard.connect("problem", lambda _, text: self.problems.append(text))

    def _asked(self, _guard: Any, _view: Any, request: Any) -> bool:
        kind = request.get_kind()
        if kind == Kind.PLACE:
            request.answer([str(self.place / request.get_text())] if self.place else None)
        else:
            request.answer(self.files if kind == Kind.FILES else [self.justification])
        return True


class Window:
    """A view in a window without decorations, at a known place."""

    def __init__(self, view: Any, left: int) -> None:
        self.view, self.left = view, left
        self.window = Gtk.Window()
        self.window.set_decorated(False)
        self.window.set_default_size(WIDTH, HEIGHT)
        if IS_GTK4:
            self.window.set_child(view)
            self.window.present()
        else:
            self.window.add(view)
            self.window.move(left, 0)
            self.window.show_all()

    @property
    def xid(self) -> str:
        return str((self.window.get_surface() if IS_GTK4 else self.window.get_window()).get_xid())

    @property
    def is_visible(self) -> bool:
        return bool(self.window.get_mapped())

    def place(self) -> None:
        """Puts it where the tests point at it: nothing manages windows here."""
        xdotool("windowmove", self.xid, str(self.left), "0", "windowsize", self.xid, str(WIDTH), str(HEIGHT))

    def close(self) -> None:
        self.window.destroy()


class PackDriver:
    """Two windows side by side, and whatever pages open on top of them."""

    engine = f"WebKitGTK {WebKit.get_major_version()}.{WebKit.get_minor_version()} ({API})"
    export = "webkit-content-blocker"

    def __init__(self, socket: Path, export: Sequence[str]) -> None:
        self.guard = WvgWebKit.Guard.new(APP, str(socket))
        self.guard.set_rules_command(export)
        self.person = Person(self.guard)
        self.guard.connect("show-window", self._popup)
        self.directory = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.windows: dict[str, Window] = {}
        self.popups: list[Window] = []
        for place, (name, account) in enumerate(((WORK_VIEWER, WORK), (PRIVATE_VIEWER, PERSONAL))):
            view = self.make_view(name)
            if not self.guard.set_account(name, account) or not self.guard.add(view, "documents", name):
                raise RuntimeError(self.guard.get_error())
            self.windows[name] = Window(view, place * WIDTH)
        self.wait(lambda: all(window.is_visible for window in self.windows.values()), "both windows are open")
        for window in self.windows.values():
            window.place()

    def make_view(self, name: str) -> Any:
        """A view that shares nothing with others, and keeps what it keeps in a directory of its own."""
        data, cache = (os.path.join(self.directory.name, name, kind) for kind in ("data", "cache"))
        if IS_GTK4:
            return WebKit.WebView(network_session=WebKit.NetworkSession.new(data, cache))
        manager = WebKit.WebsiteDataManager(base_data_directory=data, base_cache_directory=cache)
        return WebKit.WebView(web_context=WebKit.WebContext.new_with_website_data_manager(manager))

    def view(self, viewer: str) -> Any:
        return self.windows[viewer].view

    def _popup(self, _guard: Any, view: Any) -> bool:
        window = Window(view, 0)
        self.popups.append(window)
        view.connect("close", lambda _: window in self.popups and self._close(window))
        return True

    def _close(self, window: Window) -> None:
        self.popups.remove(window)
        window.close()

    # Pages

    def load(self, viewer: str, url: str) -> None:
        self.begin(viewer, url)
        path = url.partition("://")[2].partition("/")[2]
        self.wait(lambda: self.title(viewer) == "/" + path, f"`/{path}` is shown")
        painted = "document.documentElement.dataset.painted || ''"
        self.wait(lambda: self.script(viewer, painted), f"`/{path}` is painted")

    def begin(self, viewer: str, url: str) -> None:
        self.view(viewer).load_uri(url)

    def title(self, viewer: str) -> str:
        return self.view(viewer).get_title() or ""

    def script(self, viewer: str, source: str) -> Any:
        return self.evaluate(self.view(viewer), source)

    def evaluate(self, view: Any, source: str) -> Any:
        values: list[Any] = []

        def done(view: Any, result: Any) -> None:
            try:
                value = view.evaluate_javascript_finish(result)
                values.append(json.loads(value.to_json(0) or "null") if not value.is_undefined() else None)
            except GLib.Error as problem:
                values.append(f"error: {problem.message}")

        view.evaluate_javascript(source, -1, None, None, None, done)
        self.wait(lambda: values, f"an answer to `{source}`")
        return values[0]

    # The person

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        window = self.windows[viewer]
        x, y = json.loads(self.evaluate(window.view, POSITION.format(element=element)))
        self.point(window, x, y)
        xdotool("click", BUTTONS[button])

    def point(self, window: Window, x: float, y: float) -> None:
        """Moves the pointer to a place in the page, and gives its window the keys."""
        place = str(window.left + int(x)), str(int(y))
        xdotool("windowraise", window.xid, "windowfocus", window.xid, "mousemove", *place)

    def drag(self, viewer: str, element: str, target: str, into: str | None = None) -> None:
        """Drags one element onto another, perhaps in the other window."""
        window = self.windows[into or viewer]
        x, y = json.loads(self.evaluate(window.view, POSITION.format(element=target)))
        self.drag_to_screen(viewer, element, window.left + int(x), int(y))

    def drag_to_screen(self, viewer: str, element: str, x: int, y: int) -> None:
        """Drags an element to a place on the screen, in steps, as a hand does."""
        window = self.windows[viewer]
        self.point(window, *json.loads(self.evaluate(window.view, POSITION.format(element=element))))
        xdotool("mousedown", "1")
        self.settle(0.1)
        for step in (8, 4, 0):
            xdotool("mousemove", str(x - step), str(y - step))
            self.settle(0.15)
        xdotool("mouseup", "1")

    def press(self, viewer: str, key: str) -> None:
        xdotool("windowfocus", self.windows[viewer].xid, "key", f"ctrl+{key}")

    # Time

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
        deadline = time.monotonic() + seconds
        # Something that happens elsewhere, such as a line in the site's log, wakes nobody here.
        ticking = GLib.timeout_add(5, lambda: True)
        loop = GLib.MainContext.default()
        try:
            while not (value := holds()):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"not within {seconds} s: {what}")
                loop.iteration(True)
            return value
        finally:
            GLib.source_remove(ticking)

    def settle(self, seconds: float = 0.3) -> None:
        """Lets the browser work for a while: for what must not happen."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, "time passes", seconds + 60)

    def close_popups(self) -> None:
        for window in list(self.popups):
            self._close(window)

    def close(self) -> None:
        self.close_popups()
        self.guard.close()
        for window in self.windows.values():
            window.close()
        self.directory.cleanup()


def xdotool(*arguments: str) -> None:
    subprocess.run(["xdotool", *arguments], check=True, timeout=PATIENCE_SECONDS, stdout=subprocess.DEVNULL)
