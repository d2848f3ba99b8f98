"""The lives of the daemon: every process of the soak knows when one ends, so that it can tell an end from a failure."""

import mmap
import struct
import time

FORMAT = "Q"
WAIT_SECONDS = 60.0


class Lives:
    """A number that grows when the daemon is about to be ended, and again when it serves: even while it should live.

    It is in memory that forked processes share. One process writes.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, struct.calcsize(FORMAT))

    @property
    def number(self) -> int:
        return int(struct.unpack_from(FORMAT, self._memory)[0])

    def turn(self) -> None:
        """The daemon is ended next, or serves again."""
        struct.pack_into(FORMAT, self._memory, 0, self.number + 1)

    def wait(self) -> int:
        """The number of the life that is, or comes next."""
        deadline = time.monotonic() + WAIT_SECONDS
        while self.number % 2:
            if time.monotonic() > deadline:
                raise TimeoutError("the daemon did not come back")
            time.sleep(0.02)
        return self.number
