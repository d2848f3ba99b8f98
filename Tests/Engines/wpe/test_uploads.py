"""Files that a page gets: see rig/webkit/uploads.py. The program chooses them, since WPE has no dialogues."""

import tempfile
from pathlib import Path
from typing import Any

import uploads
from uploads import CONTENT
from webkit_case import WORK_VIEWER
from wpe_case import WpeCase


class Choosing(uploads.Choosing, WpeCase):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.open_reader(self.driver.call("instance"))
        self.addCleanup(self.driver.person.asked_for)

    def chooses(self, file: Path) -> None:
        self.driver.person.asked_for(file=str(file))

    def download(self, viewer: str) -> bool:
        self.driver.person.asked_for(place=str(self.place))
        self.show("/", viewer)
        self.driver.click(viewer, "download-internal")
        file = self.place / "plan.bin"
        self.driver.wait(lambda: file.exists() and self.content(file) == CONTENT, "the file is there")
        return True


class Uploads(uploads.Uploads, Choosing):
    def test_nobody_chooses(self) -> None:
        """Where the program chooses nothing, the page gets nothing, and nobody is asked."""
        self.driver.person.asked_for()
        self.show("/")
        self.driver.click(WORK_VIEWER, "file")
        self.driver.settle()
        self.assertEqual(self.asked("upload"), [])
        self.assertEqual(self.names(WORK_VIEWER), "")


class NoUploads(uploads.NoUploads, Choosing):
    pass


class LabelledUploads(uploads.LabelledUploads, Choosing):
    pass


def cases() -> list[Any]:
    return [Uploads, NoUploads, LabelledUploads]
