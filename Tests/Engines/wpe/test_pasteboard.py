"""Copy, cut and paste with keys. WPE's clipboard lies in the memory of the program; what lies there is asked of the program
itself, which reads it as the engine does."""

from typing import Any

from driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import BrowserConfiguration
from wpe_case import WpeCase

SECRET = "for contoso only"
NOTICE = "Your organization's data cannot be pasted here."


class PasteboardCase(WpeCase):
    def setUp(self) -> None:
        super().setUp()
        self.show("/clipboard")
        self.show("/clipboard", PRIVATE_VIEWER)

    def engine_reads(self) -> str:
        return str(self.driver.call("clipboard"))

    def until_engine_reads(self, text: str) -> None:
        self.driver.wait(lambda: self.engine_reads() == text, f"the engine reads `{text}`")


class Pasting(PasteboardCase):
    """Managed text stays in the managed view, and the engine itself reads the notice."""

    def test_a_copy_is_pasted_inside(self) -> None:
        decision = self.copy(WORK_VIEWER)
        self.assertEqual((decision["outcome"], decision["reason"]), ("allow", "clipRecorded"))
        self.until_engine_reads(NOTICE)
        for _ in range(2):
            self.assertEqual(self.paste(WORK_VIEWER), SECRET)
        self.until_engine_reads(NOTICE)

    def test_what_is_cut_is_kept_as_well(self) -> None:
        self.copy(WORK_VIEWER, "x")
        self.until_engine_reads(NOTICE)
        self.driver.wait(lambda: self.value(WORK_VIEWER, "text") == "", "the text is cut")
        self.assertEqual(self.paste(WORK_VIEWER), SECRET)

    def test_managed_text_is_not_pasted_in_private(self) -> None:
        self.copy(WORK_VIEWER)
        self.assertEqual(self.paste(PRIVATE_VIEWER), "")
        self.assertEqual(self.until_asked("paste")["outcome"], "block")
        self.assertTrue(self.driver.person.said)

    def test_a_paste_at_once_finds_no_gap(self) -> None:
        """Nobody tells of the copy before the paste: it is looked for then."""
        for _ in range(5):
            self.driver.script(PRIVATE_VIEWER, "document.getElementById('other').value = ''")
            self.focus(PRIVATE_VIEWER, "other")
            self.select_all(WORK_VIEWER)
            self.driver.press(WORK_VIEWER, "c")
            self.driver.press(PRIVATE_VIEWER, "v")
            self.driver.settle()
            self.assertNotIn(SECRET, self.value(PRIVATE_VIEWER, "other"))

    def test_private_text_is_not_pasted_at_work(self) -> None:
        self.copy(PRIVATE_VIEWER)
        self.until_engine_reads(SECRET)
        self.assertEqual(self.paste(WORK_VIEWER), "")
        self.assertEqual(self.paste(PRIVATE_VIEWER), SECRET)

    def test_the_same_text_is_the_latest_copys(self) -> None:
        """The same words from private and from work are two clips, in every order."""
        for viewer in (PRIVATE_VIEWER, WORK_VIEWER, PRIVATE_VIEWER):
            self.copy(viewer)
            self.until_engine_reads(NOTICE if viewer == WORK_VIEWER else SECRET)
            pasted = self.paste(PRIVATE_VIEWER)
            self.assertEqual(pasted, "" if viewer == WORK_VIEWER else SECRET)

    def test_buttons_of_pages_are_asked_like_keys(self) -> None:
        for button in ("exec-copy", "own-copy", "async-write", "async-write-html", "exec-cut"):
            with self.subTest(button=button):
                self.copy(PRIVATE_VIEWER)
                self.until_engine_reads(SECRET)
                self.show("/clipboard")
                self.press_button(button)
                self.until_engine_reads(NOTICE)
                self.assertEqual(self.paste(PRIVATE_VIEWER), "")

    def test_a_command_of_the_program_is_asked_like_a_key(self) -> None:
        self.select_all(WORK_VIEWER)
        self.driver.call("command", WORK_VIEWER, "Copy")
        self.until_asked("copy", selection="clipboard")
        self.until_engine_reads(NOTICE)

    def test_what_comes_there_unasked_is_veiled_before_a_paste(self) -> None:
        """Nobody knows whose it is: it is asked about as a copy of an unknown viewer."""
        for viewer in (PRIVATE_VIEWER, WORK_VIEWER):
            self.driver.call("fill", text=SECRET)
            count = len(self.asked("copy"))
            self.paste(viewer)
            self.assertNotIn("viewer", self.until_asked("copy", count + 1))
            self.until_engine_reads(NOTICE)
            self.assertEqual(self.paste(PRIVATE_VIEWER), "")

    def test_a_page_reads_nothing(self) -> None:
        self.copy(WORK_VIEWER)
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.assertIn("refused", self.press_button("async-read", viewer))

    def test_a_page_pastes_nothing_by_itself(self) -> None:
        self.copy(WORK_VIEWER)
        source = "(() => { document.getElementById('other').focus(); return document.execCommand('paste') })()"
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.driver.script(viewer, source)
            self.driver.settle()
            self.assertEqual(self.value(viewer, "other"), "")


class PastingShortTexts(PasteboardCase):
    """A policy that lets short texts go anywhere: as text, and as nothing else."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, exception=len(SECRET))

    def test_a_short_text_leaves_its_markup_behind(self) -> None:
        self.assertTrue(self.copy_rich()["onlyPlainText"])
        self.until_engine_reads(SECRET)
        self.assertEqual(self.paste(PRIVATE_VIEWER), SECRET)


def cases() -> list[Any]:
    return [Pasting, PastingShortTexts]
