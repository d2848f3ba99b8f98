"""Exported rules for apps without a file of them: an app gets those of its classes, and holds up nobody's questions."""

import json
import re
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from attack_case import ALICE, APP, BOB, INSIDE, KIOSK, OUTSIDE, PEOPLE, SETTINGS, AttackCase, Link
from configuration import RULES, Configuration
from daemon import PROGRAM, eventually
from long_attack import LongAttack
from wire import GUARD, frame

EXPORT = f"{GUARD}.ExportRules"
FORMATS = (
    "webkit-content-blocker", "chromium-policy", "firefox-policy", "declarative-net-request", "chromium-host-rules",
)  # fmt: skip
PART_BYTES = 1 << 16
# A document of a large policy is made on a thread that yields to everybody.
PATIENCE_SECONDS = 240.0

OTHER = f"""\
apps:
  {KIOSK}:
    peers: [{{ uid: {BOB} }}]
    identityMode: multi
    classes:
      secret: {{ policy: currentIdentity, externalURLs: hidden }}
      public: {{ policy: currentIdentity, externalURLs: contoso }}
"""

HIDDEN = """\
ruleSet: hidden
default: internal
rules:
  - { id: a-secret, external: { domain: secret.example }, then: block }
"""


def world(rules: str = RULES) -> Configuration:
    people = PEOPLE.replace(f", {{ uid: {BOB} }}", "")
    assert people != PEOPLE
    made = Configuration(people, OTHER, settings=SETTINGS, rules=rules)
    made.files["rules/hidden.yaml"] = HIDDEN
    return made


class ExportCase(AttackCase):
    configuration = world()

    def reload(self, *files: tuple[str, str]) -> None:
        """Puts a configuration in force that differs in these files."""
        for name, text in files:
            (self.daemon.config / name).write_text(text)
        command = [PROGRAM, "reload", "--socket-dir", self.daemon.sockets]
        subprocess.run(command, capture_output=True, timeout=240, check=True)

    def attached(self, uid: int = ALICE) -> Link:
        link = self.link(uid)
        self.answered(link.call(f"{GUARD}.Attach"))
        return link

    def document(self, link: Link, rule_format: str = FORMATS[0], **more: Any) -> tuple[str, dict[str, Any]]:
        """The whole document, and the last reply."""
        whole = b""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            self.assertLess(time.monotonic(), deadline, "it is never made")
            reply = self.answered(link.call(EXPORT, format=rule_format, offset=len(whole), **more))
            if not reply["ready"]:
                self.assertNotIn("part", reply)
                time.sleep(0.01)
                continue
            part = reply["part"].encode()
            self.assertLessEqual(len(part), PART_BYTES)
            whole += part
            if len(whole) == reply["bytes"]:
                return whole.decode(), reply
            self.assertTrue(part)

    def exported(self, config: Path, app: str, rule_format: str, viewer_class: str) -> str:
        command = [str(PROGRAM), "export", "--for", rule_format, "--config", str(config), "--app", app]
        command += ["--class", viewer_class]
        said = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
        return said.stdout.rstrip("\n")


class WhatIsExported(ExportCase):
    def test_it_is_what_the_program_exports(self) -> None:
        link = self.attached()
        for rule_format in FORMATS:
            document, reply = self.document(link, rule_format, **{"class": "documents"})
            self.assertEqual(document, self.exported(self.daemon.config, APP, rule_format, "documents"))
            if rule_format != "chromium-host-rules":
                json.loads(document)
                self.assertIn("sharing", document)
            self.assertEqual(len(reply["digest"]), 64)
            # One class has rules, so it need not be named.
            self.assertEqual(self.document(link, rule_format)[0], document)

    def test_the_end_and_what_is_behind_it_are_empty(self) -> None:
        link = self.attached()
        document, reply = self.document(link)
        for offset in (reply["bytes"], reply["bytes"] + 1, 1 << 40):
            self.assertEqual(self.answered(link.call(EXPORT, format=FORMATS[0], offset=offset))["part"], "")
        middle = self.answered(link.call(EXPORT, format=FORMATS[0], offset=7))
        self.assertEqual(middle["part"], document[7:])

    def test_news_of_the_policy_tell_that_they_changed(self) -> None:
        link, news = self.attached(), self.link(ALICE)
        before, reply = self.document(link)
        token = self.answered(news.call(f"{GUARD}.Attach"))["instance"]
        self.assertTrue(token)
        news.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["policy"]).decode())
        first = news.reply()["parameters"]
        self.assertEqual((first["generation"], first["digest"]), (reply["generation"], reply["digest"]))
        self.addCleanup(self.reload, ("rules/contoso.yaml", RULES))
        self.reload(("rules/contoso.yaml", RULES.replace("sharing.example", "other.example")))
        second = news.reply()["parameters"]
        after, now = self.document(link)
        self.assertEqual((second["generation"], second["digest"]), (now["generation"], now["digest"]))
        self.assertNotEqual(now["generation"], reply["generation"])
        self.assertNotEqual(after, before)


class WhoGetsThem(ExportCase):
    def test_nobody_without_an_app(self) -> None:
        self.refused(self.link(ALICE).call(EXPORT, format=FORMATS[0]), "NotAttached")

    def test_no_foreign_class(self) -> None:
        alice = self.attached()
        for name in ("secret", "public", "", "documents ", "x" * 5000):
            said = self.refused(alice.call(EXPORT, format=FORMATS[0], **{"class": name}), "UnknownClass")
            self.assertLessEqual(len(json.dumps(said)), 200)
        bob = self.attached(BOB)
        self.refused(bob.call(EXPORT, format=FORMATS[0], **{"class": "documents"}), "UnknownClass")
        self.assertNotIn("secret", self.document(bob, **{"class": "public"})[0])
        self.assertIn("secret", self.document(bob, **{"class": "secret"})[0])
        self.assertNotIn("secret", self.document(alice)[0])

    def test_what_is_no_choice_is_refused(self) -> None:
        alice, bob = self.attached(), self.attached(BOB)
        wrong: list[tuple[Link, dict[str, Any], str]] = [
            (alice, {}, "format"), (alice, {"format": ""}, "format"), (alice, {"format": "nonsense"}, "format"),
            (alice, {"format": "WEBKIT-CONTENT-BLOCKER"}, "format"), (alice, {"format": 7}, "format"),
            (alice, {"format": FORMATS[0], "offset": -1}, "offset"),
            (alice, {"format": FORMATS[0], "offset": "1"}, "offset"),
            (alice, {"format": FORMATS[0], "class": "loose"}, "class"),
            (bob, {"format": FORMATS[0]}, "class"),
        ]  # fmt: skip
        for link, parameters, named in wrong:
            reply = link.call(EXPORT, **parameters)
            self.assertEqual(reply["error"], "org.varlink.service.InvalidParameter", (parameters, reply))
            self.assertEqual(reply["parameters"], {"parameter": named})


LIST = "{ list: { file: lists/many.txt, format: domains } }"


class Floods(ExportCase):
    """A policy of many rules, and programs that want it in all formats at once."""

    NAMES = 60_000
    configuration = world(
        RULES + f"  - {{ id: many, external: {LIST}, then: block }}\n"
        f"  - {{ id: but, external: {{ not: {LIST}, host: but.example }}, then: block }}\n"
    )

    @classmethod
    def setUpClass(cls) -> None:
        cls.configuration.files["rules/lists/many.txt"] = "".join(f"h{n}.example\n" for n in range(cls.NAMES))
        super().setUpClass()

    def test_no_question_waits_for_a_document(self) -> None:
        asker = self.link(ALICE)
        self.managed(asker)
        askers = [self.attached() for _ in range(3)]
        # Calls without reading: none is held until a document is made, and whoever does not read is read from no more.
        calls = "".join(frame(EXPORT, format=name).decode() for name in FORMATS)
        for link in askers:
            self.assertGreater(link.push(calls, 100), len(calls))
        slowest = 0.0
        for number in range(50):
            began = time.monotonic()
            url = OUTSIDE if number % 2 else INSIDE
            outcome, _ = self.navigate(asker, url)
            slowest = max(slowest, time.monotonic() - began)
            self.assertEqual(outcome, "allow" if url == INSIDE else "redirect")
        # Not the speed of anything: with the export on the loop, or calls that wait for it, this takes many seconds.
        self.assertLess(slowest, 5.0)
        for link in askers:
            self.assertIn("ready", self.answered(link.reply()))
            link.close()
        made = {name: self.document(asker, name) for name in FORMATS}
        self.assertGreater(made["webkit-content-blocker"][1]["bytes"], PART_BYTES)
        json.loads(made["webkit-content-blocker"][0])

    def test_a_reload_in_the_middle_leaves_no_document_of_two_policies(self) -> None:
        link = self.attached()
        document, _ = self.document(link)
        first = self.answered(link.call(EXPORT, format=FORMATS[0]))
        self.assertEqual(len(first["part"]), PART_BYTES)
        lists = self.daemon.config / "rules/lists/many.txt"
        self.reload(("rules/lists/many.txt", lists.read_text() + "later.example\n"))
        second = self.answered(link.call(EXPORT, format=FORMATS[0], offset=PART_BYTES))
        self.assertNotEqual((second["generation"], second["digest"]), (first["generation"], first["digest"]))
        again, _ = self.document(link)
        self.assertIn("later", again)
        self.assertNotIn("later", document)

    def test_a_program_that_goes_away_leaves_nothing_behind(self) -> None:
        for _ in range(8):
            link = self.attached()
            link.send(frame(EXPORT, format=FORMATS[1]).decode())
            link.close()
        survivor = self.attached()
        self.document(survivor, FORMATS[1])


EXPIRING = "  - { id: soon, external: { domain: soon.example }, then: block, expires: 2026-12-24 }\n"


class Changes(ExportCase):
    """Policies that change while apps read documents of them."""

    def test_a_storm_of_reloads_mixes_no_two_policies_and_leaves_the_last(self) -> None:
        self.addCleanup(self.reload, ("rules/contoso.yaml", RULES))
        links = [self.attached() for _ in range(3)]
        ended, failures = threading.Event(), []
        seen: set[str] = set()

        def read(link: Link, rule_format: str) -> None:
            try:
                while not ended.is_set():
                    for document in self.whole(link, rule_format):
                        markers = set(re.findall(r"storm-\d+", document))
                        assert len(markers) <= 1, markers
                        seen.update(markers)
            except Exception as error:  # noqa: BLE001
                failures.append(error)

        readers = [threading.Thread(target=read, args=each) for each in zip(links, FORMATS, strict=False)]
        for reader in readers:
            reader.start()
        rule = "  - {{ id: s{0}, external: {{ domain: h{0}.storm-NUMBER.example }}, then: block }}\n"
        many = "".join(rule.format(number) for number in range(300))
        for number in range(5):
            self.reload(("rules/contoso.yaml", RULES + many.replace("NUMBER", str(number))))
        eventually(lambda: failures or "storm-4" in seen, "the last policy is exported")
        ended.set()
        for reader in readers:
            reader.join()
        self.assertEqual(failures, [])

    def whole(self, link: Link, rule_format: str) -> list[str]:
        """The document, unless another policy came into force while it was read."""
        whole, generation = b"", None
        while True:
            reply = self.answered(link.call(EXPORT, format=rule_format, offset=len(whole)))
            if not reply["ready"]:
                time.sleep(0.01)
                continue
            if generation not in (None, reply["generation"]):
                return []
            generation = reply["generation"]
            whole += reply["part"].encode()
            if len(whole) == reply["bytes"]:
                return [whole.decode()]

    def test_a_class_and_an_app_that_vanish(self) -> None:
        name = "policy.d/app-0.yaml"
        text = (self.daemon.config / name).read_text()
        self.addCleanup(self.reload, (name, text))
        link, bob = self.attached(), self.attached(BOB)
        before, _ = self.document(link, **{"class": "documents"})
        self.assertIn("classes:\n      documents:", text)
        self.reload((name, text.replace("documents: { policy: currentIdentity, externalURLs: contoso }", "others: {}")))
        self.refused(link.call(EXPORT, format=FORMATS[0], **{"class": "documents"}), "UnknownClass")
        for offset in (0, 5):
            reply = link.call(EXPORT, format=FORMATS[0], offset=offset)
            self.assertEqual(reply["error"], "org.varlink.service.InvalidParameter", "no class of it has rules")
        self.reload((name, text.replace(APP, "com.contoso.gone")))
        self.assertIn("error", link.call(EXPORT, format=FORMATS[0], **{"class": "documents"}))
        self.document(bob, **{"class": "public"})
        self.reload((name, text))
        again = self.attached()
        self.assertEqual(self.document(again, **{"class": "documents"})[0], before)

    def test_connections_that_end_within_a_reply(self) -> None:
        survivor = self.attached()
        document, _ = self.document(survivor)
        call = frame(EXPORT, format=FORMATS[0]).decode()
        for number in range(10):
            link = self.attached()
            link.send((call * 20)[: len(call) * 20 - number])
            if number % 3 == 0:
                link.reply()
            link.close()
        self.assertEqual(self.document(survivor)[0], document)


class Expiry(LongAttack, ExportCase):
    """Rules that end by themselves: the policy is the same, and its documents are not."""

    configuration = world(RULES + EXPIRING)

    def test_a_rule_that_ends_changes_the_document_and_is_told(self) -> None:
        link, news = self.attached(), self.link(ALICE)
        before, first = self.document(link)
        self.assertIn("soon", before)
        self.answered(news.call(f"{GUARD}.Attach"))
        news.send(frame(f"{GUARD}.Subscribe", flags={"more": True}, topics=["policy"]).decode())
        told = news.reply()["parameters"]
        self.assertEqual(told["generation"], first["generation"])
        self.wait(40 * 24 * 3600)
        after, second = self.document(link)
        self.assertNotIn("soon", after)
        self.assertGreater(second["generation"], first["generation"])
        self.assertEqual(news.reply()["parameters"]["generation"], second["generation"])
        # The policy is the same, and so is its digest: the generation tells, and so the interface says.
        self.assertEqual(second["digest"], first["digest"])
