"""Posture files: who may say what of the machine. Users plant files, links and directories; root's files count."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from attack_case import ALICE, APP, MALLORY, PEOPLE, AttackCase, Failure
from configuration import ORGANISATION, WORK, Configuration
from daemon import Daemon, eventually
from wire import ADMIN, GUARD

CONDITIONS = """\
    conditionalLaunch:
      - { check: Encrypted, operator: equals, value: true }
"""
CONFIGURATION = Configuration(
    PEOPLE,
    organisation=ORGANISATION.replace("  contoso-standard:\n", f"  contoso-standard:\n    printing: allow\n{CONDITIONS}"),
)


def end(**time_left: float) -> str:
    return (datetime.now(UTC) + timedelta(**time_left)).strftime("%Y-%m-%dT%H:%M:%SZ")


class PostureCase(AttackCase):
    """A daemon of the test's own, and a directory for posture files."""

    asks = CONFIGURATION

    def setUp(self) -> None:
        self.other = Daemon(self.asks)
        self.addCleanup(self.other.remove)
        self.other.directory.chmod(0o755)
        self.posture = self.other.directory / "posture.d"
        self.posture.mkdir(mode=0o755)
        self.posture.chmod(0o755)
        settings = self.other.config / "webviewguard.yaml"
        settings.write_text(settings.read_text() + f"postureDirectory: {self.posture}\n")

    def say(self, value: Any, name: str = "intune.json", **time_left: float) -> Path:
        """A file of root, put in place as a whole."""
        new = self.posture / f".{name}"
        new.write_text(json.dumps({"validUntil": end(**(time_left or {"days": 1})), "Encrypted": value}))
        new.chmod(0o644)
        return new.rename(self.posture / name)

    def begin(self) -> None:
        self.other.start()
        self.app = self.person(ALICE).link(self.other.guard_socket)
        self.answered(self.app.call(f"{GUARD}.Attach", app=APP))
        self.app.call(f"{GUARD}.SetIdentity", level="process", account=WORK)

    def reason(self) -> str:
        """Why nothing is printed: an account that may work is asked for first."""
        self.app.call(f"{GUARD}.SetIdentity", level="process", account=WORK)
        decision = self.answered(self.app.call(f"{GUARD}.Print", event={}))["decision"]
        return decision["reason"]

    def is_blocked(self) -> bool:
        return self.reason() == "accountNotCompliant"

    def problems(self) -> str:
        # Administrators have few places, and this asks again and again.
        wire = self.wire(self.other.admin_socket)
        reply = wire.call(f"{ADMIN}.Health")
        wire.socket.close()
        return " ".join(p["text"] for p in reply["parameters"]["problems"] if p["code"] == "postureUnread")


class Posture(PostureCase):
    """A daemon whose protection asks for an encrypted disk, by the word of a posture file."""

    def test_a_file_of_root_blocks_and_frees(self) -> None:
        self.say(False)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        self.say(True)
        eventually(lambda: not self.is_blocked(), "the account may work")
        self.assertEqual(self.problems(), "")

    def test_a_reload_turns_to_another_directory(self) -> None:
        """The words of the directory before count no more, the good one neither."""
        self.say(True)
        self.begin()
        self.assertFalse(self.is_blocked())
        before, self.posture = self.posture, self.posture.with_name("other.d")
        self.posture.mkdir(mode=0o755)
        self.say(False)
        settings = self.other.config / "webviewguard.yaml"
        settings.write_text(settings.read_text().replace(str(before), str(self.posture)))
        self.answered(self.wire(self.other.admin_socket).call(f"{ADMIN}.Reload"))
        eventually(self.is_blocked, "the other directory counts")

    @unittest.skipUnless(shutil.which("jq"), "jq is not installed")
    def test_the_script_of_the_page_is_believed(self) -> None:
        """The script of docs/accounts.md, with a discovery script that prints what Intune takes."""
        page = (Path(__file__).parents[3] / "docs/accounts.md").read_text()
        script = self.other.directory / "posture-intune"
        script.write_text(page[page.index("#!/bin/sh -eu\n# /usr/local/sbin/posture-intune") :].split("```")[0])
        discover = self.other.directory / "discover.sh"
        discover.write_text("#!/bin/sh\necho '{\"Encrypted\": false}'\n")
        for file in (script, discover):
            file.chmod(0o755)
        subprocess.run([script, self.posture, discover], check=True)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        self.assertEqual(self.problems(), "")
        discover.write_text("#!/bin/sh\nexit 3\n")
        self.assertNotEqual(subprocess.run([script, self.posture, discover], check=False).returncode, 0)
        self.assertFalse(json.loads((self.posture / "intune.json").read_text())["Encrypted"], "the last file stays")

    def test_a_user_plants_nothing_in_the_directory(self) -> None:
        self.say(False)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        mallory = self.person(MALLORY)
        for name in ("a.json", "intune.json", "zzz.json"):
            with self.assertRaises(Failure):
                mallory.plant(self.posture / name)
            with self.assertRaises(Failure):
                mallory.remove(self.posture / name)
        self.assertTrue(self.is_blocked())

    def test_a_file_of_a_user_frees_nobody(self) -> None:
        """Root's script may have left the directory to a user: his word is not believed, and root's holds."""
        self.say(False)
        planted = self.say(True, "a.json")
        os.chown(planted, MALLORY, MALLORY)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        eventually(lambda: f"belongs to uid {MALLORY}" in self.problems(), "the problem is told")

    def test_a_directory_that_others_may_write_says_nothing(self) -> None:
        self.say(True)
        self.posture.chmod(0o777)
        self.begin()
        eventually(lambda: "has mode 0777" in self.problems(), "the problem is told")
        self.posture.chmod(0o755)
        self.say(False)
        eventually(self.is_blocked, "the account is blocked")
        # A bad word holds until a good one is believed.
        self.posture.chmod(0o777)
        self.say(True)
        eventually(lambda: "has mode 0777" in self.problems(), "the problem is told")
        self.assertTrue(self.is_blocked())

    def test_a_directory_above_that_others_may_write_says_nothing(self) -> None:
        self.say(False)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        self.other.directory.chmod(0o777)
        self.say(True)
        eventually(lambda: "others may write it" in self.problems(), "the problem is told")
        self.assertTrue(self.is_blocked())
        self.other.directory.chmod(0o755)
        eventually(lambda: not self.is_blocked(), "the account may work")

    def test_links_pipes_and_long_files_hang_nobody(self) -> None:
        self.say(False)
        outside = self.other.directory / "mine.json"
        outside.write_text(json.dumps({"validUntil": end(days=1), "Encrypted": True}))
        (self.posture / "link.json").symlink_to(outside)
        os.mkfifo(self.posture / "pipe.json")
        (self.posture / "long.json").write_text("{" + " " * 70_000 + "}")
        (self.posture / "zero.json").symlink_to("/dev/zero")
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        eventually(lambda: "and 3 more" in self.problems(), "the problem is told")
        # Names of groups come from the same thread.
        fresh = self.person(ALICE, 61_100).link(self.other.guard_socket)
        self.answered(fresh.call(f"{GUARD}.WhoAmI"))

    def test_checks_that_no_condition_asks_for_change_nothing(self) -> None:
        """Bad words of any type about something else: no account, no record, no other condition goes by them."""
        strange = {"AntivirusActive": False, "encrypted": False, "ThreatLevel": "high", "Score": -1, "Encrypted.": False}
        new = self.posture / ".other.json"
        new.write_text(json.dumps({"validUntil": end(days=1), **strange}))
        new.chmod(0o644)
        new.rename(self.posture / "other.json")
        self.begin()
        # Nothing is known of the one that is asked for: it is judged as if the file were not there.
        self.say(True)
        eventually(lambda: self.reason() == "printAllowed", "the account may work")
        self.say(False)
        eventually(self.is_blocked, "the account is blocked")
        self.say(True)
        eventually(lambda: self.reason() == "printAllowed", "the account may work")
        checks = {record["check"] for record in self.other.records("condition")}
        self.assertEqual((checks, self.problems()), ({"Encrypted"}, ""))

    def test_a_file_from_the_future_is_not_believed(self) -> None:
        self.say(False)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        tomorrow = time.time() + 86_400
        os.utime(self.say(True), (tomorrow, tomorrow))
        eventually(lambda: "was changed in the future" in self.problems(), "the problem is told")
        self.assertTrue(self.is_blocked(), "the last word holds")

    def test_a_file_that_is_no_json_is_not_believed(self) -> None:
        self.say(False)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        for text, fault in (("Encrypted: true\n", "is no JSON object"), ('[{"Encrypted": true}]', "is no JSON object"),
                            ('{"Encrypted": true}', "does not say until when it holds")):  # fmt: skip
            new = self.posture / ".intune.json"
            new.write_text(text)
            new.chmod(0o644)
            new.rename(self.posture / "intune.json")
            eventually(lambda fault=fault: fault in self.problems(), fault)
            self.assertTrue(self.is_blocked(), text)
            self.say(False)
            eventually(lambda: self.problems() == "", "the file is believed again")

    def test_a_kill_does_not_forget_a_bad_word(self) -> None:
        self.say(False)
        self.begin()
        eventually(self.is_blocked, "the account is blocked")
        # The state is written a moment later.
        time.sleep(1.5)
        (self.posture / "intune.json").unlink()
        self.other.stop(signal.SIGKILL)
        self.begin()
        self.assertTrue(self.is_blocked())
        self.say(True)
        eventually(lambda: not self.is_blocked(), "the account may work")


AT_WORK = """\
    conditionalLaunch:
      - { check: AtWork.office, operator: equals, value: true, message: "The office works Monday to Friday from 8 to 18." }
    notCheckedAfter: 0s
"""


class Hours(PostureCase):
    """FC-08: working hours by the script of docs/operations.md, of one protection among others."""

    asks = Configuration(
        PEOPLE,
        organisation=ORGANISATION.replace("  contoso-standard:\n", f"  contoso-standard:\n    printing: allow\n{AT_WORK}")
        .replace("second@contoso.com, protection: contoso-standard", "second@contoso.com, protection: free")
        .replace("browsers:\n", "  free: { printing: allow }\nbrowsers:\n"),
    )

    def script(self) -> Path:
        page = (Path(__file__).parents[3] / "docs/operations.md").read_text()
        script = self.other.directory / "posture-hours"
        script.write_text(page[page.index("#!/bin/sh -eu\n# /usr/local/sbin/posture-hours") :].split("```")[0])
        tools = self.other.directory / "tools"
        tools.mkdir(exist_ok=True)
        date = tools / "date"
        # A `-d` that the script states counts in its place: the end is that of the real time.
        date.write_text('#!/bin/sh\nexec /bin/date -d "@$AT" "$@"\n')
        for file in (script, date):
            file.chmod(0o755)
        return script

    def at(self, moment: str) -> dict[str, Any]:
        """The script's word at a moment."""
        seconds = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp())
        tools = self.other.directory / "tools"
        environment = {"AT": str(seconds), "PATH": f"{tools}:{os.environ['PATH']}"}
        subprocess.run([self.script(), self.posture], check=True, env=environment)
        return json.loads((self.posture / "hours.json").read_text())

    def test_hours_are_those_of_the_place(self) -> None:
        """Berlin is an hour ahead of UTC in winter and two in summer, from 29 March to 25 October of 2026."""
        for moment, office, night in (
            ("2026-03-27T06:59", False, False), ("2026-03-27T07:00", True, False), ("2026-03-27T16:59", True, False),
            ("2026-03-27T17:00", False, False), ("2026-03-27T19:00", False, True), ("2026-03-27T22:59", False, True),
            ("2026-03-27T23:00", False, False), ("2026-03-28T10:00", False, False), ("2026-03-29T10:00", False, False),
            ("2026-03-30T05:59", False, False), ("2026-03-30T06:00", True, False), ("2026-03-30T16:00", False, False),
            ("2026-10-23T06:00", True, False), ("2026-10-26T06:59", False, False), ("2026-10-26T07:00", True, False),
        ):  # fmt: skip
            with self.subTest(moment):
                word = self.at(moment)
                self.assertEqual((word["AtWork.office"], word["AtWork.night"]), (office, night))

    def test_outside_of_the_hours_its_own_people_are_blocked(self) -> None:
        self.at("2026-03-30T06:00")
        self.begin()
        other = self.person(ALICE).link(self.other.guard_socket)
        self.answered(other.call(f"{GUARD}.Attach", app=APP))

        def prints(link: Any, account: str) -> tuple[str, str]:
            link.call(f"{GUARD}.SetIdentity", level="process", account=account)
            decision = self.answered(link.call(f"{GUARD}.Print", event={}))["decision"]
            return decision["reason"], decision.get("text", "")

        def free() -> None:
            self.assertEqual(prints(other, "second@contoso.com")[0], "printAllowed")

        for moment, reason in (("06:00", "printAllowed"), ("16:00", "accountNotCompliant"), ("06:30", "printAllowed")):
            self.at(f"2026-03-30T{moment}")
            eventually(lambda reason=reason: prints(self.app, WORK)[0] == reason, reason)
            free()
        self.at("2026-03-30T16:00")
        eventually(self.is_blocked, "the day is over")
        self.assertIn("The office works", json.dumps(self.answered(self.app.call(f"{GUARD}.Print", event={}))))
        # No restart, and no clock of the machine that jumps, makes a day longer.
        self.other.stop(signal.SIGKILL)
        self.begin()
        self.assertTrue(self.is_blocked())
        self.assertEqual(self.problems(), "")
