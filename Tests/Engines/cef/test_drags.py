"""Drags by a real pointer: within the browser, and to and from another program of the same screen."""

import os
import select
import subprocess
from pathlib import Path
from typing import Any

from test_person import NOTICE, SECRET, FileCase, PersonCase

from rig import clipboard
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER


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


class OtherPrograms(DragCase, FileCase):
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


def cases() -> list[Any]:
    return [Drags, OtherPrograms]
