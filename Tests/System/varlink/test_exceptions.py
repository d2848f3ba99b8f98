"""Timed exceptions over the wire: granted, listed, taken back, and refused."""

import os
import shutil
import signal
from typing import Any

from configuration import APP, WORK
from session import DaemonCase
from wire import ADMIN

SITE = "files.sharing.example"


class Exceptions(DaemonCase):
    def grant(self, **more: Any) -> dict[str, Any]:
        parameters = {"host": SITE, "seconds": 3600, "reason": "a tender", **more}
        return self.call(self.admin(), "AddException", **parameters)["exception"]

    def test_one_is_granted_named_and_taken_back(self) -> None:
        handler = self.managed()
        self.assertEqual(self.navigate(handler, f"https://{SITE}/")["reason"], "blockedByRule")
        granted = self.grant(app=APP, account=WORK, subjects=["page", "download"])
        self.assertEqual((granted["host"], granted["subjects"]), (SITE, ["page", "download"]))
        self.assertEqual((granted["app"], granted["account"], granted["uid"]), (APP, WORK, os.getuid()))
        decision = self.navigate(handler, f"https://{SITE}/")
        self.assertEqual((decision["outcome"], decision["reason"]), ("allow", "exception"))
        self.assertEqual(decision["exception"], granted["id"])
        self.assertEqual(self.call(self.admin(), "ListExceptions")["exceptions"], [granted])
        self.assertEqual(self.call(self.admin(), "Status")["exceptions"], 1)
        removed = self.call(self.admin(), "RemoveException", id=granted["id"])["exception"]
        self.assertEqual((removed["ended"], removed["endedBy"]), ("removed", os.getuid()))
        self.assertEqual(self.navigate(handler, f"https://{SITE}/")["reason"], "blockedByRule")
        self.assertIn(removed, self.call(self.admin(), "ListExceptions", all=True)["exceptions"])

    def test_a_crash_takes_none(self) -> None:
        granted = self.grant(domain="supplier.example", host=None)
        self.daemon.stop(signal.SIGKILL)
        self.daemon.start()
        type(self).killed += 1
        self.assertEqual(self.call(self.admin(), "ListExceptions")["exceptions"], [granted])
        self.assertEqual(self.navigate(self.managed(), "https://www.supplier.example/")["exception"], granted["id"])
        self.call(self.admin(), "RemoveException", id=granted["id"])

    def test_what_is_doubtful_is_refused(self) -> None:
        admin = self.admin()
        for parameters, why in (
            ({"domain": "co.uk"}, "publicSuffix"),
            ({"host": SITE, "domain": SITE}, "noSite"),
            ({"host": "no host"}, "badSite"),
            ({"host": SITE, "seconds": 0}, "badTime"),
            ({"host": SITE, "app": "com.contoso.none"}, "unknownApp"),
        ):
            whole = {"seconds": 60, "reason": "a tender", **parameters}
            refused = self.refused(f"{ADMIN}.ExceptionRefused", admin, "AddException", **whole)
            self.assertEqual(refused["why"], why)
            self.assertTrue(refused["explanation"])
        self.assertEqual(self.refused(f"{ADMIN}.UnknownException", admin, "RemoveException", id="x"), {"id": "x"})


class ExceptionsWithoutAState(DaemonCase):
    def test_one_that_cannot_be_kept_does_not_hold(self) -> None:
        admin, state = self.admin(), self.daemon.directory / "state/state.db"
        held = self.call(admin, "AddException", host="held.example", seconds=60, reason="a tender")["exception"]
        # Another file in its place: what the daemon writes would never be found again.
        shutil.copy(state, state.with_suffix(".copy"))
        state.with_suffix(".copy").replace(state)
        refused = self.refused(
            f"{ADMIN}.ExceptionNotKept", admin, "AddException", host=SITE, seconds=60, reason="a tender"
        )
        self.assertIn("another file", refused["cause"])
        self.assertEqual(self.navigate(self.managed(), f"https://{SITE}/")["reason"], "blockedByRule")
        self.assertEqual(
            self.refused(f"{ADMIN}.ExceptionNotKept", admin, "RemoveException", id=held["id"])["id"], held["id"]
        )
        self.assertEqual(self.call(admin, "ListExceptions"), {"exceptions": []})
