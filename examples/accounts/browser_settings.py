"""What an administrator may set for these browsers, account by account: app configuration, docs/app-config.md.

Values come from a policy, and from its mistakes. One that is not as the table says counts as not set, and none is logged:
values may be secrets.
"""

import json
import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from webviewguard import AccountConfig

LONGEST_TEXT, LONGEST_URL = 300, 2048
MOST_BOOKMARKS, LONGEST_NAME = 20, 40
SMALLEST_ZOOM, LARGEST_ZOOM = 50, 300
COLOUR = re.compile(r"#[0-9a-fA-F]{6}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A name and a page; both are text, and no markup."""

    name: str
    url: str


@dataclass(frozen=True, slots=True)
class BrowserSettings:
    """The settings of one account. Those of an account without any are these."""

    # The page of the button "Home", and of a window that opens without another one; empty for none.
    home_page: str = ""
    # A line of text above the page, which the person cannot close; empty for none.
    banner: str = ""
    # The colour behind the buttons, as `#rrggbb`; empty for the toolkit's own.
    toolbar_color: str = ""
    bookmarks: tuple[Bookmark, ...] = ()
    # Whether pages may open windows.
    popups: bool = True
    # The size of pages in percent.
    zoom: int = 100


def read(config: AccountConfig) -> BrowserSettings:
    """The settings of an enrolled account. Of several values the strictest counts where there is one (AC-06)."""
    popups, zoom = config["popups"].boolean("and"), config["zoom"].number("max")
    colour = config["toolbarColor"].string() or ""
    return BrowserSettings(
        home_page=page(config["homePage"].string()),
        banner=line(config["banner"].string(), LONGEST_TEXT),
        toolbar_color=colour if COLOUR.fullmatch(colour) else "",
        bookmarks=bookmarks(config["bookmarks"].string()),
        popups=popups is not False,
        zoom=100 if zoom is None else int(min(max(zoom, SMALLEST_ZOOM), LARGEST_ZOOM)),
    )


def text_on(colour: str) -> str:
    """The colour of text that can be read on another one: black or white."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return "#000000" if 299 * red + 587 * green + 114 * blue > 128_000 else "#ffffff"


def page(url: object) -> str:
    """The address of a web page; empty for what is none, such as a script."""
    if not isinstance(url, str) or len(url) > LONGEST_URL or not url.isprintable():
        return ""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    return url if parts.scheme in ("http", "https") and parts.hostname else ""


def line(text: object, longest: int) -> str:
    """One line that can be shown; empty for what is too long or has characters that are not shown."""
    return text if isinstance(text, str) and len(text) <= longest and text.isprintable() else ""


def bookmarks(text: str | None) -> tuple[Bookmark, ...]:
    """The entries of `[{"name": "Canteen", "url": "https://contoso.com/canteen"}]`. Those that are none are left out."""
    try:
        entries = json.loads(text or "[]")
    except (ValueError, RecursionError):
        return ()
    found = [bookmark(entry) for entry in entries] if isinstance(entries, list) else []
    return tuple(entry for entry in found if entry is not None)[:MOST_BOOKMARKS]


def bookmark(entry: object) -> Bookmark | None:
    if not isinstance(entry, dict):
        return None
    name, url = line(entry.get("name"), LONGEST_NAME), page(entry.get("url"))
    return Bookmark(name, url) if name and url else None
