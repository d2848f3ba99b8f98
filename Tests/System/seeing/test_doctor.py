"""`doctor`: each thing that may be broken is found, and the words say what to do."""

import os
import pwd
import signal
import sqlite3
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from configuration import BROKEN, ORGANISATION, WORK, Configuration
from daemon import PROGRAM, Daemon
from seen import SeenCase, as_json, date_last_record, navigate, write
from wire import ACCOUNTS

Finding = dict[str, Any]

# What `systemctl show` says of units as the package has them.
SOUND = {
    "LoadState": "loaded",
    "ActiveState": "active",
    "UnitFileState": "enabled",
    "Result": "success",
    "DropInPaths": "",
    "PrivateUsers": "no",
    "Restart": "always",
    "WatchdogUSec": "30s",
    "NoNewPrivileges": "yes",
    "MemoryDenyWriteExecute": "yes",
    "ProtectSystem": "strict",
    "CapabilityBoundingSet": "",
    "RestrictAddressFamilies": "AF_UNIX",
}


class DoctorCase(SeenCase):
    def doctor(
        self, daemon: Daemon, *more: str, path: str | None = None, prefix: Sequence[str] = ()
    ) -> tuple[int, list[Finding]]:
        """The exit status and the findings, as a person would ask for them: with the options of `serve`. `prefix` is a
        command that runs it."""
        command = [
            *prefix, str(PROGRAM), "doctor", "--format", "json", "--config", str(daemon.config),
            "--socket-dir", str(daemon.sockets), "--log-dir", str(daemon.logs),
            "--state-dir", str(daemon.directory / "state"), *more,
        ]  # fmt: skip
        environment = {**os.environ, "PATH": path or "/nowhere"}
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
        self.assertEqual(said.stderr, "")
        findings = as_json(said.stdout)
        levels = [finding["level"] for finding in findings]
        expected = 2 if "problem" in levels else 1 if "warning" in levels else 0
        self.assertEqual(said.returncode, expected, findings)
        for finding in findings:
            self.assertEqual(finding["remedy"] is None, finding["level"] == "ok", finding)
        return said.returncode, findings

    def finds(self, daemon: Daemon, level: str, area: str, words: str, path: str | None = None) -> None:
        """One finding of this level says these words."""
        _, findings = self.doctor(daemon, path=path)
        found = [f for f in findings if f["level"] == level and f["area"] == area and words in f["text"]]
        self.assertEqual(len(found), 1, findings)


def plain_device(path: str) -> str | None:
    """The device of a file system that lies on one without any layer below; nil for all others."""
    number = os.stat(path).st_dev
    block = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}")
    if not block.exists() or (block / "dm").exists() or any((block / "slaves").glob("*")):
        return None
    return next(f"/dev/{line[8:]}" for line in (block / "uevent").read_text().splitlines() if line.startswith("DEVNAME="))


class Well(DoctorCase):
    def test_nothing_is_broken(self) -> None:
        daemon = self.daemon().start()
        navigate(self.app(daemon), "https://www.contoso.com/")
        _, findings = self.doctor(daemon)
        # Whether somebody keeps the clock, and how old the list of suffixes is, is this machine's business.
        foreign = ("clock", "libraries", "configuration")
        self.assertEqual([f for f in findings if f["level"] != "ok" and f["area"] not in foreign], [])
        areas = {f["area"] for f in findings}
        expected = {"configuration", "places", "sockets", "contract", "daemon", "log", "state", "libraries"}
        self.assertLessEqual(expected, areas)

    def test_the_versions_of_libraries_are_told(self) -> None:
        _, findings = self.doctor(self.daemon())
        versions = next(f["text"] for f in findings if f["area"] == "libraries")
        for library in ("ICU", "Unicode", "PCRE2", "libpsl", "simdjson", "SQLite", "libyaml", "zlib"):
            self.assertRegex(versions, rf"{library} \d")
        self.assertIn(sqlite3.sqlite_version, versions)

    def test_text_says_the_same(self) -> None:
        daemon = self.daemon()
        command = [str(PROGRAM), "doctor", "--config", str(daemon.config), "--socket-dir", str(daemon.sockets)]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(said.returncode, 2, said)
        lines = said.stdout.splitlines()
        self.assertRegex(lines[-1], r"^\d+ problems?, \d+ warnings?$")
        problems = [number for number, line in enumerate(lines) if line.startswith("problem")][:-1]
        for number in problems:
            self.assertTrue(lines[number + 1].startswith("  do: "), lines[number])

    def test_the_volumes_of_state_and_homes_are_looked_at(self) -> None:
        """`by: volume` is a word to apps; `doctor` looks at the volume that their person writes to."""
        volume = ORGANISATION.replace("    webTransfer:", "    encryption: { by: volume }\n    webTransfer:")
        home = os.path.realpath(pwd.getpwuid(os.getuid()).pw_dir)
        for organisation, isWanted in ((ORGANISATION, False), (volume, True)):
            daemon = self.daemon(Configuration(organisation=organisation)).start()
            self.assertNotIn("error", self.app(daemon).call(f"{ACCOUNTS}.Register", account=WORK))
            _, findings = self.doctor(daemon)
            told = {f["text"]: f["level"] for f in findings if "volume of" in f["text"]}
            state = [text for text in told if f"`{daemon.directory / 'state'}`" in text]
            homes = [text for text in told if f"`{home}` ({WORK} of " in text]
            self.assertEqual((len(state), len(homes)), (1, int(isWanted)), findings)
            levels = {"problem": "is not encrypted", "warning": "nobody can say", "ok": "is encrypted"}
            for text in state + homes:
                self.assertIn(levels[told[text]] if isWanted else "", text)
            if not isWanted:
                self.assertEqual(set(told.values()), {"ok"})
            if homes and (plain := plain_device(home)):
                self.assertIn(f"is not encrypted: {plain}", homes[0])
            daemon.stop()

    def test_nothing_is_changed(self) -> None:
        daemon = self.daemon().start()
        self.app(daemon)
        daemon.stop()
        before = self.snapshot(daemon)
        self.doctor(daemon)
        self.assertEqual(self.snapshot(daemon), before)

    def snapshot(self, daemon: Daemon) -> dict[str, tuple[int, float, int]]:
        files = [file for file in daemon.directory.rglob("*")]
        return {str(f): (f.stat().st_size, f.stat().st_mtime, f.stat().st_mode) for f in files}


class ConfigurationIsExamined(DoctorCase):
    def test_it_does_not_load(self) -> None:
        self.finds(self.daemon(Configuration(BROKEN)), "problem", "configuration", "it does not load")

    def test_it_has_warnings(self) -> None:
        daemon = self.daemon()
        write(daemon, "policy.d/app-0.yaml", "apps: {}\n")
        self.finds(daemon, "warning", "configuration", "warning")

    def test_another_one_is_in_force(self) -> None:
        daemon = self.daemon().start()
        write(daemon, "rules/contoso.yaml", Configuration().files["rules/contoso.yaml"] + "# later\n")
        self.finds(daemon, "warning", "configuration", "another configuration than the one on disk")


class PlacesAreExamined(DoctorCase):
    def test_what_others_may_write(self) -> None:
        daemon = self.daemon().start()
        self.finds(daemon, "ok", "places", "only root")
        state = daemon.directory / "state"
        for place in (daemon.config, daemon.config / "policy.d/app-0.yaml", daemon.logs, daemon.log_file, state):
            mode = place.stat().st_mode & 0o777
            place.chmod(mode | 0o002)
            self.finds(daemon, "problem", "places", f"`{place}` has mode")
            place.chmod(mode)

    def test_what_belongs_to_others(self) -> None:
        if os.getuid() != 0:
            self.skipTest("only root may give files away")
        daemon = self.daemon().start()
        os.chown(daemon.config / "rules/contoso.yaml", 12345, 0)
        self.finds(daemon, "problem", "places", "belongs to uid 12345")

    def test_the_key_is_a_secret(self) -> None:
        daemon = self.daemon().start()
        (daemon.logs / "pseudonym.key").chmod(0o644)
        self.finds(daemon, "problem", "places", "but it is a secret")


class SocketsAreExamined(DoctorCase):
    def test_nobody_listens(self) -> None:
        daemon = self.daemon().start()
        daemon.stop()
        self.finds(daemon, "problem", "sockets", "there is no socket for apps")
        self.finds(daemon, "problem", "daemon", "it does not answer")

    def test_a_killed_daemon_leaves_sockets(self) -> None:
        daemon = self.daemon().start()
        daemon.stop(9)
        self.finds(daemon, "problem", "sockets", f"nobody listens at `{daemon.guard_socket}`")

    def test_something_else_lies_there(self) -> None:
        daemon = self.daemon().start()
        daemon.guard_socket.unlink()
        daemon.guard_socket.write_text("")
        self.finds(daemon, "problem", "sockets", "is no socket")

    def test_modes(self) -> None:
        daemon = self.daemon().start()
        daemon.guard_socket.chmod(0o600)
        daemon.admin_socket.chmod(0o666)
        self.finds(daemon, "warning", "sockets", "has mode 0600, not 0666")
        self.finds(daemon, "warning", "sockets", "has mode 0666, not 0660")

    def test_a_directory_that_others_write(self) -> None:
        daemon = self.daemon().start()
        daemon.sockets.chmod(0o777)
        self.finds(daemon, "problem", "sockets", "others may write into")

    def test_the_contract(self) -> None:
        daemon = self.daemon().start()
        whole = daemon.contract.read_text()
        # One that runs would soon put its contract back.
        daemon.stop(signal.SIGKILL)
        daemon.contract.chmod(0o666)
        self.finds(daemon, "problem", "contract", "clients do not trust")
        daemon.contract.chmod(0o644)
        daemon.contract.write_text(whole.replace("closed", "open"))
        self.finds(daemon, "warning", "contract", "says something else")
        daemon.contract.unlink()
        self.finds(daemon, "problem", "contract", "there is no failure contract")


class DaemonIsExamined(DoctorCase):
    def test_its_own_problems_are_told(self) -> None:
        daemon = self.daemon(None, "--without-decision-log").start()
        self.finds(daemon, "warning", "daemon", "nothing is recorded")

    def test_too_few_files(self) -> None:
        daemon = self.daemon()
        daemon.prefix = ["/usr/bin/prlimit", "--nofile=300:300"]
        daemon.start()
        self.finds(daemon, "problem", "limits", "may open 300 files, and `limits.connections` promises 1024")


class LogIsExamined(DoctorCase):
    def test_a_record_was_altered(self) -> None:
        daemon = self.daemon().start()
        navigate(self.app(daemon), "https://www.contoso.com/")
        daemon.stop()
        daemon.log_file.write_bytes(daemon.log_file.read_bytes().replace(b"www.contoso.com", b"www.contoso.net"))
        self.finds(daemon, "problem", "log", "decisions.jsonl:")

    def test_it_is_not_where_it_should_be(self) -> None:
        daemon = self.daemon().start()
        _, findings = self.doctor(daemon, "--log-dir", str(daemon.directory / "elsewhere"))
        log = [finding for finding in findings if finding["area"] == "log"]
        self.assertEqual([finding["level"] for finding in log], ["problem"])
        self.assertIn("the daemon runs, and there is no log at", log[0]["text"])

    def test_a_torn_end_of_a_dead_daemon(self) -> None:
        daemon = self.daemon().start()
        daemon.stop()
        with open(daemon.log_file, "ab") as file:
            file.write(b'{"v":1,"seq":')
        self.finds(daemon, "problem", "log", "decisions.jsonl:")

    def test_no_room(self) -> None:
        daemon = self.daemon()
        daemon.logs.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m,mode=0750", "tmpfs", str(daemon.logs)], capture_output=True, check=False
        )
        if mounted.returncode != 0:
            self.skipTest("only root may mount")
        self.addCleanup(lambda: subprocess.run(["umount", str(daemon.logs)], check=True))
        daemon.start()
        self.finds(daemon, "problem", "log", "are free")
        daemon.stop()


class StateIsExamined(DoctorCase):
    def test_it_is_damaged(self) -> None:
        daemon = self.daemon().start()
        self.app(daemon)
        daemon.stop()
        file = daemon.directory / "state/state.db"
        file.write_bytes(b"not a database, whatever it says " * 200)
        self.finds(daemon, "problem", "state", "cannot be used")

    def test_it_is_anothers(self) -> None:
        daemon = self.daemon()
        (daemon.directory / "state").mkdir(mode=0o700)
        with sqlite3.connect(daemon.directory / "state/state.db") as database:
            database.execute("CREATE TABLE other (a)")
        self.finds(daemon, "problem", "state", "not a state file of this version")

    def test_one_was_set_aside(self) -> None:
        daemon = self.daemon()
        (daemon.directory / "state").mkdir(mode=0o700)
        (daemon.directory / "state/state.db.unusable-20261121T220000.000Z").write_text("")
        self.finds(daemon, "warning", "state", "an earlier state could not be used")

    def test_one_in_use_is_whole(self) -> None:
        daemon = self.daemon().start()
        self.app(daemon)
        self.finds(daemon, "ok", "state", "it is whole")


class ClockIsExamined(DoctorCase):
    def test_it_is_behind_the_record(self) -> None:
        daemon = self.daemon().start()
        daemon.stop()
        date_last_record(daemon, "2099-01-01T00:00:00.000Z")
        self.finds(daemon, "problem", "clock", "2099-01-01T00:00:00.000Z, which holds until then")


class UnitsAreExamined(DoctorCase):
    def systemctl(self, daemon: Daemon, **changed: str) -> str:
        """A directory for PATH with a `systemctl` that tells of these units."""
        directory = daemon.directory / "bin"
        directory.mkdir(exist_ok=True)
        lines = "".join(f"{name}={value}\n" for name, value in {**SOUND, **changed}.items())
        program = directory / "systemctl"
        program.write_text(f"#!/bin/sh\nwhile read -r line; do echo \"$line\"; done <<'END'\n{lines}END\n")
        program.chmod(0o755)
        return str(directory)

    def test_units_as_the_package_has_them(self) -> None:
        daemon = self.daemon()
        self.finds(daemon, "ok", "systemd", "is as it should be", self.systemctl(daemon))

    def test_no_systemd(self) -> None:
        self.finds(self.daemon(), "ok", "systemd", "does not run the daemon here")

    def test_what_a_drop_in_weakens(self) -> None:
        daemon = self.daemon()
        cases = (
            ("problem", "PrivateUsers", "yes", "reads as nobody"),
            ("warning", "Restart", "no", "stays away"),
            ("warning", "NoNewPrivileges", "no", "may become more"),
            ("warning", "MemoryDenyWriteExecute", "no", "code of his own"),
            ("warning", "ProtectSystem", "no", "change the system"),
            ("warning", "CapabilityBoundingSet", "cap_net_admin", "has capabilities"),
            ("warning", "RestrictAddressFamilies", "", "has the network"),
            ("warning", "WatchdogUSec", "0", "may hang"),
        )
        for level, name, value, words in cases:
            path = self.systemctl(daemon, DropInPaths="/etc/systemd/system/x.conf", **{name: value})
            self.finds(daemon, level, "systemd", words, path)
            self.finds(daemon, "ok", "systemd", "has drop-ins: /etc/systemd/system/x.conf", path)

    def test_units_that_do_not_run(self) -> None:
        daemon = self.daemon()
        for name, value, level, words in (
            ("UnitFileState", "disabled", "warning", "webviewguard.socket does not start with the system"),
            ("ActiveState", "failed", "problem", "webviewguard.service has failed"),
        ):
            self.finds(daemon, level, "systemd", words, self.systemctl(daemon, **{name: value}))
