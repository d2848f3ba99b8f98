"""The page that stands in place of one that may not load: it says why, and offers what the policy offers."""

import secrets
from html import escape
from urllib.parse import quote, urlsplit

from webviewguard import Decision

# Links of this scheme are buttons. A page that is not ours does not know the token, and no engine loads the scheme.
SCHEME = "x-webviewguard-notice"

WORDS = {
    "externalBlocked": "This page is not part of your organization, and may not be opened from here.",
    "external": "This page is not part of your organization. It opens in another browser.",
    "blockedByRule": "A rule of your organization blocks this page.",
    "invalidURL": "This is not an address that a browser can open.",
    "managedBrowserUnavailable": "This page opens only in your organization's browser, which is not installed.",
    "noAnswer": "The protection of your organization's data does not answer. Try again in a moment.",
    "noPolicy": "Your organization's policy is not loaded yet. Try again in a moment.",
    "accountBlocked": "Your organization has blocked this account.",
    "orgData": "Your organization's data cannot be pasted here.",
    "incomingRestricted": "Data from outside cannot be pasted into your organization's pages.",
    "printBlocked": "Your organization does not allow printing here.",
    "captureBlocked": "Your organization does not allow pictures of this page.",
    "saveLocationNotListed": "Your organization's data cannot be saved in this place.",
    "outgoingRestricted": "Your organization's data cannot be given to this program.",
    "handOffBlocked": "Your organization does not let this link open another program.",
}


def sentence(decision: Decision) -> str:
    """Why, for a person: the policy's own words where it has some."""
    words = decision.message or WORDS.get(decision.reason)
    return words or f"Your organization does not allow this ({decision.reason})."


class Notice:
    """One such page. Its buttons carry a token that is good for one press."""

    def __init__(self, url: str, decision: Decision, why: str = "") -> None:
        self.url, self.decision, self.why = url, decision, why or sentence(decision)
        self._token = secrets.token_urlsafe(16)
        self.data = "data:text/html;charset=utf-8," + quote(self._html())

    def takes(self, url: str) -> str | None:
        """What a button's link does, once; None for any other link."""
        does = {f"{SCHEME}:{self._token}/{name}": name for name in ("open", "back")}.get(url)
        if does:
            self._token = secrets.token_urlsafe(16)
        return does

    def _html(self) -> str:
        d, host = self.decision, urlsplit(self.url).hostname or self.url
        buttons = self._button("back", "Go back", "")
        if d.open:
            buttons = self._button("open", "Open in your organization’s browser", "main") + buttons
        facts = [("Address", self.url), ("Reason", d.reason), ("Rule", _rule(d)), ("Decision", d.id)]
        rows = "".join(f"<dt>{name}<dd>{escape(value)}" for name, value in facts if value)
        return TEMPLATE.format(
            style=STYLE, host=escape(host), why=escape(self.why), buttons=buttons, rows=rows
        )  # fmt: skip

    def _button(self, does: str, text: str, kind: str) -> str:
        return f"<a id={does} class='{kind}' href='{SCHEME}:{self._token}/{does}'>{text}</a>"


def _rule(decision: Decision) -> str:
    if not decision.rule:
        return ""
    return f"{decision.rule} of {decision.rule_set}" if decision.rule_set else decision.rule


TEMPLATE = """<!doctype html><html lang=en><meta charset=utf-8><title>Blocked</title>
<style>{style}</style>
<main><svg viewBox='0 0 24 24'><path d='M12 2 4 5v6c0 5 3.4 8.9 8 11 4.6-2.1 8-6 8-11V5z'/></svg>
<h1>{host} stays closed</h1><p class=why>{why}</p><nav>{buttons}</nav>
<dl>{rows}</dl></main></html>"""

STYLE = """
  body { font: 16px/1.5 system-ui, 'DejaVu Sans', sans-serif; color: #1f2937; background: #f3f4f6; margin: 0 }
  main { max-width: 34em; margin: 9vh auto; padding: 2em 2.5em; background: white; border-radius: 10px;
         border-top: 5px solid #b91c1c; box-shadow: 0 2px 14px #0002 }
  svg { width: 2.4em; fill: #b91c1c }
  h1 { font-size: 1.45em; line-height: 1.25; margin: .4em 0 .3em; overflow-wrap: anywhere }
  .why { margin: 0 0 1.4em }
  nav a { display: inline-block; padding: .5em 1.1em; margin: 0 .6em .4em 0; border-radius: 6px; color: #1f2937;
          text-decoration: none; background: #e5e7eb }
  nav a.main { background: #1d4ed8; color: white }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: .15em 1.2em; margin: 1.4em 0 0; padding-top: 1.1em;
       border-top: 1px solid #e5e7eb; font-size: .82em; color: #6b7280 }
  dd { margin: 0; overflow-wrap: anywhere; font-family: 'DejaVu Sans Mono', monospace }
"""
