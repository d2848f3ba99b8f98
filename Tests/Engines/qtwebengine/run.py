#!/usr/bin/python3
"""A real engine under the guard: the example browser goes every way out of a site, and the site's log is the judge.

run.py [NAME...]            NAME is a class or a method: TestSigningIn, TestNavigating.test_private_life_is_free
run.py --wayland [NAME...]  what other programs read on a Wayland desktop
run.py --binding pyside6 [--wayland] [NAME...]    the same with PySide6 of PyPI, which is installed into .build
run.py --screenshots DIR    writes the pictures of the docs

Nothing is shown, and no network but loopback is used. Needs the Debian packages python3-pyqt6.qtwebengine, xvfb, xclip
and xdotool; with --wayland qt6-wayland, sway and wl-clipboard.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))

import binding  # noqa: E402
from rig import clipboard, wayland  # noqa: E402

COUNTS = re.compile(rb"^(\d+) passed, (\d+) failed(?:, \d+ skipped)?$", re.MULTILINE)


def part(platform: str, wanted: list[str]) -> tuple[int, int]:
    """Runs the tests of one platform in a process of their own: an engine keeps its platform from start to end."""
    command = [sys.executable, str(HERE / "part.py"), platform, *wanted]
    # A file, and no pipe: a process of the engine that outlives the tests would hold it open, and this would never end.
    with tempfile.TemporaryFile() as said:
        result = subprocess.run(command, stdout=said, env={**os.environ, "QT_QPA_PLATFORM": platform})
        said.seek(0)
        counts = COUNTS.search(said.read())
    if counts is None:
        print(f"the tests for `{platform}` ended with {result.returncode} and without a count", file=sys.stderr)
        return 0, 1
    return int(counts[1]), int(counts[2])


def screenshots(directory: str) -> int:
    """Each program of the pictures needs an engine of its own, since the names that it finds are fixed at its start."""
    pictures = [sys.executable, str(HERE / "pictures.py"), directory]
    demo = [str(ROOT / "scripts/demo-qtwebengine"), directory]
    environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(pictures).returncode or subprocess.run(demo, env=environment).returncode


def main() -> int:
    if sys.argv[1:2] == ["--binding"]:
        return subprocess.run(
            [binding.python(sys.argv[2]), __file__, *sys.argv[3:]], env={**os.environ, "QT_API": sys.argv[2]}
        ).returncode
    if sys.argv[1:2] == ["--screenshots"]:
        return screenshots(os.path.abspath(sys.argv[2]))
    if sys.argv[1:2] == ["--wayland"]:
        with wayland.display():
            passed, failed = part("wayland", sys.argv[2:])
    else:
        passed, failed = part("offscreen", sys.argv[1:])
        with clipboard.display():
            more = part("xcb", sys.argv[1:])
        passed, failed = passed + more[0], failed + more[1]
    print(f"{passed} passed, {failed} failed", flush=True)
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
