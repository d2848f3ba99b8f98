"""New keys for accounts, which somebody wants to lose data by, to bring back after a wipe, or to miss: through the sockets of
the real daemon, while apps seal, across kills, and in the middle of wipes."""

import json
import secrets
import signal
import subprocess
import threading
from typing import Any

from attack_case import APP, Failure, Link
from configuration import ORGANISATION, PERSONAL, WORK, Configuration
from daemon import PROGRAM, eventually
from test_data_keys import SECOND, SEVERAL, TEXT, KeyCase, object_id
from test_wipes import ALICE, BOB, DELAY, HOUR, NOTES
from wire import ACCOUNTS, ADMIN, GUARD, frame

SETTINGS = "graceSeconds: 1\n"
KIND = "dataProtection"


def encrypting(setting: str, policy: str = SEVERAL) -> Configuration:
    """The policy with another `encrypt` or `encryption` of its protection."""
    changed = ORGANISATION.replace("    send: managed\n", f"    send: managed\n    {setting}\n")
    assert changed != ORGANISATION
    return Configuration(policy, settings=SETTINGS, organisation=changed)


class RotationCase(KeyCase):
    def order(self, uid: int = ALICE, account: str = WORK, **more: Any) -> dict[str, Any]:
        """The reply to an administrator's order."""
        wire = self.wire(self.daemon.admin_socket)
        reply = wire.call(f"{ADMIN}.RotateAccountKey", **{"account": account, "uid": uid, "reason": "as every year", **more})
        wire.socket.close()
        return reply

    def rotated(self, uid: int = ALICE, account: str = WORK) -> str:
        """The new key's number."""
        return str(self.answered(self.order(uid, account))["keyId"])

    def why(self, reply: dict[str, Any]) -> str:
        self.assertEqual(reply.get("error"), f"{ADMIN}.AccountRefused", reply)
        return str(reply["parameters"]["why"])

    def subscribed(self, link: Link, *topics: str, app: str = APP) -> "Heard":
        """News for a new connection of the same person, of an instance of its own that is attached anew."""
        news = link.person.link(self.daemon.guard_socket)
        self.answered(news.call(f"{GUARD}.Attach", app=app))
        news.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["policy", *(topics or (KIND,))]).decode())
        heard = Heard(news)
        self.assertEqual(heard.next()["topic"], "policy")
        return heard

    def newest(self, link: Link, account: str = WORK) -> str:
        return self.written(link, account)["keyId"]


class Heard:
    """A connection for news."""

    def __init__(self, link: Link) -> None:
        self.link = link

    def next(self) -> dict[str, Any]:
        return dict(self.link.reply()["parameters"])

    def some(self, count: int) -> list[tuple[str, str, str | None]]:
        """So many pieces of news of `dataProtection`: account, encryption and key. The policy's are left out, and
        anything else, or anything missed, is an error."""
        found: list[tuple[str, str, str | None]] = []
        while len(found) < count:
            news = self.next()
            if news["topic"] == "policy":
                continue
            assert news["topic"] == KIND and "missed" not in news, news
            found.append((news["account"], news["encryption"], news.get("keyId")))
        return found


class Rotation(RotationCase):
    def test_new_data_gets_the_new_key_and_old_data_stays_readable(self) -> None:
        alice, bob = self.app(ALICE, APP, WORK, SECOND), self.app(BOB)
        old, other, bobs = (
            self.sealing(alice).protect(TEXT, WORK), self.sealing(alice).protect(TEXT, SECOND), self.sealing(bob).protect(TEXT, WORK)
        )  # fmt: skip
        key = self.rotated()
        self.assertNotEqual(key, self.info(old).key_id)
        for _ in range(3):
            sealing = self.sealing(alice)
            new = sealing.protect(TEXT, WORK)
            self.assertEqual(self.info(new).key_id, key)
            self.assertEqual(self.info(new).account_id, self.info(old).account_id)
            for envelope in (old, new, other):
                self.assertEqual(sealing.unprotect(envelope), TEXT)
            # Another account, and another person's account of the same name, go on as they were.
            self.assertEqual(self.newest(alice, SECOND), self.info(other).key_id)
            self.assertEqual(len(bytes.fromhex(self.written(alice)["key"])) * 8, 256)
            self.assertEqual(self.newest(bob), self.info(bobs).key_id)
            self.opens_not(bob, new, "UnknownKey")
            self.boot()
            alice, bob = self.app(ALICE, APP, WORK, SECOND), self.app(BOB)

    def test_a_hundred_rotations_in_a_row(self) -> None:
        link = self.app(ALICE)
        sealing = self.sealing(link)
        envelopes = [sealing.protect(TEXT, WORK)]
        keys = [self.info(envelopes[0]).key_id]
        for _ in range(100):
            keys.append(self.rotated())
            envelopes.append(sealing.protect(TEXT, WORK))
        self.assertEqual([self.info(envelope).key_id for envelope in envelopes], keys)
        self.assertEqual(len(set(keys)), 101)
        self.assertEqual([record["keyId"] for record in self.records_of("rotated")], keys[1:])
        for _ in range(2):
            for envelope in envelopes:
                self.assertEqual(sealing.unprotect(envelope), TEXT)
            self.assertEqual(self.newest(link), keys[-1])
            self.assertEqual(len(self.key_files()), 101)
            self.boot()
            link = self.app(ALICE)
            sealing = self.sealing(link)
        # One wipe destroys all of them.
        self.wiped(ALICE, now=True)
        self.wait(HOUR)
        self.destroyed()
        self.assertEqual(self.records_of("destroyed")[0]["count"], 101)
        self.assertEqual(self.key_files(), [])

    def test_a_rotation_between_asking_and_answering(self) -> None:
        """Many questions are on their way: each answer is whole, and none behind the first new key has an old one."""
        link = self.app(ALICE)
        first = self.newest(link)
        head = f'{{"method":"{ACCOUNTS}.DataKey","parameters":{{"account":"{WORK}","use":"write","object":"'
        known = [first]
        for _ in range(20):
            objects = [object_id() for _ in range(self.AT_ONCE)]
            link.send("".join(f'{head}{item}"}}}}\0' for item in objects))
            known.append(self.rotated())
            given = [self.answered(link.reply())["keyId"] for _ in objects]
            self.assertEqual(given, sorted(given, key=known.index), "an old key behind a new one")
            self.assertLessEqual(set(given), set(known[-2:]))
            # Whoever heard the administrator's answer gets the new one.
            self.assertEqual(self.newest(link), known[-1])

    def test_rotations_while_an_app_seals_lose_nothing(self) -> None:
        links = [self.app(ALICE), self.app(ALICE, NOTES)]
        sealed: list[list[bytes]] = [[], []]
        ended, failures = threading.Event(), []

        def seal(place: int) -> None:
            sealing = self.sealing(links[place])
            try:
                while not ended.is_set():
                    sealed[place].append(sealing.protect(TEXT + bytes([len(sealed[place]) % 256]), WORK))
            except Exception as error:  # noqa: BLE001
                failures.append(error)

        threads = [threading.Thread(target=seal, args=[place]) for place in range(2)]
        for thread in threads:
            thread.start()
        # An account has no key to rotate before something is sealed for it.
        eventually(lambda: failures or all(sealed), "both have sealed")
        keys = [self.rotated() for _ in range(40)]
        eventually(lambda: failures or all(len(each) >= 100 for each in sealed), "both seal")
        ended.set()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertTrue({self.info(envelope).key_id for each in sealed for envelope in each} & set(keys))
        self.boot()
        # What one sealed the other opens.
        for place, app in ((0, NOTES), (1, APP)):
            sealing = self.sealing(self.app(ALICE, app))
            for number, envelope in enumerate(sealed[place]):
                self.assertEqual(sealing.unprotect(envelope), TEXT + bytes([number % 256]))

    def test_a_daemon_killed_in_the_middle_has_the_old_key_or_the_new_one(self) -> None:
        link = self.app(ALICE)
        envelopes = [self.sealing(link).protect(TEXT, WORK)]
        answered: list[str] = []
        for number in range(24):
            wire = self.wire(self.daemon.admin_socket)
            wire.send(*[frame(f"{ADMIN}.RotateAccountKey", account=WORK, uid=ALICE, reason="again")] * (number % 4 + 1))
            if number % 3:
                answered.append(self.answered(wire.reply())["keyId"])
            self.daemon.stop(signal.SIGKILL)
            wire.socket.close()
            self.begin()
            link = self.app(ALICE)
            sealing = self.sealing(link)
            envelopes.append(sealing.protect(TEXT, WORK))
            newest = self.info(envelopes[-1]).key_id
            for envelope in envelopes:
                self.assertEqual(sealing.unprotect(envelope), TEXT)
            # A new subscriber hears the very key that new data gets, whether anybody was answered with it or not.
            self.assertEqual(self.subscribed(link).some(1), [(WORK, "envelope", newest)])
            # A key that the administrator was told of is there, and is on record.
            there = {file.rsplit("/", 1)[1].removesuffix(".key") for file in self.key_files()}
            self.assertLessEqual(set(answered), there)
            self.assertLessEqual(set(answered), {record["keyId"] for record in self.records_of("rotated")})
        self.assertNotIn("keysUnusable", self.problems())


class Refusals(RotationCase):
    def test_an_order_that_makes_no_sense_makes_no_key(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        key = self.newest(link)
        self.assertEqual(self.why(self.order(account="wrok@contoso.com")), "unknownAccount")
        # The policy names it, and this person has never sealed anything for it.
        self.assertEqual(self.why(self.order(account=SECOND)), "noKey")
        self.assertEqual(self.why(self.order(BOB)), "noKey")
        self.assertEqual(self.why(self.order(4_000_000_000)), "noKey")
        self.assertEqual(self.why(self.order(account=PERSONAL)), "noKey")
        for reason in ("", " \t", "x" * 501):
            self.assertEqual(self.why(self.order(reason=reason)), "badReason")
        for changed in ({"uid": -1}, {"uid": 1 << 32}, {"uid": "0"}, {"account": ""}, {"person": 1}):
            self.assertEqual(self.order(**changed).get("error"), "org.varlink.service.InvalidParameter", changed)
        self.assertEqual(len(self.key_files()), 1)
        self.assertEqual(self.records_of("rotated"), [])
        self.assertEqual(self.newest(link), key)
        # Any name of the account, in any case.
        for name in (WORK.upper(), "6D5C2F7E-8d1c-4f0a-9b52-3c1f0e7a4d11"):
            self.assertEqual(self.answered(self.order(account=name))["account"], WORK)

    def test_nobody_but_an_administrator_rotates(self) -> None:
        link = self.app(ALICE)
        key = self.newest(link)
        for method in (f"{ADMIN}.RotateAccountKey", f"{ACCOUNTS}.RotateAccountKey", f"{GUARD}.RotateAccountKey"):
            reply = link.call(method, account=WORK, uid=ALICE, reason="mine")
            self.assertIn(reply["error"], ("org.varlink.service.InterfaceNotFound", "org.varlink.service.MethodNotFound"))
        with self.assertRaises(Failure):
            link.person.link(self.daemon.admin_socket).call(f"{ADMIN}.RotateAccountKey", account=WORK, uid=ALICE, reason="mine")
        self.assertEqual(self.newest(link), key)

    def test_keys_that_cannot_be_used_are_not_rotated(self) -> None:
        link = self.app(ALICE)
        old = self.written(link)
        self.daemon.stop()
        (self.state / "keys.secret").chmod(0o644)
        self.begin()
        eventually(lambda: "keysUnusable" in self.problems(), "the daemon says that keys are unusable")
        self.assertEqual(self.why(self.order()), "keysUnusable")
        (self.state / "keys.secret").chmod(0o600)
        self.wait(120)
        eventually(lambda: "keysUnusable" not in self.problems(), "the keys can be used again")
        key = self.rotated()
        link = self.app(ALICE)
        self.assertEqual(self.newest(link), key)
        self.assertEqual(self.answered(self.read(link, old))["key"], old["key"])

    def test_who_asked_and_why_is_on_record_and_no_name_is_told(self) -> None:
        self.newest(self.app(ALICE))
        key = self.rotated(account=WORK.upper())
        [record] = self.records_of("rotated")
        self.assertEqual((record["keyId"], record["person"], record["reason"]), (key, ALICE, "as every year"))
        self.assertEqual((record["uid"], record["user"]), (0, "root"))
        [issued] = self.records_of("issued")
        self.assertEqual(record["account"], issued["account"], "the pseudonym is that of the account")
        self.daemon.stop()
        for text in (self.daemon.said.read_text(), json.dumps(self.daemon.records("key"))):
            self.assertNotIn(WORK, text.lower())
        self.begin()

    def test_an_account_that_no_program_named_since_the_start(self) -> None:
        old = self.written(self.app(ALICE))
        self.boot()
        key = self.rotated()
        link = self.app(ALICE)
        self.assertEqual(self.newest(link), key)
        self.assertEqual(self.answered(self.read(link, old))["key"], old["key"])

    def test_the_command_says_what_it_did(self) -> None:
        self.newest(self.app(ALICE))

        def run(*words: str) -> tuple[int, str]:
            command = [PROGRAM, "account", "rotate-key", *words, "--socket-dir", str(self.daemon.sockets)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

        code, said = run(WORK, "--user", str(ALICE), "--reason", "the person asked")
        self.assertEqual(code, 0, said)
        self.assertIn(self.newest(self.app(ALICE)), said)
        code, said = run(SECOND, "--user", str(ALICE), "--reason", "the person asked")
        self.assertEqual(code, 1, said)
        self.assertIn("[noKey]", said)
        self.assertEqual(run(WORK, "--user", str(ALICE), "--reason", " ")[0], 64)


class WipedAccounts(RotationCase):
    def test_a_wipe_takes_the_keys_of_all_rotations_and_a_rotation_brings_none_back(self) -> None:
        link = self.app(ALICE)
        keys = [self.written(link)]
        for _ in range(5):
            self.rotated()
            keys.append(self.written(link))
        request = self.wiped(ALICE, now=True)
        self.assertEqual(self.why(self.order()), "underWay")
        self.wait(HOUR)
        self.destroyed()
        self.assertEqual(self.why(self.order()), "underWay")
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        for _ in range(2):
            # There is nothing to rotate, and so no key is made for an account whose data is gone.
            self.assertEqual(self.why(self.order()), "noKey")
            self.assertEqual(self.key_files(), [])
            link = self.app(ALICE)
            for key in keys:
                self.refused(self.read(link, key), "KeyDestroyed")
            self.boot()

    def test_rotations_in_the_middle_of_a_wipe(self) -> None:
        """An administrator's program rotates on and on, while another one wipes the account."""
        for _ in range(4):
            link = self.app(ALICE)
            self.written(link)
            before = len(self.records_of("destroyed"))
            ended, said = threading.Event(), set()

            def rotate(ended: threading.Event = ended, said: set[str] = said) -> None:
                while not ended.is_set():
                    reply = self.order()
                    said.add(self.why(reply) if "error" in reply else "done")

            thread = threading.Thread(target=rotate)
            thread.start()
            request = self.wiped(ALICE, now=True)
            self.wait(HOUR)
            self.destroyed(before + 1)
            self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
            eventually(lambda said=said: "noKey" in said, "there is nothing left to rotate")
            ended.set()
            thread.join()
            self.assertLessEqual(said, {"done", "underWay", "noKey"})
            self.assertEqual(self.key_files(), [], "a rotation left a key of a wiped account")

    def test_keys_that_are_still_to_be_destroyed_get_no_follower(self) -> None:
        self.written(self.app(ALICE))
        self.wiped(ALICE, now=True)
        self.daemon.stop(signal.SIGKILL)
        follower = self.state / "keys/epoch-2.new"
        # The daemon may have begun to write it.
        follower.unlink(missing_ok=True)
        follower.mkdir(mode=0o700)
        (follower / "in-the-way").mkdir(mode=0o700)
        self.begin()
        self.wait(HOUR)
        eventually(lambda: "keysNotDestroyed" in self.problems(), "it says that keys are left")
        [wipe] = self.admin("Wipes")["wipes"]
        link = self.person(ALICE).link(self.daemon.guard_socket)
        self.answered(link.call(f"{GUARD}.Attach", app=APP))
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=wipe["id"], result="done"))
        self.assertEqual(self.admin("Wipes")["wipes"], [])
        for _ in range(2):
            self.assertEqual(self.why(self.order()), "underWay")
            self.assertEqual(len(self.key_files()), 1)
            self.boot()

    def test_the_wipe_of_one_app_is_no_reason_to_refuse(self) -> None:
        portal, notes = self.app(ALICE), self.app(ALICE, NOTES)
        old = self.written(portal)
        self.wiped(ALICE, now=True, app=NOTES)
        self.wait(HOUR)
        key = self.rotated()
        self.assertEqual(self.newest(portal), key)
        self.assertEqual(self.answered(self.read(portal, old))["key"], old["key"])
        self.refused(self.key(notes, WORK, "write", object_id()), "KeyWithheld")


class News(RotationCase):
    def test_all_programs_of_the_person_that_have_the_account_hear_of_a_rotation_and_no_others(self) -> None:
        alice, notes, bob = self.app(ALICE), self.app(ALICE, NOTES), self.app(BOB)
        self.newest(alice), self.newest(bob)
        heard = [self.subscribed(alice), self.subscribed(notes, app=NOTES)]
        stranger, deaf = self.subscribed(bob), self.subscribed(alice, "account")
        old = {account: key for each in (*heard, stranger) for account, _, key in each.some(1)}
        self.assertEqual(set(old), {WORK})
        keys = [self.rotated() for _ in range(3)]
        for each in heard:
            self.assertEqual(each.some(3), [(WORK, "envelope", key) for key in keys])
        # The others heard nothing: their next news is the other policy.
        self.reload(encrypting("encryption: { by: envelope }"))
        for quiet in (stranger, deaf):
            self.assertEqual(quiet.next()["topic"], "policy")
        self.assertEqual([record["person"] for record in self.records_of("rotated")], [ALICE] * 3)

    def test_a_reload_that_changes_whether_or_how_is_told_and_no_other(self) -> None:
        """FE-01 and FE-02: the way of `List` and of the news is that of the policy, and each change is told once."""
        link = self.app(ALICE, APP, WORK, SECOND)
        key = self.newest(link)
        heard = self.subscribed(link)
        self.assertEqual(heard.some(2), [(SECOND, "envelope", None), (WORK, "envelope", key)])
        ways = [
            ("encrypt: false", "none"), ("encrypt: true", "envelope"), ("encryption: { by: fscrypt }", "fscrypt"),
            ("encryption: { by: gocryptfs }", "gocryptfs"), ("encryption: { by: volume }", "volume"), ("encrypt: false", "none"),
            ("encryption: { by: envelope }", "envelope"),
        ]  # fmt: skip
        for setting, way in ways:
            self.reload(encrypting(setting))
            self.assertEqual(heard.some(2), [(SECOND, way, None), (WORK, way, key)], setting)
            self.assertEqual(self.listed(link), {WORK: way, SECOND: way})
            # Another policy, and the same for the files.
            self.reload(encrypting(f"printing: block\n    {setting}"))
        self.rotated()
        self.assertEqual(len(heard.some(1)), 1, "the reloads told nothing more")

    def listed(self, link: Link) -> dict[str, str]:
        accounts = self.answered(link.call(f"{ACCOUNTS}.List"))["accounts"]
        return {account["account"]: account["encryption"] for account in accounts}

    def test_an_app_has_to_encrypt_unless_the_policy_says_no(self) -> None:
        """FE-01: the default requires, an unmanaged account is free, and every step of `Save` says the same."""
        link = self.app(ALICE)
        self.answered(link.call(f"{ACCOUNTS}.Register", account=PERSONAL))
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        self.answered(link.call(f"{GUARD}.RegisterViewer", viewer="v"))
        for setting, way in (("printing: allow", "envelope"), ("encrypt: false", "none"), ("encryption: { by: volume }", "volume")):
            self.reload(encrypting(setting))
            self.assertEqual(self.listed(link)[WORK], way)
            saved = self.answered(link.call(f"{GUARD}.Save", event={"viewer": "v", "path": "/home/a/b", "location": "localStorage"}))
            self.assertEqual(saved["decision"].get("mustEncrypt", False), way != "none")
            [account] = self.admin("Accounts", account=WORK)["accounts"]
            self.assertEqual(account["encryption"], way)

    def test_a_protection_that_no_longer_binds_frees_the_files(self) -> None:
        link = self.app(ALICE)
        self.answered(link.call(f"{GUARD}.SetIdentity", level="process", account=WORK))
        key = self.newest(link)
        heard = self.subscribed(link)
        self.assertEqual(heard.some(1), [(WORK, "envelope", key)])
        free = ORGANISATION.replace(", protection: contoso-standard }\n  - { upn: second", " }\n  - { upn: second", 1)
        self.assertNotEqual(free, ORGANISATION)
        self.reload(Configuration(SEVERAL, settings=SETTINGS, organisation=free))
        self.assertEqual(heard.some(1), [(WORK, "none", None)])
        self.reload(self.configuration)
        self.assertEqual(heard.some(1), [(WORK, "envelope", key)])

    def test_who_was_away_misses_nothing(self) -> None:
        """Between two connections, and two daemons, the key and the policy change: the first news are the state of now."""
        link = self.app(ALICE)
        key = self.newest(link)
        way = "envelope"
        for number in range(6):
            heard = self.subscribed(link)
            self.assertEqual(heard.some(1), [(WORK, way, key)])
            heard.link.close()
            key = self.rotated()
            if number % 2:
                way = "volume" if way == "envelope" else "envelope"
                self.reload(encrypting(f"encryption: {{ by: {way} }}"))
            if number % 3 == 2:
                self.boot()
                link = self.app(ALICE)

    def test_a_rotation_while_a_program_subscribes_is_told_last(self) -> None:
        link = self.app(ALICE)
        known = [self.newest(link)]
        ended = threading.Event()

        def rotate() -> None:
            while not ended.is_set():
                known.append(self.rotated())

        thread = threading.Thread(target=rotate)
        thread.start()
        heard = []
        for _ in range(30):
            heard.append(self.subscribed(link))
            if len(heard) > 4:
                heard.pop(0).link.close()
        ended.set()
        thread.join()
        self.assertGreater(len(known), 2)
        for each in heard:
            keys: list[str | None] = []
            while not keys or keys[-1] != known[-1]:
                keys.append(each.some(1)[0][2])
            # Whatever was first: none is missing between it and the last.
            start = known.index(str(keys[0]))
            self.assertEqual(list(dict.fromkeys(keys)), known[start:])

    def test_the_destruction_of_keys_is_told_by_the_wipe(self) -> None:
        link = self.app(ALICE)
        self.newest(link)
        heard = self.subscribed(link, KIND, "wipe")
        heard.some(1)
        request = self.wiped(ALICE, now=True)
        self.wait(HOUR)
        self.destroyed()
        news = heard.next()
        self.assertEqual((news["topic"], news["account"], news["request"]), ("wipe", WORK, request))
        self.answered(link.call(f"{ACCOUNTS}.Complete", request=request, result="done"))
        # The account comes back with another key, which its first news name.
        link = self.app(ALICE)
        key = self.newest(link)
        self.assertEqual(self.subscribed(link).some(1), [(WORK, "envelope", key)])


class ManyAccounts(RotationCase):
    """As many accounts as an app can have: a new subscriber hears of each, also where all of it waits for the log."""

    NAMES = [f"a{number:02}@contoso.com" for number in range(64)]
    configuration = Configuration(
        SEVERAL, settings=SETTINGS,
        organisation=ORGANISATION.replace("  contoso-standard:\n", '  contoso-standard:\n    accounts: ["*@contoso.com"]\n'),
    )  # fmt: skip

    def test_each_of_them_is_told(self) -> None:
        link = self.app(ALICE, APP, *self.NAMES)
        keys = {name: self.newest(link, name) for name in self.NAMES}
        keys |= {name: self.rotated(account=name) for name in secrets.SystemRandom().sample(self.NAMES, 16)}
        for _ in range(2):
            told = self.subscribed(link).some(64)
            self.assertEqual(told, [(name, "envelope", keys[name]) for name in self.NAMES])
            self.boot()
            link = self.app(ALICE, APP, *self.NAMES)
        self.wait(DELAY)
        heard = self.subscribed(link)
        heard.some(64)
        changed = ORGANISATION.replace(
            "  contoso-standard:\n", '  contoso-standard:\n    encryption: { by: volume }\n    accounts: ["*@contoso.com"]\n')  # fmt: skip
        self.reload(Configuration(SEVERAL, settings=SETTINGS, organisation=changed))
        self.assertEqual({way for _, way, _ in heard.some(64)}, {"volume"})
