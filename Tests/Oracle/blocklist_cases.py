"""The policies of the block list part: the facts that Chromium's own tests state, and made ones."""

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from blocklist_decisions import Policy
from shared_data import cases, generator

MADE = 30
MADE_URLS = 24

HOSTS = (
    "corp.example", "www.corp.example", "a.b.corp.example", "evil.example", "other.test", "intranet", "127.0.0.1",
    "10.1.2.3", "[::1]", "bücher.example", "xn--bcher-kva.example", "example", "corp.example.", "CORP.example",
)  # fmt: skip
SCHEMES = ("", "", "", "http://", "https://", "ftp://", "ws://", "wss://", "custom://", "HTTPS://")
URL_SCHEMES = ("http://", "https://", "https://", "ftp://", "ws://", "wss://", "custom://")
PORTS = ("", "", "", "", ":80", ":443", ":8080", ":8443")
PATHS = ("", "", "", "/", "/a", "/a/b", "/A", "/a%20b", "/%61", "/a/../b", "/*", "/a/*", "/x.html")
URL_PATHS = ("", "/", "/a", "/a/b", "/ab", "/A", "/a b", "/%61", "//a", "/a/", "/x.html", "/b", "/a;x")
QUERIES = ("", "", "", "", "?v=1", "?v=1&w=2", "?v=1*", "?v", "?v*", "?*", "?w=2&", "?V=1", "?v=%31", "?=", "?v=")
URL_QUERIES = (
    "",
    "",
    "",
    "?v=1",
    "?v=12",
    "?w=2&v=1",
    "?v=1&v=2",
    "?v=2&v=1",
    "?v",
    "?vv=1",
    "?V=1",
    "?v=%31",
    "?a=b",
    "?v=1#x",
)
ODD_FILTERS = (
    "*", "http://*", "https:*", "file://*", "file:///a", "data:*", "custom:*", "*:8080", "https://*:8443", "*/a",
    ".corp.example", "user:pw@corp.example", "corp.example:*", "corp.example:0", "*.corp.example", "//corp.example",
    "http:///", "http://", "", "javascript:*", "about:*", "0x7f.1", "corp.example#x", "corp..example", "blob:*",
    "https://corp.example:443/a?v=1#y", "view-source:*", "chrome://*", "corp.example/a?v=1&v=2", "mailto:*", "?v=1",
    "/a", ":8080", "*?v=1", " corp.example", "corp.example ", "%63orp.example", "corp.example\\a", "ws:*",
)  # fmt: skip
ODD_URLS = (
    "about:blank", "about:srcdoc", "data:text/html,x", "file:///a/b", "file:///etc/a",
    "view-source:https://corp.example/", "blob:https://corp.example/1", "custom:opaque",
    "https://user:pw@corp.example/a", "http://0x7f.1/", "chrome://version/", "https://corp.example:444/",
    "http://corp.example:8080/a?v=1", "https://evil.example/?u=https://corp.example/",
    "https://www.google.com/url?q=http://corp.example", "https://corp-example.cdn.ampproject.org/c/s/corp.example/a",
    "https://translate.google.com/translate?u=corp.example", "http://[::1]:8080/a", "https://corp.example/a/%2e%2e/b",
    "filesystem:https://corp.example/temporary/x",
)  # fmt: skip


class Fact(NamedTuple):
    """What a test of Chromium states about one URL under a policy."""

    policy: Policy
    url: str
    blocked: bool
    marked: bool
    """The data say of the fact that it may not hold any more."""


def facts() -> list[Fact]:
    """All facts that are decisions. A filter is tried as a block list; an allow list with everything blocked."""
    data = cases("chromium/url_blocklist_cases.json")
    found = [_fact((case["filter"],), (), case, case["match"]) for case in data["single_filter"]]
    found += [_fact(tuple(case["filters"]), (), case, case["match"]) for case in data["any_of_filters"]]
    found += [_fact(tuple(case["block"]), tuple(case["allow"]), case, case["blocked"]) for case in data["block_allow"]]
    for case in data["states"]:
        if case["list"] == "allow":
            found.append(_fact(("*",), (case["pattern"],), case, case["state"] != "allowlist"))
        else:
            found.append(_fact((case["pattern"],), (), case, case["state"] == "blocklist"))
    return found


def _fact(block: tuple[str, ...], allow: tuple[str, ...], case: dict[str, Any], blocked: bool) -> Fact:
    marked = bool(case.get("superseded") or case.get("chromium_specific"))
    return Fact(Policy(block, allow, ()), case["url"], blocked, marked)


def made() -> Iterator[Policy]:
    """Seeded random policies in a small world, so that filters meet; and one beyond the browser's limit of entries."""
    random = generator("blocklists")
    for _ in range(MADE):
        block = tuple(_filter(random) for _ in range(random.randint(1, 7)))
        allow = tuple(_filter(random) for _ in range(random.randint(0, 5)))
        block = ("*", *block) if random.random() < 0.25 else block
        yield Policy(block, allow, tuple(_url(random) for _ in range(MADE_URLS)))
    many = tuple(f"h{number}.example" for number in range(1600))
    yield Policy(many, (), tuple(f"http://h{number}.example/" for number in (0, 999, 1001, 1498, 1499, 1599)))


def _filter(random: random.Random) -> str:
    if random.random() < 0.2:
        return random.choice(ODD_FILTERS)
    dot = "." if random.random() < 0.15 else ""
    host = random.choice(HOSTS) if random.random() < 0.9 else "*"
    path = random.choice(PATHS)
    return random.choice(SCHEMES) + dot + host + random.choice(PORTS) + path + random.choice(QUERIES)


def _url(random: random.Random) -> str:
    if random.random() < 0.12:
        return random.choice(ODD_URLS)
    below = random.choice(("", "", "", "x.", "not"))
    host = random.choice(HOSTS)
    below = "" if host[0] in "[1" else below
    return (
        random.choice(URL_SCHEMES)
        + below
        + host
        + random.choice(PORTS)
        + random.choice(URL_PATHS)
        + random.choice(URL_QUERIES)
    )
