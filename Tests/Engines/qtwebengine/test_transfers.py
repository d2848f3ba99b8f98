"""Files, paper, pictures and notifications."""

import json
import tempfile
from pathlib import Path

from engine import WORK, QtCase
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PyQt6.QtWebEngineCore import QWebEnginePage
from PyQt6.QtWidgets import QApplication
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host


class TestTransfers(QtCase):
    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name).resolve()
        storage = self.directory / "own"
        storage.mkdir()
        self.driver.browser.embedder.transfers.own_storage = {WORK_VIEWER: (storage, WORK)}
        self.people = self.driver.people

    def outcomes(self, event: str) -> list[str]:
        return [decision.outcome for asked, _, decision in self.driver.heard if asked == event]

    # Downloads

    def test_a_download_is_asked_about_with_its_place(self) -> None:
        self.people.chosen_place = str(self.directory / "own/plan.bin")
        self.show("/")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.driver.wait(lambda: (self.directory / "own/plan.bin").exists(), "the file is there")
        places = [about.get("location") for asked, about, _ in self.driver.heard if asked == "download"]
        self.assertEqual(places, ["localStorage"])

    def test_a_download_does_not_go_to_a_place_that_is_not_listed(self) -> None:
        self.people.chosen_place = str(self.directory / "plan.bin")
        self.show("/")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.driver.wait(lambda: "block" in self.outcomes("download"), "the download is refused")
        self.show("/behind")
        self.assertEqual(list(self.directory.glob("*.bin*")), [])

    def test_a_private_download_goes_anywhere(self) -> None:
        self.people.chosen_place = str(self.directory / "plan.bin")
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "download-internal")
        self.driver.wait((self.directory / "plan.bin").exists, "the file is there")

    def test_a_name_that_a_page_suggests_deceives_nobody(self) -> None:
        """Nor does it lead out of the directory. The engine hands over what the page said."""
        names = {
            "cod\u202egpj.exe": "cod_gpj.exe", "a\nb\u2028c\x9bd\u061ce.txt": "a_b_c_d_e.txt", "../../up.txt": "up.txt",
            "/etc/\u2066passwd": "_passwd", "..": "download", "down/": "download", "plan \u05d0.pdf": "plan \u05d0.pdf",
        }  # fmt: skip
        suggested: list[str] = []
        self.people.place = lambda path: suggested.append(path) or path  # type: ignore[method-assign, func-returns-value]
        self.addCleanup(lambda: self.people.__dict__.pop("place"))
        for name, kept in names.items():
            with self.subTest(name):
                self.show("/")
                self.people.lines.clear()
                link = f"{{ download: {json.dumps(name)}, href: URL.createObjectURL(new Blob(['x'])) }}"
                self.driver.script(WORK_VIEWER, f"void(Object.assign(document.createElement('a'), {link}).click())")
                file = self.directory / "own" / kept
                self.driver.wait(file.exists, "it is kept under that name", 10.0)
                self.driver.wait(lambda k=kept: f"Saved {k}" in self.people.lines, "the person hears of it")
                self.assertEqual(suggested[-1], str(file))
        self.assertEqual({file.name for file in self.directory.rglob("*.*")}, set(names.values()) - {"download", "_passwd"})

    def test_a_name_that_a_person_chose_is_told_as_it_is_seen(self) -> None:
        self.people.chosen_place = str(self.directory / "own/cod\u202egpj.bin")
        self.show("/")
        self.driver.click(WORK_VIEWER, "download-internal")
        self.driver.wait(lambda: "Saved cod\ufffdgpj.bin" in self.people.lines, "it is told", 10.0)

    # Uploads

    def test_a_file_is_asked_about_before_the_page_learns_its_name(self) -> None:
        """A file of the managed account does not go to a private page, and does go to a page of its own."""
        file = self.directory / "own/plan.txt"
        file.write_text("plan")
        self.people.chosen_files = [str(file)]
        for viewer, outcome in ((PRIVATE_VIEWER, "block"), (WORK_VIEWER, "allow")):
            with self.subTest(viewer=viewer):
                self.driver.heard.clear()
                self.show("/", viewer)
                self.driver.click(viewer, "file")
                self.assertEqual(self.driver.decided("upload").outcome, outcome)
                about = next(about for asked, about, _ in self.driver.heard if asked == "upload")
                self.assertEqual((about["path"], about["owner"]), (str(file), WORK))
                count = "document.getElementById('file').files.length"
                taken = int(outcome == "allow")
                self.driver.wait(lambda v=viewer, n=taken: self.driver.script(v, count) == n, "the page has its answer")

    def test_a_private_page_takes_a_file(self) -> None:
        file = self.directory / "private.txt"
        file.write_text("private")
        self.people.chosen_files = [str(file)]
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "file")
        count = "document.getElementById('file').files.length"
        self.driver.wait(lambda: self.driver.script(PRIVATE_VIEWER, count) == 1, "the page has the file")
        self.driver.click(PRIVATE_VIEWER, "send")
        self.driver.shows(PRIVATE_VIEWER, "/uploaded")
        self.assertGreater(self.site.asked("/uploaded")[-1].body_length, len("private"))

    def test_a_dropped_file_is_asked_about_before_the_page_gets_it(self) -> None:
        """One of the managed account is not for a private page; one that is nobody's is."""
        listener = "e => { e.preventDefault(); document.documentElement.dataset.result = e.dataTransfer.files.length }"
        for name, outcome in (("own/plan.txt", "block"), ("private.txt", "allow")):
            with self.subTest(file=name):
                file = self.directory / name
                file.write_text("text")
                self.driver.heard.clear()
                self.show("/clipboard", PRIVATE_VIEWER)
                self.driver.script(PRIVATE_VIEWER, f"void(document.addEventListener('drop', {listener}))")
                self.drop(PRIVATE_VIEWER, file)
                self.assertEqual(self.driver.decided("upload").outcome, outcome)
                if outcome == "allow":
                    self.assertEqual(self.result(PRIVATE_VIEWER), "1")
                else:
                    got = self.driver.script(PRIVATE_VIEWER, "document.documentElement.dataset.result || 'nothing'")
                    self.assertEqual(got, "nothing")

    def drop(self, viewer: str, file: Path) -> None:
        """Drops a file on the first field of the page, as the desktop would."""
        view, mime = self.driver.view(viewer), QMimeData()
        mime.setUrls([QUrl.fromLocalFile(str(file))])
        action, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(view, QDragEnterEvent(QPoint(60, 40), action, mime, left, none))
        QApplication.sendEvent(view, QDragMoveEvent(QPoint(60, 40), action, mime, left, none))
        QApplication.sendEvent(view, QDropEvent(QPointF(60, 40), action, mime, left, none))

    # Paper and pictures

    def test_a_page_that_prints_is_refused(self) -> None:
        self.people.chosen_place = str(self.directory / "own/page.pdf")
        self.show("/")
        self.driver.script(WORK_VIEWER, "void(setTimeout(print, 0))")
        self.assertEqual(self.driver.decided("print").reason, "printBlocked")
        self.assertFalse((self.directory / "own/page.pdf").exists())

    def test_a_private_page_prints_into_a_file_by_its_path(self) -> None:
        file = self.directory / "page.pdf"
        self.people.chosen_place = str(file)
        self.show("/", PRIVATE_VIEWER)
        self.driver.script(PRIVATE_VIEWER, "void(setTimeout(print, 0))")
        self.driver.wait(lambda: file.exists() and file.read_bytes().startswith(b"%PDF"), "the file is there")
        paths = [about.get("path") for asked, about, _ in self.driver.heard if asked == "print"]
        self.assertEqual(paths, [None, str(file)])

    def test_a_picture_of_the_view_is_saved_where_that_is_allowed(self) -> None:
        self.show("/")
        work = self.driver.browser.window(WORK_VIEWER)
        for name, saved in (("page.png", False), ("own/page.png", True)):
            with self.subTest(place=name):
                self.driver.heard.clear()
                self.people.chosen_place = str(self.directory / name)
                self.assertEqual(work.save_picture(), saved)
                self.assertEqual((self.directory / name).exists(), saved)
                self.assertEqual(self.outcomes("capture"), ["allow"])
                self.assertEqual(self.outcomes("save"), ["allow" if saved else "block"])

    def test_a_page_that_records_the_screen_is_asked_about(self) -> None:
        """No screen can be picked without a display, so the engine's question is put here by hand."""
        for viewer, outcome in ((WORK_VIEWER, "block"), (PRIVATE_VIEWER, "allow")):
            self.driver.heard.clear()
            page = self.driver.page(viewer)
            page.featurePermissionRequested.emit(page.url(), QWebEnginePage.Feature.DesktopVideoCapture)
            self.assertEqual(self.outcomes("capture"), [outcome])

    def test_a_page_writes_no_file_by_itself(self) -> None:
        """By `showSaveFilePicker`, and by the handle of a file that was chosen to be read."""
        file = self.directory / "picked.txt"
        file.write_text("before")
        self.people.chosen_files, self.people.chosen_place = [str(file)], str(file)
        picks = {"showSaveFilePicker": "await showSaveFilePicker()", "showOpenFilePicker": "(await showOpenFilePicker())[0]"}
        for name, pick in picks.items():
            with self.subTest(name):
                self.show("/clipboard", PRIVATE_VIEWER)
                write = (
                    f"window.{name} ? (async () => {{ const handle = {pick}; const to = await handle.createWritable();"
                    " await to.write('written'); await to.close(); return 'written' })() : Promise.reject('not there')"
                )
                ends = "end => document.documentElement.dataset.result = String(end)"
                act = f"document.getElementById('exec-copy').onclick = () => ({write}).then({ends}, {ends})"
                self.driver.script(PRIVATE_VIEWER, f"void({act})")
                self.driver.click(PRIVATE_VIEWER, "exec-copy")
                self.assertNotEqual(self.result(PRIVATE_VIEWER), "written")
                self.assertEqual(file.read_text(), "before")

    def test_a_page_is_saved_where_the_user_wants_it_and_may(self) -> None:
        """Also where the app names another place: the engine of Qt 6.4 saves there whatever is answered."""
        for viewer, outcome in ((WORK_VIEWER, "block"), (PRIVATE_VIEWER, "allow")):
            with self.subTest(viewer=viewer):
                self.people.chosen_place = str(self.directory / f"{viewer}.html")
                self.show("/", viewer)
                self.driver.heard.clear()
                self.driver.page(viewer).save(str(self.directory / "direct.html"))
                places = 2  # Our own, and the one that the user chooses.
                self.driver.wait(lambda v=viewer: len(self.outcomes("download")) == places, "both places are asked about")
                self.assertEqual(self.outcomes("download")[-1], outcome)
                if outcome == "allow":
                    self.driver.wait(Path(self.people.chosen_place).exists, "it is there")
                self.show("/behind", viewer)
        self.assertEqual({file.name for file in self.directory.glob("*.*")}, {"private.html"})

    # Notifications

    def test_a_notification_shows_no_data_of_the_organisation(self) -> None:
        for viewer, shown in ((WORK_VIEWER, False), (PRIVATE_VIEWER, True)):
            with self.subTest(viewer=viewer):
                self.driver.heard.clear()
                self.people.lines.clear()
                self.show("/", viewer)
                self.driver.script(
                    viewer, "void(Notification.requestPermission().then(() => new Notification('plan')))"
                )
                decision = self.driver.decided("notify")
                self.assertEqual(decision.outcome, "allow" if shown else "redact")
                line = self.driver.wait(lambda: self.people.lines, "something is shown")[0]
                self.assertEqual("plan" in line, shown)

    def test_an_upload_form_to_a_forbidden_host_is_never_sent(self) -> None:
        self.show("/")
        url = self.site.url("/uploaded-outside", Host.BLOCKED)
        self.driver.script(WORK_VIEWER, f"void(document.forms[0].action = '{url}', document.forms[0].submit())")
        self.driver.shows_block()
        self.show("/behind")
        self.assertFalse(self.site.was_asked("/uploaded-outside"))
