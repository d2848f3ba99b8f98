"""When a lost connection may be tried again."""

from collections.abc import Callable

SHORTEST = 0.1
LONGEST = 5.0


class BackOff:
    """After a failure nothing is tried for 100 ms, after the next for 200 ms, and so on up to 5 s and a little more.

    Whatever happens, two attempts are never closer than 100 ms: a daemon that accepts and hangs up keeps nobody busy.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self._delay = SHORTEST
        self._latest_attempt = float("-inf")
        self.until = float("-inf")

    def attempted(self, now: float) -> None:
        self._latest_attempt = now

    def succeeded(self) -> None:
        self._delay = SHORTEST

    def failed(self, now: float) -> None:
        # A quarter more or less by chance, so that many clients do not come back in one moment.
        self.until = now + self._delay * (1 + self._chance() / 4)
        self._delay = min(self._delay * 2, LONGEST)

    def ended(self, now: float) -> None:
        """A connection that had worked was closed while nobody waited: that may be tried at once."""
        self.until = max(now, self._latest_attempt + SHORTEST)
