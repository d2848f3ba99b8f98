"""Talks to the daemon from inside the container, as it is told on standard input: one order a line, one answer a line.

{"do": "connect", "socket": PATH}                      connects, in place of the connection before
{"do": "call", "method": M, "parameters": {...}}       a call; the reply, or {"closed": true}
{"do": "flood", "method": M, "parameters": {...}, "count": N}   so many calls in one piece, and no reading
{"do": "drain"}                                        the decisions of all replies until the connection ends
"""

import json
import sys
from pathlib import Path
from typing import Any

from wire import Wire, frame

PATIENCE_SECONDS = 60.0


class Talker:
    def __init__(self) -> None:
        self.wire: Wire | None = None

    def answer(self, order: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._do(order)
        except (OSError, TimeoutError) as error:
            return {"closed": True, "because": str(error)}

    def _do(self, order: dict[str, Any]) -> dict[str, Any]:
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
