"""The daemon is killed, hangs, or has another policy: the views follow the contract, and recover."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

import failures
from failures import AWAY
from gi.repository import GLib
from gtk_case import NOTICE, SECRET, WORK_VIEWER, GtkCase

# A window that waits for the answer does not move for all of this; no machine is so busy by itself.
ANSWER_MS = 8000


class Killed(GtkCase, failures.Killed):
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
        self.assertEqual((self.value(WORK_VIEWER, "other"), self.value(WORK_VIEWER, "text")), ("", SECRET))


class AnotherPolicy(GtkCase, failures.AnotherPolicy):
    pass


class Stopped(GtkCase):
    """A daemon that hangs is the worst: it accepts, and never answers."""

    answer_ms = ANSWER_MS

    @contextmanager
    def stopped(self) -> Iterator[list[float]]:
        """The daemon is stopped meanwhile; gives the times at which the user interface ticked."""
        ticks: list[float] = []
        ticking = GLib.timeout_add(10, lambda: ticks.append(time.monotonic()) or True)
        try:
            with self.daemon.hanging():
                yield ticks
        finally:
            GLib.source_remove(ticking)

    def test_a_click_waits_for_the_contract_and_the_window_does_not(self) -> None:
        self.show("/")
        with self.stopped() as ticks:
            self.driver.click(WORK_VIEWER, "internal")
            self.until_notice(AWAY)
        self.assertGreater(len(ticks), 20)
        self.assertLess(self.longest_pause(ticks), ANSWER_MS / 1000)
        self.assertFalse(self.site.was_asked("/internal"))

    def longest_pause(self, ticks: list[float]) -> float:
        return max(after - before for before, after in zip(ticks, ticks[1:], strict=False))

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


del GtkCase
