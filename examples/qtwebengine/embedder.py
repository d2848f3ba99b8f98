#!/usr/bin/python3
"""A small browser under the guard of webviewguard, with Qt WebEngine.

  embedder.py SOCKET ACCOUNT URL

It asks before every navigation, every hop of a redirect, every new window, and every copy, cut and paste. It fails
closed: without an answer in time, the answer is no. A finished browser also reports `ClipboardChanged`, and asks about
what a page loads by itself through a QWebEngineUrlRequestInterceptor.
"""

import json
import os
import secrets
import socket
import struct
import sys
from collections.abc import Callable
from html import escape
from typing import Any
from urllib.parse import quote

if os.geteuid() == 0:  # Chromium has no sandbox for root.
    os.environ.setdefault("QTWEBENGINE_CHROMIUM_FLAGS", "--no-sandbox --disable-gpu --disable-quic")

from PyQt6.QtCore import QTimer, QUrl
from PyQt6.QtWebEngineCore import QWebEngineNewWindowRequest, QWebEnginePage, QWebEngineProfile, QWebEngineScript
from PyQt6.QtWebEngineWidgets import QWebEngineView
from PyQt6.QtWidgets import QApplication

# Only our own script knows this word, so that no page can ask in its place.
SECRET = secrets.token_hex()
SCRIPT = """(() => {
  const ask = window.prompt.bind(window);
  const selected = () => {
    const field = document.activeElement;
    return field && "selectionStart" in field
      ? field.value.slice(field.selectionStart, field.selectionEnd) : String(getSelection());
  };
  for (const type of ["copy", "cut", "paste"]) window.addEventListener(type, event => {
    const text = type === "paste" ? event.clipboardData.getData("text/plain") : selected();
    const question = JSON.stringify({ type, length: Array.from(text).length });
    if (ask("SECRET", question) !== "allow") { event.preventDefault(); event.stopImmediatePropagation(); }
  }, true);
})()""".replace("SECRET", SECRET)


class Guard:
    """A varlink client for one daemon: JSON that ends with NUL, one question at a time."""

    def __init__(self, path: str, seconds: float = 0.5) -> None:
        self.path, self.seconds = path, seconds
        self.stream: socket.socket | None = None
        self.said: list[tuple[str, dict[str, Any]]] = []

    def say(self, method: str, **parameters: Any) -> None:
        """Tells the daemon something now, and again whenever the connection had to be made anew."""
        self.said.append((method, parameters))
        if self.stream:
            self._ask(method, parameters)

    def decide(self, method: str, **event: Any) -> dict[str, Any]:
        """The daemon's decision; any error is `block`, and so is no answer."""
        reply = self._ask(method, {"event": event})
        decision = reply.get("parameters", {}).get("decision")
        return decision or {"outcome": "block", "reason": reply.get("error", "noAnswer")}

    def _ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        try:
            if self.stream is None:
                self._connect()
            return self._call(method, parameters)
        except (OSError, ValueError, AttributeError) as problem:
            # An answer that comes too late must not be taken for that to the next question.
            self._disconnect()
            return {"error": f"no answer: {problem}"}

    def _connect(self) -> None:
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.settimeout(self.seconds)
        self.stream.connect(self.path)
        uid = struct.unpack("3i", self.stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]
        if uid not in (0, os.getuid()):
            raise PermissionError(f"somebody else, uid {uid}, listens at `{self.path}`")
        for method, parameters in [("Attach", {}), *self.said]:
            self._call(method, parameters)

    def _call(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        message = {"method": f"org.webviewguard.Guard.{method}", "parameters": parameters}
        self.stream.sendall(json.dumps(message).encode() + b"\0")
        answer = b""
        while not answer.endswith(b"\0"):
            chunk = self.stream.recv(65536)
            if not chunk:
                raise ConnectionError("the daemon closed the connection")
            answer += chunk
        return json.loads(answer[:-1])

    def _disconnect(self) -> None:
        if self.stream:
            self.stream.close()
        self.stream = None


class GuardedPage(QWebEnginePage):
    """A page that asks first. `browser` makes the windows that it may open."""

    def __init__(self, browser: "Browser", name: str) -> None:
        super().__init__(browser.profile, browser.profile)
        self.browser, self.name = browser, name
        self.shown = self.notice = ""
        self.newWindowRequested.connect(self._window_requested)

    def acceptNavigationRequest(self, url: QUrl, kind: QWebEnginePage.NavigationType, is_main_frame: bool) -> bool:
        text = encoded(url)
        if text == self.notice:
            return True
        # The engine calls the page's own `location.replace` a redirect, too: whether it is a hop is then unknown.
        hop = None if kind == QWebEnginePage.NavigationType.NavigationTypeRedirect else False
        frame = "main" if is_main_frame else "sub"
        event = {"viewer": self.name, "url": text, "from": self.shown or None, "frame": frame, "hop": hop}
        decision = self.browser.guard.decide("Navigate", **event)
        if is_main_frame and decision["outcome"] == "allow":
            self.shown = text
        elif is_main_frame and not self.browser.opens_elsewhere(decision):
            QTimer.singleShot(0, lambda: self._explain(decision))
        return decision["outcome"] == "allow"

    def _window_requested(self, request: QWebEngineNewWindowRequest) -> None:
        gesture = "yes" if request.isUserInitiated() else "no"
        event = {
            "viewer": self.name,
            "url": encoded(request.requestedUrl()) or "about:blank",
            "from": self.shown or None,
        }
        decision = self.browser.guard.decide("Navigate", **event, frame="main", newWindow=True, gesture=gesture)
        if decision["outcome"] == "allow":
            request.openIn(self.browser.open(opener=self.name, kind="popup").page())
        else:
            self.browser.opens_elsewhere(decision)

    def javaScriptPrompt(self, origin: QUrl, message: str, question: str) -> tuple[bool, str]:
        if message != SECRET:
            return False, ""
        asked = json.loads(question)
        event = {"viewer": self.name, "selection": "clipboard", "length": asked["length"]}
        if asked["type"] == "paste":
            decision = self.browser.guard.decide("Paste", **event)
        else:
            decision = self.browser.guard.decide("Copy", **event, cut=asked["type"] == "cut")
        # This browser cannot strip a paste down to plain text, so it leaves it.
        return True, "block" if decision.get("onlyPlainText") else decision["outcome"]

    def _explain(self, decision: dict[str, Any]) -> None:
        """Shows a small page that says why, in place of the one that may not load."""
        why = escape(decision.get("message") or decision["reason"])
        self.notice = "data:text/html;charset=utf-8," + quote(f"<title>Blocked</title><h1>Blocked</h1><p>{why}</p>")
        self.load(QUrl.fromEncoded(self.notice.encode()))


class Browser:
    """Windows of one profile, and the guard they all ask."""

    def __init__(self, guard: Guard, report: Callable[[str], None]) -> None:
        self.guard, self.report = guard, report
        self.profile = QWebEngineProfile(QApplication.instance())
        self.views: list[QWebEngineView] = []
        script = QWebEngineScript()
        script.setSourceCode(SCRIPT)
        script.setInjectionPoint(QWebEngineScript.InjectionPoint.DocumentCreation)
        script.setWorldId(QWebEngineScript.ScriptWorldId.ApplicationWorld)
        script.setRunsOnSubFrames(True)
        self.profile.scripts().insert(script)

    def open(self, **registration: Any) -> QWebEngineView:
        """A new window with a viewer that the daemon knows before anything loads in it."""
        name = f"viewer-{len(self.views) + 1}"
        self.guard.say("RegisterViewer", viewer=name, **registration)
        view = QWebEngineView()
        view.setPage(GuardedPage(self, name))
        view.resize(900, 700)
        view.show()
        self.views.append(view)
        return view

    def opens_elsewhere(self, decision: dict[str, Any]) -> bool:
        """Where a finished browser would start another program, this one says which, and with what."""
        if decision["outcome"] not in ("redirect", "handOff"):
            return False
        offer = decision["open"]
        self.report(f"open {offer.get('desktopId') or offer.get('argv') or 'the scheme handler'} {offer['url']}")
        return True


def encoded(url: QUrl) -> str:
    """The URL exactly as the engine has it; Qt's own text for people would undo some of its escapes."""
    return bytes(url.toEncoded()).decode()


def main() -> None:
    _, path, account, url = sys.argv
    app = QApplication(sys.argv[:1])
    guard = Guard(path)
    guard.say("SetIdentity", level="process", account=account)
    browser = Browser(guard, lambda line: print(line, flush=True))
    browser.open(**{"class": "documents"}).load(QUrl(url))
    app.exec()


if __name__ == "__main__":
    main()
