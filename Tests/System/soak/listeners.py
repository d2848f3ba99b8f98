"""Connections that are told things: they listen, fall behind, and must be told how much they missed."""

import json
import select
from random import Random
from typing import Any

from guest import Disagreement, House
from wire import ADMIN, GUARD, Wire, frame


class Ear(Wire):
    """A connection on which replies come unasked."""

    def there(self) -> list[dict[str, Any]]:
        """The replies that have come by now; it does not wait for more."""
        while select.select([self.socket], [], [], 0)[0]:
            chunk = self.socket.recv(1 << 20)
            if not chunk:
                raise ConnectionError("the daemon closed the connection")
            self._received += chunk
        *frames, self._received = self._received.split(b"\0")
        return [json.loads(text) for text in frames]


class Listener:
    """Hears the news of policies. Generations only grow, and each digest is that of a known policy."""

    def __init__(self, house: House, random: Random) -> None:
        self.house = house
        self.random = random
        self.heard = 0
        self.generation = 0
        self.wire = self._subscribe()

    def step(self) -> None:
        draw = self.random.random()
        if draw < 0.02:
            self.wire.socket.close()
            self.wire = self._subscribe()
        elif draw < 0.3:
            self._listen()

    def end(self) -> None:
        self.wire.socket.close()

    def _subscribe(self) -> Ear:
        wire = Ear(self.house.guard_socket, 60.0)
        wire.call(f"{GUARD}.Attach", features=[])
        wire.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["policy"]))
        self._hear(wire.reply())
        return wire

    def _listen(self) -> None:
        for reply in self.wire.there():
            self._hear(reply)

    def _hear(self, reply: dict[str, Any]) -> None:
        news = reply.get("parameters", {})
        if not reply.get("continues") or news.get("topic") != "policy":
            raise Disagreement(f"no news of a policy: {reply}")
        if news["generation"] < self.generation or news["digest"] not in self.house.variants:
            raise Disagreement(f"news of no policy that is: {news} after generation {self.generation}")
        self.generation = news["generation"]
        self.heard += 1


class Watcher:
    """Watches all decisions, mostly without looking: what it misses is counted, and what it sees has grown."""

    def __init__(self, house: House, random: Random) -> None:
        self.house = house
        self.random = random
        self.seen = 0
        self.skipped = 0
        self.newest = 0
        self.begin()

    def begin(self) -> None:
        """Begins to watch; also another daemon, whose numbers are above those of the one before."""
        self.wire = Ear(self.house.admin_socket, 60.0)
        self.wire.send(frame(f"{ADMIN}.Monitor", flags={"more": True}))

    def step(self) -> None:
        if self.random.random() > 0.05:
            return
        for reply in self.wire.there():
            shown = reply.get("parameters", {})
            identity = int(shown["decision"]["id"])
            if not reply.get("continues") or identity <= self.newest:
                raise Disagreement(f"decision {identity} was shown behind {self.newest}")
            self.newest = identity
            self.seen += 1
            self.skipped += shown.get("skipped", 0)

    def end(self) -> None:
        self.wire.socket.close()
