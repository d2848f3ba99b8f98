"""webviewguard.pywebview where it cannot guard: the program opens no window, and says why. And what it asks a person."""

import subprocess
import tempfile
import unittest
from importlib import util
from pathlib import Path

import programs
from daemon import Daemon, eventually
from rig.case import SiteCase
from rig.policy import PERSONAL, BrowserConfiguration, ManagedBrowser

PROGRAM = """
import webview
from webviewguard import pywebview
pywebview.guard("com.contoso.portal", account="work@contoso.com", viewer_class="documents", socket="/nowhere/guard.sock")
{more}
webview.create_window("Portal", "about:blank")
webview.start(lambda: print("started", flush=True))
"""


class Refusals(unittest.TestCase):
    def refused(self, why: str, gui: str, more: str = "pass", **surroundings: str) -> None:
        try:
            python = programs.pywebview()
        except programs.NotHere as missing:
            self.skipTest(str(missing))
        with tempfile.TemporaryDirectory(prefix="wvg-") as home:
            own = {"PYTHONPATH": str(programs.CLIENT), "PYWEBVIEW_GUI": gui, **surroundings}
            found = programs.environment(Path(home), own)
            found["XDG_RUNTIME_DIR"] = home
            said = subprocess.run(
                [python, "-c", PROGRAM.format(more=more)], env=found, capture_output=True, text=True, timeout=120, check=False
            )
        self.assertNotEqual(said.returncode, 0, said)
        self.assertIn(why, said.stderr)
        self.assertEqual(said.stdout, "", "a window was opened")

    def test_without_the_library_of_webkitgtk(self) -> None:
        self.refused("WvgWebKit", "gtk", GI_TYPELIB_PATH="/nowhere", LD_LIBRARY_PATH="/nowhere")

    def test_with_qt_5(self) -> None:
        if util.find_spec("PyQt5") is None:
            self.skipTest("PyQt5 is missing: install the package `python3-pyqt5.qtwebengine`")
        self.refused("with Qt 6", "qt", QT_API="pyqt5")

    def test_a_second_guard(self) -> None:
        second = "pywebview.guard('com.contoso.other', account='', viewer_class='documents')"
        self.refused("guarded already", "qt", second, QT_API="pyqt6")

    def test_a_guard_that_comes_too_late(self) -> None:
        late = "webview.guilib = object()\npywebview.guard('a', account='', viewer_class='b')"
        self.refused("before webview.start", "qt", late, QT_API="pyqt6")


DOWNLOADS = """
import sys, threading, webview
from webviewguard import pywebview
from PyQt6.QtWidgets import QFileDialog
pywebview.guard("com.contoso.portal", account=sys.argv[3], viewer_class="documents", socket=sys.argv[1])
webview.settings["ALLOW_DOWNLOADS"] = True
saved = threading.Event()

def place(parent, title, suggested, *more):
    print(suggested, flush=True)
    saved.set()
    return sys.argv[4], ""

QFileDialog.getSaveFileName = place

def go(window):
    window.load_url(sys.argv[2])
    saved.wait(20)
    window.load_url("about:blank")
    for line in sys.stdin:
        window.destroy()

webview.start(go, webview.create_window("Portal", "about:blank"))
"""


class Downloads(SiteCase):
    def test_a_download_of_qt_is_asked_about_once(self) -> None:
        """pywebview itself asks a person for a place, too, and calls what Qt 6 has no more."""
        try:
            python = programs.pywebview()
        except programs.NotHere as missing:
            self.skipTest(str(missing))
        with tempfile.TemporaryDirectory(prefix="wvg-") as folder:
            home, file = Path(folder), Path(folder) / "kept.bin"
            daemon = Daemon(BrowserConfiguration(ManagedBrowser(home).program))
            self.addCleanup(daemon.remove)
            daemon.start()
            own = {"PYTHONPATH": str(programs.CLIENT), "PYWEBVIEW_GUI": "qt", "QT_API": "pyqt6", "XDG_RUNTIME_DIR": folder}
            arguments = [str(daemon.guard_socket), self.site.url("/file/plan.bin"), PERSONAL, str(file)]
            with subprocess.Popen(
                [python, "-c", DOWNLOADS, *arguments], env=programs.environment(home, own), text=True,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            ) as program:  # fmt: skip
                self.addCleanup(program.kill)
                eventually(lambda: program.poll() is not None or file.exists(), "the file is there")
                said, problems = program.communicate("end", timeout=60)
        self.assertEqual(said, "plan.bin\n", problems)
        self.assertNotIn("AttributeError", problems)


def cases() -> tuple[type[unittest.TestCase], ...]:
    return (Refusals, Downloads)
