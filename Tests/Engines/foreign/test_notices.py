"""Every notice in a window of pywebview, as its guard shows it on Qt and on WebKitGTK: nothing is cut, all of it can be
read, and a keyboard is enough. Light and dark.

With WEBVIEWGUARD_PICTURES=DIR each is written there as a picture, to be looked at.
"""

import os
import subprocess
import unittest
from pathlib import Path
from typing import Any, ClassVar

import driven
from daemon import eventually
from fake import FakeDaemon, Peer
from rig.notice_kinds import KINDS, LANGUAGES
from rig.policy import WORK
from rig.readable import FOCUS, LOOK, judge, judge_focus
from webviewguard import Decision

APP = "com.contoso.portal"
PICTURES = os.environ.get("WEBVIEWGUARD_PICTURES")
LOCALES = {"en": "en_US.UTF-8", "ar": "ar_EG.UTF-8", "de": "de_DE.UTF-8"}
# A notice names the address that it stands for.
SHOWN = "document.readyState === 'complete' && document.body.innerText.includes('/{kind}')"
# Two frames later what is there now is drawn.
DRAW = """(() => {
  let frames = 2;
  const drawn = () => frames-- ? requestAnimationFrame(drawn) : document.documentElement.dataset.drawn = "true";
  delete document.documentElement.dataset.drawn;
  drawn();
  return "true";
})()"""
# What a desktop says of light and dark: 0 is dark for Chromium.
MODES: dict[str, dict[str, str]] = {
    mode: {"QTWEBENGINE_CHROMIUM_FLAGS": f"{driven.FLAGS['QTWEBENGINE_CHROMIUM_FLAGS']} --blink-settings=preferredColorScheme={word}", "GTK_THEME": theme}
    for mode, word, theme in (("light", 1, "Adwaita"), ("dark", 0, "Adwaita:dark"))
}  # fmt: skip


def wire(decision: Decision, url: str) -> dict[str, Any]:
    """The decision as a daemon says it. The program that it offers is there, and does nothing."""
    said = {
        "outcome": decision.outcome, "reason": decision.reason, "id": decision.id, "identity": decision.identity,
        "rule": decision.rule, "ruleSet": decision.rule_set, "generation": 1, "digest": "ab",
    }  # fmt: skip
    program = "/usr/bin/true" if decision.outcome == "block" else "/nowhere/browser"
    offer = {"open": {"target": decision.open.target, "url": url, "argv": [program, url]}} if decision.open else {}
    return {name: value for name, value in said.items() if value is not None} | offer


def deciding(peer: Peer) -> None:
    """Answers as the path of a URL says: it names a kind of notice. For a guard that is away it says nothing and goes."""
    while True:
        call = peer.call()
        url = call["parameters"].get("event", {}).get("url", "")
        kind = url.rpartition("/")[2]
        if kind == "guardAway":
            peer.close()
            return
        if call["method"] == "Navigate" and kind in KINDS:
            peer.reply({"decision": wire(KINDS[kind], url)})
        else:
            peer.answer(call)


class Notices(driven.DrivenCase):
    kinds: ClassVar[tuple[str, ...]] = tuple(KINDS)

    def setUp(self) -> None:
        super().setUp()
        self.daemon = FakeDaemon(self.folder, deciding)
        self.stack.callback(self.daemon.close)

    def look(self, program: driven.Driven, kind: str) -> dict[str, Any]:
        program.load(self.site.url(f"/{kind}"))
        eventually(lambda: program.value(f"JSON.stringify({SHOWN.format(kind=kind)})"), f"the notice `{kind}` is shown")
        found: dict[str, Any] = program.value(f"JSON.stringify({LOOK})")
        return found

    def keep_picture(self, program: driven.Driven, name: str) -> None:
        if PICTURES:
            program.value(DRAW)
            eventually(lambda: program.value("JSON.stringify(document.documentElement.dataset.drawn)"), f"{name} is drawn")
            subprocess.run(["import", "-window", "root", str(Path(PICTURES, f"{name}.png"))], check=True)

    def press_tab(self) -> None:
        subprocess.run(["xdotool", "search", "--onlyvisible", "--name", "Driven", "windowfocus", "key", "Tab"], check=True)

    def reach(self, program: driven.Driven, stop: str) -> None:
        before = program.value(f"JSON.stringify({FOCUS})")
        self.press_tab()
        focus = eventually(lambda: self.moved(program, before), f"the focus moves to `{stop}`")
        judge_focus(self, focus, stop)

    def moved(self, program: driven.Driven, before: list[Any]) -> list[Any] | None:
        focus: list[Any] = program.value(f"JSON.stringify({FOCUS})")
        return focus if focus != before else None

    def test_every_notice_can_be_read_and_a_keyboard_is_enough(self) -> None:
        for mode, surroundings in MODES.items():
            for language in LANGUAGES:
                words = (WORK, str(self.daemon.path), APP)
                home = self.folder / f"{mode}-{language}"
                with driven.started(self.gui, home, *words, **surroundings, LC_ALL=LOCALES[language]) as program:
                    for kind in self.kinds:
                        with self.subTest(kind=kind, language=language, mode=mode):
                            self.is_good(program, kind, language, mode)

    def is_good(self, program: driven.Driven, kind: str, language: str, mode: str) -> None:
        found = self.look(program, kind)
        self.keep_picture(program, f"pywebview-{self.gui}-{kind}-{language}-{mode}")
        judge(self, found, language)
        self.assertEqual(program.value("JSON.stringify(matchMedia('(prefers-color-scheme: dark)').matches)"), mode == "dark")
        self.assertTrue(found["stops"])
        for stop in found["stops"]:
            self.reach(program, stop)
        self.keep_picture(program, f"pywebview-{self.gui}-{kind}-{language}-{mode}-focus")


class NoticesOnWebKit(Notices):
    gui = "gtk"
    # Its guard asks in a dialog of the desktop whether the user wants to go on, and tells only the app of a program that is
    # not there.
    kinds = tuple(kind for kind in KINDS if kind not in ("warn", "redirect"))


def cases() -> tuple[type[unittest.TestCase], ...]:
    return (Notices, NoticesOnWebKit)
