"""Files that come and go, and what leaves a page for paper, the desktop or another program."""

import tempfile
from pathlib import Path

from pack_case import PRIVATE_VIEWER, WORK_VIEWER, PackCase
from rig.policy import BrowserConfiguration


class FilesCase(PackCase):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.place = Path(directory.name)

    def choose(self, viewer: str) -> str:
        """Chooses a file in the page, and returns what the page sees of it."""
        file = self.place / "plan.txt"
        file.write_text("personal")
        self.driver.person.files = [str(file)]
        self.show("/", viewer)
        self.driver.click(viewer, "file")
        self.until_asked("upload", viewer=viewer)
        self.driver.settle()
        names = "Array.from(document.getElementById('file').files, file => file.name).join()"
        return str(self.driver.script(viewer, names))

    def download(self, viewer: str) -> bool:
        """Downloads a file of the site, and says whether it came."""
        self.driver.person.place = self.place
        self.show("/", viewer)
        self.driver.click(viewer, "download-internal")
        self.until_asked("download", viewer=viewer)
        file = self.place / "plan.bin"
        try:
            self.driver.wait(lambda: file.exists() and file.stat().st_size == 100, "the file is there", 1.5)
        except TimeoutError:
            return False
        return True


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
        source = "void navigator.geolocation.getCurrentPosition(() => document.title = 'given', () => document.title = 'no')"
        self.driver.script(WORK_VIEWER, source)
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) in ("given", "no"), "it is answered")
        self.assertEqual(self.driver.title(WORK_VIEWER), "no")

    def test_links_of_other_programs_are_judged(self) -> None:
        opened: list[str] = []
        handler = self.driver.guard.connect("open-elsewhere", lambda _, _view, url, *_more: bool(opened.append(url)) or True)
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
        configuration.files[name] = configuration.files[name].replace(allowing, blocking)
        return configuration

    def test_the_page_does_not_even_see_the_files_name(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "")
        decision = self.asked("upload")[-1]
        self.assertEqual((decision["outcome"], decision["reason"]), ("block", "uploadBlockedViewer"))
        self.assertTrue(self.driver.person.said)


del FilesCase, PackCase
