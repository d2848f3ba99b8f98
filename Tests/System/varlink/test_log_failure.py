"""A decision log, or a state, that cannot be written: nothing is allowed without a record, and nothing is lost for good.

A limit on the size of files stands for a full disk: it needs no privileges, and it can be lifted while the daemon runs.
"""

import resource
from typing import Any

from configuration import SETTINGS, Configuration
from daemon import eventually
from session import DaemonCase
from wire import ACCOUNTS, GUARD, Wire

# So much of the next record still fits, so that it is cut in two.
ROOM_BYTES = 100


class LogCase(DaemonCase):
    def ask(self, wire: Wire, url: str) -> dict[str, Any]:
        """The reply to a question, counted as asked: it gets its record, however late."""
        type(self).asked += 1
        return wire.call(f"{GUARD}.Navigate", event={"viewer": "docs", "url": url, "frame": "main"})

    def outcome(self, wire: Wire, url: str) -> str:
        reply = self.ask(wire, url)
        return reply["error"] if "error" in reply else reply["parameters"]["decision"]["outcome"]

    def asking(self) -> Wire:
        wire = self.wire()
        wire.call(f"{GUARD}.Attach")
        wire.call(f"{GUARD}.SetIdentity", level="process", account="work@contoso.com")
        wire.call(f"{GUARD}.RegisterViewer", viewer="docs", **{"class": "documents"})
        return wire

    def fill(self) -> int:
        """Leaves room for part of a record, and returns the size to which the log can grow."""
        size = self.daemon.log_file.stat().st_size + ROOM_BYTES
        self.limit(size)
        self.addCleanup(lambda: self.limit(None) if self.daemon.is_alive else None)
        return size

    def limit(self, size: int | None) -> None:
        hard = resource.prlimit(self.daemon.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(self.daemon.pid, resource.RLIMIT_FSIZE, (hard if size is None else size, hard))


class WithoutRecordNothingIsAllowed(LogCase):
    def test_restrictions_hold_and_permissions_do_not(self) -> None:
        wire = self.asking()
        self.assertEqual(self.outcome(wire, "https://contoso.com/"), "allow")
        size = self.fill()
        for number in range(5):
            self.is_error(self.ask(wire, f"https://contoso.com/{number}"), f"{GUARD}.LogUnavailable")
            self.assertEqual(self.outcome(wire, f"https://example.net/{number}"), "redirect")
        self.assertEqual(self.daemon.log_file.stat().st_size, size)
        self.limit(None)
        eventually(lambda: self.outcome(wire, "https://contoso.com/") == "allow", "the log is written again")
        self.assertEqual(len(self.daemon.records("failure")), 1)


class WithoutRecordNoLabelIsGiven(LogCase):
    def test_no_label_leaves_without_its_record(self) -> None:
        wire = self.asking()
        self.assertIn("label", wire.call(f"{ACCOUNTS}.FileCreated")["parameters"])
        self.fill()
        for _ in range(3):
            self.is_error(wire.call(f"{ACCOUNTS}.FileCreated"), f"{GUARD}.LogUnavailable")
            self.is_error(wire.call(f"{ACCOUNTS}.SetOwner", account="work@contoso.com"), f"{GUARD}.LogUnavailable")
        self.limit(None)
        eventually(lambda: "label" in wire.call(f"{ACCOUNTS}.FileCreated").get("parameters", {}), "the log is written again")


class WithoutRecordWorkGoesOn(LogCase):
    configuration = Configuration(settings=SETTINGS + "log: { onLogFailure: continue }\n")

    def test_answers_stay_and_records_come_later(self) -> None:
        wire = self.asking()
        self.fill()
        for number in range(5):
            self.assertEqual(self.outcome(wire, f"https://contoso.com/{number}"), "allow")
            self.assertEqual(self.outcome(wire, f"https://example.net/{number}"), "redirect")
        self.limit(None)
        eventually(lambda: len(self.daemon.records("failure")) == 1, "the log is written again")


class WithoutStateNoEndIsPromised(LogCase):
    def test_an_end_that_no_disk_took_is_refused(self) -> None:
        wire = self.asking()
        state = self.daemon.directory / "state"
        away = state.rename(state.with_name("away"))
        reply = wire.call(f"{ACCOUNTS}.Deregister", account="work@contoso.com")
        away.rename(state)
        self.is_error(reply, f"{GUARD}.StateUnavailable")
