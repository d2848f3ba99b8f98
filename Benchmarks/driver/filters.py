"""Network rules of filter lists, in adblock syntax, as rules of ours that say the same.

    ||ads.example^                  external: { domain: ads.example }
    ||ads.example^$third-party      external: { domain: ads.example, not: { same: site } }
    ||cdn.example/ads/              external: { filter: 'cdn.example/ads/' }
    ||cdn.example/ads/*.gif         external: { domain: cdn.example, regex: '(?i)^https?://[^/:]+/ads/.*[.]gif' }
    /banner/*.gif|                  external: { regex: '(?i)/banner/.*[.]gif$' }
    @@||ads.example/ok/             internal, before all that are external

What cannot be said is left out, on both sides: rules for kinds of requests, for pages of one site, for headers and
replacements, and what is not ASCII.
"""

import re
from dataclasses import dataclass

from .places import Places

LISTS = ["easylist", "easyprivacy", "ublock-filters", "ublock-privacy", "ublock-badware"]

HOST = re.compile(r"\|\|([a-z0-9_-]+(?:\.[a-z0-9_-]+)+)(?=$|[\^/:?])")
PLAIN_PATH = re.compile(r"/[A-Za-z0-9/._~!&'()+,;=:@-]*\Z")
COSMETIC = re.compile(r"#[@?$%]*#|#\^")
SEPARATOR = "(?:[^a-zA-Z0-9_.%-]|$)"
PARTY = {
    "third-party": "not: { same: site }", "3p": "not: { same: site }",
    "~third-party": "same: site", "1p": "same: site", "first-party": "same: site",
}


@dataclass(frozen=True)
class Converted:
    """One rule, in both languages."""

    theirs: str
    is_exception: bool
    # What stands between the braces of ours.
    matchers: str


def network_rules(places: Places) -> list[str]:
    """The distinct network rules of all lists, in their order."""
    lines: dict[str, None] = {}
    for name in LISTS:
        for line in places.lines(f"filters/{name}.txt.gz"):
            line = line.strip()
            if line and line[0] not in "![" and not COSMETIC.search(line):
                lines.setdefault(line)
    return list(lines)


def convert(line: str) -> Converted | None:
    if not line.isascii():
        return None
    is_exception = line.startswith("@@")
    text = line.removeprefix("@@")
    is_regex = re.fullmatch(r"/.*/(?:\$[a-z0-9,~_-]+)?", text) is not None and re.search(r"[\\\[(|+]", text) is not None
    pattern, party = split_options(text, is_regex)
    if pattern is None:
        return None
    matchers = regex_value(pattern[1:-1]) if is_regex else of_pattern(pattern)
    if matchers is None:
        return None
    return Converted(line, is_exception, f"{matchers}, {party}" if party else matchers)


def as_regex(line: str) -> str | None:
    """The pattern of a rule as a regex, whatever its options demand; none for a whole host and what is not ASCII."""
    pattern = line.removeprefix("@@").partition("$")[0]
    if not line.isascii() or pattern.startswith("/") and pattern.endswith("/") or len(pattern) < 4:
        return None
    host = HOST.match(pattern)
    if host is None:
        return regex_of_text(pattern)
    rest = pattern[host.end():]
    if rest in ("", "^", "^*"):
        return None
    return "(?i)^https?://(?:[^/?#]*[.])?" + escaped(host.group(1)) + translated(rest, True)


def split_options(text: str, is_regex: bool) -> tuple[str | None, str]:
    """The pattern and what its options demand; no pattern when they demand what we cannot say."""
    pattern, dollar, options = text.rpartition("$") if is_regex or "$" in text else (text, "", "")
    if is_regex and not dollar:
        pattern = text
    if is_regex and not pattern.endswith("/"):
        pattern, options = text, ""
    if not options:
        return (pattern or text), ""
    return (pattern, PARTY[options]) if options in PARTY else (None, "")


def of_pattern(pattern: str) -> str | None:
    host = HOST.match(pattern)
    if host is None:
        return of_text(pattern)
    name, rest = host.group(1), pattern[host.end():]
    if rest in ("^", "^*", ""):
        # Without `^` the name may go on (`||ads.example` takes `ads.example.net`), which a domain cannot say.
        return f"domain: {quoted(name)}" if rest else of_text(pattern)
    if PLAIN_PATH.match(rest):
        return f"filter: {quoted(name + rest)}"
    # The domain says how the host ends, so that the regex need not; behind it stands `/`, or `:` and a port.
    text = "[/:]" + translated(rest[1:], True) if rest.startswith("^") else translated(rest, True)
    return f"domain: {quoted(name)}, {regex_value('^https?://[^/:]+' + text)}"


def of_text(pattern: str) -> str | None:
    regex = regex_of_text(pattern)
    return regex and f"regex: {quoted(regex)}"


def regex_of_text(pattern: str) -> str | None:
    start = ""
    if pattern.startswith("||"):
        start, pattern = "^https?://(?:[^/?#]*[.])?", pattern[2:]
    elif pattern.startswith("|"):
        start, pattern = "^", pattern[1:]
    body = translated(pattern, bool(start))
    return f"(?i){start}{body}" if body else None


def translated(pattern: str, goes_on: bool = False) -> str:
    """A pattern as a regex; `goes_on` when something stands before it, so that a star at its start means something."""
    end = "$" if pattern.endswith("|") else ""
    pattern = pattern.removesuffix("|")
    if not end:
        pattern = pattern.rstrip("*")
    if not goes_on:
        pattern = pattern.lstrip("*")
    return "".join({"*": ".*", "^": SEPARATOR}.get(char, escaped(char)) for char in pattern) + end


def escaped(text: str) -> str:
    return re.sub(r"[.+?()\[\]{}|\\$^*]", lambda char: rf"\{char.group()}" if char.group() in "\\^" else f"[{char.group()}]", text)


def regex_value(regex: str) -> str:
    return f"regex: {quoted('(?i)' + regex)}"


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
