"""The calls that are no questions: what they say, and what their replies mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from webviewguard._words import (
    IdentityLevel,
    IdentityTarget,
    Outcome,
    PolicySource,
    Reason,
    SwitchResult,
    ViewerKind,
    WebViewPolicy,
)

T = TypeVar("T")


@dataclass(frozen=True)
class Viewer:
    """How a viewer resolves. `policy` is None when the daemon could not be asked; it is told as soon as it is there."""

    policy: WebViewPolicy | None = None
    policy_source: PolicySource | None = None
    rule_set: str | None = None


@dataclass(frozen=True)
class Identity:
    """Whose data is shown. `level` is None when the daemon could not be asked; it is told as soon as it is there."""

    previous: str | None = None
    effective_ui: str | None = None
    effective_file: str | None = None
    level: IdentityLevel | None = None
    # What came of a switch with `gates`.
    result: SwitchResult | None = None
    # Why the account may not be shown now. With `locked` the daemon asks the person to unlock it: news of the topic
    # `account` tell the end, and the app shows the account again.
    reason: Reason | None = None


@dataclass(frozen=True)
class MissingFeature:
    """A feature that the app did not claim, and in one sentence what it loses by that."""

    feature: str
    cost: str


def read_missing(value: object) -> tuple[MissingFeature, ...]:
    """The features that `Attach` lists; none of a daemon that lists none."""
    entries = [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
    words = [(entry.get("feature"), entry.get("cost", "")) for entry in entries]
    return tuple(MissingFeature(word, str(cost)) for word, cost in words if isinstance(word, str))


def read_organization(value: object) -> Mapping[str, str]:
    """What notices show of the organisation, as the wire names it; empty where the policy states nothing of it."""
    members = value.items() if isinstance(value, dict) else ()
    return {name: text for name, text in members if isinstance(text, str)}


@dataclass(frozen=True)
class StateCall(Generic[T]):
    """One call, how its reply is read, and what is returned when nobody heard it."""

    method: str
    parameters: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], T]
    unheard: T


def register_viewer(
    viewer: str, viewer_class: str | None, window: str | None, parent: str | None, opener: str | None,
    kind: ViewerKind | None, document: str | None, policy: WebViewPolicy | None, rule_set: str | None,
) -> StateCall[Viewer]:  # fmt: skip
    said = {
        "viewer": viewer, "class": viewer_class, "window": window, "parent": parent, "opener": opener, "kind": kind,
        "document": document, "policy": policy, "ruleSet": rule_set,
    }  # fmt: skip
    return _call("RegisterViewer", said, _viewer, Viewer())


def set_document(viewer: str, document: str | None) -> StateCall[bool]:
    return _call("SetDocument", {"viewer": viewer, "document": document}, _heard, False)


def forget_viewer(viewer: str) -> StateCall[bool]:
    return _call("ForgetViewer", {"viewer": viewer}, _heard, False)


def set_web_view_policy(viewer: str, policy: WebViewPolicy) -> StateCall[Viewer]:
    return _call("SetWebViewPolicy", {"viewer": viewer, "policy": policy}, _viewer, Viewer())


def set_external_url_rules(viewer: str, rule_set: str | None) -> StateCall[bool]:
    return _call("SetExternalURLRules", {"viewer": viewer, "ruleSet": rule_set}, _heard, False)


def set_identity(
    level: IdentityTarget, window: str | None, account: str | None, accounts: Sequence[str] | None,
    gates: SwitchResult | None,
) -> StateCall[Identity]:  # fmt: skip
    several = None if accounts is None else list(accounts)
    said = {"level": level, "window": window, "account": account, "accounts": several, "gates": gates}
    unheard = Identity(result=None if gates is None else "failed")
    return _call("SetIdentity", said, _identity, unheard)


def acknowledge(decision: str, outcome: Outcome, justification: str | None) -> StateCall[bool]:
    said = {"decision": decision, "outcome": outcome, "justification": justification}
    return _call("Acknowledge", said, _heard, False)


def answer(request: str, result: SwitchResult) -> StateCall[bool]:
    return _call("Answer", {"request": request, "result": result}, _heard, False)


def _call(method: str, said: Mapping[str, Any], read: Callable[[Mapping[str, Any]], T], unheard: T) -> StateCall[T]:
    return StateCall(method, {name: value for name, value in said.items() if value is not None}, read, unheard)


def _heard(_: Mapping[str, Any]) -> bool:
    return True


def _viewer(reply: Mapping[str, Any]) -> Viewer:
    return Viewer(
        cast("WebViewPolicy | None", _text(reply, "policy")),
        cast("PolicySource | None", _text(reply, "policySource")),
        _text(reply, "ruleSet"),
    )


def _identity(reply: Mapping[str, Any]) -> Identity:
    return Identity(
        _text(reply, "previous"),
        _text(reply, "effectiveUI"),
        _text(reply, "effectiveFile"),
        cast("IdentityLevel | None", _text(reply, "level")),
        cast("SwitchResult | None", _text(reply, "result")),
        cast("Reason | None", _text(reply, "reason")),
    )


def _text(reply: Mapping[str, Any], name: str) -> str | None:
    value = reply.get(name)
    return value if isinstance(value, str) else None
