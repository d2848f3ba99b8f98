"""Which frame navigates, which the engine does not say: a page without frames says that it is alone, and where a frame has been
the scripts in all of them tell of each navigation."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from gtk_case import GtkCase
from hidings import HIDINGS, adding
from rig.driver import WORK_VIEWER
from rig.hosts import Host
from rig.site import Reply


class Frames(GtkCase):
    def view(self, name: str) -> Any:
        """A guarded view of its own, in which no page had a frame yet."""
        view = self.driver.make_view(name)
        self.driver.guard.set_account(name, "work@contoso.com")
        self.assertTrue(self.driver.guard.add(view, "documents", name))
        self.load(view, f"/{name}")
        return view

    def load(self, view: Any, path: str) -> None:
        view.load_uri(self.site.url(path))
        self.driver.wait(lambda: view.get_title() == path and not view.is_loading(), f"`{path}` is there")

    def kind(self, path: str) -> str:
        self.driver.wait(lambda: self.records.about(path), f"`{path}` is decided")
        (record,) = self.records.about(path)
        return str(record.get("frame", "unknown"))

    def lead(self, view: Any, script: str) -> None:
        self.driver.evaluate(view, f"(() => {{ {script} }})()")

    def test_a_page_without_frames_is_known(self) -> None:
        view = self.view("alone")
        ways = {
            "/alone-href": "location.href = '{}'",
            "/alone-form": "Object.assign(document.body.appendChild(document.createElement('form')), { action: '{}' }).submit()",
            "/alone-refresh": "document.head.innerHTML += `<meta http-equiv=refresh content='0;url={}'>`",
        }
        self.lead(view, "document.head.innerHTML += '<meta name=referrer content=no-referrer>'")
        shown = "/alone"
        for path, script in ways.items():
            with self.subTest(path):
                self.lead(view, script.replace("{}", path))
                self.assertEqual(self.kind(path), "main")
                self.assertEqual(self.records.about(path)[-1]["from"], self.site.url(shown))
                shown = path
                self.driver.wait(lambda path=path: view.get_title() == path, f"`{path}` is shown")

    def test_a_frame_is_never_taken_for_its_page(self) -> None:
        for number, (name, hides) in enumerate(HIDINGS.items()):
            with self.subTest(name):
                view, path = self.view(f"hides-{number}"), f"/hidden-{number}"
                self.driver.evaluate(view, adding(path, hides))
                self.assertEqual(self.kind(path), "unknown")

    def test_a_hidden_frame_is_not_the_source_of_a_hop_of_its_page(self) -> None:
        """The first frame in a closed shadow is taken for the page. A rule may let in what comes from its URL."""
        hides = "host.attachShadow({ mode: 'closed' }).append(frame)"
        for name, is_under_way in (("behind", True), ("beside", False)):
            with self.subTest(name), self.holding("/held") as held:
                view, goal = self.view(f"hops-{name}"), self.site.url(f"/goal-{name}")
                leads = f"location.href = '/held?to={goal}';"
                if is_under_way:
                    self.lead(view, leads)
                    self.driver.wait(lambda: self.site.was_asked("/held"), "the page is under way")
                self.driver.evaluate(view, f"void {adding(f'/source-{name}', hides, '' if is_under_way else leads)}")
                self.assertIn(self.kind(f"/source-{name}"), ("main", "unknown"))
                self.driver.wait(lambda name=name: self.site.was_asked(f"/source-{name}"), "the frame loads")
                held.set()
                self.kind(f"/goal-{name}")
                (record,) = self.records.about(f"/goal-{name}")
                self.assertEqual((record["frame"], record["hop"]), ("main", True))
                self.assertNotIn("/source-", record.get("from", ""))
                if is_under_way:
                    self.assertIn("/held", record["from"])

    @contextmanager
    def holding(self, path: str) -> Iterator[threading.Event]:
        """The site redirects a path to its query when the event is set."""
        held, reply = threading.Event(), self.site.reply

        def answer(asked: str, query: str) -> Reply:
            if asked != path:
                return reply(asked, query)
            held.wait(60)
            return reply("/302", query)

        with mock.patch.object(self.site, "reply", answer):
            yield held
            held.set()

    def test_where_a_frame_has_been_all_navigations_are_told(self) -> None:
        view = self.view("framed")
        for round_ in range(2):
            inner, second, beside = f"/inner-{round_}", f"/second-{round_}", f"/beside-{round_}"
            self.lead(view, f"document.body.innerHTML = `<iframe name=inner src='{inner}'></iframe>`")
            self.assertEqual(self.kind(inner), "unknown")
            title = "window.inner?.document.title"
            self.driver.wait(lambda inner=inner: self.driver.evaluate(view, title) == inner, "the frame is there")
            self.driver.settle()
            if round_:
                self.lead(view, f"inner.location = '{second}'")
                self.assertEqual(self.kind(second), "sub")
            self.lead(view, f"location = '{beside}'")
            self.assertEqual(self.kind(beside), "main")
            self.driver.wait(lambda beside=beside: view.get_title() == beside, f"`{beside}` is shown")

    def test_marks_of_a_page_wait_for_nobody(self) -> None:
        view = self.view("marks")
        self.lead(view, "history.pushState(null, '', '/marks-pushed'); for (let n = 0; n < 20; n++) location.hash = n")
        self.driver.wait(lambda: len(self.records.about("/marks-pushed")) >= 20, "each is decided")
        self.assertEqual(self.driver.evaluate(view, "location.hash"), "#19")

    def test_a_page_of_another_window_is_not_taken_for_the_one_that_is_shown(self) -> None:
        """A rule may let in what comes from the page of the popup, which leads nowhere here."""
        self.show("/opener")
        view, popup = self.driver.view(WORK_VIEWER), self.site.url("/in-popup", Host.LOGIN)
        self.driver.evaluate(view, f"void (window.opened = open({popup!r}))")
        self.driver.wait(lambda: self.driver.popups and self.driver.popups[0].view.get_title() == "/in-popup", "the popup is there")
        self.driver.evaluate(view, f"void (opened.location = {self.site.url('/led-popup')!r})")
        self.assertEqual(self.kind("/led-popup"), "main")
        (record,) = self.records.about("/led-popup")
        self.assertTrue(record["from"].startswith(self.site.url("/opener")), record["from"])


del GtkCase
