"""A daemon that is killed, hangs, comes back, or gets another policy: the contract holds, and nothing waits long."""

import os
import signal
import subprocess
import time
from typing import Any

from cef_case import CefCase

from daemon import PROGRAM, Daemon

from rig.case import numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.judge import Judge
from rig.ways import BY_ID, Trip

CLOSED, AWAY = "This page does not open here", "This page cannot be opened at the moment"


def reload(daemon: Daemon) -> None:
    command = [str(PROGRAM), "reload", "--wait", "--socket-dir", str(daemon.sockets)]
    done = subprocess.run(command, timeout=60, capture_output=True, text=True)
    if done.returncode:
        raise AssertionError(done.stdout + done.stderr)


class Outages(CefCase):
    """Under a closed contract nothing loads while nobody answers, in both windows."""

    answer_ms = 400

    def setUp(self) -> None:
        super().setUp()
        self.driver.wait(self.is_served, "an internal page opens")

    def is_served(self) -> bool:
        path = f"/served-{next(numbers)}"
        self.driver.begin(WORK_VIEWER, self.site.url(path))
        time.sleep(0.2)
        return self.site.was_asked(path)

    def refuses(self) -> None:
        """No page of any host is requested, from neither window, by no way."""
        for viewer in (WORK_VIEWER, PRIVATE_VIEWER):
            for host in (Host.INTERNAL, Host.EXTERNAL, Host.BLOCKED):
                path = f"/refused-{next(numbers)}"
                self.driver.begin(viewer, self.site.url(path, host))
                self.driver.wait(lambda viewer=viewer: self.driver.title(viewer) == AWAY, "the page says why")
                self.assertFalse(self.site.was_asked(path))

    def works(self) -> None:
        self.show("/")
        before = len(self.managed_browser.opened)
        external = self.site.url(f"/external-{next(numbers)}", Host.EXTERNAL)
        self.driver.begin(WORK_VIEWER, external)
        self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
        self.assertEqual(self.managed_browser.opened[before:], [external])
        judge = Judge(self.site, self.records)
        self.assertFalse(judge.arrived(self.send(judge, BY_ID["fetch"], Host.TRACKER, arrives=False)))

    def test_the_daemon_is_killed_and_comes_back(self) -> None:
        for _ in range(3):
            self.works()
            self.daemon.stop(signal.SIGKILL)
            self.refuses()
            self.daemon.start()
            self.driver.wait(self.is_served, "the daemon is found again")
        self.works()

    def test_a_daemon_that_hangs_holds_nothing_up(self) -> None:
        with self.daemon.hanging():
            began = time.monotonic()
            self.refuses()
            # Six pages, each with several questions: only the first waits for the contract's time.
            self.assertLess(time.monotonic() - began, 20)
        self.driver.wait(self.is_served, "the daemon answers again")
        self.works()

    def test_a_page_under_way_when_the_daemon_dies_is_refused(self) -> None:
        """A load that waits for its answer gets the contract's: it is neither lost nor let through."""
        self.show("/")
        os.kill(self.daemon.pid, signal.SIGSTOP)
        trip = Trip(BY_ID["fetch"], Host.TRACKER, next(numbers))
        source = f"fetch({self.site.url(trip.goal, trip.host)!r}).then(() => 'came', () => 'refused')"
        number = self.driver.tabs[WORK_VIEWER].devtools.send(
            "Runtime.evaluate", {"expression": source, "awaitPromise": True}, self.driver.tabs[WORK_VIEWER].session
        )
        self.daemon.stop(signal.SIGKILL)
        _, answer = self.driver.devtools.wait({number})
        self.assertEqual(answer["result"]["result"]["value"], "refused")
        self.assertFalse(Judge(self.site, self.records).arrived(trip))
        self.daemon.start()

    def test_a_stricter_policy_holds_for_the_next_page(self) -> None:
        rules = self.daemon.config / "rules/contoso.yaml"
        before = rules.read_text()
        self.show("/")
        try:
            rule = f'  - {{ id: closed, external: {{ host: "{Host.INTERNAL}" }}, for: [page], then: block }}'
            closed = f"rules:\n{rule}\n"
            rules.write_text(before.replace("rules:\n", closed))
            reload(self.daemon)
            path = f"/closed-{next(numbers)}"
            self.driver.begin(WORK_VIEWER, self.site.url(path))
            self.driver.wait(lambda: self.driver.title(WORK_VIEWER) == CLOSED, "the page says why")
            self.assertFalse(self.site.was_asked(path))
        finally:
            rules.write_text(before)
            reload(self.daemon)
        self.works()


def cases() -> list[Any]:
    return [Outages]
