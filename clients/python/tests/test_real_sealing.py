"""Sealed data with the keys of the real daemon."""

import asyncio
import io
import os
import signal
from pathlib import Path

from real import ADMIN, PATIENT, PERSONAL, WORK, Configuration, RealCase, Wire, eventually
from test_listening import until
from webviewguard import Guard, NewsItem, protection_info
from webviewguard.asyncio import AsyncGuard
from webviewguard.errors import GuardError, SealingError
from webviewguard.sealing import file_protection_info

DATA = bytes(range(256)) * 1000
BLOCKED = Configuration().files["policy.d/organisation.yaml"].replace("contoso-standard }\n", "contoso-standard, state: blocked }\n", 1)


class RealSealing(RealCase):
    def started(self) -> Guard:
        guard = self.guard()
        self.assertTrue(guard.start())
        return guard

    def no_key(self, guard: Guard, sealed: bytes, reason: str) -> None:
        with self.assertRaises(SealingError) as caught:
            guard.sealing.unprotect(sealed)
        self.assertEqual((caught.exception.code, caught.exception.reason), (103, "noKey"))
        self.assertIn(reason, str(caught.exception))
        with self.assertRaises(SealingError) as caught:
            guard.sealing.protect(DATA, WORK)
        self.assertEqual((caught.exception.code, caught.exception.reason), (102, "noKey"))

    def test_what_one_program_sealed_another_opens_also_after_the_daemon_was_killed(self) -> None:
        sealed = self.started().sealing.protect(DATA, WORK)
        self.assertNotIn(DATA[:64], sealed)
        self.assertEqual(self.started().sealing.unprotect(sealed), DATA)
        self.daemon.stop(signal.SIGKILL)
        self.daemon.start()
        # This program has not named the account: the header is enough.
        self.assertEqual(self.started().sealing.unprotect(sealed), DATA)

    def test_texts_streams_and_files(self) -> None:
        sealing = self.started().sealing
        text = sealing.protect_text("Zahlen für das Quartal", WORK)
        self.assertEqual(sealing.unprotect_text(text), "Zahlen für das Quartal")
        path = Path(self.daemon.directory / "report")
        with sealing.create(path, WORK) as file:
            for start in range(0, len(DATA), 7001):
                file.write(DATA[start : start + 7001])
        with sealing.open(path) as reader:
            reader.seek(200_000)
            self.assertEqual(reader.read(100), DATA[200_000:200_100])
        self.assertEqual(b"".join(sealing.stream(io.BytesIO(path.read_bytes()))), DATA)
        info = file_protection_info(path)
        assert info
        self.assertTrue(info.is_sealed)

    def test_a_program_hears_of_a_new_key_and_seals_anew(self) -> None:
        guard = self.managed()
        sealed = guard.sealing.protect(DATA, WORK)
        heard: dict[str | None, NewsItem] = {}
        with guard.listen(data_protection=lambda item: heard.update({item.account: item})):
            until(guard, lambda: len(heard) == 2)
            self.assertEqual((heard[WORK].encryption, heard[WORK].key_id), ("envelope", self.key_of(sealed)))
            self.assertEqual((heard[PERSONAL].encryption, heard[PERSONAL].key_id), ("none", None))
            self.assertEqual((heard[WORK].must_encrypt, heard[PERSONAL].must_encrypt), (True, False))
            with Wire(self.daemon.admin_socket) as wire:
                order = {"account": WORK, "uid": os.getuid(), "reason": "as every year"}
                key = wire.call(f"{ADMIN}.RotateAccountKey", **order)["parameters"]["keyId"]
            until(guard, lambda: heard[WORK].key_id == key)
            new = guard.sealing.protect(guard.sealing.unprotect(sealed), WORK)
            self.assertEqual((self.key_of(new), guard.sealing.unprotect(new)), (key, DATA))
        [listed] = [account for account in guard.accounts.list().accounts if account.account == WORK]
        self.assertEqual((listed.encryption, listed.must_encrypt), ("envelope", True))

    def key_of(self, sealed: bytes) -> str:
        info = protection_info(sealed)
        assert info and info.key_id
        return info.key_id

    def test_private_data_keeps_its_bytes_and_names_its_owner(self) -> None:
        sealed = self.started().sealing.protect(DATA, PERSONAL)
        info = protection_info(sealed)
        assert info
        self.assertEqual((info.is_sealed, info.account, sealed[-len(DATA) :]), (False, PERSONAL, DATA))
        self.assertEqual(self.started().sealing.unprotect(sealed), DATA)

    def test_a_blocked_account_seals_and_opens_nothing(self) -> None:
        guard = self.started()
        sealed = guard.sealing.protect(DATA, WORK)
        Configuration(settings=PATIENT, organisation=BLOCKED).write(self.daemon.config)
        self.admin("Reload")
        self.no_key(guard, sealed, "accountBlocked")
        self.daemon.stop(signal.SIGKILL)
        self.daemon.start()
        self.no_key(eventually(self._back, "the daemon answers"), sealed, "accountBlocked")
        Configuration(settings=PATIENT).write(self.daemon.config)
        self.admin("Reload")
        self.assertEqual(self.started().sealing.unprotect(sealed), DATA)

    def _back(self) -> Guard:
        return self.started()

    def test_on_asyncio(self) -> None:
        async def main() -> tuple[bytes, str]:
            async with AsyncGuard(path=self.daemon.guard_socket) as guard:
                key = await guard.accounts.data_key(WORK, "write", "ab" * 32)
                again = await guard.accounts.data_key(key.account_id, "read", "ab" * 32, key.key_id)
                self.assertEqual(again, key)
                with self.assertRaises(GuardError) as caught:
                    await guard.accounts.data_key(WORK, "read", "ab" * 32, "cd" * 16)
                return key.key, caught.exception.name

        key, error = asyncio.run(main())
        self.assertEqual((len(key), error), (32, "UnknownKey"))

