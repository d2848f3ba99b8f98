"""A directory of its own for each account: what its pages keep, and what it downloads."""

import hashlib
import os
import secrets
import shutil
import time
from contextlib import suppress
from pathlib import Path

from webviewguard import account_key

# What the name of a profile begins with that is being removed.
GOING = "going-"
# An engine ends its writing within a moment.
ATTEMPTS, PAUSE_SECONDS = 10, 0.05

class Profiles:
    """The directories of all accounts of one app, below a directory that only the app uses.

    Accounts are told apart as the daemon does it. The names of the directories are digests: an account's name is not
    the app's own, and might lead elsewhere.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._remove_set_aside()

    def place(self, account: str) -> Path:
        """Where an account's profile is, or would be."""
        return self.root / hashlib.sha256(account_key(account).encode()).hexdigest()[:32]

    def of(self, account: str) -> Path:
        """The profile of an account, made where there is none: `data`, `cache` and `downloads` are in it."""
        place = self.place(account)
        for part in ("data", "cache", "downloads"):
            (place / part).mkdir(mode=0o700, parents=True, exist_ok=True)
        return place

    def wipe(self, account: str) -> bool:
        """Removes the profile of one account, and nothing else: links are removed, and not followed. Whether it is gone.

        Nobody's account has no profile that an organisation could want removed.
        """
        if not account:
            return False
        place = self.place(account)
        # An engine that lets go of a profile may still write: it does not find the place by its name any more, and what
        # it makes anew goes as well.
        for attempt in range(ATTEMPTS):
            time.sleep(PAUSE_SECONDS if attempt else 0)
            self._set_aside(place)
            if self._remove_set_aside() and not os.path.lexists(place):
                return True
        return False

    def _set_aside(self, place: Path) -> None:
        with suppress(FileNotFoundError):
            place.rename(self.root / f"{GOING}{secrets.token_hex(8)}")

    def _remove_set_aside(self) -> bool:
        """Whether nothing is left of profiles that go, also of a program that ended in the middle."""
        for going in self.root.glob(f"{GOING}*"):
            with suppress(OSError):
                if going.is_symlink():
                    going.unlink()
                else:
                    shutil.rmtree(going)
        return not any(self.root.glob(f"{GOING}*"))
