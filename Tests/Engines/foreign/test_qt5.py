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
        ways = {way: [found[hook] for hook in ("interceptor", "accept")] for way, found in said.items() if "-" in way}
        self.assertEqual(ways["blocked-socket"], [False, False], "a WebSocket comes to no hook")
        self.assertTrue(said["blocked-socket"]["reached"])
        # Whether these arrive is a race: the interceptor may block them when they are under way already.
        self.assertEqual(ways["goal-fetch"], [True, False], "the hop of a fetch is shown")
        self.assertEqual(ways["goal-page"], [True, True], "the hop of a page is shown to both")
        self.assertEqual(ways["refused-page"], [False, True], "and the page itself refuses it first")
        self.assertFalse(said["refused-page"]["reached"], "in time")
        self.assertEqual(said["signals"], [], "nobody hears of a new window's URL before it is there")
        self.assertTrue(said["window"]["accept"], "but the window itself")


def cases() -> tuple[type[unittest.TestCase], ...]:
    return (Qt5,)
