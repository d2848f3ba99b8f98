"""The clipboard and the marked text as other programs of a Wayland desktop see them: with wl-paste, under sway."""

import os

from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from rig import wayland
from rig.clipboard import PRIVATE_TYPE, SELECTIONS
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from test_clipboard import TEXT, ClipboardCase
from test_x11 import NOTICE


class TestTheClipboardOnWayland(ClipboardCase):
    """wl-paste has no window and no focus: it reads both selections by wlr-data-control, as clipboard managers do."""

    def read(self, selection: str, *more: str) -> str | None:
        with wayland.reader(selection, *more) as program:
            self.driver.wait(lambda: program.poll() is not None, "wl-paste ends")
            text = program.stdout.read() if program.stdout else b""
        return text.decode(errors="replace") if program.returncode == 0 else None

    def focus(self, viewer: str) -> None:
        """Asked for once, and then waited for: a window hears of its focus later, and must not lose it meanwhile."""
        window = self.driver.browser.window(viewer)
        shown = self.driver.wait(lambda: wayland.window(window.windowTitle(), os.getpid()), "the desktop shows it")
        wayland.focus(shown)
        self.driver.wait(lambda: QApplication.activeWindow() is window, "the window has the focus")

    def mark_and_copy(self, viewer: str) -> None:
        """With a keyboard of the compositor: it fills PRIMARY by marking, and the clipboard by Control and C."""
        self.driver.heard.clear()
        self.focus(viewer)
        self.driver.click(viewer, "text")
        has_focus = "document.hasFocus() && document.activeElement.id == 'text'"
        self.driver.wait(lambda: self.driver.script(viewer, has_focus), "the field has the focus")
        wayland.press("a")
        whole = "(t => t.selectionEnd - t.selectionStart == t.value.length)(document.getElementById('text'))"
        self.driver.wait(lambda: self.driver.script(viewer, whole), "all is marked")
        wayland.press("c")
        self.driver.decided("copy")

    def assert_hidden(self, selection: str) -> None:
        self.driver.wait(lambda: self.read(selection) == NOTICE, f"others read the notice in {selection}")
        self.assertIn(PRIVATE_TYPE, self.read(selection, "--list-types") or "")
        for kind in wayland.TEXT_TYPES:
            self.assertNotIn(TEXT, self.read(selection, "--type", kind) or "", f"{selection} as {kind}")

    def test_managed_content_is_hidden_in_both_selections(self) -> None:
        self.both()
        self.mark_and_copy(WORK_VIEWER)
        for selection in SELECTIONS:
            self.assert_hidden(selection)

    def test_private_text_behind_a_managed_clip_is_read_by_others(self) -> None:
        """Twice, so that neither is seen only because the clipboard was empty. The desktop tells a program of its own clip
        once more: that was taken for a change that nobody asked about, and hidden."""
        self.both()
        for _ in range(2):
            self.mark_and_copy(WORK_VIEWER)
            for selection in SELECTIONS:
                self.assert_hidden(selection)
            # The same text that is marked in two windows counts as managed.
            self.driver.script(WORK_VIEWER, "void(document.getElementById('text').setSelectionRange(0, 0))")
            self.mark_and_copy(PRIVATE_VIEWER)
            for selection in SELECTIONS:
                self.driver.wait(lambda s=selection: self.read(s) == TEXT, f"others read private text in {selection}")
            QTest.qWait(200)
            self.assertEqual(self.read("clipboard"), TEXT, "and go on reading it")

    def test_managed_content_is_still_pasted_inside(self) -> None:
        self.both()
        self.mark_and_copy(WORK_VIEWER)
        self.assert_hidden("clipboard")
        self.assertEqual(self.paste_into_empty(WORK_VIEWER).reason, "sameAccount")
        self.driver.wait(lambda: self.text(WORK_VIEWER) == TEXT, "the true text arrives")
