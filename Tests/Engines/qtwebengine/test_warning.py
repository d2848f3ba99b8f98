"""Where the policy warns: the user says why, or it does not happen. What no longer is a mere warning when the user has said
why does not happen either."""

import signal
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from engine import WORK
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication
from rig.case import numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.policy import BrowserConfiguration
from test_clipboard import TEXT, ClipboardCase
from webviewguard import Decision

WARNED = "warn: [navigate, print, download, upload, paste]"


class WarningCase(ClipboardCase):
    """A policy that warns of everything, and a person who says why while something happens behind the dialog."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program, more=f"    {WARNED}")
        configuration.replace("policy.d/organisation.yaml", "webTransfer: managedBrowser", "webTransfer: block")
        return configuration

    def setUp(self) -> None:
        super().setUp()
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name).resolve()
        self.storage = self.directory / "own"
        self.storage.mkdir()
        self.driver.browser.embedder.transfers.own_storage = {WORK_VIEWER: (self.storage, WORK)}
        self.people = self.driver.people
        self.people.asked_why.clear()
        self.people.chosen_place, self.people.reason = str(self.directory / "chosen"), "the auditor wants it"
        self.stack = ExitStack()
        self.addCleanup(self.stack.close)

    def meanwhile(self, act: Callable[[], object]) -> None:
        """What happens while the dialog is open."""
        answered = self.people.justification

        def justification(why: str) -> str:
            act()
            return answered(why)

        self.people.justification = justification  # type: ignore[method-assign]
        self.stack.callback(setattr, self.people, "justification", answered)

    def change(self, old: str = "", new: str = "") -> None:
        configuration = self.configuration()
        if old:
            configuration.replace("policy.d/organisation.yaml", old, new)
        self.reload(configuration)

    def becomes_a_block(self) -> None:
        self.change(WARNED, "")
        self.stack.callback(self.change)

    def is_blocked(self) -> None:
        self.change(f"{{ upn: {WORK}, ", f"{{ upn: {WORK}, state: blocked, ")
        self.stack.callback(self.change)

    def is_killed(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        self.stack.callback(self.daemon.start)

    def acknowledged(self, decision: str) -> list[str]:
        return [record["outcome"] for record in self.daemon.records("acknowledged") if record["id"] == decision]

    def asked_why(self) -> None:
        self.driver.wait(lambda: self.people.asked_why, "the user is asked why", 20.0)


class TestWarning(WarningCase):
    def printed(self, reason: str) -> list[str]:
        """What the daemon was told in the end of a print that was warned about."""
        self.people.reason, self.people.chosen_place = reason, ""
        self.show("/")
        self.driver.script(WORK_VIEWER, "void(setTimeout(print, 0))")
        decision = self.driver.decided("print")
        self.assertEqual(decision.outcome, "warn")
        self.asked_why()
        self.show("/behind")
        return self.driver.wait(lambda: self.acknowledged(decision.id), "it is acknowledged")

    def test_with_a_reason_it_happens(self) -> None:
        self.assertEqual(self.printed("the auditor wants it on paper"), ["allow"])

    def test_without_one_it_does_not(self) -> None:
        self.assertEqual(self.printed(""), ["block"])


class TestWhatIsWarnedOf(WarningCase):
    """Each thing that a person can go on with: it happens while the warning stands, and never once it does not."""

    def acts(self) -> dict[str, tuple[Callable[[], None], Callable[[], bool]]]:
        """By the event: how it is done, and whether it was. A private page takes a file of the organisation, and
        a page of the organisation a private text."""
        return {
            "print": (self.prints, self.is_chosen_there),
            "download": (self.downloads, self.is_chosen_there),
            "upload": (self.uploads, self.is_uploaded),
            "paste": (self.pastes, lambda: self.text(WORK_VIEWER) == TEXT),
            "navigate": (self.sends, lambda: self.site.was_asked(self.goal)),
            "navigate to a new window": (self.opens, lambda: bool(self.driver.popups)),
        }

    def prints(self) -> None:
        self.driver.script(WORK_VIEWER, "void(setTimeout(print, 0))")

    def downloads(self) -> None:
        self.driver.click(WORK_VIEWER, "download-internal")

    def uploads(self) -> None:
        (self.storage / "plan.txt").write_text("plan")
        self.people.chosen_files = [str(self.storage / "plan.txt")]
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "file")

    def pastes(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.heard.clear()
        self.copied(PRIVATE_VIEWER)
        self.changed()
        self.paste_into_empty(WORK_VIEWER)

    def sends(self) -> None:
        self.goal = f"/warned-{next(numbers)}"
        url = self.site.url(self.goal, Host.EXTERNAL)
        self.driver.script(WORK_VIEWER, f"void(document.forms[0].action = '{url}', document.forms[0].submit())")

    def opens(self) -> None:
        self.addCleanup(self.driver.close_popups)
        self.driver.close_popups()
        self.driver.click(WORK_VIEWER, "blank-external")

    def is_chosen_there(self) -> bool:
        return (self.directory / "chosen").exists()

    def is_uploaded(self) -> bool:
        return bool(self.driver.script(PRIVATE_VIEWER, "document.getElementById('file').files.length"))

    def begin(self, event: str) -> Callable[[], bool]:
        """Does it, until the person is asked why. Returns whether it happened."""
        (self.directory / "chosen").unlink(missing_ok=True)
        self.people.asked_why.clear()
        self.show("/")
        self.driver.heard.clear()
        act, is_done = self.acts()[event]
        act()
        self.asked_why()
        return is_done

    def test_nothing_happens_that_became_a_block_meanwhile(self) -> None:
        for change in (self.becomes_a_block, self.is_blocked, self.is_killed):
            for event in self.acts():
                with self.subTest(event, change=change.__name__):
                    with self.stack:
                        self.meanwhile(change)
                        is_done = self.begin(event)
                        decision = self.warned(event)[0]
                    self.driver.wait(lambda: self.driver.guard.is_connected, "the daemon is there again")
                    self.assertFalse(is_done())
                    self.show("/behind")
                    self.assertNotIn("allow", self.acknowledged(decision.id))

    def test_it_happens_while_the_warning_stands(self) -> None:
        for event in self.acts():
            with self.subTest(event):
                is_done = self.begin(event)
                self.driver.wait(is_done, "it happens")
                self.assertEqual(self.acknowledged(self.warned(event)[0].id), ["allow"])

    def warned(self, event: str) -> list[Decision]:
        """The warnings of an event so far."""
        return [d for asked, _, d in self.driver.heard if asked == event.partition(" ")[0] and d.outcome == "warn"]

    def test_no_other_clip_is_pasted_than_the_person_was_asked_about(self) -> None:
        with self.stack:
            self.meanwhile(lambda: QApplication.clipboard().setText("came meanwhile"))
            self.begin("paste")
        self.driver.wait(lambda: self.acknowledged(self.warned("paste")[0].id), "it is acknowledged")
        self.assertEqual(self.text(WORK_VIEWER), "")

    def test_no_other_page_gets_it_than_the_person_was_asked_about(self) -> None:
        """A rule may take a page out of the organisation. One to which the first goes meanwhile gets nothing by its answer."""

        def goes_elsewhere() -> None:
            self.show("/clipboard")
            self.driver.script(WORK_VIEWER, "void (t => (t.value = '', t.focus()))(document.getElementById('text'))")

        with self.stack:
            self.meanwhile(goes_elsewhere)
            self.begin("paste")
        self.driver.wait(lambda: self.acknowledged(self.warned("paste")[0].id), "it is acknowledged")
        self.people.reason = ""
        # What comes behind the paste is there when the paste would be.
        QTest.keyClick(self.driver.target(WORK_VIEWER), Qt.Key.Key_X)
        self.driver.wait(lambda: "x" in self.text(WORK_VIEWER), "the next key has come")
        self.assertEqual(self.text(WORK_VIEWER), "x")

    def test_no_other_page_gets_a_dropped_file_either(self) -> None:
        (self.storage / "plan.txt").write_text("plan")
        page = self.driver.page(PRIVATE_VIEWER)
        for goes, may in ((lambda: None, True), (lambda: self.show("/clipboard", PRIVATE_VIEWER), False)):
            with self.subTest(may), self.stack:
                self.show("/", PRIVATE_VIEWER)
                self.people.asked_why.clear()
                self.meanwhile(goes)
                self.assertEqual(page.embedder.transfers.takes(page, [str(self.storage / "plan.txt")]), may)
                self.assertTrue(self.people.asked_why)

    def test_a_place_that_is_chosen_after_days_is_asked_about_again(self) -> None:
        """Of the first place nothing is warned. The policy changes while the dialog about the place is open."""
        place = self.people.place

        def chosen(suggestion: str) -> str:
            self.is_blocked()
            return suggestion

        self.show("/")
        self.driver.heard.clear()
        with self.stack:
            self.people.place = chosen  # type: ignore[method-assign]
            self.stack.callback(setattr, self.people, "place", place)
            self.downloads()
            asked = lambda: [d.outcome for asked, _, d in self.driver.heard if asked == "download"]  # noqa: E731
            self.driver.wait(lambda: asked() == ["allow", "block"], "it is asked about twice")
        self.show("/behind")
        self.assertEqual(list(self.storage.iterdir()), [])
