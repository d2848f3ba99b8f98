"""Sign-in in QtWebEngine: see rig/sign_in.py."""

import subprocess
import sys
from typing import ClassVar

from engine import APP, ROOT, WORK
from rig.sign_in import SigningInToEntra

# Goes where each line of standard input says, in the view of the class that the line names.
BROWSER = """
import sys
from PyQt6.QtCore import QSocketNotifier, QTimer
from PyQt6.QtWidgets import QApplication
from webviewguard import qt

app = QApplication(sys.argv)
embedder = qt.start(sys.argv[1], socket=sys.argv[2])
views = {}

def begin(viewer_class):
    embedder.sign_in(viewer_class, sys.argv[3], viewer_class=viewer_class)
    page = embedder.open(viewer_class, viewer_class=viewer_class)
    page.certificateError.connect(lambda error: error.acceptCertificate())
    views[viewer_class] = qt.GuardedView(page)
    views[viewer_class].show()

def go(viewer_class, url):
    page = views[viewer_class].page()
    if page.isLoading():
        QTimer.singleShot(20, lambda: go(viewer_class, url))
    else:
        page.go(url)

for viewer_class in ("documents", "free"):
    begin(viewer_class)

notifier = QSocketNotifier(0, QSocketNotifier.Type.Read)
notifier.activated.connect(lambda: go(*sys.stdin.readline().split()))
print("ready", flush=True)
qt.leave(app.exec())
"""


class TestSigningInToEntra(SigningInToEntra):
    browser: ClassVar["subprocess.Popen[str]"]

    @classmethod
    def environment(cls) -> dict[str, str]:
        flags = f'--host-resolver-rules="{cls.host_rules()}"'
        client = {"PYTHONPATH": str(ROOT / "clients/python/src"), "QTWEBENGINE_CHROMIUM_FLAGS": flags}
        return super().environment() | client

    @classmethod
    def begin_browser(cls) -> None:
        command = [sys.executable, "-c", BROWSER, APP, str(cls.daemon.guard_socket), WORK]
        cls.browser = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, bufsize=1,
            env=cls.environment(),
        )  # fmt: skip
        cls.addClassCleanup(lambda: (cls.browser.kill(), cls.browser.communicate()))
        assert cls.browser.stdout and cls.browser.stdout.readline() == "ready\n"

    def lead(self, url: str, viewer_class: str) -> None:
        assert self.browser.stdin
        self.browser.stdin.write(f"{viewer_class} {url}\n")
