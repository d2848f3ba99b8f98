"""Every error that the interface files promise, provoked."""

import shutil
from typing import Any

from configuration import APP, BROKEN, KIOSK, PERSONAL, PORTAL, STRANGER, WORK, Configuration
from session import DaemonCase, Handler
from wire import ADMIN, GUARD, RULES, SERVICE

NAME_BYTES = 256
NESTING = 64
INVALID = f"{SERVICE}.InvalidParameter"


class ErrorsOfGuard(DaemonCase):
    def test_attach_is_needed_and_done_once(self) -> None:
        handler = self.guard()
        for method, parameters in (
            ("RegisterViewer", {"viewer": "v"}),
            ("SetDocument", {"viewer": "v"}),
            ("ForgetViewer", {"viewer": "v"}),
            ("SetWebViewPolicy", {"viewer": "v", "policy": "unset"}),
            ("SetExternalURLRules", {"viewer": "v"}),
            ("SetIdentity", {"level": "process"}),
            ("Navigate", {"event": {"url": "https://contoso.com/"}}),
            ("Paste", {"event": {}}),
        ):
            self.refused(f"{GUARD}.NotAttached", handler, method, **parameters)
        self.call(handler, "Attach")
        self.refused(f"{GUARD}.AlreadyAttached", handler, "Attach")

    def test_attach_as_somebody_else(self) -> None:
        self.assertEqual(self.refused(f"{GUARD}.AppMismatch", self.guard(), "Attach", app="other"), {"app": "other"})
        for token in ("0" * 32, "", "x" * 10_000):
            self.refused(f"{GUARD}.UnknownInstance", self.guard(), "Attach", instance=token)

    def test_names_that_nobody_registered(self) -> None:
        handler = self.managed()
        for error, parameters, method, arguments in (
            ("UnknownViewer", {"viewer": "x"}, "SetDocument", {"viewer": "x", "document": "https://contoso.com/"}),
            ("UnknownViewer", {"viewer": "x"}, "ForgetViewer", {"viewer": "x"}),
            ("UnknownViewer", {"viewer": "x"}, "SetWebViewPolicy", {"viewer": "x", "policy": "unmanaged"}),
            ("UnknownViewer", {"viewer": "x"}, "SetExternalURLRules", {"viewer": "x", "ruleSet": "contoso"}),
            ("UnknownClass", {"class": "x"}, "RegisterViewer", {"viewer": "v", "class": "x"}),
            ("UnknownParent", {"parent": "x"}, "RegisterViewer", {"viewer": "v", "parent": "x"}),
            ("UnknownOpener", {"opener": "x"}, "RegisterViewer", {"viewer": "v", "opener": "x"}),
            ("UnknownRuleSet", {"ruleSet": "x"}, "SetExternalURLRules", {"viewer": "docs2", "ruleSet": "x"}),
            (
                "UnknownAccount",
                {"account": "x@y.example"},
                "SetIdentity",
                {"level": "process", "account": "x@y.example"},
            ),
        ):
            self.call(handler, "RegisterViewer", viewer="docs2", **{"class": "loose"})
            self.assertEqual(self.refused(f"{GUARD}.{error}", handler, method, **arguments), parameters)

    def test_one_managed_account_at_a_time(self) -> None:
        handler = self.managed()
        second = {"level": "window", "window": "w", "account": "second@contoso.com"}
        refused = self.refused(f"{GUARD}.SecondManagedAccount", handler, "SetIdentity", **second)
        self.assertEqual(refused, {"account": WORK})
        self.assertEqual(self.call(handler, "SetIdentity", gates="success", **second)["result"], "notAllowed")

    def test_requests_that_nobody_made(self) -> None:
        handler = self.managed()
        for request in ("switch-0000000000000001-1", "nonsense"):
            refused = self.refused(f"{GUARD}.UnknownRequest", handler, "Answer", request=request, result="success")
            self.assertEqual(refused, {"request": request})

    def test_what_the_configuration_states_is_locked(self) -> None:
        handler = self.managed()
        self.assertEqual(
            self.refused(f"{GUARD}.PolicyLocked", handler, "SetWebViewPolicy", viewer="docs", policy="unmanaged"),
            {"viewer": "docs", "policy": "currentIdentity"},
        )
        raised = self.call(handler, "SetWebViewPolicy", viewer="docs", policy="currentIdentityBlockUpload")
        self.assertEqual(raised["policy"], "currentIdentityBlockUpload")
        for change in ({"ruleSet": "other"}, {}):
            self.assertEqual(
                self.refused(f"{GUARD}.PolicyLocked", handler, "SetExternalURLRules", viewer="docs", **change),
                {"viewer": "docs", "ruleSet": "contoso"},
            )
        self.assertEqual(
            self.refused(f"{GUARD}.ClassLocked", handler, "RegisterViewer", viewer="docs", **{"class": "loose"}),
            {"viewer": "docs"},
        )

    def test_containers_and_circles(self) -> None:
        handler = self.managed()
        self.call(handler, "RegisterViewer", viewer="outer", kind="container")
        self.assertEqual(
            self.refused(
                f"{GUARD}.RulesOnContainer", handler, "SetExternalURLRules", viewer="outer", ruleSet="contoso"
            ),
            {"viewer": "outer"},
        )
        self.call(handler, "RegisterViewer", viewer="inner", parent="outer")
        self.refused(f"{GUARD}.ViewerCycle", handler, "RegisterViewer", viewer="outer", parent="inner")
        self.assertEqual(
            self.refused(f"{GUARD}.ViewerCycle", handler, "RegisterViewer", viewer="inner", parent="inner"),
            {"viewer": "inner"},
        )

    def test_a_page_cannot_make_itself_the_document(self) -> None:
        handler = self.managed()
        external = f"{GUARD}.DocumentIsExternal"
        self.assertEqual(
            self.refused(external, handler, "SetDocument", viewer="docs", document="https://sharing.example/#here"),
            {"viewer": "docs"},
        )
        # A redirect opens elsewhere, and of this page no rule says anything.
        self.assertEqual(self.navigate(handler, "https://example.net/me")["outcome"], "redirect")
        self.assertEqual(self.call(handler, "SetDocument", viewer="docs", document="https://example.net/me"), {})
        # Whatever is loaded while nobody judges it is no document afterwards.
        self.call(handler, "SetIdentity", level="process", account=PERSONAL)
        self.assertEqual(self.navigate(handler, "https://example.net/you")["outcome"], "allow")
        self.call(handler, "SetIdentity", level="process", account=WORK)
        self.refused(external, handler, "SetDocument", viewer="docs", document="https://example.net/you")
        self.refused(external, handler, "RegisterViewer", viewer="docs", document="https://example.net/you")
        self.assertEqual(self.call(handler, "SetDocument", viewer="docs", document="https://example.net/me"), {})
        self.refused(f"{GUARD}.InvalidDocument", handler, "SetDocument", viewer="docs", document="https://")

    def test_parameters_are_checked_by_name(self) -> None:
        handler = self.managed()
        self.assertEqual(self.refused(INVALID, handler, "RegisterViewer"), {"parameter": "viewer"})
        self.assertEqual(self.refused(INVALID, handler, "RegisterViewer", viewer=""), {"parameter": "viewer"})
        self.assertEqual(
            self.refused(INVALID, handler, "RegisterViewer", viewer="v", kind="tab"), {"parameter": "kind"}
        )
        self.assertEqual(self.refused(INVALID, handler, "SetIdentity", level="window"), {"parameter": "window"})
        self.assertEqual(
            self.refused(INVALID, handler, "SetIdentity", level="process", window="w"), {"parameter": "window"}
        )
        self.assertEqual(self.refused(INVALID, handler, "Navigate", event={"frame": "top"}), {"parameter": "frame"})
        self.assertEqual(self.refused(INVALID, handler, "Copy", event={"length": -1}), {"parameter": "length"})
        self.assertEqual(self.refused(INVALID, handler, "Paste"), {"parameter": "event"})


class CapsOfGuard(DaemonCase):
    """Caps refuse the new, and never forget what is."""

    def test_viewers(self) -> None:
        handler = self.attached()
        for number in range(80):
            self.call(handler, "RegisterViewer", viewer=f"v{number}")
        self._reached("viewers", 80, handler, "RegisterViewer", viewer="one-more")
        self.assertEqual(self.call(handler, "SetDocument", viewer="v0"), {})
        self.call(handler, "ForgetViewer", viewer="v0")
        self.call(handler, "RegisterViewer", viewer="one-more")

    def test_windows(self) -> None:
        handler = self.attached()
        for number in range(3):
            self.call(handler, "SetIdentity", level="window", window=f"w{number}", account=WORK)
        self._reached("windows", 3, handler, "SetIdentity", level="window", window="w3", account=WORK)
        again = self.call(handler, "SetIdentity", level="window", window="w0", account="")
        self.assertEqual(again["previous"], WORK)

    def test_names(self) -> None:
        handler = self.attached()
        self.call(handler, "RegisterViewer", viewer="n" * NAME_BYTES)
        self._reached("nameBytes", NAME_BYTES, handler, "RegisterViewer", viewer="n" * (NAME_BYTES + 1))
        self._reached("nameBytes", NAME_BYTES, handler, "RegisterViewer", viewer="v", window="ü" * NAME_BYTES)

    def test_nesting(self) -> None:
        handler = self.attached()
        self.call(handler, "RegisterViewer", viewer="n1", kind="container")
        for depth in range(2, NESTING + 1):
            self.call(handler, "RegisterViewer", viewer=f"n{depth}", parent=f"n{depth - 1}")
        self._reached("nesting", NESTING, handler, "RegisterViewer", viewer="deep", parent=f"n{NESTING}")

    def _reached(self, limit: str, maximum: int, handler: Handler, method: str, **parameters: Any) -> None:
        reached = self.refused(f"{GUARD}.LimitReached", handler, method, **parameters)
        self.assertEqual(reached, {"limit": limit, "maximum": maximum})


class CapOfInstances(DaemonCase):
    def test_instances(self) -> None:
        held = [self.attached() for _ in range(40)]
        reached = self.refused(f"{GUARD}.LimitReached", self.guard(), "Attach")
        self.assertEqual(reached, {"limit": "instances", "maximum": 40})
        self.assertEqual(self.call(held[0], "WhoAmI")["app"], APP)


class ErrorsOfAdministration(DaemonCase):
    def test_monitor_needs_more(self) -> None:
        self.refused(f"{SERVICE}.ExpectedMore", self.admin(), "Monitor")

    def test_methods_that_no_interface_has(self) -> None:
        for path, method in (
            (self.daemon.guard_socket, f"{GUARD}.Fly"),
            (self.daemon.guard_socket, f"{GUARD}.navigate"),
            (self.daemon.admin_socket, f"{ADMIN}.Navigate"),
            (self.daemon.admin_socket, f"{SERVICE}.Status"),
        ):
            reply = self.wire(path).call(method)
            self.assertEqual(self.is_error(reply, f"{SERVICE}.MethodNotFound"), {"method": method})
        for method in (f"{GUARD}x.Navigate", "org.webviewguard.Nothing.Status", "com.example.A.B"):
            reply = self.wire().call(method)
            expected = {"interface": method.rpartition(".")[0]}
            self.assertEqual(self.is_error(reply, f"{SERVICE}.InterfaceNotFound"), expected)

    def test_rules_know_their_names(self) -> None:
        rules = self.rules()
        self.assertEqual(
            self.refused(f"{RULES}.UnknownRuleSet", rules, "Classify", ruleSet="none", url="https://a.example/"),
            {"ruleSet": "none"},
        )
        for decision in ("d-1", "nonsense" * 100):
            self.assertEqual(
                self.refused(f"{RULES}.UnknownDecision", rules, "Explain", decision=decision), {"decision": decision}
            )
        self.assertEqual(self.refused(INVALID, rules, "Explain"), {"parameter": "decision"})

    def test_a_broken_policy_is_refused_and_the_old_one_stays(self) -> None:
        handler, admin = self.managed(), self.admin()
        before = self.call(admin, "Status")
        (self.daemon.config / "policy.d/broken.yaml").write_text(BROKEN)
        failed = self.refused(f"{ADMIN}.LoadFailed", admin, "Reload")["diagnostics"]
        self.assertGreaterEqual(len(failed), 2, failed)
        self.assertTrue(any("`colour`" in line for line in failed), failed)
        for line in failed:
            self.assertRegex(line, r"[.]yaml:\d+:\d+: (error|warning): .* \[.+\]")
        after = self.call(admin, "Status")
        self.assertEqual((after["digest"], after["generation"]), (before["digest"], before["generation"]))
        self.assertIn("colour", after["lastError"])
        self.assertEqual(self.navigate(handler, "https://contoso.com/")["reason"], "internal")
        (self.daemon.config / "policy.d/broken.yaml").unlink()
        self.assertFalse(self.call(admin, "Reload")["changed"])
        self.assertNotIn("lastError", self.call(admin, "Status"))


class TwoAppsOfOneUser(DaemonCase):
    configuration = Configuration(PORTAL, KIOSK)

    def test_the_caller_must_name_one(self) -> None:
        handler = self.guard()
        self.assertNotIn("app", self.call(handler, "WhoAmI"))
        apps = self.refused(f"{GUARD}.AppAmbiguous", handler, "Attach")["apps"]
        self.assertEqual(sorted(apps), ["com.contoso.kiosk", APP])
        self.assertEqual(self.call(handler, "Attach", app="com.contoso.kiosk")["app"], "com.contoso.kiosk")

    def test_one_identity_that_the_configuration_states(self) -> None:
        handler = self.guard()
        self.call(handler, "Attach", app="com.contoso.kiosk")
        for level in ({"level": "window", "window": "w"}, {"level": "scope"}):
            self.refused(f"{GUARD}.IdentityModeSingle", handler, "SetIdentity", account=WORK, **level)
        self.assertEqual(
            self.refused(f"{GUARD}.AccountLocked", handler, "SetIdentity", level="process", account=""),
            {"account": WORK},
        )
        self.assertEqual(self.call(handler, "SetIdentity", level="process", account=WORK)["effectiveUI"], WORK)

    def test_an_instance_belongs_to_one_app(self) -> None:
        token = self.call(self.guard(), "Attach", app=APP)["instance"]
        self.refused(f"{GUARD}.UnknownInstance", self.guard(), "Attach", app="com.contoso.kiosk", instance=token)


class NobodyOfThePolicy(DaemonCase):
    configuration = Configuration(STRANGER)

    def test_a_stranger_may_look_and_nothing_else(self) -> None:
        handler = self.guard()
        self.assertNotIn("app", self.call(handler, "WhoAmI"))
        self.assertEqual(self.call(self.service(self.daemon.guard_socket), "GetInfo")["product"], "webviewguard")
        self.refused(f"{GUARD}.NoApp", handler, "Attach")
        self.refused(f"{GUARD}.NoApp", handler, "Attach", app=APP)


class NoPolicyAtAll(DaemonCase):
    configuration = Configuration(BROKEN)

    def test_without_a_policy_nobody_attaches_and_a_reload_helps(self) -> None:
        handler, admin = self.guard(), self.admin()
        self.refused(f"{GUARD}.NoPolicy", handler, "Attach")
        self.refused(f"{RULES}.NoPolicy", self.rules(), "Classify", ruleSet="contoso", url="https://contoso.com/")
        status = self.call(admin, "Status")
        self.assertEqual((status["state"], status["generation"], status["digest"]), ("noPolicy", 0, ""))
        self.assertNotIn("loadedAt", status)
        self.refused(f"{ADMIN}.LoadFailed", admin, "Reload")
        shutil.rmtree(self.daemon.config)
        Configuration().write(self.daemon.config)
        self.assertEqual(self.call(admin, "Reload")["generation"], 1)
        self.assertEqual(self.call(handler, "Attach")["app"], APP)
