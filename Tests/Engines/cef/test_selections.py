"""What other programs read of text that is marked, and of copies that no hook of CEF tells of: with xclip."""

import os
import signal
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from test_person import NOTICE, PersonCase

from rig import clipboard
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER

MARKED = "for contoso only, in a paragraph"
VIEWERS = (WORK_VIEWER, PRIVATE_VIEWER)


class SelectionCase(PersonCase):
    def setUp(self) -> None:
        super().setUp()
        for selection in clipboard.SELECTIONS:
            clipboard.write(selection, "of another program")

    def asked(self, event: str, viewer: str = WORK_VIEWER) -> list[dict[str, Any]]:
        return [record for record in self.of(event, viewer) if record.get("selection") == "primary"]

    def mark(self, viewer: str) -> None:
        self.show("/clipboard", viewer)
        self.assertEqual(self.driver.mark(viewer, "paragraph"), MARKED)

    def reads(self, selection: str, wanted: Callable[[str], bool]) -> None:
        read = lambda: clipboard.read(selection, "UTF8_STRING") or ""  # noqa: E731
        self.driver.wait(lambda: wanted(read()), f"others read what they may in {selection}")

    def hides(self, selection: str, secret: str) -> None:
        """No program that asks for text in any form gets it, and it does not come back."""
        self.reads(selection, lambda text: text == NOTICE)
        for target in clipboard.TEXT_TARGETS:
            self.assertNotIn(secret, clipboard.read(selection, target) or "", f"{selection} as {target}")


class Selections(SelectionCase):
    """CEF fills PRIMARY by itself: a moment later there is a notice, unless the data is the person's own."""

    def test_marked_text_is_hidden_and_private_text_is_free(self) -> None:
        """In windows that take turns, so that each has the focus before the other's answer could be remembered."""
        for viewer in VIEWERS * 3:
            with self.subTest(viewer=viewer):
                self._before = len(self.records.all)
                self.mark(viewer)
                if viewer == WORK_VIEWER:
                    self.hides("primary", "contoso")
                    self.wrapped("primary", MARKED)
                else:
                    self.reads("primary", lambda text: text.strip() == MARKED)

    def test_what_is_marked_by_keys_is_hidden(self) -> None:
        for keys in (("ctrl+a",), ("Home", "shift+End"), ("End", "shift+ctrl+Left")):
            with self.subTest(keys=keys):
                clipboard.write("primary", "of another program")
                self.show("/clipboard")
                self.driver.real_click(WORK_VIEWER, "text")
                self.driver.real_press(*keys)
                self.hides("primary", "contoso")

    def test_a_middle_click_pastes_no_marked_text(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.mark(WORK_VIEWER)
        self.hides("primary", "contoso")
        self.driver.real_click(PRIVATE_VIEWER, "other", "2")
        self.driver.real_click(PRIVATE_VIEWER, "text")
        self.assertNotIn("contoso", self.value(PRIVATE_VIEWER, "other"))

    def test_without_a_daemon_nothing_can_be_read(self) -> None:
        """The private window had the focus, and was free, before nobody answered any more."""
        for end in (signal.SIGSTOP, signal.SIGKILL):
            with self.subTest(end=end):
                self.mark(PRIVATE_VIEWER)
                self.reads("primary", lambda text: text.strip() == MARKED)
                self.show("/clipboard")
                self.show("/clipboard", PRIVATE_VIEWER)
                clipboard.write("primary", "of another program")
                os.kill(self.daemon.pid, end)
                try:
                    for viewer in VIEWERS:
                        self.driver.mark(viewer, "paragraph")
                        self.hides("primary", "contoso")
                finally:
                    if end == signal.SIGKILL:
                        self.daemon.stop(signal.SIGKILL)
                        self.daemon.start()
                    else:
                        os.kill(self.daemon.pid, signal.SIGCONT)
                self.driver.wait(lambda: self.is_free(), "the private window is free again")

    def test_what_other_programs_put_there_is_told(self) -> None:
        self.show("/clipboard")
        self.driver.real_click(WORK_VIEWER, "text")
        for selection in clipboard.SELECTIONS * 2:
            before = len(self.told(selection))
            clipboard.write(selection, "of a third program")
            self.driver.wait(lambda s=selection, n=before: len(self.told(s)) > n, f"the change of {selection} is told")

    def told(self, selection: str) -> list[dict[str, Any]]:
        return [one for one in self.records.of("clipboardChanged") if one["selection"] == selection]

    def is_free(self) -> bool:
        self.driver.real_click(WORK_VIEWER, "text")
        self.driver.mark(PRIVATE_VIEWER, "paragraph")
        return (clipboard.read("primary", "UTF8_STRING") or "").strip() == MARKED


class ChromeSelections(Selections):
    style = "chrome"


class AddressBar(SelectionCase):
    """No hook of CEF tells what the fields around a page copy."""

    style = "chrome"

    def test_what_the_address_bar_copies_is_hidden(self) -> None:
        self.show("/clipboard")
        self.driver.real_click(WORK_VIEWER, "text")
        host = urlsplit(str(self.driver.script(WORK_VIEWER, "location.href"))).netloc
        self.driver.wait(self.has_copied_the_address, "something is copied")
        for selection in clipboard.SELECTIONS:
            self.hides(selection, host)

    def test_an_allowed_drag_is_no_leave_for_a_copy(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.show("/clipboard")
        self.driver.real_click(WORK_VIEWER, "text")
        self.driver.wait(self.has_copied_the_address, "something is copied")
        clipboard.write("clipboard", "of another program")
        self._before = len(self.records.all)
        self.driver.begin_drag(PRIVATE_VIEWER, "source")
        drags = lambda: [one for one in self.of("copy", PRIVATE_VIEWER) if one["selection"] == "drag"]  # noqa: E731
        self.assertEqual({one["outcome"] for one in self.driver.wait(drags, "the drag is asked about")}, {"allow"})
        self.driver.real_press("ctrl+l", "ctrl+c")
        own = lambda: [one for one in self.records.of("clipboardChanged", self._before) if one["selfOwned"]]  # noqa: E731
        # A copy that had the leave would be told as the one that the leave was for. Chromium copies an address twice.
        self.assertEqual([one.get("proposal") for one in self.driver.wait(own, "the copy is told")[:1]], [None])
        self.reads("clipboard", lambda text: text == NOTICE)

    def has_copied_the_address(self) -> bool:
        self.driver.real_press("ctrl+l", "ctrl+c")
        return clipboard.read("clipboard", "UTF8_STRING") != "of another program"


def cases() -> list[Any]:
    return [Selections, ChromeSelections, AddressBar]
