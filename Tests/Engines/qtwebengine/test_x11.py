"""The clipboard and the marked text as any other program of the desktop sees them: with xclip, under Xvfb."""

import json
import re
import select
import subprocess
import sys
from typing import Any, ClassVar
from urllib.parse import unquote

from engine import HERE
from PyQt6.QtCore import QPoint
from PyQt6.QtWebEngineCore import QWebEnginePage
from PyQt6.QtWidgets import QApplication, QLineEdit
from rig import clipboard
from rig.clipboard import PRIVATE_TYPE, TEXT_TARGETS
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.pages import REWRITTEN, WRITTEN_FRAMES
from rig.policy import PERSONAL, POLICY, WORK, BrowserConfiguration
from started import Started
from test_clipboard import TEXT, ClipboardCase
from test_pack import browsing

NOTICE = "Your organization's data cannot be pasted here."
# Behind the apps of the policy: another one of the same user.
SECOND_APP = """\
  com.contoso.notes:
    peers: [{ uid: $uid }]
    identityMode: multi
    classes:
      documents: { policy: currentIdentity, externalURLs: contoso, subFrames: true }
"""


def xdotool(*words: object) -> str:
    """What xdotool says; nothing of a window that is gone by now."""
    return subprocess.run(["xdotool", *map(str, words)], capture_output=True, text=True, timeout=10).stdout


def area(window: str) -> int:
    """How large a window is: toolkits have small ones that nobody sees."""
    sizes = dict(re.findall(r"^(WIDTH|HEIGHT)=(\d+)$", xdotool("getwindowgeometry", "--shell", window), re.MULTILINE))
    return int(sizes.get("WIDTH", 0)) * int(sizes.get("HEIGHT", 0))


class X11Case(ClipboardCase):
    """Steps with xclip and xdotool. The browser goes on running while they ask it."""

    def read(self, selection: str, target: str = "UTF8_STRING") -> str | None:
        with clipboard.reader(selection, target) as program:
            self.driver.wait(lambda: program.poll() is not None, "xclip ends")
            text = program.stdout.read() if program.stdout else b""
        return text.decode(errors="replace") if program.returncode == 0 else None

    def assert_hidden(self, selection: str, text: str = "contoso only") -> None:
        """No program that asks for text in any form gets it."""
        for target in TEXT_TARGETS:
            self.assertNotIn(text, self.read(selection, target) or "", f"{selection} as {target}")

    def fill_from_outside(self, selection: str, text: str) -> None:
        self.driver.heard.clear()
        clipboard.write(selection, text)
        about = self.driver.wait(
            lambda: [a for e, a, _ in self.driver.heard if e == "clipboardChanged" and a["selection"] == selection],
            "the change is reported",
        )[0]
        self.assertFalse(about["self_owned"])

    def point(self, viewer: str, element: str) -> QPoint:
        """The middle of an element on the screen."""
        where = (
            f"(r => JSON.stringify([r.x + r.width / 2, r.y + r.height / 2]))"
            f"(document.getElementById('{element}').getBoundingClientRect())"
        )
        x, y = json.loads(self.driver.script(viewer, where))
        return self.driver.view(viewer).mapToGlobal(QPoint(int(x), int(y)))

    def xdotool(self, *words: object) -> None:
        subprocess.run(["xdotool", *map(str, words)], check=True, timeout=10)
        QApplication.processEvents()

    def focus(self, viewer: str) -> None:
        window = self.driver.browser.window(viewer)
        window.raise_()
        self.xdotool("windowraise", int(window.winId()))
        self.xdotool("windowfocus", "--sync", int(window.winId()))
        self.driver.wait(lambda: QApplication.activeWindow() is window, "the window has the focus")
        # Where a window is not drawn yet a drag finds nothing.
        self.driver.wait(lambda: window.windowHandle().isExposed(), "the window is on the screen")

    def mark(self, viewer: str) -> None:
        """Marks the whole paragraph with three clicks of a real mouse."""
        self.focus(viewer)
        where = self.point(viewer, "paragraph")
        self.xdotool("mousemove", where.x(), where.y())
        self.xdotool("click", "--repeat", 3, "--delay", 30, 1)
        marked = "String(getSelection()).includes('in a paragraph')"
        self.driver.wait(lambda: self.driver.script(viewer, marked), "the paragraph is marked")

    def about(self, event: str, **wanted: Any) -> Any:
        """The first question of a kind, with its answer, once it was asked."""

        def found() -> list[Any]:
            return [
                (about, decision)
                for asked, about, decision in self.driver.heard
                if asked == event and wanted.items() <= about.items()
            ]

        return self.driver.wait(found, f"{event} {wanted} is asked")[0]


class TestTheKeyboard(X11Case):
    def refuse(self) -> None:
        self.driver.begin(WORK_VIEWER, self.site.url("/refused", Host.BLOCKED))
        self.driver.shows_block()

    def has_focus(self) -> Any:
        return self.driver.script(WORK_VIEWER, "document.hasFocus()")

    def test_a_notice_has_the_keyboard_that_the_page_had(self) -> None:
        """The engine draws it in another process, which shows no focus before it hears that it has the keyboard."""
        self.show("/")
        self.focus(WORK_VIEWER)
        self.driver.view(WORK_VIEWER).setFocus()
        self.driver.wait(self.has_focus, "the page has the keyboard")
        self.refuse()
        self.driver.wait(self.has_focus, "the notice has it")

    def test_a_notice_takes_it_from_nobody(self) -> None:
        self.show("/")
        self.focus(WORK_VIEWER)
        field = QLineEdit(self.driver.browser.window(WORK_VIEWER))
        self.addCleanup(field.deleteLater)
        field.show()
        field.setFocus()
        self.driver.wait(field.hasFocus, "somebody writes beside the page")
        self.refuse()
        self.assertFalse(self.has_focus())
        self.assertTrue(field.hasFocus())


class TestTheClipboardOutside(X11Case):
    def test_managed_text_is_hidden_from_other_programs_and_not_from_our_own(self) -> None:
        self.both()
        self.copied(WORK_VIEWER)
        self.driver.wait(lambda: PRIVATE_TYPE in (self.read("clipboard", "TARGETS") or ""), "the clip is wrapped")
        self.assertEqual(self.read("clipboard"), "Your organization's data cannot be pasted here.")
        self.assert_hidden("clipboard")
        self.assertIn(PRIVATE_TYPE, self.read("clipboard", "TARGETS") or "")
        self.assertEqual(self.paste_into_empty(WORK_VIEWER).reason, "sameAccount")
        self.driver.wait(lambda: self.text(WORK_VIEWER) == TEXT, "the true text arrives")

    def test_markup_is_hidden_too(self) -> None:
        self.both("/clipboard")
        self.mark(WORK_VIEWER)
        self.driver.press(WORK_VIEWER, "c")
        self.about("copy", selection="clipboard")
        self.driver.wait(lambda: PRIVATE_TYPE in (self.read("clipboard", "TARGETS") or ""), "the clip is wrapped")
        self.assert_hidden("clipboard")

    def test_private_text_is_readable(self) -> None:
        self.both()
        self.copied(PRIVATE_VIEWER)
        self.driver.wait(lambda: self.read("clipboard") == TEXT, "others read it")

    def test_text_of_other_programs_does_not_come_to_work(self) -> None:
        self.both()
        self.fill_from_outside("clipboard", "from outside")
        self.assertEqual(self.paste_into_empty(WORK_VIEWER).reason, "incomingRestricted")
        self.assertEqual(self.text(WORK_VIEWER), "")
        self.assertTrue(self.paste_into_empty(PRIVATE_VIEWER).allowed)
        self.driver.wait(lambda: self.text(PRIVATE_VIEWER) == "from outside", "private life is free")


# In these the engine runs no script of ours in time: copies are hidden all the same, and pastes are asked about by their keys.
UNHEARD = (
    "by the hand of a frame", "an address of a script", "new", "an element that goes, and the hand of a frame",
    "a frame that went", "the hand of a frame that stays",
)  # fmt: skip
ANOTHER = "!document.getElementById('rich') && document.getElementById('other') !== null"
# How a person pastes: by keys of a real keyboard, and by the menu of a page. The engine knows more keys than Qt.
PASTES = ("ctrl+v", "ctrl+shift+v", "shift+Insert", "XF86Paste", "menu")


class TestPagesWrittenAnew(X11Case):
    """What a page does to lose the listeners of others lets nothing out."""

    def write_anew(self, source: str, viewer: str = WORK_VIEWER) -> None:
        self.fill_from_outside("clipboard", "from outside")
        self.both("/clipboard")
        self.focus(viewer)
        self.driver.script(viewer, f"void (() => {{ {source} }})()")

    def is_hidden(self) -> None:
        self.driver.wait(lambda: PRIVATE_TYPE in (self.read("clipboard", "TARGETS") or ""), "the clip is wrapped")
        self.assert_hidden("clipboard")

    def test_what_is_copied_and_pasted_there_is_asked_about(self) -> None:
        for name, source in REWRITTEN.items():
            with self.subTest(name):
                self.write_anew(source)
                self.driver.wait(lambda: self.driver.script(WORK_VIEWER, ANOTHER), "the page is another one")
                self.driver.click(WORK_VIEWER, "other")
                self.driver.press(WORK_VIEWER, "v")
                asked = lambda: [one for one in self.driver.heard if one[0] == "paste"]  # noqa: E731
                value = "document.getElementById('other').value"
                happens = lambda v=value, a=asked: a() or self.driver.script(WORK_VIEWER, v)  # noqa: E731
                self.driver.wait(happens, "the paste is asked about, or happens")
                self.assertEqual([decision.reason for _, _, decision in asked()], ["incomingRestricted"])
                self.assertEqual(self.driver.script(WORK_VIEWER, value), "")
                self.select_all(WORK_VIEWER)
                self.driver.press(WORK_VIEWER, "c")
                self.is_hidden()
                if name not in UNHEARD:
                    self.about("copy", selection="clipboard")

    def paste(self, way: str, viewer: str) -> None:
        self.driver.view(viewer).setFocus()
        self.driver.click(viewer, "other")
        has_it = "document.activeElement.id == 'other'"
        self.driver.wait(lambda: self.driver.script(viewer, has_it), "the field has the focus")
        self.driver.script(viewer, "document.getElementById('other').value = ''")
        self.driver.heard.clear()
        if way == "menu":
            self.driver.page(viewer).action(QWebEnginePage.WebAction.Paste).trigger()
        else:
            self.xdotool("key", "--clearmodifiers", way)

    def test_each_way_in_which_a_person_pastes_is_asked_about_once(self) -> None:
        """Whether the page hears it or not: a private page that may paste gets it, and one of the organisation nothing."""
        pages = {"heard": REWRITTEN["written"], "unheard": REWRITTEN["by the hand of a frame"]}
        for name, source in pages.items():
            for viewer, arrives in ((WORK_VIEWER, ""), (PRIVATE_VIEWER, "from outside")):
                self.write_anew(source, viewer)
                self.driver.wait(lambda v=viewer: self.driver.script(v, ANOTHER), "the page is another one")
                for way in PASTES:
                    with self.subTest(way, page=name, viewer=viewer):
                        self.paste(way, viewer)
                        asked, decision = self.about("paste")
                        self.assertEqual(decision.allowed, bool(arrives))
                        # The engine of Qt keeps a key in mind that it was told of, and pastes with the next.
                        self.field_has(viewer, arrives)
                        self.xdotool("key", "x")
                        self.field_has(viewer, arrives + "x")
                        self.assertEqual([about for event, about, _ in self.driver.heard if event == "paste"], [asked])

    def field_has(self, viewer: str, text: str) -> None:
        value = "document.getElementById('other').value"
        self.driver.wait(lambda: self.driver.script(viewer, value) == text, f"the field has `{text}`", 10.0)

    def test_what_is_copied_in_a_frame_that_the_page_writes_is_asked_about(self) -> None:
        for name, source in WRITTEN_FRAMES.items():
            with self.subTest(name):
                self.write_anew(source)
                self.driver.press(WORK_VIEWER, "c")
                self.is_hidden()
                if name not in UNHEARD:
                    self.about("copy", selection="clipboard")


class TestMarkedText(X11Case):
    """PRIMARY: filled by marking, pasted by a middle click."""

    def test_managed_text_that_is_marked_is_hidden(self) -> None:
        self.both("/clipboard")
        self.mark(WORK_VIEWER)
        self.assertTrue(self.about("copy", selection="primary")[1].allowed)
        self.driver.wait(lambda: PRIVATE_TYPE in (self.read("primary", "TARGETS") or ""), "the marked text is wrapped")
        self.assert_hidden("primary")

    def test_private_text_that_is_marked_is_readable(self) -> None:
        self.both("/clipboard")
        self.mark(PRIVATE_VIEWER)
        self.driver.wait(lambda: "in a paragraph" in (self.read("primary") or ""), "others read it")

    def test_text_that_is_marked_in_both_windows_counts_as_managed(self) -> None:
        self.both("/clipboard")
        self.mark(PRIVATE_VIEWER)
        self.driver.heard.clear()
        self.mark(WORK_VIEWER)
        self.about("copy", selection="primary")
        self.driver.wait(lambda: PRIVATE_TYPE in (self.read("primary", "TARGETS") or ""), "the marked text is wrapped")
        self.assert_hidden("primary")

    def test_a_middle_click_is_asked_about(self) -> None:
        self.both("/clipboard")
        self.fill_from_outside("primary", "from outside")
        for viewer, arrives in ((WORK_VIEWER, False), (PRIVATE_VIEWER, True)):
            with self.subTest(viewer=viewer):
                self.driver.heard.clear()
                self.focus(viewer)
                where = self.point(viewer, "other")
                self.xdotool("mousemove", where.x(), where.y(), "click", 2)
                asked, decision = self.about("paste", selection="primary")
                self.assertEqual(decision.allowed, arrives)
                value = "document.getElementById('other').value"
                if arrives:
                    self.driver.wait(lambda v=viewer: self.driver.script(v, value) == "from outside", "it arrives")
                self.assertEqual(self.driver.script(viewer, value), "from outside" if arrives else "")


class TestTwoPrograms(X11Case):
    """Two apps of one user, each a program of its own with this pack, and xclip beside them."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, app=POLICY + SECOND_APP)

    def test_a_managed_clip_goes_to_the_same_account_and_to_nobody_else(self) -> None:
        url = self.site.url("/typing")
        for account, arrives in ((WORK, TEXT), (PERSONAL, "")):
            with self.subTest(account), browsing(self.socket, url, "com.contoso.notes", account) as notes:
                self.both()
                self.copied(WORK_VIEWER)
                self.driver.wait(lambda: PRIVATE_TYPE in (self.read("clipboard", "TARGETS") or ""), "it is wrapped")
                window = self.window_of(notes)
                self.assertEqual(self.holds(window, arrives, "ctrl+v"), arrives)
                self.assertEqual(self.read("clipboard"), NOTICE)

    def test_what_the_other_program_copies_and_marks_is_hidden_too(self) -> None:
        with browsing(self.socket, self.site.url("/typing"), "com.contoso.notes") as notes:
            self.both()
            window = self.window_of(notes)
            self.assertEqual(self.holds(window, "secret", *"secret"), "secret")
            for selection, keys in (("primary", ("ctrl+a",)), ("clipboard", ("ctrl+a", "ctrl+c"))):
                with self.subTest(selection):
                    self.xdotool("key", *keys)
                    self.driver.wait(lambda s=selection: self.read(s) == NOTICE, "others read the notice")
                    self.assert_hidden(selection, "secret")

    @property
    def socket(self) -> str:
        return str(self.daemon.guard_socket)

    def window_of(self, program: "subprocess.Popen[bytes]") -> str:
        """The number of the program's window, with the page in front and the field in it marked."""

        def found() -> str:
            """A toolkit replaces its first window while the engine starts: it counts when it has the focus."""
            windows = xdotool("search", "--onlyvisible", "--pid", program.pid).split()
            large = [window for window in windows if area(window) > 200 * 200]
            for window in large:
                xdotool("windowraise", window)
                xdotool("windowfocus", window)
            return large[0] if large and xdotool("getwindowfocus").strip() == large[0] else ""

        def answering() -> str:
            """One that was replaced after it was found is gone."""
            try:
                window = found()
                return window if window and self.typed(window) is not None else ""
            except subprocess.CalledProcessError:
                return ""

        window: str = self.driver.wait(answering, "the window is there and has the focus")
        return window

    def holds(self, window: str, text: str, *keys: str) -> str:
        """What is in the field after these keys, once it is `text`: on a busy machine the field rests before them, too."""
        seen = [self.typed(window, *keys)]
        self.driver.wait(lambda: text in ("", seen[-1]) or seen.append(self.typed(window)), f"the field holds {text}")
        return seen[-1]

    def typed(self, window: str, *keys: str) -> str:
        """What is in the field after these keys, as it comes to the site's log. A page that is not there yet gets them
        again: F2 alone asks it."""
        before = len(self.seen())
        self.xdotool("mousemove", "--window", window, 200, 200, "click", 1)
        if keys:
            self.xdotool("key", *keys)

        def seen() -> list[str]:
            self.xdotool("key", "F2")
            self.driver.wait(lambda: True, "it works")
            return self.seen()[before:]

        self.driver.wait(seen, "the field is seen")
        self.driver.wait(lambda: len(set(seen()[-2:])) == 1, "it rests")
        return seen()[-1]

    def seen(self) -> list[str]:
        """What the field held each time when the site was told."""
        return [unquote(v.path.removeprefix("/seen/")) for v in self.site.visits if v.path.startswith("/seen/")]


# A page whose data is in a picture, and one that takes every file that is dropped on it.
PICTURE = """(() => { const canvas = document.createElement("canvas"); canvas.width = canvas.height = 60;
  const picture = new Image(); picture.src = canvas.toDataURL(); picture.id = "source";
  document.getElementById("source").replaceWith(picture); })()"""
TAKES_FILES = """(() => { window.addEventListener("dragover", event => event.preventDefault());
  window.addEventListener("drop", event => { event.preventDefault();
    document.documentElement.dataset.result = [...event.dataTransfer.types].join(); }); })()"""


class TestDragging(X11Case):
    """With a real mouse, inside one window and from one to the other."""

    moves: ClassVar[int] = 8

    def test_a_drag_is_a_copy_a_paste_and_an_end(self) -> None:
        self.both("/clipboard")
        self.focus(WORK_VIEWER)
        self.drag(self.point(WORK_VIEWER, "source"), self.point(WORK_VIEWER, "target"))
        self.assertTrue(self.about("copy", selection="drag")[1].allowed)
        self.assertEqual(self.about("paste", selection="drag")[1].reason, "sameAccount")
        self.about("dragEnd")
        value = "document.getElementById('target').value"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, value) == TEXT, "the text is dropped")

    def side_by_side(self) -> None:
        """Both windows show the page, the private one at the left."""
        self.both("/clipboard")
        self.driver.browser.window(PRIVATE_VIEWER).move(0, 0)
        self.driver.browser.window(WORK_VIEWER).move(640, 0)
        self.addCleanup(self.driver.browser.window(WORK_VIEWER).move, 0, 0)

    def test_managed_text_is_not_dropped_into_a_private_window(self) -> None:
        self.side_by_side()
        self.focus(PRIVATE_VIEWER)
        self.focus(WORK_VIEWER)
        self.drag(self.point(WORK_VIEWER, "source"), self.point(PRIVATE_VIEWER, "target"))
        self.assertEqual(self.about("paste", selection="drag", viewer=PRIVATE_VIEWER)[1].reason, "orgData")
        self.about("dragEnd")
        self.assertEqual(self.driver.script(PRIVATE_VIEWER, "document.getElementById('target').value"), "")

    def test_nor_where_the_page_keeps_the_script_from_hearing_of_it(self) -> None:
        self.side_by_side()
        source = REWRITTEN["by the hand of a frame"].replace('"paste"', '"paste", "drop"')
        self.driver.script(PRIVATE_VIEWER, f"void (() => {{ {source} }})()")
        self.driver.wait(lambda: self.driver.script(PRIVATE_VIEWER, ANOTHER), "the page is another one")
        self.focus(PRIVATE_VIEWER)
        self.focus(WORK_VIEWER)
        self.drag(self.point(WORK_VIEWER, "source"), self.point(PRIVATE_VIEWER, "other"))
        self.about("dragEnd")
        self.assertEqual(self.about("paste", selection="drag", viewer=PRIVATE_VIEWER)[1].reason, "orgData")
        self.assertEqual(self.driver.script(PRIVATE_VIEWER, "document.getElementById('other').value"), "")

    def test_nor_a_picture_of_it(self) -> None:
        """The engine hands over a picture as a file of its own, and that belongs to nobody."""
        self.side_by_side()
        self.driver.script(WORK_VIEWER, PICTURE)
        self.driver.script(PRIVATE_VIEWER, TAKES_FILES)
        loaded = "document.getElementById('source').naturalWidth > 0"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, loaded), "the picture is there")
        self.focus(PRIVATE_VIEWER)
        self.focus(WORK_VIEWER)
        self.driver.heard.clear()
        # Not straight on: the engine of Qt tells the one window of the drag before it tells the other that it left.
        self.drag(self.point(WORK_VIEWER, "source"), QPoint(1180, 800), self.point(PRIVATE_VIEWER, "target"))
        self.about("dragEnd")
        dropped = "document.documentElement.dataset.result || ''"
        self.driver.wait(lambda: True, "it works")
        self.assertEqual(self.driver.script(PRIVATE_VIEWER, dropped), "")
        self.assertEqual(self.about("paste", selection="drag", viewer=PRIVATE_VIEWER)[1].reason, "orgData")

    def test_other_programs_get_a_notice_and_private_text_as_it_is(self) -> None:
        with Started(
            [sys.executable, str(HERE / "drop_target.py")], stdout=subprocess.PIPE, text=True
        ) as other:
            # Nothing can be dropped on a window that is not there yet.
            self.assertEqual(self.said(other), "ready")
            for viewer, dropped in ((WORK_VIEWER, NOTICE), (PRIVATE_VIEWER, TEXT)):
                with self.subTest(viewer=viewer):
                    self.driver.heard.clear()
                    self.both("/clipboard")
                    self.focus(viewer)
                    self.drag(self.point(viewer, "source"), QPoint(1180, 800))
                    self.assertEqual(self.said(other), dropped)
                    self.about("dragEnd")

    def said(self, other: "subprocess.Popen[str]") -> str:
        """The next line that the other program writes."""
        assert other.stdout is not None
        stream = other.stdout
        self.driver.wait(lambda: select.select([stream], [], [], 0)[0], "the other program got something")
        return stream.readline().strip()

    def drag(self, start: QPoint, *ends: QPoint) -> None:
        """Slowly, as a hand does it, from place to place; the browser works in between."""
        words: list[object] = ["mousemove", start.x(), start.y(), "mousedown", 1]
        for begin, end in zip((start, *ends), ends):
            for step in range(1, self.moves + 1):
                between = begin + (end - begin) * step / self.moves
                words += ["sleep", 0.05, "mousemove", between.x(), between.y()]
        words += ["sleep", 0.2, "mouseup", 1]
        with Started(["xdotool", *map(str, words)]) as hand:
            self.driver.wait(lambda: hand.poll() is not None, "the hand rests")
