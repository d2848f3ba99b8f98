"""Text that becomes part of a notice, whoever wrote it: words, names and addresses as a person may see them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

# A name of DNS is not longer, so a host that is has its end shown, where its domain is.
LONGEST_HOST = 253
# Of what stands behind the host, and of an address without one.
LONGEST_REST = 400
# A longer scheme is none: whatever it is, no program has it.
_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]{0,63}):(.*)", re.DOTALL)
_AUTHORITY = re.compile(r"//([^/]*)(.*)", re.DOTALL)
# They hold a page, and what looks like a host in them is none.
_INSIDE = ("data", "blob", "javascript")
# Browsers take any slashes for the two of web pages, and a backslash for a slash.
_WEB = ("http", "https", "ws", "wss", "ftp")
_WEB_AUTHORITY = re.compile(r"[/\\]*([^/\\]*)(.*)", re.DOTALL)
_FILE_AUTHORITY = re.compile(r"[/\\]{2}([^/\\]*)(.*)", re.DOTALL)
# Cc, Zl, Zp and Bidi_Control of Unicode, which do not grow; and halves of letters, which are in no file's name.
_TURNING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_AROUND = "".join(map(chr, range(0x21)))
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}


@cache
def template() -> Mapping[str, Any]:
    """The words and the template of every notice."""
    found: Mapping[str, Any] = json.loads(Path(__file__).with_name("notice.json").read_text(encoding="utf-8"))
    return found


def text_of(value: str) -> str:
    """Text that is text in any place of a page, also within an attribute."""
    return shown(re.sub("[&<>\"']", lambda found: _ESCAPES[found[0]], value))


@cache
def _unseen(*lists: str) -> re.Pattern[str]:
    """Characters that a person does not see, of these lists."""
    ranges = [[chr(int(end, 16)) for end in one.split("-")] for name in lists for one in template()["unseen"][name]]
    return re.compile("[" + "".join(f"{first}-{last}" for first, last in ranges) + "]")


def shown(words: str) -> str:
    """Words as a person may see them: nothing in them is hidden, reversed, or ends the line."""
    return _unseen("anywhere").sub("\ufffd", words)


def name_of(name: str | None) -> str:
    """A name as a person may see it: of two names that look the same each character is seen."""
    return _unseen("anywhere", "names").sub("\ufffd", name or "")


def download_name(suggested: str) -> str:
    """The name under which a file is kept that a page suggests a name for: a person reads `cod\\u202egpj.exe` as
    `codexe.jpg`, and it is a program. It is kept as `cod_gpj.exe`. It may still hold slashes."""
    return _TURNING.sub("_", suggested)


def ascii_of(url: str) -> str:
    """What is no visible letter of ASCII as its percent-encoded bytes, as browsers write a URL out."""
    whole = re.sub("[\ud800-\udfff]", "\ufffd", url)
    return re.sub("[^!-~]+", lambda found: quote(found[0].encode(), safe=""), whole)


def address_of(url: str) -> tuple[str, str]:
    """The host and the address, as others may see them on a picture: no password, no query, no page inside a URL; and
    so that nobody takes the host for another. It is read as browsers read it."""
    read = re.split("[?#]", re.sub("[\t\n\r]", "", url.strip(_AROUND)), maxsplit=1)[0]
    found = _ADDRESS.fullmatch(read)
    if not found:
        return "", _cut(ascii_of(read))
    scheme, rest = found[1].lower(), found[2]
    if scheme in _INSIDE:
        return "", f"{scheme}:…"
    form = _WEB_AUTHORITY if scheme in _WEB else _FILE_AUTHORITY if scheme == "file" else _AUTHORITY
    place = form.fullmatch(rest)
    if not place:
        return "", _cut(ascii_of(f"{scheme}:{rest}"))
    authority = place[1].rpartition("@")[2]
    name = re.sub(r":[0-9]*\Z", "", authority)
    host, rest = ascii_of(name), ascii_of(authority[len(name) :] + place[2])
    host = host if len(host) <= LONGEST_HOST else "…" + host[-LONGEST_HOST:]
    return host, f"{scheme}://{host}{_cut(rest)}"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_REST else text[:LONGEST_REST] + "…"
