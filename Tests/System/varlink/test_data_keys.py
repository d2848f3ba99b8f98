"""The keys of sealed data through the varlink package: each answer and each refusal of `DataKey`."""

import os
import subprocess
from collections.abc import Iterator
from typing import Any

import disk
from configuration import APP, ORGANISATION, PERSONAL, PORTAL, WORK, Configuration
from daemon import PROGRAM, eventually
from session import DaemonCase, Handler
from varlink.error import VarlinkError
from wire import ACCOUNTS, ADMIN, GUARD

SOURCES = PORTAL.replace("    identityMode: multi\n", "    identityMode: multi\n    accounts: { source: [app] }\n")
OBJECT = "5e" * 32


class KeyCase(DaemonCase):
    configuration = Configuration(SOURCES + "wipe: { mode: on, causes: [admin] }\n")

    def program(self) -> Handler:
        guard = self.attached(app=APP)
        return Handler(self.daemon.guard_socket, ACCOUNTS, guard.connection)

    def reading(self, key: dict[str, str]) -> dict[str, str]:
        """The parameters by which an object that was sealed with this key is read."""
        return {"account": key["accountId"], "use": "read", "object": OBJECT, "keyId": key["keyId"]}

    def enrolled(self) -> Handler:
        app = self.program()
        self.assertEqual(self.call(app, "Register", account=WORK)["state"], "enrolled")
        return app


class DataKeys(KeyCase):
    def test_an_account_that_may_not_work_yet_and_one_that_does(self) -> None:
        app = self.program()
        self.refused(f"{GUARD}.NotManaged", app, "DataKey", account=PERSONAL, use="write", object=OBJECT)
        withheld = self.refused(f"{GUARD}.KeyWithheld", app, "DataKey", account=WORK, use="write", object=OBJECT)
        self.assertEqual(withheld["reason"], "policyRequired")
        app = self.enrolled()
        key = self.call(app, "DataKey", account=WORK, use="write", object=OBJECT)
        reading = self.reading(key)
        self.assertEqual(self.call(app, "DataKey", **reading), key)
        self.refused(f"{GUARD}.UnknownKey", app, "DataKey", **{**reading, "keyId": "00" * 16})


class NewKeys(KeyCase):
    def test_an_administrator_rotates_a_key_and_apps_hear_it(self) -> None:
        app, admin, order = self.enrolled(), self.admin(), {"account": WORK, "uid": os.getuid(), "reason": "as every year"}
        self.assertEqual(self.refused(f"{ADMIN}.AccountRefused", admin, "RotateAccountKey", **order)["why"], "noKey")
        old = self.call(app, "DataKey", account=WORK, use="write", object=OBJECT)
        news = self.news("dataProtection")
        self.assertEqual(self.told(news), ("envelope", old["keyId"]))
        rotated = self.call(admin, "RotateAccountKey", **order)
        self.assertEqual(rotated, {"account": WORK, "keyId": rotated["keyId"]})
        self.assertEqual(self.told(news), ("envelope", rotated["keyId"]))
        new = self.call(app, "DataKey", account=WORK, use="write", object="7a" * 32)
        self.assertEqual(new["keyId"], rotated["keyId"])
        self.assertEqual(self.call(app, "DataKey", **self.reading(old)), old)
        [listed] = self.call(app, "List")["accounts"]
        self.assertEqual(listed["encryption"], "envelope")
        [known] = self.call(admin, "Accounts")["accounts"]
        self.assertEqual(known["encryption"], "envelope")

    def news(self, topic: str) -> Iterator[dict[str, Any]]:
        """News for a program of the same app."""
        return iter(self.call(self.attached(app=APP), "Subscribe", topics=[topic], _more=True))

    def told(self, news: Iterator[dict[str, Any]]) -> tuple[str, str]:
        item = next(news)
        self.assertEqual((item["topic"], item["account"]), ("dataProtection", WORK))
        return item["encryption"], item["keyId"]


class Directories(KeyCase):
    """The calls between an app, the daemon and the keeper of directories, whom this test plays."""

    configuration = Configuration(
        SOURCES, organisation=ORGANISATION.replace("    webTransfer:", "    encryption: { by: fscrypt }\n    webTransfer:"))

    def test_the_keeper_hears_what_apps_want_and_gets_the_key(self) -> None:
        app, root = self.enrolled(), self.admin()
        wanted = {"uid": os.getuid(), "accountId": "2bb54003f51bb9c73f499e5146dc639c"}
        self.assertEqual(self.call(app, "OpenDirectory", account=WORK)["state"], "failed")
        self.refused(f"{GUARD}.UnknownAccount", root, "DirectoryKey", **wanted, object=OBJECT)
        lists = iter(self.call(self.admin(), "KeepDirectories", ways=["fscrypt"], open=[], _more=True))
        self.assertEqual(next(lists)["directories"], [])
        self.assertEqual(self.call(app, "OpenDirectory", account=WORK), {"state": "opening"})
        [directory] = next(lists)["directories"]
        self.assertEqual({name: directory[name] for name in ("uid", "accountId", "way")}, {**wanted, "way": "fscrypt"})
        key = self.call(root, "DirectoryKey", **wanted, object=OBJECT)
        self.assertEqual(self.call(root, "DirectoryKey", **wanted, object=OBJECT, keyId=key["keyId"]), key)
        self.refused(f"{GUARD}.UnknownKey", root, "DirectoryKey", **wanted, object=OBJECT, keyId="00" * 16)
        self.call(root, "NoteDirectory", **wanted, state="failed", problem="no room")
        self.assertEqual(self.call(app, "OpenDirectory", account=WORK)["problem"], "no room")
        self.call(root, "NoteDirectory", **wanted, state="open", path="/x/files")
        self.assertEqual(self.call(app, "OpenDirectory", account=WORK), {"state": "open", "path": "/x/files"})
        self.call(app, "Deregister", account=WORK)
        self.assertEqual(next(lists)["directories"], [])


class KeysForTheOrganisation(KeyCase):
    def test_a_key_goes_to_the_organisation_and_comes_back(self) -> None:
        private = self.daemon.directory / "private"
        public = self.does("new-key", private).split()[3]
        Configuration(SOURCES + f"escrow: {{ publicKey: {public} }}\n").write(self.daemon.config)
        admin, app = self.admin(), self.enrolled()
        self.call(admin, "Reload")
        key = self.call(app, "DataKey", account=WORK, use="write", object=OBJECT)
        found = self.call(admin, "Escrow")
        self.assertEqual((found["publicKey"], found["keys"], found["copied"]), (public, 1, 1))
        copies = self.daemon.directory / "state/escrow"
        self.does("hand-over", copies, "--key", private, "--to", found["importKey"], "-o", self.daemon.directory)
        [copy] = self.daemon.directory.glob("*.escrow")
        order = {"account": WORK, "uid": os.getuid(), "copy": copy.read_bytes().hex(), "reason": "a new computer"}
        back = self.call(admin, "RecoverAccountKey", **order)
        self.assertEqual(back, {"account": WORK, "keyId": key["keyId"], "isNew": False})
        foreign = {**order, "copy": next(copies.iterdir()).read_bytes().hex()}
        self.assertEqual(self.refused(f"{ADMIN}.AccountRefused", admin, "RecoverAccountKey", **foreign)["why"], "badCopy")

    def does(self, *words: Any) -> str:
        command = [str(PROGRAM), "account", "escrow", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout


class KeysOfWipedAccounts(KeyCase):
    def test_a_wipe_withholds_the_key_and_then_destroys_it(self) -> None:
        # Nothing is destroyed while nobody keeps the machine's clock right.
        self.daemon.stop()
        self.daemon.environment |= disk.environment(None, synchronised=1)
        self.daemon.start()
        app = self.enrolled()
        key = self.call(app, "DataKey", account=WORK, use="write", object=OBJECT)
        request = self.wiped()
        withheld = self.refused(f"{GUARD}.KeyWithheld", app, "DataKey", **self.reading(key))
        self.assertEqual(withheld["reason"], "accountWiped")
        self.call(app, "Complete", request=request, result="done")
        again = self.enrolled()
        eventually(lambda: self.error(again, self.reading(key)).endswith(".KeyDestroyed"), "the key is gone")
        self.refused(f"{GUARD}.KeyDestroyed", again, "DataKey", **self.reading(key))
        new = self.call(again, "DataKey", account=WORK, use="write", object=OBJECT)
        self.assertNotEqual(new["keyId"], key["keyId"])

    def wiped(self) -> str:
        """An administrator wipes the account, and its app is asked; the request."""
        admin = self.admin()
        self.call(admin, "Reload", checkedIn=True)
        wanted = {"account": WORK, "uid": os.getuid(), "reason": "left", "now": True}
        code = self.call(admin, "WipeAccount", **wanted)["code"]
        request = self.call(admin, "WipeAccount", confirm=code, **wanted)["wipe"]["id"]
        eventually(lambda: [wipe["phase"] for wipe in self.call(admin, "Wipes")["wipes"]] == ["asking"], "the app is asked")
        return str(request)

    def error(self, app: Handler, reading: dict[str, str]) -> str:
        """The error of a question for a key, or nothing."""
        try:
            self.call(app, "DataKey", **reading)
        except VarlinkError as error:
            return str(error.as_dict()["error"])
        return ""


class WithoutKeys(KeyCase):
    def test_a_secret_that_others_may_read_gives_no_key(self) -> None:
        self.daemon.stop()
        (self.daemon.directory / "state/keys.secret").chmod(0o644)
        self.daemon.start()
        self.refused(f"{GUARD}.KeysUnavailable", self.enrolled(), "DataKey", account=WORK, use="write", object=OBJECT)
