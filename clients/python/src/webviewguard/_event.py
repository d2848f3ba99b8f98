"""What an app says about one thing that is about to happen, and how it goes on the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from webviewguard._words import CaptureKind, Channel, Frame, Gesture, Inspection, Location, Selection, Surface


class Event(TypedDict, total=False):
    """Every member is optional: what is left out, or None, is unknown, and never makes an answer weaker.

    The members are those of `Event` in `org.webviewguard.Guard`, in snake case; only `from` is called `source` here.
    """

    viewer: str | None
    url: str | None
    source: str | None
    frame: Frame | None
    hop: bool | None
    method: str | None
    gesture: Gesture | None
    same_document: bool | None
    new_window: bool | None
    selection: Selection | None
    cut: bool | None
    length: int | None
    formats: Sequence[str] | None
    self_owned: bool | None
    clip: str | None
    proposal: str | None
    display: str | None
    owner: str | None
    location: Location | None
    location_account: str | None
    path: str | None
    in_place: bool | None
    peer: str | None
    peer_account: str | None
    channel: Channel | None
    capture: CaptureKind | None
    inspection: Inspection | None
    surface: Surface | None
    chooser: bool | None
    probe: bool | None
    action: str | None
    deadline: int | None
    label: str | None
    file: str | None
    origin: str | None


def camel(name: str) -> str:
    """A name as on the wire: `same_document` is `sameDocument`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


WIRE_NAMES = {name: "from" if name == "source" else camel(name) for name in Event.__annotations__}


def on_wire(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event as it is sent. A member that no event has is a mistake of the program, so it raises TypeError."""
    unknown = event.keys() - WIRE_NAMES.keys()
    if unknown:
        raise TypeError(f"events have no member `{min(unknown)}`")
    said = {WIRE_NAMES[name]: value for name, value in event.items() if value is not None}
    if "formats" in said:
        said["formats"] = list(said["formats"])
    return said
