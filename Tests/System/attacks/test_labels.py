"""Labels of files that somebody forges, borrows from another person or machine, or wants to be without. Everything goes
through the daemon's socket: it makes and reads labels, and touches no file."""

import secrets
import shutil
import signal
from typing import Any

from attack_case import APP, Link
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from test_data_keys import SECOND, SEVERAL, KeyCase
from test_wipes import ALICE, BOB, NOTES
from wire import ACCOUNTS, GUARD

LENGTH = 89
# The table refuses no file of another person, and forgets none.
FACTS = "5ca1ab1e:1:00ff00ff:1700000000.000000001"


class LabelCase(KeyCase):
    def working(self, uid: int, account: str = WORK, app: str = APP) -> Link:
        """An app of a person whose files belong to this account."""
        link = self.app(uid, app, WORK, SECOND)
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=account))
        return link

    def created(self, link: Link, **said: Any) -> dict[str, Any]:
        return self.answered(link.call(f"{ACCOUNTS}.FileCreated", **said))

    def read_label(self, link: Link, **said: Any) -> dict[str, Any]:
        return self.answered(link.call(f"{ACCOUNTS}.ReadLabel", **said))

    def standing(self, link: Link, **said: Any) -> str:
        return self.read_label(link, **said)["standing"]

    def set_owner(self, link: Link, account: str, **said: Any) -> dict[str, Any]:
        return link.call(f"{ACCOUNTS}.SetOwner", account=account, **said)

    def asked(self, link: Link, question: str, **event: Any) -> tuple[str, str]:
        decision = self.answered(link.call(f"{GUARD}.{question}", event=event))["decision"]
        return decision["outcome"], decision["reason"]

    @property
    def labelled(self) -> list[dict[str, Any]]:
        return self.records_of("labelled")


class Forged(LabelCase):
    def test_every_bit_and_every_length_is_a_managed_owner_that_nobody_can_name(self) -> None:
        link = self.working(ALICE)
        label = self.created(link)["label"]
        self.assertEqual(len(label), 2 * LENGTH)
        self.assertEqual(self.standing(link, label=label), "mine")
        raw = bytes.fromhex(label)
        wrong = ["", "zz", label[:-1], label + "00", label + label, "00" * LENGTH, "ä" * LENGTH, "a" * 300, secrets.token_hex(LENGTH)]
        # It has one spelling.
        wrong += [label.upper(), label[:-1] + label[-1].upper()] if label[-1].isalpha() else [label.upper()]
        wrong += [raw[:count].hex() for count in range(1, LENGTH)]
        for place in range(8 * LENGTH):
            forged = bytearray(raw)
            forged[place // 8] ^= 1 << place % 8
            wrong.append(forged.hex())
        for forged in wrong:
            self.assertEqual(self.read_label(link, label=forged), {"standing": "unknown", "mustEncrypt": False}, forged)
        for forged in wrong[:12]:
            for owner in ({}, {"owner": ""}, {"owner": PERSONAL}, {"owner": WORK}):
                self.assertEqual(self.asked(link, "Receive", label=forged, **owner), ("block", "unknownAccount"))

    def test_an_app_that_claims_private_for_a_labelled_file(self) -> None:
        label = self.created(self.working(ALICE))["label"]
        home = self.working(ALICE, PERSONAL)
        for said in ({}, {"owner": ""}, {"owner": PERSONAL}):
            self.assertEqual(self.asked(home, "Open", **said)[0], "allow")
            for question in ("Open", "Receive", "Upload", "Share"):
                outcome, reason = self.asked(home, question, label=label, url="https://contoso.com/", **said)
                self.assertEqual(outcome, "block", (question, reason))
        # Nor does it take the file over: only new content has another owner.
        for account in ("", PERSONAL, SECOND):
            self.assertEqual(self.refused(self.set_owner(home, account, label=label), "OwnerStays"), {"account": WORK})
            self.assertEqual(self.refused(self.set_owner(home, account, label="00"), "OwnerStays"), {"account": ""})
        records = self.records_of("unlabelled")
        self.assertEqual([record["refusal"] for record in records], ["OwnerStays"] * 6)
        self.assertTrue(all(record["uid"] == ALICE and record["app"] == APP for record in records))

    def test_many_questions_at_once_read_the_label_as_one_does(self) -> None:
        label = self.created(self.working(ALICE))["label"]
        home = self.working(ALICE, PERSONAL)
        events = [{"kind": "open", "event": {"owner": "", **more}} for more in ({}, {"label": label}, {"label": "00"})]
        decisions = self.answered(home.call(f"{GUARD}.DecideMany", questions=events))["decisions"]
        self.assertEqual([decision["outcome"] for decision in decisions], ["allow", "block", "block"])
        for more, outcome in (({}, "allow"), ({"label": label}, "block"), ({"label": "00"}, "block")):
            hints = self.answered(home.call(f"{GUARD}.DecideLocations", kind="open", event=more))["locations"]
            self.assertEqual({hint["outcome"] for hint in hints}, {outcome}, more)


class Borrowed(LabelCase):
    def test_the_label_of_another_person_is_managed_and_nobodys(self) -> None:
        alice, bob = self.working(ALICE), self.working(BOB)
        hers, his = self.created(alice)["label"], self.created(bob)["label"]
        for link, own, other in ((alice, hers, his), (bob, his, hers)):
            self.assertEqual(self.standing(link, label=own), "mine")
            self.assertEqual(self.standing(link, label=other), "unknown")
            self.assertEqual(self.asked(link, "Receive", label=other, owner=WORK), ("block", "unknownAccount"))
        # Halves of both.
        for border in range(2, 2 * LENGTH, 2):
            mixed = hers[:border] + his[border:]
            expected = "mine" if mixed == hers else "unknown"
            self.assertEqual(self.standing(alice, label=mixed), expected)
        # No parameter names a person.
        reply = alice.call(f"{ACCOUNTS}.FileCreated", person=BOB)
        self.assertEqual(reply.get("error"), "org.varlink.service.InvalidParameter")

    def test_the_label_of_another_machine_is_managed_and_nobodys(self) -> None:
        link = self.working(ALICE)
        label = self.created(link)["label"]
        self.daemon.stop()
        # A machine with the same id has another secret; the keys of the first are of no use there.
        shutil.rmtree(self.state / "keys")
        for name in ("keys.secret", "keys.register"):
            (self.state / name).unlink()
        self.begin()
        again = self.working(ALICE)
        self.assertEqual(self.standing(again, label=label), "unknown")
        self.assertEqual(self.standing(again, label=self.created(again)["label"]), "mine")

    def test_a_label_tells_no_program_anothers_account(self) -> None:
        """A second account of the person: its label is managed, and passes to the first no more than its data."""
        second = self.created(self.working(ALICE, SECOND))["label"]
        link = self.working(ALICE)
        self.assertEqual(self.read_label(link, label=second), {"standing": "managed", "owner": SECOND, "mustEncrypt": True})
        self.assertEqual(self.asked(link, "Receive", label=second), ("block", "wrongAccount"))
        self.assertEqual(self.asked(link, "Receive", label=second, owner=WORK), ("block", "wrongAccount"))


class LabelledDocuments(LabelCase):
    def test_a_document_with_an_owner_is_judged_as_one_out_of_its_owners_place(self) -> None:
        """Ledger OL-10: wherever it lies, and whatever place and account the app names instead."""
        labels = {name: self.created(self.working(ALICE, name))["label"] for name in (WORK, SECOND)}
        elsewhere = ({}, {"location": "other"}, {"location": "accountDocument"}, {"location": "box", "locationAccount": PERSONAL})
        for shown, account, expected in (
            (WORK, WORK, ("allow", "transferAllowed")),
            (WORK, SECOND, ("block", "wrongAccount")),
            (PERSONAL, WORK, ("block", "outgoingRestricted")),
            (PERSONAL, SECOND, ("block", "outgoingRestricted")),
        ):
            link = self.working(ALICE, shown)
            self.assertEqual(self.asked(link, "Open", location="accountDocument", locationAccount=account), expected)
            for place in elsewhere:
                for said in ({}, {"owner": ""}, {"owner": PERSONAL}):
                    self.assertEqual(self.asked(link, "Open", label=labels[account], **place, **said), expected, (shown, place))
                self.assertEqual(self.asked(link, "Open", label="00", **place), ("block", "unknownAccount"))
                # A document of nobody's opens.
                self.assertEqual(self.asked(link, "Open", **place)[0], "allow")


class Lasting(LabelCase):
    def test_labels_last_through_kills_and_wipes(self) -> None:
        link = self.working(ALICE)
        label = self.created(link)["label"]
        for _ in range(3):
            self.boot()
            link = self.working(ALICE)
            self.assertEqual(self.standing(link, label=label), "mine")
        self.written(link)
        request = self.begun(ALICE)
        self.destroyed()
        home = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(home.call(f"{GUARD}.Attach", app=NOTES))
        for _ in range(2):
            # Its keys are gone, and its data still leaves for nobody.
            self.assertIn(self.standing(home, label=label), ("managed", "unknown"))
            self.assertEqual(self.asked(home, "Share", label=label, owner="")[0], "block")
            self.boot()
            home = self.person(ALICE).link(self.daemon.guard_socket)
            self.answered(home.call(f"{GUARD}.Attach", app=NOTES))
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        again = self.working(ALICE)
        self.assertEqual(self.standing(again, label=label), "mine", "the account came back, and its old files are its own")
        self.assertEqual(self.asked(again, "Receive", label=label)[0], "allow")

    def test_a_state_directory_out_of_a_backup_reads_what_came_after_it(self) -> None:
        link = self.working(ALICE)
        early = self.created(link)["label"]
        self.daemon.stop(signal.SIGKILL)
        shutil.copytree(self.state, self.daemon.directory / "backup", symlinks=True)
        self.begin()
        link = self.working(ALICE)
        self.written(link)
        late = self.created(link)["label"]
        self.assertNotEqual(early, late, "the later one names a key")
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(self.state)
        (self.daemon.directory / "backup").rename(self.state)
        self.begin()
        link = self.working(ALICE)
        for label in (early, late):
            self.assertEqual(self.standing(link, label=label), "mine")

    def test_where_no_key_can_be_used_labels_are_strict_and_none_is_made(self) -> None:
        link = self.working(ALICE)
        label = self.created(link)["label"]
        self.daemon.stop()
        (self.state / "keys.secret").chmod(0o644)
        self.begin()
        link = self.working(ALICE)
        self.refused(link.call(f"{ACCOUNTS}.FileCreated"), "KeysUnavailable")
        self.assertEqual(self.standing(link, label=label), "unknown")
        self.assertEqual(self.asked(link, "Receive", label=label), ("block", "unknownAccount"))
        self.assertEqual(self.standing(link), "unmanaged")
        (self.state / "keys.secret").chmod(0o600)
        self.wait(120)
        self.assertEqual(self.standing(link, label=label), "mine")

    def test_an_account_that_left_the_policy_is_a_managed_owner_that_nobody_can_name(self) -> None:
        label = self.created(self.working(ALICE, SECOND))["label"]
        line = "  - { upn: second@contoso.com, protection: contoso-standard }\n"
        for change in ("", line.replace(", protection: contoso-standard", "")):
            organisation = ORGANISATION.replace(line, change)
            self.assertNotEqual(organisation, ORGANISATION)
            self.reload(Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=organisation))
            link = self.app(ALICE)
            self.assertEqual(self.standing(link, label=label), "unknown")
            self.assertEqual(self.asked(link, "Share", label=label, owner="")[0], "block")


    def test_a_name_that_became_anothers_makes_its_owner_one_that_nobody_can_name(self) -> None:
        label = self.created(self.working(ALICE))["label"]
        number = ", objectId: 6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11"
        second = "{ upn: second@contoso.com"
        organisation = ORGANISATION.replace(number, "").replace(second, second + number)
        self.assertIn(second + number, organisation)
        self.reload(Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=organisation))
        # The running daemon goes on to take both names for one account.
        self.boot()
        for account in (WORK, SECOND):
            link = self.working(ALICE, account)
            self.assertEqual(self.standing(link, label=label), "unknown")
            self.assertEqual(self.asked(link, "Receive", label=label), ("block", "unknownAccount"))


class Made(LabelCase):
    def test_a_file_is_of_the_identity_of_files_and_truncated_of_the_next(self) -> None:
        """Scenario FO-CREATE: append changes nothing, since nobody is asked."""
        link = self.working(ALICE)
        answer = self.created(link)
        self.assertEqual((answer["standing"], answer["owner"], answer["mustSeal"]), ("mine", WORK, False))
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=PERSONAL))
        self.assertEqual(self.read_label(link, label=answer["label"])["owner"], WORK)
        truncated = self.created(link)
        self.assertEqual(truncated, {"standing": "unmanaged", "mustEncrypt": False, "mustSeal": False})
        # A window has no say in it; a scope has.
        self.answered(link.call(f"{GUARD}.SetIdentity", level="window", window="w", account=WORK))
        self.assertEqual(self.created(link)["standing"], "unmanaged")
        self.answered(link.call(f"{GUARD}.SetIdentity", level="scope", account=WORK))
        self.assertEqual(self.created(link)["owner"], WORK)

    def test_a_directory_hands_its_owner_on(self) -> None:
        above = self.created(self.working(ALICE, SECOND))["label"]
        home = self.working(ALICE, PERSONAL)
        self.assertEqual(self.created(home, directory=above)["owner"], SECOND)
        self.assertEqual(self.created(self.working(ALICE), directory=above)["owner"], WORK)
        for broken in ("", "00", above[:-2] + f"{int(above[-2:], 16) ^ 1:02x}"):
            answer = self.created(home, directory=broken)
            self.assertEqual((answer["standing"], answer.get("label", "")), ("unknown", broken))

    def test_each_label_that_is_given_is_a_record(self) -> None:
        link = self.working(ALICE)
        for _ in range(3):
            self.created(link)
        self.answered(self.set_owner(link, WORK))
        self.created(link, store="table", file=FACTS)
        # Nobody got one here.
        self.answered(self.set_owner(link, PERSONAL))
        self.created(link, store="none")
        self.read_label(link, label="00")
        self.assertEqual(len(self.labelled), 5)
        for record in self.labelled:
            self.assertEqual((record["app"], record["uid"], record["person"]), (APP, ALICE, ALICE))
            self.assertNotIn(WORK, str(record), "accounts have pseudonyms")

    def test_the_same_owner_again_is_no_further_record(self) -> None:
        link = self.working(ALICE)
        label = self.answered(self.set_owner(link, WORK))["label"]
        self.answered(self.set_owner(link, WORK, store="table", file=FACTS))
        self.assertEqual(len(self.labelled), 2)
        for _ in range(300):
            self.assertEqual(self.answered(self.set_owner(link, WORK.upper(), label=label))["label"], label)
            self.assertNotIn("label", self.answered(self.set_owner(link, WORK, store="table", file=FACTS)))
        self.assertEqual(len(self.labelled), 2)
        # Whatever is not there yet is given, and is a record: a label without one, one for the table, one of a newer key.
        self.answered(self.set_owner(link, WORK))
        self.answered(self.set_owner(link, WORK, label=label, store="table", file=FACTS + "1"))
        self.answered(self.set_owner(link, WORK, file=FACTS))
        self.assertEqual(len(self.labelled), 5)
        self.written(link)
        newer = self.answered(self.set_owner(link, WORK, label=label))["label"]
        self.assertNotEqual(newer, label)
        self.assertEqual(self.answered(self.set_owner(link, WORK, label=newer))["label"], newer)
        self.assertEqual(len(self.labelled), 6)
        # Nor does it take a file from anybody.
        self.refused(self.set_owner(link, SECOND, label=label), "OwnerStays")
        self.refused(self.set_owner(self.working(BOB), WORK, label=label), "OwnerStays")

    def test_who_is_not_attached_gets_none(self) -> None:
        link = self.person(ALICE).link(self.daemon.guard_socket)
        for reply in (link.call(f"{ACCOUNTS}.FileCreated"), link.call(f"{ACCOUNTS}.ReadLabel"), self.set_owner(link, WORK)):
            self.refused(reply, "NotAttached")


class Table(LabelCase):
    """File systems that keep no label."""

    def test_the_table_knows_a_file_again_also_after_kills(self) -> None:
        link = self.working(ALICE)
        answer = self.created(link, store="table", file=FACTS)
        self.assertEqual((answer["owner"], answer["mustSeal"], "label" in answer), (WORK, False, False))
        for _ in range(3):
            self.assertEqual(self.standing(link, file=FACTS), "mine")
            self.assertEqual(self.asked(link, "Receive", file=FACTS)[0], "allow")
            self.assertEqual(self.standing(link, file=FACTS + "2"), "unmanaged")
            self.boot()
            link = self.working(ALICE)
        self.assertEqual(self.asked(self.working(ALICE, PERSONAL), "Share", file=FACTS, owner="")[0], "block")

    def test_facts_that_a_program_invents_make_no_file_of_others_stricter(self) -> None:
        self.created(self.working(ALICE), store="table", file=FACTS)
        bob = self.working(BOB, PERSONAL)
        self.assertEqual(self.standing(bob, file=FACTS), "unmanaged")
        self.assertEqual(self.asked(bob, "Open", file=FACTS)[0], "allow")

    def test_no_lie_takes_an_entry_away(self) -> None:
        self.created(self.working(ALICE), store="table", file=FACTS)
        home = self.working(ALICE, PERSONAL)
        self.assertEqual(self.created(home, store="table", file=FACTS)["owner"], WORK)
        for account in ("", PERSONAL, SECOND):
            self.refused(self.set_owner(home, account, store="table", file=FACTS), "OwnerStays")
        self.assertEqual(self.standing(home, file=FACTS), "managed")
        # Nor does another account of the organisation take it, not even through a directory of its own.
        second = self.working(ALICE, SECOND)
        above = self.created(second)["label"]
        reply = second.call(f"{ACCOUNTS}.FileCreated", store="table", file=FACTS)
        self.assertEqual(self.refused(reply, "OwnerStays"), {"account": WORK})
        self.assertEqual(self.created(home, store="table", file=FACTS, directory=above)["owner"], WORK)
        self.boot()
        self.assertEqual(self.standing(self.working(ALICE), file=FACTS), "mine")

    def test_a_power_cut_takes_no_entry(self) -> None:
        """The disk has the file of the state, and nothing of what was not yet written into it."""
        self.created(self.working(ALICE), store="table", file=FACTS)
        self.daemon.stop(signal.SIGKILL)
        lost = list(self.state.glob("*-wal"))
        self.assertTrue(lost, "the state is written through another file")
        for path in lost:
            path.unlink()
        self.begin()
        self.assertEqual(self.standing(self.working(ALICE), file=FACTS), "mine")

    def test_a_label_and_an_entry_of_two_accounts_are_nobodys_alone(self) -> None:
        label = self.created(self.working(ALICE))["label"]
        self.created(self.working(ALICE, SECOND), store="table", file=FACTS)
        link = self.working(ALICE)
        self.assertEqual(self.standing(link, label=label), "mine")
        both = self.read_label(link, label=label, file=FACTS)
        self.assertEqual((both["standing"], both["owner"]), ("managed", WORK))
        self.refused(self.set_owner(link, WORK, label=label, file=FACTS), "OwnerStays")

    def test_without_attributes_and_facts_the_app_seals(self) -> None:
        link = self.working(ALICE)
        self.assertTrue(self.created(link, store="none")["mustSeal"])
        self.assertTrue(self.answered(self.set_owner(link, WORK, store="none"))["mustSeal"])
        self.assertFalse(self.created(self.working(ALICE, PERSONAL), store="none")["mustSeal"])
        for said in ({}, {"file": ""}):
            reply = link.call(f"{ACCOUNTS}.FileCreated", store="table", **said)
            self.assertEqual(reply.get("error"), "org.varlink.service.InvalidParameter")
        # Facts of another length than any file has.
        self.assertEqual(self.standing(link, file="f" * 257), "unknown")


class Origin(LabelCase):
    # A program without a viewer is judged by all rules of its app.
    configuration = Configuration(
        SEVERAL.replace("    managedAccounts: several\n", "    managedAccounts: several\n    classes: { documents: { externalURLs: contoso } }\n"),
        settings="graceSeconds: 1\n",
    )

    def test_the_origin_of_a_file_from_before_says_whose_it_is(self) -> None:
        link, home = self.working(ALICE), self.working(ALICE, PERSONAL)
        inside, outside = "https://contoso.com/report.pdf", "https://example.net/report.pdf"
        self.assertEqual(self.standing(link, origin=inside), "mine")
        self.assertEqual(self.standing(home, origin=inside), "unknown")
        self.assertEqual(self.asked(home, "Share", origin=inside, owner="")[0], "block")
        for other in (outside, "", "no url", "file:///etc/passwd"):
            self.assertEqual(self.standing(home, origin=other), "unmanaged", other)
        # It raises, and lowers nothing.
        label = self.created(link)["label"]
        self.assertEqual(self.standing(home, label=label, origin=outside), "managed")
