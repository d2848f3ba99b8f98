#!/usr/bin/env python3
"""Asks a real Chromium how it reads URLs, patterns and block lists, and holds our readings against its.

run.py [PART...]     PART is url, pattern or blocklist; all of them when none is named

Nothing but the browser's own pipes is used: it has no network. See README.md.
"""

import sys
import time
from types import ModuleType

import blocklist_part
import pattern_part
import url_part
from chromium import Chromium
from shared_data import DATA, SEED

PARTS: tuple[ModuleType, ...] = (url_part, pattern_part, blocklist_part)


def judged(part: ModuleType) -> bool:
    """Runs one part with a browser of its own and prints its record; true when everything is as expected."""
    began = time.monotonic()
    with Chromium(*part.FLAGS) as browser:
        tally = part.run(browser)
    wrong = tally.judge()
    print(f"{part.TITLE}: {browser.version}, {tally.compared.total():,} compared in {time.monotonic() - began:.1f} s")
    print(tally.table())
    for line in wrong:
        print(f"  WRONG: {line}")
    print(flush=True)
    return not wrong


def main(wanted: list[str]) -> int:
    parts = [part for part in PARTS if not wanted or part.NAME in wanted]
    if not parts or len(parts) < len(set(wanted)):
        print(f"the parts are {', '.join(part.NAME for part in PARTS)}", file=sys.stderr)
        return 64
    if not DATA.is_dir():
        print(f"no test data at `{DATA}`; set `WEBVIEWGUARD_DATA` to its folder", file=sys.stderr)
        return 1
    began = time.monotonic()
    print(f"seed {SEED} (repeat with WEBVIEWGUARD_SEED={SEED})\n", flush=True)
    results = [judged(part) for part in parts]
    print(f"{sum(results)} of {len(results)} parts as expected, {time.monotonic() - began:.1f} s")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
