"""One person is one, however many uids it gives itself: ranges of `/etc/subuid` are their owner's."""

import grp
import signal
from pathlib import Path

from attack_case import ALICE, APP, BOB, PER_USER, SETTINGS, AttackCase
from configuration import Configuration
from daemon import Daemon
from person import Person
from wire import GUARD

WHO = f"{GUARD}.WhoAmI"
# Whoever is in the group may ask, as with `peers: [{ group: staff }]`: subordinate uids keep their owner's groups.
EVERYBODY = grp.getgrnam("nogroup")
PEOPLE = f"""\
apps:
  {APP}:
    peers: [{{ uid: $uid }}, {{ uid: {ALICE} }}, {{ uid: {BOB} }}, {{ group: {EVERYBODY.gr_name} }}]
    identityMode: multi
    classes:
      documents: {{ policy: currentIdentity, externalURLs: contoso }}
      loose: {{}}
"""
ALICES, BOBS, BOTHS, NOBODYS = 700_000, 800_000, 900_005, 650_000
RANGES = f"{ALICE}:{ALICES}:1000\n{BOB}:{BOBS}:1000\n{ALICE}:900000:10\n{BOB}:{BOTHS}:10\n"
# What one person may register of the 16 MiB, in viewers of about a kilobyte, and far more.
TOO_MANY = 8000

# The machine's own file is left alone: the daemon sees another in its place.
IN_PLACE = 'mount --bind "$1" /etc/subuid && shift && exec "$@"'


class Persons(AttackCase):
    def setUp(self) -> None:
        self.daemon = Daemon(Configuration(PEOPLE, settings=SETTINGS))  # type: ignore[misc]
        self.addCleanup(self.daemon.remove)
        self.daemon.directory.chmod(0o755)
        ranges = self.daemon.directory / "subuid"
        ranges.write_text(RANGES)
        if not Path("/etc/subuid").exists():
            self.skipTest("this machine has no subordinate uids")
        self.daemon.prefix = ["unshare", "--mount", "--propagation", "private", "sh", "-c", IN_PLACE, "sh", str(ranges)]
        self.daemon.start()

    @classmethod
    def setUpClass(cls) -> None:
        """Nothing is shared."""
        cls.refuse_without_root()

    def member(self, uid: int) -> Person:
        return self.person(uid, EVERYBODY.gr_gid)

    def restart(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        self.daemon.start()

    def test_subordinate_uids_share_their_owners_places(self) -> None:
        for _ in range(2):
            people = [self.member(uid) for uid in (ALICES, ALICES + 999, ALICE, ALICES + 1, 900_000)]
            self.assertEqual([len(self.places(person)) for person in people], [PER_USER, 0, 0, 0, 0])
            self.assertEqual(len(self.places(self.member(BOBS))), PER_USER, "another's are another's")
            for person in people:
                person.end()
            self.restart()

    def test_a_uid_that_is_nobodys_is_not_served(self) -> None:
        for _ in range(2):
            for uid in (NOBODYS, ALICES - 1, ALICES + 1000):
                self.assertFalse(self.is_served(self.member(uid).link(self.daemon.guard_socket)), uid)
            self.assertTrue(self.is_served(self.member(ALICE).link(self.daemon.guard_socket)), "the policy names her")
            self.restart()
        self.assertEqual(self.daemon.tells("its uid is no user's", 6), 6)

    def test_a_uid_of_two_persons_is_not_served(self) -> None:
        self.assertTrue(self.is_served(self.member(BOTHS - 1).link(self.daemon.guard_socket)))
        self.assertFalse(self.is_served(self.member(BOTHS).link(self.daemon.guard_socket)))
        self.assertEqual(self.daemon.tells("its uid is in several users' ranges"), 1)
        self.assertTrue(self.is_served(self.member(BOTHS + 5).link(self.daemon.guard_socket)))

    def test_subordinate_uids_share_their_owners_memory(self) -> None:
        self.assertLess(self.registered(ALICES), TOO_MANY)
        self.assertEqual(self.registered(ALICES + 7), 0)
        self.assertGreater(self.registered(BOBS), 0)

    def registered(self, uid: int) -> int:
        """How many viewers with long names the daemon takes up for a uid."""
        link = self.member(uid).link(self.daemon.guard_socket)
        if "error" in link.call(f"{GUARD}.Attach"):
            return 0
        for number in range(TOO_MANY):
            name = f"{number}-".ljust(250, "x")
            if "error" in link.call(f"{GUARD}.RegisterViewer", viewer=name, **{"class": "loose"}):
                return number
        return TOO_MANY

    def test_a_persons_clipboard_is_one(self) -> None:
        """What she copied may not be pasted by a process of hers under another uid; Bob's are his own."""
        alice = self.link(ALICE)
        self.managed(alice)
        self.copy(alice)
        for uid in (ALICES, ALICES + 500):
            inside = self.member(uid).link(self.daemon.guard_socket)
            self.private(inside)
            self.assertEqual(self.paste(inside), ("block", "orgData"))
        bob = self.member(BOBS).link(self.daemon.guard_socket)
        self.private(bob)
        self.decide(bob, "Copy", "home", selection="clipboard", length=12)
        self.assertEqual(self.paste(bob)[0], "allow")

    def test_a_token_is_of_its_uid(self) -> None:
        """The same person, and yet not the same programs: a container is kept apart from its owner's session."""
        token = self.managed(self.link(ALICE))
        inside = self.member(ALICES).link(self.daemon.guard_socket)
        self.refused(inside.call(f"{GUARD}.Attach", instance=token), "UnknownInstance")

    def test_the_log_says_the_uid(self) -> None:
        """The share is the person's, and the record says which uid asked all the same."""
        for uid in (ALICE, ALICES, ALICES + 1):
            link = self.member(uid).link(self.daemon.guard_socket)
            self.managed(link)
            self.is_guarded(link)
        self.assertEqual({record["uid"] for record in self.daemon.records("decision")}, {ALICE, ALICES, ALICES + 1})

    def test_names_of_many_groups_hold_nobody_up(self) -> None:
        """Mallory asks who he is, with two hundred groups, on all his connections; Bob is answered in between."""
        mallory = self.person(ALICES, EVERYBODY.gr_gid, *range(70_000, 70_200))
        links = self.places(mallory)
        for _ in range(20):
            for link in links:
                link.send(f'{{"method":"{WHO}","parameters":{{}}}}\0')
        bob = self.member(BOB).link(self.daemon.guard_socket)
        self.private(bob)
        self.assertEqual(self.paste(bob)[1], "ownerUnknown")
        for link in links:
            for _ in range(20):
                who = link.reply()["parameters"]
                self.assertEqual((who["uid"], len(who["groups"])), (ALICES, 202))


