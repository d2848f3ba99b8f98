"""The daemon as the source of keys: the call `DataKey`, and each way in which it gives none."""

import asyncio
import unittest
from typing import Any

from case import FakeCase
from fake import Peer
from test_sealing import outcome
from webviewguard import GuardError, protection_info
from webviewguard._sealed_keys import read_data_key
from webviewguard.asyncio import AsyncGuard
from ways import silent_when_asked

WORK = "work@contoso.com"
ANSWER = {"key": "0a" * 32, "keyId": "0b" * 16, "accountId": "0c" * 16}
METHOD = "org.webviewguard.Accounts.DataKey"
WRONG: list[dict[str, Any]] = [
    {}, {"key": "0a" * 32}, ANSWER | {"key": "0a" * 31}, ANSWER | {"key": "0A" * 32}, ANSWER | {"key": "0a" * 33},
    ANSWER | {"key": "xx" * 32}, ANSWER | {"key": None}, ANSWER | {"keyId": "0b" * 15}, ANSWER | {"accountId": "0c" * 17},
    ANSWER | {"keyId": 7}, ANSWER | {"key": " " + "0a" * 31 + "0"}, ANSWER | {"accountId": "٠a" * 16},
]  # fmt: skip


def answering(*replies: dict[str, Any] | str) -> Any:
    """Answers each call with the next of these: members, or the name of an error."""

    def serve(peer: Peer) -> None:
        peer.attach(answerMs=20_000)
        for reply in replies:
            peer.call()
            if isinstance(reply, str):
                peer.refuse(reply)
            else:
                peer.reply(reply)
        peer.oblige()

    return serve


class DataKeys(FakeCase):
    def test_the_daemon_is_asked_for_the_key_of_each_object(self) -> None:
        self.play(answering(ANSWER, ANSWER))
        guard = self.guard()
        sealed = guard.sealing.protect(b"hello", WORK)
        self.assertEqual(guard.sealing.unprotect(sealed), b"hello")
        info = protection_info(sealed)
        assert info
        self.assertEqual((info.account_id, info.key_id), (ANSWER["accountId"], ANSWER["keyId"]))
        write, read = self.fake.peers[0].calls[1:]
        self.assertEqual((write["method"], read["method"]), (METHOD, METHOD))
        self.assertEqual(write["parameters"], {"account": WORK, "use": "write", "object": info.object_id})
        self.assertEqual(read["parameters"], {"account": info.account_id, "use": "read", "object": info.object_id,
                                              "keyId": info.key_id})  # fmt: skip

    def test_an_account_that_is_not_managed_gets_a_header(self) -> None:
        self.play(answering("NotManaged"))
        sealed = self.guard().sealing.protect(b"hello", "me@example.org")
        info = protection_info(sealed)
        assert info
        self.assertEqual((info.account, info.is_sealed, sealed[-5:]), ("me@example.org", False, b"hello"))

    def test_each_refusal_is_an_error_and_nothing_is_written_unsealed(self) -> None:
        refusals = (("NoApp", 100, ""), ("NoPolicy", 100, ""), ("AppMismatch", 100, ""), ("AccountLocked", 102, "noKey"),
                    ("UnknownAccount", 102, "noKey"), ("SomethingNew", 102, "noKey"), ("NotManagedHere", 102, "noKey"))  # fmt: skip
        for name, code, reason in refusals:
            with self.subTest(name):
                self.play(answering(name))
                sealing = self.guard().sealing
                self.assertEqual(outcome(lambda data: sealing.protect(data, WORK), b"x"), (code, reason))

    def test_a_key_that_is_gone_is_an_error_of_reading(self) -> None:
        self.play(answering(ANSWER, "KeyDestroyed", "NotManaged", "NoPolicy"))
        sealing = self.guard().sealing
        sealed = sealing.protect(b"x", WORK)
        found = [outcome(sealing.unprotect, sealed) for _ in range(3)]
        self.assertEqual(found, [(103, "noKey"), (103, "noKey"), (100, "")])

    def test_another_objects_key_reads_nothing(self) -> None:
        for other in ({"key": "0d" * 32}, {"keyId": "0d" * 16}, {"accountId": "0d" * 16}):
            self.play(answering(ANSWER, ANSWER | other))
            sealing = self.guard().sealing
            self.assertEqual(outcome(sealing.unprotect, sealing.protect(b"x", WORK)), (103, "damaged"))

    def test_nobody_answers(self) -> None:
        self.play(silent_when_asked)
        sealing = self.guard().sealing
        self.assertEqual(outcome(lambda data: sealing.protect(data, WORK), b"x"), (102, "noKey"))
        self.fake.close()
        self.assertEqual(outcome(lambda data: sealing.protect(data, WORK), b"x"), (102, "noKey"))

    def test_an_answer_that_is_none(self) -> None:
        self.play(answering(*WRONG))
        sealing = self.guard().sealing
        for _ in WRONG:
            self.assertEqual(outcome(lambda data: sealing.protect(data, WORK), b"x"), (102, "noKey"))
        self.assertEqual(len(self.fake.peers), 1, "the connection goes on")

    def test_on_asyncio_the_key_is_awaited(self) -> None:
        self.play(answering(ANSWER, "AccountLocked"))

        async def main() -> bytes:
            async with AsyncGuard(path=self.fake.path) as guard:
                key = await guard.accounts.data_key(WORK, "write", "ab" * 32)
                with self.assertRaises(GuardError):
                    await guard.accounts.data_key(WORK, "read", "ab" * 32, "cd" * 16)
                return key.key

        self.assertEqual(asyncio.run(main()), bytes.fromhex(ANSWER["key"]))


class Answers(unittest.TestCase):
    def test_answers_that_are_none(self) -> None:
        for reply in WRONG:
            with self.subTest(reply), self.assertRaises((TypeError, KeyError)):
                read_data_key(reply)

    def test_a_key_is_not_shown(self) -> None:
        self.assertNotIn("0a", repr(read_data_key(ANSWER)))
        self.assertNotIn("\\n", repr(read_data_key(ANSWER)))
