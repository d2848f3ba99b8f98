"""The example browser as the rig drives it: real clicks and keys, on a screen that nobody sees."""

import atexit
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path[:0] = [str(HERE.parent), str(ROOT / "clients/python/src"), str(ROOT / "examples/qtwebengine")]
sys.path.append(str(ROOT / "examples/accounts"))

RUNTIME = tempfile.mkdtemp(prefix="wvg-")
atexit.register(shutil.rmtree, RUNTIME, ignore_errors=True)
os.environ["XDG_RUNTIME_DIR"] = RUNTIME
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_LOGGING_RULES", "*=false")

import browser as example  # noqa: E402
from profiles import Profiles  # noqa: E402
from PyQt6.QtCore import QPoint, Qt, QUrl  # noqa: E402
from PyQt6.QtTest import QTest  # noqa: E402
from PyQt6.QtWebEngineCore import qWebEngineChromiumVersion, qWebEngineVersion  # noqa: E402
from PyQt6.QtWidgets import QApplication  # noqa: E402
from rig.case import BrowserCase  # noqa: E402
from rig.policy import APP, PERSONAL, WORK  # noqa: E402
from webviewguard import Decision, Guard, OpenOffer  # noqa: E402
from webviewguard.qt import BINDING, GuardedPage, GuardedView, People  # noqa: E402

__all__ = [
    "APP",
    "HERE",
    "IS_PYSIDE",
    "PERSONAL",
    "ROOT",
    "WORK",
    "Answers",
    "QtCase",
    "QtDriver",
    "application",
]

IS_PYSIDE = BINDING == "PySide6"


def application() -> QApplication:
    """The one application of the process."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setQuitOnLastWindowClosed(False)
    return app


class Answers(People):
    """A person who answers at once: what is chosen is said beforehand, and what was told is remembered."""

    def __init__(self) -> None:
        super().__init__()
        self.chosen_files: list[str] = []
        self.chosen_place = ""
        self.reason = ""
        self.asked_why: list[str] = []
        self.lines: list[str] = []
        self.offered: list[OpenOffer] = []
        self.told.append(self._remember)

    def _remember(self, text: str, offer: OpenOffer | None, viewer: str | None) -> None:
        self.lines.append(text)
        self.offered += [offer] if offer else []

    def prompt(self, host: str, message: str, default: str) -> str | None:
        return None

    def files(self, several: bool) -> Sequence[str]:
        return self.chosen_files

    def place(self, suggestion: str) -> str:
        return self.chosen_place

    def justification(self, why: str) -> str:
        self.asked_why.append(why)
        return self.reason


class QtDriver:
    """Both windows of the example. What was asked and answered is remembered."""

    engine = f"QtWebEngine {qWebEngineVersion()}"
    export = ""

    def __init__(self, socket: str, accounts: dict[str, str] | None = None, profiles: Profiles | None = None) -> None:
        self.application = application()
        self.chromium = qWebEngineChromiumVersion()
        self.people = Answers()
        self.guard = Guard(app=APP, path=socket, features=example.FEATURES)
        self.guard.start()
        accounts = accounts or {"work": WORK, "private": PERSONAL}
        self.browser = example.Browser(self.guard, accounts, "documents", self.people, profiles)
        self.heard: list[tuple[str, dict[str, Any], Decision]] = []
        self.browser.embedder.heard.append(lambda event, about, answer: self.heard.append((event, about, answer)))

    # What the rig needs

    def load(self, viewer: str, url: str) -> None:
        self.begin(viewer, url)
        path = url.partition("//")[2].partition("/")[2]
        self.shows(viewer, f"/{path}")

    def begin(self, viewer: str, url: str) -> None:
        self.page(viewer).load(QUrl(url))

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        middle = (
            f"(r => JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]))"
            f"(document.getElementById('{element}').getBoundingClientRect())"
        )
        x, y = json.loads(self.script(viewer, middle))
        qt_button = Qt.MouseButton.MiddleButton if button == "middle" else Qt.MouseButton.LeftButton
        QTest.mouseClick(self.target(viewer), qt_button, pos=QPoint(int(x), int(y)))

    def script(self, viewer: str, source: str) -> Any:
        values: list[Any] = []
        self.page(viewer).runJavaScript(source, values.append)
        return self.wait(lambda: values, f"an answer to `{source}`")[0]

    def press(self, viewer: str, key: str) -> None:
        QTest.keyClick(self.target(viewer), Qt.Key(ord(key.upper())), Qt.KeyboardModifier.ControlModifier)

    def title(self, viewer: str) -> str:
        return self.page(viewer).title()

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        deadline = time.monotonic() + seconds
        while not (value := holds()):
            if time.monotonic() > deadline:
                raise TimeoutError(f"not within {seconds} s: {what}")
            QTest.qWait(3)
        return value

    def close_popups(self) -> None:
        for window in list(self.browser.windows):
            if window.page.name not in self.browser.accounts:
                window.close()

    def close(self) -> None:
        """Stops what is under way first: the engine does not like to lose a page in the middle of a request."""
        for window in list(self.browser.windows):
            window.view.stop()
        with suppress(TimeoutError):
            self.wait(lambda: not any(window.page.isLoading() for window in self.browser.windows), "it is quiet", 10)
        for window in list(self.browser.windows):
            window.close()
        # Here: Python's collector works in any thread, also in those of the site, where nothing of Qt may end.
        for name in list(self.browser.embedder.profiles):
            self.browser.embedder.sign_out(name)
        self.browser.embedder.close()

    # More

    def page(self, viewer: str) -> GuardedPage:
        return self.browser.embedder.pages[viewer]

    def view(self, viewer: str) -> GuardedView:
        return self.browser.window(viewer).view

    def target(self, viewer: str) -> Any:
        """The widget that takes clicks and keys."""
        return self.view(viewer).focusProxy()

    def shows(self, viewer: str, title: str) -> None:
        self.wait(lambda: self.title(viewer) == title, f"`{title}` is shown")
        self.wait(lambda: self.script(viewer, "document.documentElement.dataset.painted"), f"`{title}` is painted")

    def shows_block(self, viewer: str = "work") -> None:
        self.wait(lambda: self.page(viewer).shows_notice, "a page says that the last one was blocked")
        self.wait(lambda: not self.page(viewer).isLoading(), "that page is loaded")
        answers: list[Any] = []

        def asked() -> bool:
            """A page that goes meanwhile never answers, so each turn asks the one that is there."""
            self.page(viewer).runJavaScript("!!document.querySelector('nav a')", answers.append)
            return any(answers)

        self.wait(asked, "its buttons are there")

    def decided(self, event: str, path: str = "") -> Decision:
        """The first decision on such a question about a path, once it is there."""

        def found() -> list[Decision]:
            return [d for asked, about, d in self.heard if asked == event and (about.get("url") or "").endswith(path)]

        return self.wait(found, f"{event} {path} is decided")[0]

    @property
    def popups(self) -> list[str]:
        return [window.page.name for window in self.browser.windows if window.page.name not in self.browser.accounts]


class QtCase(BrowserCase):
    """The rig's case with this driver."""

    driver: QtDriver

    @classmethod
    def make_driver(cls) -> QtDriver:
        return QtDriver(str(cls.daemon.guard_socket))

    def setUp(self) -> None:
        self.driver.heard.clear()
        self.driver.people.lines.clear()
