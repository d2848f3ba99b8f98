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
from webviewguard import notice

# A window of a desktop, and the narrowest that a page must fit into (WCAG 2.1, 1.4.10).
WIDTHS = (640, 320)
PICTURES = os.environ.get("WEBVIEWGUARD_PICTURES")
# The least contrast of text (WCAG 2.1, 1.4.3), and of the sign of the focus (1.4.11).
TEXT, SIGN = 4.5, 3.0

LOOK = """(() => {
  const numbers = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = node => {
    for (; node; node = node.parentElement) {
      const color = numbers(getComputedStyle(node).backgroundColor);
      if (color.length < 4 || color[3] === 1) return color;
    }
    return matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18] : [255, 255, 255];
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  window.contrastOf = (color, node) => contrast(numbers(color), behind(node));
  const said = node => [...node.childNodes].some(child => child.nodeType === 3 && child.data.trim());
  const texts = [...document.body.querySelectorAll("*")].filter(node => said(node) && node.getClientRects().length);
  return {
    wide: document.documentElement.scrollWidth - innerWidth,
    cut: texts.filter(node => node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
      .map(node => node.textContent),
    pale: texts.map(node => [contrast(numbers(getComputedStyle(node).color), behind(node)), node.textContent]),
    direction: getComputedStyle(document.body).direction,
    stops: [...document.querySelectorAll("a[href], button, input, textarea")].map(node => node.id || node.textContent),
  };
})()"""
FOCUS = """(() => {
  const node = document.activeElement, style = getComputedStyle(node);
  const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  return [node.id || node.textContent, drawn ? contrastOf(style.outlineColor, node.parentElement) : 0];
})()"""


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
                            self.assertLessEqual(found["wide"], 0, "it is wider than the window")
                            self.assertEqual(found["cut"], [])
                            self.assertEqual([one for one in found["pale"] if one[0] < TEXT], [])
                            self.assertEqual(found["direction"], "rtl" if language == "ar" else "ltr")

    def test_a_keyboard_reaches_each_button_and_shows_where_it_is(self) -> None:
        for mode in ("light", "dark"):
            self.emulate(mode, WIDTHS[0])
            for kind in KINDS:
                with self.subTest(kind=kind, mode=mode):
                    stops = self.look(kind, "en", mode, WIDTHS[0])["stops"]
                    self.assertTrue(stops)
                    for stop in stops:
                        self.key("Tab")
                        name, contrast = self.driver.script(PRIVATE_VIEWER, FOCUS, by_user=False)
                        self.assertEqual(name, stop)
                        self.assertGreaterEqual(contrast, SIGN, f"the focus on `{stop}` can be seen")

    def key(self, key: str) -> None:
        code = {"key": key, "code": key, "windowsVirtualKeyCode": {"Tab": 9, "Enter": 13}[key]}
        for kind in ("rawKeyDown", "keyUp"):
            self.driver.tabs[PRIVATE_VIEWER].call("Input.dispatchKeyEvent", type=kind, **code)


def cases() -> list[Any]:
    return [Readable]
