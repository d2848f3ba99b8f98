"""The real daemon for tests, with a guard of this client."""

import os
import shutil
import sys
import unittest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "Tests/Support/python"))

from configuration import APP, BROKEN, BROWSER, PERSONAL, SETTINGS, WORK, Configuration, versioned  # noqa: E402
from daemon import PROGRAM, Daemon, eventually  # noqa: E402
from webviewguard import Guard, GuardError  # noqa: E402
from wire import ADMIN, Wire  # noqa: E402

__all__ = [
    "ADMIN", "ANSWER_MS", "APP", "BROKEN", "BROWSER", "PATIENT", "PERSONAL", "WORK", "Configuration", "Daemon",
    "RealCase", "Wire", "eventually", "versioned",
]  # fmt: skip


# The machine may be busy: answers are waited for longer than elsewhere.
ANSWER_MS = 2000
PATIENT = SETTINGS.replace("answerMs: 400", f"answerMs: {ANSWER_MS}")


class RealCase(unittest.TestCase):
    """Tests with a daemon of their own. Without a built one they fail, and say how it is named."""

    configuration = Configuration(settings=PATIENT)
    daemon: Daemon

    @classmethod
    def setUpClass(cls) -> None:
        if not os.access(PROGRAM, os.X_OK):
            raise RuntimeError(f"no daemon at `{PROGRAM}`: build it, or set WEBVIEWGUARD")

    def setUp(self) -> None:
        self.daemon = Daemon(self.configuration)
        self.addCleanup(self.daemon.remove)
        self.daemon.start()
        self.problems: list[GuardError] = []

    def guard(self, **options: Any) -> Guard:
        defaults: dict[str, Any] = {
            "path": self.daemon.guard_socket, "on_problem": self.problems.append, "features": ("wrap", "plainText"),
        }  # fmt: skip
        guard = Guard(**(defaults | options))
        self.addCleanup(guard.close)
        return guard

    def managed(self, **options: Any) -> Guard:
        """A guard that shows the managed account in the viewer `docs`, and private data in `home`."""
        guard = self.guard(**options)
        self.assertTrue(guard.start())
        guard.set_identity("process", account=WORK)
        guard.set_identity("window", window="private", account=PERSONAL)
        guard.register_viewer("docs", viewer_class="documents")
        guard.register_viewer("home", window="private", viewer_class="loose")
        return guard

    def forget_everything(self) -> None:
        """Kills the daemon, and takes its state away, as a new boot would."""
        self.daemon.stop(9)
        shutil.rmtree(self.daemon.directory / "state")

    def admin(self, method: str) -> dict[str, Any]:
        with Wire(self.daemon.admin_socket) as wire:
            reply: dict[str, Any] = wire.call(f"{ADMIN}.{method}")
            return reply
