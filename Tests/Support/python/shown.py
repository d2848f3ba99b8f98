"""What administrators are shown of what apps were answered."""

import re
from typing import Any

PSEUDONYM = re.compile(r"acct:[0-9a-f]{20}")


def as_administrators_see(decision: dict[str, Any], shown: dict[str, Any]) -> dict[str, Any]:
    """What was answered, with the account under the pseudonym of `shown`, URLs without queries, and of a command line the
    program alone."""
    seen = dict(decision)
    if decision.get("identity"):
        assert PSEUDONYM.fullmatch(shown.get("identity", "")), f"no pseudonym: {shown.get('identity')}"
        seen["identity"] = shown["identity"]
    if "open" in decision:
        seen["open"] = decision["open"] | {"url": decision["open"]["url"].partition("?")[0]}
        if "argv" in seen["open"]:
            seen["open"]["argv"] = seen["open"]["argv"][:1]
    return seen
