"""The daemon is killed or stopped in the middle: the browser follows its contract, goes on ticking, and recovers."""

import itertools
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from gi.repository import GLib
from rig import judge
from rig.hosts import Host
from rig.policy import WORK, BrowserConfiguration
from webkit_case import NOTICE, SECRET, WORK_VIEWER, WebKitCase


# A window that waits for the answer does not move for all of this; no machine is so busy by itself.
ANSWER_MS = 8000


class Killed(WebKitCase):
    def block_page_says(self, reason: str) -> None:
        self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "Not opened here", "the block page is shown")
        self.assertIn(reason, self.driver.script(WORK_VIEWER, "document.body.innerText"))

    def test_everything_is_blocked_until_the_daemon_is_back(self) -> None:
        self.show("/")
        self.daemon.stop(signal.SIGKILL)
        self.driver.click(WORK_VIEWER, "internal")
        self.block_page_says("noAnswer")
        self.driver.begin(WORK_VIEWER, self.site.url("/while-it-is-away"))
        text = "document.body.innerText"
        self.driver.wait(lambda: "/while-it-is-away" in self.driver.script(WORK_VIEWER, text), "it is blocked as well")
        self.assertFalse(self.site.was_asked("/internal") or self.site.was_asked("/while-it-is-away"))
        self.daemon.start()
        self.recovers()

    def recovers(self) -> None:
        """The same windows work again, as the same accounts, without being opened anew."""
        deadline = time.monotonic() + 60
        while True:
            self.driver.begin(WORK_VIEWER, self.site.url("/back-again"))
            try:
                self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "/back-again", "the page is there", 1)
                break
            except TimeoutError:
                if time.monotonic() > deadline:
                    raise
        opened = len(self.managed_browser.opened)
        self.driver.click(WORK_VIEWER, "external")
        self.driver.wait(lambda: len(self.managed_browser.opened) == opened + 1, "the browser opens")
        record = self.records.about("/external")[-1]
        self.assertEqual((record["outcome"], record["viewer"], record["policySource"]), ("redirect", "work", "class"))
        self.assertEqual(self.driver.browser.account_of(self.work()), WORK)
        self.assertFalse(self.site.was_asked("/external"))
        self.assertNotIn(Host.EXTERNAL, self.site.asked_hosts())

    def test_nothing_is_copied_or_pasted_meanwhile(self) -> None:
        self.show("/clipboard")
        self.fill_outside("clipboard", "before")
        self.daemon.stop(signal.SIGKILL)
        self.select_all(WORK_VIEWER)
        self.driver.press(WORK_VIEWER, "c")
        self.driver.settle(0.5)
        self.assertEqual(self.read("clipboard"), "before")
        self.holds_no_secret("primary")
        self.assertEqual(self.read("primary"), NOTICE)
        self.driver.script(WORK_VIEWER, "document.getElementById('other').value = ''")
        self.focus(WORK_VIEWER, "other")
        self.driver.press(WORK_VIEWER, "v")
        self.driver.settle(0.5)
        self.assertEqual(self.value(WORK_VIEWER, "other"), "")
        self.assertEqual(self.value(WORK_VIEWER, "text"), SECRET)

    def test_what_an_explicit_rule_names_is_blocked_without_the_daemon(self) -> None:
        self.show("/")
        self.daemon.stop(signal.SIGKILL)
        for host, path in ((Host.TRACKER, "/kept"), (Host.INTERNAL, "/free")):
            self.driver.script(WORK_VIEWER, f"void (new Image().src = '{self.site.url(path, host)}')")
        self.driver.wait(lambda: self.site.was_asked("/free"), "the internal image is asked for")
        self.assertFalse(self.site.was_asked("/kept"))


class AnotherPolicy(WebKitCase):
    """The rules that the engine has are those of the policy in force."""

    def test_a_new_rule_holds_in_windows_that_are_open(self) -> None:
        self.show("/")
        self.assertTrue(self.image_arrives(0))
        rules = self.daemon.config / "rules/contoso.yaml"
        added = f"  - id: added\n    external: {{ host: {Host.EXTERNAL} }}\n    for: [resource]\n    then: block\n"
        rules.write_text(rules.read_text() + added)
        os.kill(self.daemon.pid, signal.SIGHUP)
        numbers = itertools.count(1)
        self.driver.wait(lambda: not self.image_arrives(next(numbers)), "the new rule holds")

    def image_arrives(self, number: int) -> bool:
        """Whether an external image is asked for, when one of our own that was wanted after it was."""
        for host in (Host.EXTERNAL, Host.INTERNAL):
            url = self.site.url(f"/image-{host.name.lower()}-{number}", host)
            self.driver.script(WORK_VIEWER, f"void (new Image().src = '{url}')")
        self.driver.wait(lambda: self.site.was_asked(f"/image-internal-{number}"), "the internal image is asked for")
        try:
            external = f"/image-external-{number}"
            return bool(self.driver.wait(lambda: self.site.was_asked(external), external, judge.PATIENCE_SECONDS))
        except TimeoutError:
            return False


class Unexported(WebKitCase):
    """Without exported rules, managed pages load nothing by themselves."""

    @classmethod
    def export(cls) -> list[str]:
        return ["false"]

    def test_no_page_loads_anything_but_itself(self) -> None:
        self.show("/")
        self.driver.script(WORK_VIEWER, f"void (new Image().src = '{self.site.url('/kept')}')")
        self.driver.settle()
        self.show("/behind")
        self.assertFalse(self.site.was_asked("/kept"))
        self.assertTrue(any("exported" in line for line in self.driver.person.reports))


class Stopped(WebKitCase):
    """A daemon that hangs is the worst: it accepts, and never answers."""

    @classmethod
    def configuration(cls) -> BrowserConfiguration:
        configuration = BrowserConfiguration(cls.managed_browser.program)
        contract = f"graceSeconds: 5\ncontract: {{ startMs: 20000, answerMs: {ANSWER_MS} }}\n"
        configuration.files["webviewguard.yaml"] = contract
        return configuration

    @contextmanager
    def stopped(self) -> Iterator[list[float]]:
        """The daemon is stopped meanwhile; gives the times at which the user interface ticked."""
        ticks: list[float] = []
        ticking = GLib.timeout_add(10, lambda: ticks.append(time.monotonic()) or True)
        os.kill(self.daemon.pid, signal.SIGSTOP)
        try:
            yield ticks
        finally:
            os.kill(self.daemon.pid, signal.SIGCONT)
            GLib.source_remove(ticking)

    def longest_pause(self, ticks: list[float]) -> float:
        return max(after - before for before, after in zip(ticks, ticks[1:], strict=False))

    def test_a_click_waits_for_the_contract_and_the_window_does_not(self) -> None:
        self.show("/")
        with self.stopped() as ticks:
            self.driver.click(WORK_VIEWER, "internal")
            self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == "Not opened here", "the block page is shown")
        self.assertGreater(len(ticks), 20)
        self.assertLess(self.longest_pause(ticks), ANSWER_MS / 1000)
        self.assertFalse(self.site.was_asked("/internal"))

    def test_a_copy_waits_as_well_and_only_the_page_with_it(self) -> None:
        self.show("/clipboard")
        self.fill_outside("clipboard", "before")
        self.select_all(WORK_VIEWER)
        self.driver.settle()
        with self.stopped() as ticks:
            self.driver.press(WORK_VIEWER, "c")
            self.driver.settle(1.5 * ANSWER_MS / 1000)
        self.assertLess(self.longest_pause(ticks), ANSWER_MS / 1000)
        self.assertEqual(self.read("clipboard"), "before")


del WebKitCase
