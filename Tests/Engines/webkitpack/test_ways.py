"""Every way out of a page, signing in, and one click: the rig's suites with the library."""

from typing import ClassVar

from pack_case import PackCase
from rig.suites import EveryWayOut, OneClick, SigningIn


class Ways(PackCase, EveryWayOut):
    unsupported: ClassVar[dict[str, str]] = {"prefetch": "the engine prefetches nothing"}


class Signing(PackCase, SigningIn):
    pass


class Clicks(PackCase, OneClick):
    pass


del EveryWayOut, OneClick, PackCase, SigningIn
