"""What names the same account."""

from __future__ import annotations

import re

_GUID = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}"
_HOME = re.compile(rf"({_GUID})\.{_GUID}")
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")


def account_key(account: str) -> str:
    """What an account's name is compared by: `account_key("Work@Contoso.com")` is `work@contoso.com`.

    Of `ObjectId.TenantId`, as sign-in libraries have it, this is the object id. Only ASCII has case, as in UPNs.
    """
    home = _HOME.fullmatch(account)
    return (home[1] if home else account).translate(_LOWER)


def same_account(one: str | None, other: str | None) -> bool:
    """Whether two names are of one account. None names none, not even the same; and nobody sees from their text whether
    a UPN and an object id are of one."""
    return one is not None and other is not None and account_key(one) == account_key(other)
