"""The owner of a file, as the daemon's answers have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast, get_args

from webviewguard._words import FileStanding

_STANDINGS: tuple[str, ...] = get_args(FileStanding)


@dataclass(frozen=True)
class FileOwner:
    """Whose a file is. A standing that this client does not know is `unknown`."""

    standing: FileStanding
    # As the policy spells it; None unless the standing is `mine` or `managed`.
    account: str | None = None
    must_encrypt: bool = False

    @property
    def is_managed(self) -> bool:
        """The organisation's, also when nobody can say which account's."""
        return self.standing != "unmanaged"


@dataclass(frozen=True)
class Labelled:
    """An owner that was just given, and the label to set; without one for the table, and for nobody's files."""

    owner: FileOwner
    label: bytes | None
    # Nothing keeps the owner of this file.
    must_seal: bool


def read_owner(reply: Mapping[str, Any]) -> FileOwner:
    """TypeError or KeyError for a reply that is none."""
    standing, account, encrypts = reply["standing"], reply.get("owner"), reply["mustEncrypt"]
    if not isinstance(standing, str) or not isinstance(encrypts, bool) or not isinstance(account, (str, type(None))):
        raise TypeError
    return FileOwner(cast(FileStanding, standing if standing in _STANDINGS else "unknown"), account, encrypts)


def read_labelled(reply: Mapping[str, Any]) -> Labelled:
    label, must_seal = reply.get("label"), reply["mustSeal"]
    if not isinstance(label, (str, type(None))) or not isinstance(must_seal, bool):
        raise TypeError
    try:
        return Labelled(read_owner(reply), None if label is None else bytes.fromhex(label), must_seal)
    except ValueError:
        raise TypeError from None
