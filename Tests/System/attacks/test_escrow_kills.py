"""Copies of keys for the organisation, and a daemon that ends at any of its operations on the state's disk: whatever a
key sealed, the copy of that key was on the disk before."""

import os
import random
import shutil
import signal

from configuration import WORK
from daemon import eventually
from disk import environment
from test_data_keys import TEXT, object_id
from test_escrow import EscrowCase, policy
from test_wipes import ALICE
from wire import ADMIN

# All points are tried by `make test-sealed EFFORT=100`; each takes a second.
EFFORT = int(os.environ.get("WEBVIEWGUARD_EFFORT", "10"))


class EscrowKills(EscrowCase):
    ROTATIONS = 3
    said = ""

    def disk(self, **settings: object) -> None:
        """A machine without keys, whose daemon is started on the failing disk."""
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(self.state, ignore_errors=True)
        self.state.mkdir(mode=0o700)
        self.daemon.environment |= environment(self.state, **settings)

    def seals(self, sealed: list[bytes]) -> None:
        """An app seals after each new key."""
        link = self.app(ALICE)
        sealed.append(self.sealing(link).protect(TEXT, WORK))
        for _ in range(self.ROTATIONS):
            reply = self.wire(self.daemon.admin_socket).call(
                f"{ADMIN}.RotateAccountKey", account=WORK, uid=ALICE, reason="as every year")  # fmt: skip
            self.assertIn("parameters", reply)
            sealed.append(self.sealing(link).protect(TEXT + object_id().encode(), WORK))

    def operations(self) -> tuple[int, int]:
        """How many operations there are until apps may ask, and until they have sealed all."""
        file = self.daemon.directory / "count"
        self.disk(count=file)
        self.daemon.start()
        # The daemon goes on, and writes the number anew with each operation: it may be empty for a moment.
        before = int(eventually(file.read_text, "the operations are counted"))
        self.seals([])
        self.daemon.stop()
        del self.daemon.environment["DISK_COUNT"]
        return before, int(file.read_text())

    def cut_at(self, operation: int) -> list[bytes]:
        """What was sealed until the daemon ended at this operation. It may end earlier or later than in the run that was
        counted, since it also does work of its own."""
        sealed: list[bytes] = []
        self.disk(crash_at=operation)
        try:
            self.daemon.start()
            self.seals(sealed)
        except Exception:  # noqa: BLE001
            # Whatever the client makes of a daemon that is gone.
            assert self.daemon.process
            self.assertEqual(self.daemon.process.wait(60), 137)
        return sealed

    def holds(self, sealed: list[bytes]) -> None:
        """Every key has its copy, which opens what the key sealed."""
        files = [file.read_bytes() for file in self.copies()]
        for envelope in sealed:
            text = self.plainly(envelope, files, self.private())
            self.assertTrue(text.startswith(TEXT), self.said)

    def test_whenever_it_ends_no_key_sealed_without_its_copy(self) -> None:
        policy(self.public).write(self.daemon.config)
        before, after = self.operations()
        self.assertGreater(after - before, 20)
        span = range(before - 3, after + 1)
        cuts = total = 0
        # One of each quarter: at the beginning alone nothing is sealed yet.
        some = len(span) if EFFORT == 100 else 4
        parts = [span[len(span) * part // some : len(span) * (part + 1) // some] for part in range(some)]
        for number, operation in enumerate(map(random.choice, parts)):
            self.said = f"operation {operation} of {span}"
            sealed = self.cut_at(operation)
            cuts += self.daemon.process is not None and self.daemon.process.poll() is not None
            total += len(sealed)
            self.holds(sealed)
            del self.daemon.environment["DISK_CRASH_AT"]
            self.daemon.stop(signal.SIGKILL)
            self.daemon.start()
            link = self.app(ALICE)
            for envelope in sealed:
                self.assertTrue(self.sealing(link).unprotect(envelope).startswith(TEXT), self.said)
            sealed.append(self.sealing(link).protect(TEXT, WORK))
            self.holds(sealed)
            if number % 4 == 0:
                self.both()
        self.assertGreater(cuts, 1, "the daemon was not ended where it was to")
        self.assertGreater(total, 1)
