"""Files that come and go, and what leaves a page for paper, a picture, the desktop or another program."""

import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from gtk_case import PRIVATE_VIEWER, WORK_VIEWER, GtkCase
from gtk_driver import WebKit
from print_dialog import in_dialog
from rig.policy import APP, WORK, BrowserConfiguration
from webviewguard import Guard, protection_info

CONTENT = b"x" * 100


class FilesCase(GtkCase):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)
        # Reads files as the program's own client in Python does.
        self.reader = Guard(app=APP, path=self.daemon.guard_socket, instance=self.driver.guard.get_instance)
        self.addCleanup(self.reader.close)
        self.assertTrue(self.reader.start())

    def choose(self, viewer: str, file: Path | None = None) -> str:
        """Chooses a file in the page, and returns what the page sees of it."""
        if file is None:
            file = self.place / "plan.txt"
            file.write_text("personal")
        self.driver.person.files = [str(file)]
        self.show("/", viewer)
        asked = len(self.asked("upload", viewer=viewer))
        self.driver.click(viewer, "file")
        self.until_asked("upload", asked + 1, viewer=viewer)
        self.driver.settle()
        names = "Array.from(document.getElementById('file').files, file => file.name).join()"
        return str(self.driver.script(viewer, names))

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

    def content(self, file: Path) -> bytes:
        with self.reader.files.readable(file) as readable:
            return Path(readable.path).read_bytes()

    def sealed(self, file: Path) -> bool:
        """Whether it is the work account's, and others read nonsense."""
        owner, content = self.reader.files.get_owner(file), file.read_bytes()
        return owner.account == WORK and protection_info(content) is not None and CONTENT[:16] not in content

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


class Files(FilesCase):
    """With the rig's policy: managed data goes to managed places."""

    def test_pages_may_have_a_file_of_the_user(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "plan.txt")
        self.assertEqual(self.asked("upload")[-1]["url"], self.site.url("/"))
        self.assertEqual(self.choose(PRIVATE_VIEWER), "plan.txt")

    def test_a_managed_file_is_not_kept_in_any_place(self) -> None:
        self.assertFalse(self.download(WORK_VIEWER))
        self.assertEqual(self.asked("download")[-1]["outcome"], "block")
        self.assertEqual(list(self.place.iterdir()), [])
        self.assertEqual(self.driver.person.said[-1][0], "block")

    def test_a_private_one_is_and_its_place_is_asked_about(self) -> None:
        self.assertTrue(self.download(PRIVATE_VIEWER))
        self.assertEqual(len(self.asked("download")), 2)

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


class NoUploads(FilesCase):
    """A viewer into which nothing is put."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        name = "policy.d/app-0.yaml"
        allowing, blocking = (f"documents: {{ policy: currentIdentity{word}," for word in ("", "BlockUpload"))
        configuration.replace(name, allowing, blocking)
        return configuration

    def test_the_page_does_not_even_see_the_files_name(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "")
        decision = self.asked("upload")[-1]
        self.assertEqual((decision["outcome"], decision["reason"]), ("block", "uploadBlockedViewer"))
        self.assertTrue(self.driver.person.said)


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


class Labelled(FilesCase):
    """The policy lets files be kept; what is sent is the matter."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        name = "policy.d/organisation.yaml"
        everywhere = "    save: { allowed: true }\n"
        lines = configuration.files[name].splitlines(keepends=True)
        configuration.files[name] = "".join(everywhere if line.strip().startswith("save:") else line for line in lines)
        return configuration

    def test_a_work_file_does_not_go_to_a_private_page_whatever_it_is_called(self) -> None:
        self.assertTrue(self.download(WORK_VIEWER))
        file, holiday = self.place / "plan.bin", self.place / "holiday.bin"
        for command in (["cp", "-a"], ["cp"], ["mv"]):
            subprocess.run([*command, str(file), str(holiday)], check=True)
            self.assertEqual(self.choose(PRIVATE_VIEWER, holiday), "", command)
            self.assertEqual(self.asked("upload")[-1]["outcome"], "block")
        self.assertEqual(self.choose(WORK_VIEWER, holiday), "holiday.bin")
        length = self.sent(WORK_VIEWER)
        # The same as a file that was never sealed.
        plain = self.place / "private.bin"
        plain.write_bytes(CONTENT)
        self.assertEqual(self.choose(PRIVATE_VIEWER, plain), "private.bin")
        self.assertEqual(self.sent(PRIVATE_VIEWER), length)

    def sent(self, viewer: str) -> int:
        """Sends the form; the length of what the site got."""
        before = len(self.site.asked("/uploaded"))
        self.driver.script(viewer, "void document.forms[0].submit()")
        self.driver.wait(lambda: len(self.site.asked("/uploaded")) > before, "it is sent")
        return self.site.asked("/uploaded")[-1].body_length

    def test_a_damaged_file_goes_nowhere_and_that_is_said(self) -> None:
        self.assertTrue(self.download(WORK_VIEWER))
        file = self.place / "plan.bin"
        data = bytearray(file.read_bytes())
        data[-1] ^= 1
        file.write_bytes(data)
        self.assertEqual(self.choose(WORK_VIEWER, file), "")
        self.driver.wait(lambda: self.driver.person.said, "it is said")


del FilesCase, GtkCase
