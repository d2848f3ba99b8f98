"""What every test of WebKitGTK stands on: the rig's site and daemon, and the browser of the rig that runs."""

import gc
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, ClassVar

from gtk_driver import GtkDriver
from hands import HANDS
from rig.case import BrowserCase
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.records import Record

__all__ = ["NOTICE", "PRIVATE_VIEWER", "SECRET", "STAYS", "WORK_VIEWER", "GtkCase"]

SECRET = "for contoso only"
NOTICE = "Your organization's data cannot be pasted here."
STAYS = "This page does not open here"


HERE = Path(__file__).resolve().parent


class GtkCase(BrowserCase):
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
        self._before = len(self.records.all)
        self.driver.person.begin()

    # Shorthand

    def asked(self, event: str, **members: Any) -> list[Record]:
        """The decisions on such events since the test began, with these members."""
        found = self.records.of(event, self._before)
        return [record for record in found if all(record.get(name) == value for name, value in members.items())]

    def until_asked(self, event: str, count: int = 1, **members: Any) -> Record:
        what = f"{event} {members} is decided"
        self.driver.wait(lambda: len(self.asked(event, **members)) >= count, what)
        return self.asked(event, **members)[-1]

    def until_notice(self, words: str, viewer: str = WORK_VIEWER) -> None:
        """Waits until the notice is shown in place of a page, with these words on it."""
        text = "document.body ? document.body.innerText : ''"
        self.driver.wait(lambda: words in str(self.driver.script(viewer, text)), f"the notice says `{words}`")

    # The clipboard

    def focus(self, viewer: str, element: str) -> None:
        self.driver.click(viewer, element)
        has_focus = f"document.hasFocus() && document.activeElement.id === '{element}'"
        self.driver.wait(lambda: self.driver.script(viewer, has_focus), f"`{element}` has the focus")

    def select_all(self, viewer: str, element: str = "text") -> None:
        self.focus(viewer, element)
        self.driver.press(viewer, "a")
        field = f"document.getElementById('{element}')"
        whole = f"{field}.selectionEnd - {field}.selectionStart === {field}.value.length"
        self.driver.wait(lambda: self.driver.script(viewer, whole), "all is marked")

    def copy(self, viewer: str, key: str = "c") -> Record:
        count = len(self.asked("copy", selection="clipboard"))
        self.select_all(viewer)
        self.driver.press(viewer, key)
        return self.until_asked("copy", count + 1, selection="clipboard")

    def paste(self, viewer: str, element: str = "other") -> str:
        """Pastes into an empty field, and returns what is there then."""
        count = len(self.asked("paste"))
        self.driver.script(viewer, f"document.getElementById('{element}').value = ''")
        self.focus(viewer, element)
        self.driver.press(viewer, "v")
        self.until_asked("paste", count + 1)
        self.driver.settle()
        return self.value(viewer, element)

    def value(self, viewer: str, element: str) -> str:
        return str(self.driver.script(viewer, f"document.getElementById('{element}').value"))

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
