"""Memory in all: whoever registers or asks without end is refused, and nothing that was registered goes."""

from attack_case import ALICE, BOB, INSIDE, MALLORY, PEOPLE, SETTINGS, AttackCase, Failure, Link
from configuration import Configuration
from daemon import eventually
from wire import ADMIN, GUARD, frame

MEGABYTE = 1 << 20
# What `memoryMegabytes: 16` gives one user: a quarter.
SHARE = 4 * MEGABYTE
LONG = "https://contoso.com/" + "x" * 60_000

# Names of this domain are a program's to invent.
PATTERN = 'protections:\n  everybody: { accounts: ["*@contoso.com"], send: managed, webTransfer: managedBrowser }\n'

EVERYBODY = PEOPLE.replace(f"{{ uid: {BOB} }}", f"{{ uid: {BOB} }}, {{ uid: {MALLORY} }}, {{ uid: {MALLORY + 1} }}")


class MemoryCase(AttackCase):
    configuration = Configuration(EVERYBODY, settings=SETTINGS)

    def setUp(self) -> None:
        # What the test before registered goes with its programs' grace.
        admin = self.wire(self.daemon.admin_socket)
        eventually(lambda: admin.call(f"{ADMIN}.Status")["parameters"]["instances"] == 0, "the programs before ended")

    def _resident(self) -> int:
        """Bytes that the daemon has in memory."""
        with open(f"/proc/{self.daemon.pid}/statm") as statistics:
            return int(statistics.read().split()[1]) * 4096

    def _fill(self, link: Link) -> int:
        """Registers viewers with long documents until there is no more room; returns how many found some."""
        for number in range(1000):
            reply = link.call(f"{GUARD}.RegisterViewer", viewer=f"v{number}", document=LONG, **{"class": "loose"})
            if "error" in reply:
                limit = self.refused(reply, "LimitReached")
                self.assertEqual((limit["limit"], limit["maximum"]), ("memoryBytes", SHARE))
                return number
        return self.fail("there was room without end")


class Memory(MemoryCase):
    def test_what_one_user_registers_is_bounded(self) -> None:
        before = self._resident()
        mallory = self.link(MALLORY)
        token = self.managed(mallory)
        self.copy(mallory)
        filled = self._fill(mallory)
        self.assertTrue(SHARE // 80_000 < filled < SHARE // 50_000, filled)
        self.assertLess(self._resident() - before, 4 * SHARE)
        # A second instance does not get a second share.
        second = mallory.person.link(self.daemon.guard_socket)
        self.answered(second.call(f"{GUARD}.Attach", instance=token))
        self.refused(second.call(f"{GUARD}.RegisterViewer", viewer="more", document=LONG), "LimitReached")
        # Nothing went, nothing is weaker, and who leaves room gets it.
        self.is_guarded(mallory)
        self.assertEqual(self.decide(mallory, "Navigate", "v0", url=INSIDE)["identity"], "work@contoso.com")
        self.answered(mallory.call(f"{GUARD}.SetDocument", viewer="v0", document=INSIDE))
        self.answered(mallory.call(f"{GUARD}.ForgetViewer", viewer="v1"))
        self.answered(second.call(f"{GUARD}.RegisterViewer", viewer="more", document=LONG))

    def test_three_that_fill_it_leave_room_for_a_fourth(self) -> None:
        links = []
        for uid in (MALLORY, MALLORY + 1, ALICE):
            link = self.link(uid)
            self.managed(link)
            self._fill(link)
            links.append(link)
        bob = self.link(BOB)
        self.managed(bob)
        self.is_guarded(bob)
        for link in links:
            self.is_guarded(link)

    def test_ghosts_count_until_they_are_gone(self) -> None:
        """A viewer that is forgotten stays for those that inherit from it, and so does what it takes."""
        mallory = self.link(MALLORY)
        self.managed(mallory)
        for number in range(1000):
            reply = mallory.call(f"{GUARD}.RegisterViewer", viewer="ghost", document=LONG, kind="container")
            if "error" in reply:
                break
            self.answered(mallory.call(f"{GUARD}.RegisterViewer", viewer=f"child{number}", parent="ghost"))
            self.answered(mallory.call(f"{GUARD}.ForgetViewer", viewer="ghost"))
        self.refused(reply, "LimitReached")
        self.answered(mallory.call(f"{GUARD}.ForgetViewer", viewer="child0"))
        self.answered(mallory.call(f"{GUARD}.RegisterViewer", viewer="ghost", document=LONG, kind="container"))

    def test_room_comes_back_with_the_end_of_an_instance(self) -> None:
        """`graceSeconds` is 1 here."""
        mallory = self.link(MALLORY)
        self.managed(mallory)
        filled = self._fill(mallory)
        mallory.person.end()
        eventually(lambda: self._fill_again() >= filled - 1, "there is room again")

    def _fill_again(self) -> int:
        link = self.link(MALLORY)
        try:
            self.managed(link)
            return self._fill(link)
        except AssertionError:
            return 0
        finally:
            link.person.end()

    def test_answers_that_nobody_reads_take_little(self) -> None:
        """Sixteen connections ask for long answers and read none."""
        before = self._resident()
        event = {"viewer": "docs", "url": "https://example.net/" + "x" * 20_000, "frame": "main"}
        questions = [{"kind": "navigate", "event": event}] * 16
        call = frame(f"{GUARD}.DecideMany", questions=questions).decode()
        person = self.person(MALLORY)
        links = []
        for _ in range(14):
            link = person.link(self.daemon.guard_socket)
            self.managed(link)
            links.append(link)
        sent = sum(link.push(call, 200) for link in links)
        self.assertLess(sent, len(call) * 200 * len(links))
        self.assertLess(self._resident() - before, 120 * MEGABYTE)
        bob = self.link(BOB)
        self.managed(bob)
        self.is_guarded(bob)
        # Each still gets its answers, in order and whole.
        for link in links:
            decisions = link.reply()["parameters"]["decisions"]
            self.assertEqual([decision["outcome"] for decision in decisions], ["redirect"] * 16)

    def test_answers_that_are_read_late_keep_their_order(self) -> None:
        """Short and long answers by turns, more than the socket takes: some of them leave in pieces."""
        link = self.link(MALLORY)
        self.managed(link)
        inside = {"viewer": "docs", "url": INSIDE, "frame": "main"}
        outside = {"viewer": "docs", "url": "https://example.net/" + "x" * 20_000, "frame": "main"}
        turn = [frame(f"{GUARD}.Navigate", event=event).decode() for event in (inside, inside, inside, outside)]
        sent = link.push("".join(turn), 500)
        count = sent // len("".join(turn))
        self.assertTrue(0 < count < 500, f"the daemon stops to read after {count} turns")
        decisions = [self.answered(link.reply())["decision"] for _ in range(4 * count)]
        self.assertEqual([decision["outcome"] for decision in decisions], ["allow", "allow", "allow", "redirect"] * count)
        numbers = [int(decision["id"]) for decision in decisions]
        self.assertEqual(numbers, sorted(set(numbers)))

    def test_many_long_halves_take_little(self) -> None:
        """Each connection may have one message under way, and its time for it."""
        before = self._resident()
        person = self.person(MALLORY)
        for _ in range(14):
            try:
                person.link(self.daemon.guard_socket).send('{"method":"' + "x" * 500_000)
            except Failure:
                pass
        self.assertLess(self._resident() - before, 60 * MEGABYTE)
        self.daemon.tells("half a message stayed too long", 8)


class Names(MemoryCase):
    """Accounts that only a pattern takes."""

    configuration = Configuration(EVERYBODY, PATTERN, settings=SETTINGS)

    def _name_all(self, link: Link, prefix: str) -> int:
        """Names accounts until there is no more room; returns how many found some."""
        for number in range(10_000):
            name = f"{prefix}{number}-".ljust(200, "x") + "@contoso.com"
            event = {"owner": name, "location": "sharePoint"}
            reply = link.call(f"{GUARD}.Save", event=event)
            if self.answered(reply)["decision"]["reason"] == "unknownAccount":
                return number
        return self.fail("there was room without end")

    def test_names_that_programs_invent_count_and_go(self) -> None:
        """One program after the other names thousands of accounts, and ends: the next has as much room, and the daemon is
        no larger for it."""
        named, resident = [], []
        for round_ in range(5):
            mallory = self.link(MALLORY)
            self.answered(mallory.call(f"{GUARD}.Attach"))
            named.append(self._name_all(mallory, f"r{round_}-"))
            # What was named counts as what was registered: of its share less is left.
            if round_ == 0:
                self.assertLess(self._fill(mallory), SHARE // 80_000)
            mallory.person.end()
            admin = self.wire(self.daemon.admin_socket)
            eventually(lambda: admin.call(f"{ADMIN}.Status")["parameters"]["instances"] == 0, "it ended")
            resident.append(self._resident())
        self.assertEqual(set(named), {4096})
        # A round names more than 4 MB.
        self.assertLess(resident[4] - resident[1], 6 * MEGABYTE, resident)

    def test_a_program_that_names_all_it_may_takes_no_other_users_names(self) -> None:
        mallory = self.link(MALLORY)
        self.answered(mallory.call(f"{GUARD}.Attach"))
        self._name_all(mallory, "m")
        bob = self.link(BOB)
        self.answered(bob.call(f"{GUARD}.Attach"))
        # Names that Mallory had first count to Bob as well, and are his as long as he lives.
        shared = "m7-".ljust(200, "x") + "@contoso.com"
        self.answered(bob.call(f"{GUARD}.SetIdentity", level="process", account=shared))
        self.answered(bob.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"}))
        mallory.person.end()
        admin = self.wire(self.daemon.admin_socket)
        eventually(lambda: admin.call(f"{ADMIN}.Status")["parameters"]["instances"] == 1, "it ended")
        second = self.link(MALLORY)
        self.answered(second.call(f"{GUARD}.Attach"))
        self._name_all(second, "other")
        self.is_guarded(bob)
        self.assertEqual(self.decide(bob, "Navigate", "docs", url=INSIDE)["identity"], shared)
