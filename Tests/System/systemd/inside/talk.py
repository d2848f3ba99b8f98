"""Talks to the daemon from inside the container, as it is told on standard input: one order a line, one answer a line.

{"do": "connect", "socket": PATH}                      connects, in place of the connection before
{"do": "call", "method": M, "parameters": {...}}       a call; the reply, or {"closed": true}
{"do": "flood", "method": M, "parameters": {...}, "count": N}   so many calls in one piece, and no reading
{"do": "drain"}                                        the decisions of all replies until the connection ends
{"do": "hear", "socket": PATH, "attach": {...}, "topics": [...]}   subscribes by a connection of its own
{"do": "news"}                                         the next news that it hears
{"do": "who"}                                          the number of this process
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

from wire import GUARD, Wire, frame

PATIENCE_SECONDS = 60.0


class Talker:
    def __init__(self) -> None:
        self.wire: Wire | None = None
        self.hearing: Wire | None = None

    def answer(self, order: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._do(order)
        except (OSError, TimeoutError) as error:
            return {"closed": True, "because": str(error)}

    def _do(self, order: dict[str, Any]) -> dict[str, Any]:
        if order["do"] == "who":
            return {"pid": os.getpid()}
        if order["do"] in ("hear", "news"):
            return self._hear(order)
        if order["do"] == "connect":
            self.wire = Wire(Path(order["socket"]), PATIENCE_SECONDS)
            return {"connected": True}
        if self.wire is None:
            return {"closed": True}
        if order["do"] == "call":
            return self.wire.call(order["method"], **order["parameters"])
        if order["do"] == "flood":
            self.wire.send(*[frame(order["method"], **order["parameters"])] * order["count"])
            return {"sent": order["count"]}
        return {"decisions": self._drain(self.wire)}

    def _hear(self, order: dict[str, Any]) -> dict[str, Any]:
        if order["do"] == "hear":
            self.hearing = Wire(Path(order["socket"]), PATIENCE_SECONDS)
            self.hearing.call(f"{GUARD}.Attach", **order["attach"])
            self.hearing.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=order["topics"]))
        assert self.hearing
        return self.hearing.reply()

    def _drain(self, wire: Wire) -> list[str]:
        decisions = []
        try:
            while True:
                decisions.append(wire.reply()["parameters"]["decision"]["id"])
        except OSError:
            return decisions


def main() -> None:
    talker = Talker()
    for line in sys.stdin:
        print(json.dumps(talker.answer(json.loads(line))), flush=True)


main()
