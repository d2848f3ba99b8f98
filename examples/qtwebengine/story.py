"""What happens in the five viewers when nobody is there to click: a short day, and a picture of its end."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest

if TYPE_CHECKING:
    from five_viewers import FiveViewers, Viewer

SECONDS = 15.0


def play(window: "FiveViewers", pictures: Path) -> int:
    """Follows a link in B and in E, copies in D, pastes in A, and saves a picture. 1 when something did not happen."""
    try:
        for viewer in window.viewers.values():
            _until(lambda v=viewer: _is_painted(v), "the pages are shown")
        _click(window.viewers["B"], "link")
        _until(lambda: window.viewers["B"].page.address.endswith("/bridge"), "the link in B is followed")
        _select(window.viewers["D"], "field")
        _press(window.viewers["D"], Qt.Key.Key_C)
        _until(lambda: any("D: clip" in line or "D: copy" in line for line in window.lines), "D copies")
        _select(window.viewers["A"], "field")
        _press(window.viewers["A"], Qt.Key.Key_V)
        _until(lambda: any("A: paste" in line for line in window.lines), "A asks whether it may paste")
        _click(window.viewers["E"], "link")
        _until(lambda: any("redirect" in line for line in window.lines), "the link in E opens elsewhere")
        _until(lambda: all(_is_painted(viewer) for viewer in window.viewers.values()), "all is painted again")
    except TimeoutError as problem:
        print(f"five_viewers: {problem}")
        return 1
    pictures.mkdir(parents=True, exist_ok=True)
    file = pictures / "five-viewers.png"
    print(file if window.grab().save(str(file)) else f"`{file}` cannot be written")
    return 0


def _until(holds: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {SECONDS} s: {what}")
        QTest.qWait(20)


def _script(viewer: "Viewer", source: str) -> Any:
    values: list[Any] = []
    viewer.page.runJavaScript(source, values.append)
    _until(lambda: values, f"an answer to `{source}`")
    return values[0]


def _is_painted(viewer: "Viewer") -> bool:
    """Twice a frame was drawn: before that the engine drops clicks, and a picture would be white."""
    source = """(d => { if (!("seen" in d)) { d.seen = ""; requestAnimationFrame(() => requestAnimationFrame(
        () => d.seen = "yes")) } return document.readyState == "complete" && d.seen })(document.documentElement.dataset)"""
    return not viewer.page.isLoading() and _script(viewer, source) == "yes"


def _click(viewer: "Viewer", element: str) -> None:
    where = f"(r => [r.x + r.width / 2, r.y + r.height / 2])(document.getElementById('{element}').getBoundingClientRect())"
    x, y = _script(viewer, where)
    QTest.mouseClick(viewer.view.focusProxy(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), int(y)))


def _select(viewer: "Viewer", element: str) -> None:
    viewer.view.activateWindow()
    _click(viewer, element)
    _until(lambda: _script(viewer, "document.activeElement.id") == element, "the field has the focus")
    _press(viewer, Qt.Key.Key_A)
    QTest.qWait(100)


def _press(viewer: "Viewer", key: Qt.Key) -> None:
    QTest.keyClick(viewer.view.focusProxy(), key, Qt.KeyboardModifier.ControlModifier)
