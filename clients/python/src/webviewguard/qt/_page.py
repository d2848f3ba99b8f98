"""A page that asks before it goes anywhere."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from webviewguard import Decision, Viewer
from webviewguard.qt._binding import (
    QObject,
    QTimer,
    QUrl,
    QWebEngineNewWindowRequest,
    QWebEnginePage,
    QWebEngineProfile,
    qVersion,
)
from webviewguard.qt._hooks import refusing
from webviewguard.qt._notices import SCHEME, Notice

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

# What the engine loads itself. Everything else belongs to another program.
WEB = ("http", "https", "about", "data", "blob", "file", "javascript", "view-source")
Type = QWebEnginePage.NavigationType
EMPTY = "<html><head></head><body></body></html>"
# Qt 6.4 ends the process when a window that began empty, and that its opener wrote into, gets another size: also
# without any of these hooks. Qt 6.12 does not; the versions between were not tried.
CRASHES_WHEN_WRITTEN = tuple(map(int, qVersion().split(".")[:2])) < (6, 8)


def encoded(url: QUrl) -> str:
    """The URL exactly as the engine has it; Qt's own text for people would undo some of its escapes."""
    return bytes(url.toEncoded()).decode()


class Nothing(QWebEnginePage):
    """The page of a view that has none: it goes nowhere. The profile is the engine's own, which ends last."""

    def __init__(self, view: QObject) -> None:
        super().__init__(QWebEngineProfile.defaultProfile(), view)

    def acceptNavigationRequest(self, url: QUrl, kind: "QWebEnginePage.NavigationType", is_main_frame: bool) -> bool:
        return False

    def createWindow(self, kind: "QWebEnginePage.WebWindowType") -> "QWebEnginePage | None":
        return None


class GuardedPage(QWebEnginePage):
    """One viewer. The engine calls `acceptNavigationRequest` before every navigation and every hop of a redirect."""

    def __init__(
        self, embedder: "Embedder", profile: QWebEngineProfile, name: str, window: str, viewer: Viewer
    ) -> None:
        super().__init__(profile, profile)
        self.embedder, self.name, self.window, self.viewer = embedder, name, window, viewer
        self.notice: Notice | None = None
        # What the user goes on to in spite of a warning: the next navigation, if it is that, and none after it.
        self._warned_of = ""
        self._begins = False
        # The file that is about to be shown.
        self._file = ""
        # What the view does that shows it, when it is taken from there or ends.
        self.left_alone: Callable[[], Callable[[], None] | None] = lambda: None
        # An administrator may not want windows that pages open.
        self.may_open_windows = True
        # The sign-in page that was allowed last, with what was decided about it; and the method of the last request.
        self._sign_in: tuple[str, Decision] | None = None
        self._method = ""
        # The last request for a page carries a credential: the engine would take it along to where that is redirected.
        self.carries_credential = False
        # The hop that is loaded as a request of its own, and what was decided about it.
        self._anew: tuple[str, Decision] | None = None
        self._later = QTimer(self, singleShot=True)
        self._later.timeout.connect(self._load_anew)
        # The page or hop that leads on; of a popup at first the page that opened it.
        self._leader = ""
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._show_notice)
        self.newWindowRequested.connect(self._window_requested)
        self.loadFinished.connect(self._loaded)
        embedder.transfers.watch_page(self)

    @property
    def address(self) -> str:
        """What the user sees as the address: of a notice, that of the page which did not load."""
        return self.notice.url if self.notice else encoded(self.url())

    @property
    def shown(self) -> str:
        """The page that is shown, or for an empty one the page that made it."""
        url = "" if self.notice else encoded(self.url())
        return url if url.startswith(("http:", "https:", "file:")) else self._leader

    @property
    def shows_notice(self) -> bool:
        """Whether what is shown is our own page in place of one that may not load."""
        return self.notice is not None and encoded(self.url()) == self.notice.data

    def goes_to(self, url: str) -> bool:
        """Whether this was allowed last, or is our own notice."""
        if self.notice and url == self.notice.data:
            return True
        return self._leader.partition("#")[0] == url.partition("#")[0]

    def take_sign_in(self, url: str, method: str) -> Decision | None:
        """The decision by which the request for this page may carry a credential; good for one request, without a
        body: what a redirect of a form needs, a request of its own cannot give."""
        if self.goes_to(url):
            self._method = method
        if self._sign_in is None or self._sign_in[0].partition("#")[0] != url.partition("#")[0]:
            return None
        (_, decision), self._sign_in = self._sign_in, None
        return decision if method == "GET" else None

    def go(self, text: str) -> None:
        """What the user typed as the address."""
        self.load(QUrl.fromUserInput(text))

    def show(self, notice: Notice) -> None:
        """Shows a small page in place of the one that may not load. Not at once: the engine is still refusing that."""
        self.notice = notice
        self._soon.start(0)

    def show_file(self, file: Path) -> None:
        """Shows a file that the daemon was asked about, as a file and not as a page."""
        url = QUrl.fromLocalFile(str(file))
        self._file = encoded(url)
        self.load(url)

    def load(self, url: QUrl) -> None:
        """A newer wish goes before a notice that is not shown yet."""
        self._soon.stop()
        self._later.stop()
        super().load(url)

    def _show_notice(self) -> None:
        if self.notice:
            self.load(QUrl.fromEncoded(self.notice.data.encode()))

    @property
    def is_known(self) -> bool:
        """Whether its viewer is there: not that of a page whose account was signed out, and that ends soon."""
        return self.embedder.pages.get(self.name) is self

    @refusing(False)
    def acceptNavigationRequest(self, url: QUrl, kind: "QWebEnginePage.NavigationType", is_main_frame: bool) -> bool:
        if not self.is_known:
            return False
        text = encoded(url)
        carried = is_main_frame and self.carries_credential
        if is_main_frame:
            self._sign_in, self.carries_credential = None, False
        if self.notice and text == self.notice.data:
            return True
        if is_main_frame and (self._is_anew(text) or self._may_go_on(text) or self._may_begin(text)):
            return True
        if is_main_frame and self._file and text == self._file:
            self._leader, self.notice, self._file = text, None, ""
            return True
        if url.scheme() == SCHEME:
            self._pressed(text)
            return False
        if url.isLocalFile() and self.embedder.transfers.is_of_another(self, url.toLocalFile()):
            self.embedder.people.tell("This file belongs to another account.", self.name)
            return False
        redirected = kind == Type.NavigationTypeRedirect
        decision = self.embedder.decide(
            "navigate",
            viewer=self.name,
            url=text,
            source=(self._leader if redirected else self.shown) or None,
            frame="main" if is_main_frame else "sub",
            # The engine calls the page's own `location.replace` a redirect, too: whether it is a hop is then unknown.
            hop=None if redirected else False,
        )
        loads = decision.allowed and url.scheme() in WEB
        if decision.outcome == "warn" and kind == Type.NavigationTypeFormSubmitted and url.scheme() in WEB:
            # Loaded again from a notice, it would have lost what the form sends.
            loads = self.embedder.settled(decision, self.name)
            if not loads:
                return False
        if loads and is_main_frame and redirected and (carried or self._signs_in_at_hop(decision)):
            self._anew = (text, decision)
            self._later.start(0)
            return False
        if loads and is_main_frame:
            self._goes(text, decision)
        elif not loads and not decision.allowed:
            self.embedder.refused(self, text, decision, in_place=is_main_frame and url.scheme() in WEB)
        return loads

    def _goes(self, url: str, decision: Decision) -> None:
        self._leader, self.notice = url, None
        self._sign_in = (url, decision) if decision.sign_in else None

    def _signs_in_at_hop(self, decision: Decision) -> bool:
        """Whether a redirect leads to a sign-in page that may get a credential: the engine adds no header at a hop. A
        page that leads there by itself begins a request of its own, and may keep its place in the history."""
        is_hop = encoded(self.history().currentItem().url()) != self._leader
        return decision.sign_in and self._method == "GET" and is_hop

    def _load_anew(self) -> None:
        """Loads a hop as a request of its own. The engine takes the headers of a request along to wherever it is
        redirected, and a credential must not go there."""
        if self._anew:
            self.load(QUrl.fromEncoded(self._anew[0].encode()))

    def _is_anew(self, url: str) -> bool:
        """Whether this is the hop that was allowed and is loaded anew. It passes once, and any other navigation ends
        that."""
        anew, self._anew = self._anew, None
        if anew is None or anew[0] != url:
            return False
        self._goes(url, anew[1])
        return True

    def _may_begin(self, url: str) -> bool:
        """Whether this is the empty page that a window begins with. It stays the opener's: nothing else led there."""
        begins, self._begins = self._begins, False
        return begins and url == "about:blank"

    def _may_go_on(self, url: str) -> bool:
        """Whether this is the navigation of somebody who goes on after a warning. It passes once, and any other
        navigation ends that: nothing can hide behind it."""
        warned_of, self._warned_of = self._warned_of, ""
        if not warned_of or url != warned_of:
            return False
        self._leader, self.notice = url, None
        return True

    def createWindow(self, kind: "QWebEnginePage.WebWindowType") -> "QWebEnginePage | None":
        """The engine asks here before it emits `newWindowRequested`; left out, the view of an app may make any page."""
        return None

    @refusing()
    def _window_requested(self, request: QWebEngineNewWindowRequest) -> None:
        """A page wants a window: its opener is asked about, and the new viewer is known before it exists."""
        if not self.may_open_windows:
            self.embedder.people.tell("Your organization does not let pages open windows here.", self.name)
            return
        url = encoded(request.requestedUrl()) or "about:blank"
        decision = self.embedder.decide(
            "navigate",
            viewer=self.name,
            url=url,
            source=self.shown or None,
            frame="main",
            new_window=True,
            gesture="yes" if request.isUserInitiated() else "no",
        )
        may = decision.allowed or (decision.outcome == "warn" and self.embedder.settled(decision, self.name))
        if not may:
            if decision.outcome != "warn":
                self.embedder.refused(self, url, decision, in_place=False)
            return
        popup = self.embedder.open(self.window, opener=self.name, kind="popup")
        popup._leader = self.shown
        request.openIn(popup)
        if CRASHES_WHEN_WRITTEN and url.startswith("about:blank"):
            popup.begin_empty()
        else:
            popup.appear()

    # Windows that begin empty

    def appear(self) -> None:
        """The program may show the popup now."""
        for show in self.embedder.opened:
            show(self)

    def begin_empty(self) -> None:
        """Loads the empty page before it is shown, and writes into it what its opener wrote until then."""
        self.toHtml(self._begin_empty)

    def _begin_empty(self, written: str) -> None:
        self._begins = True

        def loaded(_: bool) -> None:
            self.loadFinished.disconnect(loaded)
            if written != EMPTY:
                self.runJavaScript(f"document.open(); document.write({json.dumps(written)}); document.close()")
            self.appear()

        self.loadFinished.connect(loaded)
        # By itself, so that its origin stays that of its opener.
        self.runJavaScript("location.replace('about:blank')")

    @refusing((False, ""))
    def javaScriptPrompt(self, origin: QUrl, message: str, default: str) -> tuple[bool, str]:
        """Our own script asks by a dialog, since that waits for the answer. No page knows the secret."""
        if message == self.embedder.clips.secret:
            return True, self.embedder.clips.answer(self, default)
        text = self.embedder.people.prompt(origin.host(), message, default)
        return text is not None, text or ""

    @refusing([])
    def chooseFiles(self, mode: "QWebEnginePage.FileSelectionMode", old: object, types: object) -> list[str]:
        modes = QWebEnginePage.FileSelectionMode
        if mode not in (modes.FileSelectOpen, modes.FileSelectOpenMultiple):
            return []  # A page would write a file, or read a whole folder (`showSaveFilePicker`): nobody is asked about that.
        return self.embedder.transfers.choose(self, mode == modes.FileSelectOpenMultiple)

    def save(self, *_: object) -> None:
        """Saves the page where the user wants it, if it may be there. Qt 6.4 cannot call off what is saved by a path."""
        self.triggerAction(QWebEnginePage.WebAction.SavePage)

    def _pressed(self, url: str) -> None:
        """A button of our own notice: it works once, and only while that notice is shown."""
        notice, does = self.notice, self.notice and self.notice.takes(url)
        if notice and does == "open" and notice.decision.open:
            self.embedder.people.start(notice.decision.open, self.name)
        elif does == "back":
            self.triggerAction(QWebEnginePage.WebAction.Back)
        elif notice and does == "retry":
            self.load(QUrl.fromEncoded(notice.url.encode()))
        elif notice and does == "continue":
            self.embedder.acknowledge(notice.decision, notice.reason)
            self._warned_of = notice.url
            self.load(QUrl.fromEncoded(notice.url.encode()))

    def _loaded(self, _: bool) -> None:
        self._leader = self.shown
