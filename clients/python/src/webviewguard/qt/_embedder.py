"""The heart of the pack: one guard for the whole program, and every viewer known to the daemon before it loads."""

from __future__ import annotations

import itertools
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from webviewguard import Decision, EventKind, Features, Guard, GuardError, OpenOffer, Organization, notice_sentence
from webviewguard.qt._binding import (
    QCoreApplication,
    QEvent,
    QLocale,
    QObject,
    QSocketNotifier,
    QTimer,
    QWebEngineProfile,
    QWebEngineSettings,
)
from webviewguard.qt._clips import Clips
from webviewguard.qt._flags import set_flags
from webviewguard.qt._hooks import Hooks, refusing
from webviewguard.qt._loads import GuardedProfile, Loads
from webviewguard.qt._notices import Notice
from webviewguard.qt._page import GuardedPage
from webviewguard.qt._people import People
from webviewguard.qt._transfers import Transfers
from webviewguard.qt._warnings import settled

# What the pack carries out of the answers of the daemon.
FEATURES: tuple[Features, ...] = ("redact", "warn", "clipEcho", "wrap", "plainText")
# So many languages count (docs/configuration.md).
MOST_LANGUAGES = 8

# What no hook of the engine shows, so that nobody can be asked: docs/embedding.md has the remedies.
MISSING: Mapping[str, str] = {
    "resourceRedirect": "the redirect of an image or fetch is shown when its request is under way already",
    "webRTC": "connections of WebRTC are shown to no hook: UDP is closed, and a relay that is reached by TCP is not",
    "navigationBody": "what a form sends is not shown, and whether a page or the server redirects is not either",
    "middleClick": "a page that keeps the pack's script out of a frame is not asked about what a middle click pastes there",
    "asyncClipboard": "a page that may use the clipboard by `navigator.clipboard` is not asked about: leave it closed",
}

Heard = Callable[[str, dict[str, Any], Decision], None]


class Embedder(QObject):
    """What every page of the program asks through. `heard` is called with each question and its answer."""

    def __init__(
        self,
        guard: Guard,
        people: People | None = None,
        *,
        languages: Sequence[str] = (),
        organization: Organization | Mapping[str, Any] | None = None,
    ) -> None:
        """`languages` are those of the person, for notices. `organization` is shown where no answer says another."""
        super().__init__()
        set_flags()
        self.guard, self.people = guard, people or People()
        self.languages, self.organization = tuple(languages), organization
        self.pages: dict[str, GuardedPage] = {}
        self.heard: list[Heard] = []
        self.opened: list[Callable[[GuardedPage], None]] = []
        self.hooks = Hooks()
        self._names = itertools.count(1)
        # Pages and profiles that end as soon as no hook is at work.
        self._ending: list[QObject] = []
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._end)
        self.profiles: dict[str, QWebEngineProfile] = {}
        self.clips = Clips(self)
        self.transfers = Transfers(self)
        self._listen()

    # Identities and viewers

    def sign_in(self, window: str, account: str, place: Path | None = None, **viewer: Any) -> QWebEngineProfile:
        """A window of an account, with cookies of its own; `viewer` registers what its workers load. With a place, what
        its pages keep and what it downloads lies there, and only this program reads it. Raises ValueError where the
        window is signed in: pages of one account must not become another's."""
        if window in self.profiles:
            raise ValueError(f"the window `{window}` is signed in: sign it out first")
        self.guard.set_identity("window", window=window, account=account)
        self.guard.register_viewer(f"{window}-workers", window=window, **viewer)
        profile = GuardedProfile(self) if place is None else self._kept_profile(window, account, place)
        settings = profile.settings()
        settings.setAttribute(QWebEngineSettings.WebAttribute.JavascriptCanOpenWindows, True)
        settings.setAttribute(QWebEngineSettings.WebAttribute.PdfViewerEnabled, False)
        # Links of other schemes then come to `acceptNavigationRequest`, which never lets the engine open one.
        settings.setUnknownUrlSchemePolicy(QWebEngineSettings.UnknownUrlSchemePolicy.AllowAllUnknownUrlSchemes)
        profile.guard(Loads(self, profile, f"{window}-workers"))
        self.transfers.watch(profile)
        self.clips.install(profile)
        self.profiles[window] = profile
        return profile

    def _kept_profile(self, window: str, account: str, place: Path) -> GuardedProfile:
        profile = GuardedProfile(place.name, self)
        profile.setPersistentStoragePath(str(place / "data"))
        profile.setCachePath(str(place / "cache"))
        self.transfers.own_storage[window] = (place / "downloads", account)
        return profile

    def sign_out(self, window: str) -> None:
        """Lets go of a window's profile. Its pages are closed already."""
        for page in [page for page in self.pages.values() if page.window == window]:
            self.forget(page)
        self.transfers.own_storage.pop(window, None)
        profile = self.profiles.pop(window, None)
        if profile is not None:
            with self._reported():
                self.guard.forget_viewer(f"{window}-workers")
            self._ending.append(profile)
        self._end()

    def open(self, window: str, name: str = "", **viewer: Any) -> GuardedPage:
        """A page whose viewer the daemon knows before anything can load in it."""
        name = name or f"viewer-{next(self._names)}"
        if name in self.pages:
            raise ValueError(f"there is a viewer `{name}` already")
        known = self.guard.register_viewer(name, window=window, **viewer)
        page = GuardedPage(self, self.profiles[window], name, window, known)
        self.pages[name] = page
        page.destroyed.connect(lambda: self._destroyed(page))
        return page

    def forget(self, page: GuardedPage) -> None:
        """Ends a page, behind the hook of the engine that is at work."""
        if not page.is_known:
            return  # It has ended, or will.
        self.gone(page)
        self._ending.append(page)
        self._soon.start(0)

    def gone(self, page: GuardedPage) -> None:
        """A page that somebody else ends, or has ended already."""
        if self.pages.get(page.name) is not page:
            return
        del self.pages[page.name]
        self.clips.closed(page)
        with self._reported():
            self.guard.forget_viewer(page.name)

    def _end(self) -> None:
        """Deletes what nobody needs any more: pages first, since a profile outlives them and writes until it is gone."""
        if self.hooks.at_work:
            self._soon.start(1)
            return
        ending, self._ending = self._ending, []
        for ended in sorted(ending, key=lambda ended: isinstance(ended, QWebEngineProfile)):
            ended.deleteLater()
            _delete_now()
            if isinstance(ended, GuardedProfile):
                ended.let_go()

    @refusing()
    def _destroyed(self, page: GuardedPage) -> None:
        """The app may delete a page itself. No hook asks that one anything, and its view gets none of the engine's own."""
        self._ending = [ended for ended in self._ending if ended is not page]
        self.gone(page)
        if show_nothing := page.left_alone():
            show_nothing()

    def close(self) -> None:
        """The end: nothing is asked or reported any more."""
        self.clips.close()
        self._notifier.setEnabled(False)
        self._timer.stop()
        self.guard.close()

    # Questions

    def decide(self, event: EventKind, **about: Any) -> Decision:
        """The daemon's answer, or the contract's when there is none in time."""
        decision = self.guard.decide(event, **about)
        for hear in self.heard:
            hear(event, about, decision)
        return decision

    def may(self, event: EventKind, **about: Any) -> bool:
        """Whether it may happen. A user who is warned may go on and say why; one who is refused is told."""
        return self.settled(event, **about) is not None

    def settled(self, event: EventKind, **about: Any) -> Decision | None:
        """The answer by which it may happen; None where it may not."""
        return settled(self, event, about, self.decide(event, **about))

    def gets(self, page: GuardedPage, **about: Any) -> Decision | None:
        """The answer by which what a page shows gets a clip. What it goes to while a dialog is open gets nothing by it."""
        address = page.address
        decision = self.settled("paste", viewer=page.name, source=address, **about)
        return decision if page.is_known and page.address == address else None

    def acknowledge(self, decision: Decision, reason: str) -> bool:
        """Tells what became of a warning: it happens for a reason, or it does not. True when the daemon heard it."""
        with self._reported():
            return self.guard.acknowledge(decision, "allow" if reason else "block", justification=reason or None)
        return False

    def sentence(self, decision: Decision) -> str:
        """Why, for the person."""
        return notice_sentence(decision, self.languages)

    def refused(self, page: GuardedPage, url: str, decision: Decision, *, in_place: bool) -> None:
        """What may not load here opens elsewhere; or a page, or a line, says why not and offers what it may."""
        offer = decision.opens_now
        if offer:
            if not self.people.start(offer, page.name):
                self.show_notice(page, _without_program(decision, offer), url)
        elif decision.outcome in ("redirect", "handOff"):
            pass  # The same click was answered before, and has opened a program.
        elif in_place:
            self.show_notice(page, decision, url)
        elif decision.open:
            self.people.offer(self.sentence(decision), decision.open, page.name)
        else:
            self.people.tell(self.sentence(decision), page.name)

    def show_notice(self, page: GuardedPage, decision: Decision, url: str) -> None:
        """Puts the notice in place of a page. A button is there only when it does something."""
        actions = {"continue"} if decision.outcome == "warn" else {"retry"}
        if page.history().count():
            actions.add("back")
        if decision.open and self.people.can_start(decision.open):
            actions.add("open")
        said = decision.raw.get("organization")
        organization = said if isinstance(said, dict) else self.organization
        page.show(Notice(url, decision, actions, languages=self.languages, organization=organization))

    @contextmanager
    def _reported(self) -> Iterator[None]:
        """What the daemon refuses of a report, such as one about a decision before its restart, ends no program."""
        try:
            yield
        except GuardError as problem:
            logging.getLogger(__name__).warning("%s", problem)

    # The event loop

    def _listen(self) -> None:
        """Lets the client notice a daemon that went and came back, while nobody asks anything."""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.process)
        self._notifier = QSocketNotifier(self.guard.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self.process)
        self.process()

    def process(self) -> None:
        """Lets the client work, and comes back when it wants to."""
        self.guard.process()
        wait = self.guard.timeout_ms()
        if wait is not None:
            self._timer.start(max(wait, 1))


def _without_program(decision: Decision, offer: OpenOffer) -> Decision:
    """The decision as the user has to hear it where the program that should open the URL is not there."""
    reason = "managedBrowserUnavailable" if offer.target == "managedBrowser" else "noProgram"
    return replace(decision, outcome="block", reason=reason, message=None)


def _delete_now() -> None:
    """Carries out all of `deleteLater`, which else waits for the loop."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def start(app: str, *, socket: str | None = None, people: People | None = None, **options: Any) -> Embedder:
    """The embedder of a program that is one app of the policy. It waits for the daemon as long as the contract lets it.
    A daemon that is not there then guards from the moment at which it comes, and until then the contract does.

    `options` are those of `Embedder` (`organization`) and of `Guard` (`version`, `on_problem`).
    """
    languages = options.pop("languages", None) or QLocale.system().uiLanguages()
    organization = options.pop("organization", None)
    guard = Guard(app=app, path=socket, features=FEATURES, languages=languages[:MOST_LANGUAGES], **options)
    if not guard.start():
        logging.getLogger(__name__).warning("the daemon does not answer: its contract holds until it does")
    return Embedder(guard, people, languages=languages, organization=organization)


def leave(status: int) -> NoReturn:
    """Ends the program at once: the engine's own end may crash after its pages are gone."""
    sys.stdout.flush()
    os._exit(status)
