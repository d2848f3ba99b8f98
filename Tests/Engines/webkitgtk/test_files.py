"""Files, paper, pictures and notifications."""

import os
import subprocess
import tempfile
from pathlib import Path

from gi.repository import WebKit2
from rig.policy import WORK, BrowserConfiguration
from webkit_case import PRIVATE_VIEWER, WORK_VIEWER, WebKitCase
from webviewguard import protection_info

CONTENT = b"x" * 100


class FilesCase(WebKitCase):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def choose(self, viewer: str, file: Path | None = None) -> str:
        """Chooses a file in the page, and returns what the page sees of it."""
        if file is None:
            file = self.place / "plan.txt"
            file.write_text("personal")
        self.driver.person.files = [file]
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
            self.driver.wait(lambda: file.exists() and self.read(file) == CONTENT, "the file is there", 1.5)
        except TimeoutError:
            return False
        return True

    def read(self, file: Path) -> bytes:
        with self.driver.guard.files.readable(file) as readable:
            return Path(readable.path).read_bytes()

    def sealed(self, file: Path) -> bool:
        """Whether it is the work account's, and others read nonsense."""
        owner, content = self.driver.guard.files.get_owner(file), file.read_bytes()
        return owner.account == WORK and protection_info(content) is not None and CONTENT[:16] not in content


class Files(FilesCase):
    """With the rig's policy: managed data goes to managed places, and nothing personal comes in."""

    def test_a_managed_page_may_have_a_file_of_the_user(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "plan.txt")
        self.assertEqual(self.asked("upload")[-1]["url"], self.site.url("/"))

    def test_a_private_page_as_well(self) -> None:
        self.assertEqual(self.choose(PRIVATE_VIEWER), "plan.txt")

    def test_a_managed_file_is_not_kept_in_any_place(self) -> None:
        self.assertFalse(self.download(WORK_VIEWER))
        self.assertEqual(self.asked("download")[-1]["outcome"], "block")
        self.assertEqual(list(self.place.iterdir()), [])

    def test_a_private_one_is(self) -> None:
        self.assertTrue(self.download(PRIVATE_VIEWER))
        self.assertEqual(len(self.asked("download")), 2)


class NoUploads(FilesCase):
    """A viewer into which nothing is put."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        name = "policy.d/app-0.yaml"
        allowing, blocking = (f"documents: {{ policy: currentIdentity{word}," for word in ("", "BlockUpload"))
        configuration.files[name] = configuration.files[name].replace(allowing, blocking)
        return configuration

    def test_the_page_does_not_even_see_the_files_name(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "")
        decision = self.asked("upload")[-1]
        self.assertEqual((decision["outcome"], decision["reason"]), ("block", "uploadBlockedViewer"))
        self.assertTrue(self.work().window.said)


class Outputs(FilesCase):
    def test_nothing_is_printed(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, "void window.print()")
        self.assertEqual(self.until_asked("print")["reason"], "printBlocked")
        self.driver.settle()
        self.assertEqual(self.driver.person.printed, 0)
        self.show("/", PRIVATE_VIEWER)
        self.driver.script(PRIVATE_VIEWER, "void window.print()")
        self.driver.wait(lambda: self.driver.person.printed, "the private page is printed")

    def test_a_picture_is_not_kept_in_any_place(self) -> None:
        self.driver.person.place = self.place
        self.show("/")
        self.work().outputs.capture()
        self.until_asked("capture")
        self.driver.settle()
        self.assertEqual(list(self.place.iterdir()), [])
        self.show("/", PRIVATE_VIEWER)
        self.driver.viewer(PRIVATE_VIEWER).outputs.capture()
        picture = self.place / "page.png"
        self.driver.wait(lambda: picture.exists() and picture.read_bytes()[-8:-4] == b"IEND", "the picture is there")

    def test_notifications_say_nothing_of_managed_data(self) -> None:
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.show("/", viewer)
            show = "() => new Notification('plan', { body: 'secret' })"
            self.driver.script(viewer, f"void Notification.requestPermission().then({show})")
            self.until_asked("notify", viewer=viewer)
        self.driver.wait(lambda: len(self.driver.person.notices) == 2, "both are shown")
        redacted, free = self.driver.person.notices
        self.assertNotIn("secret", redacted)
        self.assertEqual(free, "plan|secret")

    def test_the_menu_has_no_copies_that_no_event_tells_of(self) -> None:
        self.show("/")
        actions: list[WebKit2.ContextMenuAction] = []

        def remember(_view: object, menu: WebKit2.ContextMenu, _event: object, _hit: object) -> bool:
            actions.extend(item.get_stock_action() for item in menu.get_items())
            return True

        handler = self.work().view.connect("context-menu", remember)
        self.driver.click(WORK_VIEWER, "internal", "right")
        self.driver.wait(lambda: actions, "the menu is made")
        self.work().view.disconnect(handler)
        self.assertIn(WebKit2.ContextMenuAction.OPEN_LINK_IN_NEW_WINDOW, actions)
        self.assertNotIn(WebKit2.ContextMenuAction.COPY_LINK_TO_CLIPBOARD, actions)


class Allowing(FilesCase):
    """A policy that lets all of it happen: what is asked is then done."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        policy = configuration.files["policy.d/organisation.yaml"]
        settings = ("save:", "send:", "printing:", "screenCapture:")
        kept = [line for line in policy.splitlines() if not line.strip().startswith(settings)]
        text = "\n".join(kept) + "\n"
        configuration.files["policy.d/organisation.yaml"] = text.replace("    receive: managed\n", "    receive: any\n")
        return configuration

    def test_files_come_and_go(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "plan.txt")
        self.assertTrue(self.download(WORK_VIEWER))
        self.assertTrue(self.sealed(self.place / "plan.bin"))
        (self.place / "plan.bin").unlink()
        self.assertTrue(self.download(PRIVATE_VIEWER))
        self.assertEqual((self.place / "plan.bin").read_bytes(), CONTENT)

    def test_a_download_that_breaks_off_leaves_nothing(self) -> None:
        self.driver.person.place = self.place
        self.show("/")
        self.driver.script(WORK_VIEWER, "void (document.getElementById('download-internal').href = '/broken/plan.bin')")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.until_asked("download", 2)
        runtime = Path(os.environ["XDG_RUNTIME_DIR"])
        left = lambda: [*self.place.iterdir(), *runtime.glob(".webviewguard-*")]  # noqa: E731
        self.driver.wait(lambda: self.site.was_asked("/broken/plan.bin") and not left(), "nothing is left")
        self.driver.settle()
        self.assertEqual(left(), [])

    def test_a_picture_is_kept(self) -> None:
        self.driver.person.place = self.place
        self.show("/")
        self.work().outputs.capture()
        picture = self.place / "page.png"
        self.driver.wait(lambda: picture.exists(), "the picture is there")
        self.assertEqual(self.asked("capture")[-1]["reason"], "captureOwnImage")
        self.assertTrue(self.sealed(picture) and self.read(picture).startswith(b"\x89PNG"))


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
        before = len(self.site.asked("/uploaded"))
        self.driver.script(WORK_VIEWER, "void document.forms[0].submit()")
        self.driver.wait(lambda: len(self.site.asked("/uploaded")) > before, "it is sent")
        length = self.site.asked("/uploaded")[-1].body_length
        # The same as a file that was never sealed.
        plain = self.place / "private.bin"
        plain.write_bytes(CONTENT)
        self.assertEqual(self.choose(PRIVATE_VIEWER, plain), "private.bin")
        self.driver.script(PRIVATE_VIEWER, "void document.forms[0].submit()")
        self.driver.wait(lambda: len(self.site.asked("/uploaded")) > before + 1, "it is sent")
        self.assertEqual(self.site.asked("/uploaded")[-1].body_length, length)


del FilesCase, WebKitCase
