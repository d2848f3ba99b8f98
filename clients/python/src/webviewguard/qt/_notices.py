"""The page that stands in place of one that may not load, with buttons that only it can press."""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, quote

from webviewguard import Decision, Organization, notice

# Links of this scheme are buttons. A page that is not ours does not know the token, and no engine loads the scheme.
SCHEME = "x-webviewguard-notice"
# What the daemon takes of a justification, in bytes.
LONGEST_REASON = 1024


class Notice:
    """One such page. Its token is good for one press."""

    def __init__(
        self,
        url: str,
        decision: Decision,
        actions: Collection[str],
        *,
        languages: Sequence[str] = (),
        organization: Organization | Mapping[str, Any] | None = None,
    ) -> None:
        self.url, self.decision = url, decision
        # What the user wrote, when the button to go on was pressed.
        self.reason = ""
        self._token = secrets.token_urlsafe(16)
        links = {action: f"{SCHEME}:{self._token}/{action}" for action in actions}
        self._does = {link: action for action, link in links.items()}
        page = notice(decision, url=url, languages=languages, organization=organization, actions=links)
        self.data = "data:text/html;charset=utf-8," + quote(page)

    def takes(self, url: str) -> str | None:
        """What a button's link does, once; None for any other link."""
        link, _, query = url.partition("?")
        does = self._does.get(link)
        if does == "continue":
            self.reason = _reason(query)
            does = does if self.reason else None
        if does:
            self._does = {}
        return does


def _reason(query: str) -> str:
    """The user's words in a form's query, cut at what the daemon takes."""
    words = parse_qs(query).get("justification", [""])[0].strip()
    return words.encode(errors="replace")[:LONGEST_REASON].decode(errors="ignore")
