"""The pack as an embedder gets it: the browser of docs/embedding.md, warnings, daemons that lie, a reload."""

import re
import signal
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine import ROOT, WORK, QtCase, application
from fake import FakeDaemon
from PyQt6.QtTest import QTest
from rig import lies
from rig.driver import WORK_VIEWER
from rig.hosts import Host
from rig.policy import BrowserConfiguration, warning
from rig.site import Site
from started import Started
from webviewguard import notice_kind
from webviewguard.qt import MISSING, Embedder, GuardedPage, GuardedView, Notice, leave, start

sys.path.append(str(ROOT / "clients/python/tests"))

import ways  # noqa: E402

PATIENCE_SECONDS = 60.0
LIES = (ways.garbage, ways.closes_half_way, ways.dribbles, ways.never_ends)


def documented() -> str:
    """The browser of docs/embedding.md."""
    text = (ROOT / "docs/embedding.md").read_text()
    found = re.search(r"<!-- browser: [^>]*-->\n\n```python\n(.*?)```\n", text, re.DOTALL)
    assert found
    return found[1]


@contextmanager
def browsing(
    socket: str, url: str, app: str = "com.contoso.portal", account: str = WORK
) -> Iterator["subprocess.Popen[bytes]"]:
    """That browser at work, as a program of its own."""
    start = 'qt.start("com.contoso.portal")'
    program = documented()
    assert start in program
    program = program.replace(start, f"qt.start({app!r}, socket={socket!r})").replace(WORK, account)
    client = f"import sys; sys.path.insert(0, {str(ROOT / 'clients/python/src')!r})\n"
    command = [sys.executable, "-c", client + program, url]
    with Started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
        yield running


class TestTheDocumentedBrowser(QtCase):
    def test_it_is_short(self) -> None:
        self.assertLess(len([line for line in documented().splitlines() if line.strip()]), 30)

    def test_it_shows_what_is_ours_and_opens_the_rest_elsewhere(self) -> None:
        with browsing(str(self.daemon.guard_socket), self.site.url("/documented")):
            self.driver.wait(lambda: self.site.was_asked("/documented"), "the page is asked for")
        before = len(self.managed_browser.opened)
        url = self.site.url("/elsewhere", Host.EXTERNAL)
        with browsing(str(self.daemon.guard_socket), url):
            self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
        self.assertEqual(self.managed_browser.opened[before:], [url])
        self.assertFalse(self.site.was_asked("/elsewhere"))


class TestAWarnedPage(QtCase):
    """A page that the user may go on to, for a reason. One reason opens one page, once."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return warning(cls.managed_browser.program)

    def warned(self) -> None:
        self.show("/")
        self.driver.heard.clear()
        self.driver.click(WORK_VIEWER, "external")
        self.assertEqual(self.driver.decided("navigate", "/external").outcome, "warn")
        self.driver.shows_block()

    def write(self, reason: str) -> None:
        self.driver.script(WORK_VIEWER, f"void(document.getElementById('justification').value = '{reason}')")
        self.driver.click(WORK_VIEWER, "continue")

    def visits(self) -> int:
        return len(self.site.asked("/external"))

    def acknowledged(self) -> list[tuple[str, str | None]]:
        return [(record["outcome"], record.get("justification")) for record in self.daemon.records("acknowledged")]

    def test_with_a_reason_it_loads_once(self) -> None:
        self.warned()
        before = self.visits()
        self.write("the auditor & I need it: 100 %")
        self.driver.shows(WORK_VIEWER, "/external")
        self.assertEqual(self.visits(), before + 1)
        self.driver.wait(self.acknowledged, "it is acknowledged")
        self.assertEqual(self.acknowledged()[-1], ("allow", "the auditor & I need it: 100 %"))
        # The next time it is asked again.
        self.warned()
        self.show("/behind")
        self.assertEqual(self.visits(), before + 1)

    def test_without_a_reason_it_does_not(self) -> None:
        self.warned()
        before = self.visits()
        for reason in ("", "   "):
            self.write(reason)
            QTest.qWait(100)
            self.assertTrue(self.driver.page(WORK_VIEWER).shows_notice)
        self.driver.click(WORK_VIEWER, "back")
        self.driver.wait(lambda: not self.driver.page(WORK_VIEWER).shows_notice, "the page before is shown")
        self.assertEqual(self.visits(), before)

    def test_nobody_goes_on_without_a_daemon(self) -> None:
        """Nobody hears why, and nobody knows whether it still is a mere warning."""
        self.warned()
        before = self.visits()
        self.daemon.stop(signal.SIGKILL)
        try:
            self.driver.heard.clear()
            self.write("for work")
            self.assertFalse(self.driver.decided("navigate", "/external").allowed)
            self.assertEqual(self.visits(), before)
        finally:
            self.daemon.start()

    def test_what_became_a_block_meanwhile_does_not_load(self) -> None:
        """The notice of a warning may stand there for days."""
        for name, old, new in (
            ("a reload", "warn: [navigate]", "warn: [print]"),
            ("its account is blocked", f"{{ upn: {WORK}, ", f"{{ upn: {WORK}, state: blocked, "),
        ):
            with self.subTest(name):
                self.warned()
                before, warned = self.visits(), self.driver.decided("navigate", "/external")
                configuration = self.configuration()
                configuration.replace("policy.d/organisation.yaml", old, new)
                self.reload(configuration)
                try:
                    self.driver.heard.clear()
                    self.write("for work")
                    self.assertEqual(self.driver.decided("navigate", "/external").outcome, "block")
                finally:
                    self.reload(self.configuration())
                self.show("/behind")
                self.assertEqual(self.visits(), before)
                told = [record["outcome"] for record in self.daemon.records("acknowledged") if record["id"] == warned.id]
                self.assertEqual(told, ["block"])

    def test_nothing_else_passes_in_its_place(self) -> None:
        """The way that some block pages leave open: a pass for the next navigation, whatever that is."""
        self.warned()
        before = self.visits()
        page = self.driver.page(WORK_VIEWER)
        assert page.notice
        page.notice.reason, page._left = "for work", page.notice
        self.show("/internal")
        self.assertIsNone(page._left)
        self.warned()
        page._left = Notice(self.site.url("/other", Host.EXTERNAL), page.notice.decision, ())
        self.driver.script(WORK_VIEWER, f"void(location.href = '{self.site.url('/external', Host.EXTERNAL)}')")
        self.driver.wait(lambda: page._left is None, "it was asked for")
        self.show("/behind")
        self.assertEqual(self.visits(), before)


class TestAReload(QtCase):
    def test_a_stricter_policy_holds_from_the_next_navigation(self) -> None:
        self.show("/internal")
        configuration = self.configuration()
        rules = configuration.files["rules/contoso.yaml"]
        configuration.files["rules/contoso.yaml"] = rules.replace(
            f'host: "{Host.INTERNAL}" }}', "host: nobody.example }", 1
        )
        self.reload(configuration)
        before = len(self.site.asked("/internal"))
        self.driver.heard.clear()
        self.driver.begin(WORK_VIEWER, self.site.url("/internal"))
        self.assertEqual(self.driver.decided("navigate", "/internal").outcome, "redirect")
        self.driver.wait(lambda: self.managed_browser.opened, "it opens elsewhere")
        self.assertEqual(len(self.site.asked("/internal")), before)


class TestLies(unittest.TestCase):
    """Daemons that speak nonsense, break off or dribble: nothing loads, and the notice says that nobody answers."""

    def setUp(self) -> None:
        application()
        self.site = Site()
        self.addCleanup(self.site.close)

    @contextmanager
    def embedder(self, daemon: FakeDaemon) -> Iterator[tuple[Embedder, GuardedPage, GuardedView]]:
        embedder = start("com.contoso.portal", socket=str(daemon.path), on_problem=lambda _: None)
        embedder.sign_in("main", WORK, viewer_class="documents")
        page = embedder.open("main", viewer_class="documents")
        view = GuardedView(page)
        view.show()
        try:
            yield embedder, page, view
        finally:
            view.close()
            embedder.sign_out("main")
            embedder.close()

    def until(self, page: GuardedPage) -> None:
        for _ in range(int(PATIENCE_SECONDS * 100)):
            if page.shows_notice:
                return
            QTest.qWait(10)
        self.fail("no notice is shown")

    def test_nothing_loads(self) -> None:
        for lie in LIES:
            with self.subTest(lie.__name__), tempfile.TemporaryDirectory(prefix="wvg-") as directory:
                daemon = FakeDaemon(Path(directory), lie)
                self.addCleanup(daemon.close)
                with self.embedder(daemon) as (_, page, _view):
                    page.go(self.site.url("/never"))
                    self.until(page)
                    assert page.notice
                    self.assertEqual(notice_kind(page.notice.decision), "guardAway")
        self.assertFalse(self.site.was_asked("/never"))

    def test_an_answer_that_is_none_opens_nothing(self) -> None:
        """Everything is said as it should be but the answer about a page."""
        told: list[dict[str, Any]] = [{}]
        with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
            daemon = FakeDaemon(Path(directory), lies.lying(lambda: told[0]))
            self.addCleanup(daemon.close)
            with self.embedder(daemon) as (_, page, _view):
                for number, lie in enumerate(lies.LIES):
                    with self.subTest(lie=lie):
                        told[0], page.notice = lie, None
                        page.go(self.site.url(f"/lie-{number}"))
                        self.until(page)
        self.assertEqual([path for path in range(len(lies.LIES)) if self.site.was_asked(f"/lie-{path}")], [])


class TestWhatIsMissing(unittest.TestCase):
    def test_it_is_told(self) -> None:
        self.assertEqual(set(MISSING), {"resourceRedirect", "webRTC", "navigationBody", "middleClick", "asyncClipboard"})
        self.assertTrue(callable(leave))

    def test_without_a_binding_the_import_says_what_is_needed(self) -> None:
        """Also where only Qt 5.15 is there."""
        hide = (
            "import importlib.util as u\nold = u.find_spec\n"
            "u.find_spec = lambda name, *more: old('json') if name in {present} else None"
        )
        cases = (("[]", "needs PyQt6 or PySide6"), ("['PyQt5']", "needs Qt 6: QtWebEngine 5.15 shows WebSockets"))
        for present, said in cases:
            with self.subTest(present):
                source = f"{hide.format(present=present)}\nimport webviewguard.qt"
                environment = {"PYTHONPATH": str(ROOT / "clients/python/src")}
                command = [sys.executable, "-c", source]
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                self.assertIn(said, done.stderr)
