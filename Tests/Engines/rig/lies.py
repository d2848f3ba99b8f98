"""A daemon that answers nonsense: it is as good as none."""

from collections.abc import Callable
from typing import Any

from fake import ATTACHED, Peer, Script

GOOD = {"id": "1", "reason": "internal", "generation": 1, "digest": "ab"}
# Answers to `Navigate`: parameters, or bytes that are no message.
LIES: tuple[dict[str, Any], ...] = (
    {}, {"decision": {}}, {"decision": GOOD | {"outcome": ["allow"]}}, {"decision": GOOD | {"outcome": "ALLOW"}},
    {"decision": GOOD | {"outcome": "allow", "open": {"target": 7}}}, {"bytes": b"\xff\xfe\0"}, {"bytes": b"{}\0"},
)  # fmt: skip


def lying(lie: Callable[[], dict[str, Any]]) -> Script:
    """Answers questions about navigations with the lie that is told now, and everything else as it should."""

    def script(peer: Peer) -> None:
        while True:
            method = peer.call()["method"]
            if method == "Navigate":
                told = lie()
                peer.send(told["bytes"]) if "bytes" in told else peer.reply(told)
            elif method == "Attach":
                peer.reply(ATTACHED)
            elif method != "Subscribe":
                peer.reply({})

    return script
