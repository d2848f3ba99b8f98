"""What the app said about its viewers and identities, to be said again on each new connection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Frame = tuple[str, dict[str, Any]]


@dataclass(eq=False)
class _Viewer:
    """A registered viewer; `parent` and `opener` stay what they were even when those are forgotten."""

    name: str
    members: dict[str, Any] = field(default_factory=dict)
    parent: "_Viewer | None" = None
    opener: "_Viewer | None" = None
    # Whether the app said that the document is unknown after it had said one.
    document_unknown: bool = False
    policy: str | None = None
    rule_set: str | None = None
    has_rule_set: bool = False


class Said:
    """Keeps the latest word on everything, in the order in which viewers were registered.

    Words are those of the wire: `apply("RegisterViewer", {"viewer": "v1"}, delivered=True)`.
    """

    def __init__(self) -> None:
        self._viewers: dict[str, _Viewer] = {}
        # Those that were forgotten, but in which others lie or which opened others; the service keeps them as well.
        self._all: list[_Viewer] = []
        # Forgotten without an answer: a service that was only out of reach may still have them.
        self._forgotten: dict[str, None] = {}
        self._identities: dict[tuple[str, str], dict[str, Any]] = {}

    def apply(self, method: str, parameters: Mapping[str, Any], *, delivered: bool) -> None:
        """Takes note of a call that the service did not refuse; `delivered` when it is known to have heard it."""
        said = {name: value for name, value in parameters.items() if value is not None}
        viewer = self._viewers.get(said.get("viewer", ""))
        if method == "RegisterViewer":
            self._register(said)
        elif method == "SetDocument":
            self._set_document(said)
        elif method == "ForgetViewer":
            self._forget(said["viewer"], delivered)
        elif method == "SetWebViewPolicy" and viewer:
            viewer.policy = said["policy"]
        elif method == "SetExternalURLRules" and viewer:
            viewer.rule_set, viewer.has_rule_set = said.get("ruleSet"), True
        elif method == "SetIdentity":
            self._set_identity(said, delivered)

    def frames(self) -> list[Frame]:
        """Everything, as calls in the order in which the service needs them."""
        identities = [*self._identities.values()]
        return [
            *(("SetIdentity", said) for said in identities if said["level"] == "process"),
            *(("ForgetViewer", {"viewer": name}) for name in self._forgotten),
            *_Replay(self._all, self._viewers).frames(),
            *(("SetIdentity", said) for said in identities if said["level"] == "window"),
            *(("SetIdentity", said) for said in identities if said["level"] == "scope"),
        ]

    def replayed(self, method: str, parameters: Mapping[str, Any]) -> None:
        """The service has heard one of `frames` again, so what is only kept until then may go."""
        if method == "ForgetViewer":
            self._forgotten.pop(parameters["viewer"], None)
        elif method == "SetIdentity" and self._identities.get(_key(parameters)) == parameters:
            self._set_identity(dict(parameters), delivered=True)

    def take_back(self, identity: Mapping[str, Any]) -> None:
        """A switch that nobody answered did not come about for the app, and may not have for the service."""
        said = {name: identity[name] for name in ("level", "window") if name in identity}
        self._identities.setdefault(_key(said), said)

    def begin_anew(self) -> None:
        """The service does not know this client any more, so there is nothing to be taken back there."""
        self._forgotten.clear()
        for said in [said for said in self._identities.values() if not said.keys() & {"account", "accounts"}]:
            del self._identities[_key(said)]

    def window(self, viewer: str | None) -> str | None:
        """The window that a viewer is shown in, its own or that of what it lies in."""
        entry = self._viewers.get(viewer or "")
        passed: set[int] = set()
        while entry is not None and id(entry) not in passed:
            passed.add(id(entry))
            if window := entry.members.get("window"):
                return str(window)
            entry = entry.parent
        return None

    def identity(self, level: str, window: str | None) -> dict[str, Any] | None:
        """The account or accounts that a level was last said to show; None when nothing was said of it."""
        said = self._identities.get((level, window or ""))
        return None if said is None else {name: said.get(name) for name in ("account", "accounts")}

    def knows(self, viewer: str) -> bool:
        """Whether a viewer of that name is registered."""
        return viewer in self._viewers

    def _register(self, said: dict[str, Any]) -> None:
        name = said["viewer"]
        viewer = self._viewers.get(name)
        if viewer is None:
            viewer = self._viewers[name] = _Viewer(name)
            self._all.append(viewer)
        viewer.parent = self._viewers.get(said.get("parent", "")) or viewer.parent
        viewer.opener = self._viewers.get(said.get("opener", "")) or viewer.opener
        # A parent or opener that nobody registered is said as it is, so that the service refuses it.
        viewer.members |= {key: value for key, value in said.items() if key not in ("viewer", "policy", "ruleSet")}
        viewer.policy = said.get("policy", viewer.policy)
        if "ruleSet" in said:
            viewer.rule_set, viewer.has_rule_set = said["ruleSet"], True
        if "document" in said:
            viewer.document_unknown = False

    def _set_document(self, said: dict[str, Any]) -> None:
        viewer = self._viewers.get(said["viewer"])
        if viewer is None:
            return
        viewer.members.pop("document", None)
        viewer.members |= {"document": said["document"]} if "document" in said else {}
        viewer.document_unknown = "document" not in said

    def _forget(self, name: str, delivered: bool) -> None:
        if self._viewers.pop(name, None) is not None and not delivered:
            self._forgotten[name] = None
        # Ghosts that nobody needs any longer go, and with them perhaps those that only they needed.
        count = 0
        while count != len(self._all):
            count = len(self._all)
            needed = {id(other) for viewer in self._all for other in (viewer.parent, viewer.opener)}
            self._all = [viewer for viewer in self._all if self._is_live(viewer) or id(viewer) in needed]

    def _is_live(self, viewer: _Viewer) -> bool:
        return self._viewers.get(viewer.name) is viewer

    def _set_identity(self, said: dict[str, Any], delivered: bool) -> None:
        said.pop("gates", None)
        key = _key(said)
        self._identities.pop(key, None)
        # Null sets nothing; it need only be said again when the service may not have heard it.
        if "account" in said or "accounts" in said or not delivered:
            self._identities[key] = said


def _key(said: Mapping[str, Any]) -> tuple[str, str]:
    return said["level"], said.get("window", "")


class _Replay:
    """The calls that make a new service know the viewers: each after what it lies in and what opened it."""

    def __init__(self, viewers: list[_Viewer], live: Mapping[str, _Viewer]) -> None:
        self._viewers = viewers
        self._live = live
        self._registered: set[int] = set()
        self._by_name: dict[str, _Viewer] = {}

    def frames(self) -> list[Frame]:
        frames = [frame for viewer in self._viewers for frame in self._register(viewer)]
        ends = [*self._by_name.values()]
        frames += [frame for viewer in ends for frame in _tag(viewer)]
        frames += [frame for viewer in ends for frame in _rule_set(viewer)]
        return frames + [frame for viewer in ends if not self._is_live(viewer) for frame in _forget(viewer)]

    def _register(self, viewer: _Viewer) -> Iterator[Frame]:
        if id(viewer) in self._registered:
            return
        self._registered.add(id(viewer))
        for needed in (viewer.parent, viewer.opener):
            if needed is not None:
                yield from self._register(needed)
        ghost = self._by_name.pop(viewer.name, None)
        if ghost is not None:
            yield from (*_tag(ghost), *_rule_set(ghost), *_forget(ghost))
        self._by_name[viewer.name] = viewer
        links = {"parent": viewer.parent, "opener": viewer.opener}
        named = {name: other.name for name, other in links.items() if other is not None}
        yield "RegisterViewer", {"viewer": viewer.name, **viewer.members, **named}
        if viewer.document_unknown:
            yield "SetDocument", {"viewer": viewer.name}

    def _is_live(self, viewer: _Viewer) -> bool:
        return self._live.get(viewer.name) is viewer


def _tag(viewer: _Viewer) -> list[Frame]:
    return [("SetWebViewPolicy", {"viewer": viewer.name, "policy": viewer.policy})] if viewer.policy else []


def _rule_set(viewer: _Viewer) -> list[Frame]:
    if not viewer.has_rule_set:
        return []
    said = {"ruleSet": viewer.rule_set} if viewer.rule_set is not None else {}
    return [("SetExternalURLRules", {"viewer": viewer.name, **said})]


def _forget(viewer: _Viewer) -> list[Frame]:
    return [("ForgetViewer", {"viewer": viewer.name})]
