"""The page that says in words why another one may not open here, and offers what the policy offers."""

import secrets
from html import escape
from typing import TYPE_CHECKING

from gi.repository import WebKit2
from webviewguard import Decision

if TYPE_CHECKING:
    from viewer import Viewer

SCHEME = "webviewguard-offer"
WORDS = {
    "blockedByRule": "A rule of your organization blocks this address.",
    "external": "This address does not belong to your organization.",
    "externalBlocked": "This address does not belong to your organization, and may not open from here.",
    "managedBrowserUnavailable": "It must open in the managed browser, and there is none on this computer.",
    "invalidURL": "This address cannot be read.",
    "handOffBlocked": "Links of this kind may not leave this program.",
    "schemeClassBlocked": "Links of this kind may not leave this program.",
    "popupBlocked": "This program opens no windows that pages ask for.",
    "noAnswer": "The guard does not answer. Nothing opens until it does.",
    "noPolicy": "The guard has no policy yet. Nothing opens until it does.",
    "noIdentity": "Nobody is signed in yet.",
    "accountBlocked": "Your organization blocked this account.",
    "accountWiped": "Your organization removed its data from this account.",
    "accountNotCompliant": "This account does not comply with your organization's conditions.",
    "orgData": "Your organization's data may not go there.",
    "orgDataOverLimit": "Your organization's data may not go there, but for short texts.",
    "incomingRestricted": "Data from outside may not come in.",
    "ownerUnknown": "It is not known whose data this is.",
    "uploadBlockedViewer": "Nothing may be put into this page.",
    "printBlocked": "Your organization does not allow printing.",
    "captureBlocked": "Your organization does not allow pictures of this window.",
    "saveLocationNotListed": "Your organization does not allow copies in this place.",
    "outgoingRestricted": "Your organization's data may go to managed programs only.",
}
PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>Not opened here</title>
<meta http-equiv=Content-Security-Policy content="default-src 'none'; style-src 'unsafe-inline'">
<style>
  body {{ font: 16px/1.5 sans-serif; background: #f4f5f7; color: #1d2430; margin: 0 }}
  main {{ max-width: 34em; margin: 12vh auto; background: #fff; border-top: 6px solid #b3261e; padding: 1.5em 2em 2em }}
  h1 {{ font-size: 1.5em; margin: 0 0 .6em }} code {{ background: #eef0f3; padding: .1em .3em; word-break: break-all }}
  dl {{ color: #5a6372; font-size: .9em }} dt {{ float: left; clear: left; width: 6em }} dd {{ margin-left: 6em }}
  a {{ display: inline-block; background: #0b57d0; color: #fff; padding: .5em 1.2em; text-decoration: none }}
</style>
<main><h1>This page does not open here</h1><p>{why}</p>{message}
<dl><dt>Address</dt><dd><code>{url}</code></dd>{rule}<dt>Reason</dt><dd><code>{reason}</code></dd></dl>{offer}</main>"""


def why(decision: Decision) -> str:
    """The reason, in a sentence for people."""
    return WORDS.get(decision.reason, "Your organization's policy does not allow it.")


class BlockPage:
    """The block page of one viewer. Its button is a link that only it has, and that works once."""

    def __init__(self, viewer: "Viewer") -> None:
        self.viewer = viewer
        self._token = ""
        self._decision: Decision | None = None
        # WebKit may show it over a page that begins to load before it is there.
        self.is_coming = False

    def show(self, decision: Decision, url: str) -> None:
        self._token, self._decision = secrets.token_urlsafe(), decision
        rule = f"<dt>Rule</dt><dd><code>{escape(decision.rule)}</code></dd>" if decision.rule else ""
        message = f"<p><strong>{escape(decision.message)}</strong></p>" if decision.message else ""
        link = f"<p><a id=offer href='{SCHEME}:{self._token}'>Open it in the managed browser</a></p>"
        words = {"why": escape(why(decision)), "url": escape(url), "reason": escape(decision.reason)}
        html = PAGE.format(**words, message=message, rule=rule, offer=link if decision.open else "")
        self.is_coming = True
        self.viewer.view.load_alternate_html(html, url, None)

    def has_come(self) -> bool:
        """Whether the page that is there now is this one. With any other the button is gone."""
        is_here, self.is_coming = self.is_coming, False
        if not is_here:
            self._token, self._decision = "", None
        return is_here

    def is_pressed(self, url: str, action: WebKit2.NavigationAction) -> bool:
        """Whether a navigation is a press of a block page's button, by whomever; only the right one does something."""
        scheme, _, token = url.partition(":")
        if scheme != SCHEME:
            return False
        decision, is_ours = self._decision, bool(self._token) and secrets.compare_digest(token, self._token)
        if is_ours and action.is_user_gesture() and decision and decision.open:
            self._token = ""
            self.viewer.browser.shell.open_elsewhere(decision.open)
        return True
