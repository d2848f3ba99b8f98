"""What carries a wipe out: orders of the helper, agreements, records and state. Each lasts as long as its wipe."""

import json
import os
import shutil
import signal
import subprocess
from collections import Counter
from typing import Any

from attack_case import APP, Link
from configuration import WORK, Configuration
from daemon import PROGRAM, eventually
from person import PYTHON
from test_wipe_ends import PATTERN, SETTINGS, SEVERAL
from test_wipes import ALICE, DAY, DELAY, HOUR, NOTES, POLICY, WipeCase
from wire import ACCOUNTS, ADMIN, GUARD

NO_DIRECTORIES = "".join(line for line in POLICY.splitlines(True) if "dataDirectories" not in line)
ENDS = {"wipeCompleted", "wipeIncomplete"}


class Orders(WipeCase):
    """Orders of the helper: each as long as its wipe, and no longer."""

    def refused_by_app(self) -> tuple[Link, str]:
        link = self.enrolled(ALICE)
        request = self.begun(ALICE)
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="refused"))
        return link, request

    def help(self) -> None:
        """The helper runs, as its user."""
        prefix = ["setpriv", f"--reuid={ALICE}", f"--regid={ALICE}", "--clear-groups"]
        sockets = str(self.daemon.sockets)
        command = [str(PROGRAM), "wipe-files", "--orders", f"{sockets}/wipe", "--socket-dir", sockets]
        subprocess.run([*prefix, *command, "--patience", "1s"], capture_output=True, cwd="/", timeout=60, check=False)

    def test_an_order_of_a_wipe_that_ended_removes_nothing_of_the_next_account(self) -> None:
        """The policy names no directories any more: the wipe ends, and its order with it."""
        data = self.daemon.directory / "data"
        own = POLICY.replace("/srv/wvg-absent", str(data))
        self.reload(Configuration(own))
        self.daemon.directory.chmod(0o755)
        link, request = self.refused_by_app()
        eventually(self.orders, "the order is written")
        self.reload(Configuration(NO_DIRECTORIES))
        eventually(lambda: ENDS & set(self.acts(request)), "the wipe ends")
        self.assertEqual(self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))["state"], "enrolled")
        kept = data / APP / WORK / "new.txt"
        kept.parent.mkdir(parents=True)
        kept.write_text("of the new account")
        for path in (data, data / APP, kept.parent, kept):
            os.chown(path, ALICE, ALICE)
        self.daemon.beat()
        self.help()
        self.assertTrue(kept.exists(), "what the account keeps since the wipe ended stays")
        self.assertEqual(self.orders(), [])

    def test_an_order_that_could_not_be_written_is_written_later(self) -> None:
        place = self.daemon.sockets / "wipe"
        shutil.rmtree(place, ignore_errors=True)
        place.write_text("in the way")
        self.refused_by_app()
        self.daemon.beat()
        place.unlink()
        self.wait(DAY)
        self.assertEqual(self.phases(), ["asking"])
        eventually(self.orders, "the order is written")

    def test_an_order_that_was_deleted_is_written_again(self) -> None:
        self.refused_by_app()
        eventually(self.orders, "the order is written")
        shutil.rmtree(self.daemon.sockets / "wipe")
        self.wait(DAY)
        self.assertEqual(self.phases(), ["asking"])
        eventually(self.orders, "the order is written again")

    def test_what_a_helper_reports_writes_no_line_of_the_journal(self) -> None:
        """A program of the user can report what it likes: the reader of the journal sees one line, and no colours."""
        link, request = self.refused_by_app()
        eventually(self.orders, "the order is written")
        problems = ["a\nerror: everything is lost", "\x1b[31mred", "\u202eback"]
        report: dict[str, Any] = {"removed": 1, "kept": 1, "problems": problems}
        self.answered(link.call(f"{ACCOUNTS}.FilesRemoved", request=f"{request}-1", **report))
        self.daemon.tells("the helper left something", times=3)
        told = self.daemon.said.read_text()
        self.assertNotIn("\nerror: everything is lost", told)
        self.assertNotIn("\x1b", told)
        self.assertNotIn("\u202e", told)

    def test_an_app_that_left_the_policy_holds_no_wipe_for_ever(self) -> None:
        """It can attach no more, and nobody can take the wipe back: it ends, and says that data may remain."""
        link = self.enrolled(ALICE, NOTES)
        link.person.end()
        self.wait(60)
        request = self.wiped(ALICE)
        self.reload(Configuration(POLICY[: POLICY.index(f"  {NOTES}:")] + POLICY[POLICY.index("wipe:") :]))
        self.wait(DELAY + HOUR)
        for _ in range(4):
            self.wait(10 * DAY)
        self.assertEqual((self.phases(), self.acts(request)[-1]), ([], "wipeIncomplete"))

    def test_an_app_asks_for_no_more_wipes_than_it_may_have_accounts(self) -> None:
        self.reload(Configuration(SEVERAL, organisation=PATTERN))
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        for number in range(200):
            name = f"n{number}@contoso.com"
            link.call(f"{ACCOUNTS}.Register", account=name)
            link.call(f"{ACCOUNTS}.Deregister", account=name, data="remove")
        self.assertLessEqual(len(self.phases()), 64)

    def test_a_directory_of_two_apps_is_not_removed_for_one_of_them(self) -> None:
        """An app removes nothing of another, also where the policy gives both a directory."""
        shared = POLICY.replace(f"/srv/wvg-absent/{APP}/", "/srv/wvg-absent/x/")
        shared = shared.replace(f"/srv/wvg-absent/{NOTES}/", "/srv/wvg-absent/x/")
        Configuration(shared).write(self.daemon.config)
        reply = self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Reload")
        if "error" in reply:
            return
        self.enrolled(ALICE)
        notes = self.enrolled(ALICE, NOTES)
        self.answered(notes.call(f"{ACCOUNTS}.Deregister", account=WORK, data="remove"))
        self.wait(DELAY + HOUR)
        [wipe] = self.admin("Wipes")["wipes"]
        self.answered(notes.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="refused"))
        self.wait(HOUR)
        self.assertEqual(self.orders(), [], "the portal has the account, and its data there")


class Approvals(WipeCase):
    """Two administrators, who are both root: their login users tell them apart."""

    two = Configuration(POLICY.replace("mode: on", "mode: on, approvals: 2"), settings=SETTINGS)

    # As a person who logged in; the daemon asks the kernel who did.
    CALL = """\
import json, socket, sys
open("/proc/self/loginuid", "w").write(sys.argv[1])
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[2])
link.sendall(json.dumps({"method": sys.argv[3], "parameters": json.loads(sys.argv[4])}).encode() + bytes(1))
received = b""
while not received.endswith(bytes(1)):
    received += link.recv(1 << 16)
print(received[:-1].decode())
"""

    def as_login(self, login: int, method: str, **parameters: Any) -> dict[str, Any]:
        words = [str(login), str(self.daemon.admin_socket), f"{ADMIN}.{method}", json.dumps(parameters)]
        done = subprocess.run([PYTHON, "-c", self.CALL, *words], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode:
            self.skipTest(f"no login user can be set here: {done.stderr[-200:]}")
        return dict(json.loads(done.stdout))

    def test_the_log_says_which_two_persons_agreed(self) -> None:
        self.reload(self.two)
        self.enrolled(ALICE)
        wanted: dict[str, Any] = {"account": WORK, "uid": ALICE, "reason": "left"}
        code = self.answered(self.as_login(1000, "WipeAccount", **wanted))["code"]
        wipe = self.answered(self.as_login(1000, "WipeAccount", confirm=code, **wanted))["wipe"]
        self.refused_by_admin(self.as_login(1000, "ApproveWipe", id=wipe["id"]), "sameApprover")
        self.daemon.stop(signal.SIGKILL)
        self.begin()
        self.refused_by_admin(self.as_login(1000, "ApproveWipe", id=wipe["id"]), "sameApprover")
        self.answered(self.as_login(1001, "ApproveWipe", id=wipe["id"]))
        acts = ("wipeBegun", "wipeApproved")
        told = {record["act"]: record for record in self.daemon.records("account") if record["act"] in acts}
        for act, login in zip(acts, (1000, 1001), strict=True):
            words = [value for key, value in told[act].items() if key not in ("pid", "seq")]
            self.assertIn(login, words, told[act])

    def refused_by_admin(self, reply: dict[str, Any], why: str) -> None:
        self.assertEqual((reply.get("parameters") or {}).get("why"), why, reply)

    def test_a_policy_that_wants_two_persons_holds_for_a_wipe_that_waits(self) -> None:
        self.reload(Configuration(POLICY))
        self.enrolled(ALICE)
        self.wiped(ALICE)
        self.reload(self.two)
        self.wait(DELAY + HOUR)
        self.wait(HOUR)
        self.assertEqual(self.phases(), ["pending"])


class Lost(WipeCase):
    """The state that a daemon cannot write, or does not find: no account works that an administrator locked."""

    def is_locked(self) -> None:
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        state = self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))["state"]
        self.assertNotEqual(state, "enrolled")

    def test_a_wipe_that_no_disk_took_is_refused_or_survives(self) -> None:
        self.enrolled(ALICE)
        state, away = self.daemon.directory / "state", self.daemon.directory / "away"
        state.rename(away)
        wanted: dict[str, Any] = {"account": WORK, "uid": ALICE, "reason": "left"}
        code = self.admin("WipeAccount", **wanted)["code"]
        reply = self.wire(self.daemon.admin_socket).call(f"{ADMIN}.WipeAccount", confirm=code, **wanted)
        if "error" in reply:
            return
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(state, ignore_errors=True)
        away.rename(state)
        self.begin()
        self.is_locked()

    def test_an_end_that_no_disk_took_is_not_taken_back_by_a_source(self) -> None:
        """What the app ended only the app brings back, also after a kill."""
        self.reload(Configuration(POLICY.replace("source: [app]", "source: [app, broker]")))
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        signed_in = {"source": "broker", "accounts": [{"upn": WORK}]}
        self.answered(link.call(f"{ACCOUNTS}.SignedIn", **signed_in))
        state, away = self.daemon.directory / "state", self.daemon.directory / "away"
        state.rename(away)
        reply = link.call(f"{ACCOUNTS}.Deregister", account=WORK)
        if "error" in reply:
            return
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(state, ignore_errors=True)
        away.rename(state)
        self.begin()
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{ACCOUNTS}.SignedIn", **signed_in))
        states = [account["state"] for account in self.answered(link.call(f"{ACCOUNTS}.List"))["accounts"]]
        self.assertNotIn("enrolled", states)

    def test_a_wipe_outlives_a_state_file_that_is_damaged(self) -> None:
        self.enrolled(ALICE)
        self.wiped(ALICE)
        self.daemon.stop(signal.SIGKILL)
        for file in (self.daemon.directory / "state").glob("state.db*"):
            file.write_bytes(b"x" * 9000)
        self.begin()
        self.is_locked()


class Shares(WipeCase):
    """A user who fills the own share of the log."""

    configuration = Configuration(
        POLICY, settings=SETTINGS + "log: { rotateMegabytes: 1, maximumMegabytes: 4 }\n")

    def full(self) -> Link:
        link = self.enrolled(ALICE)
        for _ in range(5000):
            self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))
        return link

    def test_a_full_share_hides_no_order_of_an_administrator(self) -> None:
        self.full()
        order = {"account": WORK, "app": APP, "uid": ALICE, "reason": "left the project"}
        self.admin("DeregisterAccount", **order)
        ended = [record for record in self.daemon.records("account") if record["act"] == "deregistered"]
        self.assertEqual([record.get("user") for record in ended], ["root"])

    def test_a_full_share_hides_no_wipe(self) -> None:
        self.full()
        request = self.wiped(ALICE, now=True)
        self.assertIn("wipeBegun", self.acts(request))

    def test_requests_that_wipe_nothing_fill_the_share_of_their_user(self) -> None:
        """Where the policy removes nothing each request leaves a record, and none of them is of a wipe."""
        self.reload(Configuration(POLICY.replace("mode: on", "mode: off")))
        link = self.enrolled(ALICE)
        for _ in range(3000):
            self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK, data="remove"))
            self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))
        acts = Counter(record["act"] for record in self.daemon.records("account"))
        self.assertLess(acts["deregistered"], 3000, "the share is full")
        self.assertLessEqual(acts["wouldWipe"], acts["deregistered"])
