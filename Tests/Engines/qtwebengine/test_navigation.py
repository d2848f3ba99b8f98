"""Where pages may lead, and the windows that they open."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine import WORK, QtCase
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.policy import BrowserConfiguration
from rig.ways import SCHEMES

# Put first, since the first rule that matches decides.
FORBIDDEN_FILES = f"""\
rules:
  - id: forbidden-files
    external: {{ host: "{Host.INTERNAL}", regex: "^http://[^/]+/file/forbidden" }}
    for: [page, download]
    then: block
"""


@contextmanager
def handler(scheme: str, program: Path) -> Iterator[None]:
    """A desktop on which a program opens a scheme."""
    before = os.environ.get("XDG_DATA_HOME")
    with tempfile.TemporaryDirectory(prefix="wvg-") as home:
        applications = Path(home) / "applications"
        applications.mkdir()
        exec_line = f"Exec='{program}' %u"
        (applications / "mail.desktop").write_text(f"[Desktop Entry]\nType=Application\nName=Mail\n{exec_line}\n")
        (applications / "mimeapps.list").write_text(
            f"[Default Applications]\nx-scheme-handler/{scheme}=mail.desktop;\n"
        )
        os.environ["XDG_DATA_HOME"] = home
        try:
            yield
        finally:
            os.environ.pop("XDG_DATA_HOME")
            if before is not None:
                os.environ["XDG_DATA_HOME"] = before


class TestNavigating(QtCase):
    def test_an_internal_link_is_followed(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "internal")
        self.driver.shows(WORK_VIEWER, "/internal")
        decision = self.driver.decided("navigate", "/internal")
        self.assertEqual((decision.outcome, decision.rule, decision.identity), ("allow", "own", WORK))

    def test_an_external_link_opens_elsewhere(self) -> None:
        self.show("/")
        before = len(self.managed_browser.opened)
        self.driver.click(WORK_VIEWER, "external")
        self.assertEqual(self.driver.decided("navigate", "/external").outcome, "redirect")
        self.opens(before, "/external")
        self.assert_never_asked("/external")
        self.assertEqual(self.driver.people.lines, ["Opened in managed-browser"])

    def test_a_blocked_link_shows_why(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "blocked")
        self.assertEqual(self.driver.decided("navigate", "/blocked").reason, "blockedByRule")
        self.driver.shows_block()
        said = self.driver.script(WORK_VIEWER, "document.body.innerText")
        for text in (f"{Host.BLOCKED} is a personal file-sharing site", "forbidden (contoso)", "Code"):
            self.assertIn(text, said)
        self.assertEqual(self.driver.browser.window("work").address.text(), self.site.url("/blocked", Host.BLOCKED))
        self.assert_never_asked("/blocked")

    def test_each_hop_of_a_redirect_is_asked(self) -> None:
        self.show("/")
        before = len(self.managed_browser.opened)
        self.driver.click(WORK_VIEWER, "chain")
        self.assertEqual(self.driver.decided("navigate", "/chain/end").outcome, "redirect")
        asked = [d for event, about, d in self.driver.heard if event == "navigate" and "302?to" in about["url"]]
        self.assertEqual([d.outcome for d in asked], ["allow"])
        self.opens(before, "/chain/end")
        self.assert_never_asked("/chain/end")
        self.assertTrue(self.site.was_asked("/chain") and self.site.was_asked("/302"))

    def test_a_page_that_navigates_itself_is_asked_about(self) -> None:
        self.show("/")
        for number, way in enumerate(("location.href = '{}'", "location.replace('{}')", "location.assign('{}')")):
            path = f"/self-{number}"
            self.driver.script(WORK_VIEWER, f"void({way.format(self.site.url(path, Host.EXTERNAL))})")
            self.assertEqual(self.driver.decided("navigate", path).outcome, "redirect")
            self.assert_never_asked(path)

    def test_private_life_is_free(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "external")
        self.driver.shows(PRIVATE_VIEWER, "/external")
        self.assertEqual(self.driver.decided("navigate", "/external").reason, "unmanaged")

    def test_a_link_to_another_program_is_handed_off_once(self) -> None:
        url = SCHEMES["mailto"]
        with handler("mailto", self.managed_browser.program):
            before = len(self.managed_browser.opened)
            self.show("/")
            self.driver.click(WORK_VIEWER, "mailto")
            self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the program starts")
        self.assertEqual([d.outcome for d in self._about(url)], ["handOff"])
        self.assertEqual(self.managed_browser.opened[before:], [url])

    def test_a_link_that_may_not_leave_stays(self) -> None:
        self._stays("custom", "fabrikam-app", "handOffBlocked")

    def test_a_message_that_is_written_already_stays(self) -> None:
        """US-08: it brings data to whichever program opens it."""
        self._stays("written", "mailto", "shareBlocked")

    def _stays(self, element: str, scheme: str, reason: str) -> None:
        url = SCHEMES[element]
        with handler(scheme, self.managed_browser.program):
            before = len(self.managed_browser.opened)
            self.show("/")
            self.driver.click(WORK_VIEWER, element)
            self.driver.wait(lambda: self._about(url), "the link is asked about")
            self.show("/behind")
        self.assertEqual([d.reason for d in self._about(url)], [reason])
        self.assertEqual(len(self.managed_browser.opened), before)

    def _about(self, url: str) -> list:
        return [d for event, about, d in self.driver.heard if event == "navigate" and about["url"] == url]

    def opens(self, before: int, path: str) -> None:
        self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
        self.assertEqual(self.managed_browser.opened[before:], [self.site.url(path, Host.EXTERNAL)])

    def assert_never_asked(self, path: str) -> None:
        """A request that had been let through would have come before that for the next page."""
        self.show("/behind")
        self.assertFalse(self.site.was_asked(path), f"the site was asked for {path}")


class TestDownloadLinks(QtCase):
    """A link with `download` to the page's own host, which the engine does not ask the page about."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        rules = configuration.files["rules/contoso.yaml"]
        configuration.files["rules/contoso.yaml"] = rules.replace("rules:\n", FORBIDDEN_FILES, 1)
        return configuration

    def test_a_rule_about_its_path_is_kept(self) -> None:
        self.show("/")
        for name, arrives in (("plan", True), ("forbidden", False)):
            link = f"Object.assign(document.createElement('a'), {{ href: '/file/{name}.bin', download: '' }})"
            self.driver.script(WORK_VIEWER, f"void({link}.click())")
            self.assertEqual(self.driver.decided("navigate", f"/file/{name}.bin").allowed, arrives)
            if arrives:
                self.driver.wait(lambda: self.site.was_asked("/file/plan.bin"), "the file is asked for")
        self.show("/behind")
        self.assertFalse(self.site.was_asked("/file/forbidden.bin"))


class TestTheNotice(QtCase):
    """The page in place of a blocked one. Its buttons are links that only it knows."""

    def test_its_way_back_leads_back(self) -> None:
        self.show("/")
        before = self.driver.title(WORK_VIEWER)
        self.driver.click(WORK_VIEWER, "blocked")
        self.driver.shows_block()
        self.driver.click(WORK_VIEWER, "back")
        self.driver.shows(WORK_VIEWER, before)

    def test_its_buttons_are_reached_and_pressed_by_keys(self) -> None:
        self.show("/")
        before = self.driver.title(WORK_VIEWER)
        self.driver.click(WORK_VIEWER, "blocked")
        self.driver.shows_block()
        self.driver.view(WORK_VIEWER).activateWindow()
        self.driver.view(WORK_VIEWER).setFocus()
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, "document.hasFocus()"), "it has the focus", 10)
        focused, seen = "document.activeElement.id || ''", []
        for _ in range(8):
            QTest.keyClick(self.driver.target(WORK_VIEWER), Qt.Key.Key_Tab)
            self.driver.wait(lambda: self.driver.script(WORK_VIEWER, focused) not in seen[-1:], "the focus moves on")
            seen.append(self.driver.script(WORK_VIEWER, focused))
            if seen[-1] == "back":
                break
        self.assertEqual(seen[-1], "back", seen)
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        self.assertNotEqual(self.driver.script(WORK_VIEWER, outline), "none", "the focus is seen")
        QTest.keyClick(self.driver.target(WORK_VIEWER), Qt.Key.Key_Escape)
        self.assertTrue(self.driver.page(WORK_VIEWER).shows_notice, "Escape leaves the notice as it is")
        QTest.keyClick(self.driver.target(WORK_VIEWER), Qt.Key.Key_Return)
        self.driver.shows(WORK_VIEWER, before)

    def test_a_program_that_is_not_there_is_told_and_not_offered(self) -> None:
        self.managed_browser.program.chmod(0o644)
        self.addCleanup(self.managed_browser.program.chmod, 0o755)
        self.show("/")
        self.driver.click(WORK_VIEWER, "external")
        self.driver.shows_block()
        self.assertIn("that is not installed", self.driver.script(WORK_VIEWER, "document.body.innerText"))
        buttons = "JSON.stringify(Array.from(document.querySelectorAll('nav a'), button => button.id))"
        self.assertEqual(self.driver.script(WORK_VIEWER, buttons), '["back"]')

    def test_its_offer_opens_the_managed_browser_once(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "external")
        decision = self.driver.decided("navigate", "/external")
        page = self.driver.page(WORK_VIEWER)
        page.embedder.show_notice(page, decision, self.site.url("/external", Host.EXTERNAL))
        self.driver.shows_block()
        before = len(self.managed_browser.opened)
        link = self.driver.script(WORK_VIEWER, "document.getElementById('open').href")
        self.driver.click(WORK_VIEWER, "open")
        self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
        self.driver.script(WORK_VIEWER, f"void(location.href = '{link}')")
        self.show("/")
        self.driver.script(WORK_VIEWER, f"void(location.href = '{link}')")
        self.show("/behind")
        self.assertEqual(len(self.managed_browser.opened), before + 1)

    def test_a_frame_that_may_not_load_is_offered_beside_the_page(self) -> None:
        self.show("/")
        url = self.site.url("/in-a-frame", Host.EXTERNAL)
        script = f"document.body.appendChild(Object.assign(document.createElement('iframe'), {{ src: '{url}' }}))"
        self.driver.script(WORK_VIEWER, f"void({script})")
        self.driver.wait(lambda: self.driver.people.offered, "it is offered")
        before = len(self.managed_browser.opened)
        self.driver.browser.window(WORK_VIEWER).offer.click()
        self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
        self.assertEqual(self.managed_browser.opened[before:], [url])
        self.assertFalse(self.site.was_asked("/in-a-frame"))

    def test_a_page_cannot_press_its_buttons(self) -> None:
        self.show("/")
        for token in ("", "x", "open"):
            self.driver.script(WORK_VIEWER, f"void(location.href = 'x-webviewguard-notice:{token}/open')")
        before = len(self.managed_browser.opened)
        self.show("/behind")
        self.assertEqual(len(self.managed_browser.opened), before)


class TestOpeningWindows(QtCase):
    def test_an_external_new_window_is_never_opened(self) -> None:
        for path, act in (
            ("/blank-external", lambda: self.driver.click(WORK_VIEWER, "blank-external")),
            ("/open-external", lambda: self._window_open(self.site.url("/open-external", Host.EXTERNAL))),
        ):
            self.show("/")
            act()
            self.assertEqual(self.driver.decided("navigate", path).outcome, "redirect")
            self.show("/behind")
            self.assertFalse(self.site.was_asked(path))
            self.assertEqual(self.driver.popups, [])

    def test_an_internal_new_window_has_its_openers_rules(self) -> None:
        for path, act in (
            ("/blank-internal", lambda: self.driver.click(WORK_VIEWER, "blank-internal")),
            ("/open-internal", lambda: self._window_open(self.site.url("/open-internal"))),
        ):
            self.show("/")
            act()
            self.driver.wait(lambda: self.driver.popups, "the window opens")
            popup = self.driver.popups[0]
            self.driver.shows(popup, path)
            self.driver.heard.clear()
            self.driver.click(popup, "external")
            decision = self.driver.decided("navigate", "/external")
            self.assertEqual(
                (decision.outcome, decision.policy_source, decision.identity), ("redirect", "opener", WORK)
            )
            self.show("/behind")
            self.assertFalse(self.site.was_asked("/external"))
            self.driver.close_popups()

    def test_an_empty_window_cannot_be_led_outside(self) -> None:
        self.show("/")
        url = self.site.url("/led-outside", Host.EXTERNAL)
        script = f"void(() => {{ const w = window.open('about:blank'); w.location = '{url}' }})()"
        self.driver.script(WORK_VIEWER, script)
        self.driver.wait(lambda: self.driver.popups, "the empty window opens")
        self.assertEqual(self.driver.decided("navigate", "/led-outside").outcome, "redirect")
        self.show("/behind")
        self.assertFalse(self.site.was_asked("/led-outside"))

    def tearDown(self) -> None:
        self.driver.close_popups()

    def _window_open(self, url: str) -> None:
        self.driver.script(WORK_VIEWER, f"void(window.open('{url}'))")
