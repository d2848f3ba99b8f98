"""Chromium with the extension, as the rig drives it: one browser for each viewer, since an account is a profile's."""

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from browser import Chromium, Tab
from devtools import DevToolsError

from daemon import Daemon, eventually
from installation import Installation
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import PERSONAL, WORK

COMMANDS = {"c": "copy", "x": "cut", "v": "paste", "a": "selectAll"}
START_SECONDS = 60.0


class Viewer:
    """One browser with one tab, and the extension at work."""

    def __init__(self, installation: Installation, account: str, *flags: str, **policies: Any) -> None:
        flags = flags or (f"--load-extension={installation.extension}",)
        self.browser = Chromium(installation.etc(account, **policies), *flags)
        self.id, self.account = installation.id, account
        try:
            eventually(lambda: self.browser.targets("service_worker"), "the extension starts", START_SECONDS)
            self.open_status()
            eventually(self.is_ready, "the extension is at work", START_SECONDS)
            self.tab = self.browser.page()
        except Exception as error:
            said = self.browser.said()[-1500:]
            self.browser.close()
            raise DevToolsError(f"{error}; Chromium said: {said}") from error

    def open_status(self) -> None:
        self.status_page = self.browser.page(f"chrome-extension://{self.id}/status.html")

    def status(self) -> dict[str, Any] | None:
        """How the extension says it stands; None while it is not there."""
        try:
            state = self.status_page.value("chrome.runtime.sendMessage({ page: 'status' })")
        except DevToolsError:
            return None
        return dict(state) if state else None

    def is_ready(self) -> bool:
        state = self.status()
        if not state or not state["standing"]["isConnected"] or state["rules"]["problem"]:
            return False
        if state["settings"].get("account") != self.account:
            return False
        return bool(state["rules"]["isFree"] or state["rules"]["count"])

    def frame_urls(self) -> list[str]:
        """What the frames of the tab show, those in processes of their own included."""
        tree = self.tab.call("Page.getFrameTree")["frameTree"]
        return urls_of(tree) + [info["url"] for info in self.browser.targets("iframe")]

    def shows_error(self) -> bool:
        """Whether a rule stopped the page, and the extension has not said so yet."""
        return bool(self.tab.call("Page.getFrameTree")["frameTree"]["frame"]["url"].startswith("chrome-error:"))

    def renew(self) -> None:
        """Sees that there is a tab to go on with."""

    def popups(self) -> list[str]:
        status = f"chrome-extension://{self.id}/status.html"
        others = [info for info in self.browser.targets() if info["targetId"] != self.tab.target]
        return [info["targetId"] for info in others if info["url"] != status]


class ChromiumDriver:
    """The rig's driver. The private viewer's browser starts when it is needed first."""

    export = "declarative-net-request"

    def __init__(self, daemon: Daemon, *permissions: str) -> None:
        self.installation = Installation(daemon)
        for permission in permissions:
            self.installation.permit(permission)
        self.viewers: dict[str, Viewer] = {}
        try:
            self.engine = self.viewer(WORK_VIEWER).browser.version.replace("Chrome/", "Chromium ")
        except Exception:
            self.installation.remove()
            raise

    def make(self, account: str) -> Viewer:
        return Viewer(self.installation, account)

    def viewer(self, name: str) -> Viewer:
        if name not in self.viewers:
            self.viewers[name] = self.make({WORK_VIEWER: WORK, PRIVATE_VIEWER: PERSONAL}[name])
            self.viewers[name].tab.call("Page.bringToFront")
        return self.viewers[name]

    def load(self, viewer: str, url: str) -> None:
        parts = urlsplit(url)
        title = f"{parts.path}?{parts.query}" if parts.query else parts.path
        self.settle(viewer)
        self.tab(viewer).call("Page.navigate", url=url)
        painted = "document.title + ' ' + (document.documentElement.dataset.painted || '')"
        self.wait(lambda: self.value(viewer, painted) == f"{title} yes", f"`{title}` is shown")

    def settle(self, viewer: str) -> None:
        """Waits until every refusal so far was carried out: a page that comes late would replace the next one."""
        browser = self.viewer(viewer)
        self.wait(lambda: (browser.status() or {}).get("underWay") == 0, "no question is under way")
        self.wait(lambda: not browser.shows_error(), "the browser's own page is replaced")
        browser.renew()
        # A tab behind another is never painted.
        browser.tab.call("Page.bringToFront")

    def begin(self, viewer: str, url: str) -> None:
        self.settle(viewer)
        tab = self.tab(viewer)
        tab.devtools.send("Page.navigate", {"url": url}, tab.session)

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        tab = self.tab(viewer)
        x, y = self._middle(viewer, element)
        tab.mouse("mousePressed", x, y, button)
        tab.mouse("mouseReleased", x, y, button)

    def drag(self, viewer: str, source: str, target: str) -> None:
        """Drags one element onto another, step by step as a hand does."""
        tab = self.tab(viewer)
        (x, y), (to_x, to_y) = self._middle(viewer, source), self._middle(viewer, target)
        tab.mouse("mousePressed", x, y, buttons=1)
        for step in range(1, 11):
            tab.mouse("mouseMoved", x + (to_x - x) * step / 10, y + (to_y - y) * step / 10, buttons=1)
        tab.mouse("mouseReleased", to_x, to_y)

    def _middle(self, viewer: str, element: str) -> tuple[float, float]:
        rectangle = f"(r => [r.x + r.width / 2, r.y + r.height / 2])({element_of(element)}.getBoundingClientRect())"
        x, y = self.script(viewer, rectangle)
        return x, y

    def script(self, viewer: str, source: str) -> Any:
        return self.tab(viewer).value(source)

    def press(self, viewer: str, key: str) -> None:
        self.tab(viewer).key(key, COMMANDS[key])

    def title(self, viewer: str) -> str:
        return str(self.value(viewer, "document.title"))

    def tab(self, viewer: str) -> Tab:
        return self.viewer(viewer).tab

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        return eventually(holds, what, seconds)

    def close_popups(self) -> None:
        for viewer in self.viewers.values():
            popups = viewer.popups()
            for target in popups:
                # A popup that has closed by itself meanwhile is what is wanted.
                with suppress(DevToolsError):
                    viewer.browser.devtools.call("Target.closeTarget", {"targetId": target})
            if popups:
                viewer.tab.call("Page.bringToFront")

    def close(self) -> None:
        for viewer in self.viewers.values():
            viewer.browser.close()
        self.installation.remove()

    def value(self, viewer: str, source: str) -> Any:
        """As `script`, but a page that is going just now has no value."""
        try:
            return self.script(viewer, source)
        except DevToolsError:
            return None


def urls_of(tree: dict[str, Any]) -> list[str]:
    return [tree["frame"]["url"]] + [url for child in tree.get("childFrames", []) for url in urls_of(child)]


def element_of(element: str) -> str:
    return f"document.getElementById({json.dumps(element)})"
