"""One web view, which the guard knows by name before anything loads in it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from block_page import BlockPage
from clipboard import Clipboard
from files import Uploads
from frames import Frames
from gi.repository import WebKit2
from navigation import Navigation
from outputs import Outputs
from page_channel import PageChannel
from webviewguard import Decision
from window import Window

if TYPE_CHECKING:
    from browser import Browser

Settled = Callable[[bool, Decision], None]


class Viewer:
    """A view, its window, and what the guard is asked about it. Popups share the channel of what opened them."""

    def __init__(
        self, browser: "Browser", name: str, channel: PageChannel, frames: Frames, opener: "Viewer | None"
    ) -> None:
        self.browser, self.name, self.frames, self.opener = browser, name, frames, opener
        self.channel = channel
        self.guard = browser.guard
        family = {"related_view": opener.view} if opener else {"web_context": channel.context}
        kept = {"settings": browser.settings, "user_content_manager": channel.content}
        self.view: WebKit2.WebView = WebKit2.WebView(**kept, **family)
        # The URL of what is shown, or of what made it where that has none of its own.
        self.document: str = opener.document if opener else ""
        self.has_shown_anything: bool = False
        self.is_closed: bool = False
        self._is_own_load = False
        self._next: str | None = None
        # Counts where the main frame was led, so that a late answer does not replace what came after it.
        self.moves: int = 0
        self._is_allowed = self._is_ready = opener is None
        self.block_page: BlockPage = BlockPage(self)
        self.clipboard: Clipboard = Clipboard(self)
        self.window: Window = Window(self)
        self.outputs: Outputs = Outputs(self)
        self.uploads, self.navigation = Uploads(self), Navigation(self)
        self.view.connect("script-dialog", lambda _, dialog: channel.answers(dialog, self.clipboard.asked))
        self.view.connect("ready-to-show", lambda _: self._appear(is_ready=True))
        self.view.connect("close", lambda _: self.close())

    # What the user wants

    def load(self, url: str) -> None:
        self._begin_own_load()
        if self.block_page.is_coming:
            self._next = url
        else:
            self.view.load_uri(url if ":" in url else f"https://{url}")

    def go_back(self) -> None:
        self._begin_own_load()
        self.view.go_back()

    def go_forward(self) -> None:
        self._begin_own_load()
        self.view.go_forward()

    def reload(self) -> None:
        self._begin_own_load()
        self.view.reload()

    def _begin_own_load(self) -> None:
        self._is_own_load = True
        self.moves += 1

    def is_own_load(self, action: WebKit2.NavigationAction) -> bool:
        """Whether it is what the user typed or pressed in the window, not what a page did. Asked once for each load."""
        headers = action.get_request().get_http_headers()
        is_own = self._is_own_load and not action.is_user_gesture() and not (headers and headers.get_one("Referer"))
        self._is_own_load = False
        return is_own

    # The guard

    def ask(self, question: str, settled: Settled, **event: Any) -> None:
        """Asks about this viewer. With `warn` the user decides, and says why."""

        def answered(decision: Decision) -> None:
            if decision.outcome == "warn" and not self.is_closed:
                self.browser.shell.ask_justification(self.window, decision, lambda text: justified(decision, text))
            else:
                settled(decision.allowed, decision)

        def justified(decision: Decision, text: str) -> None:
            self.guard.tell("acknowledge", decision, "allow" if text else "block", justification=text or None)
            settled(bool(text), decision)

        self.guard.ask(question, answered, viewer=self.name, **event)

    def was_refused(self, decision: Decision, url: str, *, is_page: bool, is_latest: bool = True) -> None:
        """Opens elsewhere what shall open there, and says why something did not load: in place of the page, when it
        is that which was led there and nothing else since."""
        offer = decision.opens_now
        shows = self.opener if self.opener and not self.has_shown_anything else self
        if offer is not None:
            opened = self.browser.shell.open_elsewhere(offer)
            shows.window.tell(f"{'Opened elsewhere' if opened else 'Cannot be opened'}: {offer.url}")
        elif decision.outcome in ("redirect", "handOff") or self.is_closed:
            pass
        elif not is_page or shows is not self:
            shows.say(decision)
        elif is_latest:
            self.block_page.show(decision, url)
        if shows is not self:
            self.close()

    def say(self, decision: Decision) -> None:
        """Says why something did not happen, and offers what the policy offers."""
        if not self.is_closed:
            self.window.explain(decision)

    # What is shown

    def shows(self, url: str) -> None:
        """Another page is there."""
        # A window that a page opened empty has no frames yet that could be meant.
        self.has_shown_anything = url != "about:blank"
        self.window.be_silent()
        if self.block_page.has_come():
            self.document = ""
            wanted, self._next = self._next, None
            if wanted is not None:
                self.load(wanted)
        elif not url.startswith(("about:", "data:")):
            self.document = url
            self.guard.tell("set_document", self.name, url)

    def open_popup(self) -> "Viewer | None":
        """A view for a window that a page opens. It is not shown before it is allowed."""
        return self.browser.add_viewer(self.channel, self.frames, opener=self)

    def allow(self) -> None:
        self._appear(is_allowed=True)

    def _appear(self, is_allowed: bool = False, is_ready: bool = False) -> None:
        self._is_allowed, self._is_ready = self._is_allowed or is_allowed, self._is_ready or is_ready
        if self._is_allowed and self._is_ready and not self.is_closed:
            self.window.show_all_but_messages()

    def close(self) -> None:
        if not self.is_closed:
            self.clipboard.end_drag()
            self.is_closed = True
            self.browser.forget(self)
            self.window.destroy()
