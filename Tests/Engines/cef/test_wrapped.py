"""Managed clips, wrapped: other programs read a notice, and guarded ones paste what lies beside it, as they may."""

import json
import os
import re
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from driver import CefDriver
from test_outages import reload
from test_person import NOTICE, SECRET, PersonCase
from test_programs import SECOND, two_apps

from daemon import PROGRAM

from rig import clipboard
from rig.clipboard import PRIVATE_TYPE
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.policy import WORK, BrowserConfiguration

OTHER = "of another program"
SCRIPTED = ("exec-copy", "exec-cut", "own-copy")


class WrappedCase(PersonCase):
    def setUp(self) -> None:
        super().setUp()
        for selection in clipboard.SELECTIONS:
            clipboard.write(selection, OTHER)

    def mark(self, viewer: str, text: str = SECRET, driver: CefDriver | None = None) -> None:
        """A field with this text, all of it marked."""
        driver = driver or self.driver
        driver.click(viewer, "text")
        source = f"(f => {{ f.value = {json.dumps(text)}; f.focus(); f.select(); }})(document.getElementById('text'))"
        driver.script(viewer, source)

    def copy(self, viewer: str = WORK_VIEWER, text: str = SECRET) -> None:
        self.show("/clipboard", viewer)
        self.mark(viewer, text)
        self.driver.press(viewer, "c")

    def pastes(self, viewer: str, wanted: str, driver: CefDriver | None = None) -> None:
        """What comes into an empty field by a paste that was judged: `wanted`, or nothing."""
        driver = driver or self.driver
        driver.load(viewer, self.site.url("/clipboard"))
        driver.click(viewer, "other")
        before = len(self.records.of("paste"))
        driver.press(viewer, "v")
        driver.wait(lambda: len(self.records.of("paste")) > before, "the paste is judged")
        value = lambda: driver.script(viewer, "document.getElementById('other').value", by_user=False)  # noqa: E731
        if wanted:
            driver.wait(lambda: value() == wanted, "the text arrives")
        else:
            # A second key that is heard behind it: whatever the first brought is there.
            driver.write(viewer, "text", "typed")
            self.assertEqual(value(), "")
            self.assertEqual({one["outcome"] for one in self.records.of("paste")[before:]}, {"block"})

    @contextmanager
    def spying(self) -> Iterator[list[str]]:
        """Another program reads the clipboard as text, again and again."""
        read: list[str] = []
        ended = threading.Event()

        def spy() -> None:
            while not ended.is_set():
                read.append(clipboard.read("clipboard", "UTF8_STRING") or "")

        thread = threading.Thread(target=spy)
        thread.start()
        try:
            yield read
        finally:
            ended.set()
            thread.join()


class Wrapped(WrappedCase):
    def test_what_scripts_copy_is_wrapped(self) -> None:
        for button in SCRIPTED:
            with self.subTest(button=button):
                clipboard.write("clipboard", OTHER)
                self.show("/clipboard")
                self.press_button(button)
                self.wrapped()

    def test_there_is_no_moment_in_which_it_can_be_read(self) -> None:
        """By keys that the browser sees, by those that only the page sees, and by a page's button."""
        with self.spying() as read:
            for _ in range(5):
                self.copy()
                self.wrapped()
                self.show("/clipboard")
                self.driver.real_click(WORK_VIEWER, "text")
                self.driver.real_press("ctrl+a", "ctrl+c")
                self.wrapped()
                self.press_button("exec-copy")
                self.wrapped()
                clipboard.write("clipboard", OTHER)
        self.assertLessEqual(set(read), {NOTICE, OTHER, ""})
        self.assertIn(NOTICE, read)

    def test_the_markup_of_a_page_lies_beside_the_text(self) -> None:
        self.show("/clipboard")
        mark = "getSelection().selectAllChildren(document.getElementById('paragraph'))"
        self.driver.script(WORK_VIEWER, f"document.activeElement.blur(), {mark}")
        self.driver.press(WORK_VIEWER, "c")
        self.driver.wait(lambda: PRIVATE_TYPE in clipboard.targets("clipboard"), "it is wrapped")
        self.assertIn("contoso", clipboard.read("clipboard", PRIVATE_TYPE) or "")
        self.assertIn("contoso", clipboard.read("clipboard", PRIVATE_TYPE + "-html") or "")
        self.assertNotIn("contoso", "".join(clipboard.read("clipboard", one) or "" for one in clipboard.TEXT_TARGETS))

    def test_it_comes_back_where_it_may(self) -> None:
        for _ in range(3):
            self.copy()
            self.wrapped()
            self.pastes(WORK_VIEWER, SECRET)
            self.pastes(PRIVATE_VIEWER, "")
        self.copy(PRIVATE_VIEWER, "of the person")
        self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == "of the person", "others read it")
        self.pastes(PRIVATE_VIEWER, "of the person")

    def test_the_page_may_take_the_paste_itself(self) -> None:
        self.copy()
        self.wrapped()
        self.show("/clipboard")
        take = "event => { event.preventDefault(); result(event.clipboardData.getData('text/plain')); }"
        self.driver.script(WORK_VIEWER, f"void document.addEventListener('paste', {take}, {{ once: true }})")
        self.driver.click(WORK_VIEWER, "other")
        self.driver.press(WORK_VIEWER, "v")
        took = "document.documentElement.dataset.result"
        self.driver.wait(lambda: self.driver.value(WORK_VIEWER, took) == SECRET, "the page has the text")
        self.assertEqual(self.value(WORK_VIEWER, "other"), "")

    def test_a_middle_click_pastes_what_was_marked_where_it_may(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.show("/clipboard")
        text = self.driver.mark(WORK_VIEWER, "paragraph")
        self.wrapped("primary", text)
        outcomes = {PRIVATE_VIEWER: "block", WORK_VIEWER: "allow"}
        for viewer, outcome in outcomes.items():
            # A second click at once moves no caret, in another window either.
            self.driver.pause()
            self.driver.pause()
            self.driver.real_click(viewer, "other", "2")
            self.driver.wait(lambda viewer=viewer: self.marked_pastes(viewer), "the paste is asked about")
            self.assertEqual(self.marked_pastes(viewer)[-1]["outcome"], outcome)
        self.driver.wait(lambda: self.value(WORK_VIEWER, "other").strip() == text, "it is pasted")
        self.assertEqual(self.value(PRIVATE_VIEWER, "other"), "")

    def marked_pastes(self, viewer: str) -> list[dict[str, Any]]:
        return [one for one in self.of("paste", viewer) if one["selection"] == "primary"]

    def test_what_a_page_makes_up_copies_nothing(self) -> None:
        self.show("/clipboard")
        self.mark(WORK_VIEWER)
        for kind in ("copy", "cut", "paste"):
            about = "{ bubbles: true, cancelable: true, clipboardData: new DataTransfer() }"
            event = f"new ClipboardEvent('{kind}', {about})"
            self.driver.script(WORK_VIEWER, f"void document.activeElement.dispatchEvent({event})")
        self.show("/clipboard")
        self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), OTHER)

    def test_large_texts_come_whole(self) -> None:
        for text in ("x" * 131072, "x" * 131073, "über " * 400000):
            with self.subTest(length=len(text)):
                self.copy(text=text)
                self.driver.wait(lambda: PRIVATE_TYPE in clipboard.targets("clipboard"), "it is wrapped")
                read = lambda: clipboard.read("clipboard", PRIVATE_TYPE)  # noqa: E731
                self.driver.wait(lambda text=text, read=read: read() == text, "it lies there whole")
                self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), NOTICE)
                self.pastes(WORK_VIEWER, text)

    def test_quick_copies_leave_the_last(self) -> None:
        self.show("/clipboard")
        with self.spying() as read:
            for number in range(20):
                self.mark(WORK_VIEWER, f"contoso {number}")
                self.driver.press(WORK_VIEWER, "c")
        self.wrapped(text="contoso 19")
        self.assertLessEqual(set(read), {NOTICE, OTHER, ""})
        self.pastes(WORK_VIEWER, "contoso 19")

    def test_another_programs_content_takes_its_place(self) -> None:
        for _ in range(5):
            self.copy()
            self.wrapped()
            clipboard.write("clipboard", OTHER)
            # xclip goes on in the background, and takes the selection a moment later.
            self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == OTHER, "it is another program's")
            self.assertNotIn(PRIVATE_TYPE, clipboard.targets("clipboard"))
        self.pastes(PRIVATE_VIEWER, OTHER)
        self.pastes(WORK_VIEWER, "")

    def test_a_program_that_asks_and_hangs_holds_nothing_up(self) -> None:
        """It wants a long clip in parts, and takes none of them."""
        text = "contoso " * 100000
        self.copy(text=text)
        self.driver.wait(lambda: PRIVATE_TYPE in clipboard.targets("clipboard"), "it is wrapped")
        readers = [clipboard.reader("clipboard", PRIVATE_TYPE) for _ in range(20)]
        for reader in readers:
            reader.send_signal(signal.SIGSTOP)
        self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), NOTICE)
        self.pastes(WORK_VIEWER, text)
        for reader in readers:
            reader.kill()
            reader.communicate()


class ChromeWrapped(Wrapped):
    style = "chrome"


class Forged(WrappedCase):
    """Another program says that it has a guarded program's clip."""

    def test_it_is_pasted_nowhere(self) -> None:
        clipboard.write("clipboard", "forged", PRIVATE_TYPE)
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.pastes(viewer, "")


class WrappedOutages(WrappedCase):
    """The daemon goes, hangs or comes back between a copy and a paste."""

    answer_ms = 400

    def holds(self) -> None:
        """Others read no more than before, and nobody pastes."""
        self.wrapped()
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.driver.click(viewer, "other")
            self.driver.press(viewer, "v")
            self.assertEqual(self.value(viewer, "other"), "")

    def test_without_a_daemon_it_stays_wrapped_and_is_pasted_nowhere(self) -> None:
        self.show("/clipboard", PRIVATE_VIEWER)
        self.copy()
        self.wrapped()
        with self.daemon.hanging():
            self.holds()
        self.daemon.stop(signal.SIGKILL)
        self.holds()
        self.daemon.start()
        self.driver.wait(lambda: self.copies_again(), "copies are wrapped again")
        self.pastes(WORK_VIEWER, SECRET)

    def copies_again(self) -> bool:
        before = len(self.records.of("clipboardChanged"))
        self.mark(WORK_VIEWER, SECRET)
        self.driver.press(WORK_VIEWER, "c")
        self.driver.pause()
        return len(self.records.of("clipboardChanged")) > before

    def test_nothing_is_copied_without_a_daemon(self) -> None:
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.show("/clipboard", viewer)
        self.daemon.stop(signal.SIGKILL)
        try:
            for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
                self.mark(viewer)
                self.driver.press(viewer, "c")
            self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), OTHER)
        finally:
            self.daemon.start()

    def test_a_reload_changes_nothing_of_it(self) -> None:
        self.copy()
        self.wrapped()
        reload(self.daemon)
        self.wrapped()
        self.pastes(WORK_VIEWER, SECRET)
        self.pastes(PRIVATE_VIEWER, "")


class Overtaken(WrappedCase):
    """Somebody fills a selection anew while the daemon thinks about a paste."""

    answer_ms = 10000

    def test_an_answer_is_good_for_what_lay_there_when_it_was_asked_for(self) -> None:
        for _ in range(2):
            self.show("/clipboard")
            text = self.driver.mark(WORK_VIEWER, "paragraph")
            self.wrapped("primary", text)
            before = len(self.records.of("paste"))
            with self.daemon.hanging():
                self.driver.real_click(WORK_VIEWER, "other", "2")
                self.driver.pause()
                clipboard.write("primary", "forged", PRIVATE_TYPE)
                read = lambda: clipboard.read("primary", PRIVATE_TYPE)  # noqa: E731
                self.driver.wait(lambda: read() == "forged", "it lies there")  # noqa: B023
            outcomes = lambda: [one["outcome"] for one in self.records.of("paste")[before:]]  # noqa: E731, B023
            self.driver.wait(outcomes, "the paste is judged")
            # A key that is heard behind it: whatever the paste brought is there.
            self.driver.write(WORK_VIEWER, "text", "typed")
            # What was judged may come, where the answer was heard before the change; and nothing else.
            self.assertIn(self.value(WORK_VIEWER, "other"), ("", text))


class WrappedInTwoPrograms(WrappedCase):
    """Two apps of one user, one of which shows another account in its second window."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return two_apps(cls.managed_browser.program)

    def second(self) -> CefDriver:
        second = CefDriver(self.daemon.guard_socket, self.style, app=SECOND)
        self.addCleanup(second.close)
        return second

    def test_a_clip_goes_to_the_same_account_and_to_nobody_else(self) -> None:
        second = self.second()
        for text in (SECRET, "contoso " * 100000):
            self.copy(text=text)
            self.driver.wait(lambda: PRIVATE_TYPE in clipboard.targets("clipboard"), "it is wrapped")
            self.pastes(WORK_VIEWER, text, second)
            self.pastes(PRIVATE_VIEWER, "", second)
        self.assertEqual(clipboard.read("clipboard", "UTF8_STRING"), NOTICE)

    def test_who_ends_takes_its_clip_along(self) -> None:
        second = self.second()
        second.load(WORK_VIEWER, self.site.url("/clipboard"))
        self.mark(WORK_VIEWER, driver=second)
        second.press(WORK_VIEWER, "c")
        self.wrapped()
        second.process.kill()
        second.process.wait()
        self.driver.wait(lambda: not clipboard.targets("clipboard"), "nothing lies there")
        self.pastes(PRIVATE_VIEWER, "")


class EndedAccounts(WrappedCase):
    """A clip goes with its account."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        wipes = "wipe: { mode: on, causes: [admin] }\nbrowsers:\n"
        configuration.replace("policy.d/organisation.yaml", "browsers:\n", wipes)
        return configuration

    def order(self, *words: str) -> str:
        command = [str(PROGRAM), "account", *words, "--socket-dir", str(self.daemon.sockets)]
        done = subprocess.run(command, timeout=60, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def wipe(self) -> None:
        words = ("wipe", WORK, "--user", str(os.getuid()), "--reason", "left", "--now")
        code = re.search(r"--confirm (\S+)", self.order(*words))
        assert code
        self.order(*words, "--confirm", code[1])

    def test_a_wipe_takes_its_clips(self) -> None:
        self.copy()
        self.show("/clipboard")
        text = self.driver.mark(WORK_VIEWER, "paragraph")
        self.wrapped("primary", text)
        self.wrapped()
        self.wipe()
        for selection in clipboard.SELECTIONS:
            self.driver.wait(lambda s=selection: not clipboard.targets(s), f"nothing lies in {selection}")


class ShortTexts(WrappedCase):
    """Texts that are short enough for everybody are read by everybody, as text and nothing else."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return BrowserConfiguration(cls.managed_browser.program, exception=8)

    def test_it_is_not_taken_for_the_clip_that_lay_there_before(self) -> None:
        clipboard.write("clipboard", "forged", PRIVATE_TYPE)
        self.copy(text="übrig")
        self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == "übrig", "others read it")
        self.pastes(WORK_VIEWER, "übrig")

    def test_short_is_free_and_long_is_wrapped(self) -> None:
        for _ in range(2):
            self.copy(text="übrig")
            self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == "übrig", "others read it")
            self.assertNotIn(PRIVATE_TYPE, clipboard.targets("clipboard"))
            self.assertNotIn("text/html", clipboard.targets("clipboard"))
            self.copy()
            self.wrapped()


def cases() -> list[Any]:
    return [Wrapped, ChromeWrapped, Forged, WrappedOutages, Overtaken, WrappedInTwoPrograms, EndedAccounts, ShortTexts]
