"""The host is killed, the daemon is killed: the contract holds, and everything works again afterwards."""

import os
import signal
from pathlib import Path
from typing import Any

from rig.case import numbers
from rig.driver import PRIVATE_VIEWER, WORK_VIEWER
from rig.hosts import Host
from rig.judge import Judge
from rig.ways import BY_ID, Trip
from test_ways import ChromiumCase


class Outages(ChromiumCase):
    """Under a closed contract nothing loads while nobody answers, and nothing that a rule names even then."""

    answer_ms = 400

    def setUp(self) -> None:
        if not self.daemon.is_alive:
            self.daemon.start()
        self.driver.wait(self.standing, "the extension is at work")

    def standing(self) -> bool:
        state = self.driver.viewer(WORK_VIEWER).status()
        return bool(state and state["standing"]["isConnected"])

    def explained(self) -> str:
        """The text of the page that stands in for a refused one."""
        shown = "document.documentElement.dataset.shown"
        self.driver.wait(lambda: self.driver.value(WORK_VIEWER, shown) == "block", "the page says why")
        return str(self.driver.script(WORK_VIEWER, "document.body.innerText"))

    def hosts(self) -> list[int]:
        """The native hosts of this test's daemon, by their command line."""
        wanted = str(self.daemon.sockets).encode()
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                words = command_line(entry)
                if b"native-messaging" in words and wanted in words:
                    found.append(int(entry.name))
        return found

    def refuses(self) -> None:
        """An internal page is refused by the contract; a forbidden one never leaves the browser."""
        internal = self.site.url(f"/internal-{next(numbers)}")
        self.driver.begin(WORK_VIEWER, internal)
        text = self.explained()
        self.assertIn("noAnswer", text)
        self.assertIn(internal, text)
        judge = Judge(self.site, self.records)
        forbidden = Trip(BY_ID["link"], Host.BLOCKED, next(numbers))
        self.driver.begin(WORK_VIEWER, self.site.url(forbidden.goal, Host.BLOCKED))
        self.driver.settle(WORK_VIEWER)
        self.assertFalse(judge.arrived(forbidden))

    def works(self) -> None:
        """As before: internal pages load, and external ones open elsewhere, under the same account."""
        self.show("/")
        before = len(self.managed_browser.opened)
        external = self.site.url(f"/external-{next(numbers)}", Host.EXTERNAL)
        self.driver.begin(WORK_VIEWER, external)
        self.driver.wait(lambda: len(self.managed_browser.opened) > before, "the managed browser opens")
        self.assertEqual(self.managed_browser.opened[before:], [external])
        record = self.records.about(external.partition(str(self.site.port))[2])[-1]
        self.assertEqual((record["outcome"], record["class"]), ("redirect", "documents"))

    def test_the_daemon_is_killed_and_comes_back(self) -> None:
        self.works()
        self.daemon.stop(signal.SIGKILL)
        self.driver.wait(lambda: not self.standing(), "the extension hears of it")
        self.refuses()
        self.daemon.start()
        self.driver.wait(self.standing, "the extension is back")
        self.works()

    def test_the_host_is_killed_and_started_again(self) -> None:
        self.works()
        killed = self.hosts()
        self.assertTrue(killed)
        for host in killed:
            os.kill(host, signal.SIGKILL)
        self.driver.wait(lambda: set(self.hosts()) - set(killed), "another host is started")
        self.driver.wait(self.standing, "the extension is back")
        self.works()

    def test_a_daemon_that_hangs_holds_nothing_up(self) -> None:
        with self.daemon.hanging():
            self.refuses()
        self.driver.wait(self.standing, "the extension is back")
        self.works()

    def test_a_private_browser_needs_no_rules(self) -> None:
        state = self.driver.viewer(PRIVATE_VIEWER).status()
        self.assertEqual(state and state["rules"], {"count": 0, "isFree": True, "problem": ""})


def command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def cases() -> list[Any]:
    return [Outages]
