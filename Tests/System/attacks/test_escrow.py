"""Copies of keys for the organisation, which somebody wants to open without its private key, to miss, or to bring a destroyed key
back by: through the real daemon and the commands, across kills, and with a reader that was written from the documentation."""

import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from attack_case import APP
from configuration import WORK, Configuration
from cryptography.exceptions import InvalidTag
from daemon import PROGRAM, ROOT, eventually
from test_data_keys import SECOND, SEVERAL, TEXT, KeyCase
from test_wipes import ALICE, BOB, HOUR
from wire import ADMIN

sys.path.append(str(ROOT / "clients/python/tests"))

import plain_escrow  # noqa: E402
import plain_reader  # noqa: E402

SETTINGS = "graceSeconds: 1\n"


def policy(key: str, base: str = SEVERAL) -> Configuration:
    return Configuration(f"{base}escrow: {{ publicKey: {key} }}\n", settings=SETTINGS)


class EscrowCase(KeyCase):
    def setUp(self) -> None:
        super().setUp()
        self.safe = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="wvg-safe-")))
        self.public = self.new_key("private")

    # Commands

    def run_it(self, *words: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run([str(PROGRAM), "account", "escrow", *map(str, words)], capture_output=True, text=True, check=False)

    def does(self, *words: Any) -> str:
        done = self.run_it(*words)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def fails(self, status: int, said: str, *words: Any) -> None:
        done = self.run_it(*words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(said, done.stdout + done.stderr)

    def new_key(self, name: str) -> str:
        """The public key; the private one lies in the safe."""
        return str(json.loads(self.does("new-key", self.safe / name, "--format", "json"))["publicKey"])

    def asking(self) -> tuple[str, ...]:
        return ("--socket-dir", str(self.daemon.sockets))

    # The daemon

    def states(self, configuration: Configuration) -> None:
        configuration.write(self.daemon.config)
        self.admin("Reload")

    def escrow(self) -> dict[str, Any]:
        return self.admin("Escrow")

    def copies(self) -> list[Path]:
        return sorted(self.state.glob("escrow/*.escrow"))

    def private(self, name: str = "private") -> bytes:
        return plain_escrow.private_key((self.safe / name).read_text())

    def plainly(self, envelope: bytes, copies: list[bytes], private: bytes) -> bytes:
        """What two readers out of the documentation make of an envelope and copies."""

        def key_of(account: bytes, key: bytes, item: bytes) -> bytes | None:
            [copy] = [copy for copy in copies if copy[44:60] == account and copy[60:76] == key]
            return plain_escrow.object_key(plain_escrow.account_key(copy, private), item)

        return plain_reader.unseal(envelope, key_of)

    def both(self) -> None:
        """Everything of this machine is copied, at last."""
        eventually(lambda: (found := self.escrow())["keys"] == found["copied"], "all keys have their copy")


class Copies(EscrowCase):
    def test_the_organisation_reads_what_a_lost_machine_sealed(self) -> None:
        self.states(policy(self.public))
        alice, bob = self.app(ALICE, APP, WORK, SECOND), self.app(BOB)
        envelopes = [self.sealing(alice).protect(TEXT, WORK), self.sealing(bob).protect(TEXT, WORK)]
        self.assertNotIn("error", self.wire(self.daemon.admin_socket).call(
            f"{ADMIN}.RotateAccountKey", account=WORK, uid=ALICE, reason="as every year"))  # fmt: skip
        envelopes += [self.sealing(alice).protect(TEXT * 9000, WORK), self.sealing(alice).protect(TEXT, SECOND)]
        self.assertEqual({self.info(envelope).key_id for envelope in envelopes}, {file.name[:32] for file in self.copies()})
        self.assertEqual({file.stat().st_mode & 0o777 for file in self.copies()}, {0o600})
        # Each copy is on record before the key that it is of.
        acts = [(record["act"], record.get("keyId")) for record in self.daemon.settled_records("key")]
        for envelope in envelopes:
            key = self.info(envelope).key_id
            self.assertLess(acts.index(("copied", key)), acts.index(("issued", key)))
        self.assertEqual(len(self.records_of("copied")), 4)
        # The machine is lost: an administrator has the copies, and elsewhere somebody has the private key.
        saved = shutil.copytree(self.state / "escrow", self.safe / "copies")
        files = [file.read_bytes() for file in saved.iterdir()]
        for number, envelope in enumerate(envelopes):
            text = TEXT * 9000 if number == 2 else TEXT
            self.assertEqual(self.plainly(envelope, files, self.private()), text)
            sealed, opened = self.safe / f"sealed-{number}", self.safe / f"opened-{number}"
            sealed.write_bytes(envelope)
            self.does("unseal", sealed, "--key", self.safe / "private", "--copies", saved, "-o", opened)
            self.assertEqual(opened.read_bytes(), text)
        listed = json.loads(self.does("list", saved, "--key", self.safe / "private", "--format", "json"))["copies"]
        self.assertEqual([copy["opens"] for copy in listed], [True] * 4)
        self.assertEqual({copy["uid"] for copy in listed}, {ALICE, BOB})
        self.assertEqual({copy["machine"] for copy in listed}, {self.escrow()["machine"]})
        only = json.loads(self.does("list", saved, "--account", SECOND.upper(), "--format", "json"))["copies"]
        self.assertEqual([copy["keyId"] for copy in only], [self.info(envelopes[3]).key_id])

    def test_nobody_else_opens_a_copy(self) -> None:
        self.states(policy(self.public))
        envelope = self.sealing(self.app(ALICE)).protect(TEXT, WORK)
        [copy] = self.copies()
        self.new_key("other")
        with self.assertRaises(InvalidTag):
            self.plainly(envelope, [copy.read_bytes()], self.private("other"))
        sealed = self.safe / "sealed"
        sealed.write_bytes(envelope)
        ways = ("unseal", sealed, "--copies", copy, "-o", self.safe / "opened", "--key")
        self.fails(1, "does not open with this private key", *ways, self.safe / "other")
        # Everything in the daemon's state directory is not enough either: it holds no private key.
        whole = b"".join(file.read_bytes() for file in self.state.rglob("*") if file.is_file())
        self.assertNotIn(self.private(), whole)
        self.assertNotIn(self.private().hex().encode(), whole)
        for place in (0, 9, 25, 41, 45, 61, 77, 85, 93, 130, 171):
            changed = bytearray(copy.read_bytes())
            changed[place] ^= 1
            (self.safe / "changed.escrow").write_bytes(changed)
            done = self.run_it(*ways[:3], self.safe / "changed.escrow", *ways[4:], self.safe / "private")
            self.assertNotEqual(done.returncode, 0, f"byte {place}")
        self.assertFalse((self.safe / "opened").exists())
        self.does(*ways, self.safe / "private")
        self.assertEqual((self.safe / "opened").read_bytes(), TEXT)

    def test_keys_of_before_get_their_copy_when_the_policy_begins_or_changes_the_key(self) -> None:
        links = [self.app(ALICE, APP, WORK, SECOND), self.app(BOB)]
        old = [self.sealing(links[0]).protect(TEXT, WORK), self.sealing(links[1]).protect(TEXT, WORK)]
        self.assertEqual((self.copies(), self.escrow()["keys"], "publicKey" in self.escrow()), ([], 2, False))
        self.states(policy(self.public))
        self.both()
        second = self.new_key("second")
        self.states(policy(second))
        self.both()
        self.assertEqual(self.escrow()["publicKey"], second)
        self.assertEqual(len(self.copies()), 4)
        for _ in range(2):
            for name in ("private", "second"):
                files = [file.read_bytes() for file in self.copies() if self.opens(file, name)]
                self.assertEqual([self.plainly(envelope, files, self.private(name)) for envelope in old], [TEXT] * 2)
            # A copy that is gone or changed is made anew at the next start, for the present public key.
            gone, changed = (file for file in self.copies() if self.opens(file, "second"))
            gone.unlink()
            changed.write_bytes(b"nothing")
            self.boot()
            self.both()
        self.assertEqual(self.escrow()["copied"], 2)

    def opens(self, file: Path, name: str) -> bool:
        return self.run_it("list", file, "--key", self.safe / name).returncode == 0

    def test_without_its_copy_no_key_seals_anything(self) -> None:
        link = self.app(ALICE, APP, WORK, SECOND)
        old = self.sealing(link).protect(TEXT, WORK)
        (self.state / "escrow").write_bytes(b"in the way")
        self.states(policy(self.public))
        eventually(lambda: "keysNotCopied" in self.problems(), "it says that a copy is missing")
        keys = self.key_files()
        for _ in range(3):
            for account in (WORK, SECOND):
                self.refused(self.key_of(link, account), "KeysUnavailable")
        self.assertEqual(self.key_files(), keys, "no key is made that nobody gets")
        self.assertEqual(self.sealing(link).unprotect(old), TEXT, "what is sealed is read meanwhile")
        self.fails(1, "0 of 1", "show", *self.asking())
        (self.state / "escrow").unlink()
        self.answered(self.key_of(link, WORK))
        self.answered(self.key_of(link, SECOND))
        self.both()
        self.assertEqual(len(self.copies()), 2)
        eventually(lambda: "keysNotCopied" not in self.problems(), "the problem is over", seconds=60)

    def key_of(self, link: Any, account: str) -> dict[str, Any]:
        return KeyCase.key(link, account, "write", secrets.token_hex(32))

    def test_a_public_key_with_a_slip_changes_nothing(self) -> None:
        self.states(policy(self.public))
        place = len("wvg-escrow-public-1.") + 7
        wrong = self.public[:place] + ("0" if self.public[place] != "0" else "1") + self.public[place + 1 :]
        policy(wrong).write(self.daemon.config)
        reply = self.wire(self.daemon.admin_socket).call(f"{ADMIN}.Reload")
        self.assertEqual(reply.get("error"), f"{ADMIN}.LoadFailed")
        self.assertIn("[invalid-escrow-key]", str(reply["parameters"]))
        self.assertEqual(self.escrow()["publicKey"], self.public)
        self.written(self.app(ALICE))
        self.assertEqual(len(self.copies()), 1)
        self.states(policy(self.public))


class Back(EscrowCase):
    def handed_over(self, files: list[Path], key: str | None = None) -> list[Path]:
        target = Path(tempfile.mkdtemp(dir=self.safe))
        self.does("hand-over", *files, "--key", self.safe / "private", "--to", key or self.escrow()["importKey"], "-o", target)
        return sorted(target.iterdir())

    def recover(self, *files: Path, user: int = ALICE, account: str = WORK) -> tuple[Any, ...]:
        return ("recover", *files, "--account", account, "--user", user, "--reason", "a new computer", *self.asking())

    def lose_the_machine(self) -> None:
        """All state is gone, the keys and what was destroyed among it: as on another computer."""
        self.daemon.stop()
        shutil.rmtree(self.state)
        self.state.mkdir(mode=0o700)
        self.begin()

    def test_a_new_machine_opens_the_files_of_the_lost_one(self) -> None:
        self.states(policy(self.public))
        old = self.sealing(self.app(ALICE)).protect(TEXT, WORK)
        saved = [Path(shutil.copy(file, self.safe)) for file in self.copies()]
        self.lose_the_machine()
        alice, bob = self.app(ALICE), self.app(BOB)
        self.opens_not(alice, old, "UnknownKey")
        files = self.handed_over(saved)
        self.fails(1, "[badCopy]", *self.recover(*saved))
        self.fails(1, "[badCopy]", *self.recover(*files, account=SECOND))
        self.fails(1, "[unknownAccount]", *self.recover(*files, account="nobody@elsewhere.example"))
        stolen = self.handed_over(saved, self.new_key("thief"))
        self.fails(1, "[badCopy]", *self.recover(*stolen))
        self.opens_not(alice, old, "UnknownKey")
        self.assertIn("recovered", self.does(*self.recover(*files)))
        self.assertIn("here already", self.does(*self.recover(*files)))
        for _ in range(2):
            self.assertEqual(self.sealing(alice).unprotect(old), TEXT)
            self.opens_not(bob, old, "UnknownKey")
            new = self.sealing(alice).protect(TEXT, WORK)
            self.assertNotEqual(self.info(new).key_id, self.info(old).key_id, "new data gets a key of this machine")
            self.boot()
            alice, bob = self.app(ALICE), self.app(BOB)
        [record] = self.records_of("recovered")
        self.assertEqual((record["keyId"], record["person"], record["reason"]), (self.info(old).key_id, ALICE, "a new computer"))
        self.both()

    def test_a_wiped_account_stays_wiped_and_the_preview_tells_who_still_reads(self) -> None:
        self.states(policy(self.public))
        link = self.app(ALICE)
        envelope = self.sealing(link).protect(TEXT, WORK)
        preview = self.admin("WipeAccount", account=WORK, uid=ALICE, reason="left")
        self.assertEqual((preview["keys"], preview["copies"]), (1, 1))
        command = [str(PROGRAM), "account", "wipe", WORK, "--user", str(ALICE), "--reason", "left", *self.asking()]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        self.assertIn("keys: 1, destroyed with the data", said)
        self.assertIn("escrow: 1 copy of keys stay; only the holder of the private key still opens data with them", said)
        self.wiped(ALICE, now=True)
        self.wait(HOUR)
        self.destroyed()
        files = self.handed_over(self.copies())
        refusals: list[Callable[[], None]] = [lambda: None, self.boot]
        for between in refusals:
            between()
            done = self.run_it(*self.recover(*files))
            self.assertEqual(done.returncode, 1)
            self.assertTrue("[keyDestroyed]" in done.stderr or "[underWay]" in done.stderr, done.stderr)
            self.assertIn("[keyDestroyed]", self.run_it(*self.recover(*files, user=BOB)).stderr)
        self.assertEqual((self.records_of("recovered"), self.key_files()), ([], []))
        # The organisation reads it: this is said in the documentation and by the preview.
        self.assertEqual(self.plainly(envelope, [file.read_bytes() for file in self.copies()], self.private()), TEXT)

    def test_only_an_administrator_asks(self) -> None:
        self.states(policy(self.public))
        link = self.app(ALICE)
        self.written(link)
        [file] = self.handed_over(self.copies())
        order = {"account": WORK, "uid": ALICE, "copy": file.read_bytes().hex(), "reason": "mine"}
        for method in ("RecoverAccountKey", "Escrow"):
            reply = link.call(f"{ADMIN}.{method}", **(order if method != "Escrow" else {}))
            self.assertIn("InterfaceNotFound", reply["error"])
        wire = self.wire(self.daemon.admin_socket)
        for changed, why in (
            ({"reason": " "}, "badReason"), ({"copy": ""}, "badCopy"), ({"copy": order["copy"][:-2]}, "badCopy"),
            ({"copy": str(order["copy"]).upper()}, "badCopy"), ({"copy": "00" * 172}, "badCopy"),
        ):
            reply = wire.call(f"{ADMIN}.RecoverAccountKey", **{**order, **changed})
            self.assertEqual((reply["error"], reply["parameters"]["why"]), (f"{ADMIN}.AccountRefused", why))
        self.assertEqual(self.records_of("recovered"), [])
