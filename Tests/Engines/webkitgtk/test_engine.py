"""Navigation as this engine asks about it: frames, popups, the block page, and what the window says."""

import os
import subprocess
import sys

from rig import ROOT
from rig.hosts import Host
from rig.policy import PERSONAL, BrowserConfiguration
from rig.records import Record
from webkit_case import PRIVATE_VIEWER, WORK_VIEWER, WebKitCase
from webviewguard import Decision, OpenOffer


class Frames(WebKitCase):
    """The engine does not say which frame navigates; the script in each frame does, where it can."""

    def go_and_ask(self, source: str, path: str) -> Record:
        self.show("/")
        self.driver.script(WORK_VIEWER, source.replace("URL", self.site.url(path, Host.EXTERNAL)))
        self.driver.wait(lambda: self.records.about(path), f"{path} is decided")
        return self.records.about(path)[-1]

    def test_what_the_page_does_with_itself_is_its_main_frame(self) -> None:
        sources = "location.href = 'URL'", "location.replace('URL')", "void open('URL', '_self')"
        for number, source in enumerate(sources):
            record = self.go_and_ask(source, f"/main-{number}")
            self.assertEqual((record["frame"], record["outcome"]), ("main", "redirect"), source)

    def test_a_frame_is_stopped_and_the_page_around_it_stays(self) -> None:
        title = "a frame's page"
        frame = "Object.assign(document.createElement('iframe'), { src: 'URL' })"
        add = f'document.title = "{title}"; void document.body.append({frame})'
        record = self.go_and_ask(add, "/in-a-frame")
        self.assertEqual((record.get("frame"), record["outcome"]), (None, "block"))
        self.driver.wait(lambda: self.work().window.said, "the window says why")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == title, "the page is still there")
        self.assertEqual(self.managed_browser.opened, [])

    def test_the_window_offers_to_open_what_a_frame_may_not_show(self) -> None:
        self.test_a_frame_is_stopped_and_the_page_around_it_stays()
        opened = len(self.managed_browser.opened)
        self.work().window.press()
        self.driver.wait(lambda: len(self.managed_browser.opened) > opened, "the browser opens")
        self.assertEqual(self.managed_browser.opened.pop(), self.site.url("/in-a-frame", Host.EXTERNAL))

    def test_a_move_inside_the_page_is_no_navigation(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, "void (location.hash = 'below')")
        record = self.until_asked("navigate", reason="sameDocument")
        self.assertEqual(record["outcome"], "allow")

    def test_back_and_reload_are_asked_about(self) -> None:
        self.show("/first")
        self.show("/second")
        for act in (self.work().go_back, self.work().reload, self.work().go_forward):
            count = len(self.asked("navigate", frame="main"))
            act()
            self.until_asked("navigate", count + 1, frame="main")
            self.driver.settle()


class Popups(WebKitCase):
    def test_a_popup_has_its_openers_rules(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "blank-internal")
        self.driver.wait(lambda: self.driver.popups and self.driver.popups[0].window.get_visible(), "it is shown")
        popup = self.driver.popups[0]
        self.driver.wait(lambda: popup.view.get_title() == "/blank-internal", "its page is there")
        self.driver.evaluate(popup, f"void (location.href = '{self.site.url('/from-popup', Host.EXTERNAL)}')")
        record = self.until_asked("navigate", viewer=popup.name, outcome="redirect")
        self.assertEqual(record["frame"], "main")
        self.driver.close_popups()

    def test_a_popup_that_may_not_open_is_never_seen(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, f"void window.open('{self.site.url('/unseen', Host.EXTERNAL)}')")
        self.driver.wait(lambda: self.records.about("/unseen"), "it is decided")
        seen: list[bool] = []

        def is_gone() -> bool:
            seen.extend(popup.window.get_visible() for popup in self.driver.popups)
            return not self.driver.popups

        self.driver.wait(is_gone, "it is gone")
        self.assertNotIn(True, seen)
        self.assertFalse(self.site.was_asked("/unseen"))
        self.assertTrue(self.work().window.said)


class NoPopups(WebKitCase):
    """An app that opens no windows."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        name = "policy.d/app-0.yaml"
        blocking = "    popups: block\n    handledSchemes"
        configuration.files[name] = configuration.files[name].replace("    handledSchemes", blocking)
        return configuration

    def test_even_an_internal_one_stays_closed(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "blank-internal")
        self.assertEqual(self.until_asked("navigate", reason="popupBlocked")["outcome"], "block")
        self.driver.settle()
        self.assertEqual(self.driver.popups, [])


class BlockPages(WebKitCase):
    def block(self, element: str = "blocked") -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, element)
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "Not opened here", "the block page is shown")

    def test_it_names_rule_and_reason(self) -> None:
        self.block()
        text = self.driver.script(WORK_VIEWER, "document.body.innerText")
        for word in ("forbidden", "blockedByRule", f"{Host.BLOCKED} is a personal file-sharing site", "/blocked"):
            self.assertIn(word, text)

    def test_no_page_can_press_its_button(self) -> None:
        self.show("/")
        before = list(self.managed_browser.opened)
        for token in ("", "guess"):
            link = f"Object.assign(document.createElement('a'), {{ href: 'webviewguard-offer:{token}' }})"
            self.driver.script(WORK_VIEWER, f"void {link}.click()")
        self.driver.settle()
        self.assertEqual(self.managed_browser.opened, before)
        self.assertEqual(self.driver.title(WORK_VIEWER)[:2], "/?")

    def test_its_button_opens_one_browser_once(self) -> None:
        self.show("/")
        url = self.site.url("/offered", Host.EXTERNAL)
        offer = OpenOffer("managedBrowser", url, argv=(str(self.managed_browser.program), url))
        self.work().block_page.show(Decision("block", "external", open=offer), url)
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "Not opened here", "the block page is shown")
        for _ in range(2):
            self.driver.settle()
            self.driver.click(WORK_VIEWER, "offer")
        self.driver.wait(lambda: url in self.managed_browser.opened, "the browser opens")
        self.driver.settle()
        self.assertEqual(self.managed_browser.opened.count(url), 1)

    def test_it_has_no_scripts_and_no_channel(self) -> None:
        self.block()
        script = "Object.assign(document.createElement('script'), { text: 'document.title = 1' })"
        self.driver.script(WORK_VIEWER, f"void document.body.append({script})")
        self.assertEqual(self.driver.title(WORK_VIEWER), "Not opened here")


class OtherPrograms(WebKitCase):
    """Links of other schemes."""

    def test_a_link_that_may_leave_is_handed_off_once(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "mailto")
        self.until_asked("navigate", outcome="handOff")
        reports = self.driver.person.reports
        self.driver.wait(lambda: any("mailto:" in line for line in reports), "its handler is looked for")

    def test_one_that_may_not_is_blocked(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "custom")
        self.assertEqual(self.until_asked("navigate", reason="handOffBlocked")["outcome"], "block")

    def test_a_message_that_is_written_already_is_blocked(self) -> None:
        """US-08: it brings data to whichever program opens it."""
        self.show("/")
        self.driver.click(WORK_VIEWER, "written")
        self.assertEqual(self.until_asked("navigate", reason="shareBlocked")["outcome"], "block")

    def test_private_life_is_free(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "external")
        self.driver.wait(lambda: self.driver.title(PRIVATE_VIEWER) == "/external", "the external page is shown")


class TheProgram(WebKitCase):
    """The example as it is started from a shell."""

    def test_it_asks_about_its_first_page_and_ends_when_told(self) -> None:
        path = str(ROOT / "clients/python/src")
        command = [sys.executable, str(ROOT / "examples/webkitgtk/browser.py"), "--private", PERSONAL]
        command += ["--socket", str(self.daemon.guard_socket), "--config", str(self.daemon.config)]
        command.append(self.site.url("/program"))
        with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": path}, stderr=subprocess.DEVNULL) as program:
            try:
                self.driver.wait(lambda: len(self.site.asked("/program")) == 2, "both windows show the page", 30)
            finally:
                program.terminate()
            self.assertEqual(program.wait(timeout=30), 0)
        asked = {record["viewer"]: record["reason"] for record in self.asked("navigate")}
        self.assertEqual(asked, {"work": "internal", "private": "unmanaged"})


del WebKitCase
