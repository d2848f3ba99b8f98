"""What apps never ask about: `log report --coverage` and `doctor` name it (ledger DC-05)."""

import json
import subprocess
from pathlib import Path
from typing import Any

from configuration import APP, Configuration
from daemon import PROGRAM, Daemon
from seen import navigate
from test_doctor import DoctorCase
from wire import GUARD, Wire

FEATURES = {"redact", "switchIdentity", "warn", "clipEcho", "wrap", "plainText"}
# So many questions show what an app asks about.
ENOUGH = 500


def report(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), "log", "report", "--coverage", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class Coverage(DoctorCase):
    def report(self, *arguments: str | Path) -> list[dict[str, Any]]:
        said = report("--format", "json", *map(str, arguments))
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        return [json.loads(line) for line in said.stdout.splitlines()]

    def ask(self, wire: Wire, kind: str, times: int = 1) -> None:
        for number in range(times):
            reply = wire.call(f"{GUARD}.{kind}", event={"viewer": "docs", "length": 1, "selection": "clipboard"})
            self.assertNotIn("error", reply)

    def test_kinds_that_an_app_never_asks_about_are_named(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        for _ in range(3):
            navigate(wire, "https://www.contoso.com/")
        self.ask(wire, "Copy")
        [app] = self.report(daemon.logs)
        self.assertEqual((app["app"], app["recorded"]), (APP, 4))
        self.assertEqual(app["asked"], {"navigate": 3, "copy": 1})
        self.assertIn("paste", app["never"])
        self.assertIn("print", app["never"])
        self.assertEqual(len(app["asked"]) + len(app["never"]), 17)
        text = report(str(daemon.logs))
        self.assertRegex(text.stdout, r"(?m)^  asked +navigate 3, copy 1$")
        self.assertRegex(text.stdout, r"(?m)^  never +paste, .*print")
        self.assertRegex(text.stdout, r"(?m)^  not claimed +wrap: copies .* are blocked$")
        self.ask(wire, "Print")
        [app] = self.report(daemon.logs)
        self.assertNotIn("print", app["never"])

    def test_features_that_no_program_of_it_claimed_are_named(self) -> None:
        daemon = self.daemon().start()
        navigate(self.app(daemon), "https://www.contoso.com/")
        [app] = self.report(daemon.logs)
        self.assertEqual({feature["feature"] for feature in app["missing"]}, FEATURES)
        wire = Wire(daemon.guard_socket)
        self.addCleanup(wire.socket.close)
        attached = wire.call(f"{GUARD}.Attach", features=["wrap", "nonsense"])["parameters"]
        self.assertEqual({feature["feature"] for feature in attached["missing"]}, FEATURES - {"wrap"})
        self.assertTrue(all(feature["cost"] for feature in attached["missing"]))
        joined = Wire(daemon.guard_socket)
        self.addCleanup(joined.socket.close)
        again = joined.call(f"{GUARD}.Attach", instance=attached["instance"], features=sorted(FEATURES))["parameters"]
        self.assertEqual(again["missing"], attached["missing"], "the first connection's features count")
        whole = Wire(daemon.guard_socket)
        self.addCleanup(whole.socket.close)
        self.assertNotIn("missing", whole.call(f"{GUARD}.Attach", features=sorted(FEATURES))["parameters"])
        [app] = self.report(daemon.logs)
        self.assertEqual(app["missing"], [])

    def test_decisions_that_are_only_counted_have_no_kind(self) -> None:
        policy = Configuration()
        counted = {name: text.replace("identityMode: multi", "identityMode: multi\n    record: counts")
                   for name, text in policy.files.items()}  # fmt: skip
        self.assertNotEqual(counted, policy.files)
        policy.files = counted
        daemon = self.daemon(policy).start()
        navigate(self.app(daemon), "https://www.contoso.com/")
        daemon.stop()
        [app] = self.report(daemon.logs)
        self.assertEqual((app["recorded"], app["onlyCounted"], app["asked"]), (0, 1, {}))

    def test_what_is_left_out_by_time_and_app_does_not_count(self) -> None:
        daemon = self.daemon().start()
        navigate(self.app(daemon), "https://www.contoso.com/")
        self.assertEqual(self.report("--until", "2020-01-01", daemon.logs), [])
        self.assertEqual(self.report("--app", "com.contoso.other", daemon.logs), [])
        self.assertEqual(len(self.report("--app", APP, "--since", "2020-01-01", daemon.logs)), 1)

    # Apps that only seem to ask

    def written(self, daemon: Daemon, name: str, *parts: tuple[int, str]) -> Path:
        """A file of the daemon's records, as if each part of them were of a person's own program."""
        file = daemon.directory / name
        file.write_text("".join(text.replace('"uid":0,', f'"uid":{uid},') for uid, text in parts))
        return file

    @staticmethod
    def decisions(text: str) -> list[str]:
        return [line for line in text.splitlines(keepends=True) if '"type":"decision"' in line]

    def test_what_began_before_the_window_has_claimed_its_features_all_the_same(self) -> None:
        daemon = self.daemon().start()
        wire = Wire(daemon.guard_socket)
        self.addCleanup(wire.socket.close)
        wire.call(f"{GUARD}.Attach", features=sorted(FEATURES - {"wrap"}))
        daemon.stop()
        starts = (daemon.logs / "decisions.jsonl").read_text()
        daemon.start()
        navigate(self.app(daemon), "https://www.contoso.com/")
        daemon.stop()
        lines = self.decisions((daemon.logs / "decisions.jsonl").read_text())
        early = starts.replace('"time":"202', '"time":"201')
        file = self.written(daemon, "window.jsonl", (0, early), (0, "".join(lines)))
        [app] = self.report("--since", "2020-01-01", file)
        self.assertEqual([feature["feature"] for feature in app["missing"]], ["wrap"])
        self.assertEqual(app["recorded"], 1)
        # No start at all: nobody knows, and nothing is claimed to be missing or there.
        file = self.written(daemon, "rotated.jsonl", (0, "".join(lines)))
        self.assertIsNone(self.report(file)[0]["missing"])
        self.assertIn("no start of it is in these records", report(str(file)).stdout)

    def test_who_joins_a_program_states_nothing_of_what_it_can(self) -> None:
        """Threads and helpers of a program have connections of their own, and a lost connection is made again."""
        daemon = self.daemon().start()
        wire = Wire(daemon.guard_socket)
        self.addCleanup(wire.socket.close)
        attached = wire.call(f"{GUARD}.Attach", features=sorted(FEATURES - {"wrap"}))["parameters"]
        navigate(wire, "https://www.contoso.com/")
        for _ in range(3):
            other = Wire(daemon.guard_socket)
            self.addCleanup(other.socket.close)
            self.assertIn("parameters", other.call(f"{GUARD}.Attach", instance=attached["instance"], features=[]))
        daemon.stop()
        [app] = self.report(daemon.logs)
        self.assertEqual([feature["feature"] for feature in app["missing"]], ["wrap"])
        # Its beginning is not in these records any more: nobody knows.
        text = (daemon.logs / "decisions.jsonl").read_text()
        file = self.written(daemon, "later.jsonl", (0, text[text.index(self.decisions(text)[0]) :]))
        self.assertIsNone(self.report(file)[0]["missing"])

    def test_a_careful_program_hides_no_careless_one_of_another_person(self) -> None:
        daemon = self.daemon().start()
        careless = self.app(daemon)
        navigate(careless, "https://www.contoso.com/")
        daemon.stop()
        old = (daemon.logs / "decisions.jsonl").read_text()
        daemon.start()
        wire = Wire(daemon.guard_socket)
        self.addCleanup(wire.socket.close)
        wire.call(f"{GUARD}.Attach", features=sorted(FEATURES))
        self.ask(wire, "Paste")
        self.ask(wire, "Copy")
        daemon.stop()
        new = (daemon.logs / "decisions.jsonl").read_text().removeprefix(old)
        for order in (((1001, old), (1002, new)), ((1002, new), (1001, old))):
            [app] = self.report(self.written(daemon, "persons.jsonl", *order))
            self.assertEqual({feature["feature"] for feature in app["missing"]}, FEATURES)
            told = {person["uid"]: person["never"] for person in app["persons"]}
            self.assertEqual(told, {1001: ["copy", "paste"], 1002: ["navigate"]})
        # A person's newer program counts, and not what an older one of the same person lacked.
        [app] = self.report(self.written(daemon, "newer.jsonl", (1001, old), (1001, new)))
        self.assertEqual((app["missing"], app["persons"]), ([], []))
        lines = self.decisions(old)
        daemon.start()
        (daemon.logs / "decisions.jsonl").write_text(
            self.written(daemon, "many.jsonl", (1001, "".join(lines * 2_000)), (1002, new)).read_text())  # fmt: skip
        _, findings = self.doctor(daemon)
        [found] = [finding for finding in findings if "of uid 1001" in finding["text"]]
        self.assertEqual(found["level"], "warning")
        words = "of uid 1001 asked 2000 times, and never about paste, which it asks about elsewhere"
        self.assertIn(words, found["text"])

    def test_doctor_looks_behind_the_rotation_of_the_log(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        for number in range(3):
            navigate(wire, f"https://www.contoso.com/{number}")
        daemon.stop()
        text = (daemon.logs / "decisions.jsonl").read_text()
        lines = self.decisions(text)
        closed = daemon.logs / f"decisions-{1:020}.jsonl"
        (daemon.logs / "decisions.jsonl").rename(closed)
        closed.write_text(text + "".join(lines * ENOUGH))
        (daemon.logs / "decisions.jsonl").write_text(lines[0])
        found = self.doctored(daemon)
        self.assertEqual(found["level"], "warning", found)
        self.assertIn("never about paste, download", found["text"])
        # What it asked before the rotation counts, too.
        others = [lines[0].replace('"navigate"', f'"{kind}"') for kind in ("copy", "paste", "download")]
        closed.write_text(closed.read_text() + "".join(others))
        self.assertEqual(self.doctored(daemon)["level"], "ok")

    def test_a_report_of_nothing_is_refused(self) -> None:
        said = subprocess.run([str(PROGRAM), "log", "report", "x"], capture_output=True, text=True, check=False)
        self.assertNotEqual(said.returncode, 0)
        self.assertIn("--coverage", said.stderr)

    def doctored(self, daemon: Daemon) -> dict[str, Any]:
        """The one finding about apps."""
        _, findings = self.doctor(daemon)
        [found] = [finding for finding in findings if finding["area"] == "apps"]
        return found

    def test_doctor_warns_of_an_app_that_asks_much_and_never_about_pastes(self) -> None:
        daemon = self.daemon().start()
        wire = self.app(daemon)
        for number in range(ENOUGH - 3):
            navigate(wire, f"https://www.contoso.com/{number}")
        self.assertEqual(self.doctored(daemon)["level"], "ok", "too few to tell")
        self.assertIn("never about copy, paste", self.doctored(daemon)["text"])
        self.ask(wire, "Download")
        self.ask(wire, "Copy", 2)
        found = self.doctored(daemon)
        self.assertEqual(found["level"], "warning", found)
        self.assertIn(f"{APP} asked {ENOUGH} times, and never about paste: that is not guarded", found["text"])
        self.ask(wire, "Paste")
        self.assertEqual(self.doctored(daemon)["level"], "ok")
