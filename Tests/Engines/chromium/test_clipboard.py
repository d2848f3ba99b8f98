"""Copy, cut, paste and drag with real keys and a real mouse. The clipboard is the browser's own: it is headless."""

from typing import Any, ClassVar

from rig.clipboard import TEXT_TARGETS, display, read, write
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.pages import REWRITTEN, WRITTEN_FRAMES
from rig.policy import BrowserConfiguration
from test_ways import ChromiumCase

SECRET = "for contoso only"
FOREIGN = "from elsewhere"


class Keys(ChromiumCase):
    """Both browsers have a clipboard of their own, and one record of whose data fills it: that of their display."""

    level: ClassVar[str]
    exception: ClassVar[int] = 0

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(
            cls.managed_browser.program, clipboard=cls.level, exception=cls.exception, answer_ms=cls.answer_ms
        )

    def setUp(self) -> None:
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.show("/clipboard", viewer)
            self.fill(viewer, "before")

    # Steps

    def fill(self, viewer: str, text: str) -> None:
        """Puts text on a browser's clipboard past the extension, in a world where pages cannot reach."""
        self.in_own_world(viewer, f"navigator.clipboard.writeText({text!r})")

    def held(self, viewer: str) -> str:
        """What a browser's clipboard holds."""
        return str(self.in_own_world(viewer, "navigator.clipboard.readText()"))

    def types(self) -> str:
        """The types under which the managed browser's clipboard holds something."""
        types = "navigator.clipboard.read().then(items => items.flatMap(item => item.types).join())"
        return str(self.in_own_world(WORK_VIEWER, types))

    def in_own_world(self, viewer: str, source: str) -> Any:
        tab = self.driver.tab(viewer)
        tab.call("Page.bringToFront")
        for name in ("clipboard-read", "clipboard-write"):
            tab.devtools.call("Browser.setPermission", {"permission": {"name": name}, "setting": "granted"})
        frame = tab.call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = tab.call("Page.createIsolatedWorld", frameId=frame, worldName="test")["executionContextId"]
        return tab.value(source, contextId=world)

    def select_all(self, viewer: str, element: str) -> None:
        self.driver.click(viewer, element)
        self.driver.press(viewer, "a")

    def asked(self, event: str, since: int) -> list[dict[str, Any]]:
        """The records of one kind of question, once there is one."""
        self.driver.wait(lambda: self.records.of(event, since), f"{event} is asked")
        return self.records.of(event, since)

    def press(self, viewer: str, key: str, event: str) -> dict[str, Any]:
        """Presses a key; the record of the question that came of it."""
        since = len(self.records.all)
        self.driver.press(viewer, key)
        record = self.asked(event, since)[-1]
        # The answer is carried out by then: the extension answers a message of ours after those before it.
        self.driver.viewer(viewer).status()
        return record

    def value(self, viewer: str, element: str) -> str:
        return str(self.driver.script(viewer, f"document.getElementById('{element}').value"))

    def copy(self, viewer: str, key: str = "c") -> dict[str, Any]:
        """Copies the field; the record, once the clipboard holds something else than before."""
        self.select_all(viewer, "text")
        record = self.press(viewer, key, "copy")
        self.driver.wait(lambda: self.held(viewer) != "before", "something is on the clipboard")
        return record

    def paste(self, viewer: str) -> tuple[dict[str, Any], str]:
        """Pastes into the empty field; the record, and what stands there once it was carried out."""
        self.driver.click(viewer, "other")
        record = self.press(viewer, "v", "paste")
        if viewer == WORK_VIEWER:
            self.assertTrue(record["from"].endswith("/clipboard"), "rules judge the page that takes it")
        if record["outcome"] == "allow":
            self.driver.wait(lambda: self.value(viewer, "other"), "something is pasted")
        return record, self.value(viewer, "other")


class AnyClipboard(Keys):
    """Under a policy that lets text go anywhere, held commands do what they would have done."""

    level = "any"

    def test_a_copy_is_asked_about_by_its_length_only(self) -> None:
        record = self.copy(WORK_VIEWER)
        self.assertEqual((record["outcome"], record["length"]), ("allow", len(SECRET)))
        self.assertEqual(self.held(WORK_VIEWER), SECRET)

    def test_a_cut_takes_the_text_away_once_it_may(self) -> None:
        self.assertEqual(self.copy(WORK_VIEWER, "x")["outcome"], "allow")
        self.driver.wait(lambda: self.value(WORK_VIEWER, "text") == "", "the text is cut")
        self.assertEqual(self.held(WORK_VIEWER), SECRET)

    def test_rich_text_stays_rich(self) -> None:
        self.select_all(WORK_VIEWER, "rich")
        self.press(WORK_VIEWER, "c", "copy")
        self.driver.wait(lambda: "text/html" in self.types(), "the clip has its markup")

    def test_a_copy_that_came_about_is_told(self) -> None:
        """F3: the extension fills the clipboard itself, and names the copy."""
        since = len(self.records.all)
        self.copy(WORK_VIEWER)
        echo = self.asked("clipboardChanged", since)[-1]
        self.assertEqual((echo["selfOwned"], echo["length"], echo["viewer"][:4]), (True, len(SECRET), "tab-"))

    def test_a_copy_that_the_page_calls_off_is_asked_and_told_by_nobody(self) -> None:
        """H1: neither is one of which nothing was marked, and what a page makes up is none."""
        off = "addEventListener('copy', event => event.preventDefault(), { once: true })"
        empty = "getSelection().removeAllRanges(); document.activeElement.blur()"
        made_up = "document.dispatchEvent(new ClipboardEvent('copy', { bubbles: true, cancelable: true }))"
        for script, presses in ((off, True), (empty, True), (made_up, False)):
            with self.subTest(script):
                since = len(self.records.all)
                self.select_all(WORK_VIEWER, "text")
                self.driver.script(WORK_VIEWER, f"void({script.replace(';', ',')})")
                if presses:
                    self.driver.press(WORK_VIEWER, "c")
                self.driver.settle(WORK_VIEWER)
                self.driver.viewer(WORK_VIEWER).status()
                self.assertEqual(self.records.of("copy", since) + self.records.of("clipboardChanged", since), [])
                self.assertEqual(self.held(WORK_VIEWER), "before")

    def test_what_the_page_puts_there_is_what_is_asked_about(self) -> None:
        self.driver.script(
            WORK_VIEWER,
            "void(addEventListener('copy', event => { event.preventDefault();"
            " event.clipboardData.setData('text/plain', 'of the page'); }))",
        )
        self.select_all(WORK_VIEWER, "text")
        since = len(self.records.all)
        self.assertEqual(self.press(WORK_VIEWER, "c", "copy")["length"], len("of the page"))
        self.driver.wait(lambda: self.held(WORK_VIEWER) == "of the page", "the page's text is on the clipboard")
        self.assertEqual(self.asked("clipboardChanged", since)[-1]["length"], len("of the page"))

    def test_a_copy_by_the_page_itself_is_asked_about(self) -> None:
        for button in ("exec-copy", "own-copy"):
            with self.subTest(button=button):
                self.fill(WORK_VIEWER, "before")
                since = len(self.records.all)
                self.driver.click(WORK_VIEWER, button)
                self.assertEqual(self.asked("copy", since)[-1]["outcome"], "allow")
                self.driver.wait(lambda: self.held(WORK_VIEWER) == SECRET, "the text is on the clipboard")

    def test_foreign_text_is_pasted(self) -> None:
        self.copy(PRIVATE_VIEWER)
        self.fill(WORK_VIEWER, FOREIGN)
        self.assertEqual(self.paste(WORK_VIEWER)[1], FOREIGN)


class ShortTexts(Keys):
    """Under a policy that lets short texts go anywhere, they go as text and as nothing else."""

    level = "managed"
    exception = len(SECRET)

    def test_a_short_text_leaves_its_markup_behind(self) -> None:
        self.select_all(WORK_VIEWER, "rich")
        self.press(WORK_VIEWER, "c", "copy")
        self.driver.wait(lambda: self.held(WORK_VIEWER) == SECRET, "other programs read the text")
        self.assertEqual(self.types(), "text/plain")


class ManagedClipboard(Keys):
    """Under a policy that keeps text among managed programs, nothing readable lies on the clipboard."""

    level = "managed"

    def test_what_is_copied_cannot_be_read_as_text(self) -> None:
        self.assertEqual(self.copy(WORK_VIEWER)["outcome"], "allow")
        self.assertNotIn(SECRET, self.held(WORK_VIEWER))

    def test_a_cut_takes_the_text_away_as_well(self) -> None:
        self.copy(WORK_VIEWER, "x")
        self.driver.wait(lambda: self.value(WORK_VIEWER, "text") == "", "the text is cut")
        self.assertNotIn(SECRET, self.held(WORK_VIEWER))

    def test_managed_text_is_pasted_where_it_belongs(self) -> None:
        self.copy(WORK_VIEWER)
        record, text = self.paste(WORK_VIEWER)
        self.assertEqual((record["outcome"], record["length"], text), ("allow", len(SECRET), SECRET))

    def test_managed_text_is_not_pasted_into_the_private_browser(self) -> None:
        self.copy(WORK_VIEWER)
        self.fill(PRIVATE_VIEWER, SECRET)
        record, text = self.paste(PRIVATE_VIEWER)
        self.assertEqual((record["outcome"], text), ("block", ""))

    def test_private_text_is_pasted_in_the_private_browser_and_not_into_the_managed_one(self) -> None:
        self.copy(PRIVATE_VIEWER)
        self.assertEqual(self.paste(PRIVATE_VIEWER)[1], SECRET)
        self.fill(WORK_VIEWER, FOREIGN)
        record, text = self.paste(WORK_VIEWER)
        self.assertEqual((record["outcome"], text), ("block", ""))

    def test_a_page_has_no_clipboard_of_its_own(self) -> None:
        for button in ("async-write", "async-write-html", "async-read"):
            with self.subTest(button=button):
                self.assertEqual(self.press_button(button), "refused: NotAllowedError")
        self.assertEqual(self.held(WORK_VIEWER), "before")

    def test_a_private_page_keeps_its_clipboard(self) -> None:
        self.driver.settle(PRIVATE_VIEWER)
        self.assertEqual(self.press_button("async-write", PRIVATE_VIEWER), "written")

    def test_what_a_page_makes_up_is_no_paste(self) -> None:
        since = len(self.records.all)
        made_up = "document.getElementById('other').dispatchEvent(new ClipboardEvent('paste', { bubbles: true }))"
        self.driver.script(WORK_VIEWER, made_up)
        self.copy(WORK_VIEWER)
        self.assertEqual(self.records.of("paste", since), [])

    def test_a_page_cannot_ask_in_the_extensions_name(self) -> None:
        reach = "typeof chrome === 'undefined' || !chrome.runtime || typeof chrome.runtime.sendMessage"
        self.assertIn(self.driver.script(WORK_VIEWER, reach), (True, "undefined"))
        self.assertEqual(self.driver.script(WORK_VIEWER, "typeof mayHappen"), "undefined")

    def test_a_drag_is_asked_about_when_the_mouse_moves(self) -> None:
        since = len(self.records.all)
        self.driver.settle(WORK_VIEWER)
        self.driver.drag(WORK_VIEWER, "source", "target")
        record = self.asked("copy", since)[0]
        self.assertEqual((record["selection"], record["outcome"]), ("drag", "allow"))
        self.asked("dragEnd", since)

    def test_a_drag_that_never_starts_ends(self) -> None:
        """F3: the question comes when the mouse moves; a drag that the page calls off makes no event of its end."""
        self.driver.script(
            WORK_VIEWER, "void(addEventListener('dragstart', event => event.preventDefault(), { once: true }))"
        )
        since = len(self.records.all)
        self.driver.settle(WORK_VIEWER)
        self.driver.drag(WORK_VIEWER, "source", "target")
        self.assertEqual(self.asked("copy", since)[0]["selection"], "drag")
        self.asked("dragEnd", since)


class Display(Keys):
    """On an X server, so that xclip judges as any other program would."""

    level = "managed"

    @classmethod
    def setUpClass(cls) -> None:
        cls.enterClassContext(display())
        super().setUpClass()

    def setUp(self) -> None:
        for viewer in (PRIVATE_VIEWER, WORK_VIEWER):
            self.show("/clipboard", viewer)
        write("clipboard", "before")

    def held(self, viewer: str) -> str:
        """All that a program finds which asks for text of any kind, whichever browser put it there."""
        texts = "\n".join(filter(None, (read("clipboard", target) for target in TEXT_TARGETS)))
        return "before" if "before" in texts else texts

    def test_managed_text_cannot_be_read_outside_and_is_pasted_inside(self) -> None:
        self.assertEqual(self.copy(WORK_VIEWER)["outcome"], "allow")
        self.assertNotIn(SECRET, self.held(WORK_VIEWER))
        self.assertEqual(self.paste(WORK_VIEWER)[1], SECRET)
        self.assertEqual(self.paste(PRIVATE_VIEWER)[0]["outcome"], "block")

    def test_a_cut_cannot_be_read_either(self) -> None:
        self.copy(WORK_VIEWER, "x")
        self.driver.wait(lambda: self.value(WORK_VIEWER, "text") == "", "the text is cut")
        self.assertNotIn(SECRET, self.held(WORK_VIEWER))

    def rewrite(self, source: str) -> None:
        self.show("/clipboard", WORK_VIEWER)
        self.driver.script(WORK_VIEWER, f"void (() => {{ {source} }})()")
        there = "!document.getElementById('rich') && document.getElementById('other') !== null"
        self.driver.wait(lambda: self.driver.value(WORK_VIEWER, there), "the page is another one")

    def test_what_is_copied_in_a_page_that_writes_itself_anew_cannot_be_read(self) -> None:
        for name, source in REWRITTEN.items():
            with self.subTest(name):
                write("clipboard", "before")
                self.rewrite(source)
                self.select_all(WORK_VIEWER, "text")
                self.driver.press(WORK_VIEWER, "c")
                self.driver.wait(lambda: self.held(WORK_VIEWER) != "before", "something is on the clipboard")
                self.assertNotIn(SECRET, self.held(WORK_VIEWER))

    def test_what_is_copied_in_a_frame_that_its_page_writes_cannot_be_read(self) -> None:
        for name, source in WRITTEN_FRAMES.items():
            with self.subTest(name):
                write("clipboard", "before")
                self.show("/clipboard", WORK_VIEWER)
                self.driver.script(WORK_VIEWER, f"void (() => {{ {source} }})()")
                self.driver.press(WORK_VIEWER, "c")
                self.driver.wait(lambda: self.held(WORK_VIEWER) != "before", "something is on the clipboard")
                self.assertNotIn(SECRET, self.held(WORK_VIEWER))

    def test_what_is_pasted_into_a_page_that_writes_itself_anew_is_asked_about(self) -> None:
        for name, source in REWRITTEN.items():
            with self.subTest(name):
                write("clipboard", FOREIGN)
                self.rewrite(source)
                since = len(self.records.all)
                self.driver.click(WORK_VIEWER, "other")
                self.driver.press(WORK_VIEWER, "v")
                pasted = lambda s=since: self.records.of("paste", s) or self.value(WORK_VIEWER, "other")  # noqa: E731
                self.driver.wait(pasted, "the paste is asked about, or happens", 15)
                self.assertTrue(self.records.of("paste", since))

    def test_private_text_is_everybodys_but_the_managed_browsers(self) -> None:
        self.copy(PRIVATE_VIEWER)
        self.assertIn(SECRET, self.held(PRIVATE_VIEWER))
        self.assertEqual(self.paste(PRIVATE_VIEWER)[1], SECRET)
        record, text = self.paste(WORK_VIEWER)
        self.assertEqual((record["outcome"], text), ("block", ""))


def cases() -> list[Any]:
    return [AnyClipboard, ShortTexts, ManagedClipboard, Display]
