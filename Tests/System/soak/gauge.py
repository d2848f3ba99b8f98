"""What the daemon takes: memory and descriptors, sampled while it works."""

import os
import statistics
import time
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Gauge:
    """Samples of one process; flat means that the last quarter is no higher than the second, but for `slack`."""

    pid: int
    samples: list[tuple[float, int, int]] = field(default_factory=list)

    def sample(self) -> None:
        """Takes one, no oftener than four a second."""
        now = time.monotonic()
        if not self.samples or now - self.samples[-1][0] > 0.25:
            self.samples.append((now, self.kibibytes(), self.descriptors()))

    def kibibytes(self) -> int:
        """Resident memory that is the process's own: files that it maps come and go with the page cache."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise RuntimeError("the kernel does not say how much memory it has")

    def descriptors(self) -> int:
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def growth(self) -> tuple[float, float]:
        """How much higher memory in KiB and descriptors were in the last quarter than in the second."""
        quarter = len(self.samples) // 4
        if quarter < 4:
            raise RuntimeError("too short a run to say whether memory is flat")
        second, last = self.samples[quarter : 2 * quarter], self.samples[-quarter:]
        return tuple(
            statistics.median(sample[index] for sample in last) - statistics.median(sample[index] for sample in second)
            for index in (1, 2)
        )  # type: ignore[return-value]

    def summary(self) -> str:
        memory = [sample[1] for sample in self.samples]
        descriptors = [sample[2] for sample in self.samples]
        return (
            f"memory {memory[0] >> 10} to {max(memory) >> 10} MiB, at the end {memory[-1] >> 10}; "
            f"descriptors {descriptors[0]} to {max(descriptors)}"
        )
