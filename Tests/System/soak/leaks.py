"""What LeakSanitizer takes for leaked when a daemon ends.

It does not follow pointers in whose upper bits Swift keeps the case of an enum, so that it reports a part of what is
still in use: of the policy in force, and of NIO's thread pools. That is the same after a quiet life and after a busy
one. A leak is what a busy life has beyond it.
"""

import re

FOUND = re.compile(rb"SUMMARY: AddressSanitizer: \d+ byte\(s\) leaked in (\d+) allocation\(s\)")
# Allocations that a busy life may have beyond a quiet one; whoever leaks does so hundreds of times.
SLACK = 16


def leaked(said: bytes) -> list[int]:
    """How many allocations each daemon reported that ended by itself; nothing without the sanitizer."""
    return [int(count) for count in FOUND.findall(said)]
