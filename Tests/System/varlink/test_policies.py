"""Another policy over the wire: what it would change, how much of that is too much, and the way back."""

from configuration import PORTAL, Configuration
from session import DaemonCase, Handler
from wire import ADMIN

PAGE = "https://mail.contoso.com/inbox"


class Policies(DaemonCase):
    def setUp(self) -> None:
        super().setUp()
        self.configuration.write(self.daemon.config)
        self.call(self.admin(), "Reload", force=True)

    def write_another(self) -> None:
        """A configuration under which `PAGE` is external."""
        rules = self.configuration.files["rules/contoso.yaml"].replace("contoso.com", "fabrikam.com")
        Configuration(PORTAL, rules=rules).write(self.daemon.config)

    def asked_about_page(self) -> Handler:
        handler = self.managed()
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "allow")
        return handler

    def test_a_preview_says_what_would_change_and_changes_nothing(self) -> None:
        handler = self.asked_about_page()
        self.write_another()
        before = self.call(self.admin(), "Status")
        answer = self.call(self.admin(), "Reload", preview=True)
        self.assertEqual((answer["changed"], answer["generation"]), (False, before["generation"]))
        preview = answer["preview"]
        self.assertGreaterEqual(preview["changed"], 1)
        change = next(change for change in preview["changes"] if change["url"] == PAGE)
        self.assertEqual((change["app"], change["class"], change["event"]), ("com.contoso.portal", "documents", "navigate"))
        self.assertEqual((change["before"]["outcome"], change["before"]["rule"]), ("allow", "own"))
        self.assertEqual((change["after"]["outcome"], change["after"]["rule"]), ("redirect", "default"))
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "allow")

    def test_too_many_changes_keep_the_old_policy(self) -> None:
        """What is stricter is no change to hold back; the way to the old policy is looser."""
        handler = self.asked_about_page()
        old = {file: file.read_text() for file in self.daemon.config.rglob("*.yaml")}
        self.write_another()
        self.assertTrue(self.call(self.admin(), "Reload", maxChange=0)["changed"])
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "redirect")
        for file, text in old.items():
            file.write_text(text)
        for limit in ({"maxChange": 0}, {"maxChangePercent": 0}):
            refusal = self.refused(f"{ADMIN}.TooManyChanges", self.admin(), "Reload", **limit)
            self.assertEqual(refusal["maximum"], 0)
            self.assertGreaterEqual(refusal["preview"]["loosened"], 1)
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "redirect")
        self.assertIn("more than 0", self.call(self.admin(), "Status")["lastError"])
        self.assertTrue(self.call(self.admin(), "Reload", maxChangePercent=100)["changed"])
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "allow")

    def test_check_ins_are_kept_and_forgotten(self) -> None:
        admin = self.admin()
        self.assertNotIn("checkIn", self.call(admin, "Status"))
        self.assertNotIn("policyAge", self.call(self.guard(), "OwnPrograms"))
        digest = self.call(admin, "Reload", checkedIn=True)["digest"]
        told = self.call(admin, "Status")["checkIn"]
        self.assertEqual(told["digest"], digest)
        own = self.call(self.guard(), "OwnPrograms")
        self.assertEqual((own["checkedInAt"], own["enforced"]), (told["time"], True))
        self.assertLess(own["policyAge"], 60)
        self.call(admin, "NoteFailedCheckIn", cause="no route to host")
        status = self.call(admin, "Status")
        self.assertEqual((status["checkIn"], status["checkInFailure"]["cause"]), (told, "no route to host"))
        self.assertEqual([problem["code"] for problem in self.call(admin, "Health")["problems"]], ["checkInFailed"])
        self.call(admin, "ForgetCheckIns")
        status = self.call(admin, "Status")
        self.assertNotIn("checkIn", status)
        self.assertNotIn("checkInFailure", status)

    def test_a_rollback_holds_until_it_is_overruled(self) -> None:
        handler, admin = self.asked_about_page(), self.admin()
        before = self.call(admin, "Status")["digest"]
        self.write_another()
        after = self.call(admin, "Reload")["digest"]
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "redirect")
        self.assertEqual(self.call(admin, "Rollback", to=before[:12])["digest"], before)
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "allow")
        status = self.call(admin, "Status")
        self.assertEqual((status["source"], status["rolledBackFrom"]), ("rolledBack", [after]))
        self.assertEqual(self.refused(f"{ADMIN}.RolledBack", admin, "Reload")["digest"], after)
        self.assertEqual(self.call(admin, "Reload", force=True)["digest"], after)
        self.assertEqual(self.navigate(handler, PAGE)["outcome"], "redirect")

    def test_only_a_kept_policy_can_be_gone_back_to(self) -> None:
        for digest in ("0" * 64, "abc", "no digest"):
            refusal = self.refused(f"{ADMIN}.UnknownPolicy", self.admin(), "Rollback", to=digest)
            self.assertEqual(refusal["digest"], digest)


class FirstPolicy(DaemonCase):
    def test_there_is_nothing_before_the_first(self) -> None:
        self.refused(f"{ADMIN}.NothingToRollBackTo", self.admin(), "Rollback")
