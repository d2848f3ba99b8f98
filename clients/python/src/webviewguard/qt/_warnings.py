"""What the policy warns of happens for a reason, and only while it still is a mere warning.

A dialog or a notice may stand there for days. Meanwhile a reload may have made a block of the warning, the account may be
locked, signed out or wiped, or nobody be there who knows. So the daemon is asked once more, by a probe, which has no effect
and no record, when the person has said why.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from webviewguard import Decision, EventKind

if TYPE_CHECKING:
    from webviewguard.qt._embedder import Embedder

# What the person was told, and what is done by the answer: with another one of these it is another answer.
_same = attrgetter(
    "outcome", "reason", "identity", "only_plain_text", "mime_wrap", "replacement", "set_owner", "must_encrypt"
)


def settled(
    embedder: "Embedder", event: EventKind, about: Mapping[str, Any], decision: Decision
) -> Decision | None:
    """The answer by which it may happen; None where it may not. A person who is warned may go on and say why, and one who
    is refused is told."""
    viewer = about.get("viewer")
    if decision.outcome == "warn":
        reason = embedder.people.justification(embedder.sentence(decision))
        if viewer is not None and viewer not in embedder.pages:
            reason = ""  # It was signed out while the dialog was open.
        if not reason:
            embedder.acknowledge(decision, "")
            return None
        if goes_on(embedder, event, about, decision, reason):
            return decision
        decision = _anew(embedder, event, about)
    if not decision.allowed:
        embedder.people.tell(embedder.sentence(decision), viewer)
    return decision if decision.allowed else None


def goes_on(
    embedder: "Embedder", event: EventKind, about: Mapping[str, Any], decision: Decision, reason: str
) -> bool:
    """Whether somebody goes on from a warning: it still stands, and the daemon has heard why. Else nothing happens by
    that answer, and the daemon hears that."""
    stands = holds(embedder, event, about, decision)
    return embedder.acknowledge(decision, reason if stands else "") and stands


def holds(embedder: "Embedder", event: EventKind, about: Mapping[str, Any], decision: Decision) -> bool:
    """Whether the same would be answered now."""
    return bool(_same(_probed(embedder, event, about)) == _same(decision))


def _anew(embedder: "Embedder", event: EventKind, about: Mapping[str, Any]) -> Decision:
    """The answer in place of one that holds no more. It is asked for, and recorded, only where something happens by it."""
    probed = _probed(embedder, event, about)
    return embedder.decide(event, **about) if probed.allowed else probed


def _probed(embedder: "Embedder", event: EventKind, about: Mapping[str, Any]) -> Decision:
    asked: dict[str, Any] = {**about, "probe": True}
    return embedder.guard.decide(event, **asked)
