"""URLs as the engine has them."""

from __future__ import annotations

from webviewguard.qt._binding import QUrl


def encoded(url: QUrl) -> str:
    """The URL exactly as the engine has it; Qt's own text for people would undo some of its escapes."""
    return bytes(url.toEncoded()).decode()


def is_same_page(one: str, other: str) -> bool:
    """Whether two URLs are one request: what is behind `#` is not sent."""
    return one.partition("#")[0] == other.partition("#")[0]
