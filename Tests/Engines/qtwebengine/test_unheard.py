"""Pages that keep the guard's script from hearing of a paste or a drop: the view asks before they get anything."""

import json

from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt
from PyQt6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWebEngineCore import QWebEnginePage
from PyQt6.QtWidgets import QApplication
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.pages import FIELDS, HOLDS, REWRITTEN
from rig.policy import BrowserConfiguration
from test_clipboard import TEXT, ClipboardCase

# A page with a field that the script of the guard does not hear of. It tells what it gets.
TELLS = """{ event.stopImmediatePropagation();
  document.documentElement.dataset.result = [...(event.clipboardData || event.dataTransfer).types].join() }"""
DEAF = REWRITTEN["by the hand of a frame"].replace(
    HOLDS, HOLDS.replace('"paste"', '"paste", "drop"').replace("event.stopImmediatePropagation()", TELLS)
).replace(FIELDS, "<div id=other contenteditable style='height: 200px'></div>")


class TestUnheard(ClipboardCase):
    """Short texts may come, as text and as nothing else."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, exception=len(TEXT))

    def test_a_page_that_the_script_does_not_hear_gets_no_markup_either(self) -> None:
        """By keys, by the menu, and dropped."""
        acts = {
            "keys": lambda: self.driver.press(WORK_VIEWER, "v"),
            "menu": lambda: self.driver.page(WORK_VIEWER).triggerAction(QWebEnginePage.WebAction.Paste),
            "drop": lambda: self.drop(TEXT, f"<b>{TEXT}</b>"),
        }
        for way, act in acts.items():
            with self.subTest(way):
                self.both("/clipboard")
                self.driver.view(PRIVATE_VIEWER).activateWindow()
                self.driver.click(PRIVATE_VIEWER, "rich")
                self.driver.press(PRIVATE_VIEWER, "a")
                self.driver.heard.clear()
                self.driver.press(PRIVATE_VIEWER, "c")
                self.driver.wait(lambda: "text/html" in self.formats(), "the markup lies there")
                self.driver.script(WORK_VIEWER, f"void (() => {{ {DEAF} }})()")
                there = "document.getElementById('other')?.isContentEditable"
                self.driver.wait(lambda t=there: self.driver.script(WORK_VIEWER, t), "the page is another one")
                self.driver.view(WORK_VIEWER).activateWindow()
                self.driver.click(WORK_VIEWER, "other")
                focus = "document.activeElement.id == 'other'"
                self.driver.wait(lambda f=focus: self.driver.script(WORK_VIEWER, f), "it has the focus")
                act()
                self.assertTrue(self.driver.decided("paste").only_plain_text)
                shown = "document.getElementById('other').innerHTML"
                self.driver.wait(lambda s=shown: TEXT in self.driver.script(WORK_VIEWER, s), "it arrives", 10.0)
                self.assertEqual(self.driver.script(WORK_VIEWER, shown), TEXT)
                self.assertEqual(self.result(), "text/plain")

    def drop(self, text: str, markup: str) -> None:
        """What was dragged in the private window."""
        page = self.driver.page(PRIVATE_VIEWER)
        begun = {"type": "drag", "length": len(text), "formats": ["text/plain", "text/html"]}
        page.embedder.clips.answer(page, json.dumps(begun))
        self.addCleanup(page.embedder.clips.closed, page)
        view, mime = self.driver.view(WORK_VIEWER), QMimeData()
        mime.setText(text)
        mime.setHtml(markup)
        action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(view, QDragEnterEvent(QPoint(60, 40), action, mime, left, none))
        QApplication.sendEvent(view, QDragMoveEvent(QPoint(60, 40), action, mime, left, none))
        QTest.qWait(100)  # The engine says later whether something can be dropped there.
        QApplication.sendEvent(view, QDropEvent(QPointF(60, 40), action, mime, left, none))
