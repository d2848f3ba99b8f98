"""Browsers under the guard of the library for WebKitGTK, in this process, driven with the pointer and real keys.

Each rig derives one class from `GtkDriver` that makes its windows; `toolkit` knows which GTK it is.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gi
from hands import HANDS, IS_WAYLAND
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import APP, PERSONAL, WORK
from toolkit import API, IS_GTK4, GLib, Gtk, WebKit, WvgWebKit

if not IS_WAYLAND:
    gi.require_version("GdkX11", "4.0" if IS_GTK4 else "3.0")
    from gi.repository import GdkX11  # noqa: F401

__all__ = ["ACCOUNTS", "API", "IS_GTK4", "GtkDriver", "Person", "Placed", "WebKit"]

PATIENCE_SECONDS = 60.0
WIDTH, HEIGHT = 640, 800
ACCOUNTS = {WORK_VIEWER: WORK, PRIVATE_VIEWER: PERSONAL}
POSITION = """(() => {{
  const shape = document.getElementById("{element}").getBoundingClientRect();
  return JSON.stringify([shape.x + shape.width / 2, shape.y + shape.height / 2]);
}})()"""
Kind = WvgWebKit.RequestKind


class Person:
    """Answers the guard's requests at once, as the test says, and remembers what was said."""

    def __init__(self, guard: Any, *, says: bool) -> None:
        """`says`: it says refusals in the program's place."""
        self.problems: list[str] = []
        self.begin()
        guard.connect("ask-person", self._asked)
        guard.connect("refused", lambda _, _view, *words: bool(self.said.append(words)) or says)
        guard.connect("problem", lambda _, text: self.problems.append(text))

    def begin(self) -> None:
        """A test begins."""
        self.files: list[str] = []
        self.place: Path | None = None
        self.justification = ""
        self.said: list[tuple[str, str, str]] = []

    def _asked(self, _guard: Any, _view: Any, request: Any) -> bool:
        kind = request.get_kind()
        if kind == Kind.PLACE:
            place = self.place or request.get_folder()
            request.answer([str(Path(place) / request.get_text())] if place else None)
        else:
            request.answer(self.files if kind == Kind.FILES else [self.justification])
        return True


class Placed:
    """A window without decorations at a known place, and the view in it."""

    def __init__(self, window: Gtk.Window, view: Any, left: int) -> None:
        self.window, self.view, self.left = window, view, left
        window.set_decorated(False)
        window.set_default_size(WIDTH, HEIGHT)
        if not IS_GTK4:
            window.resize(WIDTH, HEIGHT)
            window.move(left, 0)

    @property
    def is_visible(self) -> bool:
        return bool(self.window.get_mapped())

    def place(self) -> None:
        """Puts it where the tests point at it."""
        HANDS.place(self.window, self.left, WIDTH, HEIGHT)

    def on_screen(self, x: float, y: float) -> tuple[int, int]:
        inside = self.view.translate_coordinates(self.window, int(x), int(y))
        return self.left + int(inside[0]), int(inside[1])


class GtkDriver:
    """Two windows side by side, and whatever pages open on top of them."""

    engine = f"WebKitGTK {WebKit.get_major_version()}.{WebKit.get_minor_version()}"
    export = "webkit-content-blocker"

    says = True

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.guard = WvgWebKit.Guard.new(APP, str(socket))
        self.person = Person(self.guard, says=self.says)
        self.windows: dict[str, Placed] = {}
        self.open()
        self.wait(lambda: all(window.is_visible for window in self.windows.values()), "both windows are open")
        for window in self.windows.values():
            window.place()

    # What each rig says by itself

    def open(self) -> None:
        """Opens the windows of `ACCOUNTS`, into `windows`."""
        raise NotImplementedError

    def make_view(self, name: str) -> Any:
        """A view that shares nothing with others."""
        raise NotImplementedError

    @property
    def popups(self) -> list[Placed]:
        raise NotImplementedError

    def close_popups(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    # Pages

    def view(self, viewer: str) -> Any:
        return self.windows[viewer].view

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
        self.point(window, *self.position(window, element))
        HANDS.hold(button)
        HANDS.release(button)

    def position(self, window: Placed, element: str) -> tuple[float, float]:
        x, y = json.loads(self.evaluate(window.view, POSITION.format(element=element)))
        return x, y

    def point(self, window: Placed, x: float, y: float) -> None:
        """Moves the pointer to a place in the page, and gives its window the keys."""
        HANDS.focus(window.window)
        HANDS.point(*window.on_screen(x, y))

    def drag(self, viewer: str, element: str, target: str, into: str | None = None) -> None:
        """Drags one element onto another, perhaps in the other window."""
        window = self.windows[into or viewer]
        self.drag_to_screen(viewer, element, *window.on_screen(*self.position(window, target)))

    def drag_to_screen(self, viewer: str, element: str, x: int, y: int) -> None:
        """Drags an element to a place on the screen, in steps, as a hand does."""
        window = self.windows[viewer]
        self.point(window, *self.position(window, element))
        HANDS.hold()
        self.settle(0.1)
        for step in (8, 4, 0):
            HANDS.point(x - step, y - step)
            self.settle(0.15)
        HANDS.release()

    def press(self, viewer: str, key: str) -> None:
        HANDS.focus(self.windows[viewer].window)
        HANDS.press(key)

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

