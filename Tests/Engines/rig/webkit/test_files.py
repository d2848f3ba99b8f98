"""Files that come and go, and what leaves a page for paper, a picture, the desktop or another program."""

import os
import tempfile
from pathlib import Path
from typing import Any

import uploads
from gtk_case import PRIVATE_VIEWER, WORK_VIEWER, GtkCase
from gtk_driver import WebKit
from print_dialog import in_dialog
from rig.policy import WORK, BrowserConfiguration
from uploads import CONTENT, DECEIVING, HONEST


class FilesCase(uploads.Choosing, GtkCase):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        self.open_reader(self.driver.guard.get_instance())

    def chooses(self, file: Path) -> None:
        self.driver.person.files = [str(file)]

    def download(self, viewer: str) -> bool:
        """Downloads a file of the site, and says whether it came, as the account reads it."""
        self.driver.person.place = self.place
        self.show("/", viewer)
        self.driver.click(viewer, "download-internal")
        self.until_asked("download", viewer=viewer)
        file = self.place / "plan.bin"
        try:
            self.driver.wait(lambda: file.exists() and self.content(file) == CONTENT, "the file is there", 1.5)
        except TimeoutError:
            return False
        return True

    def left(self) -> list[Path]:
        """What lies about: files in the person's place, and what engines write to."""
        return [*self.place.iterdir(), *Path(os.environ["XDG_RUNTIME_DIR"]).glob(".webviewguard-*")]


def allowing(browser: Path) -> BrowserConfiguration:
    """A policy that lets all of it happen: what is asked is then done."""
    configuration = BrowserConfiguration(browser)
    policy = configuration.files["policy.d/organisation.yaml"]
    settings = ("save:", "send:", "printing:", "screenCapture:")
    kept = [line for line in policy.splitlines() if not line.strip().startswith(settings)]
    text = "\n".join(kept) + "\n"
    configuration.files["policy.d/organisation.yaml"] = text.replace("    receive: managed\n", "    receive: any\n")
    return configuration


class Files(uploads.Uploads, FilesCase):
    """With the rig's policy: managed data goes to managed places."""

    def test_a_managed_file_is_not_kept_in_any_place(self) -> None:
        self.assertFalse(self.download(WORK_VIEWER))
        self.assertEqual(self.asked("download")[-1]["outcome"], "block")
        self.assertEqual(list(self.place.iterdir()), [])
        self.assertEqual(self.driver.person.said[-1][0], "block")

    def test_a_private_one_is_and_its_place_is_asked_about(self) -> None:
        self.assertTrue(self.download(PRIVATE_VIEWER))
        self.assertEqual(len(self.asked("download")), 2)

    def test_a_name_turns_no_letters_round(self) -> None:
        """A person would read `codexe.jpg`."""
        self.driver.person.place = self.place
        self.show("/", PRIVATE_VIEWER)
        self.leave_for(DECEIVING, PRIVATE_VIEWER)
        self.driver.wait(lambda: os.listdir(self.place) == [HONEST], f"`{HONEST}` is there, and nothing else")

    def test_nothing_is_kept_when_the_person_gives_up(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "download-internal")
        self.until_asked("download")
        self.driver.settle()
        self.assertEqual((len(self.asked("download")), list(self.place.iterdir())), (1, []))

    def test_nothing_managed_is_printed(self) -> None:
        printed: list[object] = []
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            view = self.driver.view(viewer)
            handler = view.connect("print", lambda view, _: bool(printed.append(view)) or True)
            self.addCleanup(view.disconnect, handler)
            self.show("/", viewer)
            self.driver.script(viewer, "void window.print()")
            self.until_asked("print", viewer=viewer)
        self.driver.wait(lambda: printed, "the private page is printed")
        self.driver.settle()
        self.assertEqual(printed, [self.driver.view(PRIVATE_VIEWER)])

    def test_notifications_say_nothing_of_managed_data(self) -> None:
        shown: list[str] = []
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            view = self.driver.view(viewer)
            show = view.connect("show-notification", lambda _, it: bool(shown.append(it.get_body())) or True)
            allow = view.connect("permission-request", lambda _, request: request.allow() or True)
            for handler in (show, allow):
                self.addCleanup(view.disconnect, handler)
            self.show("/", viewer)
            source = "() => new Notification('plan', { body: 'secret' })"
            self.driver.script(viewer, f"void Notification.requestPermission().then({source})")
            self.until_asked("notify", viewer=viewer)
        self.driver.wait(lambda: shown, "the private one is shown")
        self.driver.settle()
        self.assertEqual(shown, ["secret"])

    def test_a_permission_is_denied_that_nobody_gives(self) -> None:
        self.show("/")
        said = "() => document.title = 'given', () => document.title = 'no'"
        source = f"void navigator.geolocation.getCurrentPosition({said})"
        self.driver.script(WORK_VIEWER, source)
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) in ("given", "no"), "it is answered")
        self.assertEqual(self.driver.title(WORK_VIEWER), "no")

    def test_a_picture_is_not_kept_in_any_place(self) -> None:
        self.driver.person.place = self.place
        self.show("/")
        self.driver.guard.capture_page(self.driver.view(WORK_VIEWER))
        self.until_asked("capture")
        self.driver.settle()
        self.assertEqual(self.left(), [])
        self.show("/", PRIVATE_VIEWER)
        self.driver.guard.capture_page(self.driver.view(PRIVATE_VIEWER))
        picture = self.place / "page.png"
        self.driver.wait(lambda: picture.exists() and picture.read_bytes()[-8:-4] == b"IEND", "the picture is there")

    def test_the_menu_has_no_copies_that_no_event_tells_of(self) -> None:
        self.show("/")
        actions: list[Any] = []

        def remember(_view: object, menu: Any, *_: object) -> bool:
            actions.extend(item.get_stock_action() for item in menu.get_items())
            return True

        view = self.driver.view(WORK_VIEWER)
        handler = view.connect("context-menu", remember)
        self.driver.click(WORK_VIEWER, "internal", "right")
        self.driver.wait(lambda: actions, "the menu is made")
        view.disconnect(handler)
        self.assertIn(WebKit.ContextMenuAction.OPEN_LINK_IN_NEW_WINDOW, actions)
        self.assertNotIn(WebKit.ContextMenuAction.COPY_LINK_TO_CLIPBOARD, actions)

    def test_links_of_other_programs_are_judged(self) -> None:
        opened: list[str] = []
        remember = lambda _, _view, url, *_more: bool(opened.append(url)) or True  # noqa: E731
        handler = self.driver.guard.connect("open-elsewhere", remember)
        self.addCleanup(self.driver.guard.disconnect, handler)
        for element, outcome in (("mailto", "handOff"), ("custom", "block"), ("written", "block")):
            self.show("/")
            self.driver.click(WORK_VIEWER, element)
            self.until_asked("navigate", outcome=outcome)
            self.driver.settle()
        self.assertEqual(opened, ["mailto:somebody@fabrikam.example"])


class NoUploads(uploads.NoUploads, FilesCase):
    pass


class Allowing(FilesCase):
    """A policy that lets all of it happen: what is asked is then done."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return allowing(cls.managed_browser.program)

    def test_files_come_and_go(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "plan.txt")
        self.assertTrue(self.download(WORK_VIEWER))
        self.assertTrue(self.sealed(self.place / "plan.bin"))
        (self.place / "plan.bin").unlink()
        self.assertTrue(self.download(PRIVATE_VIEWER))
        self.assertEqual((self.place / "plan.bin").read_bytes(), CONTENT)

    def test_the_accounts_own_place_is_offered_and_told(self) -> None:
        self.driver.guard.set_downloads(WORK.upper(), str(self.place))
        self.addCleanup(self.driver.guard.set_downloads, WORK, None)
        self.show("/")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.until_asked("download", 2)
        file = self.place / "plan.bin"
        self.driver.wait(file.exists, "it is in the account's own place")
        self.assertEqual([record["location"] for record in self.asked("download")], ["localStorage"] * 2)
        self.assertTrue(self.sealed(file))

    def test_a_download_that_breaks_off_leaves_nothing(self) -> None:
        self.driver.person.place = self.place
        self.show("/")
        self.driver.script(WORK_VIEWER, "void (document.getElementById('download-internal').href = '/broken/plan.bin')")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.until_asked("download", 2)
        self.driver.wait(lambda: self.site.was_asked("/broken/plan.bin") and not self.left(), "nothing is left")
        self.driver.settle()
        self.assertEqual(self.left(), [])

    def test_a_picture_is_kept(self) -> None:
        self.driver.person.place = self.place
        self.show("/")
        self.driver.guard.capture_page(self.driver.view(WORK_VIEWER))
        picture = self.place / "page.png"
        self.driver.wait(picture.exists, "the picture is there")
        self.assertEqual(self.asked("capture")[-1]["reason"], "captureOwnImage")
        self.assertTrue(self.sealed(picture) and self.content(picture).startswith(b"\x89PNG"))

    def test_a_place_where_nothing_can_be_written_is_told(self) -> None:
        self.driver.person.place = self.place / "plan.txt"
        self.show("/")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.until_asked("download")
        self.driver.settle()
        self.assertEqual(self.left(), [])
        self.driver.person.place = Path("/proc")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.driver.wait(lambda: self.driver.person.said, "it is said")
        self.assertIn("plan.bin", self.driver.person.said[-1][1])

    def test_a_managed_page_is_printed_to_no_file(self) -> None:
        """The toolkit would write it in plain."""
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER, WORK_VIEWER):
            self.show("/", viewer)
            self.driver.guard.print_page(self.driver.view(viewer))
            printers = self.driver.wait(in_dialog(), "the dialogue lists its printers")
            self.assertEqual("Print to File" in printers, viewer == PRIVATE_VIEWER, printers)


class Labelled(uploads.LabelledUploads, FilesCase):
    pass


del FilesCase, GtkCase
