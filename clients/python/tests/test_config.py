"""App configuration: the getters that all clients share (AC-04 to AC-08)."""

import unittest
from typing import Any

from vectors import cases
from webviewguard._config import AccountConfig, ConfigValues, read


def means(values: ConfigValues) -> dict[str, Any]:
    """What the getters give, in the form of the vectors."""
    return {
        "conflict": values.has_conflict,
        "bool": {"any": values.boolean(), "or": values.boolean("or"), "and": values.boolean("and")},
        "number": {"any": values.number(), "min": values.number("min"), "max": values.number("max")},
        "string": {"any": values.string(), "min": values.string("min"), "max": values.string("max")},
        "all": [layer.value for layer in values.layers],
    }


def typed(value: Any) -> Any:
    """For Python `True` is `1`."""
    if isinstance(value, dict):
        return {name: typed(member) for name, member in value.items()}
    if isinstance(value, list):
        return [typed(member) for member in value]
    return (type(value), value)


def account(**members: Any) -> AccountConfig:
    return read({"accounts": [{"account": "a", "state": "enrolled", "values": [], "conflicts": [], **members}]})[0]


class Config(unittest.TestCase):
    def test_getters_read_the_values_that_count(self) -> None:
        for case in cases("config"):
            with self.subTest(case["name"]):
                values = account(values=case["values"])["k"]
                self.assertEqual(typed(means(values)), typed(case["means"]))
                self.assertEqual([*values.bools, *values.numbers, *values.strings].__len__(), len(case["means"]["all"]))

    def test_a_key_without_values_has_none(self) -> None:
        self.assertEqual(account()["k"], ConfigValues())

    def test_a_state_that_is_not_known_is_blocked(self) -> None:
        self.assertEqual(account(state="somethingNew").state, "blocked")
        self.assertEqual(account(state="registered").state, "registered")

    def test_full_data_marks_the_default(self) -> None:
        """AC-03."""
        found = account(values=[
            {"key": "a", "entry": "base", "default": True, "flag": True},
            {"key": "a", "entry": "pilot", "default": False, "flag": False},
            {"key": "b", "entry": "base", "default": True, "number": 1}])  # fmt: skip
        self.assertEqual(found.full_data, [{"__IsDefault": True, "a": True, "b": 1}, {"a": False}])

    def test_replies_that_are_none(self) -> None:
        wrong: list[dict[str, Any]] = [
            {}, {"accounts": 1}, {"accounts": [1]}, {"accounts": [{"account": "a", "state": "enrolled"}]},
            {"accounts": [{"account": 1, "state": "enrolled", "values": []}]},
            {"accounts": [{"account": "a", "state": "enrolled", "values": [{"key": "k", "flag": True}]}]},
        ]  # fmt: skip
        for reply in wrong:
            with self.subTest(reply), self.assertRaises((TypeError, KeyError)):
                read(reply)


if __name__ == "__main__":
    unittest.main()
