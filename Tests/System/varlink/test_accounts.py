"""The life of accounts through the varlink package: every method of org.webviewguard.Accounts that an app calls."""

import os

from configuration import APP, PERSONAL, PORTAL, WORK, Configuration
from session import DaemonCase, Handler
from wire import ACCOUNTS, ADMIN, GUARD

SECOND = "second@contoso.com"
OBJECT_ID = "6d5c2f7e-8d1c-4f0a-9b52-3c1f0e7a4d11"
SOURCES = PORTAL.replace("    identityMode: multi\n", "    identityMode: multi\n    accounts: { source: [app, broker] }\n")

VALUES = """\
appConfig:
  - { name: portal, app: com.contoso.portal, default: true, values: { beta: true, maxTabs: 9 } }
  - { name: pilot, app: com.contoso.portal, accounts: [work@contoso.com], values: { maxTabs: 3 } }
  - { name: staff, app: com.contoso.portal, accounts: ["*@contoso.com"], values: { maxTabs: 5 } }
"""


class AccountMethods(DaemonCase):
    configuration = Configuration(SOURCES)

    def accounts(self, guard: Handler) -> Handler:
        """The same connection, for the other interface."""
        return Handler(self.daemon.guard_socket, ACCOUNTS, guard.connection)

    def test_an_account_from_its_registration_to_its_end(self) -> None:
        app = self.accounts(self.attached())
        self.assertEqual(self.call(app, "List"), {"accounts": []})
        self.assertEqual(
            self.call(app, "Register", account=WORK.upper()),
            {"account": WORK, "state": "enrolled", "result": "newPolicies"})
        self.assertEqual(self.call(app, "Register", account=WORK)["result"], "alreadyEnrolled")
        self.assertEqual(self.call(app, "Register", account=SECOND)["result"], "singleAccount")
        listed = self.call(app, "List")
        self.assertEqual([account["account"] for account in listed["accounts"]], [SECOND, WORK])
        self.assertEqual(listed["enrolled"], WORK)
        enrolled = listed["accounts"][1]
        self.assertEqual((enrolled["managed"], enrolled["protection"], enrolled["sources"]), (True, "contoso-standard", ["app"]))
        self.assertEqual(
            self.call(app, "Deregister", account=WORK, data="keep"),
            {"account": WORK, "state": "suspended", "result": "unenrolled"})
        self.assertEqual(self.call(app, "Deregister", account=PERSONAL)["result"], "noPolicy")
        self.assertEqual(self.call(app, "Register"), {"account": "", "state": "unknown", "result": "noAccount"})

    def test_the_sign_in_service_speaks_without_attach(self) -> None:
        session = Handler(self.daemon.guard_socket, ACCOUNTS)
        self.addCleanup(session.close)
        self.assertEqual(self.call(session, "DeviceAccount"), {})
        names = {"upn": WORK, "objectId": f"{OBJECT_ID}.{OBJECT_ID}"}
        self.assertEqual(self.call(session, "SignedIn", source="broker", accounts=[names]), {})
        self.assertEqual(self.call(session, "DeviceAccount"), {"account": WORK})
        self.assertEqual(self.call(session, "Notices", languages=["de-AT"]), {"notices": []})
        self.assertEqual(self.call(session, "Notices"), {"notices": []})
        self.refused(f"{GUARD}.NotAttached", session, "List")
        self.assertEqual(self.call(session, "SignedIn", source="broker", accounts=[]), {})

    def test_who_may_sign_in(self) -> None:
        app = self.accounts(self.attached())
        self.assertEqual(self.call(app, "MaySignIn", account=PERSONAL), {"allowed": True, "state": "unmanaged"})
        self.assertEqual(self.call(app, "AllowedAccounts"), {"mustSignOut": []})
        self.refused(f"{GUARD}.UnknownAccount", app, "MaySignIn", account="ghost")

    def test_a_result_that_nobody_asked_for(self) -> None:
        app = self.accounts(self.attached(app=APP))
        self.refused(f"{GUARD}.UnknownRequest", app, "Complete", request="wipe-1", result="done")
        self.refused(f"{GUARD}.UnknownRequest", app, "FilesRemoved", request="wipe-1", removed=1, kept=0)


class Looks(DaemonCase):
    configuration = Configuration(SOURCES)

    def test_a_look_at_an_account(self) -> None:
        """A bound account has a request, which news name; one that no protection binds has none."""
        app = Handler(self.daemon.guard_socket, ACCOUNTS, self.attached().connection)
        self.assertTrue(self.call(app, "Remediate", account=WORK, silent=True)["request"])
        self.assertEqual(self.call(app, "Remediate", account=PERSONAL), {})
        self.refused(f"{GUARD}.UnknownAccount", app, "Remediate", account="ghost")


class AppConfiguration(DaemonCase):
    configuration = Configuration(SOURCES, VALUES)

    def test_values_by_account(self) -> None:
        """An enrolled account has its values and their conflicts; one that is only registered has none."""
        app = Handler(self.daemon.guard_socket, ACCOUNTS, self.attached().connection)
        self.assertEqual(self.call(app, "Config"), {"accounts": []})
        self.call(app, "Register", account=WORK)
        [listed] = self.call(app, "Config")["accounts"]
        self.assertEqual((listed["account"], listed["state"], listed["conflicts"]), (WORK, "enrolled", ["maxTabs"]))
        self.assertEqual({value["key"] for value in listed["values"]}, {"beta", "maxTabs"})
        [other] = self.call(app, "Config", accounts=[SECOND])["accounts"]
        self.assertEqual((other["account"], other["values"], other["conflicts"]), (SECOND, [], []))
        self.assertNotEqual(other["state"], "enrolled")
        self.refused(f"{GUARD}.UnknownAccount", app, "Config", accounts=["ghost"])


class AdministratorsAccounts(DaemonCase):
    configuration = Configuration(SOURCES)

    def test_orders_about_accounts(self) -> None:
        """They are seen, ended, wiped and restored; an order that makes no sense is refused with its reason."""
        app = Handler(self.daemon.guard_socket, ACCOUNTS, self.attached().connection)
        self.call(app, "Register", account=WORK)
        admin, person = self.admin(), {"account": WORK, "uid": os.getuid()}
        [listed] = self.call(admin, "Accounts")["accounts"]
        self.assertEqual((listed["account"], listed["app"], listed["uid"]), (WORK, APP, os.getuid()))
        self.assertEqual(self.call(admin, "Wipes"), {"wipes": []})
        preview = self.call(admin, "WipeAccount", reason="the phone is lost", **person)
        self.assertEqual((preview["account"], preview["apps"], preview["destroys"]), (WORK, [APP], False))
        self.assertEqual(self.call(admin, "Wipes"), {"wipes": []})
        self.refused(f"{ADMIN}.AccountRefused", admin, "ApproveWipe", id="w-1-1")
        self.refused(f"{ADMIN}.AccountRefused", admin, "RestoreAccount", reason="found", **person)
        ended = self.call(admin, "DeregisterAccount", app=APP, reason="the person left", **person)
        self.assertEqual((ended["state"], ended["result"]), ("suspended", "unenrolled"))
        self.assertEqual(self.call(app, "List")["accounts"][0]["state"], "suspended")
