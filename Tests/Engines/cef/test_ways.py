"""Every way out of a page, in both styles of CEF's windows."""

from typing import Any, ClassVar

from cef_case import CefCase

from rig.suites import EveryWayOut, OneClick, SigningIn


class Ways(CefCase, EveryWayOut):
    known_leaks: ClassVar[dict[str, str]] = {"websocket": "no hook of CEF shows WebSockets"}


class Clicks(CefCase, OneClick):
    pass


class Signing(CefCase, SigningIn):
    pass


def cases() -> list[Any]:
    return [Ways, Clicks, Signing]
