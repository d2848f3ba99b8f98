"""One decision of each kind of notice, for pictures and for a look at every notice in a real engine."""

from webviewguard import Decision, OpenOffer, Organization
from webviewguard._decision import refused

CODE = "7353448151165139"
URL = "https://files.example/plan"
ORGANIZATION = Organization("Contoso AG", "the help desk (0800 123)", "mailto:help@contoso.com", "#005a9c", "#7cc4ff")
OFFER = OpenOffer(target="managedBrowser", url=URL)
WHO = {"id": CODE, "identity": "work@contoso.com"}
RULE = {"rule": "file-sharing", "rule_set": "contoso-sites"}
KINDS = {
    "block": Decision(reason="externalBlocked", open=OFFER, **WHO, **RULE),
    "warn": Decision(outcome="warn", reason="externalBlocked", **WHO),
    "redirect": Decision(outcome="redirect", reason="external", open=OFFER, **WHO),
    "notCompliant": Decision(reason="accountNotCompliant", **WHO),
    "wiped": Decision(reason="accountWiped", **WHO),
    "guardAway": refused("noAnswer"),
}
ACTIONS = ("open", "exception", "retry", "back", "continue")
LANGUAGES = ("en", "ar", "de")
