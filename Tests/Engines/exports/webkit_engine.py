"""WebKitGTK: the export is compiled as a content filter, and everything is loaded through a proxy."""

from pathlib import Path
from typing import ClassVar

import cases
from cases import FRAME, IMAGE, PAGE, SOCKET
from engine_case import with_rules
from loading_case import LineProgram, LoadingCase

HERE = Path(__file__).resolve().parent
BROWSER = HERE / "webkit_browser.py"
# A content blocker must have a rule.
EMPTY = '[{"trigger": {"url-filter": "^none:"}, "action": {"type": "block"}}]'


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

    def test_every_hop_of_a_redirect_is_looked_at(self) -> None:
        """Without rules all of them arrive; with them the first hop only."""
        hops = {PAGE: "http://contoso.test/x", FRAME: "http://framed.test/x", IMAGE: "http://tracker.test/x"}
        document, _ = cases.export(HERE / "rules" / "hosts.yaml", self.engine)
        for rules, arrives in ((EMPTY, True), (document, False)):
            self.set_rules(rules)
            for kind, target in hops.items():
                first = f"http://evil.test/go?{target}"
                self.proxy.take()
                self.load(kind, [first])
                seen = self.proxy.take()
                self.assertIn(first, seen)
                self.assertEqual(arrives, target in seen, f"{kind} {target}")

    def set_rules(self, document: str) -> None:
        self.browser.ask(rules=document)

    def load(self, kind: str, urls: list[str]) -> None:
        self.browser.ask(kind=kind, urls=urls)
