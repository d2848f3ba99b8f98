"""Two programs that take turns on the same work, so that a machine that slows down slows both."""

import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


class Contender:
    """A program that answers one line for each line it is sent; the first line it says begins with `ready`."""

    def __init__(self, *command: str | Path):
        self.name = Path(command[0]).name
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ready = self.read()[1:]

    def __enter__(self) -> "Contender":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()

    def ask(self, command: str) -> list[str]:
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return self.read()

    def read(self) -> list[str]:
        words = self.process.stdout.readline().split()
        if not words:
            sys.exit(f"bench: error: `{self.name}` ended early")
        return words


@dataclass
class Series:
    """The results of all rounds of one contender."""

    values: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.values)

    @property
    def spread(self) -> float:
        """Half the distance between the quartiles, as a part of the median."""
        low, _, high = statistics.quantiles(self.values, n=4)
        return (high - low) / 2 / self.median


def take_turns(first: Contender, second: Contender, rounds: int, command: str = "round") -> tuple[Series, Series]:
    """Both in turns, after one round each that is not counted; the first word of an answer is the result."""
    first.ask(command)
    second.ask(command)
    pairs = [(float(first.ask(command)[0]), float(second.ask(command)[0])) for _ in range(rounds)]
    return Series([pair[0] for pair in pairs]), Series([pair[1] for pair in pairs])


def alone(contender: Contender, rounds: int, command: str) -> Series:
    """One contender for itself, after a round that is not counted."""
    contender.ask(command)
    return Series([float(contender.ask(command)[0]) for _ in range(rounds)])
