"""The known differences in URL patterns: what each one looks like.

A class is a predicate of a `PatternDifference`; the first one that holds counts. Reasons and counts stand in
known-differences.json. The order is that of the list at the end.
"""

import re
from collections.abc import Callable, Mapping

from pattern_readings import COMPONENTS, CRASHED, PatternDifference

SPECIAL = {"http", "https", "ws", "wss", "ftp", "file"}


def browser_crashes(difference: PatternDifference) -> bool:
    """A hostname that begins with fixed text which is nothing once encoded, and goes on with a wildcard: `/*`."""
    return bool(difference.theirs == CRASHED)


def url_read_in_two_ways(difference: PatternDifference) -> bool:
    return difference.what == "result" and difference.urls_differ


def follows_from_the_pattern(difference: PatternDifference) -> bool:
    """A match that differs because a component of the pattern does; that one has a class of its own."""
    return difference.what == "result" and difference.patterns_differ


def star_in_hostname(difference: PatternDifference) -> bool:
    return difference.what == "hostname" and "%2A" in difference.theirs and r"\*" in difference.ours


def bar_in_pathname(difference: PatternDifference) -> bool:
    return difference.what == "pathname" and difference.theirs.replace("%7C", "|") == difference.ours


def apostrophe_in_userinfo(difference: PatternDifference) -> bool:
    return difference.what in ("username", "password") and difference.theirs.replace("%27", "'") == difference.ours


def escaped_mark_of_search(difference: PatternDifference) -> bool:
    return difference.what == "search" and difference.ours.replace(r"\?", "", 1) == difference.theirs


def whitespace_in_pathname(difference: PatternDifference) -> bool:
    """A tab or newline in a component on its own."""
    if difference.what == "pathname":
        return re.sub("%0[9AD]", "", difference.theirs) == difference.ours
    return difference.what == "result" and re.search(r"[\t\r\n]", _part(difference, "pathname")) is not None


def space_in_hostname(difference: PatternDifference) -> bool:
    """A space in a hostname, in whatever spelling, of the pattern or of an object that is matched.

    In a protocol such as `https:%20` it counts as well, since that is tried out as the beginning of a URL.
    """
    if difference.what == "valid":
        return difference.theirs is True and re.search(r"%20|\s", _written(difference)) is not None
    spaced = re.search("%20| ", _part(difference, "hostname") + _part(difference, "protocol")) is not None
    return difference.what == "result" and difference.ours is None and spaced


def slash_in_hostname(difference: PatternDifference) -> bool:
    """`{/x}?` in a hostname, or a hostname of `/x`: of that text nothing is left once it is encoded."""
    if difference.what == "valid":
        return difference.theirs is True and re.search(r"\{[^{}]*[/?#]", _written(difference)) is not None
    return (
        difference.what == "result"
        and difference.ours is None
        and _part(difference, "hostname")[:1] in ("/", "?", "#", "\\")
    )


def zeros_before_port(difference: PatternDifference) -> bool:
    return difference.what == "port" and difference.theirs == "" and difference.ours in ("80", "443")


def case_ignored_everywhere(difference: PatternDifference) -> bool:
    """`ignoreCase` is for pathname, search and hash; the browser matches a hostname of foo: so as well."""
    more = difference.theirs is not None or "(" in _written(difference)
    return difference.what == "result" and difference.question.ignore_case and more


def case_ignored_with_authority(difference: PatternDifference) -> bool:
    """With `ignoreCase` the browser matches no object that has a username, a password or the scheme's own port."""
    has = not {"username", "password", "port"}.isdisjoint(_object(difference))
    return difference.what == "result" and difference.question.ignore_case and has and difference.theirs is None


def query_in_opaque_pathname(difference: PatternDifference) -> bool:
    """`a/b?c` as the pathname of an object whose scheme is not special, or in such a pattern."""
    if difference.what == "pathname":
        return (
            re.search(r"[?#]", difference.theirs) is not None and re.search(r"[?#]", _written(difference)) is not None
        )
    has_query = re.search("[?#]", _part(difference, "pathname")) is not None
    return difference.what == "result" and has_query and _scheme(difference) not in SPECIAL


def port_of_file(difference: PatternDifference) -> bool:
    return difference.what == "result" and _scheme(difference) == "file" and bool(_part(difference, "port"))


def port_zero(difference: PatternDifference) -> bool:
    has_zero = isinstance(difference.input, str) and re.search(r":0+([/?#]|$)", difference.input) is not None
    return difference.what == "result" and has_zero and difference.theirs is None


def nothing_in_optional_wildcard(difference: PatternDifference) -> bool:
    """`*?` on nothing: the group took no part, since JavaScript does not repeat what matched nothing."""
    if difference.what != "result" or not isinstance(difference.ours, dict) or not isinstance(difference.theirs, dict):
        return False
    pairs = [(difference.ours[name], difference.theirs[name]) for name in COMPONENTS]
    return all(ours == theirs or {**ours, **_none_if_empty(theirs)} == ours for ours, theirs in pairs)


def schemes_of_the_browser(difference: PatternDifference) -> bool:
    """A protocol that only schemes such as chrome: match: there the browser resolves dots in the pathname."""
    return difference.what == "pathname" and re.search(r"/\.+(/|$)", difference.ours) is not None


def empty_text(difference: PatternDifference) -> bool:
    return difference.what == "pathname" and difference.question.pattern == ""


CLASSES: tuple[Callable[[PatternDifference], bool], ...] = (
    browser_crashes, url_read_in_two_ways, follows_from_the_pattern, star_in_hostname, bar_in_pathname,
    escaped_mark_of_search, whitespace_in_pathname, space_in_hostname, slash_in_hostname, zeros_before_port,
    case_ignored_with_authority, case_ignored_everywhere, query_in_opaque_pathname, port_of_file, port_zero,
    apostrophe_in_userinfo, nothing_in_optional_wildcard, schemes_of_the_browser, empty_text,
)  # fmt: skip


def _object(difference: PatternDifference) -> Mapping[str, str]:
    """The input by its components; nothing when it is a text."""
    return difference.input if isinstance(difference.input, dict) else {}


def _part(difference: PatternDifference, name: str) -> str:
    return _object(difference).get(name, "")


def _scheme(difference: PatternDifference) -> str:
    return re.sub("[\t\r\n]", "", _part(difference, "protocol").lower())


def _none_if_empty(groups: Mapping[str, str | None]) -> dict[str, str | None]:
    return {name: text or None for name, text in groups.items()}


def _written(difference: PatternDifference) -> str:
    """The pattern as it was written, with its components one after the other."""
    pattern = difference.question.pattern
    return pattern if isinstance(pattern, str) else " ".join(pattern.values())
