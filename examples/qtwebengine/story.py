"""What happens in the five viewers when nobody is there to click: a short day, and a picture of its end."""

import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QImage, QPixmap
from PyQt6.QtTest import QTest

if TYPE_CHECKING:
    from five_viewers import FiveViewers, Viewer
    from window import Window

SECONDS = 15.0


def play(window: "FiveViewers", pictures: Path) -> int:
    """Follows a link in B and in E, copies in D, pastes in A, and saves a picture. 1 when something did not happen."""
    try:
        for viewer in window.viewers.values():
            until(lambda v=viewer: is_painted(v), "the pages are shown")
        click(window.viewers["B"], "link")
        until(lambda: window.viewers["B"].page.address.endswith("/bridge"), "the link in B is followed")
        select(window.viewers["D"], "field")
        press(window.viewers["D"], Qt.Key.Key_C)
        until(lambda: any("D: clip" in line or "D: copy" in line for line in window.lines), "D copies")
        select(window.viewers["A"], "field")
        press(window.viewers["A"], Qt.Key.Key_V)
        until(lambda: any("A: paste" in line for line in window.lines), "A asks whether it may paste")
        click(window.viewers["E"], "link")
        until(lambda: any("redirect" in line for line in window.lines), "the link in E opens elsewhere")
        until(lambda: all(is_painted(viewer) for viewer in window.viewers.values()), "all is painted again")
    except TimeoutError as problem:
        print(f"five_viewers: {problem}")
        return 1
    return 0 if save(window.grab(), pictures / "five-viewers.png") else 1


def save(picture: QPixmap, file: Path) -> bool:
    """Saves a small file, with a palette of the colours that there are most of."""
    file.parent.mkdir(parents=True, exist_ok=True)
    image = picture.toImage().convertToFormat(QImage.Format.Format_RGB32)
    bits: Any = image.constBits()
    # PyQt6 does not say how long it is; PySide6 has a memoryview.
    pixels = memoryview(bits.asarray(image.sizeInBytes()) if hasattr(bits, "asarray") else bits).cast("B").cast("I")
    palette = [colour for colour, _ in Counter(pixels).most_common(256)]
    saved = image.convertToFormat(QImage.Format.Format_Indexed8, palette).save(str(file))
    print(file if saved else f"`{file}` cannot be written", flush=True)
    return saved


def until(holds: Callable[[], Any], what: str) -> None:
    deadline = time.monotonic() + SECONDS
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {SECONDS} s: {what}")
        QTest.qWait(20)


def script(viewer: "Viewer | Window", source: str) -> Any:
    values: list[Any] = []
    viewer.page.runJavaScript(source, values.append)
    until(lambda: values, f"an answer to `{source}`")
    return values[0]


def is_painted(viewer: "Viewer | Window") -> bool:
    """Whether a frame was drawn twice: before that the engine drops clicks, and a picture is white."""
    source = """(d => {
      const seen = () => d.seen = "yes";
      if (!("seen" in d)) { d.seen = ""; requestAnimationFrame(() => requestAnimationFrame(seen)) }
      return document.readyState == "complete" && d.seen;
    })(document.documentElement.dataset)"""
    return not viewer.page.isLoading() and script(viewer, source) == "yes"


def click(viewer: "Viewer | Window", element: str) -> None:
    where = (
        f"(r => JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]))"
        f"(document.getElementById('{element}').getBoundingClientRect())"
    )
    x, y = json.loads(script(viewer, where))
    QTest.mouseClick(viewer.view.focusProxy(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), int(y)))


def select(viewer: "Viewer | Window", element: str) -> None:
    viewer.view.activateWindow()
    click(viewer, element)
    until(lambda: script(viewer, "document.activeElement.id") == element, "the field has the focus")
    press(viewer, Qt.Key.Key_A)
    QTest.qWait(100)


def press(viewer: "Viewer | Window", key: Qt.Key) -> None:
    QTest.keyClick(viewer.view.focusProxy(), key, Qt.KeyboardModifier.ControlModifier)
