"""The daemon is killed or has another policy: the views of every WebKit follow the contract, and recover."""

import itertools
import os
import signal
import time

from rig import judge
from rig.hosts import Host
from webkit_case import WORK_VIEWER, WebKitCase

AWAY = "This page cannot be opened at the moment"


class Killed(WebKitCase):
    """Nothing loads until the daemon is back."""

    def test_everything_is_blocked_until_the_daemon_is_back(self) -> None:
        self.show("/")
        self.daemon.stop(signal.SIGKILL)
        self.driver.click(WORK_VIEWER, "internal")
        self.until_notice(AWAY)
        self.driver.begin(WORK_VIEWER, self.site.url("/while-it-is-away"))
        self.until_notice("/while-it-is-away")
        self.assertFalse(self.site.was_asked("/internal") or self.site.was_asked("/while-it-is-away"))
        self.daemon.start()
        self.recovers()

    def recovers(self) -> None:
        """The same windows work again, as the same accounts, by the button of the notice."""
        deadline = time.monotonic() + 60
        while self.driver.title(WORK_VIEWER) != "/while-it-is-away":
            self.assertLess(time.monotonic(), deadline)
            if self.driver.script(WORK_VIEWER, "Boolean(document.getElementById('retry'))"):
                self.driver.click(WORK_VIEWER, "retry")
            self.driver.settle()
        opened = len(self.managed_browser.opened)
        self.driver.click(WORK_VIEWER, "external")
        self.driver.wait(lambda: len(self.managed_browser.opened) == opened + 1, "the browser opens")
        record = self.records.about("/external")[-1]
        self.assertEqual((record["outcome"], record["viewer"], record["policySource"]), ("redirect", "work", "class"))
        self.assertNotIn(Host.EXTERNAL, self.site.asked_hosts())

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
