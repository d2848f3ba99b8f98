"""`compliance`: always one JSON object and exit status 0, quickly, and never better than the truth."""

import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from configuration import BROKEN, KIOSK, PORTAL, SETTINGS, Configuration
from daemon import PROGRAM, ROOT, Daemon, eventually
from fake import FakeDaemon, Peer, bytes_of
from seen import SeenCase, fill_disk, limit_files, navigate, write

INTUNE = ROOT / "packaging/intune"
SCRIPT = INTUNE / "webviewguard-discovery.sh"
NOBODY = 65_534
NEVER = 999_999
# Of the whole program, from its start to its end, on a machine that also builds. The daemon's part is bounded by 0.7.
SECONDS = 3.0

# What Intune's rules can compare; DateTime is text in ISO 8601.
TYPES: dict[str, type] = {
    "guardHealthy": bool, "guardHealth": str, "guardProblems": str, "guardVersion": str, "guardsLoaded": int,
    "policyEnforced": bool, "policyDigest": str, "policyAgeHours": int, "policyCheckedIn": str, "logSound": bool,
}  # fmt: skip
WORST: dict[str, Any] = {
    "guardHealthy": False, "guardProblems": "", "guardVersion": "0.0", "guardsLoaded": 0, "policyEnforced": False,
    "policyDigest": "", "policyAgeHours": NEVER, "policyCheckedIn": "1970-01-01T00:00:00.000Z", "logSound": False,
}  # fmt: skip


def facts_of(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """The object that was printed, when the program did all that an agent wants of it."""
    if (done.returncode, done.stderr, done.stdout.count("\n")) != (0, "", 1):
        raise AssertionError(done)
    facts: dict[str, Any] = json.loads(done.stdout)
    if {name: type(value) for name, value in facts.items()} != TYPES:
        raise AssertionError(facts)
    return facts


class ComplianceCase(SeenCase):
    def facts(self, sockets: Path) -> dict[str, Any]:
        """What it says of the daemon that has its sockets there, soon."""
        start = time.monotonic()
        command = [str(PROGRAM), "compliance", "--socket-dir", str(sockets)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
        self.assertLess(time.monotonic() - start, SECONDS)
        return facts_of(done)

    def is_worst(self, sockets: Path, health: str) -> None:
        self.assertEqual(self.facts(sockets), WORST | {"guardHealth": health})


class OfARealDaemon(ComplianceCase):
    def test_one_that_is_well(self) -> None:
        daemon = self.daemon().start()
        apps = [self.app(daemon), self.app(daemon)]
        facts = self.facts(daemon.sockets)
        digest = facts.pop("policyDigest")
        self.assertRegex(digest, "^[0-9a-f]{64}$")
        shown = json.loads(self.run_verb(daemon, "status", "--format", "json").stdout)
        self.assertEqual((digest, facts.pop("guardVersion")), (shown["digest"], shown["version"]))
        self.assertEqual(
            facts,
            {
                "guardHealthy": True, "guardHealth": "ok", "guardProblems": "", "guardsLoaded": len(apps),
                "policyEnforced": True, "policyAgeHours": NEVER, "policyCheckedIn": WORST["policyCheckedIn"],
                "logSound": True,
            },
        )  # fmt: skip

    def test_a_check_in_makes_the_policy_fresh(self) -> None:
        daemon = self.daemon().start()
        self.assertEqual(self.run_verb(daemon, "reload").returncode, 0)
        self.assertEqual(self.facts(daemon.sockets)["policyAgeHours"], NEVER, "a reload by hand is no check-in")
        before = time.time()
        self.assertEqual(self.run_verb(daemon, "reload", "--checked-in").returncode, 0)
        for _ in range(2):
            facts = self.facts(daemon.sockets)
            self.assertEqual(facts["policyAgeHours"], 0)
            told = time.strptime(facts["policyCheckedIn"][:19] + "UTC", "%Y-%m-%dT%H:%M:%S%Z")
            self.assertLess(abs(time.mktime(told) - time.timezone - before), 60)
            # It outlives the daemon.
            daemon.stop(signal.SIGKILL)
            daemon.start()

    def test_a_policy_that_only_monitors(self) -> None:
        for part in ("app", "protection", "rule"):
            configuration = Configuration(PORTAL)
            until = "monitorOnly: { until: 2099-12-31 }"
            name, old, new = {
                "app": ("policy.d/app-0.yaml", "identityMode: multi", f"identityMode: multi\n    {until}"),
                "protection": ("policy.d/organisation.yaml", "send: managed\n", f"send: managed\n    {until}\n"),
                "rule": ("rules/contoso.yaml", "then: block\n", f"then: block\n    {until}\n"),
            }[part]
            changed = configuration.files[name].replace(old, new, 1)
            self.assertNotEqual(changed, configuration.files[name])
            configuration.files[name] = changed
            daemon = self.daemon(configuration).start()
            facts = self.facts(daemon.sockets)
            self.assertEqual((facts["guardHealthy"], facts["policyEnforced"]), (True, False), part)
            configuration.files[name] = changed.replace("2099-12-31", "2020-01-01")
            configuration.write(daemon.config)
            self.assertEqual(self.run_verb(daemon, "reload").returncode, 0)
            self.assertTrue(self.facts(daemon.sockets)["policyEnforced"], "the trial is over")

    def test_without_a_policy(self) -> None:
        for required in ("true", "false"):
            daemon = self.daemon(Configuration(BROKEN, settings=f"policyRequired: {required}\n")).start()
            facts = self.facts(daemon.sockets)
            self.assertEqual((facts["guardHealthy"], facts["guardHealth"]), (False, "failed"))
            self.assertEqual((facts["policyEnforced"], facts["policyDigest"]), (False, ""))
            self.assertEqual(facts["guardProblems"], "noPolicy loadFailed")

    def test_a_load_that_failed_leaves_it_healthy_and_says_so(self) -> None:
        daemon = self.daemon().start()
        write(daemon, "policy.d/app-0.yaml", BROKEN)
        self.assertEqual(self.run_verb(daemon, "reload", "--checked-in").returncode, 1)
        facts = self.facts(daemon.sockets)
        self.assertEqual(
            (facts["guardHealthy"], facts["guardHealth"], facts["guardProblems"]), (True, "degraded", "loadFailed")
        )
        self.assertEqual(facts["policyAgeHours"], NEVER, "what did not load was no check-in")

    def test_a_log_that_is_not_sound(self) -> None:
        self.assertFalse(self.facts(self.daemon(None, "--without-decision-log").start().sockets)["logSound"])
        daemon = self.daemon(Configuration(settings=SETTINGS + "log: { onLogFailure: continue }\n")).start()
        wire = self.app(daemon)
        fill_disk(daemon)
        self.addCleanup(lambda: limit_files(daemon, None) if daemon.is_alive else None)
        navigate(wire, "https://example.net/")
        eventually(lambda: not self.facts(daemon.sockets)["logSound"], "the failure is known")
        self.assertTrue(self.facts(daemon.sockets)["guardHealthy"], "it decides")

    def test_nobody_needs_rights_for_it(self) -> None:
        if os.getuid() != 0:
            self.skipTest("only root can be another user")
        daemon = self.daemon().start()
        for place in (daemon.directory, daemon.sockets):
            place.chmod(0o755)
        self.app(daemon)
        command = [str(PROGRAM), "compliance", "--socket-dir", str(daemon.sockets)]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=30, check=False, user=NOBODY, group=NOBODY, extra_groups=[]
        )
        facts = facts_of(done)
        self.assertEqual((facts["guardHealthy"], facts["policyEnforced"]), (True, True))
        self.assertEqual(facts["guardsLoaded"], 0, "the programs of others are not his")

    def test_one_that_is_stopped(self) -> None:
        daemon = self.daemon().start()
        daemon.stop(signal.SIGKILL)
        self.is_worst(daemon.sockets, "unreachable")
        daemon.start()
        daemon.stop()
        self.is_worst(daemon.sockets, "unreachable")

    def test_one_that_hangs(self) -> None:
        daemon = self.daemon().start()
        os.kill(daemon.pid, signal.SIGSTOP)
        self.is_worst(daemon.sockets, "hangs")
        os.kill(daemon.pid, signal.SIGCONT)
        self.assertTrue(eventually(lambda: self.facts(daemon.sockets)["guardHealthy"], "it is back"))

    def test_a_policy_that_is_stale(self) -> None:
        """The time of the check-in lies in the state, which here comes from a machine that was off for four days."""
        daemon = self.daemon().start()
        self.assertEqual(self.run_verb(daemon, "reload", "--checked-in").returncode, 0)
        daemon.stop()
        for hours, health in ((23, "ok"), (96, "degraded"), (-5, "degraded")):
            self.date_check_in(daemon, hours)
            daemon.start()
            facts = self.facts(daemon.sockets)
            self.assertEqual(facts["policyAgeHours"], hours if hours >= 0 else NEVER)
            self.assertEqual((facts["guardHealthy"], facts["guardHealth"]), (True, health))
            self.assertEqual(facts["guardProblems"], "" if health == "ok" else "checkInLate")
            daemon.stop()

    def date_check_in(self, daemon: Daemon, hours: int) -> None:
        """Dates the check-in on record so many hours back."""
        program = (
            "import sqlite3, sys, time; state = sqlite3.connect(sys.argv[1]);"
            "[old] = state.execute(\"SELECT value FROM mark WHERE name = 'checkIn'\").fetchone();"
            "when = int((time.time() - int(sys.argv[2]) * 3600 - 60) * 1000);"
            "state.execute(\"UPDATE mark SET value = ? WHERE name = 'checkIn'\", (f'{when} {old.split()[1]}',));"
            "state.commit()"
        )
        state = str(daemon.directory / "state/state.db")
        subprocess.run(["/usr/bin/python3", "-c", program, state, str(hours)], check=True)


GOOD_INFO: dict[str, Any] = {"parameters": {"vendor": "w", "product": "w", "version": "0.1.0", "interfaces": []}}
GOOD: dict[str, Any] = {
    "generation": 1, "digest": "ab" * 32, "contract": {}, "problems": [], "enforced": True, "checkedInAt": 1000,
    "policyAge": 3600, "programCount": 1, "programs": [],
}  # fmt: skip


def lies(info: Any, facts: Any) -> Callable[[Peer], None]:
    """A daemon that gives these two answers."""

    def serve(peer: Peer) -> None:
        for answer in (info, facts):
            peer.call()
            peer.send(answer if isinstance(answer, bytes) else bytes_of(answer))
        peer.stay_silent()

    return serve


def drip(peer: Peer) -> None:
    """A byte every 50 ms, for ever."""
    peer.call()
    while True:
        peer.send(b" ")
        peer.pause(0.05)


def flood(peer: Peer) -> None:
    peer.call()
    while True:
        peer.send(b"x" * 65_536)


class OfOthers(ComplianceCase):
    def serve(self, script: Callable[[Peer], None]) -> Path:
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        fake = FakeDaemon(directory, script)
        self.addCleanup(fake.close)
        return directory

    def test_the_stand_in_is_believed(self) -> None:
        """Else the tests below would show nothing."""
        facts = self.facts(self.serve(lies(GOOD_INFO, {"parameters": GOOD})))
        self.assertEqual((facts["guardHealth"], facts["policyAgeHours"], facts["guardsLoaded"]), ("ok", 1, 1))

    def test_a_daemon_that_lies_is_not_believed(self) -> None:
        wrong: list[tuple[Any, Any]] = [
            (b"not JSON\0", {"parameters": GOOD}),
            (GOOD_INFO, b"[1,2]\0"),
            ({"parameters": {"version": "1.0; rm -rf /"}}, {"parameters": GOOD}),
            ({"parameters": {"version": 7}}, {"parameters": GOOD}),
            ({"error": "org.varlink.service.PermissionDenied", "parameters": {}}, {"parameters": GOOD}),
            (GOOD_INFO, {"error": "org.varlink.service.MethodNotFound", "parameters": {"method": "x"}}),
            (GOOD_INFO, {"parameters": {}}),
            (GOOD_INFO, {"parameters": GOOD | {"digest": "zz" * 32}}),
            (GOOD_INFO, {"parameters": GOOD | {"digest": 5}}),
            (GOOD_INFO, {"parameters": GOOD | {"problems": ["a b"]}}),
            (GOOD_INFO, {"parameters": GOOD | {"problems": ["x" * 65]}}),
            (GOOD_INFO, {"parameters": GOOD | {"problems": [3]}}),
            (GOOD_INFO, {"parameters": GOOD | {"problems": None}}),
            (GOOD_INFO, {"parameters": GOOD | {"programCount": -1}}),
            (GOOD_INFO, {"parameters": GOOD | {"programCount": 1.5}}),
        ]
        for info, facts in wrong:
            with self.subTest(info=info, facts=facts):
                self.is_worst(self.serve(lies(info, facts)), "notBelieved")

    def test_facts_of_another_type_count_as_the_worst(self) -> None:
        cases: list[tuple[dict[str, Any], str, Any]] = [
            ({"enforced": "yes"}, "policyEnforced", False),
            ({"enforced": 1}, "policyEnforced", False),
            ({"enforced": None}, "policyEnforced", False),
            ({"policyAge": -1}, "policyAgeHours", NEVER),
            ({"policyAge": "0"}, "policyAgeHours", NEVER),
            ({"policyAge": None}, "policyAgeHours", NEVER),
            ({"policyAge": 2**62}, "policyAgeHours", NEVER),
            ({"checkedInAt": 2**62}, "policyAgeHours", NEVER),
            ({"checkedInAt": -1}, "policyAgeHours", NEVER),
            ({"problems": ["logCut"]}, "logSound", False),
            ({"problems": ["aProblemOfTheFuture"]}, "guardHealth", "degraded"),
            ({"digest": ""}, "guardHealthy", False),
        ]
        for change, name, value in cases:
            with self.subTest(change=change):
                facts = self.facts(self.serve(lies(GOOD_INFO, {"parameters": GOOD | change})))
                self.assertEqual(facts[name], value)

    def test_one_that_never_ends_is_not_waited_for(self) -> None:
        for script in (Peer.stay_silent, drip):
            with self.subTest(script=script.__name__):
                self.is_worst(self.serve(script), "hangs")
        # The answer is too long, or does not end in time; whichever comes first.
        self.assertFalse(self.facts(self.serve(flood))["guardHealthy"])
        self.is_worst(self.serve(lambda peer: peer.close()), "unreachable")

    def test_a_queue_that_is_full(self) -> None:
        """Nobody accepts, and no further connection fits."""
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(str(directory / "guard.sock"))
        listener.listen(0)
        for _ in range(3):
            waiting = socket.socket(socket.AF_UNIX)
            waiting.setblocking(False)
            self.addCleanup(waiting.close)
            waiting.connect_ex(str(directory / "guard.sock"))
        self.is_worst(directory, "hangs")

    def test_a_socket_of_another_user(self) -> None:
        if os.getuid() != 0:
            self.skipTest("only root can be another user")
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        directory.chmod(0o777)
        listen = (
            "import socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(8); print('up', flush=True);"
            "s.accept(); s.accept()"
        )
        command = ["/usr/bin/python3", "-c", listen, str(directory / "guard.sock")]
        stranger = subprocess.Popen(command, stdout=subprocess.PIPE, user=NOBODY, group=NOBODY, extra_groups=[])
        self.addCleanup(stranger.wait)
        self.addCleanup(stranger.kill)
        assert stranger.stdout is not None
        stranger.stdout.readline()
        self.addCleanup(stranger.stdout.close)
        self.is_worst(directory, "notBelieved")

    def test_no_socket_at_all(self) -> None:
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        self.is_worst(directory / "missing", "unreachable")
        (directory / "guard.sock").write_text("a file")
        self.is_worst(directory, "unreachable")
        self.is_worst(directory / ("x" * 200), "unreachable")


class ForIntune(ComplianceCase):
    """The two files that an administrator uploads: they fit each other, the program, and Microsoft's format."""

    OPERATORS = {
        "Boolean": {"IsEquals", "NotEquals"},
        "String": {"IsEquals", "NotEquals"},
        "Int64": {"IsEquals", "NotEquals", "GreaterThan", "GreaterEquals", "LessThan", "LessEquals"},
        "Version": {"IsEquals", "NotEquals", "GreaterThan", "GreaterEquals", "LessThan", "LessEquals"},
    }
    PYTHON = {"Boolean": bool, "String": str, "Int64": int, "Version": str}
    LANGUAGES = {"en_US", "de_DE", "fr_FR", "es_ES"}

    def rules(self) -> list[dict[str, Any]]:
        rules: list[dict[str, Any]] = json.loads((INTUNE / "webviewguard-rules.json").read_text())["Rules"]
        return rules

    def test_the_rules_are_as_microsoft_wants_them(self) -> None:
        self.assertLessEqual((INTUNE / "webviewguard-rules.json").stat().st_size, 100_000)
        members = {"SettingName", "Operator", "DataType", "Operand", "MoreInfoUrl", "RemediationStrings"}
        for rule in self.rules():
            self.assertEqual(set(rule), members)
            self.assertIn(rule["Operator"], self.OPERATORS[rule["DataType"]])
            self.assertIs(type(rule["Operand"]), self.PYTHON[rule["DataType"]])
            self.assertIs(TYPES[rule["SettingName"]], self.PYTHON[rule["DataType"]])
            self.assertRegex(rule["MoreInfoUrl"], "^https://")
            self.assertEqual({text["Language"] for text in rule["RemediationStrings"]}, self.LANGUAGES)
            for text in rule["RemediationStrings"]:
                self.assertEqual(set(text), {"Language", "Title", "Description"})
                self.assertTrue(text["Title"] and text["Description"])

    def failing(self, facts: dict[str, Any]) -> set[str]:
        """The settings that are not compliant, as Intune compares them."""
        return {rule["SettingName"] for rule in self.rules() if not self.holds(rule, facts[rule["SettingName"]])}

    def holds(self, rule: dict[str, Any], value: Any) -> bool:
        operand = rule["Operand"]
        if rule["DataType"] == "Version":
            value, operand = ([int(part) for part in re.split(r"\.", text)] for text in (value, operand))
        return {
            "IsEquals": value == operand, "NotEquals": value != operand,
            **({} if isinstance(operand, (bool, str)) else {
                "LessEquals": value <= operand, "GreaterEquals": value >= operand,
                "LessThan": value < operand, "GreaterThan": value > operand,
            }),
        }[rule["Operator"]]  # fmt: skip

    def discover(self, sockets: Path, program: Path | None = None) -> dict[str, Any]:
        """What the discovery script prints, with a program that asks the daemon there."""
        directory = Path(tempfile.mkdtemp(prefix="wvg-"))
        wrapper = directory / "webviewguard"
        wrapper.write_text(f'#!/bin/sh\nexec {program or PROGRAM} "$@" --socket-dir {sockets}\n')
        wrapper.chmod(0o755)
        done = subprocess.run(
            [str(SCRIPT)], capture_output=True, text=True, timeout=30, check=False, env={"WEBVIEWGUARD": str(wrapper), "PATH": "/usr/bin:/bin"}
        )  # fmt: skip
        return facts_of(done)

    def test_a_guarded_machine_is_compliant(self) -> None:
        daemon = self.daemon(Configuration(PORTAL, KIOSK)).start()
        self.assertEqual(self.failing(self.discover(daemon.sockets)), {"policyAgeHours"})
        self.assertEqual(self.run_verb(daemon, "reload", "--checked-in").returncode, 0)
        self.assertEqual(self.failing(self.discover(daemon.sockets)), set())

    def test_a_machine_without_a_guard_fails_every_rule(self) -> None:
        daemon = self.daemon().start()
        daemon.stop(signal.SIGKILL)
        every = {rule["SettingName"] for rule in self.rules()}
        self.assertEqual(self.failing(self.discover(daemon.sockets)), every)
        for program in (Path("/bin/false"), Path("/nonexistent/webviewguard")):
            facts = self.discover(daemon.sockets, program)
            self.assertEqual(facts, WORST | {"guardHealth": "missing"})
            self.assertEqual(self.failing(facts), every)
