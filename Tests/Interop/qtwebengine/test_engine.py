#!/usr/bin/python3
"""A real engine under the guard: the example browser clicks through a site, and the site's access log is the judge.

Nothing is shown and no network but loopback is used. Needs the Debian package python3-pyqt6.qtwebengine.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
import unittest
from typing import Any

# First, since it says where the other modules are and that nothing is to be shown.
from engine_case import PATIENCE_SECONDS, ROOT, RUNTIME, EngineCase, until  # isort: skip

import tally
from configuration import BROWSER, WORK
from PyQt6.QtCore import Qt
from PyQt6.QtWebEngineWidgets import QWebEngineView
from PyQt6.QtWidgets import QApplication
from site_log import BLOCKED_HOST, EXTERNAL_HOST
from wire import ADMIN, Wire, frame


class Navigating(EngineCase):
    def test_an_internal_link_is_followed(self) -> None:
        view = self.opened()
        self.click(view, "internal")
        self.shows(view, "/internal")
        decision = self.decided("Navigate", "/internal")
        self.assertEqual((decision["outcome"], decision["rule"], decision["identity"]), ("allow", "own", WORK))

    def test_an_external_link_opens_elsewhere(self) -> None:
        view = self.opened()
        self.click(view, "external")
        self.assertEqual(self.decided("Navigate", "/external")["outcome"], "redirect")
        self.assert_never_asked(view, "/external")
        self.assertEqual(self.reported, [f"open {BROWSER} {self.site.url('/external', EXTERNAL_HOST)}"])

    def test_a_blocked_link_shows_why(self) -> None:
        view = self.opened()
        self.click(view, "blocked")
        self.assertEqual(self.decided("Navigate", "/blocked")["reason"], "blockedByRule")
        self.shows_block(view)
        self.assertIn(f"not <{BLOCKED_HOST}>", self.script(view, "document.body.innerText"))
        self.assert_never_asked(view, "/blocked")
        self.assertEqual(self.reported, [])

    def test_each_hop_of_a_redirect_is_asked(self) -> None:
        view = self.opened()
        self.click(view, "chain")
        self.assertEqual(self.decided("Navigate", "/chain/1")["outcome"], "allow")
        self.assertEqual(self.decided("Navigate", "/chain/2")["outcome"], "allow")
        self.assertEqual(self.decided("Navigate", "/chain/end")["outcome"], "redirect")
        self.assert_never_asked(view, "/chain/end")
        self.assertTrue(self.site.was_asked("/chain/1") and self.site.was_asked("/chain/2"))
        self.assertEqual(self.reported, [f"open {BROWSER} {self.site.url('/chain/end', EXTERNAL_HOST)}"])

    def test_a_page_that_navigates_itself_is_asked_about(self) -> None:
        view = self.opened()
        for number, way in enumerate(("location.href = '{}'", "location.replace('{}')", "location.assign('{}')")):
            path = f"/self-{number}"
            self.script(view, f"void({way.format(self.site.url(path, EXTERNAL_HOST))})")
            self.assertEqual(self.decided("Navigate", path)["outcome"], "redirect")
            self.assert_never_asked(view, path)

    def test_private_life_is_free(self) -> None:
        view = self.opened("private")
        self.click(view, "external")
        self.shows(view, "/external")
        self.assertEqual(self.decided("Navigate", "/external")["reason"], "unmanaged")


class OpeningWindows(EngineCase):
    def test_an_external_new_window_is_never_opened(self) -> None:
        view = self.opened()
        for path, act in (
            ("/blank-external", lambda: self.click(view, "blank-external")),
            ("/open-external", lambda: self._window_open(view, self.site.url("/open-external", EXTERNAL_HOST))),
        ):
            self.begin(view)
            windows = len(self.browser.views)
            act()
            self.assertEqual(self.decided("Navigate", path)["outcome"], "redirect")
            self.assert_never_asked(view, path)
            self.assertEqual(len(self.browser.views), windows)

    def test_an_internal_new_window_has_its_openers_rules(self) -> None:
        view = self.opened()
        for path, act in (
            ("/blank-internal", lambda: self.click(view, "blank-internal")),
            ("/open-internal", lambda: self._window_open(view, self.site.url("/open-internal"))),
        ):
            self.begin(view)
            windows = len(self.browser.views)
            act()
            until(lambda windows=windows: len(self.browser.views) == windows + 1, "the window opens")
            popup = self.browser.views[-1]
            self.shows(popup, path)
            self.guard.heard.clear()
            self.click(popup, "external")
            decision = self.decided("Navigate", "/external")
            self.assertEqual(
                (decision["outcome"], decision["policySource"], decision["identity"]), ("redirect", "opener", WORK)
            )
            self.assert_never_asked(popup, "/external")

    def test_an_empty_window_cannot_be_led_outside(self) -> None:
        view = self.opened()
        windows = len(self.browser.views)
        url = self.site.url("/led-outside", EXTERNAL_HOST)
        self.script(view, f"void(() => {{ const w = window.open('about:blank'); w.location = '{url}' }})()")
        until(lambda: len(self.browser.views) == windows + 1, "the empty window opens")
        self.assertEqual(self.decided("Navigate", "/led-outside")["outcome"], "redirect")
        self.assert_never_asked(view, "/led-outside")

    def _window_open(self, view: QWebEngineView, url: str) -> None:
        self.script(view, f"void(window.open('{url}'))")


class CopyingAndPasting(EngineCase):
    def test_what_was_copied_at_work_stays_there(self) -> None:
        work, private = self.opened(), self.opened("private")
        text = "for contoso only"
        copied = self._copied(work)
        self.assertEqual((copied["outcome"], copied["reason"]), ("allow", "clipRecorded"))
        until(lambda: QApplication.clipboard().text() == text, "the clipboard is filled")
        record = next(r for r in self.daemon.records("decision") if r["id"] == copied["id"])
        self.assertEqual((record["event"], record["newClip"]), ("copy", copied["clip"]))
        self.assertEqual(self._heard("Copy")["length"], len(text))

        self._paste_into_empty(private)
        pasted = self.decided("Paste")
        self.assertEqual((pasted["outcome"], pasted["reason"]), ("block", "orgData"))
        self.assertEqual(self._text(private), "")

        self.guard.heard.clear()
        self._paste_into_empty(work)
        self.assertEqual(self.decided("Paste")["reason"], "sameAccount")
        until(lambda: self._text(work) == text, "the paste arrives")

    def test_private_text_may_come_to_work(self) -> None:
        work, private = self.opened(), self.opened("private")
        self.assertNotIn("clip", self._copied(private))
        self._paste_into_empty(work)
        self.assertEqual(self.decided("Paste")["reason"], "clipboardAllowed")
        until(lambda: self._text(work) == "for contoso only", "the paste arrives")

    def test_a_page_cannot_ask_in_the_scripts_place(self) -> None:
        view = self.opened("private")
        question = json.dumps({"type": "copy", "length": 1})
        for word in ("__clip__", "webviewguard", ""):
            self.assertIsNone(self.script(view, f"prompt('{word}', '{question}')"))
        self.assertEqual([heard[0] for heard in self.guard.heard if heard[0] == "Copy"], [])

    def _copied(self, view: QWebEngineView) -> dict[str, Any]:
        self._select_all(view)
        self.press(view, Qt.Key.Key_C)
        return self.decided("Copy")

    def _paste_into_empty(self, view: QWebEngineView) -> None:
        self.script(view, "document.getElementById('text').value = ''")
        self._select_all(view)
        self.press(view, Qt.Key.Key_V)
        self.decided("Paste")

    def _select_all(self, view: QWebEngineView) -> None:
        view.activateWindow()
        self.click(view, "text")
        until(lambda: self.script(view, "document.activeElement.id") == "text", "the text has the focus")
        self.press(view, Qt.Key.Key_A)
        selected = "(t => t.selectionEnd - t.selectionStart == t.value.length)(document.getElementById('text'))"
        until(lambda: self.script(view, selected), "all is selected")

    def _text(self, view: QWebEngineView) -> str:
        return self.script(view, "document.getElementById('text').value")

    def _heard(self, method: str) -> dict[str, Any]:
        return next(event for asked, event, _ in self.guard.heard if asked == method)


class Bookkeeping(EngineCase):
    def test_monitor_and_log_have_what_the_browser_was_told(self) -> None:
        with Wire(self.daemon.admin_socket) as watching:
            watching.send(frame(f"{ADMIN}.Monitor", flags={"more": True}))
            self.assertIn("parameters", watching.call(f"{ADMIN}.Status"))
            view = self.opened()
            for element in ("external", "chain", "blocked"):
                self.begin(view)
                self.click(view, element)
                self.decided("Navigate", "/chain/end" if element == "chain" else f"/{element}")
            self.shows_block(view)
            told = [decision for _, _, decision in self.guard.heard]
            watched = [reply["parameters"]["decision"] for reply in watching.replies(len(told))]
        self.assertEqual(watched, told)
        logged = [(record["id"], record["outcome"], record["reason"]) for record in self.daemon.records("decision")]
        self.assertEqual(logged, [(d["id"], d["outcome"], d["reason"]) for d in told])
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(self.daemon.verify_log().returncode, 0)


class TheProgram(EngineCase):
    def test_it_says_on_standard_output_what_opens_elsewhere(self) -> None:
        program = str(ROOT / "examples/qtwebengine/embedder.py")
        url = self.site.url("/program", EXTERNAL_HOST)
        command = [sys.executable, program, str(self.daemon.guard_socket), WORK, url]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
            try:
                self.assertTrue(select.select([running.stdout], [], [], PATIENCE_SECONDS)[0], "it says nothing")
                self.assertEqual(running.stdout.readline(), f"open {BROWSER} {url}\n")
            finally:
                running.kill()
        self.assertFalse(self.site.was_asked("/program"))


class FailingClosed(EngineCase):
    """Each of these begins with a daemon that answers, so that it is the missing answer that blocks."""

    def setUp(self) -> None:
        super().setUp()
        if not self.daemon.is_alive:
            self.daemon.start()

    def test_a_killed_daemon_blocks_everything_until_another_starts(self) -> None:
        view = self.opened()
        self.daemon.stop(signal.SIGKILL)
        self.click(view, "internal")
        self.shows_block(view)
        self.assertFalse(self.site.was_asked("/internal"))
        self.daemon.start()
        self.go(view, "/after-the-restart")
        self.click(view, "external")
        self.assertEqual(self.decided("Navigate", "/external")["outcome"], "redirect")
        self.assert_never_asked(view, "/external")

    def test_a_daemon_that_hangs_is_waited_for_no_longer_than_agreed(self) -> None:
        view = self.opened()
        os.kill(self.daemon.pid, signal.SIGSTOP)
        began = time.monotonic()
        self.click(view, "blank-internal")
        decision = self.decided("Navigate", "/blank-internal")
        waited = time.monotonic() - began
        os.kill(self.daemon.pid, signal.SIGCONT)
        self.assertEqual((decision["outcome"], "id" in decision), ("block", False))
        self.assertLess(waited, 3)
        self.assert_never_asked(view, "/blank-internal")

    def test_a_clip_is_not_pasted_without_an_answer(self) -> None:
        view = self.opened()
        QApplication.clipboard().setText("from outside")
        self.daemon.stop(signal.SIGKILL)
        self.click(view, "text")
        until(lambda: self.script(view, "document.activeElement.id") == "text", "the text has the focus")
        self.press(view, Qt.Key.Key_V)
        self.assertEqual(self.decided("Paste")["outcome"], "block")
        self.assertEqual(self.script(view, "document.getElementById('text').value"), "for contoso only")


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    app.setQuitOnLastWindowClosed(False)
    status = tally.run(unittest.defaultTestLoader.loadTestsFromModule(sys.modules["__main__"]))
    shutil.rmtree(RUNTIME, ignore_errors=True)
    # The engine's own end may crash after its pages are gone; the result is known by now.
    os._exit(status)
