"""Every way out of a page: how it is triggered, what it loads, and what must become of it.

A way's page is `/way/ID/HOST/N`, and what it tries to reach is `/to/ID/HOST/N` on that host, so that the access log
tells every trip from every other. `{url}` in its HTML, and `u` in its script, is that URL.
"""

import json
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from rig.hosts import Host


class Kind(StrEnum):
    """What is loaded, as rules speak of it."""

    PAGE = "page"
    FORM = "form"
    FRAME = "frame"
    RESOURCE = "resource"
    DOWNLOAD = "download"


@dataclass(frozen=True)
class Way:
    """One way out. Without `trigger` the page goes it by itself as it loads; else the element `go` is clicked."""

    id: str
    kind: Kind
    html: str = ""
    act: str = ""
    trigger: str = "click"
    serves: str = "text/html"
    headers: dict[str, str] = field(default_factory=dict, compare=False)

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Where it is tried to: the default speaks of pages, explicit rules of resources as well."""
        if self.kind == Kind.RESOURCE:
            return (Host.TRACKER, Host.BLOCKED, Host.EXTERNAL, Host.INTERNAL)
        return (Host.EXTERNAL, Host.BLOCKED, Host.INTERNAL)

    @property
    def has_default(self) -> bool:
        """Whether the default of a rule set speaks of it: of what a page loads by itself it never does."""
        return self.kind != Kind.RESOURCE

    @property
    def has_witness(self) -> bool:
        """Whether its page goes the same way inside as well: when that arrived, the other would have, too."""
        return self.kind in (Kind.RESOURCE, Kind.FRAME)

    def is_kept(self, host: Host) -> bool:
        """Whether a guarded viewer must not reach the host this way."""
        if self.kind == Kind.RESOURCE:
            return host in (Host.TRACKER, Host.BLOCKED)
        return host != Host.INTERNAL


# The one list: `webviewguard selftest` has it compiled in. The file says what its members mean.
LIST = Path(__file__).resolve().parents[3] / "Sources/webviewguard/Trial/ways.json"
_LISTED = json.loads(LIST.read_text())
# Scripts that every page of a way has, and the service worker of its host.
TOOLS, SERVICE_WORKER = ("\n".join(_LISTED[name]) for name in ("tools", "serviceWorker"))

WAYS = tuple(Way(**{**way, "kind": Kind(way["kind"])}) for way in _LISTED["ways"])


def _of(kind: Kind) -> tuple[Way, ...]:
    return tuple(way for way in WAYS if way.kind == kind)


PAGES, FORMS, FRAMES, RESOURCES, DOWNLOADS = (_of(kind) for kind in Kind)
BY_ID = {way.id: way for way in WAYS}

# URLs of other schemes leave no trace at a site: the guard's answer, and what was started, are the judge there.
# A message that is written already brings data along.
SCHEMES = {
    "mailto": "mailto:somebody@fabrikam.example",
    "written": "mailto:somebody@fabrikam.example?subject=plan",
    "custom": "fabrikam-app://open/plan",
}


@dataclass(frozen=True)
class Trip:
    """A way that is gone once, to a host. `number` makes it one of its own."""

    way: Way
    host: Host
    number: int

    @property
    def page(self) -> str:
        """The internal page that goes it."""
        return f"/way/{self._name}"

    @property
    def goal(self) -> str:
        """The path that the host's log has when it got there."""
        return f"/to/{self._name}"

    @property
    def witness(self) -> str:
        return f"/witness/{self._name}"

    @property
    def _name(self) -> str:
        return f"{self.way.id}/{self.host.name.lower()}/{self.number}"
