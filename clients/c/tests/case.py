"""What every test stands on: the program, and a directory for sockets."""

import json
import shutil
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake import CONTRACT, FakeDaemon, Script
from program import Driver


PATIENCE_SECONDS = 120.0


class ClientCase(unittest.TestCase):
    """Tests of one program. Each fails as well when the program does not end in order: with a leak, say."""

    driver_type: type[Driver] = Driver
    way = "plain"

    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def driver(self, path: Path | None = None, **environment: str) -> Driver:
        driver = self.driver_type(path or self.directory / "guard.sock", **environment)
        self.addCleanup(self._end, driver)
        return driver

    def fake(self, *scripts: Script) -> FakeDaemon:
        if not (self.directory / "contract.json").exists():
            self.contract(json.dumps(CONTRACT))
        daemon = FakeDaemon(self.directory, *scripts)
        self.addCleanup(daemon.close)
        return daemon

    def contract(self, text: str, mode: int = 0o644) -> Path:
        """Writes the contract beside the socket."""
        file = self.directory / "contract.json"
        file.write_text(text)
        file.chmod(mode)
        return file

    def until(self, driver: Driver, holds: Callable[[], object]) -> None:
        """Runs the program's event loop until something holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not holds():
            self.assertLess(time.monotonic(), deadline, "it never came about")
            driver("loop", ms=10)

    def until_connected(self, driver: Driver, is_connected: bool = True) -> None:
        self.until(driver, lambda: driver("status")["connected"] is is_connected)

    def asks_until_at_once(self, driver: Driver, **event: Any) -> dict[str, Any]:
        """What is answered in the back-off, without a wait. A machine may be so busy that a back-off is over before somebody
        asks; that question waits, and another back-off follows."""
        for _ in range(30):
            answer = driver("ask", kind="navigate", event=event)
            self.assert_local(answer["decision"])
            if answer["waited"] == 0:
                return answer
        self.fail("each question waits")

    def assert_local(self, decision: dict[str, Any], outcome: str = "block", reason: str = "noAnswer") -> None:
        self.assertEqual((decision["outcome"], decision["reason"], decision["id"]), (outcome, reason, ""), decision)
        self.assertIs(decision["isLocal"], True)

    def assert_allowed(self, decision: dict[str, Any]) -> None:
        self.assertEqual((decision["outcome"], decision["isLocal"]), ("allow", False), decision)

    def _end(self, driver: Driver) -> None:
        try:
            self.assertEqual(driver.close(), 0, "the program did not end well")
        finally:
            driver.process.kill()
