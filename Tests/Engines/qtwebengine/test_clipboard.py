"""What is copied and pasted in both windows, with real keys, and the system's clipboard beside them."""

import json
from typing import Any

from engine import QtCase
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from rig.clipboard import PRIVATE_TYPE
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.policy import BrowserConfiguration
from webviewguard import Decision

TEXT = "for contoso only"


class ClipboardCase(QtCase):
    """Steps with the clipboard."""

    def select_all(self, viewer: str, element: str = "text") -> None:
        self.driver.view(viewer).activateWindow()
        self.driver.click(viewer, element)
        self.driver.wait(lambda: self.driver.script(viewer, "document.activeElement.id") == element, "it has the focus")
        self.driver.press(viewer, "a")
        whole = f"(t => t.selectionEnd - t.selectionStart == t.value.length)(document.getElementById('{element}'))"
        self.driver.wait(lambda: self.driver.script(viewer, whole), "all is selected")

    def copied(self, viewer: str, key: str = "c") -> Decision:
        self.select_all(viewer)
        self.driver.press(viewer, key)
        return self.driver.decided("copy")

    def paste_into_empty(self, viewer: str) -> Decision:
        self.driver.heard.clear()
        self.driver.script(viewer, "document.getElementById('text').value = ''")
        self.select_all(viewer)
        self.driver.press(viewer, "v")
        return self.driver.decided("paste")

    def text(self, viewer: str) -> str:
        return str(self.driver.script(viewer, "document.getElementById('text').value"))

    def clip(self) -> str:
        return QApplication.clipboard().text()

    def formats(self) -> list[str]:
        mime = QApplication.clipboard().mimeData()
        return mime.formats() if mime else []

    def changed(self) -> dict[str, Any]:
        """The next report that a selection has changed."""
        return self.driver.wait(
            lambda: [about for event, about, _ in self.driver.heard if event == "clipboardChanged"],
            "a change is reported",
        )[0]

    def both(self, path: str = "/") -> None:
        self.show(path, PRIVATE_VIEWER)
        self.show(path)


class TestShortTexts(ClipboardCase):
    """A policy that lets short texts go anywhere: as text, and as nothing else."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, exception=len(TEXT))

    def test_a_short_text_leaves_its_markup_behind(self) -> None:
        self.both("/clipboard")
        self.driver.view(WORK_VIEWER).activateWindow()
        self.driver.click(WORK_VIEWER, "rich")
        self.driver.press(WORK_VIEWER, "a")
        marked = f"String(getSelection()) == '{TEXT}'"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, marked), "the text is marked")
        self.driver.press(WORK_VIEWER, "c")
        self.assertTrue(self.driver.decided("copy").only_plain_text)
        self.driver.wait(lambda: self.clip() == TEXT, "the clipboard is filled")
        self.driver.wait(lambda: self.formats() == ["text/plain"], "nothing else is on it")


class TestCopyingAndPasting(ClipboardCase):
    """Managed text stays at work, and private text may come there."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, clipboard="managedWithPasteIn")

    def test_what_was_copied_at_work_stays_there(self) -> None:
        self.both()
        copied = self.copied(WORK_VIEWER)
        self.assertEqual((copied.outcome, copied.reason), ("allow", "clipRecorded"))
        self.assertTrue(self.changed()["self_owned"])
        record = next(r for r in self.records.all if r["id"] == copied.id)
        self.assertEqual((record["event"], record["newClip"]), ("copy", copied.clip))
        self.assertEqual(next(about for event, about, _ in self.driver.heard if event == "copy")["length"], len(TEXT))

        pasted = self.paste_into_empty(PRIVATE_VIEWER)
        self.assertEqual((pasted.outcome, pasted.reason), ("block", "orgData"))
        self.assertEqual(self.text(PRIVATE_VIEWER), "")

        inside = self.paste_into_empty(WORK_VIEWER)
        self.assertEqual(inside.reason, "sameAccount")
        self.driver.wait(lambda: self.text(WORK_VIEWER) == TEXT, "the paste arrives")
        record = next(r for r in self.records.all if r["id"] == inside.id)
        self.assertTrue(record["from"].startswith("http"), "rules judge the page that takes it")

    def test_markup_of_one_page_runs_nothing_in_another(self) -> None:
        """What the engine pastes itself loses its scripts; what the pack puts in has to lose them as well."""
        self.show("/clipboard")
        markup = "<b>for contoso only</b><img src=x onerror=\"document.documentElement.dataset.ran = 'yes'\">"
        fills = f"event.clipboardData.setData('text/html', {json.dumps(markup)})"
        plain = f"event.clipboardData.setData('text/plain', '{TEXT}')"
        handler = f"event => {{ {plain}; {fills}; event.preventDefault() }}"
        self.driver.script(WORK_VIEWER, f"document.addEventListener('copy', {handler}, {{ once: true }})")
        self.assertTrue(self.copied(WORK_VIEWER).allowed)
        self.changed()
        self.driver.heard.clear()
        self.driver.script(WORK_VIEWER, "document.getElementById('rich').textContent = ''")
        self.driver.click(WORK_VIEWER, "rich")
        self.driver.press(WORK_VIEWER, "v")
        self.assertEqual(self.driver.decided("paste").reason, "sameAccount")
        shown = f"document.getElementById('rich').textContent.includes('{TEXT}')"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, shown), "the paste arrives")
        # A picture that was put in would have failed to load before one that is asked for later.
        later = "{ src: 'y', onerror: () => document.documentElement.dataset.later = 'yes' }"
        self.driver.script(WORK_VIEWER, f"document.body.append(Object.assign(new Image(), {later}))")
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, "document.documentElement.dataset.later"), "a picture failed")
        self.assertFalse(self.driver.script(WORK_VIEWER, "document.documentElement.dataset.ran"))

    def test_private_text_may_come_to_work(self) -> None:
        self.both()
        self.assertIsNone(self.copied(PRIVATE_VIEWER).clip)
        self.driver.wait(lambda: self.clip() == TEXT, "the clipboard is filled")
        self.assertEqual(self.paste_into_empty(WORK_VIEWER).reason, "clipboardAllowed")
        self.driver.wait(lambda: self.text(WORK_VIEWER) == TEXT, "the paste arrives")

    def test_what_is_cut_is_asked_as_cut(self) -> None:
        self.both()
        self.assertTrue(self.copied(WORK_VIEWER, "x").allowed)
        self.assertTrue(next(about for event, about, _ in self.driver.heard if event == "copy")["cut"])
        self.driver.wait(lambda: self.text(WORK_VIEWER) == "", "the text is cut")

    def test_a_copy_that_came_about_is_told_by_its_name(self) -> None:
        """F3: the program saw that copy happen, so it names it; and only that."""
        self.both()
        copied = self.copied(WORK_VIEWER)
        changed = self.changed()
        self.assertEqual((changed["proposal"], changed["clip"]), (copied.proposal, copied.clip))
        self.driver.heard.clear()
        QApplication.clipboard().setText("put there by the program itself")
        self.assertNotIn("proposal", self.changed())

    def test_a_copy_that_the_page_calls_off_names_nothing(self) -> None:
        """H1: what comes onto the clipboard later is not taken for it, though it comes soon."""
        self.both()
        self.driver.script(
            PRIVATE_VIEWER, "void(addEventListener('copy', event => event.preventDefault(), { once: true }))"
        )
        self.copied(PRIVATE_VIEWER)
        # The page has its say after the answer.
        QTest.qWait(200)
        self.assertEqual([heard for heard in self.driver.heard if heard[0] == "clipboardChanged"], [])
        QApplication.clipboard().setText(TEXT)
        self.assertNotIn("proposal", self.changed())

    def test_what_a_page_fills_itself_is_known_by_its_text(self) -> None:
        self.both()
        self.driver.script(
            PRIVATE_VIEWER,
            "void(addEventListener('copy', event => { event.preventDefault();"
            " event.clipboardData.setData('text/plain', 'of the page'); }, { once: true }))",
        )
        copied = self.copied(PRIVATE_VIEWER)
        self.driver.wait(lambda: self.clip() == "of the page", "the clipboard is filled")
        self.assertEqual(self.changed()["proposal"], copied.proposal)

    def test_what_a_page_makes_up_is_not_asked_about(self) -> None:
        """H1: an event that a script made moves nothing, so it is no copy, no drag and no end of one."""
        self.both()
        kinds = ("Clipboard:copy", "Clipboard:cut", "Drag:dragstart", "Drag:drop", "Drag:dragend")
        for kind in kinds:
            family, _, name = kind.partition(":")
            self.driver.script(
                PRIVATE_VIEWER, f"void(document.body.dispatchEvent(new {family}Event('{name}', {{ bubbles: true }})))"
            )
        QTest.qWait(200)
        asked = {event for event, _, _ in self.driver.heard}
        self.assertEqual(asked & {"copy", "paste", "dragEnd", "clipboardChanged"}, set())

    def test_a_viewer_that_is_closed_ends_its_drag(self) -> None:
        self.both()
        page = self.driver.page(PRIVATE_VIEWER)
        clips = page.embedder.clips
        clips.answer(page, json.dumps({"type": "drag", "length": 3, "formats": ["text/plain"]}))
        clips.closed(page)
        ends = [about for event, about, _ in self.driver.heard if event == "dragEnd"]
        self.assertEqual([(about["viewer"], about["selection"]) for about in ends], [(PRIVATE_VIEWER, "drag")])
        clips.closed(page)
        self.assertEqual(len([event for event, _, _ in self.driver.heard if event == "dragEnd"]), 1)

    def test_a_page_cannot_ask_in_the_scripts_place(self) -> None:
        self.both()
        question = json.dumps({"type": "copy", "length": 1})
        for word in ("__clip__", "webviewguard", ""):
            self.assertTrue(self.driver.script(PRIVATE_VIEWER, f"prompt('{word}', '{question}') === null"))
        self.assertEqual([heard for heard in self.driver.heard if heard[0] == "copy"], [])

    def test_a_copy_in_a_frame_is_asked_about(self) -> None:
        self.both("/clipboard")
        inner = "document.getElementById('inner').contentDocument.getElementById('text')"
        self.driver.script(WORK_VIEWER, f"({inner}.focus(), {inner}.select())")
        self.driver.press(WORK_VIEWER, "c")
        self.assertTrue(self.driver.decided("copy").allowed)

    def test_a_copy_in_a_frame_of_another_site_is_asked_about(self) -> None:
        self.both()
        url = self.site.url("/clipboard", Host.EXTERNAL)
        frame = f"Object.assign(document.createElement('iframe'), {{ id: 'far', src: '{url}', height: 300 }})"
        self.driver.script(PRIVATE_VIEWER, f"void(document.body.prepend({frame}))")
        self.driver.wait(lambda: any(v.path == "/clipboard" for v in self.site.visits), "the frame is loaded")
        self.driver.wait(lambda: self._copies_in_frame(), "the copy is asked about", 5.0)

    def _copies_in_frame(self) -> bool:
        """Clicks into the field of the frame and copies; no script looks into the frame to see whether it is there."""
        QTest.mouseDClick(self.driver.target(PRIVATE_VIEWER), Qt.MouseButton.LeftButton, pos=QPoint(60, 40))
        QTest.qWait(100)
        self.driver.press(PRIVATE_VIEWER, "c")
        QTest.qWait(100)
        return any(event == "copy" for event, _, _ in self.driver.heard)

    def test_a_pages_own_copy_is_asked_about(self) -> None:
        self.both("/clipboard")
        for button in ("exec-copy", "exec-cut", "own-copy"):
            with self.subTest(button=button):
                self.driver.heard.clear()
                self.show("/clipboard")
                self.press_button(button)
                self.assertTrue(self.driver.decided("copy").allowed)

    def test_the_asynchronous_clipboard_is_closed_to_pages(self) -> None:
        self.both("/clipboard")
        QApplication.clipboard().setText("from outside")
        before = self.clip()
        for button in ("async-write", "async-write-html", "async-read"):
            with self.subTest(button=button):
                self.assertRegex(self.press_button(button), "^refused: ")
        self.assertEqual(self.clip(), before)
        self.assertEqual([heard for heard in self.driver.heard if heard[0] in ("copy", "paste")], [])


class TestManagedOnly(ClipboardCase):
    """Other programs, and private windows, get nothing of a managed account's; nothing of theirs comes in."""

    def test_other_programs_read_a_notice_and_the_true_text_stays_inside(self) -> None:
        self.both()
        self.assertTrue(self.copied(WORK_VIEWER).mime_wrap)
        self.driver.wait(lambda: QApplication.clipboard().mimeData().hasFormat(PRIVATE_TYPE), "the clip is wrapped")
        self.assertNotIn("contoso only", self.clip())
        self.assertNotIn("contoso only", QApplication.clipboard().mimeData().html())
        self.assertEqual(self.paste_into_empty(PRIVATE_VIEWER).reason, "orgData")
        self.assertEqual(self.text(PRIVATE_VIEWER), "")
        self.assertEqual(self.paste_into_empty(WORK_VIEWER).reason, "sameAccount")
        self.driver.wait(lambda: self.text(WORK_VIEWER) == TEXT, "the true text arrives")

    def test_private_text_is_readable_everywhere_and_does_not_come_in(self) -> None:
        self.both()
        self.assertFalse(self.copied(PRIVATE_VIEWER).mime_wrap)
        self.driver.wait(lambda: self.clip() == TEXT, "the clipboard is filled")
        self.assertEqual(self.paste_into_empty(WORK_VIEWER).reason, "incomingRestricted")
        self.assertEqual(self.text(WORK_VIEWER), "")

    def test_what_a_page_fills_itself_is_wrapped_too(self) -> None:
        self.both("/clipboard")
        for button in ("exec-copy", "own-copy"):
            with self.subTest(button=button):
                QApplication.clipboard().setText("before")
                self.press_button(button)
                self.driver.wait(lambda: self.clip() != "before", "the clipboard is filled")
                self.driver.wait(lambda: QApplication.clipboard().mimeData().hasFormat(PRIVATE_TYPE), "it is wrapped")
                self.assertNotIn("contoso only", self.clip())

    def test_a_change_that_nobody_asked_about_counts_as_the_strictest(self) -> None:
        """With the engine's setting on, a page may fill the clipboard unasked: the change is caught, and wrapped."""
        from PyQt6.QtWebEngineCore import QWebEngineSettings

        settings = self.driver.page(WORK_VIEWER).settings()
        attribute = QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard
        settings.setAttribute(attribute, True)
        self.addCleanup(settings.setAttribute, attribute, False)
        self.both("/clipboard")
        self.assertEqual(self.press_button("async-write"), "written")
        self.assertTrue(self.changed()["self_owned"])
        self.driver.wait(lambda: QApplication.clipboard().mimeData().hasFormat(PRIVATE_TYPE), "the clip is wrapped")
        self.assertNotIn("contoso only", self.clip())
