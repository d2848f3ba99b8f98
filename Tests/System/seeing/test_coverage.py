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
