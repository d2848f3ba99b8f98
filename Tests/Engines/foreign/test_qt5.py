"""What docs/embedding.md says of QtWebEngine 5.15, for which there is no pack: seen by its own hooks, with PyQt5."""

import json
import os
import subprocess
import unittest
from importlib import util
from pathlib import Path

HOOKS = Path(__file__).with_name("qt5_hooks.py")


class Qt5(unittest.TestCase):
    @unittest.skipIf(util.find_spec("PyQt5.QtWebEngineWidgets") is None, "install `python3-pyqt5.qtwebengine`")
    def test_what_its_hooks_see(self) -> None:
        surroundings = {**os.environ, "QT_QPA_PLATFORM": "xcb", "QT_QUICK_BACKEND": "software"}
        done = subprocess.run(
            ["/usr/bin/python3", str(HOOKS)], env=surroundings, capture_output=True, text=True, timeout=300, check=True
        )
        said = json.loads(done.stdout)
        ways = {way: (found["interceptor"], found["accept"], found["reached"]) for way, found in said.items() if "-" in way}
        self.assertEqual(ways["blocked-socket"], (False, False, True), "a WebSocket comes to no hook")
        # Whether it arrives is a race: sometimes the block is in time.
        self.assertEqual(ways["goal-fetch"][:2], (True, False), "the hop of a fetch is shown")
        self.assertEqual(ways["goal-page"], (True, True, False), "the hop of a page is asked about, and can be stopped")
        self.assertEqual(said["signals"], [], "nobody hears of a new window's URL before it is there")
        self.assertTrue(said["window"]["accept"], "but the window itself")


def cases() -> tuple[type[unittest.TestCase], ...]:
    return (Qt5,)
