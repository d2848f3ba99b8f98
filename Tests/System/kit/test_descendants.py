"""What a program started ends with it, under `selftest` and `mock`: also what left its session. Nothing else does."""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path

from daemon import PROGRAM
from started import Started

# Starts four processes and ends: one in its session, one that left it, one whose parent has ended, and one that ignores SIGTERM
# and starts another over and over. Each writes its number into the folder $1.
LEAVES = """
sh -c 'echo $$ > "$0"; exec sleep 600' "$1/near" &
setsid sh -c 'echo $$ > "$0"; exec sleep 600' "$1/far" &
sh -c 'setsid sh -c "echo \\$\\$ > $0; exec sleep 600" & exit 0' "$1/orphan"
setsid sh -c 'trap "" TERM; echo $$ > "$0"; while :; do sleep 0.01 & sleep 600 & echo $! > "$0-child"; sleep 1; done' "$1/stubborn" &
for name in near far orphan stubborn stubborn-child; do
  while [ ! -s "$1/$name" ]; do sleep 0.02; done
done
echo yes > "$1/all"
"""
NAMES = ("near", "far", "orphan", "stubborn", "stubborn-child")


def runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait(until: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 120
    while not until() and time.monotonic() < deadline:
        time.sleep(0.02)
    return until()


class Descendants(unittest.TestCase):
    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def left(self) -> dict[str, int]:
        return {name: int((self.place / name).read_text()) for name in NAMES}

    def assert_none_runs(self) -> None:
        for name, process in self.left().items():
            self.assertFalse(runs(process), f"{name} goes on")

    def script(self) -> str:
        script = self.place / "mock.json"
        script.write_text(json.dumps({"expect": []}))
        return str(script)

    def test_a_self_test_ends_what_left_its_session(self) -> None:
        command = [str(PROGRAM), "selftest", "--seconds", "2", "--way", "link", "--", "sh", "-c", LEAVES, "sh"]
        subprocess.run([*command, str(self.place)], capture_output=True, timeout=300, check=False)
        self.assert_none_runs()

    def test_a_mock_ends_what_left_its_session(self) -> None:
        command = [str(PROGRAM), "mock", self.script(), "--", "sh", "-c", LEAVES, "sh", str(self.place)]
        done = subprocess.run(command, capture_output=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assert_none_runs()

    def test_who_interrupts_a_mock_or_a_self_test_ends_them_all(self) -> None:
        code = LEAVES + "\nexec sleep 600"
        for words in (["mock", self.script()], ["selftest", "--seconds", "600"]):
            for file in self.place.glob("*[!n]"):
                if file.suffix != ".json":
                    file.unlink()
            command = [str(PROGRAM), *words, "--", "sh", "-c", code, "sh", str(self.place)]
            with Started(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                self.assertTrue(wait((self.place / "all").exists))
                run.send_signal(signal.SIGTERM)
                self.assertEqual(run.wait(120), 143)
            self.assert_none_runs()

    def test_what_was_there_before_goes_on(self) -> None:
        """A shell's own jobs are children of a command that takes its place; others of the same name are nobody's business."""
        other = subprocess.Popen(["sleep", "600"])
        self.addCleanup(other.wait)
        self.addCleanup(other.kill)
        job = self.place / "job"
        words = [str(PROGRAM), "mock", self.script(), "--", "sh", "-c", LEAVES, "sh", str(self.place)]
        begins = 'sleep 600 & echo $! > "$0"; exec "$@"'
        done = subprocess.run(
            ["sh", "-c", begins, str(job), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300, check=False
        )
        self.assertEqual(done.returncode, 0, done)
        process = int(job.read_text())
        self.addCleanup(os.kill, process, signal.SIGKILL)
        self.assert_none_runs()
        self.assertTrue(runs(process), "the shell's job was ended")
        self.assertTrue(runs(other.pid))
