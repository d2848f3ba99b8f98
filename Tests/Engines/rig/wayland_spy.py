"""A program that reads both selections as fast as it can, as a clipboard manager does that means to be first.

It asks for every type of an offer in the moment in which the compositor tells of it, and goes on asking for as long as the
offer stands. Each text that it had not read before is a line of its output: JSON of the selection, the type and the text.
"""

import json
import os
import selectors
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from rig.wayland_wire import Wire, read_text, text  # noqa: E402

GET_DEVICE, RECEIVE = 1, 0
OFFER, SELECTION, PRIMARY = 0, 1, 3
# An owner that is asked more often than it answers would be busy with nothing else.
AT_A_TIME = 16


class Spy:
    def __init__(self) -> None:
        self.wire = Wire()
        self.types: dict[int, list[str]] = {}
        self.offers: dict[str, int] = {}
        self.pipes: dict[int, tuple[str, str, bytes]] = {}
        self.seen: set[tuple[str, str, str]] = set()
        self.waiting = selectors.DefaultSelector()
        self.waiting.register(self.wire, selectors.EVENT_READ)
        manager, seat = self.wire.bind("zwlr_data_control_manager_v1", 2), self.wire.bind("wl_seat", 1)
        device = self.wire.make()
        self.wire.hears[device] = self._heard
        self.wire.send(manager, GET_DEVICE, struct.pack("=II", device, seat))
        self.wire.round_trip()

    def _heard(self, event: int, body: bytes) -> None:
        number = struct.unpack_from("=I", body)[0] if body else 0
        if event == OFFER:
            types = self.types[number] = []
            self.wire.hears[number] = lambda _event, body: types.append(read_text(body))
        elif event in (SELECTION, PRIMARY):
            selection = "clipboard" if event == SELECTION else "primary"
            self.offers[selection] = number
            self.ask(selection)

    def ask(self, selection: str) -> None:
        """Asks for all types of what lies there."""
        offer = self.offers[selection]
        for kind in self.types.get(offer, ()):
            ours, its = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
            self.wire.send(offer, RECEIVE, text(kind), its)
            os.close(its)
            self.pipes[ours] = (selection, kind, b"")
            self.waiting.register(ours, selectors.EVENT_READ)

    def read(self, pipe: int) -> None:
        selection, kind, so_far = self.pipes[pipe]
        more = os.read(pipe, 65536)
        self.pipes[pipe] = (selection, kind, so_far + more)
        if more:
            return
        self.waiting.unregister(pipe)
        os.close(pipe)
        del self.pipes[pipe]
        found = (selection, kind, so_far.decode(errors="replace"))
        if found not in self.seen:
            self.seen.add(found)
            print(json.dumps(found), flush=True)

    def run(self) -> None:
        while True:
            for key, _ in self.waiting.select():
                if key.fileobj is self.wire:
                    self.wire.listen()
                else:
                    self.read(key.fd)
            for selection in self.offers:
                if len(self.pipes) < AT_A_TIME:
                    self.ask(selection)


if __name__ == "__main__":
    spy = Spy()
    print(json.dumps(["", "", "ready"]), flush=True)
    spy.run()
