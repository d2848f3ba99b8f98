"""What every attack begins with: a daemon, the people on its machine, and an app that shows an organisation's data."""

import os
import unittest
from pathlib import Path
from typing import Any, ClassVar

from configuration import PERSONAL, WORK, Configuration
from daemon import Daemon
from person import Failure, Link, Person
from wire import GUARD, Wire

# Users that no machine has; their numbers are all that counts.
ALICE, BOB, MALLORY = 61_001, 61_002, 61_666
STAFF, OTHERS = 61_100, 61_101

APP = "com.contoso.portal"
KIOSK = "com.contoso.kiosk"

PEOPLE = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}, {{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
      loose: {{}}
"""

SETTINGS = """\
graceSeconds: 1
limits: { partialMessageSeconds: 1, connectionsPerUser: 16, connections: 64, attachSeconds: 4, memoryMegabytes: 16 }
"""

INSIDE = "https://contoso.com/"
OUTSIDE = "https://example.net/"


class AttackCase(unittest.TestCase):
    """Tests that share one daemon. After each of them the daemon must still guard."""

    configuration: ClassVar[Configuration] = Configuration(PEOPLE, settings=SETTINGS)
    daemon: ClassVar[Daemon]

    @classmethod
    def setUpClass(cls) -> None:
        if os.getuid() != 0:
            raise unittest.SkipTest("only root can be several users")
        cls.daemon = Daemon(cls.configuration)
        cls.addClassCleanup(cls.daemon.remove)
        # Other users look for the sockets here.
        cls.daemon.directory.chmod(0o755)
        cls.daemon.start()

    def tearDown(self) -> None:
        self.assertTrue(self.daemon.is_alive, self.daemon.said.read_text())

    # People

    def person(self, uid: int, *groups: int, prefix: tuple[str, ...] = ()) -> Person:
        person = Person(uid, groups, prefix)
        self.addCleanup(person.end)
        return person

    def link(self, uid: int, *groups: int) -> Link:
        """A connection of a new process of a user."""
        return self.person(uid, *groups).link(self.daemon.guard_socket)

    def wire(self, path: Path | None = None) -> Wire:
        """A connection of this very process."""
        wire = Wire(path or self.daemon.guard_socket, 20)
        self.addCleanup(wire.socket.close)
        return wire

    # Calls

    def answered(self, reply: dict[str, Any]) -> dict[str, Any]:
        """The parameters of a reply that is no error."""
        self.assertNotIn("error", reply)
        return reply.get("parameters") or {}

    def refused(self, reply: dict[str, Any], error: str) -> dict[str, Any]:
        """The parameters of a reply that is this error."""
        self.assertEqual(reply.get("error"), f"{GUARD}.{error}", reply)
        return reply.get("parameters") or {}

    def said(self, text: str) -> int:
        """How often the daemon said so."""
        return self.daemon.said.read_text().count(text)

    def managed(self, link: Link | Wire, **attach: Any) -> str:
        """Attaches, shows the organisation's account in the viewer `docs`, and returns the instance's token."""
        token = self.answered(link.call(f"{GUARD}.Attach", **attach))["instance"]
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        self.answered(link.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"}))
        return token

    def private(self, link: Link | Wire, **attach: Any) -> None:
        """Attaches and shows a private account in the viewer `home`."""
        self.answered(link.call(f"{GUARD}.Attach", **attach))
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=PERSONAL))
        self.answered(link.call(f"{GUARD}.RegisterViewer", viewer="home", **{"class": "loose"}))

    def decide(self, link: Link | Wire, question: str, viewer: str, **event: Any) -> dict[str, Any]:
        return self.answered(link.call(f"{GUARD}.{question}", event={"viewer": viewer, **event}))["decision"]

    def copy(self, link: Link | Wire) -> str:
        """Copies from the organisation's viewer; returns the clip's id."""
        return self.decide(link, "Copy", "docs", selection="clipboard", length=12)["clip"]

    def paste(self, link: Link | Wire, **event: Any) -> tuple[str, str]:
        """The outcome and reason of pasting into the private viewer."""
        pasted = self.decide(link, "Paste", "home", **{"selection": "clipboard", "length": 12, **event})
        return pasted["outcome"], pasted["reason"]

    def navigate(self, link: Link | Wire, url: str, viewer: str = "docs") -> tuple[str, str]:
        decision = self.decide(link, "Navigate", viewer, url=url, frame="main")
        return decision["outcome"], decision["reason"]

    def is_guarded(self, link: Link | Wire) -> None:
        """The viewer `docs` is still the organisation's: its pages open, and others do not open in it."""
        self.assertEqual(self.navigate(link, INSIDE), ("allow", "internal"))
        self.assertNotEqual(self.navigate(link, OUTSIDE)[0], "allow")


__all__ = [
    "ALICE", "APP", "BOB", "INSIDE", "KIOSK", "MALLORY", "OTHERS", "OUTSIDE", "PEOPLE", "SETTINGS", "STAFF",
    "AttackCase", "Failure", "Link", "Person",
]  # fmt: skip
