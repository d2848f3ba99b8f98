"""A window: address, buttons, a line for what the guard says, and the page."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import gi

gi.require_version("Gtk", "3.0")
from block_page import why  # noqa: E402
from browser_settings import BrowserSettings, text_on  # noqa: E402
from gi.repository import Gtk  # noqa: E402
from webviewguard import Decision, OpenOffer  # noqa: E402

if TYPE_CHECKING:
    from viewer import Viewer


class Window(Gtk.Window):
    """Shows one viewer."""

    def __init__(self, viewer: "Viewer") -> None:
        super().__init__(title=viewer.name)
        self.viewer = viewer
        self.set_default_size(760, 620)
        self.address = Gtk.Entry(hexpand=True)
        self.address.connect("activate", lambda entry: viewer.load(entry.get_text().strip()))
        self._offer: OpenOffer | None = None
        self._message = Gtk.Label(wrap=True, xalign=0, selectable=True)
        self._button = Gtk.Button(label="Open in the managed browser", no_show_all=True)
        self._button.connect("clicked", lambda _: self.press())
        self._bar = self._make_bar()
        self.standing = Gtk.Label(wrap=True, xalign=0, margin=6, no_show_all=True)
        self.settings = BrowserSettings()
        self.banner = Gtk.Label(wrap=True, xalign=0, margin=6, no_show_all=True)
        self.bookmarks = Gtk.Box(spacing=2, margin=2, no_show_all=True)
        self._colours = Gtk.CssProvider()
        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        self.toolbar = self._make_toolbar()
        for part in (self.toolbar, self.bookmarks, self.banner):
            box.pack_start(part, False, False, 0)
        style = self.toolbar.get_style_context()
        style.add_provider(self._colours, Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        box.pack_start(self.standing, False, False, 0)
        box.pack_start(self._bar, False, False, 0)
        box.pack_start(viewer.view, True, True, 0)
        self.add(box)
        viewer.view.connect("notify::uri", lambda view, _: self.address.set_text(view.get_uri() or ""))
        viewer.view.connect("notify::title", lambda view, _: self.set_title(f"{view.get_title()} · {viewer.name}"))
        self.connect("delete-event", lambda *_: viewer.close())

    def _make_toolbar(self) -> Gtk.Box:
        toolbar = Gtk.Box(spacing=2, margin=2)
        for icon, tip, act in (
            ("go-previous", "Back", self.viewer.go_back),
            ("go-next", "Forward", self.viewer.go_forward),
            ("view-refresh", "Reload", self.viewer.reload),
        ):
            toolbar.pack_start(self._make_button(icon, tip, act), False, False, 0)
        self.home = self._make_button("go-home", "Home", lambda: self.viewer.load(self.settings.home_page))
        self.home.set_no_show_all(True)
        toolbar.pack_start(self.home, False, False, 0)
        toolbar.pack_start(Gtk.Label(label=self.viewer.browser.account_of(self.viewer)), False, False, 6)
        toolbar.pack_start(self.address, True, True, 0)
        for icon, tip, act in (
            ("document-print", "Print", lambda: self.viewer.outputs.print()),
            ("camera-photo", "Picture of the page", lambda: self.viewer.outputs.capture()),
        ):
            toolbar.pack_start(self._make_button(icon, tip, act), False, False, 0)
        return toolbar

    def _make_button(self, icon: str, tip: str, act: Callable[[], None]) -> Gtk.Button:
        image = Gtk.Image.new_from_icon_name(f"{icon}-symbolic", Gtk.IconSize.BUTTON)
        button = Gtk.Button(image=image, tooltip_text=tip)
        button.connect("clicked", lambda _: act())
        return button

    def _make_bar(self) -> Gtk.InfoBar:
        bar = Gtk.InfoBar(message_type=Gtk.MessageType.WARNING, show_close_button=True, no_show_all=True)
        bar.get_content_area().add(self._message)
        bar.get_action_area().add(self._button)
        bar.connect("response", lambda *_: bar.hide())
        return bar

    @property
    def said(self) -> str:
        """What the line says now; empty when it is not there."""
        return self._message.get_text() if self._bar.get_visible() else ""

    def show_all_but_messages(self) -> None:
        self.show_all()

    def tell(self, text: str) -> None:
        self._say(text, None)

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
        for button in self.bookmarks.get_children():
            self.bookmarks.remove(button)
        for bookmark in settings.bookmarks:
            button = Gtk.Button(label=bookmark.name, visible=True)
            button.connect("clicked", lambda _, url=bookmark.url: self.viewer.load(url))
            self.bookmarks.pack_start(button, False, False, 0)
        self.bookmarks.set_visible(bool(settings.bookmarks))
        colour = settings.toolbar_color
        css = f"box {{ background-color: {colour}; color: {text_on(colour)} }}" if colour else ""
        self._colours.load_from_data(css.encode())
        self.viewer.view.set_zoom_level(settings.zoom / 100)

    def be_silent(self) -> None:
        """Another page is shown: what was said is no longer of interest."""
        self._bar.hide()

    def explain(self, decision: Decision) -> None:
        """Why something did not happen, and the offer to do it elsewhere."""
        rule = f" Rule `{decision.rule}`." if decision.rule else ""
        self._say(f"{decision.message or why(decision)}{rule}", decision.open)

    def _say(self, text: str, offer: OpenOffer | None) -> None:
        self._offer = offer
        self._message.set_text(text)
        self._message.show()
        self._button.set_visible(offer is not None)
        self._bar.show()

    def press(self) -> None:
        """Opens what is offered, once."""
        offer, self._offer = self._offer, None
        if offer is not None:
            self.viewer.browser.shell.open_elsewhere(offer)
        self._bar.hide()
