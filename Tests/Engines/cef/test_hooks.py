"""What is no request: the clipboard, files, recordings, other programs, and what the program's own handlers hear."""

from typing import Any, ClassVar

from cef_case import CefCase

from rig import clipboard
from rig.case import numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host

SECRET = "for contoso only"
SCRIPTED = ("exec-copy", "exec-cut", "own-copy", "async-write", "async-write-html")


class Clipboard(CefCase):
    """Of an app that does not say that it wraps clips, others read nothing managed, and all of what is private."""

    def setUp(self) -> None:
        super().setUp()
        clipboard.write("clipboard", "nothing yet")

    def mark(self, viewer: str) -> None:
        self.show("/clipboard", viewer)
        self.driver.click(viewer, "text")
        self.driver.script(viewer, "document.getElementById('text').select()")

    def asked(self, event: str) -> list[dict[str, Any]]:
        """All but what is asked since text was marked."""
        return [one for one in self.records.of(event, self._before) if one.get("selection") != "primary"]

    environment: ClassVar[dict[str, str]] = {"BROWSER_CLAIMS_LITTLE": "yes"}

    def test_a_copy_by_key_is_asked_about_and_refused(self) -> None:
        self.mark(WORK_VIEWER)
        self.driver.press(WORK_VIEWER, "c")
        self.driver.wait(lambda: self.asked("copy"), "the copy is asked about")
        self.assertEqual(self.asked("copy")[-1]["outcome"], "block")
        self.holds_no_secret()

    def test_a_cut_by_key_leaves_the_text(self) -> None:
        self.mark(WORK_VIEWER)
        self.driver.press(WORK_VIEWER, "x")
        self.driver.wait(lambda: self.asked("copy"), "the cut is asked about")
        self.holds_no_secret()
        self.assertEqual(self.driver.script(WORK_VIEWER, "document.getElementById('text').value"), SECRET)

    def test_a_private_copy_is_free(self) -> None:
        self.mark(PRIVATE_VIEWER)
        self.driver.press(PRIVATE_VIEWER, "c")
        self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == SECRET, "other programs read it")

    def test_scripts_have_no_clipboard(self) -> None:
        for button in SCRIPTED:
            with self.subTest(button=button):
                self.show("/clipboard")
                self.press_button(button)
                self.holds_no_secret()

    def test_a_page_that_fights_the_script_has_none_either(self) -> None:
        """New frames are guarded before their page sees them, and `document.open` takes no listener away."""
        secret = f"const secret = {SECRET!r};"
        copy = "(d => { const t = d.createElement('textarea'); t.value = secret; d.body.append(t); t.select(); "
        copy += "return d.execCommand('copy') })"
        frame = "const f = document.createElement('iframe'); document.body.append(f); const w = f.contentWindow;"
        fights = {
            "a clipboard of a new frame": f"{secret}{frame} w.navigator.clipboard.writeText(secret)",
            "the class of a new frame": f"{secret}{frame} new w.Clipboard().writeText(secret)",
            "document.open": f"{secret} document.open(); document.write('<body>'); document.close(); {copy}(document)",
            "document.open of a new frame": f"{secret}{frame} w.Document.prototype.open.call(document);"
            f" document.write('<body>'); document.close(); {copy}(document)",
            "no preventing": f"{secret} Event.prototype.preventDefault = () => {{}};"
            f" Event.prototype.stopImmediatePropagation = () => {{}}; {copy}(document)",
            "a type of its own": f"{secret} Object.defineProperty(Event.prototype, 'type', {{ get: () => 'paste' }});"
            f" {copy}(document)",
            "the type of an end": f"{secret} Object.defineProperty(Event.prototype, 'type', {{ get: () => 'dragend' }});"
            f" {copy}(document)",
            "a word of its own": f"{secret} window.prompt = () => 'yes'; {copy}(document)",
        }
        # The same copies reach the clipboard where they may.
        for name in ("document.open", "document.open of a new frame", "no preventing", "a type of its own"):
            with self.subTest(private=name):
                clipboard.write("clipboard", "nothing yet")
                self.show("/clipboard", PRIVATE_VIEWER)
                self.driver.click(PRIVATE_VIEWER, "text")
                self.driver.script(PRIVATE_VIEWER, f"(async () => {{ {fights[name]} }})().catch(() => 0)")
                self.driver.wait(lambda: clipboard.read("clipboard", "UTF8_STRING") == SECRET, "it is copied", 10)
        clipboard.write("clipboard", "nothing yet")
        for name, source in fights.items():
            with self.subTest(fight=name):
                self.show("/clipboard")
                self.driver.click(WORK_VIEWER, "text")
                self.driver.script(WORK_VIEWER, f"(async () => {{ {source} }})().catch(() => 0)")
                self.holds_no_secret()

    def test_scripts_read_no_clipboard(self) -> None:
        clipboard.write("clipboard", "of another program")
        self.show("/clipboard")
        self.assertNotIn("of another program", self.press_button("async-read"))

    def test_a_paste_by_key_is_asked_about(self) -> None:
        self.show("/clipboard")
        self.driver.click(WORK_VIEWER, "other")
        self.driver.press(WORK_VIEWER, "v")
        self.driver.wait(lambda: self.asked("paste"), "the paste is asked about")
        self.assertEqual(self.asked("paste")[-1]["viewer"], "browser-1")

    def holds_no_secret(self) -> None:
        for target in clipboard.TEXT_TARGETS:
            self.assertNotIn(SECRET, clipboard.read("clipboard", target) or "")


class Hooks(CefCase):
    """Files, recordings, other programs."""

    def asked(self, event: str, count: int = 1) -> list[dict[str, Any]]:
        self.driver.wait(lambda: len(self.records.of(event, self._before)) >= count, f"{event} is asked about")
        return self.records.of(event, self._before)

    def test_an_upload_is_asked_about(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "file")
        record = self.asked("upload")[-1]
        self.assertEqual((record["viewer"], record["class"]), ("browser-1", "documents"))

    def test_a_recording_is_refused(self) -> None:
        self.show("/")
        said = self.driver.script(
            WORK_VIEWER, "navigator.mediaDevices.getDisplayMedia().then(() => 'records', problem => problem.name)"
        )
        self.assertEqual(self.asked("capture")[-1]["outcome"], "block")
        self.assertEqual(said, "NotAllowedError")

    def test_other_programs_are_asked_about(self) -> None:
        for element in ("written", "custom"):
            self.show("/")
            self.driver.click(WORK_VIEWER, element)
        self.driver.wait(
            lambda: {record.get("url", "").partition(":")[0] for record in self.records.all[self._before :]}
            >= {"mailto", "fabrikam-app"},
            "both schemes are asked about",
        )

    def test_the_programs_own_handlers_hear_only_of_what_may_be(self) -> None:
        self.show("/")
        allowed, refused = f"/heard-{next(numbers)}", f"/unheard-{next(numbers)}"
        self.driver.begin(WORK_VIEWER, self.site.url(refused, Host.BLOCKED))
        self.driver.wait(lambda: self.records.about(refused), "the refused page is asked about")
        self.driver.begin(WORK_VIEWER, self.site.url(allowed))
        self.driver.wait(lambda: self.site.url(allowed) in self.driver.heard(), "the program hears of the page")
        self.assertNotIn(self.site.url(refused, Host.BLOCKED), self.driver.heard())
        self.assertNotIn("is confused", self.driver.said.read_text(errors="replace"))

    def test_a_page_that_looks_like_the_notice_passes_no_other(self) -> None:
        """The notice is let through once, by its exact text: nothing passes in its place."""
        for _ in range(3):
            path = f"/refused-{next(numbers)}"
            self.driver.begin(WORK_VIEWER, self.site.url(path, Host.BLOCKED))
            self.driver.wait(lambda: "does not open here" in self.driver.title(WORK_VIEWER), "the page says why")
            self.driver.begin(WORK_VIEWER, self.site.url(path, Host.BLOCKED))
            self.driver.wait(lambda path=path: len(self.records.about(path)) >= 1, "it is asked about again")
            self.assertFalse(self.site.was_asked(path))
        self.show("/")

    def test_two_windows_show_two_accounts(self) -> None:
        path = f"/both-{next(numbers)}"
        url = self.site.url(path, Host.BLOCKED)
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.driver.begin(viewer, url)
        self.driver.wait(lambda: self.site.was_asked(path), "the private window gets it")
        self.driver.wait(lambda: self.records.about(path), "the other is refused")
        refused = {record["viewer"] for record in self.records.about(path) if record["outcome"] == "block"}
        self.assertEqual(refused, {"browser-1"})
        self.assertEqual(len(self.site.asked(path)), 1)


def cases() -> list[Any]:
    return [Clipboard, Hooks]
