"""The page in place of one that may not load: what it says, what its buttons do, and who cannot press them."""

import json
import signal
from typing import Any, ClassVar

from cef_case import CefCase

from rig.case import numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.policy import BrowserConfiguration, warning

WARNS, CLOSED = "Do you want to go on?", "This page does not open here"
POPUP = "popup"


class NoticeCase(CefCase):
    def shown(self, title: str, viewer: str = WORK_VIEWER) -> None:
        painted = "document.readyState === 'complete' && document.title"
        self.driver.wait(lambda: self.driver.value(viewer, painted) == title, f"the notice `{title}` is shown")

    def links(self, viewer: str = WORK_VIEWER) -> dict[str, str]:
        source = "Object.fromEntries([...document.querySelectorAll('a[id]')].map(a => [a.id, a.getAttribute('href')]))"
        found: dict[str, str] = self.driver.script(viewer, source, by_user=False)
        return found

    def acknowledged(self) -> list[tuple[str, str | None]]:
        records = self.daemon.records("acknowledged")
        return [(record["outcome"], record.get("justification")) for record in records]

    def reaches(self, element: str) -> None:
        """By the key that goes from one to the next."""

        def is_there() -> bool:
            self.driver.real_press("Tab")
            self.driver.pause()
            return bool(self.driver.value(WORK_VIEWER, "document.activeElement.id") == element)

        self.driver.wait(is_there, f"`{element}` has the keys")

    def serves(self, viewer: str = WORK_VIEWER) -> None:
        """Whatever was to come before has come: an internal page is shown."""
        self.show("/", viewer)


class Notices(NoticeCase):
    """A page that is closed for good."""

    def closed(self, path: str) -> str:
        url = self.site.url(path, Host.BLOCKED)
        self.driver.begin(WORK_VIEWER, url)
        self.shown(CLOSED)
        return url

    def test_it_says_what_and_why(self) -> None:
        self.show("/")
        url = self.closed(f"/closed-{next(numbers)}")
        text = self.driver.script(WORK_VIEWER, "document.body.innerText")
        self.assertIn(url, text)
        self.assertEqual(self.links().keys(), {"back"})
        self.assertIn("is a personal file-sharing site", text)
        self.assertEqual(self.driver.script(WORK_VIEWER, "origin"), "null")

    def test_the_user_goes_back(self) -> None:
        self.show("/")
        before = self.driver.title(WORK_VIEWER)
        self.closed(f"/closed-{next(numbers)}")
        self.driver.click(WORK_VIEWER, "back")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == before, "the page before is shown")

    def test_the_user_goes_back_by_keys(self) -> None:
        """Real ones; Escape changes nothing."""
        self.show("/")
        before = self.driver.title(WORK_VIEWER)
        self.driver.real_click(WORK_VIEWER, "text")
        self.closed(f"/closed-{next(numbers)}")
        self.driver.real_press("Escape")
        self.reaches("back")
        self.assertEqual(self.driver.title(WORK_VIEWER), CLOSED)
        self.driver.real_press("Return")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == before, "the page before is shown")

    def test_an_old_notice_has_its_buttons_when_it_is_gone_back_to(self) -> None:
        self.show("/")
        self.closed(f"/closed-{next(numbers)}")
        self.show("/")
        self.driver.script(WORK_VIEWER, "history.back()")
        self.shown(CLOSED)
        self.driver.click(WORK_VIEWER, "back")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER).startswith("/?"), "the first page is shown")

    def test_no_page_presses_its_buttons(self) -> None:
        """A link that was stolen does nothing in another window, in a frame, or without a person."""
        self.show("/")
        self.closed(f"/closed-{next(numbers)}")
        back = self.links()["back"]
        self.driver.script(WORK_VIEWER, "document.getElementById('back').click()", by_user=False)
        self.show("/", PRIVATE_VIEWER)
        before = self.driver.title(PRIVATE_VIEWER)
        frame = f"<iframe src='{back}'></iframe>"
        self.driver.script(PRIVATE_VIEWER, f"document.body.innerHTML = {json.dumps(self.stolen(back) + frame)}")
        self.driver.click(PRIVATE_VIEWER, "stolen")
        self.driver.script(PRIVATE_VIEWER, f"void(location = {json.dumps(back)})")
        self.assertEqual(self.driver.title(PRIVATE_VIEWER), before)
        self.serves(PRIVATE_VIEWER)
        self.assertEqual(self.driver.title(WORK_VIEWER), CLOSED)
        # In the same window it is no button either, once another page is there.
        self.show("/")
        self.driver.script(WORK_VIEWER, f"document.body.innerHTML = {json.dumps(self.stolen(back))}")
        before = self.driver.title(WORK_VIEWER)
        self.driver.click(WORK_VIEWER, "stolen")
        self.driver.script(WORK_VIEWER, "new Promise(done => setTimeout(done, 300))")
        self.assertEqual(self.driver.title(WORK_VIEWER), before)

    def stolen(self, link: str) -> str:
        return f"<a id=stolen href='{link}'>press</a>"

    def test_a_notice_passes_nothing_else(self) -> None:
        for _ in range(20):
            path, behind = f"/closed-{next(numbers)}", f"/behind-{next(numbers)}"
            self.closed(path)
            self.driver.begin(WORK_VIEWER, self.site.url(behind, Host.BLOCKED))
            self.driver.wait(lambda behind=behind: self.records.about(behind), "the next page is asked about")
            self.driver.begin(WORK_VIEWER, self.site.url(path, Host.BLOCKED))
            self.shown(CLOSED)
            self.assertFalse(self.site.was_asked(path) or self.site.was_asked(behind))
        self.serves()

    def test_a_page_of_its_own_text_is_asked_about(self) -> None:
        """A notice that a page writes itself, with links of its own, is a page as any other."""
        self.show("/")
        fake = "data:text/html,<title>fake</title><a id=open href=webviewguard-notice:x/open>Open</a>"
        self.driver.begin(WORK_VIEWER, fake)
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "fake", "it is shown")
        before = len(self.managed_browser.opened)
        self.driver.click(WORK_VIEWER, "open")
        self.driver.script(WORK_VIEWER, "void(location = 'webviewguard-notice:/')")
        self.driver.script(WORK_VIEWER, "void(location = 'webviewguard-notice:' + '0'.repeat(32) + '/open')")
        self.serves()
        self.assertEqual(len(self.managed_browser.opened), before)


class Warnings(NoticeCase):
    """A page that the user may go on to, for a reason. One reason opens one page, once."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        return warning(cls.managed_browser.program)

    def warned(self) -> str:
        """A page's link leads there, to a path that no test had before: the same within a second is one action."""
        path = f"/external-{next(numbers)}"
        self.show("/")
        link = f"document.getElementById('external').href = {json.dumps(self.site.url(path, Host.EXTERNAL))}"
        self.driver.script(WORK_VIEWER, link, by_user=False)
        self.driver.click(WORK_VIEWER, "external")
        self.shown(WARNS)
        return path

    def goes_on(self, reason: str, viewer: str = WORK_VIEWER) -> None:
        self.driver.write(viewer, "justification", reason)
        self.driver.click(viewer, "continue")

    def visits(self, path: str) -> int:
        return len(self.site.asked(path))

    def leads_on(self, path: str, viewer: str = WORK_VIEWER) -> None:
        self.driver.wait(lambda: self.driver.title(viewer) == path, "the page is shown")

    def test_with_a_reason_it_loads_once(self) -> None:
        path = self.warned()
        self.goes_on("the auditor & I need it: 100 % über all")
        self.leads_on(path)
        self.assertEqual(self.visits(path), 1)
        self.driver.wait(self.acknowledged, "it is acknowledged")
        self.assertEqual(self.acknowledged()[-1], ("allow", "the auditor & I need it: 100 % über all"))
        self.serves()
        self.driver.begin(WORK_VIEWER, self.site.url(path, Host.EXTERNAL))
        self.shown(WARNS)
        self.assertEqual(self.visits(path), 1)

    def test_with_a_reason_it_loads_by_keys_alone(self) -> None:
        self.show("/")
        self.driver.real_click(WORK_VIEWER, "text")
        path = self.warned()
        self.driver.real_press("Escape")
        self.reaches("justification")
        # Nothing is written yet: nothing happens.
        self.driver.real_press("Return")
        self.assertEqual(self.driver.title(WORK_VIEWER), WARNS)
        self.driver.real_press("w", "o", "r", "k", "Return")
        self.leads_on(path)
        self.assertEqual(self.visits(path), 1)
        self.assertEqual(self.acknowledged()[-1], ("allow", "work"))

    def test_without_a_reason_it_does_not(self) -> None:
        path = self.warned()
        for reason in ("", "   "):
            self.goes_on(reason)
            self.assertEqual(self.driver.title(WORK_VIEWER), WARNS)
        self.driver.click(WORK_VIEWER, "back")
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER).startswith("/?"), "the page before is shown")
        self.driver.wait(lambda: ("block", None) in self.acknowledged(), "the daemon hears that it did not happen")
        self.assertEqual(self.visits(path), 0)

    def test_a_warning_that_was_answered_is_asked_anew_when_it_is_gone_back_to(self) -> None:
        path = self.warned()
        self.goes_on("for work")
        self.leads_on(path)
        self.driver.script(WORK_VIEWER, "history.back()")
        self.shown(WARNS)
        # The old page's word is spent: what is shown is a new warning, whose buttons work.
        self.driver.wait(lambda: self.answered_anew(path), "the new warning leads on")
        self.assertEqual(self.visits(path), 2)

    def answered_anew(self, path: str) -> bool:
        if self.driver.title(WORK_VIEWER) == WARNS:
            self.goes_on("once more")
        return self.visits(path) == 2

    def test_nobody_goes_on_without_a_daemon(self) -> None:
        """Nobody hears why, and nobody knows whether it still is a mere warning."""
        path = self.warned()
        self.daemon.stop(signal.SIGKILL)
        try:
            self.goes_on("for work")
            self.driver.wait(lambda: self.driver.title(WORK_VIEWER) != WARNS, "another notice is shown")
            self.assertEqual(self.visits(path), 0)
        finally:
            self.daemon.start()

    def test_no_script_goes_on(self) -> None:
        """A form that is sent without a person, and one that another page has with the true word."""
        path = self.warned()
        target = self.driver.script(WORK_VIEWER, "document.forms[0].action", by_user=False)
        source = "document.getElementById('justification').value = 'x'; document.forms[0].submit()"
        self.driver.script(WORK_VIEWER, source, by_user=False)
        self.show("/", PRIVATE_VIEWER)
        form = f"<form action='{target}'><input name=justification value=x><button id=go>go</button></form>"
        self.driver.script(PRIVATE_VIEWER, f"document.body.innerHTML = {json.dumps(form)}")
        self.driver.click(PRIVATE_VIEWER, "go")
        # The form's navigation, which comes to nothing, takes the place of one that began before it.
        self.driver.wait(lambda: self.loads_another(PRIVATE_VIEWER), "the press is over")
        self.serves(PRIVATE_VIEWER)
        self.assertEqual(self.driver.title(WORK_VIEWER), WARNS)
        self.serves()
        self.assertEqual(self.visits(path), 0)

    def loads_another(self, viewer: str) -> bool:
        path = f"/another-{next(numbers)}"
        self.driver.begin(viewer, self.site.url(path))
        self.driver.pause()
        return self.site.was_asked(path)

    def test_who_goes_on_goes_there_only(self) -> None:
        """Each hop is a page of its own, which is warned of, or closed."""
        path = f"/302?to={self.site.url('/hop-end', Host.BLOCKED)}"
        self.show("/")
        self.driver.begin(WORK_VIEWER, self.site.url(path, Host.EXTERNAL))
        self.shown(WARNS)
        self.goes_on("for work")
        self.shown(CLOSED)
        self.assertFalse(self.site.was_asked("/hop-end"))

    def test_another_page_in_between_ends_the_pass(self) -> None:
        """The navigation of a script that runs when the user goes on does not go in the user's place.

        The press and the navigation reach the browser in either order, and what comes last is shown: the page that the user
        went on to, or a warning. In no order does the other page load, or the page twice, or a pass stay behind."""
        for _ in range(5):
            path, other = self.warned(), f"/other-{next(numbers)}"
            self.driver.write(WORK_VIEWER, "justification", "for work")
            self.driver.click(WORK_VIEWER, "continue")
            self.driver.begin(WORK_VIEWER, self.site.url(other, Host.EXTERNAL))
            self.driver.wait(lambda other=other: self.records.about(other), "the other is asked about")
            self.driver.wait(lambda path=path: self.driver.title(WORK_VIEWER) in (WARNS, path), "either is shown")
            self.serves()
            went_on = self.visits(path)
            self.assertLessEqual(went_on, 1)
            for again in (path, other):
                self.driver.begin(WORK_VIEWER, self.site.url(again, Host.EXTERNAL))
                self.warns_of(again)
            self.assertEqual((self.visits(path), self.visits(other)), (went_on, 0))

    def warns_of(self, path: str) -> None:
        text = "document.title + ' ' + document.body.innerText"
        named = lambda: str(self.driver.value(WORK_VIEWER, text))  # noqa: E731
        self.driver.wait(lambda: named().startswith(WARNS) and path in named(), f"{path} is warned of")

    def test_two_windows_do_not_share_a_warning(self) -> None:
        path = self.warned()
        self.goes_on("for work")
        self.leads_on(path)
        popup = self.site.url(path, Host.EXTERNAL)
        self.show("/")
        self.driver.script(WORK_VIEWER, f"void window.open({json.dumps(popup)})")
        self.driver.popup(POPUP)
        self.shown(WARNS, POPUP)
        self.assertEqual(self.visits(path), 1)
        self.driver.close_popups()

    def test_a_form_that_was_sent_has_no_way_on(self) -> None:
        self.show("/")
        action = self.site.url("/posted", Host.EXTERNAL)
        form = f"<form method=post action='{action}'><input name=secret value=x><button id=go>go</button></form>"
        self.driver.script(WORK_VIEWER, f"document.body.innerHTML = {json.dumps(form)}")
        self.driver.click(WORK_VIEWER, "go")
        self.shown(WARNS)
        self.assertIsNone(self.driver.script(WORK_VIEWER, "document.getElementById('continue')"))
        self.assertFalse(self.site.was_asked("/posted"))

    def test_a_new_window_shows_its_warning_itself(self) -> None:
        self.show("/")
        before = self.visits("/blank-external")
        self.driver.click(WORK_VIEWER, "blank-external")
        self.driver.popup(POPUP)
        self.shown(WARNS, POPUP)
        self.assertEqual(self.visits("/blank-external"), before)
        self.goes_on("for work", POPUP)
        self.driver.wait(lambda: self.visits("/blank-external") == before + 1, "it loads in the new window")
        self.driver.close_popups()

    def test_a_frame_that_is_warned_of_stays_empty(self) -> None:
        self.show("/")
        url = self.site.url("/framed", Host.EXTERNAL)
        self.driver.script(
            WORK_VIEWER,
            f"void document.body.append(Object.assign(document.createElement('iframe'), {{src: {json.dumps(url)}}}))",
        )
        self.driver.wait(lambda: self.records.about("/framed"), "the frame is asked about")
        self.serves()
        self.assertFalse(self.site.was_asked("/framed"))


class ChromeWarnings(Warnings):
    style = "chrome"


def cases() -> list[Any]:
    return [Notices, Warnings, ChromeWarnings]
