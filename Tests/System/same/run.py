#!/usr/bin/env python3
"""Compares two programs: what they say offline, and what they answer, log, tell and keep in the same conversations.

    run.py BASE NEW [--seed N] [--rounds N] [PART...]     PART is `offline`, `conversations`, or a stage such as `rich`
    run.py BASE --self-test                               differences of every kind are made, and must be found

Each difference is printed with what led to it; then the status is 1. The seed repeats a run.
"""

import argparse
import random
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import configurations  # noqa: E402  (it finds the rig)
import offline  # noqa: E402
import policies  # noqa: E402
import selftest  # noqa: E402
from conversation import Conversation  # noqa: E402
from report import Report  # noqa: E402
from scripts import Programs  # noqa: E402

PARTS = ("offline", "conversations")
# Lives of the daemons in a conversation: each is ended by a kill or in good order, and the next goes on with its state.
LIVES = 3


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", type=Path)
    parser.add_argument("new", type=Path, nargs="?")
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--rounds", type=int, default=1, help="how often what is random is drawn")
    parser.add_argument("--self-test", action="store_true")
    # A part may stand behind the options, as `make same` has it.
    return parser.parse_intermixed_args()


def stages(seed: int, number: int, wanted: list[str]) -> list[policies.Stage]:
    """The rich policy, the five-viewer example and a template, another one in each round."""
    found = sorted(place.name for place in (configurations.ROOT / "Rules/templates").iterdir() if place.is_dir())
    template = found[(seed + number) % len(found)]
    places = ["Rules", f"Rules/templates/{template}", *(f"Rules/templates/{name}" for name in wanted if name in found)]
    every = [policies.rich(), *(policies.shipped(place) for place in dict.fromkeys(places))]
    named = [stage for stage in every if Path(stage.name).name in wanted]
    return named or every


def main() -> int:
    given = options()
    base = given.base.resolve(strict=True)
    if given.self_test:
        return 1 if selftest.run(base, given.seed) else 0
    new, report, began = given.new.resolve(strict=True), Report(), time.monotonic()
    print(f"seed {given.seed}", flush=True)
    wanted = given.parts or list(PARTS)
    if "offline" in wanted:
        offline.compare(Programs(base, new, report), given.seed, given.rounds)
    if wanted != ["offline"]:
        for number in range(given.rounds):
            for stage in stages(given.seed, number, wanted):
                Conversation((base, new), stage, f"{given.seed} {number} {stage.name}", report).hold(LIVES)
    for place, count in report.compared.items():
        print(f"{count:6} {place}")
    print(f"{sum(report.compared.values())} compared, {len(report.differences)} differ; {time.monotonic() - began:.0f} s")
    return 1 if report.differences or not report.compared else 0


if __name__ == "__main__":
    sys.exit(main())
