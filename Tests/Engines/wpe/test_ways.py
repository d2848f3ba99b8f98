"""Every way out of a page, signing in, and one click: the rig's suites with the library for WPE."""

from pathlib import Path
from typing import Any, ClassVar

from rig.suites import EveryWayOut, OneClick, SigningIn
from wpe_case import WpeCase


class Ways(WpeCase, EveryWayOut):
    observations_file = Path(__file__).with_name("observations.json")
    unsupported: ClassVar[dict[str, str]] = {"prefetch": "the engine prefetches nothing"}


class Signing(WpeCase, SigningIn):
    pass


class Clicks(WpeCase, OneClick):
    """Where a page's own script leads, nobody knows which frame it is: that is blocked with an offer."""

    ways: ClassVar[tuple[str, ...]] = ("link", "link-302", "link-blank", "window-open", "form-post")


def cases() -> list[Any]:
    return [Ways, Signing, Clicks]
