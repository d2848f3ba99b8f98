"""The example browser in this process, driven as a person would: with the pointer and the keys of an X server."""

import json
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("GdkX11", "3.0")
gi.require_version("WebKit2", "4.1")
from browser import FEATURES, Browser  # noqa: E402
from gi.repository import GdkX11, GLib, Gtk, WebKit2  # noqa: E402, F401
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER  # noqa: E402
from rig.policy import APP, PERSONAL, WORK  # noqa: E402
from shell import Shell  # noqa: E402
from viewer import Viewer  # noqa: E402
from webviewguard import Guard  # noqa: E402

PATIENCE_SECONDS = 60.0
WIDTH, HEIGHT = 640, 800
BUTTONS = {"left": "1", "middle": "2", "right": "3"}
POSITION = """(() => {{
  const shape = document.getElementById("{element}").getBoundingClientRect();
  return JSON.stringify([shape.x + shape.width / 2, shape.y + shape.height / 2]);
}})()"""


class Person(Shell):
    """Answers the browser's dialogs at once, as the test says, and remembers what was asked."""

    def __init__(self) -> None:
        super().__init__(lambda line: self.reports.append(line))
        self.reports: list[str] = []
        self.files: list[Path] = []
        self.place: Path | None = None
        self.justification = ""
        self.printed = 0
        self.notices: list[str] = []

    def ask_justification(self, parent: Gtk.Window, decision: Any, answer: Callable[[str], None]) -> None:
        answer(self.justification)

    def choose_files(self, parent: Gtk.Window, several: bool, chosen: Callable[[Sequence[Path]], None]) -> None:
        chosen(self.files)

    def choose_place(
        self, parent: Gtk.Window, suggested: str, chosen: Callable[[Path | None], None], first: Path | None = None
    ) -> None:
        place = self.place or first
        chosen(place / suggested if place else None)

    def print(self, parent: Gtk.Window, operation: WebKit2.PrintOperation) -> None:
        self.printed += 1

    def notify(self, title: str, body: str) -> None:
        self.notices.append(f"{title}|{body}")


class WebKitDriver:
    """Both windows side by side, and whatever pages open on top of them."""

    engine = f"WebKitGTK {WebKit2.get_major_version()}.{WebKit2.get_minor_version()}"
    export = "webkit-content-blocker"

    def __init__(self, socket: Path, export: Sequence[str], *, is_guarded: bool = True) -> None:
        self.person = Person()
        self.guard = Guard(app=APP, path=socket, features=FEATURES, on_problem=self._problem)
        self.guard.start()
        self.browser = Browser(self.guard, self.person, export)
        opened: list[Viewer] = []
        self.browser.open(WORK_VIEWER, WORK, opened.append, guarded=is_guarded)
        self.browser.open(PRIVATE_VIEWER, PERSONAL, opened.append, guarded=False)
        self.wait(lambda: len(opened) == 2, "both windows are open")
        for place, viewer in enumerate((self.viewer(WORK_VIEWER), self.viewer(PRIVATE_VIEWER))):
            viewer.window.resize(WIDTH, HEIGHT)
            viewer.window.move(place * WIDTH, 0)

    def viewer(self, name: str) -> Viewer:
        return next(viewer for viewer in self.browser.viewers if viewer.name == name)

    @property
    def popups(self) -> list[Viewer]:
        return [viewer for viewer in self.browser.viewers if viewer.opener]

    # Pages

    def load(self, viewer: str, url: str) -> None:
        self.begin(viewer, url)
        path = url.partition("://")[2].partition("/")[2]
        self.wait(lambda: self.title(viewer) == "/" + path, f"`/{path}` is shown")
        painted = "document.documentElement.dataset.painted || ''"
        self.wait(lambda: self.script(viewer, painted), f"`/{path}` is painted")

    def begin(self, viewer: str, url: str) -> None:
        self.viewer(viewer).load(url)

    def title(self, viewer: str) -> str:
        return self.viewer(viewer).view.get_title() or ""

    def script(self, viewer: str, source: str) -> Any:
        return self.evaluate(self.viewer(viewer), source)

    def evaluate(self, viewer: Viewer, source: str) -> Any:
        values: list[Any] = []

        def done(view: WebKit2.WebView, result: Any) -> None:
            try:
                value = view.evaluate_javascript_finish(result)
                values.append(json.loads(value.to_json(0) or "null") if not value.is_undefined() else None)
            except GLib.Error as problem:
                values.append(f"error: {problem.message}")

        viewer.view.evaluate_javascript(source, -1, None, None, None, done)
        self.wait(lambda: values, f"an answer to `{source}`")
        return values[0]

    # The person

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        shown = self.viewer(viewer)
        x, y = json.loads(self.evaluate(shown, POSITION.format(element=element)))
        self.point(shown, x, y)
        _xdotool("click", BUTTONS[button])

    def point(self, viewer: Viewer, x: float, y: float) -> None:
        """Moves the pointer to a place in the page, and gives its window the keys."""
        window = viewer.window.get_window()
        window.raise_()
        left, top = self.on_screen(viewer, x, y)
        _xdotool("windowfocus", str(window.get_xid()), "mousemove", str(left), str(top))

    def on_screen(self, viewer: Viewer, x: float, y: float) -> tuple[int, int]:
        _, left, top = viewer.window.get_window().get_origin()
        inside = viewer.view.translate_coordinates(viewer.window, int(x), int(y))
        return left + inside[0], top + inside[1]

    def drag(self, viewer: str, element: str, target: str, into: str | None = None) -> None:
        """Drags one element onto another, perhaps in the other window."""
        shown = self.viewer(into or viewer)
        x, y = json.loads(self.evaluate(shown, POSITION.format(element=target)))
        self.drag_to_screen(viewer, element, *self.on_screen(shown, x, y))

    def drag_to_screen(self, viewer: str, element: str, x: int, y: int) -> None:
        """Drags an element to a place on the screen, in steps, as a hand does."""
        shown = self.viewer(viewer)
        self.point(shown, *json.loads(self.evaluate(shown, POSITION.format(element=element))))
        _xdotool("mousedown", "1")
        self.settle(0.1)
        for step in (8, 4, 0):
            _xdotool("mousemove", str(x - step), str(y - step))
            self.settle(0.15)
        _xdotool("mouseup", "1")

    def press(self, viewer: str, key: str) -> None:
        _xdotool("windowfocus", str(self.viewer(viewer).window.get_window().get_xid()), "key", f"ctrl+{key}")

    # Time

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = PATIENCE_SECONDS) -> Any:
        deadline = time.monotonic() + seconds
        # Something that happens elsewhere, such as a line in the site's log, wakes nobody here.
        ticking = GLib.timeout_add(5, lambda: True)
        try:
            while not (value := holds()):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"not within {seconds} s: {what}")
                Gtk.main_iteration_do(True)
            return value
        finally:
            GLib.source_remove(ticking)

    def settle(self, seconds: float = 0.3) -> None:
        """Lets the browser work for a while: for what must not happen."""
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, "time passes", seconds + 60)

    def close_popups(self) -> None:
        for viewer in self.popups:
            viewer.close()

    def close(self) -> None:
        self.browser.close()

    def _problem(self, problem: Exception) -> None:
        self.person.reports.append(str(problem))


def _xdotool(*arguments: str) -> None:
    subprocess.run(["xdotool", *arguments], check=True, timeout=PATIENCE_SECONDS, stdout=subprocess.DEVNULL)
