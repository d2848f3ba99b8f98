"""What every attack begins with: a daemon, the people on its machine, and an app that shows an organisation's data."""

import os
import pwd
import unittest
from pathlib import Path
from typing import Any, ClassVar

from configuration import PERSONAL, WORK, Configuration
from daemon import Daemon
from person import Failure, Link, Person
from wire import GUARD, Wire

# Users that no machine has, whom policies name: their numbers are all that counts.
ALICE, BOB = 61_001, 61_002
# Users whom the machine knows, since nobody else is served whom no policy names.
MALLORY, *CROWD = sorted(user.pw_uid for user in pwd.getpwall() if 0 < user.pw_uid < 60_000)
STAFF, OTHERS = 61_100, 61_101

APP = "com.contoso.portal"
KIOSK = "com.contoso.kiosk"

PEOPLE = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}, {{ uid: {ALICE} }}, {{ uid: {BOB} }}]
    identityMode: multi
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
      loose: {{}}
"""

PER_USER = 16
SETTINGS = f"""\
graceSeconds: 1
limits: {{ partialMessageSeconds: 1, connectionsPerUser: {PER_USER}, connections: 64, attachSeconds: 4, memoryMegabytes: 16 }}
"""

INSIDE = "https://contoso.com/"
OUTSIDE = "https://example.net/"


class AttackCase(unittest.TestCase):
    """Tests that share one daemon. After each of them the daemon must still guard."""

    configuration: ClassVar[Configuration] = Configuration(PEOPLE, settings=SETTINGS)
    daemon: ClassVar[Daemon]

    @classmethod
    def setUpClass(cls) -> None:
        cls.refuse_without_root()
        cls.daemon = Daemon(cls.configuration)
        cls.addClassCleanup(cls.daemon.remove)
        # Other users look for the sockets here.
        cls.daemon.directory.chmod(0o755)
        cls.daemon.start()

    @staticmethod
    def refuse_without_root() -> None:
        if os.getuid() != 0:
            raise unittest.SkipTest("only root can be several users")

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

    def places(self, person: Person) -> list[Link]:
        """Connections until the daemon takes no more; those that it keeps."""
        links = []
        for _ in range(PER_USER + 8):
            try:
                link = person.link(self.daemon.guard_socket)
            except Failure:
                break
            if self.is_served(link):
                links.append(link)
        return links

    @staticmethod
    def is_served(link: Link) -> bool:
        try:
            return "parameters" in link.call(f"{GUARD}.WhoAmI")
        except Failure:
            return False

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
    "ALICE", "APP", "BOB", "CROWD", "INSIDE", "KIOSK", "MALLORY", "OTHERS", "OUTSIDE", "PEOPLE", "PER_USER", "SETTINGS", "STAFF",
    "AttackCase", "Failure", "Link", "Person",
]  # fmt: skip
