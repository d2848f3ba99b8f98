"""The client and the real daemon."""

import asyncio
import json
import os
import signal
import threading

from case import waits_at_most
from real import ANSWER_MS, APP, BROKEN, BROWSER, PATIENT, PERSONAL, WORK, Configuration, RealCase, eventually
from webviewguard import Decision, Guard, GuardError, Identity, NewsItem, Viewer
from webviewguard.asyncio import AsyncGuard
from ways import Stopwatch

OUT = "https://example.net/"


class RealAnswers(RealCase):
    def test_what_is_said_and_asked(self) -> None:
        guard = self.guard(app=APP, languages=["de-AT", "en"])
        self.assertTrue(guard.start())
        self.assertEqual((guard.contract.answer_ms, guard.contract.navigation), (ANSWER_MS, "closed"))
        self.assertEqual(guard.set_identity("process", account=WORK), Identity(None, WORK, WORK, "process"))
        viewer = guard.register_viewer("docs", viewer_class="documents", window="w1", kind="embedded")
        self.assertEqual(viewer, Viewer("currentIdentity", "class", "contoso"))
        self.assertTrue(guard.set_document("docs", "https://contoso.com/"))
        away = guard.navigate(viewer="docs", url=OUT, source="https://contoso.com/", frame="main", gesture="yes")
        self.assertEqual((away.outcome, away.reason, away.identity), ("redirect", "external", WORK))
        self.assertEqual(away.opens_now and away.opens_now.desktop_id, BROWSER)
        self.assertFalse(guard.register_viewer("loose", viewer_class="loose").rule_set)
        self.assertEqual(guard.set_web_view_policy("loose", "unmanaged").policy_source, "ownTag")
        self.assertTrue(guard.set_external_url_rules("loose", "contoso"))
        self.assertTrue(guard.forget_viewer("loose"))
        self.assertEqual(guard.call("WhoAmI")["app"], APP)
        self.assertEqual(self.problems, [])

    def test_what_was_not_claimed_is_told_with_its_cost(self) -> None:
        words = ("redact", "switchIdentity", "warn", "clipEcho", "wrap", "plainText")
        for claimed in ((), ("wrap",), words):
            guard = self.guard(app=APP, features=claimed)
            self.assertEqual(guard.missing, ())
            self.assertTrue(guard.start())
            missing = {entry.feature: entry.cost for entry in guard.missing}
            self.assertEqual(set(missing), set(words) - set(claimed))
            self.assertTrue(all("block" in cost or "missed" in cost for cost in missing.values()), missing)

    def test_exported_rules_come_without_a_file(self) -> None:
        guard = self.managed()
        rules = guard.rules("webkit-content-blocker", "documents")
        self.assertIsInstance(json.loads(rules.document), list)
        digest = guard.call("ExportRules", format="chromium-policy")["digest"]
        self.assertEqual((rules.generation, rules.digest), (1, digest))
        with self.assertRaises(GuardError) as caught:
            guard.rules("webkit-content-blocker", "nowhere")
        self.assertEqual(caught.exception.name, "UnknownClass")

    def test_every_kind_of_question(self) -> None:
        guard = self.managed()
        decisions = [
            guard.navigate(viewer="docs", url=OUT), guard.copy(viewer="docs", selection="clipboard", length=3),
            guard.paste(viewer="docs", selection="clipboard", length=3),
            guard.clipboard_changed(selection="primary", self_owned=False, formats=("text/plain",)),
            guard.drag_end(), guard.download(viewer="docs", url=OUT, location="sharePoint"),
            guard.upload(viewer="docs", url=OUT), guard.save(viewer="docs", path="/srv/a", in_place=True),
            guard.open(viewer="docs", location="camera"), guard.receive(viewer="docs", peer=APP, peer_account=WORK),
            guard.share(viewer="docs", peer="org.example.Chat.desktop", owner=WORK), guard.print(viewer="docs"),
            guard.capture(viewer="docs", capture="ownImage"), guard.notify(viewer="docs"),
            guard.open_url(viewer="docs", url=OUT), guard.exchange(viewer="docs", channel="assistant"),
            guard.index(viewer="docs"),
        ]  # fmt: skip
        self.assertEqual([decision for decision in decisions if decision.is_local], [])
        self.assertEqual(len({decision.id for decision in decisions}), 17)
        many = guard.decide_many(
            [("copy", {"viewer": "docs", "length": 1}), ("openURL", {"url": OUT, "viewer": "docs"})]
        )
        self.assertEqual([decision.reason for decision in many], ["clipRecorded", "external"])
        self.assertEqual(guard.decide_many([]), [])

    def test_one_click_is_opened_once_and_recorded_once(self) -> None:
        guard = self.managed()
        asked = [guard.navigate(viewer="docs", url=OUT, frame="main", hop=hop) for hop in (False, True, None)]
        self.assertEqual(len([decision for decision in asked if decision.opens_now]), 1)
        self.daemon.stop()
        self.assertEqual(len([record for record in self.daemon.records("decision")]), 1)

    def test_errors_have_names_and_parameters(self) -> None:
        guard = self.managed()
        with self.assertRaises(GuardError) as raised:
            guard.register_viewer("v1", viewer_class="none")
        error = raised.exception
        self.assertEqual((error.name, error.method, error.parameters),
                         ("UnknownClass", "RegisterViewer", {"class": "none"}))  # fmt: skip
        self.assertIn("UnknownClass", str(error))
        with self.assertRaises(GuardError):
            guard.call("Fly")
        self.assertEqual(guard.navigate(viewer="v" * 1000, url=OUT).reason, "LimitReached")

    def test_a_decision_is_acknowledged_once(self) -> None:
        guard = self.managed()
        decision = guard.print(viewer="docs")
        self.assertTrue(guard.acknowledge(decision, "allow", justification="because"))
        with self.assertRaises(GuardError) as raised:
            guard.acknowledge(decision, "allow")
        self.assertEqual(raised.exception.name, "UnknownDecision")
        self.assertFalse(guard.acknowledge(Decision(), "allow"))

    def test_a_caller_that_is_no_app(self) -> None:
        guard = self.guard(app="com.example.other")
        with waits_at_most(guard, 2000):
            self.assertFalse(guard.start())
        self.assertEqual(self.problems[0].name, "AppMismatch")
        decision = guard.navigate(viewer="docs", url=OUT)
        self.assertEqual((decision.outcome, decision.reason), ("block", "AppMismatch"))
        self.assertIn("does not know this program", decision.message or "")


class Scopes(RealCase):
    """MI-19, MI-20: an account for as long as a block lasts; what was shown before comes back."""

    def _shown(self, guard: Guard) -> str | None:
        return guard.print(viewer="docs").identity

    def test_what_was_shown_before_comes_back(self) -> None:
        guard = self.managed()
        with guard.as_account(PERSONAL) as shown:
            self.assertEqual((shown.effective_ui, shown.level), (PERSONAL, "scope"))
            self.assertEqual(self._shown(guard), PERSONAL)
            with guard.as_account(""):
                self.assertEqual(self._shown(guard), "")
            self.assertEqual(self._shown(guard), PERSONAL)
        self.assertEqual(self._shown(guard), WORK)

    def test_also_after_an_exception(self) -> None:
        guard = self.managed()
        with self.assertRaises(ZeroDivisionError), guard.as_account(PERSONAL), guard.as_account(""):
            raise ZeroDivisionError
        self.assertEqual(self._shown(guard), WORK)

    def test_an_account_that_is_refused_runs_nothing(self) -> None:
        guard = self.managed()
        with self.assertRaises(GuardError) as raised, guard.as_account("nobody@elsewhere.example"):
            self.fail("it ran")
        self.assertEqual(raised.exception.name, "UnknownAccount")
        self.assertEqual(self._shown(guard), WORK)

    def test_a_window_gets_back_the_account_that_it_had(self) -> None:
        guard = self.managed()
        with guard.as_account(WORK, level="window", window="private"):
            self.assertEqual(guard.print(viewer="home").identity, WORK)
        self.assertEqual(guard.print(viewer="home").identity, PERSONAL)
        with guard.as_account(PERSONAL, level="process"):
            self.assertEqual(self._shown(guard), PERSONAL)
        self.assertEqual(self._shown(guard), WORK)

    def test_a_daemon_that_ends_in_the_middle_is_told_the_end_as_well(self) -> None:
        guard = self.managed()
        with guard.as_account(PERSONAL):
            self.daemon.stop(signal.SIGKILL)
            self.assertEqual(guard.print(viewer="docs").reason, "noAnswer")
        self.daemon.start()
        eventually(lambda: self._shown(guard) == WORK, "the process's account is shown again")

    def test_with_asyncio(self) -> None:
        async def main() -> list[str | None]:
            async with AsyncGuard(path=self.daemon.guard_socket, on_problem=self.problems.append) as guard:
                await guard.set_identity("process", account=WORK)
                seen = []
                try:
                    async with guard.as_account(PERSONAL):
                        seen.append((await guard.print(viewer="docs")).identity)
                        raise ZeroDivisionError
                except ZeroDivisionError:
                    seen.append((await guard.print(viewer="docs")).identity)
                return seen

        self.assertEqual(asyncio.run(main()), [PERSONAL, WORK])


class Endings(RealCase):
    def test_killed_and_back_with_its_state(self) -> None:
        guard = self.managed()
        self._kill(guard)
        self.daemon.start()
        self._is_as_before(guard)
        self.assertEqual(self.problems_of_replay(), [])

    def test_killed_and_back_without_its_state(self) -> None:
        guard = self.managed()
        token = guard._engine.session.token
        self._kill(guard)
        self.forget_everything()
        self.daemon.start()
        self._is_as_before(guard)
        self.assertNotEqual(guard._engine.session.token, token)

    def test_killed_many_times(self) -> None:
        guard = self.managed()
        for _ in range(3):
            self._kill(guard)
            self.daemon.start()
            self._is_as_before(guard)

    def test_stopped_and_let_go(self) -> None:
        guard = self.managed()
        os.kill(self.daemon.pid, signal.SIGSTOP)
        eventually(lambda: self._is_stopped(), "the daemon is stopped")
        with waits_at_most(guard, ANSWER_MS):
            self.assertEqual(guard.navigate(viewer="docs", url=OUT).reason, "noAnswer")
        os.kill(self.daemon.pid, signal.SIGCONT)
        self._is_as_before(guard)

    def test_what_the_policy_no_longer_knows_is_reported_and_the_rest_goes_on(self) -> None:
        guard = self.managed()
        guard.register_viewer("loose", viewer_class="loose")
        self._kill(guard)
        portal = self.daemon.config / "policy.d/app-0.yaml"
        portal.write_text(portal.read_text().replace("      loose: {}\n", ""))
        self.daemon.start()
        decision = eventually(lambda: self._answered(guard), "the daemon answers")
        self.assertEqual((decision.outcome, decision.reason), ("redirect", "external"))
        self.assertEqual({problem.name for problem in self.problems_of_replay()}, {"UnknownClass"})

    def test_a_popup_is_as_its_opener_though_that_is_forgotten(self) -> None:
        guard = self.managed()
        self.assertEqual(guard.register_viewer("popup", opener="docs", kind="popup").rule_set, "contoso")
        guard.forget_viewer("docs")
        before = guard.navigate(viewer="popup", url=OUT, frame="main")
        self._kill(guard)
        self.daemon.start()
        after = eventually(lambda: self._answered(guard, "popup"), "the daemon answers")
        self.assertEqual((after.rule_set, after.outcome), (before.rule_set, before.outcome))
        self.assertTrue(guard.navigate(viewer="docs", url=OUT).viewer_is_unknown)
        self.assertEqual(self.problems_of_replay(), [])

    def test_many_viewers_come_back(self) -> None:
        guard = self.managed()
        for number in range(75):
            guard.register_viewer(f"v{number}", viewer_class="documents", document=f"https://contoso.com/{number}")
        self._kill(guard)
        self.daemon.start()
        self._is_as_before(guard)
        self.assertEqual(guard.register_viewer("v74").rule_set, "contoso")
        self.assertEqual(self.problems_of_replay(), [])

    def problems_of_replay(self) -> list[GuardError]:
        own = {"unreachable", "connectionLost", "noAnswer"}
        return [problem for problem in self.problems if problem.name not in own]

    def _kill(self, guard: Guard) -> None:
        self.daemon.stop(signal.SIGKILL)
        self.daemon.guard_socket.unlink(missing_ok=True)
        for _ in range(3):
            with waits_at_most(guard, ANSWER_MS):
                decision = guard.navigate(viewer="docs", url="https://contoso.com/", frame="main")
            self.assertEqual((decision.outcome, decision.reason, decision.is_local), ("block", "noAnswer", True))

    def _is_as_before(self, guard: Guard) -> None:
        decision = eventually(lambda: self._answered(guard), "the daemon answers")
        self.assertEqual((decision.outcome, decision.reason, decision.identity), ("redirect", "external", WORK))
        home = guard.navigate(viewer="home", url=OUT, frame="main")
        self.assertEqual((home.outcome, home.identity, home.identity_level), ("allow", PERSONAL, "window"))

    def _answered(self, guard: Guard, viewer: str = "docs") -> Decision | None:
        decision = guard.navigate(viewer=viewer, url=OUT, frame="main")
        return None if decision.is_local else decision

    def _is_stopped(self) -> bool:
        with open(f"/proc/{self.daemon.pid}/status") as status:
            return "\nState:\tT" in status.read()


class WithoutPolicy(RealCase):
    configuration = Configuration(BROKEN, settings=PATIENT)

    def test_events_are_answered_and_all_is_said_when_there_is_one(self) -> None:
        guard = self.guard()
        self.assertTrue(guard.start())
        guard.set_identity("process", account=WORK)
        guard.register_viewer("docs", viewer_class="documents")
        before = guard.navigate(viewer="docs", url=OUT, frame="main")
        self.assertEqual((before.outcome, before.reason, before.is_local), ("block", "noPolicy", False))
        (self.daemon.config / "policy.d/app-0.yaml").unlink()
        Configuration(settings=PATIENT).write(self.daemon.config)
        self.assertEqual(self.admin("Reload")["parameters"]["generation"], 1)
        after = guard.navigate(viewer="docs", url=OUT, frame="main")
        self.assertEqual((after.outcome, after.reason, after.identity), ("redirect", "external", WORK))
        self.assertEqual(self.problems, [])


class NewsAndSwitches(RealCase):
    def test_another_policy_is_news_and_a_new_daemon_as_well(self) -> None:
        guard = self.managed()
        with guard.news(["policy"]) as news:
            first = next(news)
            self.assertEqual((first.topic, first.generation, len(first.digest)), ("policy", 1, 64))
            rules = self.daemon.config / "rules/contoso.yaml"
            rules.write_text(rules.read_text().replace("contoso.com", "fabrikam.com"))
            self.admin("Reload")
            second = next(news)
            self.assertEqual(second.generation, 2)
            self.assertNotEqual(second.digest, first.digest)
            self.daemon.stop(signal.SIGKILL)
            self.daemon.start()
            third = next(news)
            self.assertEqual((third.generation, third.digest), (1, second.digest))

    def test_news_wait_in_a_thread_of_their_own(self) -> None:
        guard = self.guard()
        came: list[NewsItem] = []
        news = guard.news(["policy"])
        self.addCleanup(news.close)
        thread = threading.Thread(target=lambda: came.append(next(news)))
        thread.start()
        self.assertTrue(guard.start())
        thread.join(10)
        self.assertEqual([item.topic for item in came], ["policy"])

    def test_a_switch_that_was_answered_is_said_again(self) -> None:
        guard = self.managed(features=["switchIdentity"])
        news = guard.news(["identity"])
        self.addCleanup(news.close)
        asked = guard.receive(viewer="docs", peer="a.desktop")
        self.assertEqual((asked.outcome, asked.switch_to), ("switchIdentity", ""))
        told = next(news)
        self.assertEqual((told.request, told.account, told.cause), (asked.request, "", "documentImport"))
        assert asked.request
        self.assertTrue(guard.answer(asked.request, "success"))
        self.assertEqual(guard.receive(viewer="docs", peer="a.desktop").reason, "noManagedIdentity")
        self.forget_everything()
        self.daemon.start()
        again = eventually(lambda: self._received(guard), "the daemon answers")
        self.assertEqual(again.reason, "noManagedIdentity")
        with self.assertRaises(GuardError):
            guard.answer("switch-0000000000000001-1", "success")

    def _received(self, guard: Guard) -> Decision | None:
        decision = guard.receive(viewer="docs", peer="a.desktop")
        return None if decision.is_local else decision


class Cost(RealCase):
    def test_what_a_question_costs_is_told(self) -> None:
        guard = self.managed()
        times = []
        for number in range(300):
            with Stopwatch() as watch:
                guard.navigate(viewer="docs", url=f"https://contoso.com/{number}", frame="main")
            times.append(watch.ms)
        times.sort()
        print(f"a question: p50 {times[150] * 1000:.0f} us, p99 {times[297] * 1000:.0f} us", flush=True)


class Asyncio(RealCase):
    def test_questions_and_news(self) -> None:
        async def browse() -> list[str]:
            guard = AsyncGuard(path=self.daemon.guard_socket, on_problem=self.problems.append)
            async with guard:
                await guard.set_identity("process", account=WORK)
                await guard.register_viewer("docs", viewer_class="documents")
                decisions = await asyncio.gather(
                    *(guard.navigate(viewer="docs", url=OUT, frame="main") for _ in range(20))
                )
                async with asyncio.timeout(10):
                    async for item in guard.news(["policy"]):
                        return [item.topic, *(decision.outcome for decision in decisions)]
            return []

        self.assertEqual(asyncio.run(browse()), ["policy", *["redirect"] * 20])
