"""Programs of a Wayland desktop that read both selections as fast as they can, from before a copy until after it.

What guarded programs ask for under its own type is the content, as it is meant to be; every other type is for everybody.
"""

from gtk_case import NOTICE, PRIVATE_VIEWER, SECRET, WORK_VIEWER, GtkCase
from hands import HANDS
from rig import wayland
from rig.clipboard import PRIVATE_TYPE


class SpiedOn(GtkCase):
    def setUp(self) -> None:
        super().setUp()
        self.show("/clipboard")
        self.show("/clipboard", PRIVATE_VIEWER)
        # Programs fill a selection after they were given a key or a click: the compositor takes an earlier one for stale.
        for selection in ("clipboard", "primary"):
            self.fill_outside(selection, "before the test")
        self.spies = wayland.Spies()
        self.addCleanup(self.spies.end)

    def leaks(self) -> list[str]:
        return [line for line in self.spies.have_read(SECRET) if PRIVATE_TYPE not in line]

    def read_again(self, selection: str, text: str, before: str = NOTICE) -> None:
        """What lies there is read, and both kinds of spies are still at work after it."""
        self.driver.wait(lambda: self.read(selection) == before, f"other programs read `{before}`")
        # What is judged is filled once more; the compositor takes that for stale behind another program's fill.
        if before == NOTICE:
            self.driver.wait(lambda: self.read(selection, PRIVATE_TYPE), "it is judged")
        self.fill_outside(selection, text)
        self.driver.wait(lambda: len(self.spies.have_read(text)) > 1, f"the spies read `{text}`")

    def menu_copy(self) -> None:
        self.driver.view(WORK_VIEWER).execute_editing_command("Copy")


class Spying(SpiedOn):
    def test_keys_and_menus_show_nothing(self) -> None:
        for round_ in range(3):
            self.copy(WORK_VIEWER)
            self.read_again("clipboard", f"after a copy {round_}")
            self.select_all(WORK_VIEWER)
            self.menu_copy()
            self.until_asked("copy", 2 * round_ + 2, selection="clipboard")
            self.read_again("clipboard", f"after a menu {round_}")
        self.copy(WORK_VIEWER, "x")
        self.read_again("clipboard", "after a cut")
        self.assertEqual(self.leaks(), [])
        self.assertTrue(self.spies.have_read(NOTICE))

    def test_a_program_that_copies_before_it_has_input_shows_nothing(self) -> None:
        """The compositor lets a program fill a selection that another filled since only after new input: its key or click has
        to reach it before its menu copies. Else other programs keep what they had."""
        self.select_all(WORK_VIEWER)
        self.fill_outside("clipboard", "of another program")
        self.menu_copy()
        self.until_asked("copy", selection="clipboard")
        self.driver.settle()
        self.assertEqual(self.read("clipboard"), "of another program")
        self.assertEqual(self.leaks(), [])
        self.select_all(WORK_VIEWER)
        self.menu_copy()
        self.read_again("clipboard", "after a menu with input")

    def test_buttons_of_pages_show_nothing(self) -> None:
        for button in ("exec-copy", "own-copy", "async-write", "async-write-html", "exec-cut"):
            self.press_button(button)
            self.read_again("clipboard", f"after {button}")
        self.assertEqual(self.leaks(), [])
        self.assertTrue(self.spies.have_read(NOTICE))

    def test_marking_shows_nothing(self) -> None:
        mark = "getSelection().selectAllChildren(document.getElementById('paragraph'))"
        for round_ in range(5):
            self.focus(WORK_VIEWER, "other")
            self.driver.script(WORK_VIEWER, mark)
            self.read_again("primary", f"after a mark {round_}")
        self.assertEqual(self.leaks(), [])

    def test_a_copy_without_the_focus_shows_nothing(self) -> None:
        """The compositor tells a program of its own copy only while one of its windows has the keys."""
        self.select_all(WORK_VIEWER)
        HANDS.focus(self.driver.windows[PRIVATE_VIEWER].window)
        self.driver.wait(lambda: self.driver.script(PRIVATE_VIEWER, "document.hasFocus()"), "the other has the focus")
        lines = self.other_program("window", "a window of another program")
        self.driver.wait(lambda: wayland.window("a window of another program"), "it is shown")
        wayland.focus(wayland.window("a window of another program"))
        self.driver.wait(lambda: not self.driver.script(PRIVATE_VIEWER, "document.hasFocus()"), "nobody here has it")
        self.menu_copy()
        self.until_asked("copy", selection="clipboard")
        self.driver.wait(lambda: self.read("clipboard") == NOTICE, "other programs read the notice")
        self.holds_no_secret("clipboard")
        self.assertEqual((self.leaks(), lines), ([], ["ready\n"]))

    def test_private_text_still_goes_out(self) -> None:
        """Also to a program that asks before the guard has judged it: it waits."""
        for key in ("c", "x"):
            self.copy(PRIVATE_VIEWER, key)
            self.read_again("clipboard", f"after {key}", SECRET)
            self.driver.script(PRIVATE_VIEWER, f"document.getElementById('text').value = '{SECRET}'")
        self.driver.script(PRIVATE_VIEWER, "getSelection().selectAllChildren(document.getElementById('paragraph'))")
        self.until_asked("copy", selection="primary", viewer=PRIVATE_VIEWER)
        self.driver.wait(lambda: SECRET in (self.read("primary") or ""), "other programs read the marked text")
        self.driver.wait(lambda: self.leaks(), "the spies read it as well")


class SpyingWithoutDaemon(SpiedOn):
    """Nothing answers in time; what waits is answered by the failure contract."""
    def test_nothing_is_shown_while_the_daemon_is_away(self) -> None:
        self.select_all(WORK_VIEWER)
        self.daemon.stop()
        self.addCleanup(self.daemon.start)
        self.driver.press(WORK_VIEWER, "c")
        self.driver.settle()
        mark = "getSelection().selectAllChildren(document.getElementById('paragraph'))"
        self.driver.script(WORK_VIEWER, mark)
        self.driver.wait(lambda: self.read("primary") == NOTICE, "other programs read the notice")
        self.holds_no_secret("clipboard")
        self.assertEqual(self.leaks(), [])


del GtkCase, SpiedOn
