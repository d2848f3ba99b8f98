"""A daemon, a site and a browser for each class of tests, and the steps that the tests are made of."""

import itertools
import json
import os
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent / "varlink"), str(ROOT / "examples/qtwebengine")]

os.environ["QT_QPA_PLATFORM"] = "offscreen"
RUNTIME = tempfile.mkdtemp(prefix="wvg-")
os.environ["XDG_RUNTIME_DIR"] = RUNTIME
os.environ.setdefault("QT_LOGGING_RULES", "*=false")

from configuration import PERSONAL, WORK, Configuration  # noqa: E402
from daemon import Daemon  # noqa: E402
from embedder import Browser, Guard  # noqa: E402
from PyQt6.QtCore import QPoint, Qt, QUrl  # noqa: E402
from PyQt6.QtTest import QTest  # noqa: E402
from PyQt6.QtWebEngineWidgets import QWebEngineView  # noqa: E402
from site_log import BLOCKED_HOST, INTERNAL_HOST, Site  # noqa: E402

PATIENCE_SECONDS = 10.0
numbers = itertools.count(1)

RULES = f"""\
ruleSet: contoso
default: external
rules:
  - id: own
    internal: {{ host: {INTERNAL_HOST} }}
  - id: forbidden
    external: {{ host: {BLOCKED_HOST} }}
    then: block
    message: "not <{{host}}>"
"""


class Listening(Guard):
    """The example's guard, with a memory of what was asked and answered."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.heard: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def decide(self, method: str, **event: Any) -> dict[str, Any]:
        decision = super().decide(method, **event)
        self.heard.append((method, event, decision))
        return decision


def until(holds: Callable[[], Any], what: str) -> Any:
    """Lets the engine work until `holds` is true, and returns its value."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (value := holds()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {PATIENCE_SECONDS} s: {what}")
        QTest.qWait(5)
    return value


class EngineCase(unittest.TestCase):
    """A daemon, a site and a browser with two windows: work in one, private life in the other."""

    daemon: ClassVar[Daemon]
    site: ClassVar[Site]
    guard: ClassVar[Listening]
    browser: ClassVar[Browser]
    reported: ClassVar[list[str]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.site, cls.reported = Site(), []
        cls.addClassCleanup(cls.site.close)
        cls.daemon = Daemon(Configuration(rules=RULES))
        cls.addClassCleanup(cls.daemon.remove)
        cls.daemon.start()
        cls.guard = Listening(str(cls.daemon.guard_socket))
        cls.guard.say("SetIdentity", level="window", window="work", account=WORK)
        cls.guard.say("SetIdentity", level="window", window="private", account=PERSONAL)
        cls.browser = Browser(cls.guard, cls.reported.append)
        cls.addClassCleanup(lambda: [view.close() for view in cls.browser.views])

    def setUp(self) -> None:
        self.guard.heard.clear()
        self.reported.clear()

    # Steps

    def opened(self, window: str = "work") -> QWebEngineView:
        """A new window that shows the site's first page."""
        view = self.browser.open(window=window, **{"class": "documents"})
        self.begin(view)
        return view

    def begin(self, view: QWebEngineView) -> None:
        """Shows the site's first page anew, under a title that no page had before."""
        self.go(view, f"/?{next(numbers)}")

    def go(self, view: QWebEngineView, path: str) -> None:
        view.load(QUrl(self.site.url(path)))
        self.shows(view, path)

    def shows(self, view: QWebEngineView, path: str) -> None:
        """Waits until a page of the site is painted: before that the engine drops clicks."""
        until(lambda: view.title() == path, f"`{path}` is shown")
        until(lambda: self.script(view, "document.documentElement.dataset.painted"), f"`{path}` is painted")

    def shows_block(self, view: QWebEngineView) -> None:
        until(lambda: view.title() == "Blocked", "a page says that the last one was blocked")

    def script(self, view: QWebEngineView, source: str) -> Any:
        values: list[Any] = []
        view.page().runJavaScript(source, values.append)
        until(lambda: values, f"an answer to `{source}`")
        return values[0]

    def click(self, view: QWebEngineView, element: str) -> None:
        middle = (
            f"(r => JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]))"
            f"(document.getElementById('{element}').getBoundingClientRect())"
        )
        x, y = json.loads(self.script(view, middle))
        QTest.mouseClick(view.focusProxy(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), int(y)))

    def press(self, view: QWebEngineView, key: Qt.Key) -> None:
        QTest.keyClick(view.focusProxy(), key, Qt.KeyboardModifier.ControlModifier)

    def decided(self, method: str, path: str = "") -> dict[str, Any]:
        """The decision on a question that the browser asks about a path, once it is there."""

        def found() -> dict[str, Any] | None:
            for asked, event, decision in self.guard.heard:
                if asked == method and event.get("url", "").endswith(path):
                    return decision
            return None

        return until(found, f"{method} {path} is decided")

    def assert_never_asked(self, view: QWebEngineView, path: str) -> None:
        """A request that had been let through would have come before that for the next page."""
        self.go(view, f"/behind{path}")
        self.assertFalse(self.site.was_asked(path), f"the site was asked for {path}")
