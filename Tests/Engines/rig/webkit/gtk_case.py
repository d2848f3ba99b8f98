"""What every test of WebKitGTK stands on: the rig's site and daemon, and the browser of the rig that runs."""

import gc
import subprocess
import sys
import threading
from pathlib import Path
from typing import ClassVar

from gtk_driver import GtkDriver
from hands import HANDS
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from webkit_case import WebKitCase

__all__ = ["NOTICE", "PRIVATE_VIEWER", "SECRET", "STAYS", "WORK_VIEWER", "GtkCase"]

SECRET = "for contoso only"
NOTICE = "Your organization's data cannot be pasted here."
STAYS = "This page does not open here"


HERE = Path(__file__).resolve().parent


class GtkCase(WebKitCase):
    """A browser with a work window and a private one."""

    driver: GtkDriver
    # The rig that runs says which browser it is.
    driver_type: ClassVar[type[GtkDriver]]

    @classmethod
    def make_driver(cls) -> GtkDriver:
        return cls.driver_type(cls.daemon.guard_socket)

    def setUp(self) -> None:
        gc.collect()
        # A test that ended the daemon must not fail the tests behind it.
        if not self.daemon.is_alive:
            self.daemon.start()
        self.driver.wait(lambda: self.driver.guard.is_connected(), "the browser has found the daemon")
        self.begin_test()

    # The clipboard

    def read(self, selection: str, kind: str | None = None) -> str | None:
        """What another program reads, while this one serves it: text, or what has this type."""
        program = HANDS.reader(selection, kind)
        self.driver.wait(lambda: program.poll() is not None, "the other program has read")
        assert program.stdout is not None
        with program.stdout:
            text = program.stdout.read().decode(errors="replace")
        return text if program.returncode == 0 else None

    def holds_no_secret(self, selection: str) -> None:
        """No program reads managed text, under any of the names of text."""
        for kind in HANDS.text_types:
            self.assertNotIn(SECRET, self.read(selection, kind) or "", f"{selection} as {kind}")

    def fill_outside(self, selection: str, text: str) -> None:
        count = len(self.asked("clipboardChanged", selection=selection))
        HANDS.write(selection, text)
        self.until_asked("clipboardChanged", count + 1, selection=selection)

    def other_program(self, *arguments: str) -> list[str]:
        """Starts another program of the same user, and returns the lines that it says, as they come."""
        command = [sys.executable, str(HERE / "other_program.py"), *arguments]
        program = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        lines: list[str] = []
        assert program.stdout is not None
        threading.Thread(target=lambda: lines.extend(iter(program.stdout.readline, "")), daemon=True).start()

        def end() -> None:
            program.kill()
            program.wait()

        self.addCleanup(end)
        self.driver.wait(lambda: lines, "the other program is ready")
        return lines
