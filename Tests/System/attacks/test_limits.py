"""Floods, half messages and padding: the daemon answers fewer, never weaker, and forgets nothing."""

import json
import time

from attack_case import ALICE, BOB, CROWD, INSIDE, MALLORY, PEOPLE, PER_USER, AttackCase
from configuration import Configuration
from daemon import eventually
from wire import ADMIN, GUARD, frame

WHO = f"{GUARD}.WhoAmI"
SMALL_SHARE = 4
ATTACH_SECONDS = 4
CAPS = """\
graceSeconds: 60
limits: { viewersPerInstance: 40, windowsPerInstance: 8, instancesPerUser: 5, attachSeconds: 60 }
"""


def text(*parts: bytes) -> str:
    return b"".join(parts).decode()


class Floods(AttackCase):
    def test_one_user_takes_no_place_of_another(self) -> None:
        """Mallory opens all the connections he gets; Bob and the administrators are served as before."""
        mallory = self.person(MALLORY)
        links = self.places(mallory)
        self.assertEqual(len(links), PER_USER)
        bob = self.link(BOB)
        self.managed(bob)
        self.is_guarded(bob)
        self.assertIn("connections", self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Status")))
        # Each of them is counted, and few are told one by one.
        self.assertLessEqual(self.said(f"too many connections total={PER_USER} uid={MALLORY}"), 8)

    def test_many_users_take_no_place_of_an_administrator(self) -> None:
        people = [self.person(uid) for uid in CROWD[:7]]
        held = [len(self.places(person)) for person in people]
        # Once three quarters are taken, the rest is for those who hold little.
        self.assertEqual(held, [PER_USER] * 3 + [SMALL_SHARE] * 4)
        self.assertFalse(self.is_served(self.person(CROWD[7]).link(self.daemon.guard_socket)))
        self.assertIn("connections", self.answered(self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Status")))
        for person in people:
            person.end()
        eventually(lambda: self.is_served(self.link(BOB)), "there is room again")

    def test_who_never_attaches_holds_no_place(self) -> None:
        """Nor does asking who one is, again and again, count as use."""
        mallory = self.person(MALLORY)
        links = self.places(mallory)
        eventually(lambda: not any(self.is_served(link) for link in links), "connections without an app end", 120)
        self.assertTrue(self.is_served(mallory.link(self.daemon.guard_socket)))

    def test_who_attached_may_be_silent(self) -> None:
        alice = self.link(ALICE)
        self.managed(alice)
        time.sleep(ATTACH_SECONDS + 2)
        self.is_guarded(alice)

    def test_questions_that_nobody_waits_for(self) -> None:
        """Mallory asks and asks and reads no answer; Alice's answers come, and his own come in order when he reads."""
        mallory, alice = self.link(BOB), self.link(ALICE)
        self.managed(alice)
        self.managed(mallory)
        question = text(frame(f"{GUARD}.Navigate", event={"viewer": "docs", "url": INSIDE, "frame": "main"}))
        sent = mallory.push(question, 200_000)
        self.assertLess(sent, len(question) * 200_000, "the daemon read on although nobody took its answers")
        for _ in range(100):
            self.is_guarded(alice)
        for _ in range(sent // len(question)):
            self.assertEqual(mallory.reply()["parameters"]["decision"]["reason"], "internal")

    def test_half_messages_hold_no_place(self) -> None:
        mallory = self.person(MALLORY)
        links = self.places(mallory)
        for link in links:
            link.send('{"method":"org.webvie')
        # Within the time of a message, which is shorter than that of a connection without an app.
        self.daemon.tells("half a message stayed too long", 8)
        eventually(lambda: self.is_served(mallory.link(self.daemon.guard_socket)), "there is room again")


class Caps(AttackCase):
    configuration = Configuration(PEOPLE, settings=CAPS)

    def test_registering_to_the_cap_forgets_nothing(self) -> None:
        # A user of its own, since instances are capped here as well.
        alice = self.wire()
        self.managed(alice)
        self.answered(alice.call(f"{GUARD}.SetDocument", viewer="docs", document=INSIDE))
        refused = 0
        for number in range(60):
            reply = alice.call(f"{GUARD}.RegisterViewer", viewer=f"v{number}", **{"class": "loose"})
            refused += "error" in reply
        self.assertEqual(refused, 60 - 39)
        for number in range(12):
            alice.call(f"{GUARD}.SetIdentity", level="window", window=f"w{number}", account="me@example.org")
        self.is_guarded(alice)
        self.assertEqual(self.navigate(alice, INSIDE, "v59"), ("allow", "internal"))
        # Who found no room is judged as what nobody knows: as strictly as can be.
        self.assertEqual(self.decide(alice, "Navigate", "v59", url="https://example.net/")["identityLevel"], "process")
        self.assertNotEqual(self.navigate(alice, "https://example.net/", "v59")[0], "allow")

    def test_instances_to_the_cap_are_the_users_own(self) -> None:
        alice, bob = self.link(ALICE), self.link(BOB)
        self.managed(bob)
        replies = [self.link(ALICE).call(f"{GUARD}.Attach") for _ in range(8)]
        self.assertTrue(any(reply.get("error") == f"{GUARD}.LimitReached" for reply in replies))
        self.refused(alice.call(f"{GUARD}.Attach"), "LimitReached")
        self.is_guarded(bob)
        self.managed(self.link(BOB))

    def test_clips_to_the_cap_are_forgotten_towards_strictness(self) -> None:
        """Ids that had to make room count as an unknown owner's, not as nobody's."""
        bob = self.link(BOB)
        self.managed(bob)
        first = self.copy(bob)
        for _ in range(5000):
            self.copy(bob)
        self.answered(bob.call(f"{GUARD}.SetIdentity", level="window", window="own", account="me@example.org"))
        self.answered(bob.call(f"{GUARD}.RegisterViewer", viewer="home", window="own", **{"class": "loose"}))
        self.decide(bob, "Copy", "home", selection="clipboard", length=3)
        # The length that is pasted is that of the copy: so it happened.
        self.assertEqual(self.paste(bob, length=3)[0], "allow")
        self.assertEqual(self.paste(bob, length=3, clip=first)[0], "block")


class Padding(AttackCase):
    """Messages that are long, deep, doubled or broken. More of them: Tests/System/varlink/test_frames.py."""

    def test_blanks_up_to_the_limit_are_one_message(self) -> None:
        wire = self.wire()
        call = frame(WHO)[:-1]
        wire.send(b" " * (500_000 - len(call)) + call + b"\0")
        self.assertIn("uid", wire.reply()["parameters"])

    def test_deep_nesting_ends_the_connection_and_nothing_else(self) -> None:
        for depth in (100, 10_000, 200_000):
            wire = self.wire()
            wire.send(f'{{"method":"{WHO}","parameters":{{"x":{"[" * depth + "]" * depth}}}}}\0'.encode())
            self.assertTrue(wire.is_closed(), depth)
            self.assertIn("uid", self.wire().call(WHO)["parameters"])

    def test_a_key_twice_is_no_message(self) -> None:
        """One reader takes the first, another the last: what a proxy checked would not be what is done."""
        wire = self.wire()
        self.managed(wire)
        event = '{"viewer":"docs","url":"https://contoso.com/","url":"https://example.net/","frame":"main"}'
        wire.send(f'{{"method":"{GUARD}.Navigate","parameters":{{"event":{event}}}}}\0'.encode())
        try:
            self.assertIn("error", wire.reply())
        except ConnectionError:
            pass

    def test_a_nul_inside_a_text_ends_no_name(self) -> None:
        """Escaped it is a character like any other: `docs\\0x` is not `docs`."""
        wire = self.wire()
        self.managed(wire)
        self.answered(wire.call(f"{GUARD}.SetWebViewPolicy", viewer="docs", policy="currentIdentityBlockUpload"))
        self.refused(wire.call(f"{GUARD}.ForgetViewer", viewer="docs\0x"), "UnknownViewer")
        self.is_guarded(wire)
        self.assertNotEqual(self.navigate(wire, "https://contoso.com\0.example.net/")[0], "allow")

    def test_a_raw_nul_cuts_the_message_and_closes(self) -> None:
        wire = self.wire()
        wire.send(f'{{"method":"{WHO}","parameters":{{"x":"'.encode() + b"\0" + b'"}}\0')
        self.assertTrue(wire.is_closed())

    def test_long_names_are_refused_and_keep_nothing(self) -> None:
        wire = self.wire()
        self.managed(wire)
        for parameters in ({"viewer": "x" * 300}, {"viewer": "v", "window": "x" * 300}):
            limit = self.refused(wire.call(f"{GUARD}.RegisterViewer", **parameters), "LimitReached")
            self.assertEqual(limit["limit"], "nameBytes")
        reply = wire.call(f"{GUARD}.Save", event={"viewer": "docs", "path": "/" + "x" * 5000})
        self.assertEqual(self.refused(reply, "LimitReached")["limit"], "pathBytes")

    def test_long_actions_cost_no_memory_and_are_judged_each(self) -> None:
        """The answers of one click are kept for ten seconds; of URLs of 60 kB none are."""
        wire = self.wire()
        self.managed(wire)
        url = "https://contoso.com/" + "x" * 60_000
        ids = set()
        for _ in range(3):
            decision = self.decide(wire, "Navigate", "docs", url=url, frame="main", action="click")
            self.assertEqual(decision["reason"], "internal")
            ids.add(decision["id"])
        self.assertEqual(len(ids), 3)

    def test_every_kind_of_text_may_be_hostile(self) -> None:
        """Direction marks, controls and lone surrogates name nothing but themselves."""
        wire = self.wire()
        self.managed(wire)
        for name in ("docs\u202e", "docs\u200b", "DOCS", "docs ", "d\u043ecs"):
            self.refused(wire.call(f"{GUARD}.ForgetViewer", viewer=name), "UnknownViewer")
        wire.send(b'{"method":"' + WHO.encode() + b'","parameters":{"x":"\\ud800"}}\0')
        try:
            json.dumps(wire.reply())
        except ConnectionError:
            pass
        self.assertIn("uid", self.wire().call(WHO)["parameters"])
