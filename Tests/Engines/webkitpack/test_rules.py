"""The rules that the engine has, from daemons that are late with them, refuse them, or tell them in parts."""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake import FakeDaemon, Peer
from gtk_case import WORK_VIEWER
from pack import PackDriver
from rig.case import SiteCase
from rig.hosts import Host

TRACKER = [{"trigger": {"url-filter": f"^https?://{Host.TRACKER}"}, "action": {"type": "block"}}]
UNREADY = {"generation": 1, "digest": "ab", "ready": False}


def parts(rules: list[dict[str, Any]], offset: int, length: int) -> dict[str, Any]:
    text = json.dumps(rules)
    part = text[offset : offset + length]
    return {"generation": 1, "digest": "ab", "ready": True, "part": part, "bytes": len(text), "gaps": 0}


class FromTheDaemon(SiteCase):
    def begin(self, answer: Callable[[Peer, int], None]) -> None:
        """A browser whose daemon allows everything, and has this answer to each request for rules from an offset."""

        def script(peer: Peer) -> None:
            while True:
                call = peer.call()
                if call["method"] == "ExportRules":
                    answer(peer, call["parameters"].get("offset", 0))
                else:
                    peer.answer(call, protection="contoso")

        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.daemon = FakeDaemon(Path(directory.name), script)
        self.addCleanup(self.daemon.close)
        self.driver = PackDriver(self.daemon.path)
        self.addCleanup(self.driver.close)
        self.driver.load(WORK_VIEWER, self.site.url(f"/{self.id().rpartition('.')[2]}"))

    def image_arrives(self, path: str, host: Host) -> bool:
        done = f"{path}-done"
        source = self.site.url(path, host)
        ends = f"i.onload = i.onerror = () => document.documentElement.dataset.image = '{done}'"
        self.driver.script(WORK_VIEWER, f"(() => {{ const i = new Image(); {ends}; i.src = '{source}' }})()")
        ended = f"document.documentElement.dataset.image === '{done}'"
        self.driver.wait(lambda: self.driver.script(WORK_VIEWER, ended), "the image has ended")
        return self.site.was_asked(path)

    def test_a_page_waits_for_rules_that_come_late_and_in_parts(self) -> None:
        asked: list[int] = []

        def late(peer: Peer, offset: int) -> None:
            asked.append(offset)
            peer.reply(UNREADY if len(asked) < 4 else parts(TRACKER, offset, 40))

        self.begin(late)
        self.assertEqual(asked[:5], [0, 0, 0, 0, 40])
        self.assertFalse(self.image_arrives("/kept", Host.TRACKER))
        self.assertTrue(self.image_arrives("/free", Host.INTERNAL))

    def test_without_rules_a_page_loads_nothing_by_itself(self) -> None:
        self.begin(lambda peer, _offset: peer.refuse("LimitReached"))
        for host, path in ((Host.TRACKER, "/unruled-tracker"), (Host.INTERNAL, "/unruled")):
            self.assertFalse(self.image_arrives(path, host))

    def test_a_page_does_not_wait_for_ever_and_has_the_rules_when_they_come(self) -> None:
        are_made: list[bool] = []
        self.begin(lambda peer, offset: peer.reply(parts(TRACKER, offset, 1000) if are_made else UNREADY))
        self.assertFalse(self.image_arrives("/too-early", Host.INTERNAL))
        are_made.append(True)
        paths = (f"/later-{number}" for number in range(1000))
        self.driver.wait(lambda: self.image_arrives(next(paths), Host.INTERNAL), "the rules hold")
        self.assertFalse(self.image_arrives("/later-tracker", Host.TRACKER))

    def test_a_list_that_is_none_is_no_list(self) -> None:
        self.begin(lambda peer, offset: peer.reply(parts({"no": "list"}, offset, 1000)))  # type: ignore[arg-type]
        self.assertFalse(self.image_arrives("/nonsense", Host.INTERNAL))

