"""Whether the other tests left anything out: every method was called and every error seen, but for those named here."""

import re
import unittest

from daemon import INTERFACES
from session import errors_seen, methods_called

# Errors that no call can provoke today, and why.
OUT_OF_REACH = {
    "org.varlink.service.MethodNotImplemented": "every method is answered",
    "org.varlink.service.PermissionDenied": "both sockets are guarded by their modes, not by method",
    "org.webviewguard.Guard.UnknownWindow": "a window is known as soon as it is named",
}


class Coverage(unittest.TestCase):
    def test_every_method_was_called(self) -> None:
        self.assertEqual(declared("method") - methods_called, set())

    def test_every_error_was_seen(self) -> None:
        self.assertEqual(declared("error") - errors_seen, set(OUT_OF_REACH))


def declared(kind: str) -> set[str]:
    """The methods or errors of all interface files, with their interface."""
    return {
        f"{file.stem}.{name}"
        for file in INTERFACES.glob("*.varlink")
        for name in re.findall(rf"^{kind} (\w+)", file.read_text(), re.MULTILINE)
    }
