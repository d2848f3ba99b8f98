"""An app that uses the pack carelessly, or in a way that nobody thought of: the guard holds, and the program goes on."""

import json
import tempfile
from pathlib import Path
from typing import Any

from engine import PERSONAL, WORK, QtCase
from PyQt6.QtCore import QPoint, Qt, QUrl
from PyQt6.QtTest import QTest
from PyQt6.QtWebEngineCore import QWebEngineUrlRequestInterceptor
from PyQt6.QtWebEngineWidgets import QWebEngineView
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.policy import BrowserConfiguration, warning
from webviewguard.qt import GuardedView

VIEWER = {"viewer_class": "documents"}


class CarelessCase(QtCase):
    """Steps of an app beside the windows of the example."""

    def fetched(self, path: str, viewer: str = WORK_VIEWER, host: Host = Host.BLOCKED) -> None:
        """The page asks for something by itself, and is done with that."""
        script = (
            f"void(document.documentElement.dataset.result = '',"
            f"fetch('{self.site.url(path, host)}', {{ mode: 'no-cors' }})"
            f".then(() => 'got', () => 'not').then(end => document.documentElement.dataset.result = end))"
        )
        self.driver.script(viewer, script)
        self.result(viewer)

    def assert_kept(self, path: str) -> None:
        """A request that had been let through would have come before that for the next page."""
        self.show("/behind")
        self.assertFalse(self.site.was_asked(path), f"the site was asked for {path}")


class TestHooksOfTheApp(CarelessCase):
    """What an app puts into the places in which the pack's own hooks are."""

    def test_an_interceptor_of_the_app_comes_after_ours(self) -> None:
        heard: list[str] = []

        class Own(QWebEngineUrlRequestInterceptor):
            def interceptRequest(self, info: Any) -> None:
                heard.append(info.requestUrl().path())
                if info.requestUrl().path() == "/own-block":
                    info.block(True)

        own = Own()
        profile = self.driver.browser.embedder.profiles[WORK_VIEWER]
        profile.setUrlRequestInterceptor(own)
        self.addCleanup(profile.setUrlRequestInterceptor, None)
        self.show("/")
        self.fetched("/tracked")
        self.fetched("/own-block", host=Host.INTERNAL)
        self.fetched("/own-allowed", host=Host.INTERNAL)
        self.assert_kept("/tracked")
        self.assertFalse(self.site.was_asked("/own-block"))
        self.assertTrue(self.site.was_asked("/own-allowed"))
        self.assertIn("/own-allowed", heard)
        self.assertNotIn("/tracked", heard)
        profile.setUrlRequestInterceptor(None)
        self.fetched("/tracked-again")
        self.assert_kept("/tracked-again")

    def test_a_view_of_the_app_that_makes_windows_makes_none_that_is_not_guarded(self) -> None:
        made: list[QWebEngineView] = []

        class Own(GuardedView):
            def createWindow(self, kind: Any) -> QWebEngineView:
                made.append(QWebEngineView())
                return made[-1]

        embedder = self.driver.browser.embedder
        page = embedder.open(WORK_VIEWER, "own-windows", **VIEWER)
        view = Own(page)
        view.show()
        self.addCleanup(view.close)
        page.load(QUrl(self.site.url("/own-windows")))
        self.driver.wait(lambda: page.title() == "/own-windows", "it is shown")
        for host, path in ((Host.EXTERNAL, "/popup-external"), (Host.BLOCKED, "/popup-blocked")):
            page.runJavaScript(f"void(window.open('{self.site.url(path, host)}'))")
            self.driver.decided("navigate", path)
            self.assert_kept(path)
        self.assertEqual(made, [])

    def test_a_download_that_was_refused_is_not_accepted_by_the_app(self) -> None:
        seen: list[Any] = []
        with tempfile.TemporaryDirectory(prefix="wvg-") as directory:

            def takes(item: Any) -> None:
                seen.append(item)
                item.setDownloadDirectory(directory)
                item.accept()
                item.resume()

            profile = self.driver.page(WORK_VIEWER).profile()
            profile.downloadRequested.connect(takes)
            self.addCleanup(profile.downloadRequested.disconnect, takes)
            self.show("/")
            self.driver.click(WORK_VIEWER, "download-internal")
            self.driver.wait(lambda: seen and seen[0].isFinished(), "it is over")
            self.show("/behind")
            self.assertEqual(list(Path(directory).iterdir()), [])

    def test_what_the_app_is_told_may_fail(self) -> None:
        """The app's own code runs while a hook waits for the answer: where it raises, nothing happens, and nobody ends."""

        def fails(*_: Any) -> None:
            raise ZeroDivisionError("the app's own mistake")

        embedder = self.driver.browser.embedder
        self.show("/")
        for place in (embedder.heard, embedder.people.told):
            with self.subTest("heard" if place is embedder.heard else "told"):
                place.append(fails)
                try:
                    name = "heard" if place is embedder.heard else "told"
                    before = len(self.site.asked("/tracked-" + name))
                    self.fetched("/tracked-" + name)
                    for element in ("mailto", "file", "download-internal", "blank-external", "blocked"):
                        self.driver.click(WORK_VIEWER, element)
                        QTest.qWait(100)
                finally:
                    place.remove(fails)
                self.show("/")
                self.assertEqual(len(self.site.asked("/tracked-" + name)), before)
        for path in ("/blocked", "/blank-external"):
            self.assert_kept(path)

    def test_a_failing_hearer_lets_no_clip_lie(self) -> None:
        from PyQt6.QtWidgets import QApplication

        def fails(event: str, *_: Any) -> None:
            raise ZeroDivisionError("the app's own mistake")

        self.show("/")
        self.driver.view(WORK_VIEWER).activateWindow()
        self.driver.click(WORK_VIEWER, "text")
        self.driver.press(WORK_VIEWER, "a")
        QApplication.clipboard().setText("before")
        embedder = self.driver.browser.embedder
        embedder.heard.append(fails)
        try:
            self.driver.press(WORK_VIEWER, "c")
            QTest.qWait(300)
            self.assertNotIn("contoso", QApplication.clipboard().text())
        finally:
            embedder.heard.remove(fails)


class TestPagesOfTheApp(CarelessCase):
    """Pages that the app deletes, moves, or fills itself."""

    def test_a_page_that_the_app_deleted_does_not_open_the_others(self) -> None:
        embedder = self.driver.browser.embedder
        page = embedder.open(WORK_VIEWER, "deleted", **VIEWER)
        page.load(QUrl(self.site.url("/deleted")))
        self.driver.wait(lambda: page.title() == "/deleted", "it is shown")
        page.deleteLater()
        self.driver.wait(lambda: "deleted" not in embedder.pages, "it is known to be gone")
        self.show("/")
        self.fetched("/after-deletion")
        self.assert_kept("/after-deletion")

    def test_a_view_without_its_page_loads_nothing(self) -> None:
        """The engine gives a view a page of its own as soon as somebody asks for one."""
        embedder = self.driver.browser.embedder
        url = QUrl(self.site.url("/moved", Host.BLOCKED))
        for ends in ("moved", "deleted"):
            with self.subTest(ends):
                page = embedder.open(WORK_VIEWER, ends, **VIEWER)
                first = GuardedView(page)
                first.show()
                second = None
                if ends == "moved":
                    second = GuardedView(page)
                    second.show()
                else:
                    page.deleteLater()
                    self.driver.wait(lambda: ends not in embedder.pages, "it is gone")
                image = f"<img src='{url.toString()}'>"
                for act in (
                    lambda v: v.load(url), lambda v: v.setUrl(url), lambda v: v.page().load(url), lambda v: v.reload(),
                    lambda v: v.setHtml(image), lambda v: v.setHtml(image, url),
                ):  # fmt: skip
                    act(first)
                    QTest.qWait(50)
                self.assert_kept("/moved")
                first.close()
                if second:
                    self.assertIs(second.page(), page)
                    second.load(QUrl(self.site.url("/moved-on")))
                    self.driver.wait(lambda: page.title() == "/moved-on", "the other view goes on")
                    self.assertIn("moved", embedder.pages)
                    second.close()

    def test_a_page_of_an_account_does_not_become_anothers(self) -> None:
        """Its window cannot be signed in a second time while it is there, and no name is given twice."""
        embedder = self.driver.browser.embedder
        for again in (PERSONAL, WORK):
            with self.assertRaises(ValueError):
                embedder.sign_in(WORK_VIEWER, again, **VIEWER)
        with self.assertRaises(ValueError):
            embedder.open(WORK_VIEWER, PRIVATE_VIEWER, **VIEWER)

    def test_a_document_of_the_app_is_judged_as_what_it_says_to_be(self) -> None:
        view = self.driver.view(WORK_VIEWER)
        image = f"<title>own</title><img src='{self.site.url('/own-image', Host.BLOCKED)}'><p>own"
        self.show("/")
        for base in (QUrl(), QUrl(self.site.url("/base")), QUrl(self.site.url("/base", Host.BLOCKED))):
            view.setHtml(image, base)
            self.driver.wait(lambda: not view.page().isLoading(), "it is loaded")
            QTest.qWait(100)
        self.assert_kept("/own-image")

    def test_a_popup_of_a_popup_has_the_first_ones_rules(self) -> None:
        self.show("/")
        before = set(self.driver.popups)
        self.driver.script(WORK_VIEWER, f"void(window.open('{self.site.url('/first')}'))")
        first = self.driver.wait(lambda: set(self.driver.popups) - before, "a window is open").pop()
        self.driver.shows(first, "/first")
        self.driver.script(first, f"void(window.open('{self.site.url('/second')}'))")
        second = self.driver.wait(lambda: set(self.driver.popups) - before - {first}, "another one is open").pop()
        self.driver.shows(second, "/second")
        self.driver.browser.window(first).close()
        self.fetched("/grandchild", second)
        self.driver.script(second, f"void(window.open('{self.site.url('/third', Host.BLOCKED)}'))")
        self.driver.decided("navigate", "/third")
        self.assert_kept("/grandchild")
        self.assert_kept("/third")
        self.driver.close_popups()


class TestLeavingInTheMiddle(CarelessCase):
    """While a dialog of the guard is open the account is signed out: nothing passes, and the program goes on."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return warning(cls.managed_browser.program)

    def test_a_form_that_is_warned_about(self) -> None:
        embedder, people = self.driver.browser.embedder, self.driver.people
        embedder.sign_in("leaving", WORK, **VIEWER)
        page = embedder.open("leaving", "leaving", **VIEWER)
        view = GuardedView(page)
        view.show()
        page.load(QUrl(self.site.url("/")))
        self.driver.wait(lambda: page.title() == "/" and not page.isLoading(), "it is shown")

        def leaves(why: str) -> str:
            embedder.sign_out("leaving")
            QTest.qWait(50)
            return "I must"

        people.justification, before = leaves, people.justification
        try:
            goal = self.site.url("/left", Host.EXTERNAL)
            page.runJavaScript(f"void(document.forms[0].action = '{goal}', document.forms[0].submit())")
            self.driver.wait(lambda: "leaving" not in embedder.profiles, "it is signed out")
        finally:
            people.justification = before
        self.addCleanup(view.close)
        QTest.qWait(100)
        self.assert_kept("/left")

    def test_files_that_are_chosen(self) -> None:
        embedder, people = self.driver.browser.embedder, self.driver.people
        embedder.sign_in("choosing", PERSONAL, **VIEWER)
        page = embedder.open("choosing", "choosing", **VIEWER)
        view = GuardedView(page)
        view.resize(600, 400)
        view.show()
        page.load(QUrl(self.site.url("/")))
        self.driver.wait(lambda: page.title() == "/" and not page.isLoading(), "it is shown")

        def leaves(several: bool) -> list[str]:
            view.close()
            embedder.sign_out("choosing")
            QTest.qWait(50)
            return [__file__]

        people.files, before = leaves, people.files
        try:
            where: list[str] = []
            box = "JSON.stringify((r => [r.x + 20, r.y + 8])(document.getElementById('file').getBoundingClientRect()))"
            painted = "document.documentElement.dataset.painted ? " + box + " : ''"
            self.driver.wait(lambda: page.runJavaScript(painted, where.append) or any(where), "it is painted")
            x, y = json.loads(next(filter(None, where)))
            QTest.mouseClick(view.focusProxy(), Qt.MouseButton.LeftButton, pos=QPoint(int(x), int(y)))
            self.driver.wait(lambda: "choosing" not in embedder.profiles, "it is signed out")
        finally:
            people.files = before
        QTest.qWait(100)
        self.show("/behind")
