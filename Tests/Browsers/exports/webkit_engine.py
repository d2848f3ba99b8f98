"""WebKitGTK: the export is compiled as a content filter, and everything is loaded through a proxy."""

from pathlib import Path
from typing import ClassVar

from cases import FRAME, IMAGE, PAGE, SOCKET
from engine_case import with_rules
from loading_case import LineProgram, LoadingCase

BROWSER = Path(__file__).resolve().parent / "webkit_browser.py"


@with_rules
class ContentBlockerTests(LoadingCase):
    """The browser runs apart, under a display of its own and Debian's Python."""

    engine = "webkit-content-blocker"
    kinds = (PAGE, FRAME, IMAGE, SOCKET)
    browser: ClassVar[LineProgram]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        command = ["xvfb-run", "--auto-servernum", "/usr/bin/python3", str(BROWSER)]
        cls.browser = LineProgram([*command, f"http://127.0.0.1:{cls.proxy.port}"])
        cls.addClassCleanup(cls.browser.close)

    def set_rules(self, document: str) -> None:
        self.browser.ask(rules=document)

    def load(self, kind: str, urls: list[str]) -> None:
        self.browser.ask(kind=kind, urls=urls)
