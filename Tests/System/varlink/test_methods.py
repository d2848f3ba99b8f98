"""Every method of every interface, called through the library, with what it must answer."""

import json
import os
from typing import Any

from configuration import APP, BROWSER, PERSONAL, WORK, Configuration, PORTAL
from daemon import eventually
from session import DaemonCase, Handler
from shown import as_administrators_see
from wire import GUARD

DIGEST_LENGTH = 64
TOKEN_LENGTH = 32

# Every event of the data paths, with what the settings of the tests answer.
DATA_PATHS: tuple[tuple[str, dict[str, Any], str, str], ...] = (
    ("Download", {"url": "https://contoso.com/a", "location": "sharePoint"}, "allow", "transferAllowed"),
    ("Upload", {"url": "https://contoso.com/in"}, "allow", "transferAllowed"),
    ("Save", {"path": "/srv/a/b", "inPlace": True}, "allow", "inPlace"),
    ("Open", {"location": "camera"}, "allow", "transferAllowed"),
    ("Receive", {"peer": APP, "peerAccount": WORK}, "allow", "transferAllowed"),
    ("Share", {"peer": "org.example.Chat.desktop", "owner": WORK}, "block", "outgoingRestricted"),
    ("Print", {}, "allow", "printAllowed"),
    ("Capture", {"capture": "ownImage"}, "allow", "captureOwnImage"),
    ("Notify", {}, "allow", "notificationAllowed"),
    ("OpenURL", {"url": "https://example.net/"}, "redirect", "external"),
    ("Exchange", {"channel": "assistant"}, "block", "channelBlocked"),
    ("Index", {}, "block", "indexBlocked"),
)


class GuardMethods(DaemonCase):
    def test_who_am_i_works_without_attach(self) -> None:
        answer = self.call(self.guard(), "WhoAmI")
        self.assertEqual((answer["uid"], answer["app"]), (os.getuid(), APP))
        self.assertTrue(answer["groups"])

    def test_own_programs_work_without_attach(self) -> None:
        mine = self.attached()
        self.call(mine, "RegisterViewer", viewer="reported", **{"class": "documents"})
        answer = self.call(self.guard(), "OwnPrograms")
        self.assertEqual((answer["generation"], len(answer["digest"])), (1, DIGEST_LENGTH))
        self.assertEqual(answer["contract"], json.loads(self.daemon.contract.read_text()))
        self.assertEqual(answer["programCount"], len(answer["programs"]))
        viewers = [viewer for program in answer["programs"] for viewer in program["viewers"]]
        reported = {"viewer": "reported", "class": "documents", "policy": "currentIdentity", "policySource": "class"}
        self.assertIn(reported | {"ruleSet": "contoso"}, viewers)

    def test_exported_rules_come_when_they_are_made(self) -> None:
        mine = self.attached()
        eventually(lambda: self.call(mine, "ExportRules", format="chromium-policy")["ready"], "they are made")
        answer = self.call(mine, "ExportRules", format="chromium-policy", **{"class": "documents"})
        while not answer["ready"]:
            answer = self.call(mine, "ExportRules", format="chromium-policy", **{"class": "documents"})
        self.assertEqual((answer["generation"], len(answer["digest"])), (1, DIGEST_LENGTH))
        self.assertEqual((answer["bytes"], json.loads(answer["part"]).keys() >= {"URLBlocklist"}),
                         (len(answer["part"].encode()), True))  # fmt: skip

    def test_attach_gives_a_token_and_the_contract(self) -> None:
        answer = self.call(self.guard(), "Attach", app=APP, features=["actions", "clips", "telepathy"])
        self.assertEqual((answer["app"], answer["generation"]), (APP, 1))
        self.assertEqual((len(answer["instance"]), len(answer["digest"])), (TOKEN_LENGTH, DIGEST_LENGTH))
        self.assertEqual(answer["features"], ["actions", "clips"])
        self.assertEqual(answer["contract"], json.loads(self.daemon.contract.read_text()))
        self.assertEqual((answer["contract"]["startMs"], answer["contract"]["answerMs"]), (2000, 400))
        self.assertEqual(answer["contract"]["navigation"], "closed")

    def test_a_second_connection_shares_the_instance(self) -> None:
        first, second = self.guard(), self.guard()
        token = self.call(first, "Attach")["instance"]
        self.assertEqual(self.call(second, "Attach", instance=token)["instance"], token)
        self.call(first, "RegisterViewer", viewer="shared")
        self.assertEqual(self.call(second, "SetDocument", viewer="shared", document="https://contoso.com/"), {})

    def test_register_viewer_says_how_it_resolves(self) -> None:
        handler = self.attached()
        answer = self.call(
            handler, "RegisterViewer", viewer="docs", window="w1", kind="embedded",
            document="https://www.contoso.com/d/1", **{"class": "documents"},
        )  # fmt: skip
        self.assertEqual(answer, {"policy": "currentIdentity", "policySource": "class", "ruleSet": "contoso"})
        self.call(handler, "RegisterViewer", viewer="pane", kind="container")
        child = self.call(handler, "RegisterViewer", viewer="inside", parent="pane")
        self.assertEqual(child, {"policy": "currentIdentity", "policySource": "default"})
        popup = self.call(handler, "RegisterViewer", viewer="popup", opener="docs", kind="popup")
        self.assertEqual(popup, {"policy": "currentIdentity", "policySource": "opener", "ruleSet": "contoso"})

    def test_viewers_are_tagged_and_given_rules(self) -> None:
        handler = self.attached()
        self.call(handler, "SetIdentity", level="process", account=WORK)
        self.call(handler, "RegisterViewer", viewer="free", **{"class": "loose"})
        tagged = self.call(handler, "SetWebViewPolicy", viewer="free", policy="unmanaged")
        self.assertEqual(tagged, {"policy": "unmanaged", "policySource": "ownTag"})
        self.assertEqual(self.navigate(handler, "https://example.net/", "free")["reason"], "noManagedIdentity")
        self.call(handler, "SetWebViewPolicy", viewer="free", policy="unset")
        self.assertEqual(self.navigate(handler, "https://example.net/", "free")["reason"], "noRules")
        self.call(handler, "SetExternalURLRules", viewer="free", ruleSet="contoso")
        self.assertEqual(self.navigate(handler, "https://example.net/", "free")["outcome"], "redirect")
        self.call(handler, "SetExternalURLRules", viewer="free")
        self.assertEqual(self.navigate(handler, "https://example.net/", "free")["outcome"], "allow")

    def test_a_forgotten_viewer_is_unknown(self) -> None:
        handler = self.managed()
        self.assertNotIn("viewerIsUnknown", self.navigate(handler, "https://contoso.com/"))
        self.call(handler, "ForgetViewer", viewer="docs")
        decision = self.navigate(handler, "https://contoso.com/")
        self.assertEqual((decision["viewerIsUnknown"], decision["policySource"]), (True, "unknownViewer"))
        self.assertEqual(decision["policy"], "currentIdentityBlockUpload")

    def test_identities_are_set_at_three_levels(self) -> None:
        handler = self.attached()
        first = self.call(handler, "SetIdentity", level="process", account=WORK)
        self.assertEqual(first, {"effectiveUI": WORK, "effectiveFile": WORK, "level": "process"})
        window = self.call(handler, "SetIdentity", level="window", window="w", account=PERSONAL)
        self.assertEqual((window["effectiveUI"], window["effectiveFile"], window["level"]), (PERSONAL, WORK, "window"))
        scope = self.call(handler, "SetIdentity", level="scope", account="")
        self.assertEqual((scope["effectiveUI"], scope["effectiveFile"], scope["level"]), ("", "", "scope"))
        back = self.call(handler, "SetIdentity", level="scope")
        self.assertEqual((back["previous"], back["effectiveUI"], back["level"]), ("", WORK, "process"))

    def test_an_account_is_known_by_both_names_and_without_case(self) -> None:
        handler = self.attached()
        self.call(handler, "SetIdentity", level="process", account="6D5C2F7E-8D1C-4F0A-9B52-3C1F0E7A4D11")
        again = self.call(handler, "SetIdentity", level="process", account="WORK@Contoso.com")
        self.assertEqual((again["previous"].lower(), again["effectiveUI"].lower()), (WORK, WORK))

    def test_identities_tells_each_level_and_changes_nothing(self) -> None:
        handler = self.managed()
        self.call(handler, "SetIdentity", level="window", window="private", account=PERSONAL)
        for _ in range(3):
            told = self.call(handler, "Identities", account=WORK)
            self.assertEqual((told["process"], told["managedAccount"]), (WORK, WORK))
            self.assertEqual([window["window"] for window in told["windows"]], ["private"])


class Events(DaemonCase):
    def test_navigation_is_judged_by_the_rules(self) -> None:
        handler = self.managed()
        own = self.navigate(handler, "https://mail.contoso.com/inbox")
        self.assertEqual(
            (own["outcome"], own["reason"], own["rule"], own["verdict"]), ("allow", "internal", "own", "internal")
        )
        self.assertEqual(
            (own["identity"], own["identityLevel"], own["protection"]), (WORK, "process", "contoso-standard")
        )
        self.assertEqual((own["generation"], len(own["digest"]), own["mode"]), (1, DIGEST_LENGTH, "enforced"))
        away = self.navigate(handler, "https://contoso.com.evil.example/")
        self.assertEqual((away["outcome"], away["reason"], away["rule"]), ("redirect", "external", "default"))
        self.assertEqual(away["open"]["desktopId"], BROWSER)
        self.assertEqual(
            (away["open"]["target"], away["open"]["url"]), ("managedBrowser", "https://contoso.com.evil.example/")
        )

    def test_a_blocking_rule_explains_itself(self) -> None:
        decision = self.navigate(self.managed(), "https://files.sharing.example/x?y#z")
        self.assertEqual(
            (decision["outcome"], decision["reason"], decision["rule"]), ("block", "blockedByRule", "sharing")
        )
        self.assertEqual(decision["message"], "files.sharing.example is a personal file-sharing site")
        self.assertRegex(decision["ruleLocation"], r"contoso[.]yaml:\d+:\d+$")

    def test_frames_hops_windows_and_bodies(self) -> None:
        handler = self.managed()
        sub = self.navigate(handler, "https://example.net/", frame="sub")
        self.assertEqual((sub["outcome"], sub["reason"]), ("allow", "subFrame"))
        unknown = self.navigate(handler, "https://example.net/", frame="unknown")
        self.assertEqual(
            (unknown["outcome"], unknown["offered"], unknown["open"]["desktopId"]), ("block", "redirect", BROWSER)
        )
        hop = self.navigate(handler, "https://example.net/", hop=True, **{"from": "https://contoso.com/go"})
        self.assertEqual(hop["outcome"], "redirect")
        posted = self.navigate(handler, "https://example.net/", method="POST", gesture="yes")
        self.assertEqual((posted["outcome"], posted["bodyDropped"]), ("redirect", True))
        window = self.navigate(handler, "https://example.net/", newWindow=True)
        self.assertEqual(window["outcome"], "redirect")

    def test_what_is_no_page_of_the_web(self) -> None:
        handler = self.managed()
        for url, outcome, reason in (
            ("https://", "block", "invalidURL"),
            ("javascript:void(0)", "allow", "sameDocument"),
            ("contoso-portal:home", "allow", "handledInViewer"),
            ("steam://run/1", "block", "handOffBlocked"),
            ("data:text/html,hello", "redirect", "external"),
            ("https://user:secret@contoso.com/", "redirect", "external"),
        ):
            decision = self.navigate(handler, url)
            self.assertEqual((decision["outcome"], decision["reason"]), (outcome, reason), url)

    def test_one_action_asked_twice_is_one_decision(self) -> None:
        handler = self.managed()
        first = self.navigate(handler, "https://example.net/once", action="click-1")
        again = self.navigate(handler, "https://example.net/once", action="click-1")
        type(self).asked -= 1
        self.assertEqual((again["id"], again["repeat"]), (first["id"], True))
        self.assertNotIn("repeat", first)
        other = self.navigate(handler, "https://example.net/once", action="click-2")
        self.assertNotEqual(other["id"], first["id"])

    def test_a_clip_is_guarded_on_its_way_out(self) -> None:
        handler = self._two_windows()
        copied = self.decide(handler, "Copy", viewer="docs", selection="clipboard", length=12, cut=True)
        self.assertEqual((copied["outcome"], copied["reason"]), ("allow", "clipRecorded"))
        self.assertRegex(copied["clip"], r"^clip-[0-9a-f]{16}-\d+$")
        self.assertEqual(self._paste(handler, "docs")["reason"], "sameAccount")
        self.assertEqual(self._paste(handler, "home"), {"outcome": "block", "reason": "orgData"})

    def test_a_clip_id_only_raises_protection(self) -> None:
        handler = self._two_windows()
        clip = self.decide(handler, "Copy", viewer="docs", selection="clipboard", length=12)["clip"]
        own = self.decide(handler, "Copy", viewer="home", selection="clipboard", length=3)
        self.assertNotIn("clip", own)
        # The length that is pasted is that of the copy: so it happened.
        self.assertEqual(self._paste(handler, "home", length=3)["outcome"], "allow")
        self.assertEqual(self._paste(handler, "docs", length=3)["outcome"], "allow")
        self.assertEqual(self._paste(handler, "home", length=3, clip=clip)["reason"], "orgData")
        self.assertEqual(self._paste(handler, "home", length=3, clip="forged")["outcome"], "block")

    def test_a_foreign_clip_and_a_drag(self) -> None:
        handler = self._two_windows()
        changed = self.decide(
            handler,
            "ClipboardChanged",
            selection="primary",
            selfOwned=False,
            length=5,
            formats=["text/plain"],
            display=":9",
        )
        self.assertEqual((changed["outcome"], changed["reason"]), ("allow", "changeRecorded"))
        pasted = self.decide(handler, "Paste", viewer="docs", selection="primary", length=5, display=":9")
        self.assertEqual((pasted["outcome"], pasted["reason"]), ("allow", "clipboardAllowed"))
        self.decide(handler, "Copy", viewer="docs", selection="drag", length=5)
        self.assertEqual(self._paste(handler, "home", selection="drag")["reason"], "orgData")
        self.assertEqual(self.decide(handler, "DragEnd")["reason"], "changeRecorded")
        self.assertEqual(self._paste(handler, "home", selection="drag")["reason"], "ownerUnknown")

    def test_oneway_is_decided_and_not_answered(self) -> None:
        handler = self.managed()
        before = self._decisions()
        self.assertIsNone(
            self.call(handler, "Navigate", event={"viewer": "docs", "url": "https://contoso.com/quiet"}, _oneway=True)
        )
        self.assertIsNone(self.call(handler, "SetDocument", viewer="nobody", _oneway=True))
        self.assertEqual(self.call(handler, "WhoAmI")["app"], APP)
        self.assertEqual(self._decisions(), before + 1)

    def test_every_data_path_is_answered(self) -> None:
        handler = self.managed()
        for method, event, outcome, reason in DATA_PATHS:
            decision = self.decide(handler, method, viewer="docs", **event)
            self.assertEqual((decision["outcome"], decision["reason"]), (outcome, reason), method)

    def test_many_questions_are_decided_in_order(self) -> None:
        handler = self.managed()
        questions = [
            {"kind": method[0].lower() + method[1:], "event": {"viewer": "docs", **event}}
            for method, event, _, _ in DATA_PATHS
            if method != "OpenURL"
        ]
        type(self).asked += len(questions)
        decisions = self.call(handler, "DecideMany", questions=questions)["decisions"]
        expected = [(outcome, reason) for method, _, outcome, reason in DATA_PATHS if method != "OpenURL"]
        self.assertEqual([(d["outcome"], d["reason"]) for d in decisions], expected)

    def test_hints_for_places_and_programs(self) -> None:
        handler = self.managed()
        for kind in ("save", "open"):
            hints = self.call(handler, "DecideLocations", kind=kind, event={"viewer": "docs"})["locations"]
            self.assertEqual(len({hint["location"] for hint in hints}), 12)
        peers = self.call(handler, "DecidePeers", peers=[APP, "a.desktop"], event={"viewer": "docs"})["peers"]
        self.assertEqual([hint["peer"] for hint in peers], [APP, "a.desktop"])
        self.assertEqual([hint["outcome"] for hint in peers], ["block", "block"])

    def test_a_switch_is_news_and_is_answered(self) -> None:
        handler = self.guard()
        token = self.call(handler, "Attach", features=["switchIdentity"])["instance"]
        self.call(handler, "SetIdentity", level="process", account=WORK)
        self.call(handler, "RegisterViewer", viewer="docs", **{"class": "documents"})
        listener = self.attached(instance=token)
        news = self.call(listener, "Subscribe", topics=["policy", "identity"], _more=True)
        first = next(news)
        self.assertEqual((first["topic"], len(first["digest"])), ("policy", DIGEST_LENGTH))
        asked = self.decide(handler, "Receive", viewer="docs", peer="a.desktop")
        self.assertEqual((asked["outcome"], asked["switchTo"]), ("switchIdentity", ""))
        told = next(news)
        self.assertEqual((told["topic"], told["request"], told["account"]), ("identity", asked["request"], ""))
        self.assertEqual(self.call(handler, "Answer", request=asked["request"], result="failed"), {})
        again = self.decide(handler, "Receive", viewer="docs", peer="a.desktop")
        self.assertEqual((again["outcome"], again["reason"]), ("block", "identitySwitchFailed"))
        over = self.refused(f"{GUARD}.RequestIsOver", handler, "Answer", request=asked["request"], result="success")
        self.assertEqual(over, {"request": asked["request"]})

    def test_a_decision_is_acknowledged(self) -> None:
        handler = self.managed()
        decision = self.decide(handler, "Print", viewer="docs")["id"]
        acknowledged = self.call(handler, "Acknowledge", decision=decision, outcome="allow", justification="because")
        self.assertEqual(acknowledged, {})
        gone = self.refused(f"{GUARD}.UnknownDecision", handler, "Acknowledge", decision=decision, outcome="allow")
        self.assertEqual(gone, {"decision": decision})
        self.assertIsNone(self.call(handler, "Acknowledge", _oneway=True, decision=decision, outcome="allow"))
        self.assertEqual(self.call(handler, "WhoAmI")["app"], APP)

    def _two_windows(self) -> Handler:
        """Work in the viewer `docs`, private data in the viewer `home`."""
        handler = self.managed(features=["wrap", "plainText"])
        self.call(handler, "SetIdentity", level="window", window="private", account=PERSONAL)
        self.call(handler, "RegisterViewer", viewer="home", window="private", **{"class": "loose"})
        return handler

    def _paste(self, handler: Handler, viewer: str, **event: object) -> dict[str, object]:
        decision = self.decide(handler, "Paste", viewer=viewer, **{"selection": "clipboard", "length": 12, **event})
        return {"outcome": decision["outcome"], "reason": decision["reason"]}

    def _decisions(self) -> int:
        """How many decisions the daemon counted, of whatever outcome."""
        counters = self.call(self.admin(), "Status")["decisions"]
        return sum(count for outcome, count in counters.items() if outcome != "repeated")


class AdminMethods(DaemonCase):
    def test_status_tells_what_is(self) -> None:
        handler = self.managed()
        before = self.call(self.admin(), "Status")
        self.navigate(handler, "https://contoso.com/")
        self.navigate(handler, "https://example.net/")
        after = self.call(self.admin(), "Status")
        self.assertEqual((after["pid"], after["state"], after["apps"]), (self.daemon.pid, "ok", 1))
        self.assertEqual(after["logFile"], str(self.daemon.log_file))
        self.assertGreaterEqual(after["connections"], 3)
        self.assertGreaterEqual(after["viewers"], 1)
        self.assertEqual(after["decisions"]["allow"], before["decisions"]["allow"] + 1)
        self.assertEqual(after["decisions"]["redirect"], before["decisions"]["redirect"] + 1)
        self.assertGreater(after["logHead"]["sequence"], before["logHead"]["sequence"])
        self.assertGreaterEqual(after["loadedAt"], after["since"])

    def test_health_and_metrics_say_how_it_is(self) -> None:
        self.assertEqual(self.call(self.admin(), "Health"), {"health": "ok", "problems": []})
        self.navigate(self.managed(), "https://contoso.com/")
        lines = self.call(self.admin(), "Metrics")["text"].splitlines()
        self.assertIn("webviewguard_up 1", lines)
        self.assertTrue(any(line.startswith('webviewguard_decisions_total{outcome="allow"') for line in lines))

    def test_reload_puts_another_policy_in_force(self) -> None:
        handler, admin = self.managed(), self.admin()
        same = self.call(admin, "Reload")
        self.assertEqual((same["changed"], same["diagnostics"]), (False, []))
        changed = Configuration(
            PORTAL, rules=self.configuration.files["rules/contoso.yaml"].replace("contoso.com", "fabrikam.com")
        )
        changed.write(self.daemon.config)
        answer = self.call(admin, "Reload")
        self.assertEqual((answer["changed"], answer["generation"]), (True, same["generation"] + 1))
        decision = self.navigate(handler, "https://contoso.com/")
        self.assertEqual((decision["outcome"], decision["generation"]), ("redirect", answer["generation"]))
        self.assertEqual(decision["digest"], answer["digest"])
        self.configuration.write(self.daemon.config)
        self.assertEqual(self.call(admin, "Reload")["digest"], same["digest"])
        self.assertEqual(self.navigate(handler, "https://contoso.com/")["outcome"], "allow")

    def test_classify_asks_one_rule_set(self) -> None:
        rules = self.rules()
        own = self.call(
            rules, "Classify", ruleSet="contoso", url="https://Mail.Contoso.com:443/a/../b?c#d", **{"for": "page"}
        )
        self.assertEqual((own["verdict"], own["rule"], own["reason"]), ("internal", "own", "matched"))
        self.assertEqual(own["url"], "https://mail.contoso.com/b?c")
        other = self.call(rules, "Classify", ruleSet="contoso", url="https://example.net/", hop=True)
        self.assertEqual((other["verdict"], other["rule"], other["reason"]), ("external", "default", "default"))
        invalid = self.call(rules, "Classify", ruleSet="contoso", url="no url")
        self.assertEqual(invalid, {"verdict": "external", "reason": "invalidURL"})

    def test_explain_gives_the_decision_again_with_its_steps(self) -> None:
        decision = self.navigate(self.managed(), "https://example.net/why")
        explained = self.call(self.rules(), "Explain", decision=decision["id"])
        self.assertEqual(explained["decision"], as_administrators_see(decision, explained["decision"]))
        self.assertGreater(len(explained["steps"]), 2)
        self.assertTrue(all(step and "\n" not in step for step in explained["steps"]))
