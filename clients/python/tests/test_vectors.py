"""The shared vectors, on the machine without a socket."""

import json
import tempfile
import unittest
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from talk import Talk
from vectors import cases
from webviewguard import Decision
from webviewguard._calls import StateCall
from webviewguard._contract import Contract, parse_contract, read_contract
from webviewguard._decision import refused, without_answer
from webviewguard._event import camel
from webviewguard._ticket import Ticket
from webviewguard.errors import FileProtectionError, GuardError
from webviewguard.files import Files

TABLE: dict[str, Any] = json.loads((Path(__file__).resolve().parents[2] / "vectors/files.json").read_text())
NAMES = {"startMs": "start_ms", "answerMs": "answer_ms"}


def state_call(method: str, parameters: Mapping[str, Any]) -> StateCall[None]:
    return StateCall(method, parameters, lambda _: None, None)


class Contracts(unittest.TestCase):
    def test_files(self) -> None:
        for case in cases("contracts"):
            with self.subTest(case["name"]):
                expected = Contract(**{NAMES.get(name, name): value for name, value in case["means"].items()})
                text = case["file"]
                self.assertEqual(Contract() if text is None else parse_contract(text.encode()), expected)

    def test_kinds(self) -> None:
        for case in cases("kinds"):
            with self.subTest(case["kind"]):
                for part in ("navigation", "clipboard", "other"):
                    contract = read_contract({part: "open"})
                    self.assertEqual(contract.answer(case["kind"]) == "open", part == case["contract"])
                talk = Talk()
                talk.attach()
                talk.asker.question(case["kind"], {})
                self.assertEqual(talk.frames()[0]["method"], case["method"])


class Messages(unittest.TestCase):
    def test_blocks_that_are_decided_here_say_something_to_people(self) -> None:
        """F11: `message or reason` never prints `noAnswer` to people."""
        for case in cases("messages"):
            with self.subTest(case["reason"]):
                reason = "SomethingNew" if case["reason"] == "*" else case["reason"]
                self.assertEqual(refused(reason).message, case["message"])
        for answer, messages in (("closed", 1), ("open", 0)):
            decision = without_answer(answer)  # type: ignore[arg-type]
            self.assertEqual(1 if decision.message else 0, messages)
        self.assertEqual(without_answer("closed"), refused("noAnswer"))


class Decisions(unittest.TestCase):
    def test_replies(self) -> None:
        for case in cases("decisions"):
            with self.subTest(case["name"]):
                decision = self._ask(json.dumps(case["reply"]) + "\0")
                opens = decision.opens_now
                means = wire_view(decision) | {"opensNow": opens.url if opens else None}
                self.assertEqual({name: means[name] for name in case["means"]}, case["means"])
                if not decision.is_local:
                    # Nothing is lost, known or not.
                    self.assertEqual(decision.raw, case["reply"]["parameters"]["decision"])

    def test_several_at_once_mean_the_same(self) -> None:
        for case in cases("decisions"):
            given = case["reply"].get("parameters", {}).get("decision")
            if case["reply"].get("error") or given is None:
                continue
            with self.subTest(case["name"]):
                talk = Talk()
                talk.attach()
                ticket = talk.asker.questions([("copy", {}), ("paste", {})])
                talk.reply(decisions=[given, given])
                self.assertEqual(ticket.result(), [self._ask(json.dumps(case["reply"]) + "\0")] * 2)

    def test_garbage_ends_the_connection(self) -> None:
        for case in cases("garbage"):
            for answer in ("closed", "open"):
                with self.subTest(case["name"], answer=answer):
                    talk = Talk()
                    talk.attach(navigation=answer)
                    decision = self._answered(talk, case["text"])
                    expected = "allow" if answer == "open" else "block"
                    self.assertEqual((decision.outcome, decision.reason), (expected, "noAnswer"))
                    self.assertTrue(decision.is_local and talk.session.is_down)

    def _ask(self, text: str) -> Decision:
        talk = Talk()
        talk.attach()
        decision = self._answered(talk, text)
        self.assertFalse(talk.session.is_down)
        return decision

    def _answered(self, talk: Talk, text: str) -> Decision:
        ticket = talk.asker.question("navigate", {"viewer": "v1", "url": "https://example.net/"})
        talk.say(text)
        self.assertTrue(ticket.is_done)
        return ticket.result()


class Replay(unittest.TestCase):
    def test_what_is_said_again(self) -> None:
        for case in cases("replay"):
            for expected in ("again", "anew"):
                with self.subTest(case["name"], expected=expected):
                    talk = self._at_the_loss(case)
                    talk.connect()
                    frames = talk.frames()
                    if expected == "anew":
                        talk.reply(error="UnknownInstance")
                        frames += talk.frames()
                    talk.reply(instance="T2", contract={})
                    self.assertEqual(frames + talk.answer_all(), case[expected])
                    self.assertEqual(talk.session.problems, [])

    def test_saying_it_a_third_time_is_saying_the_same(self) -> None:
        for case in cases("replay"):
            with self.subTest(case["name"]):
                talk = self._at_the_loss(case)
                talk.connect()
                talk.frames()
                talk.reply(error="UnknownInstance")
                talk.frames()
                talk.reply(instance="T2", contract={})
                second = talk.answer_all()
                talk.lose()
                third = talk.attach("T2")
                self.assertEqual(third[1:], second)

    def _at_the_loss(self, case: dict[str, Any]) -> Talk:
        talk = Talk(case.get("hello"))
        for call in case["before"]:
            talk.asker.note(state_call(call["method"], call["parameters"]))
        self.assertEqual(talk.attach(), case["first"])
        for call in case["calls"]:
            self._make(talk, call)
        talk.lose()
        talk.session.problems.clear()
        return talk

    def _make(self, talk: Talk, call: dict[str, Any]) -> None:
        ticket = talk.asker.state(state_call(call["method"], call["parameters"]))
        sent = {"method": call["method"], "parameters": call["parameters"]}
        self.assertEqual(talk.frames(), [sent])
        if not call.get("isLost"):
            talk.reply(error=call.get("error"), **({"result": call["result"]} if "result" in call else {}))
            self.assertTrue(ticket.is_done)


class FileAnswers(unittest.TestCase):
    """`ReadLabel` and its errors, for a file that is nobody's as far as this machine says."""

    def found(self, ask: Any) -> str | list[Any]:
        with tempfile.NamedTemporaryFile() as file:
            try:
                owner = Files(ask).get_owner(file.name)
            except FileProtectionError as error:
                return f"error {error.code}"
        return [owner.standing, owner.account, owner.must_encrypt]

    def test_answers(self) -> None:
        for row in TABLE["answers"]:
            with self.subTest(row["reply"]):

                def answered(call: Any, reply: Any = row["reply"]) -> Any:
                    try:
                        return call.read(reply)
                    except (TypeError, KeyError):
                        raise GuardError("invalidReply") from None

                self.assertEqual(self.found(answered), row["owner"] or "error 107")

    def test_errors(self) -> None:
        for row in TABLE["errors"]:

            def refused(call: Any, error: str = row["error"]) -> Any:
                raise GuardError(error)

            self.assertEqual(self.found(refused), f"error {row['code']}", row["error"])


class ActionIds(unittest.TestCase):
    def test_groups(self) -> None:
        for case in cases("actions"):
            with self.subTest(case["name"]), patch("time.monotonic") as clock:
                talk = Talk()
                clock.return_value = 1000.0
                talk.attach()
                ids: dict[str, str] = {}
                for step in case["steps"]:
                    clock.return_value = 1000.0 + step["at"] / 1000
                    self._step(talk, step, ids)
                self.assertEqual(len(set(ids.values())), len(ids))

    def _step(self, talk: Talk, step: dict[str, Any], ids: dict[str, str]) -> None:
        if "register" in step:
            talk.asker.state(state_call("RegisterViewer", step["register"]))
            talk.answer_all()
            return
        event = {"new_window" if name == "newWindow" else name: value for name, value in step["navigate"].items()}
        ticket: Ticket[Decision] = talk.asker.question("navigate", event)
        sent = talk.answer_all()[0]["parameters"]["event"].get("action")
        self.assertTrue(ticket.is_done)
        if "sent" in step:
            self.assertEqual(sent, step["sent"])
        else:
            self.assertEqual(ids.setdefault(step["action"], sent), sent)


def wire_view(value: Any) -> dict[str, Any]:
    """A dataclass with the wire's names, and lists where the wire has lists."""
    members = asdict(value)
    members.pop("raw", None)
    return cast(dict[str, Any], _wire(members))


def _wire(value: Any) -> Any:
    if isinstance(value, dict):
        return {camel(name): _wire(member) for name, member in value.items()}
    return [_wire(item) for item in value] if isinstance(value, list | tuple) else value
