"""What the library makes of a program's own handlers."""

import os
import signal
import threading
from typing import Any

from gtk_case import PRIVATE_VIEWER, WORK_VIEWER, GtkCase
from gtk_driver import WebKit
from rig.hosts import Host


class Handlers(GtkCase):
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
        decided = [url for what, url in seen if what == "decide"]
        self.assertEqual(decided, list(map(self.site.url, ("/seen", "/seen-too"))))
        self.assertFalse(self.site.was_asked("/not-seen"))

    def test_a_handler_that_was_first_takes_no_new_window_past_the_guard(self) -> None:
        view, seen = self.own_view()
        view.load_uri(self.site.url("/"))
        self.driver.wait(lambda: view.get_title() == "/", "the page is there")
        for host, path in ((Host.EXTERNAL, "/taken-not"), (Host.INTERNAL, "/taken")):
            url = self.site.url(path, host)
            link = f"Object.assign(document.createElement('a'), {{ href: '{url}', target: '_blank' }})"
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


class Leading(GtkCase):
    """The program leads on while an earlier page comes, and the answer about the next one comes behind that."""

    answer_ms = 20000

    def test_the_next_page_is_shown(self) -> None:
        """The engine forgets a page that is still asked about when an earlier one comes."""
        for round_ in range(5):
            first, second = f"/comes-{round_}", f"/shown-{round_}"
            self.driver.begin(WORK_VIEWER, self.site.url(first))
            self.driver.wait(lambda first=first: self.site.was_asked(first), "the first is asked for")
            os.kill(self.daemon.pid, signal.SIGSTOP)
            threading.Timer(0.5, os.kill, (self.daemon.pid, signal.SIGCONT)).start()
            self.driver.begin(WORK_VIEWER, self.site.url(second))
            self.driver.wait(lambda second=second: self.driver.title(WORK_VIEWER) == second, f"`{second}` is shown", 20)

    def test_the_next_page_is_shown_while_another_process_takes_the_place(self) -> None:
        """The engine tells the old process of the next page, which is busy until it is gone: nobody asks about that page."""
        view, led = self.driver.view(PRIVATE_VIEWER), list[str]()

        def decide(_view: Any, _policy: Any, kind: Any) -> bool:
            if kind == WebKit.PolicyDecisionType.RESPONSE and led:
                view.load_uri(led.pop())
            return False

        self.addCleanup(view.disconnect, view.connect("decide-policy", decide))
        new_form = "document.body.appendChild(document.createElement('form'))"
        form = f"Object.assign({new_form}, {{{{ method: 'post', action: '{{}}' }}}}).submit()"
        for round_, leads in enumerate(("location.href = '{}'", form, form)):
            first, second = f"/swaps-{round_}", f"/behind-{round_}"
            self.show(f"/before-{round_}", PRIVATE_VIEWER)
            led[:] = [self.site.url(second)]
            busy = "for (const end = Date.now() + 1000; Date.now() < end;);"
            url = self.site.url(first, Host.EXTERNAL)
            if round_ == 2:
                url = self.site.url(f"/302?to={url}", Host.EXTERNAL)
            self.driver.evaluate(view, f"{leads.format(url)}; setTimeout(() => {{ {busy} }}, 5)")
            self.driver.wait(lambda second=second: self.driver.title(PRIVATE_VIEWER) == second, f"`{second}` is shown", 20)

    def test_a_page_that_the_program_writes_itself_stays(self) -> None:
        view, base = self.driver.view(PRIVATE_VIEWER), self.site.url("/base", Host.EXTERNAL)
        for show in (view.load_html, lambda text, url: view.load_alternate_html(text, url, None)):
            self.show("/before-own", PRIVATE_VIEWER)
            show("<title>own</title>", base)
            self.driver.wait(lambda: self.driver.title(PRIVATE_VIEWER) == "own", "it is shown")
            self.driver.settle()
            self.assertEqual(self.driver.title(PRIVATE_VIEWER), "own")
        self.assertFalse(self.site.was_asked("/base"))


del GtkCase
