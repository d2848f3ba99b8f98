"""A check-in brings a policy whole, signed and newer, or leaves the one before; and each failure shows."""

import json
import os
import random
import signal
import subprocess
import tarfile
import time
from io import BytesIO
from pathlib import Path

from daemon import PROGRAM, eventually
from machine import NOBODY, REFRESH, MachineCase

FETCH_FAILED, NOTHING, NO_KEY, BAD_SIGNATURE, BAD_CONTENT, OLDER, EXPIRED, NOT_LOADED, NO_DAEMON = (
    20, 21, 30, 31, 32, 33, 34, 35, 36,
)  # fmt: skip


class CheckIns(MachineCase):
    def test_the_first_brings_the_policy(self) -> None:
        self.assertEqual(self.status()["apps"], 0)
        before = int(time.time() * 1000)
        self.check_in(self.distributor.archive(1))
        status = self.status()
        self.assertEqual((status["health"], status["apps"]), ("ok", 1))
        self.assertEqual(status["checkIn"]["digest"], status["digest"])
        self.assertGreaterEqual(status["checkIn"]["time"], before - 1)
        self.assertNotIn("checkInFailure", status)
        for path in [self.store / self.current(), *(self.store / self.current()).rglob("*")]:
            found = path.stat()
            self.assertEqual((found.st_uid, found.st_mode & 0o777), (0, 0o755 if path.is_dir() else 0o644), path)
        self.assertEqual(self.retries(), [])
        [load] = [record for record in self.daemon.records("policy") if record.get("checkedIn")]
        self.assertEqual((load["loaded"], load["digest"], load["user"]), (True, status["digest"], "root"))

    def test_one_that_changes_nothing_counts(self) -> None:
        self.check_in(self.distributor.archive(7))
        first = self.status()
        time.sleep(0.01)
        archive = (self.distributor.place / "policy.tar").read_bytes()
        self.check_in(archive)
        second = self.status()
        self.assertEqual((first["generation"], first["digest"]), (second["generation"], second["digest"]))
        self.assertGreater(second["checkIn"]["time"], first["checkIn"]["time"])

    def test_the_next_one_replaces_it_and_one_before_stays(self) -> None:
        for number in (1, 2, 3, 10):
            self.check_in(self.distributor.archive(number))
            self.assertEqual(self.current().split("-")[0], str(number))
        kept = sorted(place.name.split("-")[0] for place in self.store.glob("[0-9]*-*"))
        self.assertEqual(kept, ["10", "3"])
        self.assertEqual(self.status()["generation"], 5, "four policies after none")

    def test_it_outlives_a_restart_and_a_kill(self) -> None:
        self.check_in(self.distributor.archive(1))
        told = self.status()["checkIn"]
        for number in (signal.SIGTERM, signal.SIGKILL):
            self.daemon.stop(number)
            self.daemon.start()
            self.assertEqual(self.status()["checkIn"], told)

    def test_a_reload_by_hand_is_none(self) -> None:
        self.check_in(self.distributor.archive(1))
        told = self.status()["checkIn"]
        (self.daemon.config / "rules").mkdir()
        (self.daemon.config / "rules/own.yaml").write_text("ruleSet: own\ndefault: external\nrules: []\n")
        command = [str(PROGRAM), "reload", "--socket-dir", str(self.daemon.sockets)]
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)
        status = self.status()
        self.assertEqual(status["checkIn"], told)
        self.assertNotEqual(status["digest"], told["digest"])
        shown = subprocess.run([*command[:1], "status", *command[2:]], capture_output=True, text=True, check=False)
        self.assertRegex(shown.stdout, r"\ncheck-in +\S+Z, with another policy: [0-9a-f]{16}\n")

    def test_forgetting(self) -> None:
        self.check_in(self.distributor.archive(1))
        self.fetch_by("exit 1")
        self.refresh()
        command = [str(PROGRAM), "check-in", "forget", "--socket-dir", str(self.daemon.sockets)]
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)
        for _ in range(2):
            status = self.status()
            self.assertEqual((status["health"], "checkIn" in status, "checkInFailure" in status), ("ok", False, False))
            self.daemon.stop(signal.SIGKILL)
            self.daemon.start()


class FailureCase(MachineCase):
    """Whatever fails: the policy before stays in force and on disk, the time of the check-in stays, and it shows."""

    def setUp(self) -> None:
        super().setUp()
        self.check_in(self.distributor.archive(5))
        self.before = (self.status()["digest"], self.status()["checkIn"], self.current())

    def fails(self, status: int, words: str, case: str = "") -> None:
        with self.subTest(case=case or words):
            self.assertEqual(self.refresh(), status, self.told)
            shown = self.status()
            self.assertEqual((shown["digest"], shown["checkIn"], self.current()), self.before)
            self.assertEqual([problem["code"] for problem in shown["problems"]][-1], "checkInFailed")
            self.assertIn(words, shown["checkInFailure"]["cause"])
            command = [str(PROGRAM), "health", "--socket-dir", str(self.daemon.sockets)]
            health = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(health.returncode, 1)
            self.assertIn(words, health.stdout)


class Failures(FailureCase):
    def test_a_fetch_that_fails(self) -> None:
        web = self.distributor.place
        for command, status, words in (
            ("exit 7", FETCH_FAILED, "the fetch command failed"),
            ("kill -9 $$", FETCH_FAILED, "the fetch command failed"),
            (f"cp {web}/missing policy.tar", FETCH_FAILED, "the fetch command failed"),
            ("true", NOTHING, "left no policy.tar"),
            (f"cp {web}/policy.tar .", NOTHING, "left no policy.tar"),
            (f"cp {web}/policy.tar.sig .; touch policy.tar", NOTHING, "left no policy.tar"),
            (f"cp {web}/policy.tar.sig .; mkdir policy.tar", NOTHING, "left no policy.tar"),
        ):
            self.fetch_by(command)
            self.fails(status, words, command)
        self.fetch_by(f"cp {web}/policy.tar {web}/policy.tar.sig .")
        self.assertEqual(self.refresh(), 0)
        self.assertEqual(self.status()["health"], "ok", "the next check-in ends it")

    def test_half_an_archive(self) -> None:
        archive = self.distributor.archive(6)
        signature = self.distributor.sign(archive)
        for length in (1, len(archive) // 2, len(archive) - 1):
            self.distributor.publish(archive[:length], signature)
            self.fails(BAD_SIGNATURE, "the signature is not right", f"{length} bytes")

    def test_pauses_grow_to_an_hour_and_begin_anew(self) -> None:
        self.fetch_by("exit 1")
        for _ in range(9):
            self.refresh()
        for pause, least in zip(self.retries(), (60, 120, 240, 480, 960, 1920, 3600, 3600, 3600), strict=True):
            self.assertTrue(least <= pause <= least * 5 // 4, self.retries())
        self.fetch_by(f"cp {self.distributor.place}/policy.tar {self.distributor.place}/policy.tar.sig .")
        self.assertEqual(self.refresh(), 0)
        self.fetch_by("exit 1")
        self.refresh()
        self.assertLessEqual(self.retries()[-1], 75)
        self.assertIn("systemctl stop webviewguard-refresh-retry.timer\n", self.said.read_text())

    def test_an_end_that_nobody_chose(self) -> None:
        for result, words in (("timeout", "ended by timeout"), ("oom-kill", "ended by oom-kill"), ("", "ended by itself")):
            self.step("ended", SERVICE_RESULT=result)
            self.assertIn(words, self.status()["checkInFailure"]["cause"])

    def test_a_policy_that_does_not_load(self) -> None:
        self.distributor.publish(self.distributor.archive(6, broken=True))
        self.fails(NOT_LOADED, "cannot be loaded")
        # Not at the next start either.
        self.daemon.stop()
        self.daemon.start()
        self.assertEqual(self.status()["digest"], self.before[0])
        # Put right, it may keep its number.
        self.check_in(self.distributor.archive(6))
        self.assertEqual(self.current().split("-")[0], "6")

    def test_the_administrators_limit_of_changes_holds(self) -> None:
        self.distributor.publish(self.distributor.archive(6))
        done = self.refresh(RELOAD_OPTIONS="--max-change 0 --timeout 30")
        self.assertEqual(done, 0, "nobody asked anything, so nothing changes for anybody")
        self.assertEqual(self.refresh(RELOAD_OPTIONS="--no-such-option"), NO_DAEMON)

    def test_a_rollback_by_hand_is_not_undone(self) -> None:
        self.check_in(self.distributor.archive(6))
        command = [str(PROGRAM), "rollback", "--socket-dir", str(self.daemon.sockets)]
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 0)
        self.assertEqual(self.refresh(), NOT_LOADED)
        self.assertEqual(self.status()["digest"], self.before[0])

    def test_a_daemon_that_does_not_run(self) -> None:
        self.daemon.stop()
        self.distributor.publish(self.distributor.archive(6))
        self.assertEqual(self.refresh(RELOAD_OPTIONS="--timeout 1"), NO_DAEMON)
        self.daemon.start()
        status = self.status()
        self.assertNotEqual(status["digest"], self.before[0], "it is in place for the next start")
        self.assertEqual(status["checkIn"], self.before[1], "nobody has confirmed it")
        self.assertEqual(self.refresh(), 0, self.told)
        self.assertEqual(self.status()["checkIn"]["digest"], status["digest"])


class Signatures(FailureCase):
    def test_wrong_ones(self) -> None:
        archive, other = self.distributor.archive(6), self.distributor.archive(7)
        stranger, rsa = self.place / "stranger.pem", self.place / "rsa.pem"
        self.distributor.make_key(stranger, "ed25519")
        for case, signature in {
            "another key": self.distributor.sign(archive, stranger),
            "another archive": self.distributor.sign(other),
            "zeros": bytes(64),
            "short": self.distributor.sign(archive)[:63],
            "long": self.distributor.sign(archive) + b"\0",
            "text": b"untrusted comment: x\n",
        }.items():
            self.distributor.publish(archive, signature)
            self.fails(BAD_SIGNATURE, "the signature is not right", case)
        self.distributor.publish(archive, bytes(5000))
        self.fails(BAD_CONTENT, "the archive is not a policy", "a signature of 5,000 bytes")
        # A key of another kind is passed over, and none is left.
        self.distributor.make_key(rsa, "rsa")
        (self.settings / "keys/contoso.pem").write_bytes(self.distributor.public(rsa))
        self.distributor.publish(archive, self.distributor.sign(archive, rsa))
        self.fails(NO_KEY, "there is no key")
        (self.settings / "keys/contoso.pem").unlink()
        self.fails(NO_KEY, "there is no key")

    def test_two_keys(self) -> None:
        """While a new key takes the place of the old one, either signs."""
        new = self.place / "new.pem"
        self.distributor.make_key(new, "ed25519")
        (self.settings / "keys/next.pem").write_bytes(self.distributor.public(new))
        for number, key in ((6, self.distributor.key), (7, new)):
            archive = self.distributor.archive(number)
            self.distributor.publish(archive, self.distributor.sign(archive, key))
            self.assertEqual(self.refresh(), 0, self.told)


class Age(FailureCase):
    def test_an_older_one_does_not_come_back(self) -> None:
        newest = (self.distributor.place / "policy.tar").read_bytes()
        for number in (1, 4):
            self.distributor.publish(self.distributor.archive(number))
            self.fails(OLDER, "older than one that was here", f"serial {number}")
        self.distributor.publish(self.distributor.archive(5, more=lambda archive: add(archive, "rules/more.yaml", b"")))
        self.fails(OLDER, "older than one that was here", "the number of another policy")
        self.check_in(newest)

    def test_not_after_a_rollback_either(self) -> None:
        self.check_in(self.distributor.archive(6))
        command = [str(PROGRAM), "rollback", "--socket-dir", str(self.daemon.sockets)]
        subprocess.run(command, capture_output=True, check=True)
        self.distributor.publish(self.distributor.archive(5))
        self.assertEqual(self.refresh(), OLDER)

    def test_one_whose_time_is_over(self) -> None:
        """Else whoever keeps the machine from newer ones could go on serving it, and it would look fresh."""
        self.distributor.publish(self.distributor.archive(6, until="2020-01-01T00:00:00Z"))
        self.fails(EXPIRED, "past its valid-until")
        for until in ("tomorrow", "2099-13-01T00:00:00Z", "2099-01-01", "@4102444800"):
            self.distributor.publish(self.distributor.archive(6, until=until))
            self.fails(BAD_CONTENT, "the archive is not a policy", until)
        self.check_in(self.distributor.archive(6, until="2099-01-01T00:00:00Z"))


def add(archive: tarfile.TarFile, name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
    member = tarfile.TarInfo(name)
    member.size, member.type, member.linkname, member.mode = len(content), kind, link, 0o6777
    archive.addfile(member, BytesIO(content))


class Archives(FailureCase):
    """What is signed was meant so, but a distributor may be wrong, and his machine another's."""

    def test_what_is_no_policy(self) -> None:
        for serial in (None, "0", "-1", "1e9", "07", "", "9" * 16, "six"):
            self.distributor.publish(self.distributor.archive(serial))
            self.fails(BAD_CONTENT, "the archive is not a policy", f"serial {serial}")
        for archive in (b"not an archive", b"\0" * 10_240):
            self.distributor.publish(archive)
            self.fails(BAD_CONTENT, "the archive is not a policy", repr(archive[:10]))

    def test_what_leads_elsewhere(self) -> None:
        secret = self.place / "secret"
        secret.write_text("root's")
        for case, kind, name, link in (
            ("a link", tarfile.SYMTYPE, "policy.d/x.yaml", str(secret)),
            ("a link of a directory", tarfile.SYMTYPE, "lists", "/etc"),
            ("a pipe", tarfile.FIFOTYPE, "policy.d/x.yaml", ""),
            ("a device", tarfile.CHRTYPE, "policy.d/x.yaml", ""),
            ("a way up", tarfile.REGTYPE, "../../escaped", ""),
            ("a hard link out", tarfile.LNKTYPE, "policy.d/x.yaml", str(secret)),
        ):
            self.distributor.publish(
                self.distributor.archive(6, more=lambda archive, k=kind, n=name, to=link: add(archive, n, b"", k, to))
            )
            self.fails(BAD_CONTENT, "the archive is not a policy", case)
            self.assertFalse((self.store / "escaped").exists() or (self.place / "escaped").exists())
        self.assertEqual(secret.stat().st_nlink, 1)

    def test_rights_are_not_the_archives(self) -> None:
        self.check_in(self.distributor.archive(6, more=lambda archive: add(archive, "policy.d/more.yaml", b"{}\n")))
        found = (self.store / self.current() / "policy.d/more.yaml").stat()
        self.assertEqual((found.st_uid, found.st_mode & 0o7777), (0, 0o644))


class Kills(MachineCase):
    def test_a_kill_leaves_one_policy_or_the_other(self) -> None:
        """SIGKILL at any moment: what is on disk loads, and is one of the two whole; the next run ends what was begun."""
        rounds = int(os.environ.get("WEBVIEWGUARD_KILLS", "40"))
        source = random.Random(int(os.environ.get("WEBVIEWGUARD_SEED", "7")))
        start = time.monotonic()
        self.check_in(self.distributor.archive(1))
        whole = time.monotonic() - start
        published = {"1": self.tree(self.store / self.current())}
        reached = set()
        for number in range(2, rounds + 2):
            self.distributor.publish(self.distributor.archive(number))
            self.assertEqual(self.step("fetch").returncode, 0)
            run = subprocess.Popen(
                [str(REFRESH), "install"], env=self.environment(), start_new_session=True, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )  # fmt: skip
            time.sleep(source.random() * whole)
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()
            serial, tree = self.current().split("-")[0], self.tree(self.store / self.current())
            reached.add(serial == str(number))
            published.setdefault(serial, tree)
            self.assertEqual(tree, published[serial], f"round {number}: half a policy")
            self.assertIn(int(serial), (number - 1, number))
            check = subprocess.run([str(PROGRAM), "check", str(self.store / "current")], capture_output=True, check=False)
            self.assertEqual(check.returncode, 0, f"round {number}: {check.stdout!r}")
            self.assertEqual(eventually(self.refresh_once, "the lock is free"), [0])
            published[str(number)] = self.tree(self.store / self.current())
            self.assertEqual(self.status()["digest"], self.status()["checkIn"]["digest"])
        self.assertEqual(reached, {True, False}, "kills before and after the exchange")
        self.assertLessEqual(len(list(self.store.glob("[0-9]*-*"))), 2, "nothing is left over")
        self.daemon.stop(signal.SIGKILL)
        self.daemon.start()
        self.assertEqual(self.status()["health"], "ok")

    def refresh_once(self) -> list[int]:
        """The status of a run, unless the killed one still holds the lock."""
        status = self.refresh()
        return [] if status == 38 else [status]

    @staticmethod
    def tree(directory: Path) -> dict[str, bytes]:
        return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()}


class CallsOfTheDaemon(MachineCase):
    def test_only_administrators_may_tell_of_check_ins(self) -> None:
        self.daemon.directory.chmod(0o755)
        for verb in (["check-in", "failed", "no"], ["check-in", "forget"], ["reload", "--checked-in"]):
            done = subprocess.run(
                [str(PROGRAM), *verb, "--socket-dir", str(self.daemon.sockets)], capture_output=True, text=True, check=False,
                user=NOBODY, group=NOBODY, extra_groups=[],
            )  # fmt: skip
            self.assertEqual(done.returncode, 2, done)
            self.assertIn("no permission", done.stderr)

    def test_causes_are_one_short_line(self) -> None:
        command = [str(PROGRAM), "check-in", "failed", "--socket-dir", str(self.daemon.sockets)]
        for cause in ("a\nb\x1b[2J\u202e", "x" * 5000, "\u00e9" * 5000):
            self.assertEqual(subprocess.run([*command, "--", cause], capture_output=True, check=False).returncode, 0)
            told = self.status()["checkInFailure"]["cause"]
            self.assertLessEqual(len(told.encode()), 300)
            self.assertGreater(len(told), 1)
            self.assertFalse(set(told) & set("\n\x1b\u202e"), told)
            self.daemon.stop(signal.SIGKILL)
            self.daemon.start()
            self.assertEqual(self.status()["checkInFailure"]["cause"], told)
        self.assertEqual(subprocess.run([*command, "--", ""], capture_output=True, check=False).returncode, 64)

    def test_a_preview_is_none(self) -> None:
        command = [str(PROGRAM), "reload", "--preview", "--checked-in", "--socket-dir", str(self.daemon.sockets)]
        self.assertEqual(subprocess.run(command, capture_output=True, check=False).returncode, 64)
        call = [str(PROGRAM), "call", "org.webviewguard.Admin.Reload", json.dumps({"preview": True, "checkedIn": True})]
        done = subprocess.run([*call, "--socket-dir", str(self.daemon.sockets)], capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertNotIn("checkIn", self.status())
