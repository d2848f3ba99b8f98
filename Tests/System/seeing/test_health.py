"""`status` and `health`: the words and the exit status, of a daemon that is well and of ones that are not."""

import os
import signal

from configuration import BROKEN, SETTINGS, Configuration
from daemon import Daemon, eventually
from seen import SeenCase, as_json, date_last_record, fill_disk, limit_files, navigate, write


class ExitStatus(SeenCase):
    def is_said(self, daemon: Daemon, status: int, *words: str) -> None:
        """Both verbs end like this and say these words, `status` at its top."""
        health = self.run_verb(daemon, "health")
        self.assertEqual(health.returncode, status, health)
        quiet = self.run_verb(daemon, "health", "--quiet")
        self.assertEqual((quiet.returncode, quiet.stdout, quiet.stderr), (status, "", ""))
        shown = self.run_verb(daemon, "status")
        self.assertEqual(shown.returncode, status, shown)
        self.assertEqual(len(health.stdout.splitlines()), 1)
        top = "\n".join(shown.stdout.splitlines()[:4])
        for word in words:
            self.assertIn(word, health.stdout)
            self.assertIn(word, top)
        self.assertLessEqual(max(map(len, shown.stdout.splitlines())), 100, shown.stdout)

    def test_a_daemon_that_is_well(self) -> None:
        self.is_said(self.daemon().start(), 0, "ok")

    def test_a_configuration_without_a_file(self) -> None:
        """As the package leaves it."""
        configuration = Configuration()
        configuration.files.clear()
        daemon = self.daemon(configuration)
        daemon.config.mkdir(exist_ok=True)
        self.is_said(daemon.start(), 0, "ok")

    def test_a_load_that_failed(self) -> None:
        daemon = self.daemon().start()
        write(daemon, "policy.d/app-0.yaml", BROKEN)
        self.assertEqual(self.run_verb(daemon, "reload").returncode, 1)
        self.is_said(daemon, 1, "degraded", "the last load failed", "app-0.yaml:1:")
        Configuration().write(daemon.config)
        self.assertEqual(self.run_verb(daemon, "reload").returncode, 0)
        self.is_said(daemon, 0, "ok")

    def test_no_policy(self) -> None:
        for required, what in (("true", "blocked"), ("false", "allowed")):
            configuration = Configuration(BROKEN, settings=f"policyRequired: {required}\n")
            self.is_said(self.daemon(configuration).start(), 2, "failed", f"everything is {what}")

    def test_a_log_that_cannot_be_written(self) -> None:
        for setting, words in (("block", "nothing is allowed"), ("continue", "answers go unrecorded")):
            settings = SETTINGS + f"log: {{ onLogFailure: {setting} }}\n"
            daemon = self.daemon(Configuration(settings=settings)).start()
            wire = self.app(daemon)
            fill_disk(daemon)
            self.addCleanup(lambda daemon=daemon: limit_files(daemon, None) if daemon.is_alive else None)
            navigate(wire, "https://example.net/")
            eventually(lambda: self.run_verb(daemon, "health").returncode == 1, "the failure is known")
            self.is_said(daemon, 1, "the decision log cannot be written", words)
            limit_files(daemon, None)
            eventually(lambda: self.run_verb(daemon, "health").returncode == 0, "it heals")

    def test_no_log(self) -> None:
        self.is_said(self.daemon(None, "--without-decision-log").start(), 1, "nothing is recorded")

    def test_all_connections_taken(self) -> None:
        daemon = self.daemon(Configuration(settings="limits: { connections: 1 }\n")).start()
        # The place that the rig took, to see whether the daemon serves, is free again.
        eventually(lambda: self.run_verb(daemon, "health").returncode == 0, "a place is free")
        self.app(daemon)
        self.is_said(daemon, 1, "all 1 connections are taken")


class Unreachable(SeenCase):
    def test_nobody_listens(self) -> None:
        daemon = self.daemon().start()
        daemon.stop()
        for verb in ("status", "health"):
            said = self.run_verb(daemon, verb)
            self.assertEqual((said.returncode, said.stdout), (2, ""), said)
            self.assertIn("there is no socket", said.stderr)
        self.assertEqual(self.run_verb(daemon, "health", "--quiet").stderr, "")

    def test_a_daemon_that_hangs(self) -> None:
        daemon = self.daemon().start()
        os.kill(daemon.pid, signal.SIGSTOP)
        said = self.run_verb(daemon, "health", "--timeout", "200", seconds=5)
        self.assertEqual(said.returncode, 2, said)
        self.assertIn("did not answer in time", said.stderr)


class Words(SeenCase):
    def test_json_says_the_same(self) -> None:
        daemon = self.daemon(Configuration(BROKEN)).start()
        for verb in ("status", "health"):
            said = self.run_verb(daemon, verb, "--format", "json")
            self.assertEqual(said.returncode, 2)
            reply = as_json(said.stdout)
            self.assertEqual(reply["health"], "failed")
            self.assertEqual([problem["code"] for problem in reply["problems"]], ["noPolicy", "loadFailed"])

    def test_a_clock_behind_the_record(self) -> None:
        daemon = self.daemon().start()
        daemon.stop()
        date_last_record(daemon, "2099-01-01T00:00:00.000Z")
        daemon.start()
        said = self.run_verb(daemon, "health")
        self.assertEqual(said.returncode, 1, said)
        self.assertIn("behind the latest time on record", said.stdout)
