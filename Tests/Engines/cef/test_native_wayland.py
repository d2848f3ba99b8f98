"""CEF as a program of Wayland itself, without any X server: there the pack sees no selection, and cannot fill one."""

from typing import Any, ClassVar

from test_person import SECRET, PersonCase

from rig import wayland
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER

OTHER = "of another program"


class NativeWayland(PersonCase):
    """A managed copy is refused, though the app says that it wraps clips: nobody would keep others from it."""

    switches: ClassVar[tuple[str, ...]] = ("--ozone-platform=wayland",)

    def setUp(self) -> None:
        super().setUp()
        self.driver.wait(lambda: len(wayland.windows()) == 2, "both windows are on the desktop")
        wayland.write("clipboard", OTHER)

    def copy(self, viewer: str) -> None:
        """By real keys, in the window that the compositor gave them to: that of work was opened first."""
        self.show("/clipboard", viewer)
        windows = sorted(wayland.windows(), key=lambda window: window.number)
        wayland.focus(windows[0 if viewer == WORK_VIEWER else 1])
        field = "document.getElementById('text')"
        self.driver.script(viewer, f"{field}.focus(), {field}.select()", by_user=False)

        def is_asked() -> bool:
            wayland.press("c")
            self.driver.pause()
            return bool(self.asked("copy", viewer))

        self.driver.wait(is_asked, "the copy is asked about")

    def test_no_managed_copy_reaches_the_clipboard_and_private_ones_do(self) -> None:
        for _ in range(3):
            self._before = len(self.records.all)
            self.copy(WORK_VIEWER)
            for kind in (*wayland.TEXT_TYPES, "application/x-webviewguard-clip"):
                self.assertNotIn(SECRET, wayland.read("clipboard", "--type", kind) or "", kind)
            self.assertEqual(wayland.read("clipboard"), OTHER)
            self.copy(PRIVATE_VIEWER)
            self.driver.wait(lambda: wayland.read("clipboard") == SECRET, "others read it")
            wayland.write("clipboard", OTHER)


class ChromeNativeWayland(NativeWayland):
    style = "chrome"


def cases() -> list[Any]:
    return [NativeWayland, ChromeNativeWayland]
