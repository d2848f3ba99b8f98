"""An attached app that asks, and the settings under which many may."""

import os
import shutil
from pathlib import Path

from configuration import APP, PORTAL, WORK, Configuration
from daemon import Daemon
from wire import GUARD, Wire, frame

SETTINGS = "limits: { connections: 1024, connectionsPerUser: 512 }\n"
# Any user may speak for the app: a group that each of them is in cannot be counted on.
USERS = PORTAL.replace("[{ uid: $uid }]", "[{ uid: $uid }, { uid: %d }, { uid: %d }]")
VIEWER = "page"

EVENT = {
    "viewer": VIEWER, "url": "https://docs.contoso.com/d/42/edit?tab=t.0", "from": "https://docs.contoso.com/d/",
    "frame": "main", "hop": False, "gesture": "yes", "method": "GET",
}  # fmt: skip
QUESTION = frame(f"{GUARD}.Navigate", event=EVENT)


def configuration(*uids: int) -> Configuration:
    """The portal's, for this user and up to two others."""
    first, second = (*uids, os.getuid(), os.getuid())[:2]
    return Configuration(USERS % (first, second), settings=SETTINGS)


def attach(wire: Wire, instance: str | None = None) -> str:
    """Attaches a connection, to an instance that is there or to a new one with its viewer; returns its token."""
    parameters = {"app": APP} if instance is None else {"app": APP, "instance": instance}
    token = succeed(wire.call(GUARD + ".Attach", **parameters))["instance"]
    if instance is None:
        succeed(wire.call(GUARD + ".SetIdentity", level="process", account=WORK))
        succeed(wire.call(GUARD + ".RegisterViewer", viewer=VIEWER, **{"class": "documents"}))
    return token


def succeed(reply: dict[str, object]) -> dict[str, object]:
    """The parameters of a reply that is no error."""
    if "error" in reply:
        raise AssertionError(reply)
    return reply["parameters"]


def connect_as(uid: int, daemon: Daemon) -> Wire:
    """A connection of another user; needs root."""
    if uid == os.getuid():
        return Wire(daemon.guard_socket)
    os.seteuid(uid)
    try:
        return Wire(daemon.guard_socket)
    finally:
        os.seteuid(0)


def compiler() -> str | None:
    return shutil.which("cc")


def here(name: str) -> Path:
    return Path(__file__).resolve().parent / name
