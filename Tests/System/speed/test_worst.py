"""Beside a user who does the worst that he can with each call, another one is answered as before.

The times are told, and gate nothing: machines differ. What gates is how much the daemon does between two looks at its
sockets, in questions, which is the same on every machine.
"""

import os
import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from asking import EVENT, QUESTION, VIEWER, attach, connect_as, succeed
from test_fairness import BATCH, LONGEST, MANY, MANY_EVENTS, MANY_PLACES, MANY_PROGRAMS, SHORT_ROUND, FairnessCase
from wire import GUARD, SERVICE, Wire, frame

# So many viewers has an instance of the one who floods.
VIEWERS = 4032
QUESTIONS = 300
LONG = "https://docs.contoso.com/" + "a" * 60_000

FLOODS = {
    "questions": QUESTION * 64,
    "batches of questions": MANY_EVENTS,
    "batches of changed selections": frame(
        f"{GUARD}.DecideMany",
        questions=[{"kind": "clipboardChanged", "event": {"selection": "clipboard", "selfOwned": True, "length": 3}}]
        * BATCH,
    ),
    "batches in a viewer that nobody knows": frame(
        f"{GUARD}.DecideMany", questions=[{"kind": "navigate", "event": {**EVENT, "viewer": "none"}}] * BATCH
    ),
    "programs": MANY_PROGRAMS,
    "places": MANY_PLACES * 16,
    "long URLs": frame(f"{GUARD}.Navigate", event={**EVENT, "url": LONG}) * 4,
    "moves in a tree": frame(f"{GUARD}.RegisterViewer", viewer="v0", parent=VIEWER) * 16,
    "viewers that come and go": (
        frame(f"{GUARD}.RegisterViewer", viewer="short", parent="v1") + frame(f"{GUARD}.ForgetViewer", viewer="short")
    )
    * 16,
    "identities": frame(f"{GUARD}.SetIdentity", level="window", window="w", account="me@example.org") * 16,
    "documents": frame(f"{GUARD}.SetDocument", viewer="v2", document=LONG) * 4,
    "questions who one is": frame(f"{GUARD}.WhoAmI") * 16,
    "descriptions": frame(f"{SERVICE}.GetInterfaceDescription", interface=GUARD) * 4,
    "errors": frame(f"{GUARD}.Attach") * 32,
}  # fmt: skip


class WorstNeighbour(FairnessCase):
    def setUp(self) -> None:
        super().setUp()
        for number in range(VIEWERS):
            parent = VIEWER if number == 0 else "v0"
            succeed(self.many[0].call(f"{GUARD}.RegisterViewer", viewer=f"v{number}", parent=parent))
        for wire in self.many:
            wire.socket.setblocking(False)

    def test_no_call_makes_another_user_wait(self) -> None:
        for name, flood in FLOODS.items():
            with self.subTest(name), self.flooded(flood):
                waits = sorted(self.waits(QUESTIONS))
                print(
                    f"beside {name}: median {1000 * waits[len(waits) // 2]:.1f} ms,"
                    f" p99 {1000 * waits[len(waits) * 99 // 100]:.1f} ms, longest {1000 * waits[-1]:.1f} ms")
                self.assertLess(self.most_work(), SHORT_ROUND + max(LONGEST, len(LONG) // 2048))

    def waits(self, count: int) -> Iterator[float]:
        """How long one question after the other took, in seconds."""
        for _ in range(count):
            begin = time.monotonic()
            self.few[0].send(QUESTION)
            self.assertIn("parameters", self.few[0].reply())
            yield time.monotonic() - begin

    @contextmanager
    def flooded(self, flood: bytes) -> Iterator[None]:
        """While this lasts the other user sends as much as is taken, on all connections."""
        end = threading.Event()
        thread = threading.Thread(target=pour, args=([wire.socket for wire in self.many], flood, end))
        thread.start()
        try:
            yield
        finally:
            end.set()
            thread.join()
            for wire in self.many:
                wire.socket.close()
            self.many = [self.again() for _ in self.many]

    def again(self) -> Wire:
        """A further connection of the one who floods, to the same instance."""
        wire = connect_as(MANY, self.daemon)
        self.addCleanup(wire.socket.close)
        attach(wire, self.tokens[MANY])
        wire.socket.setblocking(False)
        return wire


def pour(sockets: list[socket.socket], flood: bytes, end: threading.Event) -> None:
    """Sends whole messages over and over, and throws answers away."""
    left = {each: b"" for each in sockets}
    while not end.is_set():
        readable, writable, _ = select.select(sockets, sockets, [], 0.1)
        for each in readable:
            each.recv(1 << 20)
        for each in writable:
            data = left[each] or flood
            try:
                left[each] = data[each.send(data) :]
            except BlockingIOError:
                continue

