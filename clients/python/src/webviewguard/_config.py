"""Values of a policy that an app reads as its own configuration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, cast, get_args

from webviewguard._words import LifeState

LIVES: tuple[str, ...] = get_args(LifeState)

Value = Union[bool, int, float, str]
BoolChoice = Literal["any", "or", "and"]
OrderedChoice = Literal["any", "min", "max"]


@dataclass(frozen=True)
class ConfigLayer:
    """One value of a key, and the entry of the policy that gives it."""

    entry: str
    value: Value
    is_default: bool


@dataclass(frozen=True)
class ConfigValues:
    """The values of a key. Targeted ones beat the default, of whatever type they are."""

    # All layers, in the order of their entries' names; also a default that does not count.
    all: tuple[ConfigLayer, ...] = ()

    @property
    def layers(self) -> tuple[ConfigLayer, ...]:
        """The layers that count: the targeted ones, or the default when there are none."""
        return tuple(layer for layer in self.all if not layer.is_default) or self.all

    @property
    def has_conflict(self) -> bool:
        """Whether more than one targeted value exists, and they are not all identical."""
        layers = [layer for layer in self.layers if not layer.is_default]
        return any(not _same(layer.value, layers[0].value) for layer in layers)

    @property
    def bools(self) -> list[bool]:
        """All booleans; none when there is none."""
        return [layer.value for layer in self.layers if isinstance(layer.value, bool)]

    @property
    def numbers(self) -> list[int | float]:
        """All numbers; none when there is none."""
        return [
            layer.value for layer in self.layers
            if isinstance(layer.value, (int, float)) and not isinstance(layer.value, bool)
        ]  # fmt: skip

    @property
    def strings(self) -> list[str]:
        """All strings; none when there is none."""
        return [layer.value for layer in self.layers if isinstance(layer.value, str)]

    def boolean(self, choice: BoolChoice = "any") -> bool | None:
        """The boolean; of several the first, whether one is true, or whether all are. None when there is none."""
        values = self.bools
        if not values:
            return None
        return any(values) if choice == "or" else all(values) if choice == "and" else values[0]

    def number(self, choice: OrderedChoice = "any") -> int | float | None:
        """The number; of several the first, the smallest or the largest. None when there is none."""
        values = self.numbers
        if not values:
            return None
        return min(values) if choice == "min" else max(values) if choice == "max" else values[0]

    def string(self, choice: OrderedChoice = "any") -> str | None:
        """The string; of several the first, or the first or last in the order of their code points. None when there is
        none."""
        values = self.strings
        if not values:
            return None
        return min(values) if choice == "min" else max(values) if choice == "max" else values[0]


@dataclass(frozen=True)
class AccountConfig:
    """The configuration of an account: none before it is enrolled."""

    account: str
    # The point of its life; a word that this client does not know is `blocked`.
    state: LifeState
    values: Mapping[str, ConfigValues]

    def __getitem__(self, key: str) -> ConfigValues:
        """The values of a key, none for a key that the policy does not name: `config["maxTabs"].number("min")`."""
        return self.values.get(key, ConfigValues())

    @property
    def full_data(self) -> list[dict[str, Value]]:
        """One dictionary for each entry, as the SDK has it: that of the default has `__IsDefault`."""
        found: dict[str, dict[str, Value]] = {}
        for key, values in self.values.items():
            for layer in values.all:
                entry = found.setdefault(layer.entry, {"__IsDefault": True} if layer.is_default else {})
                entry[key] = layer.value
        return [found[entry] for entry in sorted(found)]


def read(reply: Mapping[str, Any]) -> "tuple[AccountConfig, ...]":
    """The accounts of an answer; TypeError or KeyError for a reply that is none. A value of a type that is not known here
    is passed over."""
    accounts = reply["accounts"]
    if not isinstance(accounts, list):
        raise TypeError
    return tuple(_account(account) for account in accounts)


def _account(said: Any) -> AccountConfig:
    if not isinstance(said, dict) or not isinstance(said["account"], str) or not isinstance(said["values"], list):
        raise TypeError
    found: dict[str, tuple[ConfigLayer, ...]] = {}
    for each in said["values"]:
        layer = _layer(each)
        if layer is not None:
            found[each["key"]] = (*found.get(each["key"], ()), layer)
    values = {key: ConfigValues(layers) for key, layers in found.items()}
    state = said["state"]
    return AccountConfig(said["account"], cast(LifeState, state if state in LIVES else "blocked"), values)


def _layer(said: Any) -> ConfigLayer | None:
    if not isinstance(said, dict) or not isinstance(said["key"], str) or not isinstance(said["entry"], str):
        raise TypeError
    value = _value(said)
    return None if value is None else ConfigLayer(said["entry"], value, said.get("default") is True)


def _value(said: Mapping[str, Any]) -> Value | None:
    flag, number, text = said.get("flag"), said.get("number"), said.get("text")
    if isinstance(flag, bool):
        return flag
    if isinstance(text, str):
        return text
    return cast(Value, number) if isinstance(number, (int, float)) and not isinstance(number, bool) else None


def _same(one: Value, other: Value) -> bool:
    """`True` is no `1` here."""
    return isinstance(one, bool) == isinstance(other, bool) and one == other
