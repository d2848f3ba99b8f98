"""`webviewguard selftest` against each of the programs, with the rule that closes every other host.

What arrived at the site is the judge. The docs' table is what was measured here.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from programs import PROGRAMS, NotHere, Program, environment
from table import RESULTS, WRITES, kept, measured

import rig  # noqa: F401
from daemon import PROGRAM

# The most that a page may take, on a machine that builds beside it; what is quick ends sooner.
SECONDS = 24


class Programs(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory(prefix="wvg-", ignore_cleanup_errors=True)
        self.addCleanup(place.cleanup)
        self.home = Path(place.name)
        # WebKit refuses one that others may read, and nothing of this machine's desktop is meant.
        runtime = self.home / "runtime"
        runtime.mkdir(mode=0o700)
        self.runtime = {"XDG_RUNTIME_DIR": str(runtime)}

    def go(self, program: Program) -> None:
        try:
            command, more = program.prepare(self.home)
        except NotHere as missing:
            self.skipTest(str(missing))
        said = self.selftest([*command, "{url}"], environment(self.home, more) | self.runtime)
        ways = {way["way"]: (way["external"], way["named"]) for way in said["ways"]}
        self.assertEqual({way for way, found in ways.items() if "LEAKED" in found}, program.leaks, "leaked")
        gone = {way for way, found in ways.items() if "not tried" not in found}
        self.assertEqual(set(ways) - gone, program.not_gone, "not gone")
        self.assertGreater(said["questions"]["Navigate"], len(gone))
        # Each way is asked about a few times, and never without end.
        self.assertLess(said["questions"]["Navigate"], 20 * len(ways))
        self.keep(program, measured(said))

    def selftest(self, command: list[str], surroundings: dict[str, str]) -> dict[str, Any]:
        asked = [str(PROGRAM), "selftest", "--closing", "--format", "json", "--seconds", str(SECONDS), "--"]
        more = [f"{name}={value}" for name, value in surroundings.items() if name != "XDG_RUNTIME_DIR"]
        done = subprocess.run(
            [*asked, "env", *more, *command], env=os.environ | {"XDG_RUNTIME_DIR": surroundings["XDG_RUNTIME_DIR"]},
            stdout=subprocess.PIPE, text=True, timeout=3000, check=False,
        )  # fmt: skip
        self.assertIn(done.returncode, (0, 1), done)
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def keep(self, program: Program, found: dict[str, Any]) -> None:
        """What was measured is what the docs' table is made of."""
        self.assertEqual(kept(program.key, found), found, f"{RESULTS.name}: set {WRITES}=1 and run table.py --write")


def _test(program: Program) -> Any:
    return lambda self: self.go(program)


for one in PROGRAMS:
    setattr(Programs, f"test_{one.key}", _test(one))


def cases() -> tuple[type[unittest.TestCase], ...]:
    return (Programs,)
