"""The answer to one event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast, get_args

from webviewguard._words import FailureAnswer, Outcome

OUTCOMES: tuple[str, ...] = get_args(Outcome)


@dataclass(frozen=True)
class OpenOffer:
    """Another program that may open the URL. The app starts it, in its user's session."""

    target: str = ""
    url: str = ""
    # The `.desktop` file to start; None with no `argv` either means the desktop's own handler of the scheme.
    desktop_id: str | None = None
    # The command to start instead, ready to run without a shell.
    argv: tuple[str, ...] | None = None
    # Where to go when the program cannot open it, best first.
    fallback: "tuple[OpenOffer, ...]" = ()


@dataclass(frozen=True)
class Advice:
    """What would have been answered if the policy did not only monitor."""

    outcome: str = ""
    reason: str = ""
    cause: str = ""
    rule_set: str | None = None
    rule: str | None = None
    rule_location: str | None = None


@dataclass(frozen=True)
class Decision:
    """What the app must do, and why. The members are those of `Decision` on the wire, in snake case.

    An outcome that this client does not know is `block`; `raw` has the word. Reasons that it does not know are kept.
    """

    outcome: Outcome = "block"
    reason: str = "noAnswer"
    id: str = ""
    # Made here, without the daemon: by the failure contract, or because the daemon refused the question.
    is_local: bool = False
    viewer_is_unknown: bool = False
    policy: str | None = None
    policy_source: str | None = None
    identity: str | None = None
    identity_level: str | None = None
    protection: str | None = None
    verdict: str | None = None
    rule_set: str | None = None
    rule: str | None = None
    rule_location: str | None = None
    exception: str | None = None
    message: str | None = None
    open: OpenOffer | None = None
    offered: str | None = None
    body_dropped: bool = False
    # It is a sign-in page, which may get the credential of the account in `identity` (`sign_in_credential`).
    sign_in: bool = False
    clip: str | None = None
    proposal: str | None = None
    limit: int | None = None
    only_plain_text: bool = False
    replacement: str | None = None
    mime_wrap: bool = False
    programs: tuple[str, ...] | None = None
    blur_preview: bool = False
    set_owner: str | None = None
    must_encrypt: bool = False
    tag_as: str | None = None
    switch_to: str | None = None
    request: str | None = None
    location: str | None = None
    notes: tuple[str, ...] = ()
    advice: Advice | None = None
    generation: int = 0
    digest: str = ""
    mode: str | None = None
    repeat: bool = False
    raw: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def allowed(self) -> bool:
        """Whether it may happen here and now. `warn`, `redact` and the others are not that."""
        return self.outcome == "allow"

    @property
    def opens_now(self) -> OpenOffer | None:
        """What to start now. None for a mere offer, and for a click that was answered before: one click, one start."""
        return self.open if self.outcome in ("redirect", "handOff") and not self.repeat else None


# What the user may be told of a block that was decided here, by its reason.
_MESSAGES = {
    "noAnswer": "The protection of your organization's data does not answer. Try again in a moment.",
    **dict.fromkeys(
        ("NoApp", "AppAmbiguous", "AppMismatch"),
        "The protection of your organization's data does not know this program. Tell your administrator.",
    ),
}
_OTHER_MESSAGE = "The protection of your organization's data could not judge this. Try again, or tell your administrator."


def without_answer(answer: FailureAnswer) -> Decision:
    """What the failure contract says of a question that nobody answered."""
    if answer == "open":
        return Decision(outcome="allow", is_local=True)
    return refused("noAnswer")


def refused(reason: str) -> Decision:
    """An error of the daemon is `block`, with the error's last word for the reason."""
    word = reason.rpartition(".")[2]
    return Decision(reason=word, is_local=True, message=_MESSAGES.get(word, _OTHER_MESSAGE))


def read_decision(value: object) -> Decision:
    """The decision of a reply; `block` with the reason `invalidReply` when it is not one."""
    try:
        return _read(value)
    except (TypeError, KeyError):
        return refused("invalidReply")


def _read(value: object) -> Decision:
    members = _mapping(value)
    outcome = _text(members["outcome"])
    known: dict[str, Any] = {"outcome": outcome if outcome in OUTCOMES else "block", "reason": "", "raw": members}
    for wire, value in members.items():
        if value is not None and wire in _MEMBERS:
            name, read = _MEMBERS[wire]
            known[name] = read(value)
    return _made(known)


def _made(known: dict[str, Any]) -> Decision:
    """`Decision(**known)`, but for the time: that sets 40 members of a frozen class one by one."""
    decision = object.__new__(Decision)
    decision.__dict__.update(_DEFAULTS)
    decision.__dict__.update(known)
    return decision


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise TypeError
    return cast(Mapping[str, Any], value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError
    return value


def _list(value: object) -> Sequence[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _texts(value: object) -> tuple[str, ...]:
    return tuple(_text(item) for item in _list(value))


def _offer(value: object) -> OpenOffer:
    members = _mapping(value)
    argv, desktop, fallback = members.get("argv"), members.get("desktopId"), members.get("fallback")
    return OpenOffer(
        target=_text(members["target"]),
        url=_text(members["url"]),
        desktop_id=None if desktop is None else _text(desktop),
        argv=None if argv is None else _texts(argv),
        fallback=() if fallback is None else tuple(_offer(item) for item in _list(fallback)),
    )


def _advice(value: object) -> Advice:
    members = _mapping(value)
    names = {"ruleSet": "rule_set", "rule": "rule", "ruleLocation": "rule_location"}
    rest = {name: _text(members[wire]) for wire, name in names.items() if members.get(wire) is not None}
    return Advice(_text(members["outcome"]), _text(members["reason"]), _text(members["cause"]), **rest)


_MEMBERS: Mapping[str, tuple[str, Any]] = {
    "reason": ("reason", _text), "id": ("id", _text), "viewerIsUnknown": ("viewer_is_unknown", _flag),
    "policy": ("policy", _text), "policySource": ("policy_source", _text), "identity": ("identity", _text),
    "identityLevel": ("identity_level", _text), "protection": ("protection", _text), "verdict": ("verdict", _text),
    "ruleSet": ("rule_set", _text), "rule": ("rule", _text), "ruleLocation": ("rule_location", _text),
    "exception": ("exception", _text), "message": ("message", _text), "open": ("open", _offer),
    "offered": ("offered", _text), "bodyDropped": ("body_dropped", _flag), "clip": ("clip", _text),
    "signIn": ("sign_in", _flag),
    "proposal": ("proposal", _text),
    "limit": ("limit", _number),
    "onlyPlainText": ("only_plain_text", _flag), "replacement": ("replacement", _text),
    "mimeWrap": ("mime_wrap", _flag), "programs": ("programs", _texts), "blurPreview": ("blur_preview", _flag),
    "setOwner": ("set_owner", _text), "mustEncrypt": ("must_encrypt", _flag),
    "tagAs": ("tag_as", _text), "switchTo": ("switch_to", _text), "request": ("request", _text),
    "location": ("location", _text), "notes": ("notes", _texts), "advice": ("advice", _advice),
    "generation": ("generation", _number), "digest": ("digest", _text), "mode": ("mode", _text),
    "repeat": ("repeat", _flag),
}  # fmt: skip
_DEFAULTS: Mapping[str, Any] = vars(Decision())
