"""What Chromium is told at its start."""

from __future__ import annotations

import os

from webviewguard.qt._binding import QCoreApplication

# No hook sees WebRTC: this closes its UDP, and not what it sends by TCP. As root Chromium has no sandbox.
FLAGS = ["--disable-quic", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp"]
FLAGS += ["--no-sandbox", "--disable-gpu"] if os.geteuid() == 0 else []
VARIABLE = "QTWEBENGINE_CHROMIUM_FLAGS"


def set_flags() -> None:
    """The engine reads them when its first profile is made. Arguments of the program itself are not changed."""
    if "--webEngineArgs" in QCoreApplication.arguments():
        return
    words = os.environ.get(VARIABLE, "").split()
    os.environ[VARIABLE] = " ".join([*words, *(flag for flag in FLAGS if flag not in words)])
