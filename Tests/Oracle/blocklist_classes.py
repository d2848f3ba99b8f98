"""The known differences in block lists: what each one looks like.

A class is a predicate of a `BlocklistDifference`; the first one that holds counts. Reasons and counts stand in
known-differences.json.
"""

from collections.abc import Callable
from typing import NamedTuple

from blocklist_decisions import Decision, Policy

LIMIT = 1500

MADE_BY_PAGES = ("about:", "blob:", "data:", "filesystem:", "javascript:")


class BlocklistDifference(NamedTuple):
    """One URL that the browser decides otherwise than somebody else: we, or a fact from its own tests."""

    source: str
    """`ours` or `stated`."""
    policy: Policy
    url: str
    other: Decision
    browser: Decision
    marked: bool = False
    """The data say of the fact that it may not hold any more."""

    def __str__(self) -> str:
        lists = f"block {_shortened(self.policy.block)} allow {_shortened(self.policy.allow)}"
        return f"{lists}: {self.url}: {self.source} {_word(self.other)}, Chromium {_word(self.browser)}"


def superseded(difference: BlocklistDifference) -> bool:
    """A fact that the data themselves call old."""
    return difference.marked


def no_url(difference: BlocklistDifference) -> bool:
    """What the browser does not navigate to. Its tests hand such texts to the matcher."""
    return difference.browser is None and difference.other is not None


def about_with_host(difference: BlocklistDifference) -> bool:
    """`about://host` becomes `chrome://host` before anything is decided."""
    return difference.url.lower().startswith("about://") and difference.other is True


def made_by_page(difference: BlocklistDifference) -> bool:
    """URLs that belong to the page that made them: rules judge that page, or the URL inside."""
    return difference.source == "ours" and difference.url.lower().startswith(MADE_BY_PAGES)


def web_socket(difference: BlocklistDifference) -> bool:
    """`ws:` and `wss:` are judged as `http:` and `https:`, so that a filter which names them matches nothing."""
    names = any(
        text.lower().lstrip().startswith(("ws:", "wss:"))
        for text in (*difference.policy.block, *difference.policy.allow)
    )
    socket = difference.url.lower().startswith(("ws:", "wss:"))
    names_web = any("http" in text.lower() for text in (*difference.policy.block, *difference.policy.allow))
    return difference.source == "ours" and socket and (names or names_web)


def beyond_the_limit(difference: BlocklistDifference) -> bool:
    """The browser ignores what stands behind the first entries of a list."""
    policy = difference.policy
    return (
        difference.source == "ours"
        and max(len(policy.block), len(policy.allow)) >= LIMIT
        and difference.browser is False
    )


CLASSES: tuple[Callable[[BlocklistDifference], bool], ...] = (
    superseded, no_url, about_with_host, made_by_page, web_socket, beyond_the_limit,
)  # fmt: skip


def _shortened(filters: tuple[str, ...]) -> str:
    return ascii(list(filters[:12])) + ("" if len(filters) <= 12 else f" and {len(filters) - 12} more")


def _word(decision: Decision) -> str:
    return {True: "blocked", False: "not blocked", None: "no URL"}[decision]
