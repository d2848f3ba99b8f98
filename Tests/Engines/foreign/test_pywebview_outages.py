"""A program of pywebview beside a daemon that is killed, falls silent, lies or reloads, with two windows, and with another
program of the same user: on Qt and on WebKitGTK."""

import signal
import subprocess
import unittest
from collections import Counter
from pathlib import Path

import driven
from daemon import Daemon, eventually
from fake import FakeDaemon
from rig.case import numbers
from rig.hosts import Host
from rig.lies import LIES, lying
from rig.policy import POLICY, WORK, BrowserConfiguration, ManagedBrowser
from rig.records import Records
from rig.silence import PICTURES, silence

SECOND = "com.contoso.second"


class Outages(driven.DrivenCase):
    def setUp(self) -> None:
        super().setUp()
        self.refused: list[str] = []

    def served(self) -> Daemon:
        second = POLICY.partition("apps:\n")[2].replace("com.contoso.portal", SECOND).replace("contoso-portal", "second")
        browser = ManagedBrowser(self.folder).program
        daemon = Daemon(BrowserConfiguration(browser, app=POLICY + second, answer_ms=1000))
        self.stack.callback(daemon.remove)
        return daemon.start()

    def program(self, socket: Path, app: str = "com.contoso.portal") -> driven.Driven:
        home = self.folder / f"home-{next(numbers)}"
        return self.stack.enter_context(driven.started(self.gui, home, WORK, str(socket), app))

    def tearDown(self) -> None:
        """What was refused did not come later either."""
        self.assertEqual([path for path in self.refused if self.site.was_asked(path)], [])

    def loads(self, program: driven.Driven, window: int = 0, host: Host = Host.INTERNAL) -> bool:
        """Whether a page that is wanted in a window is asked of the site."""
        path = f"/wanted-{next(numbers)}"
        program.load(self.site.url(path, host), window)
        return self.site.was_asked(path)

    def refuses(self, program: driven.Driven, window: int = 0, host: Host = Host.INTERNAL) -> None:
        self.refused.append(f"/refused-{next(numbers)}")
        program.load(self.site.url(self.refused[-1], host), window)
        self.assertFalse(self.site.was_asked(self.refused[-1]))

    def until_it_loads(self, program: driven.Driven) -> None:
        eventually(lambda: self.loads(program), "a page loads")

    def test_killed_and_back(self) -> None:
        daemon = self.served()
        program = self.program(daemon.guard_socket)
        self.until_it_loads(program)
        daemon.stop(signal.SIGKILL)
        for _ in range(3):
            self.refuses(program)
        daemon.start()
        self.until_it_loads(program)
        self.refuses(program, host=Host.BLOCKED)

    def test_a_silence(self) -> None:
        daemon = self.served()
        program = self.program(daemon.guard_socket)
        self.until_it_loads(program)
        with daemon.hanging():
            for _ in range(5):
                self.refuses(program)
        self.until_it_loads(program)

    def test_lies(self) -> None:
        told = [LIES[0]]
        daemon = FakeDaemon(self.folder, lying(lambda: told[0]))
        self.stack.callback(daemon.close)
        program = self.program(daemon.path)
        for told[0] in LIES:
            with self.subTest(lie=told[0]):
                self.refuses(program)

    def test_a_reload(self) -> None:
        daemon = self.served()
        program = self.program(daemon.guard_socket)
        self.until_it_loads(program)
        rules = daemon.config / "rules/contoso.yaml"
        closed = f'rules:\n  - {{ id: closed, external: {{ host: "{Host.INTERNAL}" }}, for: [page], then: block }}\n'
        rules.write_text(rules.read_text().replace("rules:\n", closed))
        command = [str(daemon.program), "reload", "--wait", "--socket-dir", str(daemon.sockets)]
        self.assertEqual(subprocess.run(command, capture_output=True).returncode, 0)
        self.refuses(program)

    def test_two_windows_and_two_programs(self) -> None:
        daemon = self.served()
        one, other = self.program(daemon.guard_socket), self.program(daemon.guard_socket, SECOND)
        for program in (one, other):
            self.until_it_loads(program)
            self.assertTrue(self.loads(program, 1))
            self.refuses(program, 0, Host.BLOCKED)
            self.refuses(program, 1, Host.BLOCKED)
        blocked = [record for record in Records(daemon.log_file).all if record["outcome"] == "block"]
        asked = {(record["app"], record["instance"], record["viewer"]) for record in blocked}
        self.assertEqual(len(asked), 4)
        self.assertEqual(Counter(app for app, _, _ in asked), {"com.contoso.portal": 2, SECOND: 2})

    def test_a_page_asks_as_often_as_under_the_pack_alone(self) -> None:
        with silence() as daemon:
            program = self.program(daemon.daemon.path)
            program.load(self.site.url("/cost/0?first"), 0)
            daemon.questions()
            program.load(self.site.url(f"/cost/{PICTURES}?counted"), 0)
            expected = {"qt": {"main": 1, "resource": PICTURES}, "gtk": {"main": 1, "SetDocument": 1}}[self.gui]
            self.assertEqual(daemon.questions(), expected)


class OutagesOnWebKit(Outages):
    gui = "gtk"


def cases() -> tuple[type[unittest.TestCase], ...]:
    return (Outages, OutagesOnWebKit)
