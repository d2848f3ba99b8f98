"""When a lost connection may be tried again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

SHORTEST = 0.1
LONGEST = 5.0

# What became of an attempt: nobody listens; somebody did and went; somebody holds others up, or wants none of them.
Failure = Literal["away", "gone", "bad"]


class BackOff:
    """After a failure nothing is tried by itself for 100 ms, after the next for 200 ms, and so on up to 5 s and a little
    more.

    A question does not wait for that where it costs nothing: a socket that nobody listens at tells at once, so that the
    first question after an outage is answered. Two attempts are never closer than 100 ms if somebody listened: a daemon
    that accepts and hangs up keeps nobody busy. What one that hangs costs, the conversation says.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self._delay = SHORTEST
        self.latest_attempt = float("-inf")
        self.until = float("-inf")
        # For questions.
        self.asked_until = float("-inf")

    def attempted(self, now: float) -> None:
        self.latest_attempt = now

    def succeeded(self) -> None:
        self._delay = SHORTEST

    def failed(self, now: float, failure: Failure) -> None:
        # An attempt for a question does not put off the next one that is made by itself.
        if now >= self.until:
            # Up to a quarter more by chance, so that many clients do not come back in one moment.
            self.until = now + self._delay * (1 + self._chance() / 4)
            self._delay = min(self._delay * 2, LONGEST)
        soonest = {"away": now, "gone": self.latest_attempt + SHORTEST, "bad": self.until}[failure]
        self.asked_until = min(soonest, self.until)

    def ended(self, now: float) -> None:
        """A connection that had worked was closed while nobody waited: that may be tried at once."""
        self.until = self.asked_until = max(now, self.latest_attempt + SHORTEST)

    def begin_anew(self) -> None:
        """Nothing was tried yet, unless this has ended."""
        if self.until != float("inf"):
            self.succeeded()
            self.latest_attempt = self.until = self.asked_until = float("-inf")

    def end(self) -> None:
        """Nothing is tried any more."""
        self.until = self.asked_until = float("inf")
