"""The little browser with CEF, driven through Chromium's own debugging pipe: clicks and keys are those of a person."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from base64 import b64decode
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from devtools import DevTools, DevToolsError, Message
from engine import BROWSER

from daemon import eventually
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import APP, PERSONAL, WORK

COMMANDS = {"c": "copy", "x": "cut", "v": "paste", "a": "selectAll"}
SWITCHES = (
    "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--in-process-gpu", "--disable-dev-shm-usage",
    "--disable-sync", "--no-first-run", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
    "--disable-component-update", "--disable-background-networking", "--lang=en",
    "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,DownloadBubble,BackForwardCache",
)  # fmt: skip
KNOWN_HOSTS = "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost , EXCLUDE *.localhost"
# The browser wants its pipes as descriptors 3 and 4.
LAUNCH = 'reading=$1; writing=$2; shift 2; ulimit -c 0; exec "$@" 3<&"$reading" 4>&"$writing"'
END_SECONDS = 20.0
# Clicks that a page did not hear for so long come no more.
CLICK_SECONDS = 5.0
# How many clicks this page has heard since it was first asked.
CLICKS = """(heard => {
  if (!heard.clicks) {
    heard.clicks = "0";
    addEventListener("click", () => { heard.clicks = String(Number(heard.clicks) + 1); }, true);
  }
  return Number(heard.clicks);
})(document.documentElement.dataset)"""
WINDOW_WIDTH = 640


def xdotool(*words: str) -> None:
    subprocess.run(["xdotool", *words], check=True, timeout=END_SECONDS)


class Tab:
    """A page of the browser that is clicked and typed into."""

    def __init__(self, devtools: DevTools, target: str) -> None:
        self.devtools, self.target = devtools, target
        attached = devtools.call("Target.attachToTarget", {"targetId": target, "flatten": True})
        self.session: str = attached["sessionId"]

    def call(self, method: str, **parameters: Any) -> Message:
        return self.devtools.call(method, parameters, self.session)

    def value(self, script: str, *, by_user: bool = True) -> Any:
        """What a script comes to, run as if a person had just clicked."""
        parameters = {"expression": script, "returnByValue": True, "awaitPromise": True, "userGesture": by_user}
        result = self.devtools.call("Runtime.evaluate", parameters, self.session)
        if "exceptionDetails" in result:
            raise DevToolsError(f"the script failed: {json.dumps(result['exceptionDetails'])[:400]}")
        return result["result"].get("value")


class CefDriver:
    """The rig's driver: two windows of one program, which show two accounts."""

    engine = "CEF 131"
    export = ""

    def __init__(
        self, socket: Path, style: str, *switches: str, app: str = APP, second: tuple[str, str] = (PERSONAL, "documents"),
        environment: dict[str, str] | None = None,
    ) -> None:
        """`second` is the account and the class of the second window."""
        self.style = style
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-cef-"))
        self.said = self.directory / "said"
        self.chosen = self.directory / "chosen.txt"
        self.chosen.write_text("for contoso only")
        to_read, to_write = os.pipe(), os.pipe()
        browser = [str(BROWSER), str(socket), style, WORK, second[0], str(self.directory / "profile"), *SWITCHES]
        rules = () if any("host-resolver-rules" in one for one in switches) else (KNOWN_HOSTS,)
        command = ["bash", "-c", LAUNCH, "bash", str(to_read[0]), str(to_write[1]), *browser, *rules, *switches]
        own = {"HOME": str(self.directory), "BROWSER_CHOOSES": str(self.chosen), "BROWSER_APP": app}
        own |= {"BROWSER_SECOND_CLASS": second[1]} | (environment or {})
        with open(self.said, "wb") as said:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, pass_fds=(to_read[0], to_write[1]),
                env={**os.environ, **own}, start_new_session=True,
            )  # fmt: skip
        os.close(to_read[0])
        os.close(to_write[1])
        self.devtools = DevTools(to_write[0], to_read[1])
        try:
            eventually(lambda: len(self.targets()) == 2, "both windows are open", 60)
            self.tabs = {name: self._tab(name) for name in (WORK_VIEWER, PRIVATE_VIEWER)}
        except Exception as error:
            text = self.said.read_text(errors="replace")[-1500:]
            self.close()
            raise DevToolsError(f"{error}; CEF said: {text}") from error

    def _tab(self, viewer: str) -> Tab:
        target = next(info["targetId"] for info in self.targets() if info["url"] == f"about:blank#{viewer}")
        return Tab(self.devtools, target)

    def targets(self, *kinds: str) -> list[Message]:
        infos: list[Message] = self.devtools.call("Target.getTargets")["targetInfos"]
        return [info for info in infos if info["type"] in (kinds or ("page",))]

    def heard(self) -> list[str]:
        """What the program's own handler was told of."""
        lines = self.said.read_text(errors="replace").splitlines()
        return [line.removeprefix("hears ") for line in lines if line.startswith("hears ")]

    # Pages

    def load(self, viewer: str, url: str) -> None:
        parts = urlsplit(url)
        title = f"{parts.path}?{parts.query}" if parts.query else parts.path
        self.tabs[viewer].call("Page.bringToFront")
        self.tabs[viewer].call("Page.navigate", url=url)
        painted = "document.title + ' ' + (document.documentElement.dataset.painted || '')"
        self.wait(lambda: self.value(viewer, painted) == f"{title} yes", f"`{title}` is shown")

    def begin(self, viewer: str, url: str) -> None:
        tab = self.tabs[viewer]
        tab.call("Page.bringToFront")
        tab.devtools.send("Page.navigate", {"url": url}, tab.session)

    def script(self, viewer: str, source: str, *, by_user: bool = True) -> Any:
        return self.tabs[viewer].value(source, by_user=by_user)

    def value(self, viewer: str, source: str) -> Any:
        """As `script`, but a page that is going just now has no value."""
        with suppress(DevToolsError):
            return self.script(viewer, source, by_user=False)

    def title(self, viewer: str) -> str:
        return str(self.value(viewer, "document.title"))

    # The person

    def middle(self, viewer: str, element: str) -> tuple[float, float]:
        shape = f"document.getElementById({json.dumps(element)}).getBoundingClientRect()"
        x, y = self.script(viewer, f"(r => [r.x + r.width / 2, r.y + r.height / 2])({shape})", by_user=False)
        return x, y

    def click(self, viewer: str, element: str, button: str = "left") -> None:
        x, y = self.middle(viewer, element)
        for kind in ("mousePressed", "mouseReleased"):
            self.tabs[viewer].call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, clickCount=1)

    def press(self, viewer: str, key: str) -> None:
        code = {"key": key, "code": f"Key{key.upper()}", "windowsVirtualKeyCode": ord(key.upper()), "modifiers": 2}
        self.tabs[viewer].call("Input.dispatchKeyEvent", type="rawKeyDown", commands=[COMMANDS[key]], **code)
        self.tabs[viewer].call("Input.dispatchKeyEvent", type="keyUp", **code)

    def write(self, viewer: str, element: str, text: str) -> None:
        self.click(viewer, element)
        self.tabs[viewer].call("Input.insertText", text=text)

    def picture(self, viewer: str) -> bytes:
        return b64decode(self.tabs[viewer].call("Page.captureScreenshot", format="png")["data"])

    # The person at the screen. No window manager is there: Alloy's windows lie side by side, Chrome's on one another

    def place(self, viewer: str, element: str) -> tuple[str, str]:
        x, y = self.middle(viewer, element)
        left, top = (0 if viewer == WORK_VIEWER else WINDOW_WIDTH), 0
        if self.style == "chrome":
            self.tabs[viewer].call("Page.bringToFront")
            corner = "[screenX + outerWidth - innerWidth, screenY + outerHeight - innerHeight]"
            left, top = self.script(viewer, corner, by_user=False)
        return str(int(left + x)), str(int(top + y))

    def real_click(self, viewer: str, element: str, button: str = "1") -> None:
        xdotool("mousemove", *self.place(viewer, element), "click", button)

    def mark(self, viewer: str, element: str, click: Callable[[], None] | None = None) -> str:
        """Marks a paragraph with three clicks, by `click` or by xdotool, and returns its text. The page has heard all of
        them then: one that comes late would take the mark away again."""

        def by_xdotool() -> None:
            xdotool("mousemove", *self.place(viewer, element), "click", "--repeat", "3", "--delay", "30", "1")

        text = str(self.script(viewer, f"document.getElementById({json.dumps(element)}).innerText", by_user=False))

        def marked() -> bool:
            heard = int(self.script(viewer, CLICKS, by_user=False))
            (click or by_xdotool)()
            # A window that was only just opened hears no click yet.
            with suppress(TimeoutError):
                self.wait(lambda: int(self.value(viewer, CLICKS) or 0) >= heard + 3, "the clicks are heard", CLICK_SECONDS)
            return str(self.value(viewer, "String(getSelection())")).strip() == text

        self.wait(marked, "it is marked")
        return text

    def real_press(self, *keys: str) -> None:
        xdotool("key", *keys)

    def pause(self) -> None:
        """As a person waits between two steps, until something has opened."""
        time.sleep(0.3)

    def drag(self, viewer: str, element: str, into: str, target: str) -> None:
        self.drag_from(self.place(viewer, element), self.place(into, target))

    def drag_from(self, start: tuple[str, str], end: tuple[str, str]) -> None:
        """In steps, as a hand does: the engine takes up a drag only when the pointer has moved for a while."""
        x, y = end
        xdotool("mousemove", *start, "sleep", "0.1", "mousedown", "1")
        for step in (12, 8, 4, 0):
            xdotool("sleep", "0.15", "mousemove", str(int(x) - step), str(int(y) - step))
        xdotool("sleep", "0.3", "mouseup", "1")

    def begin_drag(self, viewer: str, element: str) -> None:
        """The page hears of a drag, and the desktop does not: it takes no time, and whichever window has the focus keeps
        it. Once for a program: for Chromium it never ends."""
        tab, about = self.tabs[viewer], {"button": "left", "buttons": 1, "clickCount": 1}
        x, y = self.middle(viewer, element)
        tab.call("Input.setInterceptDrags", enabled=True)
        for kind, step in (("mousePressed", 0), ("mouseMoved", 10), ("mouseMoved", 20)):
            tab.call("Input.dispatchMouseEvent", type=kind, x=x + step, y=y, **about)

    # Time

    def wait(self, holds: Callable[[], Any], what: str, seconds: float = 60.0) -> Any:
        return eventually(holds, what, seconds)

    def popup(self, name: str) -> None:
        """Takes the only popup as a window of this name, to be looked at and clicked."""
        eventually(self.popups, "the popup is open")
        self.tabs[name] = Tab(self.devtools, self.popups()[0])

    def popups(self) -> list[str]:
        own = {self.tabs[name].target for name in (WORK_VIEWER, PRIVATE_VIEWER)}
        return [info["targetId"] for info in self.targets() if info["targetId"] not in own]

    def close_popups(self) -> None:
        for target in self.popups():
            with suppress(DevToolsError):
                self.devtools.call("Target.closeTarget", {"targetId": target})

    def close(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, 9)
        self.process.wait(END_SECONDS)
        self.devtools.close(END_SECONDS)
        deadline = time.monotonic() + END_SECONDS
        while self.directory.exists() and time.monotonic() < deadline:
            shutil.rmtree(self.directory, ignore_errors=True)
            time.sleep(0.02)
