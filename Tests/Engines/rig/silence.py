"""What a page costs in questions, and what becomes of an event loop when nobody answers them."""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from fake import CONTRACT, FakeDaemon, Peer

# A loop that waits for one answer stands for so long; no machine is so busy by itself.
ANSWER_MS = 3000
BEAT_MS = 10
PICTURES = FRAMES = 20
MANY = 50
# A script by which a page leads as many frames elsewhere at once.
MANY_FRAMES = f"""(() => {{ for (let n = 0; n < {MANY}; n++) {{
  const f = document.createElement('iframe'); f.src = `/silent-${{n}}`; document.body.append(f) }} }})()"""


class Silence:
    """A daemon that allows everything, and from `begin` on hears all and says nothing."""

    def __init__(self, directory: Path, answer_ms: int = ANSWER_MS) -> None:
        self.is_there = False
        self.daemon = FakeDaemon(directory, self._serve, contract={**CONTRACT, "answerMs": answer_ms})

    def _serve(self, peer: Peer) -> None:
        while True:
            call = peer.call()
            if not self.is_there:
                peer.answer(call)

    def begin(self) -> None:
        self.is_there = True

    def questions(self) -> Counter[str]:
        """How often it was called since the last time: navigations by their frame, others by their method."""
        heard, self.daemon.heard[:] = list(self.daemon.heard), []
        return Counter(
            call["parameters"]["event"]["frame"] if call["method"] == "Navigate" else call["method"] for call in heard
        )


@contextmanager
def silence() -> Iterator[Silence]:
    with tempfile.TemporaryDirectory(prefix="wvg-") as directory:
        made = Silence(Path(directory))
        try:
            yield made
        finally:
            made.daemon.close()


class Beats:
    """The times at which something that a loop does by itself was done."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def beat(self) -> None:
        self.times.append(time.monotonic())

    def standstills(self, seconds: float = ANSWER_MS / 2000) -> list[float]:
        """How long each stood that took longer than this."""
        pauses = (after - before for before, after in zip(self.times, self.times[1:], strict=False))
        return [pause for pause in pauses if pause > seconds]


def until(holds: Callable[[], bool], turn: Callable[[], object], seconds: float = 60.0) -> None:
    """Lets a loop turn until something holds."""
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError("it never came about")
        turn()
