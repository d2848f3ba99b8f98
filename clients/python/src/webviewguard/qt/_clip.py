"""What a selection holds, in plain or hidden from programs that do not ask."""

from __future__ import annotations

from dataclasses import dataclass

from webviewguard.qt._binding import QClipboard, QMimeData

Mode = QClipboard.Mode
NAMES = {Mode.Clipboard: "clipboard", Mode.Selection: "primary"}
# A clip that other programs may not read: its content for programs that ask the guard, and the clip's id beside it.
PRIVATE, PRIVATE_HTML = "application/x-webviewguard-clip", "application/x-webviewguard-clip-html"
PRIVATE_ID = "application/x-webviewguard-clip-id"


@dataclass
class Clip:
    """What a selection holds, read as a program that asks the guard may read it."""

    text: str
    html: str
    formats: list[str]
    id: str | None
    is_wrapped: bool


def read(mime: QMimeData | None) -> Clip:
    if mime is None:
        return Clip("", "", [], None, False)
    formats = mime.formats()
    if PRIVATE in formats:
        text, html, clip = (
            bytes(mime.data(kind)).decode(errors="replace") for kind in (PRIVATE, PRIVATE_HTML, PRIVATE_ID)
        )
        return Clip(text, html, ["text/plain", "text/html"] if html else ["text/plain"], clip or None, True)
    return Clip(mime.text(), mime.html(), formats, None, False)
