#!/usr/bin/python3
"""The five viewers of Rules/ in one window: what each may do, and what the daemon said last.

five_viewers.py [--socket PATH] [--pictures DIR]

With --pictures a short story is played, and what it looks like is saved there.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients/python/src"))

from contoso import Web  # noqa: E402
from PyQt6.QtCore import Qt, QUrl  # noqa: E402
from PyQt6.QtWidgets import QApplication, QFrame, QGridLayout, QLabel, QVBoxLayout, QWidget  # noqa: E402
from webviewguard import Decision, Guard, OpenOffer  # noqa: E402
from webviewguard.qt import FLAGS, Embedder, GuardedPage, GuardedView, People, leave  # noqa: E402

ACCOUNT = "work@contoso.com"
VIEWERS = {
    "A": ("public content", "http://weather.example/"),
    "B": ("public content", "http://news.example/"),
    "C": ("public content", "http://maps.example/"),
    "D": ("a page of the organization", "http://intranet.contoso.com/"),
    "E": ("the user’s documents", "http://docs.contoso.com/d/7"),
}
COLOURS = {"allow": "#15803d", "block": "#b91c1c"}
STYLE = """
  QWidget#all { background: #f3f4f6 }
  QFrame#viewer { background: white; border: 1px solid #d1d5db; border-radius: 8px }
  QLabel#name { font-size: 15px; font-weight: bold; color: #111827 }
  QLabel#lines { color: #374151; font-size: 12px }
  QLabel#policy { color: #4b5563; font-size: 12px }
  QLabel#last { color: #374151; font-size: 12px; padding: 3px 6px; background: #f9fafb; border-radius: 4px }
"""


class Viewer(QFrame):
    """One viewer, with what the policy makes of it above, and its last decision below."""

    def __init__(self, page: GuardedPage, letter: str, what: str) -> None:
        super().__init__(objectName="viewer")
        self.page, self.view = page, GuardedView(page)
        self.view.setMinimumSize(360, 210)
        known = page.viewer
        rules = f", rules “{known.rule_set}”" if known.rule_set else ", no rules"
        policy = QLabel(f"{known.policy} (by {known.policy_source}){rules}", objectName="policy")
        self.last = QLabel("nothing asked yet", objectName="last")
        layout = QVBoxLayout(self)
        for part in (QLabel(f"{letter} – {what}", objectName="name"), policy, self.view, self.last):
            layout.addWidget(part)

    def heard(self, event: str, about: dict[str, Any], decision: Decision) -> None:
        colour = COLOURS.get(decision.outcome, "#1d4ed8")
        told = f"<b style='color: {colour}'>{decision.outcome}</b> {event}: {decision.reason}"
        self.last.setText(told)


class FiveViewers(QWidget):
    """All of them, and a panel that keeps the last decisions."""

    def __init__(self, guard: Guard, people: People) -> None:
        super().__init__(objectName="all")
        self.setWindowTitle(f"Five viewers – {ACCOUNT}")
        self.setStyleSheet(STYLE)
        self.embedder = Embedder(guard, people)
        self.embedder.sign_in("main", ACCOUNT, viewer_class="D")
        self.viewers: dict[str, Viewer] = {}
        self.panel, self.lines = QLabel(objectName="lines", wordWrap=True), list[str]()
        grid = QGridLayout(self)
        for number, (letter, (what, url)) in enumerate(VIEWERS.items()):
            page = self.embedder.open("main", letter, viewer_class=letter, document=url)
            self.viewers[letter] = Viewer(page, letter, what)
            grid.addWidget(self.viewers[letter], number // 3, number % 3)
        grid.addWidget(self._panel(), 1, 2)
        self.embedder.heard.append(self._heard)
        people.told.append(self._told)
        for letter, (_, url) in VIEWERS.items():
            self.viewers[letter].page.load(QUrl(url))

    def _panel(self) -> QFrame:
        frame = QFrame(objectName="viewer")
        layout = QVBoxLayout(frame)
        layout.addWidget(QLabel("What was asked", objectName="name"))
        layout.addWidget(self.panel, 1, Qt.AlignmentFlag.AlignTop)
        return frame

    def _heard(self, event: str, about: dict[str, Any], decision: Decision) -> None:
        letter = about.get("viewer") or ""
        if letter in self.viewers and about.get("frame") != "resource":
            self.viewers[letter].heard(event, about, decision)
            self._add(f"{letter}: {event} – {decision.outcome}, {decision.reason}")

    def _told(self, text: str, _: OpenOffer | None, viewer: str | None) -> None:
        self._add(f"<i>{text}</i>")

    def _add(self, line: str) -> None:
        self.lines = [*self.lines, line][-11:]
        self.panel.setText("".join(f"<p style='margin: 0 0 5px'>{line}</p>" for line in self.lines))


def main() -> NoReturn:
    reader = argparse.ArgumentParser(description="the five viewers of Rules/ in one window")
    reader.add_argument("--socket", help="the daemon's guard socket; left out, where it usually is")
    reader.add_argument("--pictures", type=Path, help="play a short story, and save there what it looks like")
    asked = reader.parse_args()
    # It would win over the arguments, and its words cannot hold spaces.
    os.environ.pop("QTWEBENGINE_CHROMIUM_FLAGS", None)
    app = QApplication([sys.argv[0], "--webEngineArgs", *Web().flags, *FLAGS])
    guard = Guard(app="com.contoso.viewers", path=asked.socket)
    guard.start()
    window = FiveViewers(guard, People())
    window.resize(1180, 720)
    window.show()
    if asked.pictures:
        from story import play

        leave(play(window, asked.pictures))
    leave(app.exec())


if __name__ == "__main__":
    main()
