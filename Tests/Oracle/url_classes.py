"""The known differences in reading URLs: what each one looks like.

A class is a function of a `Pair`. It takes away what it explains, and says whether there was any. Its reason, its
judgement and the count expected of it stand in known-differences.json under the function's name with hyphens. The order
is that of the list at the end: what explains a whole URL comes first.
"""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from url_parts import Pair

BROWSER_SCHEMES = (
    "chrome:", "chrome-distiller:", "chrome-error:", "chrome-extension:", "chrome-native:", "chrome-search:",
    "chrome-untrusted:", "devtools:", "isolated-app:",
)  # fmt: skip
OPAQUE_SCHEMES = ("android:", "chromeos-steam:", "drivefs:", "materialized-view:", "steam:")

CHANGED_SINCE_UNICODE_15 = "\u1806"


def scheme_of_the_browser(pair: Pair) -> bool:
    return pair.scheme in BROWSER_SCHEMES and pair.accept()


def scheme_kept_opaque(pair: Pair) -> bool:
    return pair.scheme in OPAQUE_SCHEMES and pair.accept()


def filesystem(pair: Pair) -> bool:
    return pair.scheme == "filesystem:" and pair.accept()


def whitespace_in_data(pair: Pair) -> bool:
    return pair.scheme == "data:" and pair.has_whitespace and pair.accept()


def space_in_host(pair: Pair) -> bool:
    return pair.only_theirs and pair.is_special and "%20" in pair.theirs["hostname"] and pair.accept()


def lax_ipv6(pair: Pair) -> bool:
    """`[::01.2.3.4]`, `[::0x1.2.3.4]`, and percent-encoding between the brackets."""
    return pair.only_theirs and pair.theirs["hostname"].startswith("[") and pair.accept()


def host_decoded_twice(pair: Pair) -> bool:
    """Full-width `％４１` is mapped to `%41`, and that is decoded again."""
    return pair.only_theirs and pair.is_special and "％" in _unescaped(pair.text) and pair.accept()


def newer_unicode(pair: Pair) -> bool:
    """Python's tables are older than ICU's: what they do not know includes all that ICU 72 does not know."""
    if not pair.only_theirs or not pair.is_special:
        return False
    text = _unescaped(pair.text) + _unicode_host(pair.theirs["hostname"])
    return any(unicodedata.category(c) == "Cn" or c in CHANGED_SINCE_UNICODE_15 for c in text) and pair.accept()


def prefix_within_prefix(pair: Pair) -> bool:
    """A label that begins with `xn--` again once it is decoded."""
    return pair.only_theirs and pair.is_special and "xn--xn--" in pair.theirs["hostname"] and pair.accept()


def composed_forbidden(pair: Pair) -> bool:
    """`<` or `>` and U+0338 compose to a character that is allowed; `=` alone is."""
    composes = re.search(r"[<>][^\w./?#]*\u0338", _unescaped(pair.text))
    return pair.only_ours and pair.is_special and composes is not None and pair.accept()


def opaque_host_low_byte(pair: Pair) -> bool:
    """A character of the host whose UTF-16 code ends in the byte of a forbidden one, as U+0640 in that of `@`."""
    if not pair.only_ours or pair.is_special:
        return False
    units = pair.text.encode("utf-16-le")
    low = {units[i] for i in range(0, len(units), 2) if units[i + 1]}
    return not low.isdisjoint(b"\0\t\n\r #/:<>?@[\\]^|") and pair.accept()


def file_host_with_delimiter(pair: Pair) -> bool:
    """`file://host?x` and `file://host#x`: the browser ends a file's host at a slash only."""
    authority = re.match(r"(?:file:)?[/\\]{2}[^/\\?#]*[?#]", _cleaned(pair.text), re.IGNORECASE)
    return pair.only_ours and pair.scheme == "file:" and authority is not None and pair.accept()


def file_drive_as_host(pair: Pair) -> bool:
    authority = re.match(r"(?:file:)?[/\\]{2}[a-z][:|]", _cleaned(pair.text), re.IGNORECASE)
    return pair.only_ours and pair.scheme == "file:" and authority is not None and pair.accept()


def backslash_after_opaque_base(pair: Pair) -> bool:
    """A relative reference with `\\`, and a base that is not special."""
    return not pair.is_special and "\\" in pair.text and pair.base.lower().startswith(pair.scheme) and pair.accept()


def backslash_after_dots(pair: Pair) -> bool:
    """`foo://h/a/..\\b`: the browser ends a segment of dots at a backslash, and no other segment."""
    dots = re.search(r"(?i)/(\.|%2e)*(\.|%2e)\\", _cleaned(pair.text))
    return not pair.is_special and dots is not None and pair.settle("pathname", "authority")


def lost_path_marker(pair: Pair) -> bool:
    """`foo:/.//p` as base: the `/.` is missing from the href, whose path then reads as a host."""
    return not pair.is_special and pair.base.startswith("foo:/.//") and pair.settle("authority", "follows")


def file_origin(pair: Pair) -> bool:
    return pair.scheme == "file:" and pair.replace("origin", "file://", "null")


def file_localhost(pair: Pair) -> bool:
    if pair.scheme != "file:" or not pair.differs("hostname") or pair.theirs["hostname"] != "localhost":
        return False
    return pair.settle("hostname", "pathname", "authority")


def file_path(pair: Pair) -> bool:
    """Drive letters, and paths that begin with more than one slash."""
    if pair.scheme != "file:" or (not pair.differs("pathname") and not pair.differs("authority")):
        return False
    special = re.match(r"//|/[A-Za-z](:|%7C|\||/|$)", pair.ours["pathname"])
    return special is not None and pair.settle("pathname", "authority", "follows")


def blob_origin(pair: Pair) -> bool:
    return pair.scheme == "blob:" and pair.ours.get("origin") == "null" and pair.settle("origin")


def bar_in_path(pair: Pair) -> bool:
    return pair.replace("pathname", "%7C", "|")


def apostrophe_in_query(pair: Pair) -> bool:
    return not pair.is_special and pair.replace("search", "%27", "'")


def apostrophe_in_userinfo(pair: Pair) -> bool:
    return any([pair.replace("username", "%27", "'"), pair.replace("password", "%27", "'")])


def space_before_query_or_fragment(pair: Pair) -> bool:
    if pair.is_special or not pair.differs("pathname") or not pair.theirs["pathname"].endswith(" "):
        return False
    pair.ours["pathname"] = re.sub(r"%20$", " ", pair.ours["pathname"])
    return True


def mark_before_combining(pair: Pair) -> bool:
    """`*` before a combining character. The browser writes %2A; the A is composed with that character, and the
    %2 and what follows are decoded: `a*\u0301ecorp.example` leads to `xn--a.corp-bza.example`.

    This class insists that both lie in the same domain, or that the last label is one that punycode made.
    """
    if not pair.is_special or not _has_mark_before_combining(_unescaped(pair.text)):
        return False
    if pair.only_ours or pair.only_theirs:
        return pair.accept()
    if not pair.differs("hostname"):
        return False
    _, _, parent = pair.ours["hostname"].rpartition("*")[2].partition(".")
    theirs = pair.theirs["hostname"]
    is_below = theirs.endswith("." + parent) if parent.strip(".") else "-" in theirs.rstrip(".").rpartition(".")[2]
    return is_below and pair.settle("hostname")


def star_in_host(pair: Pair) -> bool:
    """The browser percent-encodes it, before labels become punycode and before right-to-left ones are checked."""
    if pair.scheme == "blob:":
        return pair.replace("origin", "%2A", "*")
    if pair.only_theirs and pair.is_special and "%2A" in pair.theirs["hostname"]:
        return pair.accept()
    if not pair.is_special or not pair.differs("hostname"):
        return False
    if pair.theirs["hostname"].replace("%2A", "*") == pair.ours["hostname"]:
        return pair.settle("hostname")
    before = pair.theirs["hostname"]
    pair.theirs["hostname"] = _unicode_host(before).replace("%2A", "*")
    pair.ours["hostname"] = _unicode_host(pair.ours["hostname"])
    return "%2A" in _unicode_host(before)


CLASSES: tuple[Callable[[Pair], bool], ...] = (
    scheme_of_the_browser, scheme_kept_opaque, filesystem, whitespace_in_data, space_in_host, lax_ipv6,
    host_decoded_twice, prefix_within_prefix, newer_unicode, composed_forbidden, opaque_host_low_byte,
    file_host_with_delimiter, file_drive_as_host, backslash_after_opaque_base, backslash_after_dots, lost_path_marker,
    file_origin, file_localhost, file_path, blob_origin, bar_in_path, apostrophe_in_query, apostrophe_in_userinfo,
    space_before_query_or_fragment, mark_before_combining, star_in_host,
)  # fmt: skip


def _cleaned(text: str) -> str:
    """The text as the parser begins to read it."""
    return re.sub("[\t\r\n]", "", text.strip("".join(map(chr, range(0x21)))))


def _unescaped(text: str) -> str:
    """The text with percent-encoding undone and without what is taken out of URLs."""
    encoded = re.sub("[\t\r\n]", "", text).encode()
    return re.sub(rb"%([0-9A-Fa-f]{2})", lambda m: bytes.fromhex(m[1].decode()), encoded).decode("utf-8", "replace")


def _has_mark_before_combining(text: str) -> bool:
    return any(first in "*|^" and unicodedata.combining(second) for first, second in pairwise(text))


def _unicode_host(host: str) -> str:
    return ".".join(_unicode_label(label) for label in host.split("."))


def _unicode_label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode().decode("punycode")
    except UnicodeError:
        return label
