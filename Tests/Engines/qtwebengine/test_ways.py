"""Every way out, signing in, and one click: the rig's tests with this engine."""

from typing import ClassVar

from engine import HERE, QtCase
from rig.suites import EveryWayOut, OneClick, SigningIn
from rig.ways import FORMS, PAGES

HOP = "a resource's redirect is shown when its request is under way already, and blocking does not stop it"


class TestEveryWayOut(QtCase, EveryWayOut):
    unsupported: ClassVar[dict[str, str]] = {"ping": "links send no pings in this engine"}
    known_leaks: ClassVar[dict[str, str]] = {"image-302": HOP, "fetch-302": HOP}
    observations_file = HERE / "observations.json"


class TestSigningIn(QtCase, SigningIn):
    pass


class TestOneClick(QtCase, OneClick):
    ways: ClassVar[tuple[str, ...]] = tuple(way.id for way in (*PAGES, *FORMS))
