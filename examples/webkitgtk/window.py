"""A window: address, buttons, a line for what the guard says, and the page."""

from typing import TYPE_CHECKING

import toolkit
from browser_settings import BrowserSettings, text_on
from toolkit import Gtk, WebKit

if TYPE_CHECKING:
    from browser import Browser


class Window(Gtk.Window):
    """Shows one guarded view."""

    def __init__(self, browser: "Browser", view: WebKit.WebView, name: str, account: str) -> None:
        super().__init__(title=name)
        self.browser, self.view, self.name, self.account = browser, view, name, account
        self.settings = BrowserSettings()
        self.set_default_size(760, 620)
        self.address = Gtk.Entry()
        self.address.connect("activate", lambda entry: self.load(entry.get_text().strip()))
        self.home = toolkit.icon_button("go-home", "Home", lambda: self.load(self.settings.home_page))
        self.toolbar, self.bookmarks, self.bar = self._make_toolbar(), Gtk.Box(spacing=2), Gtk.Box(spacing=6)
        self.banner, self.standing, self._message = (Gtk.Label(wrap=True, xalign=0) for _ in range(3))
        self._colour = toolkit.colour(self.toolbar)
        self.offer = Gtk.Button(label="Open in the managed browser")
        self.offer.connect("clicked", lambda _: self.press())
        toolkit.append(self.bar, self._message, grows=True)
        toolkit.append(self.bar, self.offer)
        toolkit.append(self.bar, toolkit.icon_button("window-close", "Close", self.be_silent))
        content = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for part in (self.toolbar, self.bookmarks, self.banner, self.standing, self.bar):
            toolkit.append(content, part)
        toolkit.append(content, view, grows=True)
        for part in (self.bookmarks, self.banner, self.standing, self.bar, self.home):
            part.set_visible(False)
        toolkit.fill(self, content, lambda: browser.close_window(self))
        view.connect("notify::uri", lambda view, _: self.address.set_text(view.get_uri() or ""))
        view.connect("notify::title", lambda view, _: self.set_title(f"{view.get_title()} · {name}"))
        view.connect("load-changed", self._load_changed)
        view.connect("close", lambda _: browser.close_window(self))

    def _make_toolbar(self) -> Gtk.Box:
        toolbar, guard = Gtk.Box(spacing=2), self.browser.guard
        for icon, tip, act in (
            ("go-previous", "Back", self.view.go_back), ("go-next", "Forward", self.view.go_forward),
            ("view-refresh", "Reload", self.view.reload),
        ):  # fmt: skip
            toolkit.append(toolbar, toolkit.icon_button(icon, tip, act))
        toolkit.append(toolbar, self.home)
        toolkit.append(toolbar, Gtk.Label(label=self.account))
        toolkit.append(toolbar, self.address, grows=True)
        for icon, tip, ask in (
            ("document-print", "Print", guard.print_page), ("camera-photo", "Picture of the page", guard.capture_page),
        ):  # fmt: skip
            toolkit.append(toolbar, toolkit.icon_button(icon, tip, lambda ask=ask: ask(self.view)))
        return toolbar

    def load(self, url: str) -> None:
        self.view.load_uri(url if ":" in url else f"https://{url}")

    # What the guard says

    @property
    def said(self) -> str:
        """What the line says now; empty when it is not there."""
        return self._message.get_text() if self.bar.get_visible() else ""

    def say(self, text: str, *, has_offer: bool = False) -> None:
        self._message.set_text(text)
        self.offer.set_visible(has_offer)
        self.bar.set_visible(True)

    def press(self) -> None:
        """Opens what is offered, once."""
        self.browser.guard.take_offer(self.view)
        self.be_silent()

    def be_silent(self) -> None:
        self.bar.set_visible(False)

    def _load_changed(self, _view: WebKit.WebView, event: WebKit.LoadEvent) -> None:
        # Another page is shown: what was said is no longer of interest.
        if event == WebKit.LoadEvent.COMMITTED:
            self.be_silent()

    # What the account's administrator says

    def hold(self, text: str) -> None:
        """Says something about the account, for as long as it holds; an empty text takes that back."""
        self.standing.set_text(text)
        self.standing.set_visible(bool(text))

    def configure(self, settings: BrowserSettings) -> None:
        """Looks and works as the account's administrator wants. The values are checked; texts of them are no markup."""
        self.settings = settings
        self.home.set_visible(bool(settings.home_page))
        self.banner.set_text(settings.banner)
        self.banner.set_visible(bool(settings.banner))
        for button in toolkit.children(self.bookmarks):
            self.bookmarks.remove(button)
        for bookmark in settings.bookmarks:
            button = Gtk.Button(label=bookmark.name)
            button.connect("clicked", lambda _, url=bookmark.url: self.load(url))
            toolkit.append(self.bookmarks, button)
        self.bookmarks.set_visible(bool(settings.bookmarks))
        colour = settings.toolbar_color
        self._colour(f"box {{ background-color: {colour}; color: {text_on(colour)} }}" if colour else "")
        self.browser.guard.set_popups(self.view, settings.popups)
        self.view.set_zoom_level(settings.zoom / 100)
