"""Every way out of a page, signing in, and one click: the rig's suites with the library."""

from typing import ClassVar

from gtk_case import GtkCase
from rig.suites import EveryWayOut, OneClick, SigningIn


class Ways(GtkCase, EveryWayOut):
    unsupported: ClassVar[dict[str, str]] = {"prefetch": "the engine prefetches nothing"}


class Signing(GtkCase, SigningIn):
    pass


class Clicks(GtkCase, OneClick):
    pass


del EveryWayOut, OneClick, GtkCase, SigningIn
