"""`metrics`: a parser of others reads it, and the numbers are those of a day that the test wrote down."""

import collections
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from configuration import PORTAL, Configuration
from daemon import PROGRAM, Daemon, eventually
from exposition import Exposition, promtool_complaints
from seen import SeenCase, fill_disk, limit_files, navigate, rules_file, write
from started import Started
from wire import GUARD, Wire, frame


class MetricsCase(SeenCase):
    def scrape(self, daemon: Daemon) -> Exposition:
        said = self.run_verb(daemon, "metrics")
        self.assertEqual(said.returncode, 0, said.stderr)
        found = Exposition(said.stdout)
        self.assertEqual(found.duplicates(), [])
        return found


class Format(MetricsCase):
    def test_every_family_is_described_and_well_named(self) -> None:
        daemon = self.daemon().start()
        navigate(self.app(daemon), "https://a.example/")
        found = self.scrape(daemon)
        for family in found.families.values():
            self.assertTrue(family.name.startswith("webviewguard_"), family.name)
            self.assertNotEqual(family.documentation, "")
            self.assertIn(family.type, ("counter", "gauge", "histogram"), family.name)
        for name in found.samples:
            if name.endswith("_total"):
                self.assertEqual(found.families[name.removesuffix("_total")].type, "counter")
        complaints = promtool_complaints(found.text)
        if complaints is not None:
            self.assertEqual(complaints, "")

    def test_values_of_labels_are_escaped(self) -> None:
        name = 'li"st\\o.txt'
        rule = f"  - id: l\n    external: {{ list: {{ file: 'lists/{name}', format: domains }} }}\n"
        rules = f"ruleSet: contoso\ndefault: external\nrules:\n{rule}"
        configuration = Configuration(rules=rules)
        configuration.files[f"rules/lists/{name}"] = "a.example\n"
        found = self.scrape(self.daemon(configuration).start())
        files = [labels["file"] for labels, _ in found.samples["webviewguard_list_entries"]]
        self.assertEqual(len(files), 1)
        self.assertTrue(files[0].endswith(name), files)


class Counts(MetricsCase):
    def test_every_rule_is_counted(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        asked: collections.Counter[tuple[str, str]] = collections.Counter()
        urls = {"own": "https://www.contoso.com/", "sharing": "https://sharing.example/", "": "https://other.example/"}
        for number in range(60):
            rule = ("own", "sharing", "own", "")[number % 4]
            decision = navigate(wire, urls[rule] + str(number))
            asked[decision["outcome"], decision["reason"]] += 1
        found = self.scrape(daemon)
        for (outcome, reason), count in asked.items():
            self.assertEqual(found.value("webviewguard_decisions_total", outcome=outcome, reason=reason), count)
        self.assertEqual(found.sum("webviewguard_decisions_total"), 60)
        hits = {"own": 30, "sharing": 15}
        for rule, count in hits.items():
            self.assertEqual(found.value("webviewguard_rule_hits_total", rule_set="contoso", rule=rule), count)
        self.assertEqual(found.sum("webviewguard_rule_hits_total"), 45)
        self.assertEqual(found.value("webviewguard_rule_set_fall_throughs_total", rule_set="contoso"), 15)
        self.assertEqual(found.value("webviewguard_deciding_seconds_count"), 60)
        self.assertEqual(found.value("webviewguard_answering_seconds_count"), 60)

    def test_repeated_decisions_count_and_say_so(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        for _ in range(7):
            navigate(wire, "https://www.contoso.com/", action="one")
        found = self.scrape(daemon)
        self.assertEqual(found.sum("webviewguard_decisions_total"), 7)
        self.assertEqual(found.value("webviewguard_repeated_decisions_total"), 6)
        self.assertEqual(found.value("webviewguard_rule_hits_total", rule="own"), 7)

    def test_a_reload_begins_anew_and_keeps_what_was(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        navigate(wire, "https://www.contoso.com/")
        write(daemon, "rules/contoso.yaml", Configuration().files["rules/contoso.yaml"] + "# another text\n")
        self.assertEqual(self.run_verb(daemon, "reload").returncode, 0)
        for _ in range(2):
            navigate(wire, "https://www.contoso.com/")
        found = self.scrape(daemon)
        self.assertEqual(found.value("webviewguard_rule_hits_total", rule="own", generation="1"), 1)
        self.assertEqual(found.value("webviewguard_rule_hits_total", rule="own", generation="2"), 2)
        self.assertEqual(found.value("webviewguard_loads_total", result="ok"), 2)
        write(daemon, "rules/contoso.yaml", "ruleSet: 7\n")
        self.assertEqual(self.run_verb(daemon, "reload").returncode, 1)
        found = self.scrape(daemon)
        self.assertEqual(found.value("webviewguard_loads_total", result="failed"), 1)
        self.assertEqual(found.value("webviewguard_last_load_ok"), 0)
        self.assertEqual(found.value("webviewguard_problem", problem="loadFailed"), 1)
        self.assertEqual(found.value("webviewguard_health"), 1)

    def test_rules_beyond_the_first_500_are_summed(self) -> None:
        daemon = self.daemon(Configuration(rules=rules_file(520))).start()
        wire = self.app(daemon)
        for number in range(520):
            navigate(wire, f"https://h{number}.example/")
        navigate(wire, "https://h519.example/")
        navigate(wire, "https://h3.example/")
        found = self.scrape(daemon)
        rows = found.samples["webviewguard_rule_hits_total"]
        self.assertEqual(len(rows), 501)
        self.assertEqual(found.value("webviewguard_rule_hits_total", rule="other"), 21)
        self.assertEqual(found.value("webviewguard_rule_hits_total", rule="r3"), 2)

    def test_advice_is_counted(self) -> None:
        app = PORTAL + "    monitorOnly: { until: 2099-12-31 }\n"
        daemon = self.daemon(Configuration(app)).start()
        wire = self.app(daemon)
        self.assertEqual(navigate(wire, "https://sharing.example/")["outcome"], "allow")
        self.assertEqual(self.scrape(daemon).value("webviewguard_advised_decisions_total", outcome="block"), 1)

    def test_without_a_policy(self) -> None:
        daemon = self.daemon(Configuration("apps: 7\n")).start()
        wire = Wire(daemon.guard_socket)
        self.addCleanup(wire.socket.close)
        self.assertEqual(navigate(wire, "https://a.example/")["reason"], "noPolicy")
        found = self.scrape(daemon)
        self.assertEqual(found.value("webviewguard_decisions_total", outcome="block", reason="noPolicy"), 1)
        self.assertEqual(found.value("webviewguard_health"), 2)

    def test_errors_by_their_names(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        for _ in range(3):
            wire.call(f"{GUARD}.SetDocument", viewer="nobody", document="https://a.example/")
        wire.call(f"{GUARD}.Nonsense")
        found = self.scrape(daemon)
        name = f"{GUARD}.UnknownViewer"
        self.assertEqual(found.value("webviewguard_refused_calls_total", error=name), 3)
        self.assertEqual(found.sum("webviewguard_refused_calls_total"), 4)
        wire.send(b"{nonsense\0")
        self.assertTrue(wire.is_closed())
        self.assertEqual(self.scrape(daemon).value("webviewguard_unreadable_messages_total"), 1)


class Flow(MetricsCase):
    def test_connections_and_refused_ones(self) -> None:
        daemon = self.daemon(Configuration(settings="limits: { connectionsPerUser: 3 }\n")).start()
        wires = [self.app(daemon) for _ in range(3)]
        for _ in range(2):
            extra = Wire(daemon.guard_socket)
            self.addCleanup(extra.socket.close)
            self.assertTrue(extra.is_closed())
        found = self.scrape(daemon)
        self.assertEqual(found.value("webviewguard_connections", socket="guard"), len(wires))
        self.assertEqual(found.value("webviewguard_connections", socket="admin"), 1)
        self.assertEqual(found.value("webviewguard_refused_connections_total"), 2)
        self.assertEqual(found.value("webviewguard_instances"), 3)
        self.assertEqual(found.value("webviewguard_viewers"), 3)

    def test_held_replies_come_and_go(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        event = {"viewer": "docs", "url": "https://www.contoso.com/", "frame": "main"}
        wire.send(frame(f"{GUARD}.Navigate", event=event) * 100)
        wire.replies(100)
        found = self.scrape(daemon)
        self.assertGreaterEqual(found.value("webviewguard_held_replies_most"), 2)
        # The reply to the scrape itself is written after its text.
        self.assertEqual(found.value("webviewguard_held_replies"), 0)

    def test_a_log_that_fails(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        fill_disk(daemon)
        self.addCleanup(lambda: limit_files(daemon, None) if daemon.is_alive else None)
        navigate(wire, "https://example.net/")
        eventually(lambda: self.scrape(daemon).value("webviewguard_log_failing") == 1, "the failure is known")
        time.sleep(0.05)
        found = self.scrape(daemon)
        self.assertGreater(found.value("webviewguard_log_lag_records"), 0)
        self.assertGreater(found.value("webviewguard_log_lag_bytes"), 0)
        self.assertGreater(found.value("webviewguard_log_lag_seconds"), 0)
        limit_files(daemon, None)
        eventually(lambda: self.scrape(daemon).value("webviewguard_log_failing") == 0, "it heals")
        found = self.scrape(daemon)
        self.assertEqual(found.value("webviewguard_log_failures_total"), 1)
        self.assertEqual(found.value("webviewguard_log_lag_records"), 0)
        self.assertEqual(found.value("webviewguard_log_lag_seconds"), 0)


class Textfile(MetricsCase):
    def metrics(self, daemon: Daemon, file: Path, *more: str) -> subprocess.CompletedProcess[str]:
        return self.run_verb(daemon, "metrics", "--textfile", str(file), *more)

    def test_it_is_replaced_as_a_whole(self) -> None:
        daemon = self.daemon().start()
        file = daemon.directory / "guard.prom"
        file.write_text("old\n")
        before = file.stat().st_ino
        self.assertEqual(self.metrics(daemon, file).returncode, 0)
        self.assertEqual(Exposition(file.read_text()).value("webviewguard_up"), 1)
        self.assertNotEqual(file.stat().st_ino, before)
        self.assertEqual(file.stat().st_mode & 0o777, 0o644)
        self.assertEqual([f.name for f in daemon.directory.glob("guard.prom*")], ["guard.prom"])

    def test_it_says_when_the_daemon_is_gone(self) -> None:
        daemon = self.daemon().start()
        file = daemon.directory / "guard.prom"
        self.metrics(daemon, file)
        daemon.stop()
        said = self.metrics(daemon, file)
        self.assertEqual(said.returncode, 2)
        self.assertIn("there is no socket", said.stderr)
        found = Exposition(file.read_text())
        self.assertEqual(found.samples, {"webviewguard_up": [({}, 0.0)]})

    def test_a_link_is_not_followed(self) -> None:
        daemon = self.daemon().start()
        file = daemon.directory / "guard.prom"
        victim = daemon.directory / "victim"
        victim.write_text("mine\n")
        for name in (file, file.with_name("guard.prom.new")):
            name.symlink_to(victim)
        self.assertEqual(self.metrics(daemon, file).returncode, 0)
        self.assertEqual(victim.read_text(), "mine\n")
        self.assertFalse(file.is_symlink())

    def test_again_and_again(self) -> None:
        daemon = self.daemon().start()
        file = daemon.directory / "guard.prom"
        again = ["metrics", "--textfile", str(file), "--every", "1s", "--socket-dir", str(daemon.sockets)]
        command = [str(PROGRAM), *again]
        with Started(command, stderr=subprocess.PIPE, text=True) as process:
            eventually(file.exists, "the first text")
            daemon.stop()
            eventually(lambda: "webviewguard_up 0" in file.read_text(), "the daemon's end is told")
            daemon.start()
            eventually(lambda: "webviewguard_up 1" in file.read_text(), "its return is told")
            os.kill(process.pid, signal.SIGTERM)
            process.wait(timeout=5)

    def test_names_that_no_collector_reads_and_intervals_that_are_none(self) -> None:
        daemon = self.daemon()
        cases: list[tuple[Any, ...]] = [
            ("--textfile", "guard.txt"),
            ("--every", "15s"),
            ("--textfile", "a.prom", "--every", "soon"),
            ("--textfile", "a.prom", "--every", "0s"),
        ]
        for arguments in cases:
            self.assertEqual(self.run_verb(daemon, "metrics", *arguments).returncode, 64, arguments)
