"""A bounded run of mixed traffic against the real daemon: every answer is compared with a judge's, memory stays flat.

    /usr/bin/python3 Tests/System/soak/run.py --seconds 60
    /usr/bin/python3 Tests/System/soak/run.py --sanitizer thread --program DIR/debug/webviewguard

What a run does follows from its seed, but for how the kernel orders the clients. The seed is printed with a failure.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import policies

ROOT = Path(__file__).resolve().parents[3]


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--seconds", type=float, default=60)
    add("--program", type=Path, default=ROOT / ".build/release/webviewguard")
    add("--judge", type=Path, help="the program that judges beside the daemon; the same unless given")
    add("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    add("--workers", type=int, default=4, help="processes of clients; as root each is a user of its own")
    add("--rate", type=float, default=1500, help="answers a second that all clients together stay below")
    add("--sanitizer", choices=("none", "thread", "address"), default="none", help="what the program is built with")
    add("--keep", type=Path, help="where the daemon's log and the clients' histories go after a failure")
    add("--self-test", action="store_true", help="the judges get each other's policies, and must disagree")
    return parser.parse_args()


def main() -> int:
    given = options()
    os.environ["WEBVIEWGUARD"] = str(given.program)
    # The rig reads the program's place when it is imported.
    from soak import SANITIZERS, Soak

    folder = Path(tempfile.mkdtemp(prefix="wvg-soak-"))
    folder.chmod(0o1777)
    judge = (given.judge or given.program).resolve()
    soak = Soak(folder, judge, given.seed, given.workers, given.rate, SANITIZERS[given.sanitizer])
    soak.swaps_judges = given.self_test
    began = time.monotonic()
    failures: list[str] = []
    try:
        failures = soak.run(given.seconds)
    except Exception as error:
        failures = [f"{type(error).__name__}: {error}", *soak.failures]
        raise
    finally:
        if failures and not given.self_test:
            _tell(failures, given.seed)
        if failures and given.keep:
            soak.keep(given.keep)
        soak.remove()
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{soak.summary()}; {time.monotonic() - began:.0f} s")
    if given.self_test:
        return _tested(failures, given.workers + bool(soak.people))
    print(f"{soak.checks - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


def _tell(failures: Sequence[str], seed: int) -> None:
    for failure in failures:
        print(f"FAIL {failure}", file=sys.stderr)
    print(f"seed {seed}", file=sys.stderr)


def _tested(failures: Sequence[str], judged: int) -> int:
    """Each process of clients must have found that its judges say something else, and so must the people."""
    disagreed = sum("\n  model " in failure for failure in failures)
    print(f"{disagreed} of {judged} judges disagreed with the daemon")
    print(f"{disagreed} passed, {judged - disagreed} failed")
    return 0 if disagreed == judged else 1


if __name__ == "__main__":
    sys.path.insert(0, str(Path(policies.__file__).parent))
    sys.exit(main())
