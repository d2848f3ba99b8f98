"""The client and the real daemon: what it answers, and what happens when it is killed, stopped and started again."""

import json
import shutil
import signal
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from case import ClientCase
from configuration import RULES, SETTINGS, STRANGER, WORK, Configuration, versioned
from daemon import PROGRAM, Daemon, eventually
from program import VERSION, Driver

# Long, so that no answer is missed on a loaded machine.
ANSWER_MS = 1500
PATIENT = SETTINGS.replace("answerMs: 400", f"answerMs: {ANSWER_MS}")
# A daemon that starts may take this long on a loaded machine.
PATIENCE_SECONDS = 120.0


# One of the managed account, one that nobody manages, and explicitly none.
ACCOUNTS = [WORK, "me@example.org", ""]


class RealDaemon(ClientCase):
    @staticmethod
    def configuration() -> Configuration:
        return Configuration(settings=PATIENT)

    def setUp(self) -> None:
        super().setUp()
        self.daemon = Daemon(self.configuration())
        self.addCleanup(self.daemon.remove)
        self.daemon.start()

    def client(self, **options: Any) -> Driver:
        """An app that shows the managed account in a viewer `docs`."""
        driver = self.driver(self.daemon.guard_socket).new(**({"features": ["wrap", "plainText"]} | options))
        self.assertTrue(driver.start())
        self.assertEqual(driver.say("SetIdentity", account=WORK)["said"], "done")
        self.assertEqual(driver.say("RegisterViewer", viewer="docs", **{"class": "documents"})["said"], "done")
        return driver

    def navigate(self, driver: Driver, url: str = "https://example.net/", **event: Any) -> dict[str, Any]:
        return driver.ask("navigate", viewer="docs", url=url, frame="main", **event)

    def stand_still(self) -> None:
        """Stops the daemon, and waits until every thread of it has stopped."""
        self.daemon.process.send_signal(signal.SIGSTOP)  # type: ignore[union-attr]
        threads = Path(f"/proc/{self.daemon.pid}/task")
        eventually(
            lambda: all(" (stopped)" in (t / "status").read_text() for t in threads.iterdir()), "it stands still"
        )

    def back(self, driver: Driver) -> dict[str, Any]:
        """The first answer that the daemon gives again."""
        return eventually(lambda: self._answered(driver), "the daemon answers again", PATIENCE_SECONDS)  # type: ignore

    def _answered(self, driver: Driver) -> dict[str, Any] | None:
        decision = self.navigate(driver)
        driver("loop", ms=20)
        return None if decision["isLocal"] else decision


class Versions(ClientCase):
    """Conditions judge the versions of the app and of this library, told with Attach."""

    def test_conditions_judge_the_versions_that_are_told(self) -> None:
        for condition, version, reason in (
            (("clientVersion", "equals", VERSION), None, None),
            (("clientVersion", "greater", VERSION), "99", "accountNotCompliant"),
            (("appVersion", "atLeast", "2.0"), "2.1.0", None),
            (("appVersion", "atLeast", "2.0"), "1.9", "accountNotCompliant"),
            (("appVersion", "atLeast", "2.0"), None, "notChecked"),
        ):  # fmt: skip
            with self.subTest(condition, version=version):
                configuration = versioned(*condition)
                configuration.files["webviewguard.yaml"] = PATIENT
                daemon = Daemon(configuration)
                self.addCleanup(daemon.remove)
                daemon.start()
                driver = self.driver(daemon.guard_socket).new(**({"version": version} if version else {}))
                self.assertTrue(driver.start())
                self.assertEqual(driver.say("SetIdentity", account=WORK).get("reason"), reason)
                driver.say("RegisterViewer", viewer="v", **{"class": "documents"})
                decision = driver.ask("navigate", viewer="v", url="https://contoso.com/", frame="main")
                self.assertEqual(decision["reason"], reason or "internal")
                driver("free")
                daemon.stop()


class Answers(RealDaemon):
    def test_one_click_opens_one_browser_and_leaves_one_record(self) -> None:
        driver = self.client()
        first, second = self.navigate(driver), self.navigate(driver)
        self.assertEqual((first["outcome"], first["opensNow"]), ("redirect", "https://example.net/"))
        self.assertEqual(first["open"]["desktopId"], "com.contoso.Browser.desktop")
        self.assertEqual((second["repeat"], second["id"], "opensNow" in second), (True, first["id"], False))
        self.assert_allowed(self.navigate(driver, "https://contoso.com/"))
        blocked = self.navigate(driver, "https://sharing.example/")
        self.assertEqual((blocked["outcome"], blocked["rule"]), ("block", "sharing"))
        self.assertEqual(blocked["message"], "sharing.example is a personal file-sharing site")
        driver("free")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual(len(self.daemon.records("decision")), 3)

    def test_every_kind_of_question_is_read(self) -> None:
        driver = self.client(features=["redact", "warn", "switchIdentity", "wrap", "plainText"])
        reasons = {}
        for kind in ("navigate", "copy", "paste", "clipboardChanged", "dragEnd", "download", "upload", "save", "open",
                     "receive", "share", "print", "capture", "notify", "openURL", "exchange", "index"):  # fmt: skip
            event = {"viewer": "docs", "url": "https://contoso.com/", "frame": "main", "selection": "clipboard"}
            decision = driver.ask(kind, **event, length=3, formats=["text/plain"], display=":0")
            self.assertFalse(decision["isLocal"], f"{kind}: {decision}")
            self.assertEqual(json.loads(decision["json"])["id"], decision["id"])
            reasons[kind] = decision["reason"]
        self.assertEqual(reasons["navigate"], "internal")
        self.assertEqual(reasons["copy"], "clipRecorded")

    def test_refused_statements_say_what_and_why(self) -> None:
        driver = self.client()
        refused = driver.say("RegisterViewer", viewer="v", **{"class": "none"})
        self.assertEqual((refused["error"], refused["parameters"]), ("UnknownClass", {"class": "none"}))
        refused = driver.say("SetDocument", viewer="nobody", document="https://contoso.com/")
        self.assertEqual((refused["error"], refused["parameters"]), ("UnknownViewer", {"viewer": "nobody"}))
        refused = driver.say("SetWebViewPolicy", viewer="docs", policy="unmanaged")
        self.assertEqual(refused["error"], "PolicyLocked")
        self.assertEqual(driver.say("SetIdentity", account="who@example.org")["error"], "UnknownAccount")
        self.assert_local(driver.ask("navigate", frame="ceiling"), reason="InvalidParameter")
        self.assertFalse(self.navigate(driver)["isLocal"], "the connection goes on")

    def test_statements_say_what_came_of_them(self) -> None:
        driver = self.client()
        said = driver.say("RegisterViewer", viewer="docs", document="https://contoso.com/a")
        self.assertEqual(
            (said["policy"], said["policySource"], said["ruleSet"]), ("currentIdentity", "class", "contoso")
        )
        said = driver.say("SetIdentity", level="window", window="w1", account="")
        self.assertEqual((said["effectiveUI"], said["level"]), ("", "window"))
        self.assertEqual(driver.say("SetIdentity", level="window", window="w1")["previous"], "")
        self.assertEqual(driver.say("ForgetViewer", viewer="docs")["said"], "done")
        self.assertTrue(self.navigate(driver)["viewerIsUnknown"])

    def test_a_scope_ends_with_what_was_shown_before(self) -> None:
        """MI-19, MI-20."""
        driver = self.client()
        inside = driver("scope", account="me@example.org")
        self.assertEqual((inside["decision"]["identity"], inside["said"]), ("me@example.org", "done"))
        self.assertEqual(driver.ask("print", viewer="docs")["identity"], WORK)
        nested = driver("scope", outer="me@example.org", account="")
        self.assertEqual(nested["decision"]["identity"], "")
        self.assertEqual(driver.ask("print", viewer="docs")["identity"], WORK)
        self.assertEqual(driver("scope", level="process", account="me@example.org")["said"], "done")
        self.assertEqual(driver.ask("print", viewer="docs")["identity"], WORK)
        refused = driver("scope", account="who@example.org")
        self.assertEqual((refused["said"], refused["error"], "decision" in refused), ("refused", "UnknownAccount", False))
        self.assertEqual(driver.ask("print", viewer="docs")["identity"], WORK)

    def test_hints_come_through_call(self) -> None:
        driver = self.client()
        said = driver.say("DecidePeers", peers=["org.example.Editor.desktop"], event={"viewer": "docs"})
        self.assertEqual(json.loads(said["reply"])["peers"][0]["outcome"], "block")

    def test_threads_with_scopes_of_their_own_are_judged_apart(self) -> None:
        """MI-19."""
        driver = self.client()
        told = driver("race", accounts=ACCOUNTS * 2, count=40)
        self.assertEqual(told["right"], [40] * 6)
        self.assertEqual(driver.ask("print", viewer="docs")["identity"], WORK)

    def test_a_joined_handle_waits_for_the_first_and_comes_back_with_it(self) -> None:
        driver = self.driver(self.daemon.guard_socket).new(features=["wrap", "plainText"])
        self.assert_local(driver("step", **{"in": "one", "asks": True})["decision"])
        self.assertTrue(driver.start())
        driver.say("SetIdentity", account=WORK)
        driver.say("RegisterViewer", viewer="docs", **{"class": "documents"})
        joined = driver("step", **{"in": "one", "asks": True})["decision"]
        self.assertEqual((joined["identity"], joined.get("viewerIsUnknown")), (WORK, False))
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(self.daemon.directory / "state")
        self.daemon.start()
        self.assertIs(driver("step", **{"in": "one", "asks": True})["decision"]["isLocal"], True)
        self.back(driver)
        joined = eventually(lambda: self._of_joined(driver), "the joined handle is back", PATIENCE_SECONDS)
        self.assertEqual((joined["identity"], joined["viewerIsUnknown"]), (WORK, False))
        driver("part")

    def _of_joined(self, driver: Driver) -> dict[str, Any] | None:
        decision: dict[str, Any] = driver("step", **{"in": "one", "asks": True})["decision"]
        return None if decision["isLocal"] else decision

    def test_news_of_another_policy_come(self) -> None:
        driver = self.client()
        driver("subscribe", topics=["policy"])
        driver("loop", news=1)
        self.assertEqual(driver.heard()["news"][0]["generation"], 1)
        (self.daemon.config / "rules/contoso.yaml").write_text(
            RULES + "  - id: more\n    internal: { domain: x.example }\n"
        )
        self.daemon.process.send_signal(signal.SIGHUP)  # type: ignore[union-attr]
        driver("loop", news=1)
        news = driver.heard()["news"]
        self.assertEqual([(item["topic"], item["generation"]) for item in news], [("policy", 2)])
        self.assertEqual(self.navigate(driver)["generation"], 2)

    def test_the_daemons_contract_file_holds_before_the_first_contact(self) -> None:
        self.daemon.stop()
        driver = self.driver(self.daemon.guard_socket).new()
        self.assert_local(driver.ask("navigate"))
        self.assertEqual(driver("status")["answerMs"], ANSWER_MS)

    def test_an_acknowledgement_is_recorded(self) -> None:
        driver = self.client()
        decision = self.navigate(driver)
        self.assertTrue(driver("acknowledge", id=decision["id"], outcome="block")["sent"])
        self.navigate(driver, "https://contoso.com/")
        driver("free")
        self.assertEqual(self.daemon.stop(), 0)
        self.assertEqual([record["id"] for record in self.daemon.records("acknowledged")], [decision["id"]])

    def reload(self, configuration: Configuration) -> None:
        configuration.write(self.daemon.config)
        command = [PROGRAM, "reload", "--wait", "--socket-dir", self.daemon.sockets]
        subprocess.run(command, capture_output=True, check=True, timeout=PATIENCE_SECONDS)

    def test_a_user_goes_on_while_the_warning_stands(self) -> None:
        """It is old when the policy blocks by now, when it was passed once, and when another daemon is there."""
        warns = Configuration(settings=PATIENT)
        for configuration, warn in ((warns, "\n    warn: [print]"), (blocks := Configuration(settings=PATIENT), "")):
            configuration.replace(
                "policy.d/organisation.yaml", "receive: managed\n", f"receive: managed\n    printing: block{warn}\n")
        self.reload(warns)
        driver = self.client(features=["warn"])

        def goes_on(decision: dict[str, Any], **more: Any) -> str:
            said = driver("goOn", id=decision["id"], **({"justification": "for the court"} | more))
            return "goes on" if said["goesOn"] else said["error"]

        first, second, third = (driver.ask("print", viewer="docs") for _ in range(3))
        self.assertEqual([decision["outcome"] for decision in (first, second)], ["warn", "warn"])
        self.assertEqual([goes_on(first), goes_on(first)], ["goes on", "UnknownDecision"])
        self.assertEqual(goes_on(second, justification=None), "InvalidParameter")
        self.reload(blocks)
        self.assertEqual(goes_on(second), "UnknownDecision")
        self.assertEqual(goes_on(third, isLocal=True), "UnknownDecision")
        self.reload(warns)
        self.daemon.stop(signal.SIGKILL)
        self.assertNotEqual(goes_on(third), "goes on", "nobody is there")
        self.daemon.start()
        self.back(driver)
        self.assertEqual(goes_on(third), "UnknownDecision")

    def test_what_a_question_costs(self) -> None:
        driver = self.client()
        driver("askMany", count=100)
        took = sorted(driver("askMany", count=2000)["us"])
        half, most = statistics.median(took), took[len(took) * 99 // 100]
        print(f"\n{self.way}: a question takes {half:.0f} us, one in a hundred {most:.0f} us", file=sys.stderr)


class Ends(RealDaemon):
    def test_a_daemon_that_is_killed_and_comes_back(self) -> None:
        driver = self.client()
        before = self.navigate(driver)
        self.daemon.stop(signal.SIGKILL)
        for kind in ("navigate", "copy", "print"):
            self.assert_local(driver.ask(kind, viewer="docs", url="https://contoso.com/"))
        self.assertEqual(driver.say("RegisterViewer", viewer="more", parent="docs")["said"], "later")
        self.daemon.start()
        after = self.back(driver)
        for member in ("outcome", "reason", "identity", "policy", "policySource", "ruleSet", "rule"):
            self.assertEqual(after[member], before[member], member)
        self.assertNotIn("viewerIsUnknown", {name for name, value in after.items() if value is True})
        self.assertFalse(driver.ask("navigate", viewer="more", url="https://contoso.com/")["viewerIsUnknown"])

    def test_killed_in_the_middle_of_many_questions(self) -> None:
        driver = self.client()
        for number in range(200):
            driver(
                "askLater", tag=str(number), kind="navigate", event={"viewer": "docs", "url": f"https://x.net/{number}"}
            )
            if number == 100:
                self.daemon.stop(signal.SIGKILL)
        driver("loop", answers=200)
        answers = driver.heard()["answers"]
        self.assertEqual([answer["tag"] for answer in answers], [str(number) for number in range(200)])
        self.assertEqual({answer["decision"]["outcome"] for answer in answers} - {"redirect", "block"}, set())
        self.assert_local(answers[-1]["decision"])

    def test_a_daemon_that_stands_still(self) -> None:
        driver = self.client()
        self.stand_still()
        answer = driver("ask", kind="navigate", event={"viewer": "docs", "url": "https://example.net/"})
        self.assert_local(answer["decision"])
        self.assertGreaterEqual(answer["ms"], ANSWER_MS - 10)
        self.assertLessEqual(answer["waited"], ANSWER_MS)
        self.asks_until_at_once(driver, viewer="docs", url="https://example.net/")
        self.daemon.process.send_signal(signal.SIGCONT)  # type: ignore[union-attr]
        self.assertEqual(self.back(driver)["outcome"], "redirect")

    def test_the_loop_reconnects_and_registers_by_itself(self) -> None:
        driver = self.client()
        driver("subscribe", topics=["policy"])
        driver("loop", news=1)
        driver.heard()
        self.daemon.stop(signal.SIGKILL)
        (self.daemon.config / "rules/contoso.yaml").write_text(
            RULES + "  - id: more\n    internal: { domain: x.example }\n"
        )
        self.until_connected(driver, False)
        self.daemon.start()
        self.until_connected(driver)
        driver("loop", news=1)
        self.assertEqual([item["topic"] for item in driver.heard()["news"]], ["policy"])
        self.assertEqual(self.navigate(driver)["outcome"], "redirect")

    def test_an_instance_that_outlived_its_connection_is_joined_again(self) -> None:
        driver = self.client()
        driver("subscribe")
        driver("loop", news=1)
        instances = len(self.daemon.records("instanceStart"))
        self.stand_still()
        self.assert_local(self.navigate(driver))
        self.daemon.process.send_signal(signal.SIGCONT)  # type: ignore[union-attr]
        self.back(driver)
        self.assertEqual(len(self.daemon.records("instanceStart")), instances)


class Stranger(RealDaemon):
    """An app that the policy does not know is blocked, and told why."""

    @staticmethod
    def configuration() -> Configuration:
        return Configuration(STRANGER, settings=PATIENT)

    def test_it_hears_why(self) -> None:
        driver = self.driver(self.daemon.guard_socket).new()
        self.assert_local(driver.ask("navigate"), reason="NoApp")
        self.assertIn("`NoApp`", driver.heard()["problems"][0])


class Program(ClientCase):
    def test_the_daemon_is_the_one_that_was_built(self) -> None:
        self.assertTrue(PROGRAM.exists(), f"build it first, or name it in WEBVIEWGUARD: {PROGRAM}")
        self.assertEqual(subprocess.run([PROGRAM, "--version"], check=False, capture_output=True).returncode, 0)
