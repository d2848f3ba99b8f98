"""What all three clients agree on, from the files that they share."""

import json
import time
from typing import Any

from case import ClientCase
from fake import ATTACHED, CONTRACT, Peer, Script, bytes_of
from program import VECTORS, VERSION
from wire import GUARD

ACCOUNTS = "org.webviewguard.Accounts"
FAMILIES = {"navigation": "navigate", "clipboard": "copy", "other": "print"}


def cases(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VECTORS / name).read_text())["cases"]
    assert found, name
    return found


class Vectors(ClientCase):
    def test_contracts_mean_the_same(self) -> None:
        for case in cases("contracts.json"):
            with self.subTest(case["name"]):
                if case["file"] is not None:
                    self.contract(case["file"])
                driver = self.driver().new()
                answers = {family: driver.ask(kind) for family, kind in FAMILIES.items()}
                status = driver("status")
                self.assertEqual({name: status[name] for name in case["means"]}, case["means"])
                for family, answer in answers.items():
                    self.assert_local(answer, "allow" if case["means"][family] == "open" else "block")

    def test_kinds_ask_their_method_and_have_their_part_of_the_contract(self) -> None:
        for case in cases("kinds.json"):
            with self.subTest(case["kind"]):
                self.contract(json.dumps(CONTRACT | {case["contract"]: "open"}))
                self.assert_local(self.driver().new().ask(case["kind"]), "allow")
                others = {family: "open" for family in FAMILIES if family != case["contract"]}
                self.contract(json.dumps(CONTRACT | others))
                self.assert_local(self.driver().new().ask(case["kind"]), "block")
                daemon = self.fake()
                self.assert_allowed(self.driver().new().ask(case["kind"]))
                self.assertEqual(daemon.peers[0].calls[1]["method"], case["method"])
                daemon.close()

    def test_blocks_that_are_decided_here_say_something_to_people(self) -> None:
        """F11: what the user is told is never `noAnswer`."""
        for case in cases("messages.json"):
            with self.subTest(case["reason"]):
                if case["reason"] == "noAnswer":
                    decision = self.driver().new().ask("print")
                else:
                    reason = "SomethingNew" if case["reason"] == "*" else case["reason"]
                    refusal = {} if reason == "invalidReply" else {"error": f"{GUARD}.{reason}"}
                    daemon = self.fake(say(bytes_of(refusal)))
                    decision = self.driver().new().ask("print")
                    daemon.close()
                    self.assert_local(decision, reason=reason)
                self.assertEqual(decision["message"], case["message"])
        self.contract('{"other": "open"}')
        self.assertNotIn("message", self.driver().new().ask("print"))

    def test_decisions_mean_the_same(self) -> None:
        wanted = cases("decisions.json")

        def serve(peer: Peer) -> None:
            peer.attach()
            for case in wanted:
                peer.call()
                peer.send(bytes_of(case["reply"]))
            peer.stay_silent()

        daemon = self.fake(serve)
        driver = self.driver().new()
        for case in wanted:
            with self.subTest(case["name"]):
                decision = driver.ask("navigate", url="u")
                self.assertEqual(read(decision, case["means"]), case["means"])
                if not decision["isLocal"]:
                    # Nothing is lost, known or not.
                    self.assertEqual(json.loads(decision["json"]), case["reply"]["parameters"]["decision"])
        self.assertEqual(len(daemon.peers), 1, "the connection went on")

    def test_garbage_ends_the_connection(self) -> None:
        for case in cases("garbage.json"):
            with self.subTest(case["name"]):
                text = case["text"].encode()
                daemon = self.fake(say(text))
                driver = self.driver().new()
                self.assert_local(driver.ask("navigate", url="u"))
                self.assertTrue(daemon.peer(0).was_closed.wait(5))
                daemon.close()

    def test_navigations_of_one_click_share_an_id(self) -> None:
        for case in cases("actions.json"):
            with self.subTest(case["name"]):
                ids: dict[str, str | None] = {}
                driver = self.driver().new()
                for step in case["steps"]:
                    if "register" in step:
                        driver.say("RegisterViewer", **step["register"])
                        continue
                    said = driver("action", kind="navigate", event=step["navigate"], at=step["at"]).get("action")
                    if "sent" in step:
                        self.assertEqual(said, step["sent"])
                        continue
                    self.assertEqual(ids.setdefault(step["action"], said), said, step)
                self.assertEqual(len(set(ids.values())), len(ids), "different letters, different ids")
                self.assertNotIn(None, ids.values())


class Listening(ClientCase):
    def test_which_handler_hears_what(self) -> None:
        for case in cases("news.json"):
            with self.subTest(case["name"]):
                daemon = self.fake(Peer.oblige, *news_scripts(case))
                driver = self.driver().new()
                self.assertTrue(driver("listen", handlers=case["handlers"])["made"])
                driver("loop", news=len(case["told"]))
                told = [item["json"] | item for item in driver.heard()["news"]]
                expected = case["told"]
                self.assertEqual(
                    [{name: item.get(name) for name in wanted} for item, wanted in zip(told, expected)], expected
                )
                self.assertEqual(len(told), len(expected), told[len(expected) :])
                wanted = [connection["subscribe"] for connection in case["connections"]]
                for parameters in wanted:
                    if parameters.get("topics") == "all":
                        parameters["topics"] = sorted(driver("topics")["topics"])
                said = [call["parameters"] for call in daemon.heard if call["method"] == "Subscribe"]
                self.assertEqual(said, wanted)
                daemon.close()


class Scopes(ClientCase):
    """MI-19, MI-20: whose account a question is asked as, in several threads."""

    def test_threads_are_judged_apart(self) -> None:
        for case in cases("scopes.json"):
            with self.subTest(case["name"]):
                daemon = self.fake(judge)
                driver = self.driver().new()
                self.assertTrue(driver.start())
                for step in case["steps"]:
                    flags = {"asks": "ask" in step, "begins": "begin" in step}
                    told = driver("step", **step, **{name: True for name, holds in flags.items() if holds})
                    self.assertEqual(told.get("error"), step.get("error"), step)
                    if "ask" in step:
                        is_scope = told["decision"]["identityLevel"] == "scope"
                        self.assertEqual(told["decision"]["identity"] if is_scope else None, step["ask"], step)
                driver("part")
                attached = [call["parameters"] for call in daemon.heard if call["method"] == "Attach"]
                self.assertEqual([said.get("instance") for said in attached], [None] + ["T1"] * (len(attached) - 1))
                daemon.close()


class Accounts(ClientCase):
    """The life of accounts: EN-10, AA-04, CA-13, and the numbers of ST-03, ST-04 and CA-06."""

    def test_calls_and_their_replies(self) -> None:
        wanted = cases("accounts.json")

        def serve(peer: Peer) -> None:
            peer.attach()
            for case in wanted:
                peer.call()
                peer.send(bytes_of(case["reply"]))
            peer.oblige()

        daemon = self.fake(serve)
        driver = self.driver().new()
        driver.start()
        for case in wanted:
            with self.subTest(case["name"]):
                found = driver("account", call=case["call"], arguments=case["arguments"])
                self.assertEqual(found.get("error"), case.get("fails"))
                self.assertEqual(found["said"], "refused" if "fails" in case else "done")
                self.assertEqual(chosen(found, case.get("means", {})), case.get("means", {}))
        sent = [{"method": f"{ACCOUNTS}.{case['call']}", "parameters": case["sent"]} for case in wanted]
        said = [{name: call[name] for name in ("method", "parameters")} for call in daemon.heard[1:]]
        self.assertEqual(said, sent)
        self.assert_allowed(driver.ask("print"))
        daemon.close()
        self.assertEqual(driver("account", call="Register", arguments={"account": "a"})["error"], "noAnswer")

    def test_names_of_one_account(self) -> None:
        driver = self.driver()
        for case in cases("ids.json"):
            with self.subTest(case["id"]):
                found = driver("words", one=case["id"])
                self.assertEqual((found["key"], found["length"]), (case["key"], len(case["key"].encode())))
        for pair in json.loads((VECTORS / "ids.json").read_text())["same"]:
            with self.subTest(pair):
                names = {name: pair[name] for name in ("one", "other") if pair[name] is not None}
                self.assertEqual(driver("words", **names)["are"], pair["are"])

    def test_numbers_and_states(self) -> None:
        driver = self.driver()
        table = json.loads((VECTORS / "results.json").read_text())
        for row in table["enrollment"]:
            self.assertEqual(driver("words", word=row["word"])["enrollment"], row["number"], row)
        for row in table["compliance"]:
            self.assertEqual(driver("words", word=row["word"])["compliance"], row["number"], row)
        for row in table["states"] + table["lives"]:
            self.assertEqual(driver("words", word=row["word"])["mayWork"], row["mayWork"], row)
        for nothing in ({}, {"word": ""}, {"word": "enchanted"}):
            found = driver("words", **nothing)
            self.assertEqual((found["enrollment"], found["compliance"], found["mayWork"]), (-1, -1, False))

    def test_results_mean_what_the_table_says(self) -> None:
        rows = json.loads((VECTORS / "results.json").read_text())["enrollment"]

        def serve(peer: Peer) -> None:
            peer.attach()
            for row in rows:
                peer.call()
                peer.reply({"account": "a", "state": "registered", "result": row["word"]})
            peer.stay_silent()

        self.fake(serve)
        driver = self.driver().new()
        driver.start()
        for row in rows:
            found = driver("account", call="Register", arguments={"account": "a"})
            means = {name: found[name] for name in ("number", "isSuccess", "mustRemove")}
            self.assertEqual({"word": found["result"], **means}, row)


def chosen(found: Any, means: Any) -> Any:
    """The members that a case speaks of, with null for what is left out: 0 of a time, and -1 of a number."""
    if isinstance(means, list) and means and isinstance(means[0], dict):
        return [chosen(one, wanted) for one, wanted in zip(found, means)]
    if not isinstance(means, dict):
        return found
    values = {name: chosen(found.get(name), means[name]) for name in means}
    absent = {"number": -1, "registered": 0, "checkedIn": 0, "retry": 0, "enrolled": 0}
    return {name: None if value == absent.get(name, ...) else value for name, value in values.items()}


def judge(peer: Peer) -> None:
    """Answers questions with the account of the connection's scope as the identity."""
    account = None
    while True:
        call = peer.call()
        said = call["parameters"]
        if call["method"] == "Attach":
            peer.reply(ATTACHED)
        elif call["method"] != "SetIdentity":
            scope = {} if account is None else {"identity": account, "identityLevel": "scope"}
            peer.answer(call, **{"identity": "process@contoso.com", **scope})
        elif said.get("account") == "nobody@elsewhere.example":
            peer.refuse("UnknownAccount")
        else:
            assert said["level"] == "scope"
            previous, account = account, said.get("account")
            peer.reply({"level": "scope"} | ({} if previous is None else {"previous": previous}))


def news_scripts(case: dict[str, Any]) -> list[Script]:
    """What the daemon does on each connection for news; the last stays."""
    count = len(case["connections"])
    return [tell(connection, number == count - 1) for number, connection in enumerate(case["connections"])]


def tell(connection: dict[str, Any], is_last: bool) -> Script:
    def serve(peer: Peer) -> None:
        peer.attach()
        peer.call()
        if "error" in connection:
            peer.send(bytes_of({"error": connection["error"], "parameters": {"parameter": "topics"}}))
        for reply in connection.get("replies", ()):
            peer.reply(reply, continues=True)
        if is_last:
            peer.stay_silent()

    return serve


def say(text: bytes) -> Script:
    """Answers a question with that."""

    def serve(peer: Peer) -> None:
        peer.attach()
        peer.call()
        peer.send(text)
        peer.stay_silent()

    return serve


def read(decision: dict[str, Any], means: dict[str, Any]) -> dict[str, Any]:
    """The members that a case speaks of, as it speaks of them: null for what is left out."""
    found = {name: decision.get(name, [] if name == "notes" else None) for name in means}
    if not decision["hasLimit"] and "limit" in found:
        found["limit"] = None
    for name in {"open", "advice"} & found.keys():
        inner = decision.get(name)
        found[name] = inner and {key: inner.get(key) for key in means[name] or inner} | offers(inner)
    return found


def offers(offer: dict[str, Any]) -> dict[str, Any]:
    """The fallbacks of an offer, with null for what they leave out."""
    if "fallback" not in offer:
        return {}
    names = ("target", "desktopId", "argv", "url")
    return {"fallback": [{name: inner.get(name) for name in names} | offers(inner) for inner in offer["fallback"]]}


class Replay(ClientCase):
    """What is said again, on the second connection."""

    def test_everything_is_said_again(self) -> None:
        for case in cases("replay.json"):
            for end in ("again", "anew"):
                with self.subTest(f"{case['name']}, {end}"):
                    self._replay(case, end)

    def _replay(self, case: dict[str, Any], end: str) -> None:
        calls = list(case["calls"])

        def first(peer: Peer) -> None:
            answer(peer, len(case["first"]))
            for call in calls:
                peer.call()
                if call.get("isLost"):
                    break
                reply(peer, call)
            else:
                peer.call()

        def second(peer: Peer) -> None:
            if end == "anew":
                peer.call()
                peer.refuse("UnknownInstance")
            answer(peer, len(case[end]) - len(peer.calls))
            peer.oblige()

        daemon = self.fake(first, second)
        hello = case.get("hello", {})
        features = [word for word in hello.get("features", ()) if word not in ("actions", "clips")]
        options = {name: hello.get(name) for name in ("app", "languages", "version", "rules")}
        driver = self.driver().new(features=features, **{k: v for k, v in options.items() if v})
        for call in case["before"]:
            self.assertEqual(driver.say(call["method"], **call["parameters"])["said"], "later")
        self.assertTrue(driver.start())
        for call in calls:
            said = driver.say(call["method"], **call["parameters"])
            self.assertEqual(said["said"], "refused" if "error" in call else "later" if "isLost" in call else "done")
            self.assertEqual(said.get("error"), call.get("error"))
        if not (calls and calls[-1].get("isLost")):
            driver.ask("print")
        self.assertEqual(frames(daemon.peer(0).calls[: len(case["first"])]), case["first"])
        self.assert_allowed(asked_again(driver))
        self.assertEqual(frames(daemon.peer(1).calls)[:-1], case[end])
        daemon.close()


def asked_again(driver: Any) -> dict[str, Any]:
    """The answer of the new connection, once the back-off is over."""
    deadline = time.monotonic() + 120
    while True:
        decision: dict[str, Any] = driver.ask("print")
        if not decision["isLocal"] or time.monotonic() > deadline:
            return decision
        driver("loop", ms=20)


def answer(peer: Peer, count: int) -> None:
    for _ in range(count):
        call = peer.call()
        peer.reply(ATTACHED if call["method"] == "Attach" else {})


def reply(peer: Peer, call: dict[str, Any]) -> None:
    if "error" in call:
        peer.refuse(call["error"])
    else:
        peer.reply({"result": call["result"]} if "result" in call else {})


def frames(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [frame(call["method"].removeprefix(GUARD + "."), dict(call["parameters"])) for call in calls]


def frame(method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """As the vectors write it: no vector states the library's own version."""
    if method == "Attach":
        assert parameters.pop("clientVersion") == VERSION
    return {"method": method, "parameters": parameters}
