"""What the library makes of a program's own handlers, of popups, frames, and of the notice."""

from typing import Any

from pack import WebKit
from pack_case import STAYS, WORK_VIEWER, PackCase
from rig.hosts import Host
from rig.policy import BrowserConfiguration

ADD_FRAME = "void document.body.append(Object.assign(document.createElement('iframe'), { src: 'URL' }))"


class Frames(PackCase):
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

    def test_loads_of_the_program_are_of_the_main_frame(self) -> None:
        self.show("/")
        for path in ("/typed-1", "/typed-2"):
            self.driver.begin(WORK_VIEWER, self.site.url(path, Host.EXTERNAL))
            record = self.until_asked("navigate", outcome="redirect", url=self.site.url(path, Host.EXTERNAL))
            self.assertEqual((record["frame"], record.get("from")), ("main", None))


class Notices(PackCase):
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


class Popups(PackCase):
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


class Handlers(PackCase):
    """A program's own handlers, also those that it connected before: they run when the guard has allowed it."""

    def own_view(self) -> tuple[Any, list[tuple[str, str]]]:
        """A guarded view with handlers of its own, one of which was first and takes every new window for itself."""
        view, seen = self.driver.make_view("own"), list[tuple[str, str]]()

        def decide(_view: Any, policy: Any, kind: Any) -> bool:
            if kind == WebKit.PolicyDecisionType.RESPONSE:
                return False
            seen.append(("decide", policy.get_navigation_action().get_request().get_uri()))
            if kind == WebKit.PolicyDecisionType.NEW_WINDOW_ACTION:
                seen.append(("taken", policy.get_navigation_action().get_request().get_uri()))
                policy.ignore()
                return True
            return False

        view.connect("decide-policy", decide)
        self.driver.guard.set_account("own", "work@contoso.com")
        self.assertTrue(self.driver.guard.add(view, "documents", "own"))
        view.connect("load-changed", lambda view, event: seen.append(("load", f"{event.value_nick} {view.get_uri()}")))
        return view, seen

    def test_they_see_what_is_allowed_and_nothing_else(self) -> None:
        view, seen = self.own_view()
        for host, path in ((Host.INTERNAL, "/seen"), (Host.BLOCKED, "/not-seen"), (Host.INTERNAL, "/seen-too")):
            view.load_uri(self.site.url(path, host))
            self.driver.wait(lambda path=path: self.records.about(path), f"{path} is decided")
            self.driver.settle()
        self.driver.wait(lambda: self.site.was_asked("/seen-too"), "the last is loaded")
        self.assertEqual([url for what, url in seen if what == "decide"], list(map(self.site.url, ("/seen", "/seen-too"))))
        self.assertFalse(self.site.was_asked("/not-seen"))

    def test_a_handler_that_was_first_takes_no_new_window_past_the_guard(self) -> None:
        view, seen = self.own_view()
        view.load_uri(self.site.url("/"))
        self.driver.wait(lambda: view.get_title() == "/", "the page is there")
        for host, path in ((Host.EXTERNAL, "/taken-not"), (Host.INTERNAL, "/taken")):
            link = f"Object.assign(document.createElement('a'), {{ href: '{self.site.url(path, host)}', target: '_blank' }})"
            self.driver.evaluate(view, f"void document.body.appendChild({link}).click()")
            self.driver.wait(lambda path=path: self.records.about(path), f"{path} is decided")
            self.driver.settle()
        self.assertEqual([url for what, url in seen if what == "taken"], [self.site.url("/taken")])

    def test_a_view_of_no_known_class_loads_nothing(self) -> None:
        view = self.driver.make_view("strange")
        self.assertFalse(self.driver.guard.add(view, "no-such-class", None))
        self.assertEqual(self.driver.guard.get_error(), "UnknownClass")
        view.load_uri(self.site.url("/of-no-class"))
        self.driver.settle()
        self.assertFalse(self.site.was_asked("/of-no-class"))

    def test_views_come_and_go(self) -> None:
        """Of a view that is gone nothing is left, and its name is free."""
        for _ in range(5):
            view = self.driver.make_view("passing")
            self.driver.guard.set_account("passing", "work@contoso.com")
            self.assertTrue(self.driver.guard.add(view, "documents", "passing"))
            self.assertEqual(self.driver.guard.get_viewer(view), "passing")
            view.load_uri(self.site.url("/passing"))
            self.driver.settle(0.05)
            view.emit("close")
            self.assertIsNone(self.driver.guard.get_viewer(view))
            del view


class NoPopups(PackCase):
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


del PackCase
