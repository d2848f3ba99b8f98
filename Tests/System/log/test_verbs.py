"""`log show`, `log verify` and `log head` over a directory, as an administrator calls them."""

import json
import os
import signal

from configuration import WORK
from log_files import log_files
from logs import USERS, LogCase, decisions, log
from test_files import flood


class Verbs(LogCase):
    def setUp(self) -> None:
        self.kept = self.daemon().start()
        wire = self.asking(self.kept)
        flood(wire, 1200)
        self.ask(wire, "https://sharing.example/x")
        self.assertEqual(self.kept.stop(), 0)
        self.assertGreater(len(log_files(self.kept.logs)), 1)

    def shown(self, *filters: str) -> list[dict]:
        """The records that `log show` prints of the directory."""
        done = log("show", "--format", "json", *filters, self.kept.logs)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_show_reads_all_files_in_their_order(self) -> None:
        numbers = [record["seq"] for record in self.shown()]
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)))
        self.assertEqual(len(self.shown("--type", "decision")), len(decisions(self.kept.logs)))

    def test_filters(self) -> None:
        [blocked] = self.shown("--rule", "contoso/sharing")
        self.assertEqual(blocked["outcome"], "block")
        self.assertEqual(self.shown("--rule", "sharing"), [blocked])
        self.assertEqual(self.shown("--rule", "other/sharing"), [])
        self.assertEqual({record["uid"] for record in self.shown("--uid", str(USERS[0]))}, {USERS[0]})
        self.assertEqual(self.shown("--uid", "4294967294"), [])
        self.assertEqual(self.shown("--exception", "none"), [])

    def test_any_field_of_a_decision_is_a_filter(self) -> None:
        [blocked] = self.shown("--field", "rule=sharing", "--outcome", "block")
        self.assertEqual(blocked["rule"], "sharing")
        self.assertEqual(self.shown("--field", "outcome=allow", "--outcome", "block"), [])
        self.assertEqual(self.shown("--field", "rule=sharing", "--field", "verdict=internal"), [])
        self.assertEqual(self.shown("--field", "mustEncrypt=true"), [])
        # An account is found by its name, as with --account, and only in the field that is named.
        named = self.shown("--type", "decision", "--field", f"account={WORK}")
        self.assertEqual(named, self.shown("--type", "decision"))
        self.assertEqual(self.shown("--field", f"tagAs={WORK}"), [])
        for unknown in ("colour=red", "rule", "advised=block"):
            done = log("show", "--field", unknown, self.kept.logs)
            self.assertEqual((done.returncode, done.stdout), (64, ""))
            self.assertIn("known fields are `account`, ", done.stderr)

    def test_an_account_is_found_by_name_with_the_key_beside_the_files(self) -> None:
        self.assertGreater(len(self.shown("--account", WORK)), 1000)
        self.assertEqual(self.shown("--account", "somebody@contoso.com"), [])
        (self.kept.logs / "pseudonym.key").unlink()
        self.assertEqual(self.shown("--account", WORK), [])

    def test_head_of_a_directory_is_that_of_its_newest_record(self) -> None:
        head = log("head", self.kept.logs).stdout.strip()
        self.assertEqual(int(head.split(":")[0]), self.shown()[-1]["seq"])
        self.assert_sound(self.kept.logs, "--head", head)
        # Of an active file that is empty the newest record lies in the file before it.
        *_, closed, active = log_files(self.kept.logs)
        active.write_bytes(b"")
        older = log("head", self.kept.logs).stdout.strip()
        self.assertEqual(older, log("head", closed).stdout.strip())
        cut = log("verify", "--head", head, self.kept.logs)
        self.assertEqual(cut.returncode, 1)
        self.assertIn("the end is cut off", cut.stdout)

    def test_verify_names_the_file_that_is_broken(self) -> None:
        first = log_files(self.kept.logs)[0]
        first.write_bytes(first.read_bytes().replace(b'"outcome":"allow"', b'"outcome":"block"', 1))
        broken = log("verify", self.kept.logs)
        self.assertEqual(broken.returncode, 1)
        self.assertIn(f"{first}:", broken.stdout)
        first.unlink()
        missing = log("verify", self.kept.logs)
        self.assertEqual(missing.returncode, 1)
        self.assertRegex(missing.stdout, "broken: records 1 to [0-9]+ are missing")
        part = log("verify", "--part", self.kept.logs)
        self.assertEqual(part.returncode, 0)
        self.assertIn("its past is not attested", part.stdout)

    def test_a_directory_without_a_log(self) -> None:
        done = log("verify", self.kept.sockets)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("holds no files of a log", done.stderr)


class Torn(LogCase):
    def test_head_and_verify_of_a_log_that_a_crash_cut(self) -> None:
        daemon = self.daemon().start()
        self.ask(self.asking(daemon))
        daemon.stop(signal.SIGKILL)
        os.truncate(daemon.log_file, daemon.log_file.stat().st_size - 20)
        self.assertIn("cut short", log("head", daemon.logs).stderr)
        self.assertIn("cut short", log("verify", daemon.logs).stdout)
        daemon.start()
        self.assertEqual(daemon.stop(), 0)
        self.assert_sound(daemon.logs)
