"""App configuration: the getters that all clients share (AC-04 to AC-08)."""

from typing import Any

from case import ClientCase
from fake import Peer, bytes_of
from test_vectors import ACCOUNTS, cases


def means(found: dict[str, Any]) -> dict[str, Any]:
    """What the getters gave, in the form of the vectors."""
    choices = {"bool": ("any", "or", "and"), "number": ("any", "min", "max"), "string": ("any", "min", "max")}
    getters = {type_: {word: found.get(f"{type_}.{word}") for word in words} for type_, words in choices.items()}
    return {"conflict": found["conflict"], **getters, "all": [each["value"] for each in found["all"]]}


def typed(value: Any) -> Any:
    """Apart from numbers, which C has one type of, `True` is no `1`."""
    if isinstance(value, dict):
        return {name: typed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    return (isinstance(value, bool), value)


class Config(ClientCase):
    def answer(self, replies: list[dict[str, Any]]) -> tuple[Any, Any]:
        def serve(peer: Peer) -> None:
            peer.attach()
            for reply in replies:
                peer.call()
                peer.send(bytes_of(reply))
            peer.oblige()

        daemon = self.fake(serve)
        driver = self.driver().new()
        driver.start()
        return daemon, driver

    def test_getters_read_the_values_that_count(self) -> None:
        wanted = cases("config.json")
        account = {"account": "a", "state": "enrolled", "conflicts": []}
        daemon, driver = self.answer(
            [{"parameters": {"accounts": [account | {"values": case["values"]}]}} for case in wanted]
        )
        for case in wanted:
            with self.subTest(case["name"]):
                found = driver("config", key="k")
                self.assertEqual(found["said"], "done")
                self.assertEqual(typed(means(found["accounts"][0])), typed(case["means"]))
                for wrong in ("bool.min", "bool.max", "number.or", "number.and", "string.or", "string.and"):
                    self.assertNotIn(wrong, found["accounts"][0])
        daemon.close()

    def test_accounts_are_named_and_states_told(self) -> None:
        reply = {"parameters": {"accounts": [
            {"account": "a", "state": "enrolled", "values": [], "conflicts": []},
            {"account": "b", "state": "somethingNew", "values": [], "conflicts": []}]}}  # fmt: skip
        daemon, driver = self.answer([reply, reply, {"error": "org.webviewguard.Guard.UnknownAccount"}, {"parameters": {}}])
        found = driver("config", key="k", accounts=["a", "b"])
        self.assertEqual([(each["account"], each["state"], each["count"]) for each in found["accounts"]],
                         [("a", "enrolled", 0), ("b", "blocked", 0)])  # fmt: skip
        driver("config", key="k")
        self.assertEqual(driver("config", key="k", accounts=["c"])["error"], "UnknownAccount")
        self.assertEqual(driver("config", key="k")["error"], "invalidReply")
        said = [(call["method"], call["parameters"]) for call in daemon.heard[1:]]
        method = f"{ACCOUNTS}.Config"
        self.assertEqual(said, [(method, {"accounts": ["a", "b"]}), (method, {}), (method, {"accounts": ["c"]}), (method, {})])
        daemon.close()
        self.assertEqual(driver("config", key="k")["error"], "noAnswer")
