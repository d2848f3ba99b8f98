"""Every notice, as CEF draws it: nothing is cut, all of it can be read, and a keyboard is enough.

With WEBVIEWGUARD_PICTURES=DIR each is written there as a picture, to be looked at.
"""

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

from cef_case import CefCase

from rig.driver import PRIVATE_VIEWER
from rig.notice_kinds import ACTIONS, KINDS, LANGUAGES, ORGANIZATION, URL
from rig.readable import FOCUS, LOOK, WIDTHS, judge, judge_focus
from webviewguard import notice

PICTURES = os.environ.get("WEBVIEWGUARD_PICTURES")


class Readable(CefCase):
    def load(self, kind: str, language: str) -> None:
        links = {action: f"webviewguard-notice:none/{action}" for action in ACTIONS}
        page = notice(KINDS[kind], url=URL, languages=[language], organization=ORGANIZATION, actions=links)
        self.driver.tabs[PRIVATE_VIEWER].call("Page.navigate", url="data:text/html;charset=utf-8," + quote(page))
        ready = "document.readyState === 'complete' && document.title !== ''"
        self.driver.wait(lambda: self.driver.value(PRIVATE_VIEWER, ready), "the notice is shown")

    def emulate(self, mode: str, width: int) -> None:
        tab = self.driver.tabs[PRIVATE_VIEWER]
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": mode}])
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1, mobile=False)

    def look(self, kind: str, language: str, mode: str, width: int) -> dict[str, Any]:
        self.load(kind, language)
        if PICTURES:
            name = f"cef-notice-{kind}-{language}-{mode}-{width}.png"
            (Path(PICTURES) / name).write_bytes(self.driver.picture(PRIVATE_VIEWER))
        found: dict[str, Any] = self.driver.script(PRIVATE_VIEWER, LOOK, by_user=False)
        return found

    def test_nothing_is_cut_and_all_of_it_can_be_read(self) -> None:
        for mode in ("light", "dark"):
            for width in WIDTHS:
                self.emulate(mode, width)
                for kind in KINDS:
                    for language in LANGUAGES:
                        with self.subTest(kind=kind, language=language, mode=mode, width=width):
                            found = self.look(kind, language, mode, width)
                            judge(self, found, language)

    def test_a_keyboard_reaches_each_button_and_shows_where_it_is(self) -> None:
        for mode in ("light", "dark"):
            self.emulate(mode, WIDTHS[0])
            for kind in KINDS:
                with self.subTest(kind=kind, mode=mode):
                    stops = self.look(kind, "en", mode, WIDTHS[0])["stops"]
                    self.assertTrue(stops)
                    for stop in stops:
                        self.key("Tab")
                        judge_focus(self, self.driver.script(PRIVATE_VIEWER, FOCUS, by_user=False), stop)

    def key(self, key: str) -> None:
        code = {"key": key, "code": key, "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13}[key]}
        for kind in ("rawKeyDown", "keyUp"):
            self.driver.tabs[PRIVATE_VIEWER].call("Input.dispatchKeyEvent", type=kind, **code)


def cases() -> list[Any]:
    return [Readable]
