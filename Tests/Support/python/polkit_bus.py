#!/usr/bin/env python3
"""A system bus of a test's own with a scripted polkit on it, for tests in other languages. Prints the address of the bus,
then what polkit.py prints: a line for each call. Each line of standard input is an order for polkit.py, and the end of it
ends both."""

import sys
import threading
from collections.abc import Iterable

from bus import Bus


def forward(lines: Iterable[str]) -> None:
    for line in lines:
        print(line, end="", flush=True)


def main() -> None:
    bus = Bus("system")
    try:
        polkit = bus.run("polkit.py")
        assert polkit.stdin and polkit.stdout
        print(bus.address, flush=True)
        threading.Thread(target=forward, args=(polkit.stdout,), daemon=True).start()
        for line in sys.stdin:
            polkit.stdin.write(line)
    finally:
        bus.remove()


if __name__ == "__main__":
    main()
