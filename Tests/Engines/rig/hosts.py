"""The hosts of the site. All lead to this machine, so that only the guard keeps a browser from one of them.

Every engine takes a name below `localhost` for this machine by itself: no /etc/hosts, no name server.
"""

from enum import StrEnum


class Host(StrEnum):
    """A host of the site, and what the rules say of it."""

    INTERNAL = "127.0.0.1"
    EXTERNAL = "localhost"
    BLOCKED = "blocked.localhost"
    TRACKER = "tracker.localhost"
    LOGIN = "login.localhost"

    def url(self, port: int, path: str, scheme: str = "http") -> str:
        return f"{scheme}://{self.value}:{port}{path}"


# The class `documents` of the app, and these rules, are what a guarded viewer is held to.
RULES = f"""\
ruleSet: contoso
default: external
rules:
  - id: forbidden
    external: {{ host: {Host.BLOCKED} }}
    for: [page, frame, resource, download, upload]
    then: block
    message: "{{host}} is a personal file-sharing site"
  - id: tracker
    external: {{ host: {Host.TRACKER} }}
    for: [resource]
    then: block
  - id: own
    internal: {{ host: "{Host.INTERNAL}" }}
    for: [page, frame, download, upload]
  - id: sign-in
    internal: {{ host: {Host.LOGIN}, from: {{ host: ["{Host.INTERNAL}", {Host.LOGIN}] }} }}
    for: [page, frame]
"""
