"""The native-messaging host against the real daemon: framing, the closed set of calls, and the failure contract."""

import json
import os
import pwd
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from typing import Any

from host import HOST, Host, framed

from account_world import AccountDaemon
from configuration import BROWSER, KIOSK, ORGANISATION, PORTAL, SETTINGS, WORK, Configuration, versioned
from daemon import Daemon, eventually

EXTERNAL = "https://elsewhere.example/"
INTERNAL = "https://www.contoso.com/"
# What the extension says that it can do with clips.
FEATURES = ["clipEcho", "wrap", "plainText"]


class HostCase(unittest.TestCase):
    """A daemon for each test, and hosts that ask it."""

    configuration = Configuration(PORTAL)

    def setUp(self) -> None:
        self.daemon = Daemon(self.configuration).start()
        self.addCleanup(self.daemon.remove)

    def host(self, *options: str, environment: dict[str, str] | None = None) -> Host:
        places = ("--socket-dir", str(self.daemon.sockets), "--config", str(self.daemon.config))
        host = Host(*places, *options, environment=environment)
        self.addCleanup(host.remove)
        return host

    def greeted(self) -> Host:
        """A host that shows the managed account in the viewer `tab-1`."""
        host = self.host()
        self.assertTrue(host.call("hello", features=FEATURES)["reply"]["isConnected"])
        self.assertNotIn("error", host.call("identity", account=WORK))
        self.assertNotIn("error", host.call("registerViewer", viewer="tab-1", **{"class": "documents"}))
        return host

    def navigate(self, host: Host, url: str, **members: Any) -> dict[str, Any]:
        return dict(host.call("navigate", viewer="tab-1", url=url, frame="main", **members)["decision"])


class Framing(HostCase):
    def test_half_a_frame_is_waited_for(self) -> None:
        host = self.host()
        frame = framed({"id": 7, "call": "hello"})
        for byte in frame:
            host.send_bytes(bytes([byte]))
        self.assertEqual(host.receive()["id"], 7)

    def test_two_frames_in_one_piece_are_two(self) -> None:
        host = self.host()
        host.send_bytes(framed({"id": 1, "call": "hello"}) + framed({"id": 2, "call": "nothing"}))
        self.assertEqual([host.receive()["id"], host.receive()["id"]], [1, 2])

    def test_garbage_is_answered_and_the_next_message_is_read(self) -> None:
        host = self.host()
        for garbage, error in (
            (b"", "notJSON"), (b"{", "notJSON"), (b"\xff\xfe", "notJSON"), (b"[]", "notAMessage"), (b"7", "notAMessage"),
            (b'{"call":"hello"}', "notAMessage"), (b'{"id":"x","call":"hello"}', "notAMessage"),
        ):  # fmt: skip
            host.send_bytes(struct.pack("=I", len(garbage)) + garbage)
            self.assertEqual(host.receive().get("error"), error, garbage)
        self.assertIn("reply", host.call("hello"))

    def test_a_message_that_is_too_long_is_passed_over(self) -> None:
        host = self.host()
        host.send_bytes(struct.pack("=I", 3 << 20))
        self.assertEqual(host.receive(), host_error("tooLong", "the message is longer than 524288 bytes"))
        host.send_bytes(b"x" * (3 << 20))
        self.assertIn("reply", host.call("hello"))

    def test_the_end_of_the_input_is_the_end(self) -> None:
        self.assertEqual(self.host().end(), 0)

    def test_the_end_inside_a_frame_is_the_end_as_well(self) -> None:
        host = self.host()
        host.send_bytes(struct.pack("=I", 100) + b"{")
        self.assertEqual(host.end(), 0)


def host_error(word: str, text: str) -> dict[str, Any]:
    return {"id": None, "error": word, "text": text}


class ClosedSet(HostCase):
    def test_no_method_of_the_daemon_can_be_named(self) -> None:
        host = self.greeted()
        for name in ("Navigate", "org.webviewguard.Guard.Navigate", "Attach", "SetWebViewPolicy", "Reload", ""):
            self.assertEqual(host.call(name).get("error"), "unknownCall", name)

    def test_page_content_has_no_member_to_travel_in(self) -> None:
        host = self.greeted()
        for member in ("text", "content", "html", "owner", "deadline", "display"):
            reply = host.call("copy", viewer="tab-1", **{member: "secret"})
            self.assertEqual(reply.get("error"), "unknownMember", member)

    def test_members_of_the_wrong_kind_are_refused(self) -> None:
        host = self.greeted()
        cases: tuple[dict[str, Any], ...] = (
            {"viewer": 7}, {"viewer": "x" * 257}, {"viewer": "tab-1", "length": -1}, {"viewer": "tab-1", "length": "3"},
            {"viewer": "tab-1", "formats": "text/plain"}, {"viewer": "tab-1", "formats": [7]},
            {"viewer": "tab-1", "formats": ["x"] * 65}, {"viewer": "tab-1", "cut": 1},
        )  # fmt: skip
        for members in cases:
            self.assertEqual(host.call("copy", **members).get("error"), "wrongMember", members)

    def test_an_error_of_the_daemon_to_a_question_blocks(self) -> None:
        decision = self.greeted().call("navigate", viewer="tab-1", url=INTERNAL, frame="nonsense")["decision"]
        self.assertEqual(decision["outcome"], "block")
        self.assertTrue(decision["isLocal"])

    def test_an_unknown_class_is_told(self) -> None:
        reply = self.greeted().call("registerViewer", viewer="tab-2", **{"class": "nosuch"})
        self.assertEqual((reply["error"], reply["parameters"]), ("UnknownClass", {"class": "nosuch"}))


class Questions(HostCase):
    def test_the_daemon_decides(self) -> None:
        host = self.greeted()
        self.assertEqual(self.navigate(host, INTERNAL)["outcome"], "allow")
        external = self.navigate(host, EXTERNAL)
        self.assertEqual((external["outcome"], external["open"]["desktopId"]), ("redirect", BROWSER))

    def test_one_action_is_one_record(self) -> None:
        host = self.greeted()
        first, second = (self.navigate(host, EXTERNAL) for _ in range(2))
        self.assertEqual((first["id"], second.get("repeat")), (second["id"], True))
        self.assertEqual(len(self.daemon.records("decision")), 1)

    def test_the_copy_of_managed_text_is_recorded(self) -> None:
        host = self.greeted()
        decision = host.call("copy", viewer="tab-1", selection="clipboard", length=9, formats=["text/plain"])["decision"]
        self.assertEqual((decision["outcome"], decision["reason"]), ("allow", "clipRecorded"))

    def test_a_copy_that_came_about_is_named(self) -> None:
        """F3: the host hands on what the extension can, and the name of the copy that it saw happen."""
        host = self.greeted()
        about = {"viewer": "tab-1", "selection": "clipboard", "length": 9, "formats": ["text/plain"]}
        decision = host.call("copy", **about)["decision"]
        self.assertEqual(decision["outcome"], "allow")
        echo = host.call("clipboardChanged", selfOwned=True, clip=decision["clip"], proposal=decision["proposal"], **about)
        self.assertEqual(echo["decision"]["outcome"], "allow")
        page = {"from": "https://www.contoso.com/"}
        self.assertEqual(host.call("paste", **about, **page)["decision"]["reason"], "sameAccount")

    def test_what_is_not_registered_is_judged_as_unknown(self) -> None:
        decision = self.greeted().call("navigate", viewer="tab-9", url=EXTERNAL, frame="main")["decision"]
        self.assertTrue(decision["viewerIsUnknown"])

    def test_the_display_is_that_of_the_browser(self) -> None:
        host = self.host(environment={"DISPLAY": ":77", "WAYLAND_DISPLAY": ""})
        host.call("hello", features=FEATURES)
        host.call("identity", account=WORK)
        host.call("registerViewer", viewer="tab-1", **{"class": "documents"})
        about = {"viewer": "tab-1", "selection": "clipboard", "length": 9}
        proposal = host.call("copy", **about)["decision"]["proposal"]
        host.call("clipboardChanged", selfOwned=True, proposal=proposal, **about)
        self.assertEqual(host.call("paste", **about)["decision"]["outcome"], "allow")


class Versions(unittest.TestCase):
    """Conditions judge the versions of the extension, and of the Swift client in the host."""

    def test_conditions_judge_the_versions_that_are_told(self) -> None:
        source = (Path(__file__).resolve().parents[3] / "Sources/GuardModel/ReleaseVersion.swift").read_text()
        library = re.findall(r'static let text = "(.+)"', source)[0]
        for condition, version, reason in (
            (("clientVersion", "equals", library), None, None),
            (("clientVersion", "greater", library), "99", "accountNotCompliant"),
            (("appVersion", "atLeast", "0.5"), "0.5.0", None),
            (("appVersion", "atLeast", "0.5"), "0.4.9", "accountNotCompliant"),
            (("appVersion", "atLeast", "0.5"), None, "notChecked"),
        ):  # fmt: skip
            with self.subTest(condition, version=version):
                daemon = Daemon(versioned(*condition)).start()
                self.addCleanup(daemon.remove)
                host = Host("--socket-dir", str(daemon.sockets), "--config", str(daemon.config))
                self.addCleanup(host.remove)
                host.call("hello", **({"version": version} if version else {}))
                self.assertEqual(host.call("identity", account=WORK)["reply"].get("reason"), reason)
                daemon.stop()


class Opening(HostCase):
    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="wvg-fake-"))
        self.addCleanup(shutil.rmtree, self.directory)
        self.opened = self.directory / "opened"
        program = self.directory / "browser"
        program.write_text(f'#!/bin/sh\necho "$@" >> {self.opened}\necho noise\n')
        program.chmod(0o755)
        configuration = Configuration(PORTAL)
        browsers = f"browsers:\n  managed: {{ command: [{program}, '{{url}}'] }}\n"
        configuration.files["policy.d/organisation.yaml"] = ORGANISATION.split("browsers:")[0] + browsers
        self.configuration = configuration
        super().setUp()

    def test_a_decision_opens_the_policys_program_once(self) -> None:
        host = self.greeted()
        decision = self.navigate(host, EXTERNAL)
        # At once: later it is another action, and opens again.
        again = self.navigate(host, EXTERNAL)
        self.assertIn("reply", host.call("open", decision=decision["id"]))
        eventually(self.opened.exists, "the browser was started")
        self.assertEqual(host.call("open", decision=decision["id"])["error"], "nothingToOpen")
        self.assertEqual(host.call("open", decision=again["id"])["error"], "nothingToOpen")
        self.assertEqual(self.opened.read_text(), EXTERNAL + "\n")

    def test_nothing_opens_without_a_decision_of_the_daemon(self) -> None:
        host = self.greeted()
        allowed = self.navigate(host, INTERNAL)["id"]
        for decision in ("", "1", allowed):
            self.assertEqual(host.call("open", decision=decision)["error"], "nothingToOpen")
        self.assertEqual(host.call("open", decision="1", argv=["/bin/true"])["error"], "unknownMember")


class Apps(HostCase):
    configuration = Configuration(PORTAL, KIOSK)

    def test_a_caller_that_matches_several_apps_is_blocked_and_told_why(self) -> None:
        host = self.host()
        self.assertFalse(host.call("hello")["reply"]["isConnected"])
        self.assertEqual(self.navigate(host, INTERNAL)["reason"], "AppAmbiguous")

    def test_the_variable_names_the_app(self) -> None:
        host = self.host(environment={"WEBVIEWGUARD_APP": "com.contoso.portal"})
        self.assertEqual(host.call("hello")["reply"]["app"], "com.contoso.portal")

    def test_the_extension_may_name_the_app_and_the_administrator_overrules_it(self) -> None:
        self.assertEqual(self.host().call("hello", app="com.contoso.kiosk")["reply"]["app"], "com.contoso.kiosk")
        overruled = self.host("--app", "com.contoso.portal").call("hello", app="com.contoso.kiosk")
        self.assertEqual(overruled["reply"]["app"], "com.contoso.portal")

    def test_an_app_that_the_caller_is_not_is_refused(self) -> None:
        host = self.host()
        host.call("hello", app="com.contoso.nosuch")
        self.assertEqual(self.navigate(host, INTERNAL)["reason"], "AppMismatch")


class TwoApps(HostCase):
    """H6: the caller matches two apps, and the contract is open. News once attached without the app, were refused, and took
    the connection with them, so that the contract answered for the daemon."""

    configuration = Configuration(
        PORTAL, KIOSK, settings=SETTINGS.replace("answerMs: 400", "answerMs: 400, navigation: open, clipboard: open")
    )

    def test_nothing_external_is_allowed_however_often_it_is_asked(self) -> None:
        host = self.host("--app", "com.contoso.portal")
        host.call("hello")
        host.call("identity", account=WORK)
        host.call("registerViewer", viewer="tab-1", **{"class": "documents"})
        decisions = [self.navigate(host, f"{EXTERNAL}{number}") for number in range(160)]
        self.assertEqual({decision["reason"] for decision in decisions}, {"external"})
        self.assertEqual({decision["outcome"] for decision in decisions}, {"redirect"})
        host.until(lambda message: message.get("news") == "policy")

    def test_news_come_for_the_app_that_the_extension_names(self) -> None:
        host = self.host()
        host.call("hello", app="com.contoso.portal")
        first = host.until(lambda message: message.get("news") == "policy")
        rules = self.daemon.config / "rules/contoso.yaml"
        rules.write_text(rules.read_text().replace("sharing.example", "other.example"))
        os.kill(self.daemon.pid, signal.SIGHUP)
        self.assertNotEqual(host.until(lambda message: message.get("news") == "policy")["digest"], first["digest"])

    def test_an_error_is_a_block_whatever_the_contract_says_of_silence(self) -> None:
        for app, reason in ((None, "AppAmbiguous"), ("com.contoso.nosuch", "AppMismatch")):
            host = self.host()
            host.call("hello", **({"app": app} if app else {}))
            for number in range(40):
                decision = self.navigate(host, f"{EXTERNAL}{number}")
                self.assertEqual((decision["outcome"], decision["reason"]), ("block", reason))
                self.assertIn("does not know this program", decision["message"])

    def test_an_app_that_comes_later_costs_the_first_nothing(self) -> None:
        """The caller matches one app when it connects, and two after a reload."""
        (self.daemon.config / "policy.d/app-1.yaml").unlink()
        os.kill(self.daemon.pid, signal.SIGHUP)
        eventually(lambda: self.host().call("hello")["reply"]["isConnected"], "the caller matches one app")
        host = self.host()
        self.assertTrue(host.call("hello")["reply"]["isConnected"])
        host.call("identity", account=WORK)
        host.call("registerViewer", viewer="tab-1", **{"class": "documents"})
        self.configuration.write(self.daemon.config)
        os.kill(self.daemon.pid, signal.SIGHUP)
        host.until(lambda message: message.get("news") == "policy" and message["generation"] == 3)
        for number in range(40):
            self.assertNotEqual(self.navigate(host, f"{EXTERNAL}{number}")["outcome"], "allow")


class Refused(HostCase):
    """M1: what the daemon refused does not hold, and is not said again."""

    def test_a_refused_document_is_not_said_again(self) -> None:
        host = self.greeted()
        page = "https://www.contoso.com/start"
        self.assertNotIn("error", host.call("setDocument", viewer="tab-1", document=page))
        sharing = "https://sharing.example/"
        self.assertEqual(self.navigate(host, sharing)["outcome"], "block")
        refused = host.call("setDocument", viewer="tab-1", document=sharing)
        self.assertEqual(refused.get("error"), "DocumentIsExternal")
        again = host.call("registerViewer", viewer="tab-1", document=sharing, window="w9")
        self.assertEqual(again.get("error"), "DocumentIsExternal")
        self.daemon.stop(signal.SIGKILL)
        host.until(lambda message: message.get("news") == "connection" and not message["standing"]["isConnected"])
        shutil.rmtree(self.daemon.directory / "state", ignore_errors=True)
        self.daemon.start()
        host.until(lambda message: message.get("news") == "connection" and message["standing"]["isConnected"])
        decision = self.navigate(host, EXTERNAL)
        self.assertNotIn("viewerIsUnknown", decision)
        self.assertEqual(decision["outcome"], "redirect")
        self.assertEqual(self.problems(host), [])

    def problems(self, host: Host) -> list[str]:
        """What the host says was refused when it was said again."""
        host.end()
        assert host.process.stderr is not None
        return [line for line in host.process.stderr.read().decode().splitlines() if "was refused" in line]


class Told(HostCase):
    """What was told holds for a daemon that could not listen, and for no other greeting."""

    configuration = Configuration(PORTAL, KIOSK)

    def tell(self, host: Host) -> None:
        for call, members in (("identity", {"account": WORK}), ("registerViewer", {"viewer": "tab-1", "class": "documents"})):
            self.assertEqual(host.call(call, **members).get("reply"), {"isKept": True}, call)

    def test_a_daemon_that_refused_the_app_hears_it_when_it_takes_the_app(self) -> None:
        host = self.host()
        host.call("hello")
        self.tell(host)
        self.assertEqual(self.navigate(host, EXTERNAL)["reason"], "AppAmbiguous")
        (self.daemon.config / "policy.d/app-1.yaml").unlink()
        os.kill(self.daemon.pid, signal.SIGHUP)
        standing = host.until(lambda message: message.get("news") == "connection")["standing"]
        self.assertEqual((standing["isConnected"], standing["app"]), (True, "com.contoso.portal"))
        decision = self.navigate(host, EXTERNAL)
        self.assertEqual((decision["outcome"], decision["identity"]), ("redirect", WORK))

    def test_a_daemon_without_a_policy_hears_it_when_it_has_one(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        shutil.rmtree(self.daemon.directory / "state", ignore_errors=True)
        (self.daemon.config / "policy.d/organisation.yaml").write_text("accounts: 7")
        self.daemon.start()
        host = self.host()
        standing = host.call("hello", app="com.contoso.portal")["reply"]
        self.assertEqual((standing["isConnected"], standing["app"]), (True, None))
        for call, members in (("identity", {"account": WORK}), ("registerViewer", {"viewer": "tab-1", "class": "documents"})):
            self.assertEqual(host.call(call, **members).get("error"), "NoPolicy")
        self.assertEqual(self.navigate(host, EXTERNAL)["outcome"], "block")
        self.configuration.write(self.daemon.config)
        os.kill(self.daemon.pid, signal.SIGHUP)
        decision = eventually(
            lambda: [found for found in [self.navigate(host, EXTERNAL)] if found["reason"] == "external"], "it decides"
        )[0]
        self.assertEqual((decision["outcome"], decision["identity"]), ("redirect", WORK))
        host.until(lambda message: message.get("news") == "connection" and message["standing"]["app"] is not None)
        host.until(lambda message: message.get("news") == "policy")

    def test_another_greeting_begins_anew(self) -> None:
        host = self.host()
        for app in ("com.contoso.portal", "com.contoso.kiosk", "com.contoso.portal"):
            self.assertEqual(host.call("hello", app=app)["reply"]["app"], app)
            self.assertTrue(self.navigate(host, EXTERNAL)["viewerIsUnknown"])
            viewer = {"class": "documents"} if app == "com.contoso.portal" else {}
            self.assertIn("reply", host.call("registerViewer", viewer="tab-1", **viewer))
            self.assertNotIn("viewerIsUnknown", self.navigate(host, EXTERNAL))
            host.until(lambda message: message.get("news") == "policy")
            # The same again changes nothing.
            self.assertEqual(host.call("hello", app=app)["reply"]["app"], app)
            self.assertNotIn("viewerIsUnknown", self.navigate(host, EXTERNAL))
        # The end of the connections before is no news.
        self.assertEqual([message for message in host.kept if message.get("news") == "connection"], [])

    def test_words_that_would_be_remembered_must_be_known(self) -> None:
        host = self.host("--app", "com.contoso.portal")
        host.call("hello")
        for members in ({"kind": "wind"}, {"policy": "looser"}, {"kind": ""}):
            self.assertEqual(host.call("registerViewer", viewer="tab-1", **members).get("error"), "wrongMember")
        self.assertTrue(self.navigate(host, EXTERNAL)["viewerIsUnknown"])


OWN = Path(__file__).with_name("own_daemon.py")
# One that every Debian has: the daemon lets nobody in whom the machine does not know.
USER = pwd.getpwnam("www-data").pw_uid


@unittest.skipUnless(os.geteuid() == 0, "other users are made by root")
class LoggedInUser(unittest.TestCase):
    """H5: the user of the browser, who sets the host's variables and listens himself. His daemon allows everything."""

    def setUp(self) -> None:
        self.place = Path(tempfile.mkdtemp(prefix="wvg-user-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.place.chmod(0o755)
        os.chown(self.place, USER, USER)
        self.user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
        own = subprocess.Popen([*self.user, sys.executable, str(OWN), str(self.place)], stdout=subprocess.PIPE)
        self.addCleanup(own.wait)
        self.addCleanup(own.kill)
        assert own.stdout is not None
        self.addCleanup(own.stdout.close)
        own.stdout.readline()

    def asked(self, machine: str, *options: str, **environment: str) -> dict[str, Any]:
        """The answer about an external page, and as which app, on a machine that was made so by a shell."""
        apart = ["unshare", "--mount", "--propagation", "private", "sh", "-ec", machine + '\nexec "$@"', "sh"]
        host = Host(*options, environment=environment, prefix=[*apart, *self.user])
        self.addCleanup(host.remove)
        standing = host.call("hello")["reply"]
        decision = host.call("navigate", viewer="tab-1", url=EXTERNAL, frame="main")["decision"]
        return {"connected": standing["isConnected"], **{name: decision[name] for name in ("outcome", "reason")}}

    NOTHING = "true"
    DIRECTORY = "mkdir -p /run; mount -t tmpfs tmpfs /run; mkdir /run/webviewguard"
    UNIT = (
        "mount -t tmpfs tmpfs /run; mkdir -p /etc/systemd/system; mount -t tmpfs tmpfs /etc/systemd/system;"
        "touch /etc/systemd/system/webviewguard.service"
    )
    ALLOWED = {"connected": True, "outcome": "allow", "reason": "internal"}
    BLOCKED = {"connected": False, "outcome": "block", "reason": "noAnswer"}

    def test_without_a_system_daemon_a_users_own_is_his(self) -> None:
        self.assertEqual(self.asked(self.NOTHING, WEBVIEWGUARD_SOCKET_DIR=str(self.place)), self.ALLOWED)
        self.assertEqual(self.asked(self.NOTHING, "--socket-dir", str(self.place)), self.ALLOWED)

    def test_where_a_system_daemon_is_installed_no_variable_leads_away_from_it(self) -> None:
        for machine in (self.DIRECTORY, self.UNIT):
            for environment in ({"WEBVIEWGUARD_SOCKET_DIR": str(self.place)}, {"XDG_RUNTIME_DIR": str(self.place)}):
                with self.subTest(machine, **environment):
                    self.assertEqual(self.asked(machine, **environment), self.BLOCKED)

    def test_the_callers_own_user_is_not_believed_there(self) -> None:
        for machine in (self.DIRECTORY, self.UNIT):
            self.assertEqual(self.asked(machine, "--socket-dir", str(self.place)), self.BLOCKED)

    def test_an_open_contract_of_the_user_is_none(self) -> None:
        """His contract is open, and his socket is gone: nobody answers, and what he wrote does not count."""
        (self.place / "guard.sock").unlink()
        opened = {"connected": False, "outcome": "allow", "reason": "noAnswer"}
        self.assertEqual(self.asked(self.NOTHING, "--socket-dir", str(self.place)), opened)
        self.assertEqual(self.asked(self.DIRECTORY, "--socket-dir", str(self.place)), self.BLOCKED)

    def test_the_machines_daemon_is_asked_whatever_the_user_says(self) -> None:
        daemon = Daemon(Configuration(PORTAL)).start()
        self.addCleanup(daemon.remove)
        for place in (daemon.directory, daemon.sockets):
            place.chmod(0o755)
        daemon.guard_socket.chmod(0o666)
        machine = f"mount -t tmpfs tmpfs /mnt; mkdir /mnt/s; mount --bind {daemon.sockets} /mnt/s; {self.DIRECTORY};"
        machine += "mount --bind /mnt/s /run/webviewguard"
        for variables in ({}, {"WEBVIEWGUARD_SOCKET_DIR": str(self.place), "WEBVIEWGUARD_APP": "com.contoso.portal"}):
            # The user matches no app of the policy, which only the machine's daemon can know; no app was named either.
            answer = {"connected": False, "outcome": "block", "reason": "NoApp"}
            self.assertEqual(self.asked(machine, **variables), answer)


class Rules(HostCase):
    def test_who_is_not_bound_gets_no_rules(self) -> None:
        for account in ("me@example.org", ""):
            host = self.host()
            host.call("hello")
            host.call("identity", account=account)
            reply = host.call("rules", **{"class": "documents"})
            self.assertEqual((reply["rules"], reply.get("isFree")), ([], True), account)

    def test_the_rules_are_those_of_the_export(self) -> None:
        host = self.greeted()
        for viewer_class in ("documents", None):
            chosen = {"class": viewer_class} if viewer_class else {}
            words = ["--for", "declarative-net-request", "--app", "com.contoso.portal", "--config", str(self.daemon.config)]
            words += [f"--{name}={value}" for name, value in chosen.items()]
            exported = subprocess.run([str(HOST), "export", *words], check=True, capture_output=True).stdout
            reply = host.call("rules", **chosen)
            self.assertEqual((reply["part"], reply["parts"]), (0, 1))
            self.assertEqual(reply["rules"], json.loads(exported))
            self.assertGreater(len(reply["rules"]), 0)
        self.assertEqual(host.call("rules", **{"class": "nosuch"}).get("error"), "rulesUnavailable")
        # Many at once: as many as run are answered with the rules, the others with an error, and the host goes on.
        asked = [host.send("rules", **{"class": "documents"}) for _ in range(40)]
        replies = [host.until(lambda message, number=number: message.get("id") == number) for number in asked]
        self.assertGreaterEqual(sum("rules" in reply for reply in replies), 4)
        self.assertEqual({reply.get("error", "rulesUnavailable") for reply in replies}, {"rulesUnavailable"})
        self.assertEqual(host.call("rules", **{"class": "documents"})["rules"], replies[0]["rules"])

    def test_a_daemon_that_is_away_frees_nobody(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        host = self.host()
        host.call("hello")
        self.assertNotIn("isFree", host.call("rules", **{"class": "documents"}))


class Contract(HostCase):
    def test_without_a_daemon_the_contract_file_holds(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        host = self.host()
        standing = host.call("hello")["reply"]
        self.assertEqual((standing["isConnected"], standing["contract"]["answerMs"]), (False, 400))
        decision = self.navigate(host, INTERNAL)
        self.assertEqual((decision["outcome"], decision["reason"], decision["isLocal"]), ("block", "noAnswer", True))
        self.assertIn("does not answer", decision["message"])

    def test_the_first_question_after_an_outage_is_answered(self) -> None:
        """F12: nobody listens, so that trying costs nothing, and no pause of up to five seconds holds a question up."""
        self.daemon.stop(signal.SIGKILL)
        self.daemon.guard_socket.unlink(missing_ok=True)
        host = self.host()
        host.call("hello")
        for _ in range(8):
            self.assertEqual(self.navigate(host, INTERNAL)["reason"], "noAnswer")
            time.sleep(0.1)
        self.daemon.start()
        self.assertNotIn("isLocal", self.navigate(host, INTERNAL))

    def test_contracts_mean_the_same_as_to_the_clients(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        vectors = Path(__file__).resolve().parents[3] / "clients/vectors/contracts.json"
        for case in json.loads(vectors.read_text())["cases"]:
            with self.subTest(case["name"]):
                if case["file"] is None:
                    self.daemon.contract.unlink(missing_ok=True)
                else:
                    self.daemon.contract.write_text(case["file"])
                    self.daemon.contract.chmod(0o644)
                host = self.host()
                self.assertEqual(host.call("hello")["reply"]["contract"], case["means"])
                host.remove()
        self.daemon.contract.write_text('{"navigation": "open"}' + " " * 70_000)
        self.assertEqual(self.host().call("hello")["reply"]["contract"]["navigation"], "closed")

    def test_an_open_contract_lets_pass(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        self.daemon.contract.write_text(json.dumps({"navigation": "open", "clipboard": "closed"}))
        host = self.host()
        host.call("hello")
        self.assertEqual(self.navigate(host, INTERNAL)["outcome"], "allow")
        self.assertEqual(host.call("copy", viewer="tab-1")["decision"]["outcome"], "block")

    def test_a_contract_that_others_can_write_counts_as_none(self) -> None:
        self.daemon.stop(signal.SIGKILL)
        self.daemon.contract.write_text(json.dumps({"navigation": "open"}))
        self.daemon.contract.chmod(0o666)
        host = self.host()
        self.assertEqual(host.call("hello")["reply"]["contract"]["navigation"], "closed")
        self.assertEqual(self.navigate(host, INTERNAL)["outcome"], "block")

    def test_a_daemon_that_hangs_is_not_waited_for_longer_than_the_contract_says(self) -> None:
        host = self.greeted()
        os.kill(self.daemon.pid, signal.SIGSTOP)
        # The signal is sent, and none of its threads is stopped yet.
        threads = Path(f"/proc/{self.daemon.pid}/task")
        eventually(lambda: all(") T " in (thread / "stat").read_text() for thread in threads.iterdir()), "it is stopped")
        began = time.monotonic()
        self.assertEqual(self.navigate(host, INTERNAL)["reason"], "noAnswer")
        first = time.monotonic() - began
        self.assertGreaterEqual(first, 0.39)
        self.assertEqual(self.navigate(host, INTERNAL)["reason"], "noAnswer")

    def test_a_new_daemon_hears_everything_again(self) -> None:
        host = self.greeted()
        self.assertNotIn("error", host.call("registerViewer", viewer="tab-2", opener="tab-1", kind="popup"))
        self.daemon.stop(signal.SIGKILL)
        host.until(lambda message: message.get("news") == "connection" and not message["standing"]["isConnected"])
        self.assertTrue(host.call("forgetViewer", viewer="tab-1")["reply"]["isKept"])
        self.assertTrue(host.call("registerViewer", viewer="tab-3", **{"class": "documents"})["reply"]["isKept"])
        self.daemon.start()
        host.until(lambda message: message.get("news") == "connection" and message["standing"]["isConnected"])
        # The popup of a tab that is gone is bound as its opener was.
        for viewer, outcome in (("tab-2", "redirect"), ("tab-3", "redirect")):
            decision = host.call("navigate", viewer=viewer, url=EXTERNAL, frame="main")["decision"]
            self.assertNotIn("viewerIsUnknown", decision)
            self.assertEqual((decision["outcome"], decision["identity"]), (outcome, WORK), viewer)

    def test_a_changed_policy_is_news(self) -> None:
        host = self.greeted()
        first = host.until(lambda message: message.get("news") == "policy")
        rules = self.daemon.config / "rules/contoso.yaml"
        rules.write_text(rules.read_text().replace("sharing.example", "other.example"))
        os.kill(self.daemon.pid, signal.SIGHUP)
        second = host.until(lambda message: message.get("news") == "policy")
        self.assertNotEqual(first["digest"], second["digest"])


class Accounts(unittest.TestCase):
    """News of accounts pass through as they are, and what came of a wipe goes back (WP-01, WP-02)."""

    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.daemon = AccountDaemon(Path(directory.name))
        self.addCleanup(self.daemon.close)
        self.host = Host("--socket-dir", directory.name, "--config", directory.name)
        self.addCleanup(self.host.remove)
        self.assertTrue(self.host.call("hello")["reply"]["isConnected"])
        eventually(lambda: self.daemon.is_heard, "the host listens")

    def news(self, topic: str) -> dict[str, Any]:
        return self.host.until(lambda message: message.get("news") == topic)

    def test_each_topic_passes_with_all_its_members(self) -> None:
        for topic, members, may_work in (
            ("account", {"account": WORK, "state": "locked"}, False),
            ("account", {"account": WORK, "state": "active"}, True),
            ("enrollment", {"account": WORK, "life": "enrolled", "result": "unchanged"}, True),
            ("enrollment", {"account": WORK, "life": "enchanted"}, False),
            ("config", {"account": WORK}, False),
            ("identity", {"account": WORK, "window": "w", "request": "switch-1", "cause": "openURL"}, False),
            ("allowedAccounts", {"accounts": [WORK, "*@contoso.com"]}, False),
            ("compliance", {"account": WORK, "status": "notCompliant", "title": "T", "text": "t", "later": [1]}, False),
            ("wipe", {"account": WORK, "request": "wipe-1", "deadline": 7}, False),
        ):
            self.daemon.tell(topic, **members)
            told = self.news(topic)
            self.assertEqual(told, {"news": topic, "generation": 1, "digest": "d", "mayWork": may_work, **members})

    def test_what_came_of_a_wipe_goes_back(self) -> None:
        self.assertEqual(self.host.call("complete", request="wipe-1", result="done")["reply"]["state"], "wiped")
        self.assertEqual(self.daemon.said("Complete"), [{"request": "wipe-1", "result": "done"}])
        self.assertEqual(self.host.call("complete", request="wipe-1", result="later")["error"], "wrongMember")
        self.assertEqual(self.host.call("complete", result="done")["error"], "wrongMember")
        self.daemon.close()
        self.assertEqual(self.host.call("complete", request="wipe-1", result="done")["error"], "noAnswer")

    def test_calls_about_one_account_go_to_the_daemon_as_they_are(self) -> None:
        """EN-11, AA-02: what the daemon answers comes back whole; nothing can be added."""
        for call, reply in (
            ("Register", {"account": WORK, "state": "enrolled", "result": "newPolicies", "later": [1]}),
            ("Deregister", {"account": WORK, "state": "suspended", "result": "unenrolled"}),
            ("MaySignIn", {"allowed": False, "state": "notAllowed", "reason": "accountNotAllowed", "text": "No."}),
        ):
            name = call[0].lower() + call[1:]
            self.daemon.replies[call] = reply
            self.assertEqual(self.host.call(name, account=WORK)["reply"], reply)
            self.assertEqual(self.daemon.said(call), [{"account": WORK}])
            for wrong, error in (
                ({}, "wrongMember"), ({"account": None}, "wrongMember"), ({"account": 7}, "wrongMember"),
                ({"account": "x" * 257}, "wrongMember"), ({"account": WORK, "data": "remove"}, "unknownMember"),
            ):  # fmt: skip
                self.assertEqual(self.host.call(name, **wrong)["error"], error, (name, wrong))
            self.assertEqual(len(self.daemon.said(call)), 1, "what is refused goes to nobody")
        self.daemon.replies["AllowedAccounts"] = {"accounts": [], "mustSignOut": [WORK]}
        self.assertEqual(self.host.call("allowedAccounts")["reply"], {"accounts": [], "mustSignOut": [WORK]})
        self.assertEqual(self.host.call("allowedAccounts", account=WORK)["error"], "unknownMember")
        self.daemon.close()
        self.assertEqual(self.host.call("register", account=WORK)["error"], "noAnswer")

    def test_what_came_of_a_switch_goes_back(self) -> None:
        self.assertIn("reply", self.host.call("answer", request="switch-1", result="failed"))
        self.assertEqual(self.daemon.answers(), [{"request": "switch-1", "result": "failed"}])
        for wrong in ({"request": "switch-1", "result": "done"}, {"request": "switch-1"}, {"result": "success"}):
            self.assertEqual(self.host.call("answer", **wrong)["error"], "wrongMember", wrong)
        self.assertEqual(len(self.daemon.answers()), 1)

    def test_accounts_are_listed(self) -> None:
        own = {"account": WORK, "state": "enrolled", "managed": True, "sources": ["app"]}
        self.daemon.replies["List"] = {"accounts": [own]}
        self.assertEqual(self.host.call("accounts")["reply"], {"accounts": [own]})
        self.assertEqual(self.host.call("accounts", account=WORK)["error"], "unknownMember")

    def test_the_configuration_of_one_account_is_given(self) -> None:
        config = {"accounts": [{"account": WORK, "state": "enrolled", "values": [], "conflicts": []}]}
        self.daemon.replies["Config"] = config
        self.assertEqual(self.host.call("config", account=WORK)["reply"], config)
        self.assertEqual(self.daemon.said("Config"), [{"accounts": [WORK]}])
        self.assertEqual(self.host.call("config")["error"], "wrongMember")

    def test_lost_news_are_told(self) -> None:
        self.daemon.tell("account", account=WORK, state="active", missed=3)
        self.news("missed")
        self.assertEqual(self.news("account")["missed"], 3)


if __name__ == "__main__":
    unittest.main()
