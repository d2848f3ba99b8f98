"""What a person does at the screen: real keys and a real pointer, files that are chosen, printing."""

from typing import Any

from cef_case import CefCase

from rig import clipboard
from rig.clipboard import PRIVATE_TYPE
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.pages import REWRITTEN
from rig.policy import POLICY, BrowserConfiguration

SECRET = "for contoso only"
NOTICE = "Your organization's data cannot be pasted here."


class PersonCase(CefCase):
    def asked(self, event: str, viewer: str = WORK_VIEWER) -> list[dict[str, Any]]:
        """All but what is asked since text was marked."""
        return [record for record in self.of(event, viewer) if record.get("selection") != "primary"]

    def of(self, event: str, viewer: str) -> list[dict[str, Any]]:
        name = "browser-1" if viewer == WORK_VIEWER else "browser-2"
        return [record for record in self.records.of(event, self._before) if record.get("viewer") == name]

    def refused(self, event: str) -> None:
        self.driver.wait(lambda: self.asked(event), f"{event} is asked about")
        self.assertEqual({record["outcome"] for record in self.asked(event)}, {"block"})

    def wrapped(self, selection: str = "clipboard", text: str = SECRET) -> None:
        """Other programs read the notice, in whatever form they ask for text; the clip lies beside it."""
        self.driver.wait(lambda: PRIVATE_TYPE in clipboard.targets(selection), f"{selection} is wrapped")
        self.assertEqual(clipboard.read(selection, "UTF8_STRING"), NOTICE)
        for target in clipboard.TEXT_TARGETS:
            self.assertIn(clipboard.read(selection, target), (NOTICE, None), f"{selection} as {target}")
        self.assertEqual((clipboard.read(selection, PRIVATE_TYPE) or "").strip(), text)

    def value(self, viewer: str, element: str) -> str:
        return str(self.driver.script(viewer, f"document.getElementById('{element}').value", by_user=False))


class Keys(PersonCase):
    def setUp(self) -> None:
        super().setUp()
        clipboard.write("clipboard", "of another program")

    def press_in(self, viewer: str, element: str, *keys: str) -> None:
        self.show("/clipboard", viewer)
        self.driver.wait(lambda: self.has_the_keys(viewer, element), "it has the keys")
        self.driver.real_press(*keys)

    def has_the_keys(self, viewer: str, element: str) -> bool:
        """Once it was clicked: a window that was only just opened hears no click yet."""
        self.driver.real_click(viewer, element)
        return bool(self.driver.script(viewer, "document.activeElement.id", by_user=False) == element)

    def test_a_private_copy_is_free(self) -> None:
        for copy in ("ctrl+c", "ctrl+Insert"):
            clipboard.write("clipboard", "of another program")
            self.press_in(PRIVATE_VIEWER, "text", "ctrl+a", copy)
            self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == SECRET, "other programs read it")

    def test_a_page_that_writes_itself_anew_is_asked_as_before(self) -> None:
        there = "!document.getElementById('rich') && document.getElementById('other') !== null"
        for name, source in REWRITTEN.items():
            with self.subTest(name):
                clipboard.write("clipboard", "of another program")
                self.show("/clipboard")
                self.driver.script(WORK_VIEWER, f"void (() => {{ {source} }})()")
                self.driver.wait(lambda: self.driver.value(WORK_VIEWER, there), "the page is another one")
                self._before = len(self.records.all)
                self.driver.real_click(WORK_VIEWER, "other")
                self.driver.real_press("ctrl+v")
                self.refused("paste")
                self.assertEqual(self.value(WORK_VIEWER, "other"), "")
                self.driver.real_click(WORK_VIEWER, "text")
                self.driver.real_press("ctrl+a", "ctrl+c")
                self.wrapped()

    def test_each_key_that_copies_what_is_managed_wraps_it(self) -> None:
        for copy in ("ctrl+c", "ctrl+Insert", "ctrl+x", "shift+Delete"):
            with self.subTest(copy=copy):
                clipboard.write("clipboard", "of another program")
                self.press_in(WORK_VIEWER, "text", "ctrl+a", copy)
                self.wrapped()
                left = "" if copy in ("ctrl+x", "shift+Delete") else SECRET
                self.driver.wait(lambda left=left: self.value(WORK_VIEWER, "text") == left, "a cut takes it away")

    def test_a_key_that_copies_nothing_changes_nothing(self) -> None:
        self.press_in(WORK_VIEWER, "text", "ctrl+a", "ctrl+shift+c")
        self.show("/")
        self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), "of another program")

    def test_pasting_is_asked_about(self) -> None:
        for paste in ("ctrl+v", "shift+Insert", "ctrl+shift+v"):
            with self.subTest(paste=paste):
                self._before = len(self.records.all)
                self.press_in(WORK_VIEWER, "other", paste)
                self.driver.wait(lambda: self.asked("paste"), "the paste is asked about")

    def test_a_private_paste_comes_in(self) -> None:
        self.press_in(PRIVATE_VIEWER, "other", "ctrl+v")
        self.driver.wait(lambda: self.value(PRIVATE_VIEWER, "other") == "of another program", "it is pasted")


class Menus(PersonCase):
    """The menu of a page, by the second button of a real mouse."""

    def copies_by_menu(self, viewer: str) -> None:
        """Cut stands before it, and what cannot be done is passed over."""
        self.show("/clipboard", viewer)
        clipboard.write("clipboard", "of another program")
        self.driver.real_click(viewer, "text")
        self.driver.real_press("ctrl+a")
        self.driver.real_click(viewer, "text", "3")
        for key in ("Down", "Down", "Return"):
            self.driver.pause()
            self.driver.real_press(key)

    def has_copied(self, viewer: str) -> bool:
        """A menu takes a moment to open, and then hears the keys."""
        self.copies_by_menu(viewer)
        self.driver.pause()
        return bool(self.asked("copy", viewer))

    def test_it_copies_private_text_and_wraps_what_is_managed(self) -> None:
        self.driver.wait(lambda: self.has_copied(PRIVATE_VIEWER), "the menu copies")
        self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == SECRET, "other programs read it")
        self.driver.wait(lambda: self.has_copied(WORK_VIEWER), "the menu asks")
        self.wrapped()


class ChromeMenus(Menus):
    style = "chrome"


class FileCase(PersonCase):
    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        app = POLICY.replace("documents: { policy: currentIdentity,", "documents: { policy: currentIdentityBlockUpload,")
        return BrowserConfiguration(cls.managed_browser.program, app=app)

    def chosen(self, viewer: str) -> Any:
        return self.driver.script(viewer, "document.getElementById('file').files[0]?.name ?? null", by_user=False)


class Files(FileCase):
    def test_a_private_page_gets_the_file_that_is_chosen(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "file")
        self.driver.wait(lambda: self.chosen(PRIVATE_VIEWER) == "chosen.txt", "the page has the file")

    def test_a_managed_page_that_may_have_no_file_gets_none(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "file")
        self.refused("upload")
        self.driver.click(WORK_VIEWER, "text")
        self.assertIsNone(self.chosen(WORK_VIEWER))


class Printing(PersonCase):
    FIGHTS = (
        "window.print()",
        "document.execCommand('print')",
        "document.execCommand({ toString: () => 'PrInT' })",
        "document.body.append(f = document.createElement('iframe')), f.contentWindow.print()",
        "document.body.append(f = document.createElement('iframe')), f.contentWindow.print.call(window)",
        "Reflect.deleteProperty(window, 'print'), window.print()",
    )

    def test_no_script_prints_what_is_managed(self) -> None:
        for fight in self.FIGHTS:
            with self.subTest(fight=fight):
                self._before = len(self.records.all)
                self.show("/")
                self.driver.script(WORK_VIEWER, f"void(({fight}))")
                self.refused("print")


class ChromePrinting(Printing):
    style = "chrome"

    def prints(self, viewer: str) -> bool:
        """Control and P, as a person presses them."""
        self.driver.real_click(viewer, "text")
        self.driver.real_press("ctrl+p")
        self.driver.pause()
        return bool(self.asked("print", viewer))

    def dialogs(self) -> list[str]:
        return [info["url"] for info in self.driver.targets() if info["url"].startswith("chrome://print")]

    def test_the_persons_own_print_shows_no_dialog_of_what_is_managed(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.show("/")
        self.driver.wait(lambda: self.prints(WORK_VIEWER), "the print is asked about")
        self.refused("print")
        self.show("/")
        self.assertEqual(self.dialogs(), [])
        self.driver.wait(lambda: self.prints(PRIVATE_VIEWER), "the print is asked about")
        self.driver.wait(self.dialogs, "the private page has the dialog")
        self.driver.real_press("Escape")
        self.driver.wait(lambda: not self.dialogs(), "it is closed")

    def test_what_the_program_prints_itself_is_asked_about(self) -> None:
        """By no script, key or command: the preview cannot run where the page may not be printed."""
        for viewer, outcome in ((WORK_VIEWER, "block"), (PRIVATE_VIEWER, "allow")):
            self._before = len(self.records.all)
            self.show("/", viewer)
            self.driver.begin(viewer, self.site.url("/the-program-prints"))
            self.driver.wait(lambda viewer=viewer: self.asked("print", viewer), "the print is asked about")
            self.assertEqual({record["outcome"] for record in self.asked("print", viewer)}, {outcome})


def cases() -> list[Any]:
    return [Keys, Menus, ChromeMenus, Files, Printing, ChromePrinting]
