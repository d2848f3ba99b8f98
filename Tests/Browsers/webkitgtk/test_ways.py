"""Every way out of a page, signing in, and one click: the rig's suites with this engine."""

from typing import ClassVar

import wanted
from rig.suites import EveryWayOut, OneClick, SigningIn
from webkit_case import WebKitCase


class Ways(WebKitCase, EveryWayOut):
    unsupported: ClassVar[dict[str, str]] = {"prefetch": "the engine prefetches nothing"}
    known_leaks: ClassVar[dict[str, str]] = {}

    @classmethod
    def setUpClass(cls) -> None:
        cls.observations_file = wanted.OBSERVATIONS
        super().setUpClass()


class Signing(WebKitCase, SigningIn):
    pass


class Clicks(WebKitCase, OneClick):
    pass


del EveryWayOut, OneClick, SigningIn, WebKitCase
