"""Every way out of a page, signing in, and one click: the rig's suites with this engine."""

from pathlib import Path
from typing import ClassVar

from rig.suites import EveryWayOut, OneClick, SigningIn
from webkit_case import WebKitCase


class Ways(WebKitCase, EveryWayOut):
    unsupported: ClassVar[dict[str, str]] = {"prefetch": "the engine prefetches nothing"}
    observations_file = Path(__file__).with_name("observations.json")


class Signing(WebKitCase, SigningIn):
    pass


class Clicks(WebKitCase, OneClick):
    pass


del EveryWayOut, OneClick, SigningIn, WebKitCase
