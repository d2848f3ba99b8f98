"""What the example browsers do when accounts come, change and go, without an engine: examples/accounts."""

import json
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "Tests/Support/python"), str(ROOT / "examples/accounts")]

import profiles as profiles_module  # noqa: E402
from account_life import RESTART_TEXT, TEXTS, AccountLife  # noqa: E402
from account_world import AccountDaemon  # noqa: E402
from browser_settings import Bookmark, BrowserSettings, read, text_on  # noqa: E402
from profiles import Profiles  # noqa: E402
from test_listening import until  # noqa: E402
from webviewguard import AccountConfig, Guard  # noqa: E402
from webviewguard._config import read as read_configs  # noqa: E402

WORK, OTHER = "Work@contoso.com", "3EC2C00F-B125-4519-ACF0-302AC3761822"
HOME = "3ec2c00f-b125-4519-acf0-302ac3761822.11112222-3333-4444-5555-666677778888"


class Profile(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        self.profiles = Profiles(self.root / "profiles")

    def keep(self, account: str) -> Path:
        file = self.profiles.of(account) / "downloads/plan.txt"
        file.write_text(account)
        return file

    def test_names_of_one_account_share_a_profile_and_others_do_not(self) -> None:
        self.assertEqual(self.profiles.place(WORK), self.profiles.place(WORK.lower()))
        self.assertEqual(self.profiles.place(OTHER), self.profiles.place(HOME))
        self.assertNotEqual(self.profiles.place(WORK), self.profiles.place(OTHER))
        for name in ("..", "../..", "/etc", "a/b", "", "\0"):
            self.assertEqual(self.profiles.place(name).parent, self.root / "profiles", name)

    def test_a_wipe_takes_one_profile(self) -> None:
        work, other = self.keep(WORK), self.keep(OTHER)
        self.assertTrue(self.profiles.wipe(WORK.upper()))
        self.assertFalse(work.exists())
        self.assertEqual(other.read_text(), OTHER)
        self.assertTrue(self.profiles.wipe(WORK), "it is gone already")
        self.assertTrue(self.profiles.wipe(HOME))
        self.assertFalse(other.exists())

    def test_nobodys_profile_is_not_wiped(self) -> None:
        nobodys = self.keep("")
        self.assertFalse(self.profiles.wipe(""))
        self.assertTrue(nobodys.exists())

    def test_links_are_removed_and_not_followed(self) -> None:
        outside = self.root / "outside"
        outside.mkdir()
        (outside / "private.txt").write_text("private")
        (self.profiles.of(WORK) / "downloads/link").symlink_to(outside)
        self.profiles.place(OTHER).symlink_to(outside)
        self.assertTrue(self.profiles.wipe(WORK) and self.profiles.wipe(OTHER))
        self.assertEqual((outside / "private.txt").read_text(), "private")
        self.assertEqual(list((self.root / "profiles").iterdir()), [])

    def test_what_cannot_be_removed_is_not_said_to_be_gone(self) -> None:
        self.keep(WORK)
        with patch.object(profiles_module.shutil, "rmtree", side_effect=PermissionError), patch.object(
            profiles_module, "PAUSE_SECONDS", 0
        ):
            self.assertFalse(self.profiles.wipe(WORK))
        # What a program that ended in the middle left is removed by the next one.
        Profiles(self.root / "profiles")
        self.assertEqual(list((self.root / "profiles").iterdir()), [])

    def test_an_engine_that_still_writes_loses_that_as_well(self) -> None:
        self.keep(WORK)
        remove = profiles_module.shutil.rmtree
        writes = [True, True]

        def write_on(place: Path) -> None:
            remove(place)
            if writes:
                writes.pop()
                self.keep(WORK)

        with patch.object(profiles_module.shutil, "rmtree", write_on), patch.object(profiles_module, "PAUSE_SECONDS", 0):
            self.assertTrue(self.profiles.wipe(WORK))
        self.assertEqual(list((self.root / "profiles").iterdir()), [])


class Shown:
    """A browser that writes down what it is told."""

    def __init__(self, *accounts: str) -> None:
        self.accounts = list(accounts)
        self.said: list[tuple[str, str]] = []
        self.switched: list[tuple[str, str | None]] = []
        self.configured: list[tuple[str, BrowserSettings]] = []
        self.announced: list[str] = []

    def shown(self) -> list[str]:
        return self.accounts

    def sign_out(self, account: str) -> None:
        self.accounts.remove(account)

    def switch(self, account: str, window: str | None) -> bool:
        self.switched.append((account, window))
        return account == OTHER

    def tell(self, account: str, text: str) -> None:
        self.said.append((account, text))

    def configure(self, account: str, settings: BrowserSettings) -> None:
        self.configured.append((account, settings))

    def announce(self, text: str) -> None:
        self.announced.append(text)


class Life(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory(prefix="wvg-")
        self.addCleanup(directory.cleanup)
        self.daemon = AccountDaemon(Path(directory.name))
        self.addCleanup(self.daemon.close)
        self.guard = Guard(path=self.daemon.path, on_problem=lambda _: None)
        self.addCleanup(self.guard.close)
        self.assertTrue(self.guard.start())
        self.profiles = Profiles(Path(directory.name) / "profiles")
        self.face = Shown(WORK, OTHER)
        self.life = AccountLife(self.guard, self.profiles, self.face)
        self.until(lambda: self.daemon.is_heard)

    def until(self, holds: Callable[[], object]) -> None:
        until(self.guard, holds)

    def test_every_state_has_words_for_people(self) -> None:
        for state, text in TEXTS.items():
            topic = {"life" if state in ("suspended", "wipePending") else "state": state}
            self.daemon.tell("enrollment" if "life" in topic else "account", account=WORK.lower(), **topic)
            self.until(lambda text=text: self.face.said[-1:] == [(WORK, text)])  # type: ignore[misc]
        self.daemon.tell("account", account=WORK, state="enchanted")
        self.until(lambda: "may not be used" in self.face.said[-1][1])
        self.daemon.tell("enrollment", account=WORK, life="enrolled", result="unchanged")
        self.until(lambda: self.face.said[-1] == (WORK, ""))
        self.assertEqual(self.daemon.said("Complete"), [], "nothing was removed")

    def test_accounts_that_are_not_shown_change_nothing(self) -> None:
        self.daemon.tell("account", account="stranger@contoso.com", state="blocked")
        self.daemon.tell("account", account=WORK, state="locked")
        self.until(lambda: self.face.said)
        self.assertEqual(self.face.said, [(WORK, TEXTS["locked"])])

    def test_a_wipe_is_done_before_it_is_said_to_be(self) -> None:
        kept = self.profiles.of(WORK) / "downloads/plan.txt"
        kept.write_text("plan")
        other = self.profiles.of(OTHER)
        self.daemon.tell("wipe", account=WORK.lower(), request="wipe-1", deadline=1)
        self.until(lambda: self.daemon.said("Complete"))
        self.assertEqual(self.daemon.said("Complete"), [{"request": "wipe-1", "result": "done"}])
        self.assertEqual((kept.exists(), other.exists(), self.face.accounts), (False, True, [OTHER]))
        self.assertEqual(self.face.announced, [f"{WORK.lower()}: {TEXTS['wiped']}"])

    def test_a_wipe_that_fails_is_said_to_have_failed(self) -> None:
        self.profiles.of(WORK)
        with patch.object(Profiles, "wipe", return_value=False):
            self.daemon.tell("wipe", account=WORK, request="wipe-1")
            self.until(lambda: self.daemon.said("Complete"))
        self.assertEqual(self.daemon.said("Complete"), [{"request": "wipe-1", "result": "failed"}])

    def test_a_restart_is_left_to_the_person_who_is_told(self) -> None:
        self.daemon.tell("restart", request="r-1", restart="staticRules", deadline=1)
        self.daemon.tell("restart", restart="staticRules")
        self.until(lambda: self.daemon.said("Complete"))
        self.assertEqual(self.daemon.said("Complete"), [{"request": "r-1", "result": "refused"}])
        self.assertEqual(self.face.announced, [RESTART_TEXT])
        self.assertEqual(len(self.face.accounts), 2, "nothing is closed over the person's head")

    def test_the_end_of_a_wipe_is_no_request(self) -> None:
        place = self.profiles.of(WORK)
        self.daemon.tell("wipe", account=WORK, state="wiped")
        self.daemon.tell("account", account=OTHER, state="active")
        self.until(lambda: self.face.said)
        self.assertTrue(place.exists())
        self.assertEqual(self.daemon.said("Complete"), [])

    def test_a_switch_is_answered_by_what_came_of_it(self) -> None:
        for request, account in (("switch-1", WORK), ("switch-2", OTHER)):
            self.daemon.tell("identity", account=account, window="w1", request=request, cause="openURL")
        self.until(lambda: len(self.daemon.answers()) == 2)
        self.assertEqual([said["result"] for said in self.daemon.answers()], ["failed", "success"])
        self.assertEqual(self.face.switched, [(WORK, "w1"), (OTHER, "w1")])

    def test_an_account_that_may_not_work_stays_and_says_why(self) -> None:
        self.daemon.tell("identity", account="", window="w1", request="switch-1", cause="cancelConditionalLaunch")
        self.daemon.tell("account", account=WORK, state="blocked")
        self.until(lambda: self.face.said and self.daemon.answers())
        self.assertEqual([said["result"] for said in self.daemon.answers()], ["failed"])
        self.assertEqual((self.face.switched, self.face.accounts), ([], [WORK, OTHER]))

    def test_who_signs_out_is_ended_at_the_daemon_first(self) -> None:
        place = self.profiles.of(WORK)
        self.life.leave(WORK)
        self.assertEqual(self.daemon.said("Deregister"), [{"account": WORK}])
        self.assertEqual((place.exists(), self.face.accounts), (False, [OTHER]))

    def test_an_account_that_can_never_be_enrolled_is_not_shown(self) -> None:
        answer = {"account": WORK, "state": "policyRequired"}
        for may, result, is_shown in ((False, "", False), (True, "otherUser", False), (True, "newPolicies", True)):
            self.daemon.replies["MaySignIn"] = {"allowed": may, "state": "enrolled"}
            self.daemon.replies["Register"] = answer | {"result": result}
            self.assertIs(self.life.register(WORK), is_shown, result)

    def test_after_lost_news_all_is_looked_at_again(self) -> None:
        listed = {"managed": True, "sources": ["app"]}
        accounts = [{"account": WORK, "state": "locked", **listed}, {"account": OTHER, "state": "enrolled", **listed}]
        self.daemon.replies["List"] = {"accounts": accounts}
        self.daemon.replies["AllowedAccounts"] = {"accounts": [WORK], "mustSignOut": [HOME]}
        self.daemon.tell("policy", missed=2)
        self.until(lambda: self.face.accounts == [WORK])
        self.assertEqual(self.face.said, [(WORK, TEXTS["locked"]), (OTHER, "")])
        self.assertEqual(self.daemon.said("Deregister"), [{"account": HOME}])

    def test_at_the_start_those_are_registered_that_are_not_listed(self) -> None:
        """EN-11."""
        listed = {"account": WORK.lower(), "state": "enrolled", "managed": True, "sources": ["app"]}
        self.daemon.replies["List"] = {"accounts": [listed]}
        self.daemon.replies["MaySignIn"] = {"allowed": False, "state": "notAllowed"}
        self.face.accounts.append("")
        self.life.begin()
        self.assertEqual(self.daemon.said("MaySignIn"), [{"account": OTHER}])
        self.assertEqual(self.face.accounts, [WORK, ""], "who may not sign in is not shown")
        self.assertEqual(self.daemon.said("Register"), [])

    def test_configuration_is_read_and_read_again_when_it_changed(self) -> None:
        self.configured(banner="one", zoom=150)
        self.life.begin()
        self.assertEqual(self.face.configured, [(WORK, BrowserSettings(banner="one", zoom=150))])
        for topic, members in (("config", {}), ("account", {"state": "active"}), ("enrollment", {"life": "enrolled"})):
            self.face.configured.clear()
            self.configured(banner=topic)
            self.daemon.tell(topic, account=WORK.lower(), **members)
            self.until(lambda topic=topic: self.face.configured == [(WORK, BrowserSettings(banner=topic))])  # type: ignore[misc]
        self.assertEqual(self.life.settings(WORK).banner, "enrollment")
        self.assertEqual(self.life.settings(OTHER), BrowserSettings(), "another account has none of it")

    def test_an_account_without_values_keeps_what_was_read(self) -> None:
        self.configured(banner="one")
        self.life.begin()
        self.configured("locked")
        self.daemon.tell("config", account=WORK)
        self.daemon.tell("account", account=WORK, state="locked")
        self.until(lambda: self.face.said[-1:] == [(WORK, TEXTS["locked"])])
        self.assertEqual(self.life.settings(WORK).banner, "one")
        self.assertEqual(len(self.face.configured), 1)

    def test_no_value_is_logged(self) -> None:
        self.daemon.replies["Config"] = {"accounts": [{"account": WORK, "state": "enrolled", "values": "s3cret"}]}
        with self.assertLogs("account_life", "WARNING") as logged:
            self.life.configure()
        self.assertNotIn("s3cret", str(logged.output))

    def configured(self, state: str = "enrolled", **values: object) -> None:
        """What the daemon answers to Config from now on."""
        layers = [layer(key, value) for key, value in values.items()]
        config = {"account": WORK.lower(), "state": state, "values": layers, "conflicts": []}
        self.daemon.replies |= {"Config": {"accounts": [config]}, "List": {"accounts": []}}


def layer(key: str, value: object, entry: str = "e", *, default: bool = False) -> dict[str, object]:
    kind = "flag" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"
    return {"key": key, "entry": entry, "default": default, kind: value}


def config(*layers: dict[str, object]) -> AccountConfig:
    return read_configs({"accounts": [{"account": "a", "state": "enrolled", "values": [*layers], "conflicts": []}]})[0]


class Settings(unittest.TestCase):
    """What the browsers take of app configuration, and what they pass over."""

    def test_values_as_the_table_says(self) -> None:
        bookmarks = [{"name": "Canteen & Co <b>", "url": "https://contoso.com/c"}, {"name": "x"}, 7]
        found = read(config(
            layer("homePage", "https://portal.contoso.com/"), layer("banner", "<b>Move</b> on Friday"),
            layer("toolbarColor", "#1D4ed8"), layer("bookmarks", json.dumps(bookmarks)), layer("popups", False),
            layer("zoom", 125),
        ))  # fmt: skip
        self.assertEqual(found, BrowserSettings(
            "https://portal.contoso.com/", "<b>Move</b> on Friday", "#1D4ed8",
            (Bookmark("Canteen & Co <b>", "https://contoso.com/c"),), False, 125,
        ))  # fmt: skip

    def test_of_several_values_the_strictest_counts(self) -> None:
        several = config(
            layer("popups", True, "a"), layer("popups", False, "b"), layer("zoom", 90, "a"), layer("zoom", 150, "b"),
            layer("banner", "first", "a"), layer("banner", "second", "b"),
        )  # fmt: skip
        found = read(several)
        self.assertEqual((found.popups, found.zoom, found.banner), (False, 150, "first"))

    def test_what_is_not_as_the_table_says_counts_as_not_set(self) -> None:
        wrong: dict[str, tuple[object, ...]] = {
            "homePage": ("javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "https://", "contoso.com", 7,
                         "https://a/\n", "http://[", "https://a/" + "x" * 2048),
            "banner": ("two\nlines", "\x1b[31m", "\u202egpj", "x" * 301, True),
            "toolbarColor": ("red", "#fff", "#12345g", "#123456; background: url(x)", "#123456\n", 5, "#\u0661\u0661\u0661\u0661\u0661\u0661"),
            "bookmarks": ("no JSON", "{}", "[" * 100000, '[{"name": "x", "url": "javascript:1"}]', "7", "null", 3,
                          '[{"name": "", "url": "https://a/"}]', '[{"name": 1, "url": 2}]'),
            "popups": ("false", 0),
            "zoom": ("200",),
        }  # fmt: skip
        for key, values in wrong.items():
            for value in values:
                with self.subTest(key, value=str(value)[:40]):
                    self.assertEqual(read(config(layer(key, value))), BrowserSettings())

    def test_numbers_and_lists_have_limits(self) -> None:
        for zoom, shown in ((1, 50), (-1e300, 50), (1e300, 300), (300, 300), (99.9, 99)):
            self.assertEqual(read(config(layer("zoom", zoom))).zoom, shown)
        many = json.dumps([{"name": str(number), "url": "https://a/"} for number in range(50)])
        self.assertEqual(len(read(config(layer("bookmarks", many))).bookmarks), 20)

    def test_text_on_a_colour_can_be_read(self) -> None:
        for colour, text in (("#000000", "#ffffff"), ("#1d4ed8", "#ffffff"), ("#ffffff", "#000000"), ("#fde047", "#000000")):
            self.assertEqual(text_on(colour), text)
