"""What a person does at the screen: real keys and a real pointer, files that are chosen, printing."""

import os
import select
import subprocess
from pathlib import Path
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


class DragCase(PersonCase):
    def show_closed(self, viewer: str) -> None:
        """Shows a page with a frame in which no script runs, neither the page's nor the guard's. It is a link."""
        link = f"<a href='https://{viewer}.example/plan' style='display: block; height: 100px'>drag me</a>"
        frame = f"<iframe id=closed sandbox srcdoc=\"{link}\"></iframe>"
        loaded = "new Promise(done => document.getElementById('closed').onload = () => setTimeout(done, 100))"
        self.show("/clipboard", viewer)
        self.driver.script(viewer, f"document.body.insertAdjacentHTML('afterbegin', `{frame}`), {loaded}")


class Drags(DragCase):
    def test_a_private_drag_is_free(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.driver.drag(PRIVATE_VIEWER, "source", PRIVATE_VIEWER, "target")
        self.driver.wait(lambda: self.value(PRIVATE_VIEWER, "target") == SECRET, "it is dropped")

    def test_nothing_managed_is_dragged_out(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.show("/clipboard")
        self.driver.drag(WORK_VIEWER, "source", PRIVATE_VIEWER, "target")
        self.driver.wait(lambda: self.asked("copy"), "the drag is asked about")
        self.show("/clipboard")
        self.assertEqual(self.value(PRIVATE_VIEWER, "target"), "")

    def test_a_frame_without_scripts_gives_a_private_page_nothing_managed(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.show_closed(WORK_VIEWER)
        self.driver.drag(WORK_VIEWER, "closed", PRIVATE_VIEWER, "target")
        self.driver.wait(lambda: self.asked("paste", PRIVATE_VIEWER), "the drop is asked about")
        self.assertEqual({one["outcome"] for one in self.asked("paste", PRIVATE_VIEWER)}, {"block"})
        self.show("/clipboard")
        self.assertEqual(self.value(PRIVATE_VIEWER, "target"), "")

    def test_what_is_dragged_in_is_asked_about(self) -> None:
        self.show("/clipboard")
        self.show("/clipboard", PRIVATE_VIEWER)
        self.driver.drag(PRIVATE_VIEWER, "source", WORK_VIEWER, "target")
        self.refused("paste")
        self.driver.real_click(WORK_VIEWER, "text")
        self.assertEqual(self.value(WORK_VIEWER, "target"), "")


class FileCase(DragCase):
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


class OtherPrograms(FileCase):
    """What is dragged to and from another program of the same screen, by a real pointer."""

    # Below the windows of the browser.
    corner = (100, 815)

    def other(self, program: str, *about: object) -> "subprocess.Popen[str]":
        command = ["/usr/bin/python3", str(Path(clipboard.__file__).parent / program), *map(str, about)]
        surroundings = os.environ | {"GDK_BACKEND": "x11", "QT_QPA_PLATFORM": "xcb"}
        other = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=surroundings
        )
        self.addCleanup(lambda: (other.kill(), other.communicate()))
        self.assertEqual(self.said(other), "ready")
        return other

    def said(self, other: "subprocess.Popen[str]") -> str:
        assert other.stdout
        stream = other.stdout
        self.driver.wait(lambda: select.select([stream], [], [], 0)[0], "the other program says something")
        return stream.readline().strip()

    @property
    def inside(self) -> tuple[str, str]:
        return str(self.corner[0] + 40), str(self.corner[1] + 30)

    def test_a_file_is_dropped_on_a_private_page_and_on_no_managed_one(self) -> None:
        file = self.driver.directory / "dropped.txt"
        file.write_text("of the person")
        other = self.other("file_source.py", *self.corner, file)
        for viewer, came in ((PRIVATE_VIEWER, "dropped.txt"), (WORK_VIEWER, None)):
            with self.subTest(viewer=viewer):
                self.show("/", viewer)
                self.driver.wait(lambda viewer=viewer: self.has_dropped(other, viewer), "the upload is asked about")
                self.driver.wait(lambda viewer=viewer, came=came: self.chosen(viewer) == came, "the page has what it may")
        self.refused("upload")
        # It is not opened in place of the page, either.
        self.show("/")
        self.assertIsNone(self.chosen(WORK_VIEWER))

    def has_dropped(self, other: "subprocess.Popen[str]", viewer: str) -> bool:
        """A window that was only just opened takes no drag yet."""
        self.driver.drag_from(self.inside, self.driver.place(viewer, "file"))
        self.assertEqual(self.said(other), "ended")
        return bool(self.asked("upload", viewer))

    def test_another_program_gets_private_text_and_nothing_managed(self) -> None:
        other = self.other("webkit/other_program.py", "drop", *self.corner)
        self.show("/clipboard", WORK_VIEWER)
        self.driver.drag_from(self.driver.place(WORK_VIEWER, "source"), self.inside)
        self.driver.wait(lambda: self.asked("copy"), "the drag is asked about")
        self.show("/clipboard", PRIVATE_VIEWER)
        self.driver.drag_from(self.driver.place(PRIVATE_VIEWER, "source"), self.inside)
        # The first that it gets is the private text.
        self.assertEqual(self.said(other), f"dropped {SECRET!r}")
        self.assertEqual({one["outcome"] for one in self.asked("copy", PRIVATE_VIEWER)}, {"allow"})


    def test_a_frame_without_scripts_gives_other_programs_the_notice(self) -> None:
        other = self.other("webkit/other_program.py", "drop", *self.corner)
        for viewer, dropped in ((WORK_VIEWER, NOTICE), (PRIVATE_VIEWER, f"https://{PRIVATE_VIEWER}.example/plan")) * 2:
            self.show_closed(viewer)
            self.driver.drag_from(self.driver.place(viewer, "closed"), self.inside)
            self.assertEqual(self.said(other), f"dropped {dropped!r}")


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
    return [Keys, Menus, ChromeMenus, Drags, Files, OtherPrograms, Printing, ChromePrinting]
