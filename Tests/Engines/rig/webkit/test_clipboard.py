"""Copy, cut, paste, marking and drags in both windows, with real keys; what other programs read is asked with xclip."""

import unittest

from gtk_driver import IS_GTK4
from gtk_case import NOTICE, PRIVATE_VIEWER, SECRET, WORK_VIEWER, GtkCase
from rig.clipboard import PRIVATE_TYPE
from rig.pages import REWRITTEN, WRITTEN_FRAMES
from rig.policy import BrowserConfiguration

ID_TYPE = PRIVATE_TYPE + "-id"


class ClipboardCase(GtkCase):
    def setUp(self) -> None:
        super().setUp()
        self.show("/clipboard")
        self.show("/clipboard", PRIVATE_VIEWER)

    def assert_wrapped(self) -> None:
        self.driver.wait(lambda: self.read("clipboard") == NOTICE, "other programs read the notice")
        self.holds_no_secret("clipboard")
        self.assertEqual(self.read("clipboard", PRIVATE_TYPE), SECRET)
        self.assertTrue(self.read("clipboard", ID_TYPE))


class Copying(ClipboardCase):
    """Managed text stays among managed programs."""

    def test_a_copy_is_wrapped_and_pasted_inside(self) -> None:
        decision = self.copy(WORK_VIEWER)
        self.assertEqual((decision["outcome"], decision["reason"]), ("allow", "clipRecorded"))
        self.assert_wrapped()
        self.assertEqual(self.paste(WORK_VIEWER), SECRET)
        self.assert_wrapped()

    def test_what_is_cut_is_wrapped_as_well(self) -> None:
        self.copy(WORK_VIEWER, "x")
        self.assert_wrapped()
        self.driver.wait(lambda: self.value(WORK_VIEWER, "text") == "", "the text is cut")
        self.assertEqual(self.paste(WORK_VIEWER), SECRET)

    def test_managed_text_is_not_pasted_in_private(self) -> None:
        self.copy(WORK_VIEWER)
        self.assertEqual(self.paste(PRIVATE_VIEWER), "")
        self.assertEqual(self.until_asked("paste")["outcome"], "block")
        self.assertTrue(self.driver.person.said)

    def test_buttons_of_pages_are_asked_like_keys(self) -> None:
        for button in ("exec-copy", "own-copy", "async-write", "async-write-html", "exec-cut"):
            with self.subTest(button=button):
                self.fill_outside("clipboard", f"before {button}")
                self.press_button(button)
                self.assert_wrapped()

    def test_a_command_of_the_menu_is_asked_like_a_key(self) -> None:
        self.select_all(WORK_VIEWER)
        self.driver.view(WORK_VIEWER).execute_editing_command("Copy")
        self.until_asked("copy", selection="clipboard")
        self.assert_wrapped()

    def test_a_frame_inside_is_asked_as_well(self) -> None:
        mark = "(field => { field.focus(); field.select(); })(inner.contentDocument.getElementById('text'))"
        self.driver.script(WORK_VIEWER, mark)
        self.driver.point(self.driver.windows[WORK_VIEWER], 5, 5)
        self.driver.press(WORK_VIEWER, "c")
        self.until_asked("copy", selection="clipboard", length=len("for contoso only, in a frame"))
        self.driver.wait(lambda: self.read("clipboard") == NOTICE, "other programs read the notice")
        self.holds_no_secret("clipboard")

    def test_a_page_reads_nothing(self) -> None:
        self.copy(WORK_VIEWER)
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.assertEqual(self.press_button("async-read", viewer), "refused: NotAllowedError")

    def test_rich_text_is_wrapped_in_both_forms(self) -> None:
        self.copy_rich()
        self.assert_wrapped()
        self.assertIn("<b", self.read("clipboard", PRIVATE_TYPE + "-html") or "")

    def test_a_page_that_writes_itself_anew_is_asked_as_before(self) -> None:
        for count, (name, source) in enumerate(REWRITTEN.items(), 1):
            with self.subTest(name):
                self.show("/clipboard")
                self.driver.script(WORK_VIEWER, f"(() => {{ {source} }})()")
                self.driver.settle()
                self.assertEqual(self.copy(WORK_VIEWER)["viewer"], WORK_VIEWER)
                self.assert_wrapped()
                self.assertEqual(self.paste(WORK_VIEWER), SECRET)
                self.assertEqual(len(self.asked("paste")), count, "each paste is asked about once")

    def test_a_frame_that_its_page_writes_is_asked_as_before(self) -> None:
        for name, source in WRITTEN_FRAMES.items():
            with self.subTest(name):
                self.show("/clipboard")
                self.fill_outside("clipboard", f"before {name}")
                self.driver.script(WORK_VIEWER, f"(() => {{ {source} }})()")
                self.driver.settle()
                self.driver.press(WORK_VIEWER, "c")
                self.assert_wrapped()

    def test_private_life_is_free(self) -> None:
        for button in ("exec-copy", "own-copy", "async-write", "async-write-html"):
            with self.subTest(button=button):
                self.fill_outside("clipboard", f"before {button}")
                self.press_button(button, PRIVATE_VIEWER)
                self.driver.wait(lambda: self.read("clipboard") == SECRET, "other programs read the text")
                self.assertNotIn(PRIVATE_TYPE, self.read("clipboard", "TARGETS") or "")
        self.copy(PRIVATE_VIEWER)
        self.assertEqual(self.paste(PRIVATE_VIEWER), SECRET)


class CopyingShortTexts(ClipboardCase):
    """A policy that lets short texts go anywhere: as text, and as nothing else."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, exception=len(SECRET))

    def test_a_short_text_leaves_its_markup_behind(self) -> None:
        self.assertTrue(self.copy_rich()["onlyPlainText"])
        self.driver.wait(lambda: self.read("clipboard") == SECRET, "other programs read the text")
        self.assertNotIn("<", self.read("clipboard", "text/html") or "")


class Pasting(ClipboardCase):
    """What comes from other programs, with a policy that lets nothing in."""

    def test_text_from_outside_stays_outside(self) -> None:
        self.fill_outside("clipboard", "from outside")
        self.assertEqual(self.paste(WORK_VIEWER), "")
        asked = self.asked("paste")[-1]
        self.assertEqual(asked["length"], len("from outside"))
        self.assertTrue(asked["from"].startswith("http"), "rules judge the page that takes it")
        self.assertEqual(self.paste(PRIVATE_VIEWER), "from outside")

    def test_a_middle_click_is_asked_about_though_its_selection_is_unknown(self) -> None:
        for selection in ("clipboard", "primary"):
            self.fill_outside(selection, "from outside")
        for viewer, pasted in ((WORK_VIEWER, ""), (PRIVATE_VIEWER, "from outside")):
            with self.subTest(viewer=viewer):
                self.driver.script(viewer, "other.value = ''")
                self.driver.click(viewer, "other", "middle")
                decision = self.until_asked("paste", viewer=viewer)
                self.driver.settle()
                self.assertEqual(self.value(viewer, "other"), pasted)
                self.assertNotIn("selection", decision)


    def test_the_page_cannot_ask_in_the_scripts_place(self) -> None:
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, "typeof window.webkit"), "an answer")
        self.assertEqual(self.driver.script(WORK_VIEWER, "typeof window.webkit?.messageHandlers?.guard"), "undefined")
        prompts: list[str] = []

        def dialog(_view: object, asked: object) -> bool:
            prompts.append(asked.get_message())  # type: ignore[attr-defined]
            return True

        handler = self.driver.view(WORK_VIEWER).connect("script-dialog", dialog)
        for word in ("", "webviewguard", "0" * 64):
            question = '{\\"what\\": \\"copy\\", \\"length\\": 1}'
            self.driver.script(WORK_VIEWER, f'prompt("{word}", "{question}")')
        self.driver.view(WORK_VIEWER).disconnect(handler)
        self.assertEqual(prompts, ["", "webviewguard", "0" * 64])
        self.assertEqual(self.asked("copy"), [])


class Marking(ClipboardCase):
    """PRIMARY is filled as soon as text is marked, before any key."""

    def mark(self, viewer: str) -> None:
        count = len(self.asked("copy", selection="primary"))
        self.driver.script(viewer, "getSelection().selectAllChildren(document.getElementById('paragraph'))")
        self.until_asked("copy", count + 1, selection="primary")

    def test_marked_text_is_kept_from_other_programs_and_stays_marked(self) -> None:
        self.mark(WORK_VIEWER)
        self.driver.wait(lambda: self.read("primary") == NOTICE, "other programs read the notice")
        self.holds_no_secret("primary")
        self.assertEqual(self.read("primary", PRIVATE_TYPE), "for contoso only, in a paragraph")
        self.assertEqual(self.driver.script(WORK_VIEWER, "String(getSelection())"), "for contoso only, in a paragraph")

    def test_there_is_no_moment_in_which_it_can_be_read(self) -> None:
        """A program that reads whenever PRIMARY changes is as fast as one can be."""
        seen: list[str] = []
        for _ in range(10):
            self.driver.script(WORK_VIEWER, "getSelection().removeAllRanges()")
            self.driver.script(WORK_VIEWER, "getSelection().selectAllChildren(document.getElementById('paragraph'))")
            seen += [self.read("primary") or "" for _ in range(3)]
        self.assertEqual([text for text in seen if SECRET in text], [])
        self.assertIn(NOTICE, seen)

    def test_marked_text_is_free_in_private(self) -> None:
        self.mark(PRIVATE_VIEWER)
        self.driver.wait(lambda: SECRET in (self.read("primary") or ""), "other programs read the text")
        text = self.driver.script(PRIVATE_VIEWER, "String(getSelection())")
        self.assertEqual(text, "for contoso only, in a paragraph")


class Dragging(ClipboardCase):
    """Dragging inside a page, and from work to private life."""

    def test_inside_a_managed_page(self) -> None:
        """GTK 4 hands out what is dragged past everybody, so there a drag that others may not read does not begin."""
        self.driver.drag(WORK_VIEWER, "source", "target")
        self.until_asked("dragEnd")
        self.assertEqual(self.asked("copy", selection="drag")[-1]["outcome"], "allow")
        if IS_GTK4:
            self.driver.settle()
            self.assertEqual((self.value(WORK_VIEWER, "target"), self.asked("paste")), ("", []))
        else:
            self.driver.wait(lambda: SECRET in self.value(WORK_VIEWER, "target"), "the text is dropped")

    def test_from_work_to_private_it_may_not(self) -> None:
        self.driver.drag(WORK_VIEWER, "source", "target", into=PRIVATE_VIEWER)
        self.until_asked("copy", selection="drag")
        if not IS_GTK4:
            self.assertEqual(self.until_asked("paste", selection="drag")["outcome"], "block")
        self.driver.settle()
        self.assertEqual(self.value(PRIVATE_VIEWER, "target"), "")

    @unittest.skipIf(IS_GTK4, "a drag that others may not read does not begin")
    def test_another_program_gets_the_notice(self) -> None:
        for viewer, gets in ((WORK_VIEWER, NOTICE), (PRIVATE_VIEWER, SECRET)):
            with self.subTest(viewer=viewer):
                lines = self.other_program("drop", "200", "810")
                self.driver.drag_to_screen(viewer, "source", 300, 850)
                self.driver.wait(lambda lines=lines: len(lines) > 1, "something is dropped")
                self.assertEqual(lines[1].strip(), f"dropped {gets!r}")

    def test_inside_a_private_page_it_is_free(self) -> None:
        self.driver.drag(PRIVATE_VIEWER, "source", "target")
        self.driver.wait(lambda: SECRET in self.value(PRIVATE_VIEWER, "target"), "the text is dropped")


class Elsewhere(ClipboardCase):
    """A clip that another guarded program wrapped."""

    def test_it_is_judged_by_its_id_and_inserted_as_it_was(self) -> None:
        self.copy(WORK_VIEWER)
        clip = self.driver.wait(lambda: self.read("clipboard", ID_TYPE), "the copy is there")
        self.other_program("own", clip, "the true content")
        self.until_asked("clipboardChanged", selfOwned=False)
        self.assertEqual(self.paste(WORK_VIEWER), "the true content")
        self.assertEqual(self.paste(PRIVATE_VIEWER), "")


class CopyingNothing(ClipboardCase):
    """A policy under which content must be scanned before it is copied, and nothing here scans."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, more="    inspection: { required: true }")

    def test_what_was_there_stays(self) -> None:
        for key in ("c", "x"):
            self.fill_outside("clipboard", f"before {key}")
            self.assertEqual(self.copy(WORK_VIEWER, key)["outcome"], "block")
            self.driver.settle()
            self.assertEqual(self.read("clipboard"), f"before {key}")
            self.assertEqual(self.value(WORK_VIEWER, "text"), SECRET)

    def test_what_a_page_puts_there_past_the_question_is_veiled(self) -> None:
        self.select_all(WORK_VIEWER)
        self.driver.settle()
        self.assertEqual(self.asked("copy", selection="primary")[-1]["outcome"], "block")
        self.holds_no_secret("primary")
        self.assertNotIn(PRIVATE_TYPE, self.read("primary", "TARGETS") or "")


class Justifying(ClipboardCase):
    """With `warn` the user decides, and says why."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, more="    warn: [paste, print]")

    def test_what_is_printed_waits_for_the_reason_which_is_logged(self) -> None:
        printed: list[object] = []
        view = self.driver.view(WORK_VIEWER)
        handler = view.connect("print", lambda *_: bool(printed.append(view)) or True)
        self.addCleanup(view.disconnect, handler)
        self.driver.guard.print_page(view)
        self.assertEqual(self.until_asked("print")["outcome"], "warn")
        self.driver.settle()
        self.assertEqual(printed, [])
        self.driver.person.justification = "the customer wants it on paper"
        self.driver.guard.print_page(view)
        self.driver.wait(lambda: printed, "it is printed")
        self._wait_for_reason("the customer wants it on paper")

    def test_a_paste_waits_for_the_reason(self) -> None:
        self.fill_outside("clipboard", "from outside")
        self.assertEqual(self.paste(WORK_VIEWER), "")
        self.driver.person.justification = "for the invoice"
        self.assertEqual(self.paste(WORK_VIEWER), "from outside")
        self._wait_for_reason("for the invoice")

    def _wait_for_reason(self, reason: str) -> None:
        """The daemon writes its log when it has answered."""

        def is_last() -> bool:
            records = self.daemon.records("acknowledged")
            return bool(records) and records[-1].get("justification") == reason

        self.driver.wait(is_last, "the reason is in the log")


del ClipboardCase, GtkCase
