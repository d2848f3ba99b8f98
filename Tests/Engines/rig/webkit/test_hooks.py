"""What becomes of frames, popups and moves inside a page, and the notice in place of one that may not load."""

from typing import Any

from gtk_case import PRIVATE_VIEWER, STAYS, WORK_VIEWER, GtkCase
from rig.hosts import Host
from rig.policy import BrowserConfiguration

ADD_FRAME = "void document.body.append(Object.assign(document.createElement('iframe'), { src: 'URL' }))"


class Frames(GtkCase):
    """The engine does not say which frame navigates; the script in each frame does, where it can."""

    def go_and_ask(self, source: str, path: str) -> dict[str, Any]:
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
        opened = len(self.managed_browser.opened)
        record = self.go_and_ask(ADD_FRAME, "/in-a-frame")
        self.assertEqual((record.get("frame"), record["outcome"]), (None, "block"))
        self.driver.wait(lambda: self.driver.person.said, "the program is told why")
        self.assertNotEqual(self.driver.title(WORK_VIEWER), STAYS)
        self.assertEqual(len(self.managed_browser.opened), opened)

    def test_what_a_frame_may_not_show_is_offered_once(self) -> None:
        self.go_and_ask(ADD_FRAME, "/offered-frame")
        url, view = self.site.url("/offered-frame", Host.EXTERNAL), self.driver.view(WORK_VIEWER)
        self.driver.wait(lambda: self.driver.guard.get_offer(view) == url, "it is offered")
        self.assertIsNone(self.driver.guard.get_offer(self.driver.view(PRIVATE_VIEWER)))
        for _ in range(2):
            self.driver.guard.take_offer(view)
        self.driver.wait(lambda: url in self.managed_browser.opened, "the browser opens")
        self.driver.settle()
        self.assertEqual(self.managed_browser.opened.count(url), 1)
        self.go_and_ask(ADD_FRAME, "/offered-frame")
        self.driver.wait(lambda: self.driver.guard.get_offer(view) == url, "it is offered once more")
        self.show("/")
        self.assertIsNone(self.driver.guard.get_offer(view), "it goes with the page")

    def test_a_move_inside_the_page_is_no_navigation(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, "void (location.hash = 'below')")
        self.assertEqual(self.until_asked("navigate", reason="sameDocument")["outcome"], "allow")

    def test_back_and_reload_are_asked_about(self) -> None:
        self.show("/first")
        self.show("/second")
        view = self.driver.view(WORK_VIEWER)
        for act in (view.go_back, view.reload, view.go_forward):
            count = len(self.asked("navigate", frame="main"))
            act()
            self.until_asked("navigate", count + 1, frame="main")
            self.driver.settle()

    def test_private_life_is_free(self) -> None:
        self.show("/", PRIVATE_VIEWER)
        self.driver.click(PRIVATE_VIEWER, "external")
        self.driver.wait(lambda: self.driver.title(PRIVATE_VIEWER) == "/external", "the external page is shown")

    def test_loads_of_the_program_are_of_the_main_frame(self) -> None:
        self.show("/")
        for path in ("/typed-1", "/typed-2"):
            self.driver.begin(WORK_VIEWER, self.site.url(path, Host.EXTERNAL))
            record = self.until_asked("navigate", outcome="redirect", url=self.site.url(path, Host.EXTERNAL))
            self.assertEqual((record["frame"], record.get("from")), ("main", None))


class Notices(GtkCase):
    """The page in place of one that may not load."""

    def block(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "blocked")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == STAYS, "the notice is shown")

    def test_it_names_rule_and_address(self) -> None:
        self.block()
        text = self.driver.script(WORK_VIEWER, "document.body.innerText")
        for word in ("forbidden", f"{Host.BLOCKED} is a personal file-sharing site", "/blocked"):
            self.assertIn(word, text)

    def test_its_button_leads_back(self) -> None:
        self.block()
        self.driver.settle()
        self.driver.click(WORK_VIEWER, "back")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER)[:2] == "/?", "the page before is there")
        self.assertFalse(self.site.was_asked("/blocked"))

    def test_it_lets_nothing_pass_behind_it(self) -> None:
        """F2: whoever lets `the next navigation` pass for a page of his own lets the next real one pass."""
        for number in range(3):
            self.block()
            self.driver.begin(WORK_VIEWER, self.site.url(f"/behind-{number}", Host.BLOCKED))
            self.driver.wait(lambda n=number: self.records.about(f"/behind-{n}"), "it is asked about")
            self.driver.settle()
            self.assertFalse(self.site.was_asked(f"/behind-{number}"))

    def test_no_page_can_press_its_buttons(self) -> None:
        self.block()
        self.show("/")
        before = list(self.managed_browser.opened)
        for token in ("", "guess", "guess/open", "/open", "/retry"):
            link = f"Object.assign(document.createElement('a'), {{ href: 'webviewguard-notice:{token}' }})"
            self.driver.script(WORK_VIEWER, f"void {link}.click()")
        self.driver.settle()
        self.assertEqual((self.managed_browser.opened, self.driver.title(WORK_VIEWER)[:2]), (before, "/?"))

    def test_it_has_no_scripts(self) -> None:
        self.block()
        script = "Object.assign(document.createElement('script'), { text: 'document.title = 1' })"
        self.driver.script(WORK_VIEWER, f"void document.body.append({script})")
        self.assertEqual(self.driver.title(WORK_VIEWER), STAYS)


class Popups(GtkCase):
    def test_a_popup_has_its_openers_rules(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "blank-internal")
        self.driver.wait(lambda: self.driver.popups and self.driver.popups[0].is_visible, "it is shown")
        view = self.driver.popups[0].view
        self.driver.wait(lambda: view.get_title() == "/blank-internal", "its page is there")
        name = self.driver.guard.get_viewer(view)
        self.driver.evaluate(view, f"void (location.href = '{self.site.url('/from-popup', Host.EXTERNAL)}')")
        self.assertEqual(self.until_asked("navigate", viewer=name, outcome="redirect")["frame"], "main")
        self.driver.close_popups()

    def test_a_popup_that_may_not_open_is_never_seen(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, f"void window.open('{self.site.url('/unseen', Host.EXTERNAL)}')")
        self.driver.wait(lambda: self.records.about("/unseen"), "it is decided")
        self.driver.settle()
        self.assertEqual(self.driver.popups, [])
        self.assertFalse(self.site.was_asked("/unseen"))
        self.assertTrue(self.driver.person.said)


class ClosedToPopups(GtkCase):
    """A program that lets no page of a view open windows."""

    def test_a_page_gets_none_and_the_person_hears_of_it(self) -> None:
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            self.driver.guard.set_popups(self.driver.view(viewer), False)
            self.show("/", viewer)
            self.driver.click(viewer, "blank-internal")
            self.driver.wait(lambda: self.driver.person.said, "it is said")
            self.assertIn("no windows", self.driver.person.said.pop()[1])
            self.driver.settle()
            self.assertEqual(self.driver.popups, [])
            self.driver.guard.set_popups(self.driver.view(viewer), True)


class NoPopups(GtkCase):
    """An app that opens no windows."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        name = "policy.d/app-0.yaml"
        blocking = "    popups: block\n    handledSchemes"
        configuration.replace(name, "    handledSchemes", blocking)
        return configuration

    def test_even_an_internal_one_stays_closed(self) -> None:
        self.show("/")
        self.driver.click(WORK_VIEWER, "blank-internal")
        self.assertEqual(self.until_asked("navigate", reason="popupBlocked")["outcome"], "block")
        self.driver.settle()
        self.assertEqual(self.driver.popups, [])


del GtkCase
