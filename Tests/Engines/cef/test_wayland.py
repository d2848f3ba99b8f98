"""What other programs of a Wayland desktop read with wl-paste: CEF is a program of X11 there, under sway's Xwayland."""

from typing import Any

from test_person import PersonCase
from test_person import NOTICE
from test_selections import MARKED, VIEWERS

from rig import clipboard, wayland
from rig.driver import WORK_VIEWER


class OnWayland(PersonCase):
    """wl-paste has no window and no focus: it reads both selections by wlr-data-control, as clipboard managers do."""

    def setUp(self) -> None:
        super().setUp()
        self.driver.wait(lambda: len(wayland.windows()) == 2, "both windows are on the desktop")
        for selection in clipboard.SELECTIONS:
            wayland.write(selection, "of another program")

    def focus(self, viewer: str) -> None:
        """Two windows without titles, side by side: the left one shows the first page. The focus that is given arrives a
        moment later; given again meanwhile to whichever is next, it would go on moving when the page has it."""
        left, right = sorted(wayland.windows(), key=lambda window: window.x)
        wayland.focus(left if viewer == WORK_VIEWER else right)
        self.driver.wait(lambda: self.driver.value(viewer, "document.hasFocus()"), "the window has the focus")

    def mark(self, viewer: str) -> None:
        self.show("/clipboard", viewer)
        self.focus(viewer)

        def click() -> None:
            for _ in range(3):
                wayland.click(*map(int, self.driver.place(viewer, "paragraph")))

        self.assertEqual(self.driver.mark(viewer, "paragraph", click), MARKED)

    def reads(self, selection: str, wanted: str) -> None:
        self.driver.wait(lambda: (wayland.read(selection) or "").strip() == wanted, f"others read it in {selection}")

    def hides(self, selection: str) -> None:
        for kind in wayland.TEXT_TYPES:
            self.assertNotIn("contoso", wayland.read(selection, "--type", kind) or "", f"{selection} as {kind}")

    def test_marked_text_is_hidden_and_private_text_is_free(self) -> None:
        for viewer in VIEWERS * 3:
            with self.subTest(viewer=viewer):
                self.mark(viewer)
                self.reads("primary", NOTICE if viewer == WORK_VIEWER else MARKED)
                if viewer == WORK_VIEWER:
                    self.hides("primary")

    def test_managed_copies_by_key_are_wrapped_and_private_ones_are_read(self) -> None:
        for viewer in VIEWERS * 2:
            with self.subTest(viewer=viewer):
                self._before = len(self.records.all)
                wayland.write("clipboard", "of another program")
                self.mark(viewer)
                wayland.press("c")
                self.driver.wait(lambda viewer=viewer: self.asked("copy", viewer), "the copy is asked about")
                if viewer == WORK_VIEWER:
                    self.reads("clipboard", NOTICE)
                    self.hides("clipboard")
                    clip = wayland.read("clipboard", "--type", clipboard.PRIVATE_TYPE)
                    self.assertEqual((clip or "").strip(), MARKED)
                else:
                    self.reads("clipboard", MARKED)


def cases() -> list[Any]:
    return [OnWayland]
