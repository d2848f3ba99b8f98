"""Documents that scripts write anew (`document.open`): they take all listeners away, and ours must come back."""

import json

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from test_clipboard import TEXT, ClipboardCase
from window import Window

PAGE = f"<title>written</title><body style='margin: 0'><textarea id=text style='width: 300px'>{TEXT}</textarea>"
# So many windows are opened and written: one crash in a few dozen was seen once.
WINDOWS = 40


def rewritten(target: str = "document") -> str:
    """A script that writes a document anew."""
    return f"(d => {{ d.open(); d.write({json.dumps(PAGE)}); d.close() }})({target}), void 0"


class TestWrittenAnew(ClipboardCase):
    def written(self, viewer: str) -> None:
        self.both()
        self.driver.script(viewer, rewritten())
        self.driver.wait(lambda: self.driver.script(viewer, "document.title") == "written", "the page is written anew")
        self.driver.wait(lambda: self.driver.script(viewer, "innerWidth > 0"), "it is there")

    def window(self, viewer: str) -> Window:
        return next(window for window in self.driver.browser.windows if window.page.name == viewer)

    def test_what_is_copied_is_asked_about(self) -> None:
        for round in range(3):
            with self.subTest(round=round):
                self.driver.heard.clear()
                self.written(WORK_VIEWER)
                for _ in range(round):
                    self.driver.script(WORK_VIEWER, rewritten())
                decision = self.copied(WORK_VIEWER)
                self.assertEqual((decision.outcome, decision.mime_wrap), ("allow", True))
                asked = [about for event, about, _ in self.driver.heard if event == "copy"]
                self.assertEqual([(about["viewer"], about["length"]) for about in asked], [(WORK_VIEWER, len(TEXT))])

    def test_what_is_pasted_is_asked_about(self) -> None:
        self.written(WORK_VIEWER)
        self.driver.press(WORK_VIEWER, "c")
        self.copied(WORK_VIEWER)
        self.written(PRIVATE_VIEWER)
        self.assertEqual(self.paste_into_empty(PRIVATE_VIEWER).reason, "orgData")
        self.assertEqual(self.text(PRIVATE_VIEWER), "")

    def test_a_window_that_its_opener_writes_is_asked_about(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, "void(window.written = window.open(''))")
        self.driver.wait(lambda: self.driver.popups, "the window opens")
        popup = self.driver.popups[0]
        self.driver.script(WORK_VIEWER, rewritten("window.written.document"))
        self.driver.wait(lambda: self.driver.title(popup) == "written", "it is written")
        self.addCleanup(self.driver.close_popups)
        view = self.window(popup).view
        view.activateWindow()
        view.setFocus()
        self.driver.script(popup, "document.getElementById('text').select()")
        QTest.mouseClick(view.focusProxy(), Qt.MouseButton.LeftButton, pos=QPoint(40, 15))
        self.driver.wait(lambda: self.driver.script(popup, "document.activeElement.id") == "text", "it has the focus")
        for key in (Qt.Key.Key_A, Qt.Key.Key_C):
            QTest.keyClick(view.focusProxy(), key, Qt.KeyboardModifier.ControlModifier)
        self.assertTrue(self.driver.decided("copy").mime_wrap)

    def test_windows_that_are_written_end_no_process(self) -> None:
        """Their opener writes them while they come to be, and they are closed in the middle or later."""
        self.show("/")
        for number in range(WINDOWS):
            self.driver.script(WORK_VIEWER, f"(w => {{ {rewritten('w.document')} }})(window.open('')), 1")
            popup = self.driver.wait(lambda: self.driver.popups, "the window opens")[0]
            self.driver.wait(lambda p=popup: self.driver.title(p) == "written", "what was written is there")
            self.window(popup).resize(500 + number, 400)
            if number % 2:
                QTest.qWait(20)
            self.driver.close_popups()
        self.show("/behind")
