"""What the browser does without an answer, and afterwards; and what the daemon wrote down."""

import signal
import subprocess
import sys

from engine import ROOT, WORK, QtCase
from PyQt6.QtWidgets import QApplication
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from shown import as_administrators_see
from started import Started
from wire import ADMIN, Wire, frame


class TestFailingClosed(QtCase):
    """Each of these begins with a daemon that answers, so that it is the missing answer that blocks."""

    def setUp(self) -> None:
        super().setUp()
        if not self.daemon.is_alive:
            self.daemon.start()
        self.driver.wait(self._answers, "the daemon answers")

    def test_a_killed_daemon_blocks_everything_until_another_starts(self) -> None:
        self.show("/")
        self.show("/", PRIVATE_VIEWER)
        self.daemon.stop(signal.SIGKILL)
        before = len(self.site.visits)
        self.driver.click(WORK_VIEWER, "blank-internal")
        self.driver.decided("navigate", "/blank-internal")
        self.driver.script(WORK_VIEWER, f"void(fetch('{self.site.url('/fetched')}'))")
        self.assertTrue(self.driver.decided("navigate", "/fetched").is_local)
        for viewer, element in ((WORK_VIEWER, "internal"), (PRIVATE_VIEWER, "external")):
            self.driver.click(viewer, element)
            self.driver.shows_block(viewer)
            self.assertIn("does not answer", self.driver.script(viewer, "document.body.innerText"))
        self.assertEqual(len(self.site.visits), before)
        self.assertEqual((self.driver.popups, self.managed_browser.opened), ([], []))

        self.daemon.start()
        self.driver.wait(self._answers, "the daemon answers again")
        self.driver.heard.clear()
        self.show("/after-the-restart")
        self.driver.click(WORK_VIEWER, "external")
        decision = self.driver.decided("navigate", "/external")
        self.assertEqual((decision.outcome, decision.identity), ("redirect", WORK))
        self.show("/behind")
        self.assertFalse(self.site.was_asked("/external"))
        self.show("/", PRIVATE_VIEWER)

    def test_a_daemon_that_hangs_is_waited_for_no_longer_than_agreed(self) -> None:
        self.show("/")
        with self.daemon.hanging():
            # It hangs until the decision is there: nobody else can have taken it.
            self.driver.click(WORK_VIEWER, "blank-internal")
            decision = self.driver.decided("navigate", "/blank-internal")
        self.assertEqual((decision.outcome, decision.is_local), ("block", True))
        self.driver.wait(self._answers, "the daemon answers again")
        self.show("/behind")
        self.assertFalse(self.site.was_asked("/blank-internal"))

    def test_a_clip_is_not_pasted_without_an_answer(self) -> None:
        self.show("/")
        QApplication.clipboard().setText("from outside")
        self.driver.click(WORK_VIEWER, "text")
        focused = "document.activeElement.id"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, focused) == "text", "the text has the focus")
        self.daemon.stop(signal.SIGKILL)
        self.driver.press(WORK_VIEWER, "v")
        self.assertEqual(self.driver.decided("paste").outcome, "block")
        value = self.driver.script(WORK_VIEWER, "document.getElementById('text').value")
        self.assertEqual(value, "for contoso only")

    def _answers(self) -> bool:
        self.driver.guard.process()
        return self.driver.guard.is_connected


class TestBookkeeping(QtCase):
    def test_monitor_and_log_have_what_the_browser_was_told(self) -> None:
        with Wire(self.daemon.admin_socket) as watching:
            watching.send(frame(f"{ADMIN}.Monitor", flags={"more": True}))
            self.assertIn("parameters", watching.call(f"{ADMIN}.Status"))
            self.driver.heard.clear()
            for element in ("external", "chain", "blocked"):
                self.show("/")
                self.driver.click(WORK_VIEWER, element)
                self.driver.decided("navigate", "/chain/end" if element == "chain" else f"/{element}")
            self.driver.shows_block()
            told = [dict(decision.raw) for _, _, decision in self.driver.heard]
            watched = [reply["parameters"]["decision"] for reply in watching.replies(len(told))]
        self.assertEqual(watched, [as_administrators_see(one, two) for one, two in zip(told, watched, strict=True)])
        logged = [(record["id"], record["outcome"], record["reason"]) for record in self.daemon.records("decision")]
        self.assertEqual(logged, [(d["id"], d["outcome"], d["reason"]) for d in told])
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.daemon.verify_log().returncode, 0)


class TestTheProgram(QtCase):
    def test_it_opens_elsewhere_what_is_not_ours(self) -> None:
        program = str(ROOT / "examples/qtwebengine/browser.py")
        url = self.site.url("/program", Host.EXTERNAL)
        command = [sys.executable, program, "--socket", str(self.daemon.guard_socket), "--work", WORK, url]
        before = len(self.managed_browser.opened)
        with Started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL):
            self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
            self.assertEqual(self.managed_browser.opened[before:], [url])
        self.assertFalse(self.site.was_asked("/program"))
