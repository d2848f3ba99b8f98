"""Keys of sealed data that somebody wants who must not have them, or wants back after a wipe. Everything goes through the
daemon's socket; the envelopes are those of the client in Python."""

import secrets
import shutil
import signal
import sqlite3
import sys
from pathlib import Path
from typing import Any

from attack_case import APP, Link
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from daemon import ROOT, eventually
from test_wipes import ALICE, BOB, DELAY, HOUR, NOTES, POLICY, WipeCase
from wire import ACCOUNTS, GUARD

sys.path.append(str(ROOT / "clients/python/src"))

from webviewguard.errors import SealingError  # noqa: E402
from webviewguard.sealing import DataKey, KeyRequest, ProtectionInfo, Sealing, protection_info  # noqa: E402

SECOND = "second@contoso.com"
TEXT = b"the organisation's figures"
# Takes any account of the domain.
PATTERN = ORGANISATION.replace("  contoso-standard:\n", '  contoso-standard:\n    accounts: ["*@contoso.com"]\n')
SEVERAL = POLICY.replace("    identityMode: multi\n", "    identityMode: multi\n    managedAccounts: several\n")


def object_id() -> str:
    return secrets.token_hex(32)


class KeyCase(WipeCase):
    configuration = Configuration(SEVERAL, settings="graceSeconds: 1\n")

    # People

    def app(self, uid: int, app: str = APP, *accounts: str) -> Link:
        """An app of a person that registered accounts, WORK when none is named."""
        link = self.person(uid).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=app))
        for account in accounts or (WORK,):
            self.answered(link.call(f"{ACCOUNTS}.Register", account=account))
        return link

    @staticmethod
    def key(link: Link, account: str, use: str, item: str, key_id: str | None = None) -> dict[str, Any]:
        more = {} if key_id is None else {"keyId": key_id}
        return link.call(f"{ACCOUNTS}.DataKey", account=account, use=use, object=item, **more)

    def written(self, link: Link, account: str = WORK) -> dict[str, str]:
        """The answer to write a new object, with its id."""
        item = object_id()
        return {"object": item, **self.answered(self.key(link, account, "write", item))}

    # Fewer calls than wait on one connection.
    AT_ONCE = 200

    def many(self, link: Link) -> list[dict[str, Any]]:
        """The replies to many calls at once, each for a new object."""
        head = f'{{"method":"{ACCOUNTS}.DataKey","parameters":{{"account":"{WORK}","use":"write","object":"'
        link.send("".join(f'{head}{object_id()}"}}}}\0' for _ in range(self.AT_ONCE)))
        return [link.reply() for _ in range(self.AT_ONCE)]

    def read(self, link: Link, key: dict[str, str], **changed: str) -> dict[str, Any]:
        """The reply to a program that has the object's header."""
        wanted = {**key, **changed}
        return self.key(link, wanted["accountId"], "read", wanted["object"], wanted["keyId"])

    def sealing(self, link: Link) -> Sealing:
        def ask(request: KeyRequest) -> DataKey | None:
            reply = self.key(link, request.account, request.use, request.object_id, request.key_id)
            if "error" in reply:
                raise SealingError(102 if request.use == "write" else 103, "noKey", reply["error"])
            answer = reply["parameters"]
            return DataKey(bytes.fromhex(answer["key"]), answer["keyId"], answer["accountId"])

        return Sealing(ask)

    def info(self, envelope: bytes) -> ProtectionInfo:
        found = protection_info(envelope)
        assert found
        return found

    def opens_not(self, link: Link, envelope: bytes, error: str) -> None:
        with self.assertRaises(SealingError) as caught:
            self.sealing(link).unprotect(envelope)
        self.assertIn(error, str(caught.exception))

    # The daemon's files

    @property
    def state(self) -> Path:
        return self.daemon.directory / "state"

    def key_files(self) -> list[str]:
        return sorted(str(file.relative_to(self.state)) for file in self.state.glob("keys/**/*.key"))

    def records_of(self, act: str) -> list[dict[str, Any]]:
        return [record for record in self.daemon.settled_records("key") if record["act"] == act]

    def destroyed(self, times: int = 1) -> None:
        eventually(lambda: len(self.records_of("destroyed")) >= times, "the keys are destroyed")

    def problems(self) -> set[str]:
        return {problem["code"] for problem in self.admin("Health")["problems"]}

    def boot(self) -> None:
        """The daemon is killed and starts anew."""
        self.daemon.stop(signal.SIGKILL)
        self.begin()


class WhoGetsKeys(KeyCase):
    def test_both_apps_of_a_person_open_what_either_sealed_also_after_a_kill(self) -> None:
        portal, notes = self.app(ALICE), self.app(ALICE, NOTES)
        envelope = self.sealing(portal).protect(TEXT, WORK)
        self.assertNotIn(TEXT, envelope)
        self.assertEqual(self.sealing(notes).unprotect(envelope), TEXT)
        for _ in range(2):
            self.boot()
            for app in (APP, NOTES):
                link = self.app(ALICE, app)
                self.assertEqual(self.sealing(link).unprotect(envelope), TEXT)
                self.assertEqual(self.info(self.sealing(link).protect(TEXT, WORK)).key_id, self.info(envelope).key_id)

    def test_a_name_in_any_case_or_the_object_id_is_the_same_account(self) -> None:
        link = self.app(ALICE)
        keys = [self.written(link, name) for name in (WORK, WORK.upper(), "6D5C2F7E-8d1c-4f0a-9b52-3c1f0e7a4d11")]
        self.assertEqual(len({key["accountId"] for key in keys}), 1)
        self.assertEqual(keys[0]["accountId"], "2bb54003f51bb9c73f499e5146dc639c")
        self.assertEqual(len({key["keyId"] for key in keys}), 1)
        for key in keys:
            self.assertEqual(self.answered(self.read(link, key))["key"], key["key"])
            self.assertEqual(self.answered(self.read(link, key, accountId=WORK))["key"], key["key"])

    def test_the_file_of_another_person_does_not_open(self) -> None:
        alice, bob = self.app(ALICE), self.app(BOB)
        envelope = self.sealing(alice).protect(TEXT, WORK)
        self.opens_not(bob, envelope, "UnknownKey")
        own = self.sealing(bob).protect(TEXT, WORK)
        self.assertEqual(self.info(own).account_id, self.info(envelope).account_id, "the account is one")
        self.assertNotEqual(self.info(own).key_id, self.info(envelope).key_id, "the keys are two")
        self.opens_not(alice, own, "UnknownKey")
        # No parameter names a person.
        reply = bob.call(f"{ACCOUNTS}.DataKey", account=WORK, use="write", object=object_id(), person=ALICE)
        self.assertEqual(reply.get("error"), "org.varlink.service.InvalidParameter")
        self.boot()
        self.opens_not(self.app(BOB), envelope, "UnknownKey")
        self.assertEqual(self.sealing(self.app(ALICE)).unprotect(envelope), TEXT)

    def test_a_header_that_names_another_account_opens_nothing(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        work, second = self.written(link), self.written(link, SECOND)
        self.assertNotEqual(work["accountId"], second["accountId"])
        self.refused(self.read(link, work, accountId=second["accountId"]), "UnknownKey")
        self.refused(self.read(link, work, accountId=SECOND), "UnknownKey")
        self.refused(self.read(link, work, accountId="ab" * 16), "UnknownAccount")
        self.refused(self.read(link, work, keyId="ab" * 16), "UnknownKey")
        # Another object's key is another key.
        self.assertNotEqual(self.answered(self.read(link, work, object=object_id()))["key"], work["key"])

    def test_the_forged_header_of_an_envelope_is_damage(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        sealing = self.sealing(link)
        work, second = sealing.protect(TEXT, WORK), sealing.protect(TEXT, SECOND)
        for forged in (work[:16] + second[16:48] + work[48:], second[:48] + work[48:]):
            with self.assertRaises(SealingError) as caught:
                sealing.unprotect(forged)
            self.assertEqual((caught.exception.code, caught.exception.reason), (103, "damaged"))

    def test_private_data_is_nobodys_business(self) -> None:
        link = self.app(ALICE)
        for name in (PERSONAL, "someone@elsewhere.example"):
            self.assertEqual(self.refused(self.key(link, name, "write", object_id()), "NotManaged"), {"account": name})
        self.refused(self.key(link, "stranger@contoso.com", "write", object_id()), "UnknownAccount")
        self.assertEqual(self.daemon.settled_records("key"), [])
        self.assertEqual(self.key_files(), [])

    def test_who_is_not_attached_gets_nothing(self) -> None:
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.refused(self.key(link, WORK, "write", object_id()), "NotAttached")

    def test_ids_have_one_spelling(self) -> None:
        link = self.app(ALICE)
        item, key = object_id(), "ab" * 16
        wrong: list[tuple[str, str, str, str | None]] = [
            ("object", "write", item[:-2], None), ("object", "write", item.upper(), None), ("object", "read", "", key),
            ("object", "write", item[:-1] + "g", None), ("object", "write", item + "00", None),
            ("keyId", "read", item, None), ("keyId", "read", item, key.upper()), ("keyId", "read", item, "ab" * 15),
            ("keyId", "write", item, key),
        ]  # fmt: skip
        for parameter, use, given, key_id in wrong:
            reply = self.key(link, WORK, use, given, key_id)
            self.assertEqual(reply.get("error"), "org.varlink.service.InvalidParameter", (parameter, given))
            self.assertEqual(reply["parameters"], {"parameter": parameter})


class WhoMayWork(KeyCase):
    def test_a_blocked_account_gets_no_key_and_the_reason_of_a_decision(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        key = self.written(link)
        states = {"blocked": "accountBlocked", "nonCompliant": "accountNotCompliant"}
        for state, reason in states.items():
            organisation = ORGANISATION.replace("contoso-standard }\n  - { upn: second", f"contoso-standard, state: {state} }}\n  - {{ upn: second", 1)
            self.assertNotEqual(organisation, ORGANISATION)
            self.reload(Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=organisation))
            for reply in (self.key(link, WORK, "write", object_id()), self.read(link, key)):
                self.assertEqual(self.refused(reply, "KeyWithheld"), {"account": WORK, "reason": reason})
            link.call(f"{GUARD}.SetIdentity", level="process", account=WORK)
            decision = self.answered(link.call(f"{GUARD}.Print", event={}))["decision"]
            self.assertEqual(decision["reason"], reason, "a decision says the same")
            # The other account works on.
            self.written(link, SECOND)
            last = self.records_of("withheld")[-1]
            self.assertEqual((last["reason"], last["app"], last["uid"]), (reason, APP, ALICE))
        self.reload(self.configuration)
        self.assertEqual(self.answered(self.read(link, key))["key"], key["key"])

    def test_an_account_that_nobody_signed_in_gets_no_key(self) -> None:
        key = self.written(self.app(ALICE))
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=NOTES))
        for reply in (self.key(link, WORK, "write", object_id()), self.read(link, key)):
            self.assertEqual(self.refused(reply, "KeyWithheld"), {"account": WORK, "reason": "policyRequired"})

    def test_an_app_that_ended_its_access_gets_no_key(self) -> None:
        link, notes = self.app(ALICE), self.app(ALICE, NOTES)
        key = self.written(link)
        self.answered(link.call(f"{ACCOUNTS}.Deregister", account=WORK))
        self.assertEqual(self.refused(self.read(link, key), "KeyWithheld")["reason"], "policyRequired")
        self.assertEqual(self.answered(self.read(notes, key))["key"], key["key"])
        self.boot()
        again = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(again.call(f"{GUARD}.Attach", app=APP))
        self.assertEqual(self.refused(self.read(again, key), "KeyWithheld")["reason"], "policyRequired")


class Wiped(KeyCase):
    def gone(self, key: dict[str, str], link: Link) -> None:
        self.refused(self.read(link, key), "KeyDestroyed")

    def test_from_the_lock_on_there_is_no_key_and_a_restore_brings_it_back(self) -> None:
        link = self.app(ALICE)
        key = self.written(link)
        self.wiped(ALICE)
        for _ in range(2):
            for reply in (self.key(link, WORK, "write", object_id()), self.read(link, key)):
                self.assertEqual(self.refused(reply, "KeyWithheld"), {"account": WORK, "reason": "accountBlocked"})
            self.boot()
            link = self.person(ALICE).link(self.daemon.guard_socket)
            self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.admin("RestoreAccount", account=WORK, uid=ALICE, reason="a mistake")
        self.answered(link.call(f"{ACCOUNTS}.Register", account=WORK))
        self.assertEqual(self.answered(self.read(link, key))["key"], key["key"])
        self.assertEqual(self.records_of("destroyed"), [])

    def test_no_copy_of_a_sealed_file_opens_after_a_wipe(self) -> None:
        alice, bob = self.app(ALICE, APP, WORK, SECOND), self.app(BOB)
        envelope, other, bobs = (
            self.sealing(alice).protect(TEXT, WORK), self.sealing(alice).protect(TEXT, SECOND), self.sealing(bob).protect(TEXT, WORK)
        )  # fmt: skip
        before = {file: (self.state / file).read_bytes() for file in self.key_files()}
        request = self.begun(ALICE)
        self.destroyed()
        self.assertEqual(self.refused(self.key(alice, WORK, "write", object_id()), "KeyWithheld")["reason"], "accountWiped")
        self.opens_not(alice, envelope, "KeyWithheld")
        self.answered(alice.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        again = self.app(ALICE)
        for _ in range(2):
            self.opens_not(again, envelope, "KeyDestroyed")
            new = self.sealing(again).protect(TEXT, WORK)
            self.assertNotEqual(self.info(new).key_id, self.info(envelope).key_id)
            self.boot()
            again = self.app(ALICE, APP, WORK, SECOND)
            self.assertEqual(self.sealing(again).unprotect(new), TEXT)
        # Nothing of others is lost.
        self.assertEqual(self.sealing(again).unprotect(other), TEXT)
        self.assertEqual(self.sealing(self.app(BOB)).unprotect(bobs), TEXT)
        # No file holds what the old ones did.
        now = b"".join(file.read_bytes() for file in self.state.rglob("*") if file.is_file())
        for content in before.values():
            self.assertNotIn(content[-48:], now)

    def test_a_daemon_killed_at_the_destruction_goes_on_with_it(self) -> None:
        """The wipe is on the disk, the keys are not gone, and the daemon is killed: each of its next starts owes it."""
        link = self.app(ALICE)
        key = self.written(link)
        self.wiped(ALICE, now=True)
        self.daemon.stop(signal.SIGKILL)
        # The destruction fails as long as this directory is in the way of the next epoch's.
        self.obstruct()
        self.begin()
        self.wait(HOUR)
        self.assertEqual(self.phases(), ["asking"])
        eventually(lambda: "keysNotDestroyed" in self.problems(), "it says that keys are left")
        self.assertEqual(self.records_of("destroyed"), [])
        for _ in range(2):
            self.boot()
            again = self.person(ALICE).link(self.daemon.guard_socket)
            self.answered(again.call(f"{GUARD}.Attach", app=APP))
            self.assertEqual(self.refused(self.read(again, key), "KeyWithheld")["reason"], "accountWiped")
            self.assertEqual(self.records_of("destroyed"), [])
        # The apps are done, and still the keys are owed: neither old nor new ones are given.
        [wipe] = self.admin("Wipes")["wipes"]
        self.answered(again.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="done"))
        again = self.app(ALICE)
        self.assertEqual(self.refused(self.key(again, WORK, "write", object_id()), "KeyWithheld")["reason"], "accountWiped")
        self.clear()
        self.wait(120)
        self.destroyed()
        self.assertNotIn("keysNotDestroyed", self.problems())
        self.gone(key, again)
        self.written(again)
        # It is done once: what came since stays.
        kept = self.written(again)
        self.boot()
        self.wait(120)
        self.assertEqual(self.answered(self.read(self.app(ALICE), kept))["key"], kept["key"])
        self.assertEqual(len(self.records_of("destroyed")), 1)

    def obstruct(self) -> None:
        (self.state / "keys/epoch-2.new").mkdir(mode=0o700)
        (self.state / "keys/epoch-2.new/in-the-way").mkdir(mode=0o700)

    def clear(self) -> None:
        shutil.rmtree(self.state / "keys/epoch-2.new", ignore_errors=True)

    def test_the_wipe_of_one_app_leaves_the_keys_of_the_others(self) -> None:
        portal, notes = self.app(ALICE), self.app(ALICE, NOTES)
        sealed = {"portal": self.written(portal), "notes": self.written(notes)}
        # The other app leaves, and its data stays the organisation's.
        self.answered(portal.call(f"{ACCOUNTS}.Deregister", account=WORK, data="keep"))
        self.answered(notes.call(f"{ACCOUNTS}.Deregister", account=WORK, data="remove"))
        self.wait(DELAY + HOUR)
        [wipe] = self.admin("Wipes")["wipes"]
        self.assertEqual([part["app"] for part in wipe["apps"]], [NOTES])
        self.assertEqual(self.refused(self.read(notes, sealed["notes"]), "KeyWithheld")["reason"], "accountWiped")
        self.answered(notes.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="done"))
        for _ in range(2):
            self.boot()
            portal = self.app(ALICE)
            for key in sealed.values():
                self.assertEqual(self.answered(self.read(portal, key))["key"], key["key"])
        self.assertEqual(self.records_of("destroyed"), [])
        # The last app that used them takes them along.
        self.answered(portal.call(f"{ACCOUNTS}.Deregister", account=WORK, data="remove"))
        self.wait(DELAY + HOUR)
        self.destroyed()

    def test_an_administrators_wipe_of_one_app_leaves_the_keys_of_the_others(self) -> None:
        portal, notes = self.app(ALICE), self.app(ALICE, NOTES)
        key = self.written(portal)
        self.wiped(ALICE, now=True, app=NOTES)
        self.wait(HOUR)
        self.assertEqual(self.phases(), ["asking"])
        self.assertEqual(self.refused(self.read(notes, key), "KeyWithheld")["reason"], "accountWiped")
        self.assertEqual(self.answered(self.read(portal, key))["key"], key["key"])
        self.boot()
        self.assertEqual(self.answered(self.read(self.app(ALICE), key))["key"], key["key"])
        self.assertEqual(self.records_of("destroyed"), [])

    # Backups

    def test_the_directory_of_keys_from_a_backup_revives_nothing(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        envelope, other = self.sealing(link).protect(TEXT, WORK), self.sealing(link).protect(TEXT, SECOND)
        backup = self.daemon.directory / "backup"
        shutil.copytree(self.state / "keys", backup)
        request = self.begun(ALICE)
        self.destroyed()
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        self.daemon.stop(signal.SIGKILL)
        now = self.daemon.directory / "now"
        shutil.copytree(self.state / "keys", now)
        for mixed in (False, True):
            # The old directory in the place of the new one, and beside what is there.
            if not mixed:
                shutil.rmtree(self.state / "keys")
            shutil.copytree(backup, self.state / "keys", dirs_exist_ok=True)
            self.begin()
            again = self.app(ALICE, APP, WORK, SECOND)
            if mixed:
                self.opens_not(again, envelope, "KeyDestroyed")
                self.assertEqual(self.sealing(again).unprotect(other), TEXT)
            else:
                eventually(lambda: "keysUnusable" in self.problems(), "it says that the keys are old")
                self.opens_not(again, envelope, "KeysUnavailable")
                # Everything else goes on.
                self.assertEqual(self.answered(again.call(f"{ACCOUNTS}.List"))["accounts"][0]["state"], "enrolled")
            self.daemon.stop(signal.SIGKILL)
            shutil.rmtree(self.state / "keys")
            shutil.copytree(now, self.state / "keys")
        self.begin()
        again = self.app(ALICE, APP, WORK, SECOND)
        self.assertEqual(self.sealing(again).unprotect(other), TEXT)
        self.opens_not(again, envelope, "KeyDestroyed")

    def test_an_old_order_of_destruction_in_the_state_file_destroys_nothing(self) -> None:
        link = self.app(ALICE)
        key = self.written(link)
        self.daemon.stop(signal.SIGKILL)
        with sqlite3.connect(self.state / "state.db") as database:
            rows = dict(database.execute("SELECT name, value FROM mark"))
            [held] = [name for name in rows if name.startswith("key.")]
            order = held.replace("key.", "keyDestruction.")
            database.execute("INSERT INTO mark VALUES (?, ?)", (order, "1000000000000"))
        database.close()
        self.begin()
        self.wait(120)
        self.assertEqual(self.answered(self.read(self.app(ALICE), key))["key"], key["key"])
        self.assertEqual(self.records_of("destroyed"), [])


class Files(KeyCase):
    def test_no_byte_of_a_key_is_in_any_file_but_its_own(self) -> None:
        """Neither a key that was given nor the secret stands in the log, the state, the journal or a reply to others."""
        link = self.app(ALICE)
        keys = [self.written(link) for _ in range(16)]
        for key in keys:
            self.answered(self.read(link, key))
        status, metrics = self.admin("Status"), self.admin("Metrics")
        self.daemon.stop()
        secret = (self.state / "keys.secret").read_bytes()
        own = {self.state / "keys.secret"}
        files = [file for file in self.daemon.directory.rglob("*") if file.is_file() and file not in own]
        self.assertTrue({file.name for file in files} >= {"state.db", "decisions.jsonl", "stderr", "keys.register"})
        everything = b"".join(file.read_bytes() for file in files) + repr((status, metrics)).encode()
        for text in [secret.hex(), *(key["key"] for key in keys)]:
            for part in (bytes.fromhex(text)[:16], bytes.fromhex(text)[16:], text[:16].encode(), text[32:48].upper().encode()):
                self.assertNotIn(part, everything)
        # Each issue is a record, with no more of the object than the beginning of its id.
        issued = self.records_of("issued")
        self.assertEqual([record["use"] for record in issued], ["write"] * 16 + ["read"] * 16)
        for record, key in zip(issued, keys + keys):
            self.assertEqual((record["keyId"], record["object"], record["person"]), (key["keyId"], key["object"][:16], ALICE))
            self.assertTrue(record["account"].startswith("acct:") and record["app"] == APP)
        self.assertNotIn(keys[0]["object"].encode(), everything)
        self.begin()

    def test_the_files_are_the_daemons_alone(self) -> None:
        self.written(self.app(ALICE))
        for entry in [*self.state.glob("keys*"), *self.state.glob("keys/**/*")]:
            self.assertEqual(entry.stat().st_mode & 0o077, 0, entry)
        # Files that others may read are not believed: no key, and everything else goes on.
        self.daemon.stop()
        (self.state / "keys.secret").chmod(0o644)
        self.begin()
        link = self.app(ALICE)
        self.refused(self.key(link, WORK, "write", object_id()), "KeysUnavailable")
        self.assertIn("keysUnusable", self.problems())
        self.assertTrue(self.daemon.tells("no key of sealed data can be used"))
        # Put right, it is noticed without a restart.
        (self.state / "keys.secret").chmod(0o600)
        self.wait(120)
        eventually(lambda: "keysUnusable" not in self.problems(), "the keys can be used again")
        self.written(link)

    def test_a_secret_that_is_gone_is_not_replaced(self) -> None:
        link = self.app(ALICE)
        key = self.written(link)
        self.daemon.stop()
        secret = self.state / "keys.secret"
        content = secret.read_bytes()
        for wrong in (None, b"", content[:-1], secrets.token_bytes(32), bytes(32)):
            secret.unlink(missing_ok=True)
            if wrong is not None:
                secret.write_bytes(wrong)
                secret.chmod(0o600)
            self.begin()
            self.refused(self.key(self.app(ALICE), WORK, "write", object_id()), "KeysUnavailable")
            self.daemon.stop()
            self.assertEqual(secret.read_bytes() if secret.exists() else None, wrong)
        secret.unlink()
        secret.write_bytes(content)
        secret.chmod(0o600)
        self.begin()
        self.assertEqual(self.answered(self.read(self.app(ALICE), key))["key"], key["key"])

    def test_the_credential_of_systemd_takes_the_place_of_the_file(self) -> None:
        self.daemon.stop()
        shutil.rmtree(self.state)
        credentials = self.daemon.directory / "credentials"
        credentials.mkdir(mode=0o700)
        credential = credentials / "webviewguard.account-keys"
        credential.write_bytes(secrets.token_bytes(48))
        self.daemon.environment["CREDENTIALS_DIRECTORY"] = str(credentials)
        self.begin()
        key = self.written(self.app(ALICE))
        self.assertFalse((self.state / "keys.secret").exists())
        self.boot()
        self.assertEqual(self.answered(self.read(self.app(ALICE), key))["key"], key["key"])
        # Without it the files are worth nothing, and no other secret is made.
        self.daemon.stop()
        credential.rename(credentials / "elsewhere")
        self.begin()
        self.refused(self.read(self.app(ALICE), key), "KeysUnavailable")
        self.assertFalse((self.state / "keys.secret").exists())

    def test_a_key_that_is_damaged_refuses_for_its_account_alone(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        work, second = self.written(link), self.written(link, SECOND)
        self.daemon.stop()
        [file] = self.state.glob(f"keys/*/{work['keyId']}.key")
        content = bytearray(file.read_bytes())
        content[-1] ^= 1
        file.write_bytes(content)
        self.begin()
        link = self.app(ALICE, APP, WORK, SECOND)
        for reply in (self.read(link, work), self.key(link, WORK, "write", object_id())):
            self.refused(reply, "KeysUnavailable")
        self.assertEqual(self.answered(self.read(link, second))["key"], second["key"])
        self.assertEqual(bytes(content), file.read_bytes(), "no new key takes its place")


class Shares(KeyCase):
    configuration = Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=PATTERN)

    def test_a_hundred_thousand_objects_are_no_more_than_one(self) -> None:
        link = self.app(ALICE)
        first = self.written(link)
        files = self.key_files()
        self.daemon.beat()
        before = self.state_size()
        resident = self.resident()
        count = 100_000
        for _ in range(count // self.AT_ONCE):
            self.assertEqual({self.answered(reply)["keyId"] for reply in self.many(link)}, {first["keyId"]})
        self.daemon.beat()
        self.assertEqual(self.key_files(), files)
        self.assertLess(self.state_size() - before, 1 << 20)
        self.assertLess(self.resident() - resident, 64 << 20)
        self.assertEqual(self.answered(self.read(link, first))["key"], first["key"])
        self.assertEqual(len(self.records_of("issued")), count + 2)

    def state_size(self) -> int:
        return sum(file.stat().st_size for file in self.state.rglob("*") if file.is_file() and "state.db" not in file.name)

    def resident(self) -> int:
        for line in Path(f"/proc/{self.daemon.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) << 10
        raise AssertionError("no VmRSS")

    def test_invented_accounts_do_not_take_the_room_of_others(self) -> None:
        most = 256
        # An app has so many accounts at most: more of them come one after the other.
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        given, refused = 0, []
        for number in range(most + 8):
            name = f"made{number}@contoso.com"
            self.answered(link.call(f"{ACCOUNTS}.Register", account=name))
            reply = self.key(link, name, "write", object_id())
            if "error" in reply:
                refused.append(self.refused(reply, "LimitReached"))
            else:
                given += 1
            self.answered(link.call(f"{ACCOUNTS}.Deregister", account=name))
        self.assertEqual(given, most)
        self.assertEqual(refused, [{"limit": "accounts", "maximum": most}] * 8)
        # Those that have a key go on, and so does everybody else.
        self.answered(link.call(f"{ACCOUNTS}.Register", account="made0@contoso.com"))
        self.written(link, "made0@contoso.com")
        self.written(self.app(BOB))
        self.boot()
        self.written(self.app(BOB))

    def test_an_account_that_only_a_pattern_takes_is_known_by_its_id_after_a_restart(self) -> None:
        """A header has no name: the daemon knows whose key it is before any program names the account."""
        policy = SEVERAL.replace("    accounts: { source: [app] }\n", "")
        self.reload(Configuration(policy, settings="graceSeconds: 1\n", organisation=PATTERN))
        name = "only.pattern@contoso.com"
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        key = self.written(link, name)
        for _ in range(2):
            self.boot()
            link = self.person(ALICE).link(self.daemon.guard_socket)
            self.answered(link.call(f"{GUARD}.Attach", app=APP))
            self.assertEqual(self.answered(self.read(link, key))["key"], key["key"])

    def test_a_upn_that_changed_leaves_old_data_readable(self) -> None:
        link = self.app(ALICE)
        key = self.written(link)
        renamed = ORGANISATION.replace("upn: work@contoso.com", "upn: renamed@contoso.com")
        self.reload(Configuration(SEVERAL, settings="graceSeconds: 1\n", organisation=renamed))
        for _ in range(2):
            self.boot()
            link = self.app(ALICE, APP, "renamed@contoso.com")
            self.assertEqual(self.answered(self.read(link, key))["key"], key["key"])
            self.assertNotEqual(self.written(link, "renamed@contoso.com")["accountId"], key["accountId"])
        # And a wipe of the account destroys what was sealed under either name.
        new = self.written(link, "renamed@contoso.com")
        wanted = {"account": "renamed@contoso.com", "uid": ALICE, "reason": "left", "now": True}
        code = self.admin("WipeAccount", **wanted)["code"]
        request = self.admin("WipeAccount", confirm=code, **wanted)["wipe"]["id"]
        self.wait(HOUR)
        self.destroyed()
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        link = self.app(ALICE, APP, "renamed@contoso.com")
        self.refused(self.read(link, new), "KeyDestroyed")
        self.assertIn(self.read(link, key)["error"], [f"{GUARD}.{error}" for error in ("UnknownAccount", "NotManaged")])
        self.refused(self.read(link, key, accountId="renamed@contoso.com"), "UnknownKey")
        self.assertEqual(self.key_files(), [])


class FullLog(KeyCase):
    configuration = Configuration(SEVERAL, settings="graceSeconds: 1\nlog: { rotateMegabytes: 1, maximumMegabytes: 4 }\n")

    def test_who_fills_the_log_gets_no_further_key(self) -> None:
        """No key leaves without its record: a full share is a refusal, and other people get keys."""
        alice, bob = self.app(ALICE), self.app(BOB)
        for _ in range(100):
            last = self.many(alice)[-1]
            if "error" in last:
                break
        self.assertEqual(self.refused(last, "LimitReached")["limit"], "logBytes")
        self.written(bob)
