"""Firefox with the extension, as the rig drives it: one browser for each viewer, since an account is a profile's."""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from browser import CLOSE_OTHERS, IDS, UUID, Firefox
from marionette import MarionetteError

from daemon import Daemon, eventually
from installation import Installation
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import PERSONAL, WORK

START_SECONDS = 60.0
# The page of a refusal that comes late may replace the first.
ATTEMPTS_SECONDS = (3.0, 10.0)
STATUS = f"moz-extension://{UUID}/status.html"
TITLE = re.compile(
    r"webviewguard: (?P<answers>[^;]+); (?P<account>[^;]+); (?P<mode>\w+); (?P<count>\d+) rules; (?P<way>\d+) under way;"
    r" turn (?P<turn>\d+)"
)


class Viewer:
    """One browser with one tab, and beside it a tab that shows how the extension stands."""

    def __init__(self, installation: Installation, account: str, preferences: dict[str, Any] | None = None) -> None:
        settings = {"account": account, "class": "documents"}
        self.browser = Firefox(installation.manifest("firefox"), settings, **(preferences or {}))
        self._installation = installation
        self._begin(account)

    def restart(self, account: str) -> None:
        """Another account is stated, and the browser starts again."""
        self.browser.settings({"account": account, "class": "documents"})
        self.browser.restart()
        self._begin(account)

    def _begin(self, account: str) -> None:
        self.marionette = self.browser.marionette
        self.account = account
        try:
            self.browser.install(self._installation.directory / "firefox")
            self._open_status()
            eventually(self.is_ready, "the extension is at work", START_SECONDS)
            self.kept = self.marionette.chrome(IDS)
        except Exception as error:
            said = f"{self.status_text()}; {self.browser.said()[-1500:]}"
            self.browser.close()
            raise MarionetteError(f"{error}; Firefox said: {said}") from error

    def _open_status(self) -> None:
        tab = self.marionette.call("WebDriver:GetWindowHandle")["value"]
        status = self.marionette.call("WebDriver:NewWindow", type="tab", focus=False)["handle"]
        self.marionette.call("WebDriver:SwitchToWindow", handle=status, focus=False)
        self.marionette.call("WebDriver:Navigate", url=STATUS)
        self.marionette.call("WebDriver:SwitchToWindow", handle=tab, focus=True)
        self.tab = tab

    def status_text(self) -> str:
        return next((title for url, title in self.browser.tabs() if url == STATUS), "no status page")

    def status(self) -> dict[str, str]:
        said = TITLE.fullmatch(self.status_text())
        return said.groupdict() if said else {}

    def is_idle(self, after: int) -> bool:
        """Whether the status page said since then that no question is under way."""
        state = self.status()
        return int(state.get("turn", 0)) > after and state["way"] == "0"

    def is_ready(self) -> bool:
        state = self.status()
        rules = state.get("count", "0") != "0" or self.account != WORK
        return state.get("answers", "").startswith("answers") and state["account"] == self.account and rules

    def show(self) -> None:
        """The tab in front, and the commands that follow for it."""
        self.marionette.call("WebDriver:SwitchToWindow", handle=self.tab, focus=True)


class FirefoxDriver:
    """The rig's driver. The private viewer's browser starts when it is needed first."""

    export = "declarative-net-request"

    def __init__(self, daemon: Daemon) -> None:
        self.installation = Installation(daemon)
        self.viewers: dict[str, Viewer] = {}
        try:
            self.engine = self.viewer(WORK_VIEWER).browser.version
        except Exception:
            self.installation.remove()
            raise

    def viewer(self, name: str) -> Viewer:
        if name not in self.viewers:
            self.viewers[name] = Viewer(self.installation, {WORK_VIEWER: WORK, PRIVATE_VIEWER: PERSONAL}[name])
        return self.viewers[name]

    def load(self, viewer: str, url: str) -> None:
        parts = urlsplit(url)
        title = f"{parts.path}?{parts.query}" if parts.query else parts.path
        painted = "document.title + ' ' + (document.documentElement.dataset.painted || '')"
        for seconds in ATTEMPTS_SECONDS:
            self._go(viewer, url)
            with suppress(TimeoutError):
                self.wait(lambda: self.value(viewer, painted) == f"{title} yes", "a page", seconds)
                return
        raise TimeoutError(f"`{title}` is not shown")

    def settle(self, viewer: str) -> None:
        """Waits until every refusal so far was carried out: a page that comes late would replace the next one."""
        browser = self.viewer(viewer)
        before = int(browser.status().get("turn", 0))
        self.wait(lambda: browser.is_idle(after=before), "no question is under way")

    def begin(self, viewer: str, url: str) -> None:
        self.settle(viewer)
        self._go(viewer, url)

    def _go(self, viewer: str, url: str) -> None:
        browser = self.viewer(viewer)
        browser.show()
        browser.marionette.call("WebDriver:Navigate", url=url)

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        number = 1 if button == "middle" else 0
        x, y = self._middle(viewer, element)
        self._mouse(viewer, [_move(x, y), {"type": "pointerDown", "button": number}, {"type": "pointerUp", "button": number}])

    def drag(self, viewer: str, source: str, target: str) -> None:
        """Drags one element onto another, step by step as a hand does."""
        (x, y), (to_x, to_y) = self._middle(viewer, source), self._middle(viewer, target)
        steps = [_move(x + (to_x - x) * step / 10, y + (to_y - y) * step / 10) for step in range(1, 11)]
        down, up = {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}
        self._mouse(viewer, [_move(x, y), down, *steps, up])

    def _mouse(self, viewer: str, actions: list[dict[str, Any]]) -> None:
        pointer = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self.viewer(viewer).marionette.call("WebDriver:PerformActions", actions=[pointer])

    def _middle(self, viewer: str, element: str) -> tuple[float, float]:
        found = f"document.getElementById({json.dumps(element)})"
        rectangle = f"(r => [r.x + r.width / 2, r.y + r.height / 2])({found}.getBoundingClientRect())"
        x, y = self.script(viewer, rectangle)
        return x, y

    def press(self, viewer: str, key: str) -> None:
        control = "\ue009"
        keys = [("keyDown", control), ("keyDown", key), ("keyUp", key), ("keyUp", control)]
        actions = [{"type": kind, "value": value} for kind, value in keys]
        self.viewer(viewer).marionette.call(
            "WebDriver:PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}]
        )

    def script(self, viewer: str, source: str) -> Any:
        return self.viewer(viewer).marionette.script(f"return ({source})")

    def value(self, viewer: str, source: str) -> Any:
        """As `script`, but a page that is going just now has no value."""
        try:
            return self.script(viewer, source)
        except MarionetteError:
            return None

    def title(self, viewer: str) -> str:
        return str(self.value(viewer, "document.title"))

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        return eventually(holds, what, seconds)

    def close_popups(self) -> None:
        for viewer in self.viewers.values():
            if len(viewer.browser.tabs()) > len(viewer.kept):
                viewer.marionette.chrome(CLOSE_OTHERS, viewer.kept)
                viewer.show()

    def close(self) -> None:
        for viewer in self.viewers.values():
            viewer.browser.close()
        self.installation.remove()


def _move(x: float, y: float) -> dict[str, Any]:
    return {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
