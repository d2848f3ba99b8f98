"""The interface file is the truth: each word and member that it has, the client has."""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

from case import ClientCase
from program import CLIENT, ROOT, VECTORS

INTERFACES = ROOT / "Sources/GuardProtocol/Interfaces"
# Read or written beside the tables.
EVENT_ASIDE = {"length", "action", "deadline"}
DECISION_ASIDE = {"outcome", "open", "advice"}
# `wvg_news.json` has it; `wvg_get_organization` reads the same of Attach.
NEWS_ASIDE = {"organization"}


def without_comments() -> str:
    texts = ((INTERFACES / f"org.webviewguard.{name}.varlink").read_text() for name in ("Guard", "Accounts"))
    return re.sub(r"#.*", "", "".join(texts))


def members(name: str) -> dict[str, str]:
    """The members of a type with their types."""
    body = re.search(rf"\btype {name} \(([^)]*)\)", without_comments())
    assert body, name
    return dict(re.findall(r"(\w+)\s*:\s*([?\[\]\w]+)", body[1]))


def words(name: str) -> list[str]:
    body = re.search(rf"\btype {name} \(([^)]*)\)", without_comments())
    assert body, name
    return [word.strip() for word in body[1].split(",")]


class Words(unittest.TestCase):
    """The constants for words are made of the interface files."""

    def test_the_header_is_up_to_date(self) -> None:
        made = subprocess.run([CLIENT / "make-words"], capture_output=True, text=True, check=True).stdout
        self.assertEqual((CLIENT / "webviewguard-words.h").read_text(), made, "run make-words")
        defined = re.findall(r"^#define (\w+) ", made, re.MULTILINE)
        self.assertEqual(len(defined), len(set(defined)))
        self.assertIn('#define WVG_REASON_SAME_ACCOUNT "sameAccount"', made)

    def test_it_goes_with_the_others_in_c_and_cpp(self) -> None:
        for compiler, standard in (("cc", "c11"), ("c++", "c++17")):
            with self.subTest(compiler), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / f"words.{'c' if compiler == 'cc' else 'cpp'}"
                source.write_text(
                    "#include <webviewguard.h>\n#include <webviewguard-words.h>\n"
                    "int main(void) { return WVG_FRAME_MAIN[0] == 'm' ? 0 : 1; }\n"
                )
                command = [compiler, f"-std={standard}", "-Wall", "-Werror", "-I", CLIENT, source, "-o", f"{folder}/words"]
                subprocess.run(list(map(str, command)), check=True)
                subprocess.run([f"{folder}/words"], check=True)


class Interface(ClientCase):
    def test_each_outcome_is_known(self) -> None:
        driver = self.driver()
        outcomes = words("Outcome")
        self.assertGreaterEqual(len(outcomes), 7)
        for word in outcomes:
            self.assertEqual(driver("outcome", word=word)["outcome"], word)
        self.assertEqual(driver("outcome", word="explode")["outcome"], "block")

    def test_each_kind_is_asked_by_its_method(self) -> None:
        kinds = words("EventKind")
        daemon = self.fake()
        driver = self.driver().new()
        for kind in kinds:
            driver.ask(kind)
        asked = [call["method"] for call in daemon.peers[0].calls[1:]]
        self.assertEqual(asked, [kind[0].upper() + kind[1:] for kind in kinds])

    def test_each_member_of_an_event_is_sent_and_of_a_decision_read(self) -> None:
        known = self.driver()("members")
        self.assertEqual(set(known["event"]) | EVENT_ASIDE, set(members("Event")))
        # What a later daemon adds may be known here before.
        self.assertLessEqual(set(members("Decision")), set(known["decision"]) | DECISION_ASIDE)
        self.assertLessEqual(set(known["decision"]) - {"mimeWrap"}, set(members("Decision")))

    def test_each_topic_is_known_in_its_order(self) -> None:
        self.assertEqual(self.driver()("topics")["topics"], words("Topic"))

    def test_each_word_of_accounts_is_in_the_table_that_the_clients_share(self) -> None:
        table = json.loads((VECTORS / "results.json").read_text())
        for name, kind in (("enrollment", "EnrollmentResult"), ("states", "AccountState"), ("lives", "LifeState")):
            self.assertEqual([row["word"] for row in table[name]], words(kind))

    def test_each_member_of_an_account_and_of_news_is_read(self) -> None:
        known = self.driver()("members")
        self.assertEqual(set(known["account"]), set(members("ListedAccount")))
        body = re.search(r"method Subscribe\(.*?-> \((.*?)\n\)", without_comments(), re.DOTALL)
        assert body
        self.assertEqual(set(known["news"]) | NEWS_ASIDE, set(re.findall(r"(\w+)\s*:", body[1])))

    def test_an_event_with_every_member_arrives_whole(self) -> None:
        daemon = self.fake()
        event = {name: sample(name, kind) for name, kind in members("Event").items()}
        deadline = event.pop("deadline")
        driver = self.driver().new()
        self.assert_allowed(driver.ask("navigate", **event))
        self.assert_allowed(driver.ask("copy", **{k: False for k, v in event.items() if v is True}, formats=[]))
        sent = [call["parameters"]["event"] for call in daemon.peers[0].calls[1:]]
        self.assertIs(type(sent[0].pop("deadline")), type(deadline))
        self.assertEqual(sent[0], event)
        sent[1].pop("deadline")
        self.assertEqual(sent[1], {k: False for k, v in event.items() if v is True} | {"formats": []})

    def test_what_is_left_out_is_not_sent(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        driver.ask("paste")
        driver.ask("copy", length=0)
        driver.ask("copy", owner="", url="ungültig")
        sent = [call["parameters"]["event"] for call in daemon.peers[0].calls[1:]]
        for event in sent:
            event.pop("deadline")
        self.assertEqual(sent, [{}, {"length": 0}, {"owner": "", "url": "ungültig"}])

    def test_each_method_has_a_function_or_goes_through_call(self) -> None:
        methods = set(re.findall(r"^method (\w+)\(", without_comments(), re.MULTILINE))
        source = (CLIENT / "webviewguard.c").read_text()
        spoken = {method for method in methods if f'"{method}"' in source or f'ACCOUNTS ".{method}"' in source}
        # The last three are for programs of the daemon.
        others = {"WhoAmI", "OwnPrograms", "DecideMany", "DecideLocations", "DecidePeers", "Identities", "SignedIn",
                  "FilesRemoved", "Notices"}  # fmt: skip
        self.assertEqual(methods - spoken, others)

    def test_any_other_method_can_be_called(self) -> None:
        def serve(peer: Any) -> None:
            peer.attach()
            peer.call()
            peer.reply({"peers": [{"peer": "a", "outcome": "allow", "reason": "sendAny"}]})
            peer.call()
            peer.refuse("LimitReached", limit="questions", maximum=3)
            peer.oblige()

        daemon = self.fake(serve)
        driver = self.driver().new()
        driver.start()
        said = driver.say("DecidePeers", peers=["a"], event={})
        self.assertEqual(said["said"], "done")
        self.assertIn('"outcome": "allow"', said["reply"])
        said = driver.say("DecideMany", questions=[])
        self.assertEqual((said["error"], said["parameters"]), ("LimitReached", {"limit": "questions", "maximum": 3}))
        for parameters in ('{}},"x":{', "[]", "{", '{"a":1,"a":2}'):
            said = driver("say", method="DecidePeers", parameters=parameters)
            self.assertEqual((said["said"], said["error"]), ("refused", "InvalidParameter"), parameters)
        said = driver("say", method='X","oneway":true,"y":"', parameters={"a": 1})
        self.assertEqual(said["error"], "InvalidParameter")
        self.assertEqual(len(daemon.peers[0].calls), 3)

    def test_text_is_escaped(self) -> None:
        daemon = self.fake()
        driver = self.driver().new()
        driver.ask("navigate", viewer='v"\\\n', url="a\u2028b")
        event = daemon.peers[0].calls[1]["parameters"]["event"]
        self.assertEqual((event["viewer"], event["url"]), ('v"\\\n', "a\u2028b"))


def sample(name: str, kind: str) -> Any:
    plain = kind.removeprefix("?")
    if plain == "bool":
        return True
    if plain == "int":
        return 12
    return [name, "x"] if plain == "[]string" else f"{name} ä"
