"""What goes wrong with files, by the numbers of Microsoft's SDK (ledger FO-06)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from webviewguard.errors import FileProtectionError, GuardError, SealingError

# Errors of the daemon that say that it has nothing to do with this app, and those that keep a file from an owner.
_STRANGE = frozenset({"NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"})
_UNPROTECTED = frozenset({
    "OwnerStays", "KeyWithheld", "KeysUnavailable", "StateUnavailable", "LogUnavailable", "LimitReached",
})  # fmt: skip


@contextmanager
def problems() -> Iterator[None]:
    """Errors of the daemon, of sealing and of the system become FileProtectionError."""
    try:
        yield
    except GuardError as error:
        code = 100 if error.name in _STRANGE else 102 if error.name in _UNPROTECTED else 107
        code = 101 if error.name == "UnknownAccount" else 106 if error.name == "NotManaged" else code
        raise FileProtectionError(code, str(error)) from error
    except SealingError as error:
        raise FileProtectionError(error.code if error.code < 104 else 107, str(error)) from error
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FileProtectionError(104, str(error)) from error
    except IsADirectoryError as error:
        raise FileProtectionError(105, str(error)) from error
    except (ValueError, TypeError) as error:
        raise FileProtectionError(101, str(error)) from error
    except OSError as error:
        raise FileProtectionError(107, str(error)) from error
