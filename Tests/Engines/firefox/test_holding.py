"""Copy, cut and paste with real keys, and outages, in Firefox."""

import signal
from typing import Any

from browser import UUID
from test_firefox import FirefoxCase

from rig.case import numbers
from rig.clipboard import TEXT_TARGETS, display, read, write
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.judge import Judge
from rig.pages import REWRITTEN, WRITTEN_FRAMES
from rig.ways import BY_ID, Trip

SECRET = "for contoso only"


class Clipboard(FirefoxCase):
    """On an X server, so that xclip judges as any other program would."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.enterClassContext(display())
        super().setUpClass()

    def setUp(self) -> None:
        for viewer in (PRIVATE_VIEWER, WORK_VIEWER):
            self.show("/clipboard", viewer)
        write("clipboard", "before")

    def held(self, selection: str = "clipboard") -> str:
        """All that a program finds which asks for text of any kind."""
        return "\n".join(filter(None, (read(selection, target) for target in TEXT_TARGETS)))

    def press(self, viewer: str, key: str, event: str) -> dict[str, Any]:
        """Presses a key; the record of the question that came of it."""
        since = len(self.records.all)
        self.driver.press(viewer, key)
        self.driver.wait(lambda: self.records.of(event, since), f"{event} is asked")
        return self.records.of(event, since)[-1]

    def copy(self, viewer: str, key: str = "c") -> dict[str, Any]:
        self.driver.click(viewer, "text")
        self.driver.press(viewer, "a")
        record = self.press(viewer, key, "copy")
        self.driver.wait(lambda: "before" not in self.held(), "something is on the clipboard")
        return record

    def paste(self, viewer: str) -> tuple[dict[str, Any], str]:
        self.driver.click(viewer, "other")
        record = self.press(viewer, "v", "paste")
        if record["outcome"] == "allow":
            self.driver.wait(lambda: self.value(viewer, "other"), "something is pasted")
        self.driver.settle(viewer)
        return record, self.value(viewer, "other")

    def value(self, viewer: str, element: str) -> str:
        return str(self.driver.script(viewer, f"document.getElementById('{element}').value"))

    def test_managed_text_cannot_be_read_outside_and_is_pasted_inside(self) -> None:
        record = self.copy(WORK_VIEWER)
        self.assertEqual((record["outcome"], record["length"]), ("allow", len(SECRET)))
        self.assertNotIn(SECRET, self.held())
        self.assertEqual(self.paste(WORK_VIEWER)[1], SECRET)

    def test_a_cut_takes_the_text_away_once_it_may(self) -> None:
        self.assertEqual(self.copy(WORK_VIEWER, "x")["outcome"], "allow")
        self.driver.wait(lambda: self.value(WORK_VIEWER, "text") == "", "the text is cut")
        self.assertNotIn(SECRET, self.held())

    def test_managed_text_is_not_pasted_into_the_private_browser(self) -> None:
        self.copy(WORK_VIEWER)
        record, text = self.paste(PRIVATE_VIEWER)
        self.assertEqual((record["outcome"], text), ("block", ""))

    def rewrite(self, source: str) -> None:
        write("clipboard", "before")
        self.show("/clipboard")
        self.driver.script(WORK_VIEWER, f"void (() => {{ {source} }})()")

    def holds_no_secret(self) -> None:
        self.driver.wait(lambda: "before" not in self.held(), "something is on the clipboard")
        self.assertNotIn(SECRET, self.held())

    def test_a_page_that_writes_itself_anew_is_asked_as_before(self) -> None:
        there = "!document.getElementById('rich') && document.getElementById('other') !== null"
        for name, source in REWRITTEN.items():
            with self.subTest(name):
                self.rewrite(source)
                self.driver.wait(lambda: self.driver.value(WORK_VIEWER, there), "the page is another one")
                self.driver.click(WORK_VIEWER, "text")
                self.driver.press(WORK_VIEWER, "a")
                self.driver.press(WORK_VIEWER, "c")
                self.holds_no_secret()
                write("clipboard", "from elsewhere")
                since = len(self.records.all)
                self.driver.click(WORK_VIEWER, "other")
                self.driver.press(WORK_VIEWER, "v")
                pasted = lambda s=since: self.records.of("paste", s) or self.value(WORK_VIEWER, "other")  # noqa: E731
                self.driver.wait(pasted, "the paste is asked about, or happens")
                self.assertTrue(self.records.of("paste", since))

    def test_what_is_copied_in_a_frame_that_its_page_writes_cannot_be_read(self) -> None:
        for name, source in WRITTEN_FRAMES.items():
            with self.subTest(name):
                self.rewrite(source)
                self.driver.press(WORK_VIEWER, "c")
                self.holds_no_secret()

    def test_private_text_is_pasted_in_the_private_browser_and_not_into_the_managed_one(self) -> None:
        self.copy(PRIVATE_VIEWER)
        self.assertIn(SECRET, self.held())
        self.assertEqual(self.paste(PRIVATE_VIEWER)[1], SECRET)
        record, text = self.paste(WORK_VIEWER)
        self.assertEqual((record["outcome"], text), ("block", ""))

    def test_a_page_has_no_clipboard_of_its_own(self) -> None:
        self.driver.click(WORK_VIEWER, "async-write")
        self.assertEqual(self.result(), "refused: NotAllowedError")
        self.assertEqual(set(self.held().splitlines()), {"before"})


class Outages(FirefoxCase):
    """Under a closed contract nothing loads while nobody answers."""

    def test_the_daemon_is_killed_and_comes_back(self) -> None:
        self.show("/")
        viewer = self.driver.viewer(WORK_VIEWER)
        self.daemon.stop(signal.SIGKILL)
        self.driver.wait(lambda: not viewer.is_ready(), "the extension hears of it")
        internal = f"/internal-{next(numbers)}"
        self.driver.begin(WORK_VIEWER, self.site.url(internal))
        blocked = f"moz-extension://{UUID}/blocked.html"
        self.driver.wait(lambda: any(url.startswith(blocked) for url, _ in viewer.browser.tabs()), "the page says why")
        self.assertFalse(self.site.was_asked(internal))
        forbidden = Trip(BY_ID["link"], Host.BLOCKED, next(numbers))
        self.driver.begin(WORK_VIEWER, self.site.url(forbidden.goal, Host.BLOCKED))
        self.driver.settle(WORK_VIEWER)
        self.assertFalse(Judge(self.site, self.records).arrived(forbidden))
        self.daemon.start()
        self.driver.wait(viewer.is_ready, "the extension is back")
        self.show("/")
        self.driver.begin(WORK_VIEWER, self.site.url("/external", Host.EXTERNAL))
        self.driver.wait(lambda: self.managed_browser.opened, "the managed browser opens")
        self.assertFalse(self.site.was_asked("/external"))


def cases() -> list[Any]:
    return [Clipboard, Outages]
