"""What is dragged on a Wayland desktop, out of a view into another program and the other way round, with a real pointer.

In GTK 3 other programs get the notice in place of managed text. GTK 4 hands out what is dragged past everybody, so there a drag
that other programs may not read does not begin.
"""

import unittest
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from gtk_driver import IS_GTK4
from gtk_case import NOTICE, PRIVATE_VIEWER, SECRET, WORK_VIEWER, GtkCase
from hands import HANDS
from rig import wayland
from rig.records import Record

# A place below the views.
LEFT, TOP, WIDTH, HEIGHT = 200, 810, 200, 80
TRIES, SECONDS = 5, 4.0
MIDDLE = (LEFT + WIDTH // 2, TOP + HEIGHT // 2)


class Drags(GtkCase):
    def setUp(self) -> None:
        super().setUp()
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.show("/clipboard", viewer)

    def beside(self, title: str, *words: str) -> list[str]:
        lines = self.other_program(*words)
        self.driver.wait(lambda: wayland.window(title), f"`{title}` is shown")
        wayland.order(f'[title="{title}"] resize set {WIDTH} {HEIGHT}')
        wayland.order(f'[title="{title}"] move absolute position {LEFT} {TOP}')
        return lines

    def drag_in(self, viewer: str) -> None:
        """Drags what the program beside gives into a field of a page."""
        window = self.driver.windows[viewer]
        x, y = window.on_screen(*self.driver.position(window, "target"))
        HANDS.focus(window.window)
        places = [MIDDLE, (MIDDLE[0] + 20, MIDDLE[1]), (x - 8, y - 8), (x - 4, y - 4), (x, y)]
        for number, place in enumerate(places):
            HANDS.point(*place)
            self.driver.settle(0.15)
            if not number:
                HANDS.hold()
        HANDS.release()

    def give(self, viewer: str) -> Record:
        """The decision about what the program beside gives."""
        for _ in range(TRIES):
            self.drag_in(viewer)
            with suppress(TimeoutError):
                self.driver.wait(lambda: self.asked("paste", viewer=viewer), "it is decided", SECONDS)
                return self.asked("paste", viewer=viewer)[-1]
        self.fail(f"nothing is dropped in {TRIES} drags")

    def drag_until(self, holds: Callable[[], Any], viewer: str, place: tuple[int, int] | str, into: str | None = None) -> None:
        """Drags until something is dropped: a hand that lets go before the drag has begun drags once more."""
        for _ in range(TRIES):
            if isinstance(place, str):
                self.driver.drag(viewer, "source", place, into=into)
            else:
                self.driver.drag_to_screen(viewer, "source", *place)
            with suppress(TimeoutError):
                self.driver.wait(holds, "something is dropped", SECONDS)
                return
        self.fail(f"nothing is dropped in {TRIES} drags")

    def target(self, viewer: str) -> str:
        return self.value(viewer, "target")

    @unittest.skipUnless(IS_GTK4, "it begins")
    def test_managed_text_leaves_its_page_nowhere(self) -> None:
        lines = self.beside("takes drops", "drop", "0", "0")
        self.driver.drag_to_screen(WORK_VIEWER, "source", *MIDDLE)
        self.until_asked("copy", selection="drag")
        for into in (WORK_VIEWER, PRIVATE_VIEWER):
            self.driver.drag(WORK_VIEWER, "source", "target", into=into)
        self.driver.settle()
        found = [*lines, self.target(WORK_VIEWER), self.target(PRIVATE_VIEWER)]
        self.assertEqual((found, self.asked("paste")), (["ready\n", "", ""], []))

    @unittest.skipIf(IS_GTK4, "it does not begin")
    def test_another_program_gets_the_notice_of_managed_text(self) -> None:
        lines = self.beside("takes drops", "drop", "0", "0")
        self.drag_until(lambda: SECRET in self.target(WORK_VIEWER), WORK_VIEWER, "target")
        self.drag_until(lambda: len(lines) > 1, WORK_VIEWER, MIDDLE)
        self.assertEqual(lines[1], f"dropped {NOTICE!r}\n")
        self.drag_until(lambda: self.asked("paste", viewer=PRIVATE_VIEWER), WORK_VIEWER, "target", PRIVATE_VIEWER)
        self.assertEqual(self.asked("paste", viewer=PRIVATE_VIEWER)[-1]["reason"], "orgData")
        self.driver.settle()
        self.assertEqual(self.target(PRIVATE_VIEWER), "")

    def test_private_text_is_free(self) -> None:
        lines = self.beside("takes drops", "drop", "0", "0")
        self.drag_until(lambda: len(lines) > 1, PRIVATE_VIEWER, MIDDLE)
        self.assertEqual(lines[1].strip(), f"dropped {SECRET!r}")
        self.drag_until(lambda: self.asked("paste", viewer=WORK_VIEWER), PRIVATE_VIEWER, "target", WORK_VIEWER)
        self.assertEqual(self.asked("paste")[-1]["selection"], "drag")

    def test_what_another_program_gives_is_nobodys_and_goes_nowhere(self) -> None:
        """No program tells whose it is, and so no view takes it, as on X11: neither text nor a file."""
        hears = "addEventListener('drop', event => document.documentElement.dataset.dropped = 'yes')"
        for what in ("from outside", Path(__file__).as_uri()):
            self.beside("gives drags", "give", what)
            for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
                with self.subTest(what=what, viewer=viewer):
                    self.show("/clipboard", viewer)
                    self.driver.script(viewer, f"void {hears}")
                    self.begin_test()
                    asked = self.give(viewer)
                    self.assertEqual((asked["outcome"], asked["reason"]), ("block", "ownerUnknown"))
                    self.driver.settle()
                    heard = self.driver.script(viewer, "document.documentElement.dataset.dropped || ''")
                    self.assertEqual((self.value(viewer, "target"), heard, self.asked("upload")), ("", "", []))
            self.doCleanups()


del GtkCase
