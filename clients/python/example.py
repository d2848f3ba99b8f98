#!/usr/bin/env python3
"""What an embedder copies: a browser without a screen, which asks before it follows links and before it copies.

  example.py ACCOUNT URL...     [--socket PATH]
"""

import argparse
import subprocess

from webviewguard import Decision, Features, Guard, OpenOffer

CLIP = "application/x-webviewguard-clip"
# What this program does with clips: it tells each that it puts on the clipboard (`filled`), lays one that others may not read
# beside a notice, and never puts more than plain text there. Without a feature the daemon blocks what needs it.
FEATURES: tuple[Features, ...] = ("clipEcho", "wrap", "plainText")

# Stands for the system's.
CLIPBOARD: dict[str, str] = {}


class Tab:
    """One viewer. The methods are what a web engine's hooks call; they return whether the engine may go on."""

    def __init__(self, guard: Guard, name: str, opener: str | None = None) -> None:
        self.guard, self.name, self.shown = guard, name, ""
        guard.register_viewer(name, viewer_class="documents", opener=opener, kind="popup" if opener else None)

    def may_navigate(self, url: str, is_main_frame: bool = True, is_redirect: bool = False) -> bool:
        decision = self.guard.navigate(
            viewer=self.name,
            url=url,
            source=self.shown or None,
            frame="main" if is_main_frame else "sub",
            hop=is_redirect,
        )
        if decision.allowed and is_main_frame:
            self.shown = url
        return decision.allowed or self.explain(decision)

    def copied(self, text: str, is_cut: bool = False) -> dict[str, str]:
        """What goes on the clipboard, by type. The content is not sent to the daemon, only its length."""
        decision = self.guard.copy(viewer=self.name, selection="clipboard", length=len(text), cut=is_cut)
        if not decision.allowed:
            self.explain(decision)
            return {}
        clip = {"text/plain": text, f"{CLIP}-id": decision.clip or ""}
        if decision.mime_wrap:
            # Programs that do not ask read the replacement.
            clip |= {"text/plain": decision.replacement or "", CLIP: text}
        CLIPBOARD.update(clip)
        self.filled(text, decision)
        return clip

    def filled(self, text: str, decision: Decision) -> None:
        """The copy came about: the clipboard holds it now. Only a copy that was seen to happen is named."""
        self.guard.clipboard_changed(
            selection="clipboard", self_owned=True, length=len(text), clip=decision.clip, proposal=decision.proposal
        )

    def may_paste(self, text: str) -> bool:
        decision = self.guard.paste(viewer=self.name, selection="clipboard", length=len(text))
        return decision.allowed and not decision.only_plain_text or self.explain(decision)

    def explain(self, decision: Decision) -> bool:
        if offer := decision.opens_now:
            start(offer)
        else:
            print("no:", decision.message or decision.reason)
        return False


def start(offer: OpenOffer) -> None:
    """Starts the other program, or where that is not possible the next best."""
    handler = ["gtk-launch", offer.desktop_id, offer.url] if offer.desktop_id else ["xdg-open", offer.url]
    print("opens", offer.url, flush=True)
    try:
        subprocess.Popen(offer.argv or handler)
    except OSError:
        for other in offer.fallback[:1]:
            start(other)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("account")
    parser.add_argument("url", nargs="+")
    parser.add_argument("--socket")
    said = parser.parse_args()
    with Guard(path=said.socket, features=FEATURES) as guard:
        guard.set_identity("process", account=said.account)
        guard.start()
        tab = Tab(guard, "tab-1")
        for url in said.url:
            if tab.may_navigate(url):
                print("loads", url, "and others may paste", tab.copied("a secret").get("text/plain"))


if __name__ == "__main__":
    main()
