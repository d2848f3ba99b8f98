"""A page that asks before it goes anywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webviewguard import Decision, Viewer
from webviewguard.qt._binding import (
    QApplication,
    QObject,
    QTimer,
    QUrl,
    QWebEngineNewWindowRequest,
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineView,
)
from webviewguard.qt._credentials import Credentials
from webviewguard.qt._hooks import refusing
from webviewguard.qt._notices import SCHEME, Notice
from webviewguard.qt._pastes import ACTIONS, Action
from webviewguard.qt._popups import open_popup
from webviewguard.qt._urls import encoded, is_same_page
from webviewguard.qt._warnings import goes_on, settled

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

# What the engine loads itself. Everything else belongs to another program.
WEB = ("http", "https", "about", "data", "blob", "file", "javascript", "view-source")
Type = QWebEnginePage.NavigationType


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
        # The notice from which the user goes on: the next navigation, if it is that, and none after it.
        self._left: Notice | None = None
        # Whether the keyboard was in the page that the notice stands for.
        self._had_focus = False
        # The empty page that a popup begins with, and shows by itself.
        self.begins_empty = False
        # The file that is about to be shown.
        self._file = ""
        # What the view does that shows it, when it is taken from there or ends.
        self.left_alone: Callable[[], Callable[[], None] | None] = lambda: None
        # An administrator may not want windows that pages open.
        self.may_open_windows = True
        self.credentials = Credentials(self)
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
        return is_same_page(self._leader, url)

    def go(self, text: str) -> None:
        """What the user typed as the address."""
        self.load(QUrl.fromUserInput(text))

    def show(self, notice: Notice) -> None:
        """Shows a small page in place of the one that may not load. Not at once: the engine is still refusing that."""
        self.notice = notice
        view = QWebEngineView.forPage(self)
        self._had_focus = view is not None and view.hasFocus()
        self._soon.start(0)

    def show_file(self, file: Path) -> None:
        """Shows a file that the daemon was asked about, as a file and not as a page."""
        url = QUrl.fromLocalFile(str(file))
        self._file = encoded(url)
        self.load(url)

    def load(self, url: QUrl) -> None:
        """A newer wish goes before a notice that is not shown yet."""
        self._soon.stop()
        self.credentials.stop()
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
        carried = is_main_frame and self.credentials.begin()
        if (self.notice and text == self.notice.data) or (is_main_frame and self._was_allowed(text)):
            return True
        if url.scheme() == SCHEME:
            self._pressed(text)
            return False
        if url.isLocalFile() and self.embedder.transfers.is_of_another(self, url.toLocalFile()):
            self.embedder.people.tell("This file belongs to another account.", self.name)
            return False
        about = self._about(text, is_main_frame, kind == Type.NavigationTypeRedirect)
        decision = self.embedder.decide("navigate", **about)
        if url.scheme() not in WEB:
            if not decision.allowed:
                self.embedder.refused(self, text, decision, in_place=False)
            return False
        loads = self._loads(about, decision, kind)
        if loads is None or not is_main_frame:
            return loads is not None
        return self._goes(text, loads, kind == Type.NavigationTypeRedirect, carried)

    def _was_allowed(self, url: str) -> bool:
        """Whether the main frame goes where it was allowed to go before: each way passes once."""
        anew = self.credentials.take_anew(url)
        if anew:
            self._lead(url)
            self.credentials.allow(url, anew)
            return True
        if self._may_go_on(url) or self._may_begin(url):
            return True
        if self._file and url == self._file:
            self._lead(url)
            self._file = ""
            return True
        return False

    def _about(self, url: str, is_main_frame: bool, redirected: bool) -> dict[str, Any]:
        return {
            "viewer": self.name,
            "url": url,
            "source": (self._leader if redirected else self.shown) or None,
            "frame": "main" if is_main_frame else "sub",
            # The engine calls the page's own `location.replace` a redirect, too: whether it is a hop is then unknown.
            "hop": None if redirected else False,
        }

    def _loads(
        self, about: dict[str, Any], decision: Decision, kind: "QWebEnginePage.NavigationType"
    ) -> Decision | None:
        """The answer by which the engine loads it. The user hears of what it does not load."""
        if decision.outcome == "warn" and kind == Type.NavigationTypeFormSubmitted:
            # Loaded again from a notice, it would have lost what the form sends.
            return settled(self.embedder, "navigate", about, decision)
        if not decision.allowed:
            self.embedder.refused(self, about["url"], decision, in_place=about["frame"] == "main")
        return decision if decision.allowed else None

    def _goes(self, url: str, decision: Decision, redirected: bool, carried: bool) -> bool:
        """The main frame may go there; whether by this request, and not by one of its own."""
        if redirected and (carried or self.credentials.needs_own_request(decision, self._leader)):
            self.credentials.load_anew(url, decision)
            return False
        self._lead(url)
        self.credentials.allow(url, decision)
        return True

    def led_by(self, url: str) -> None:
        """What led to a popup is at first the page that opened it."""
        self._leader = url

    def _lead(self, url: str) -> None:
        self._leader, self.notice = url, None

    def _may_begin(self, url: str) -> bool:
        """Whether this is the empty page that a window begins with. It stays the opener's: nothing else led there."""
        begins, self.begins_empty = self.begins_empty, False
        return begins and url == "about:blank"

    def _may_go_on(self, url: str) -> bool:
        """Whether this is the navigation of somebody who goes on after a warning. It passes once, and any other
        navigation ends that: nothing can hide behind it."""
        left, self._left = self._left, None
        if left is None or url != left.url:
            return False
        about = self._about(url, True, False)
        if not goes_on(self.embedder, "navigate", about, left.decision, left.reason):
            return False  # The page is asked about anew.
        self._lead(url)
        return True

    def createWindow(self, kind: "QWebEnginePage.WebWindowType") -> "QWebEnginePage | None":
        """The engine asks here before it emits `newWindowRequested`; left out, the view of an app may make any page."""
        return None

    @refusing()
    def _window_requested(self, request: QWebEngineNewWindowRequest) -> None:
        open_popup(self, request)

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

    @refusing()
    def triggerAction(self, action: "QWebEnginePage.WebAction", checked: bool = False) -> None:
        """What a person chooses in the menu of a page, and the app itself: pastes are asked about."""
        does = self.embedder.clips.pastes.action(self, action) if action in ACTIONS else action
        if does is not None:
            super().triggerAction(does, checked)

    def takes_no_paste(self) -> bool:
        """Whether the keys with which a person pastes are kept from the page: it may not be, or this has done it."""
        does = self.embedder.clips.pastes.action(self, Action.Paste)
        if does is not None and does != Action.Paste:
            super().triggerAction(does)
        return does != Action.Paste

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
            self._left = notice
            self.load(QUrl.fromEncoded(notice.url.encode()))

    def _loaded(self, _: bool) -> None:
        self._leader = self.shown
        if self._had_focus and self.shows_notice:
            self._had_focus = False
            self._give_focus()

    def _give_focus(self) -> None:
        """Gives the notice the keyboard that the page had: the engine draws it in another process, which does not hear that
        it has that (Qt 6.4), and shows no person which button they are at."""
        view = QWebEngineView.forPage(self)
        if view is not None and QApplication.focusWidget() in (None, view.focusProxy()):
            view.clearFocus()
            view.setFocus()
