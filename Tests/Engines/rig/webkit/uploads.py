"""Files that a page gets, in all engines of WebKit: mixed into the class of an engine, which chooses them as its person does."""

import subprocess
from pathlib import Path

from rig.policy import APP, WORK, BrowserConfiguration
from webkit_case import PRIVATE_VIEWER, WORK_VIEWER, WebKitCase
from webviewguard import Guard, protection_info

CONTENT = b"x" * 100
# A file of the site whose name turns letters round, breaks lines and rings, and the name under which it is kept.
DECEIVING, HONEST = "/file/cod%E2%80%AEgpj%E2%80%A8%C2%85.exe", "cod_gpj__.exe"


class Choosing(WebKitCase):
    """`place` is the person's directory, and `reader` reads files as the program's own client in Python does."""

    place: Path
    reader: Guard

    def chooses(self, file: Path) -> None:
        """The person chooses this file next."""
        raise NotImplementedError

    def open_reader(self, instance: str) -> None:
        self.reader = Guard(app=APP, path=self.daemon.guard_socket, instance=lambda: instance)
        self.addCleanup(self.reader.close)
        self.assertTrue(self.reader.start())

    def names(self, viewer: str) -> str:
        """The files that the page sees."""
        source = "Array.from(document.getElementById('file').files, file => file.name).join()"
        return str(self.driver.script(viewer, source))

    def choose(self, viewer: str, file: Path | None = None) -> str:
        """Chooses a file in the page, and returns what the page sees of it."""
        if file is None:
            file = self.place / "plan.txt"
            file.write_text("personal")
        self.chooses(file)
        self.show("/", viewer)
        asked = len(self.asked("upload", viewer=viewer))
        self.driver.click(viewer, "file")
        self.until_asked("upload", asked + 1, viewer=viewer)
        self.driver.settle()
        return self.names(viewer)

    def content(self, file: Path) -> bytes:
        with self.reader.files.readable(file) as readable:
            return Path(readable.path).read_bytes()

    def sealed(self, file: Path) -> bool:
        """Whether it is the work account's, and others read nonsense."""
        owner, content = self.reader.files.get_owner(file), file.read_bytes()
        return owner.account == WORK and protection_info(content) is not None and CONTENT[:16] not in content

    def download(self, viewer: str) -> bool:
        """Downloads a file of the site to `plan.bin` in the place, and says whether it came."""
        raise NotImplementedError


class Uploads(Choosing):
    def test_pages_may_have_a_file_of_the_user(self) -> None:
        self.assertEqual(self.choose(WORK_VIEWER), "plan.txt")
        self.assertEqual(self.asked("upload")[-1]["url"], self.site.url("/"))
        self.assertEqual(self.choose(PRIVATE_VIEWER), "plan.txt")


class NoUploads(Choosing):
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


class LabelledUploads(Choosing):
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
