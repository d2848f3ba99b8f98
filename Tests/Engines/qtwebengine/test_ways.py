"""Every way out, signing in, and one click: the rig's tests with this engine."""

from typing import ClassVar

from engine import HERE, IS_PYSIDE, QtCase
from PyQt6.QtWebEngineCore import qWebEngineChromiumVersion
from rig.suites import EveryWayOut, OneClick, SigningIn
from rig.ways import FORMS, PAGES

HOP = "a resource's redirect is shown when its request is under way already, and blocking does not stop it"
# At the hop of a fetch a newer engine stops, and at that of an image it does not.
STOPS_FETCH = int(qWebEngineChromiumVersion().partition(".")[0]) >= 140


class TestEveryWayOut(QtCase, EveryWayOut):
    unsupported: ClassVar[dict[str, str]] = {"ping": "links send no pings in this engine"}
    known_leaks: ClassVar[dict[str, str]] = {"image-302": HOP, **({} if STOPS_FETCH else {"fetch-302": HOP})}
    # The docs' table is of the engine that Debian has.
    observations_file = None if IS_PYSIDE else HERE / "observations.json"


class TestSigningIn(QtCase, SigningIn):
    pass


class TestOneClick(QtCase, OneClick):
    ways: ClassVar[tuple[str, ...]] = tuple(way.id for way in (*PAGES, *FORMS))
