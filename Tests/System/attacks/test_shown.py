"""What administrators are shown of others: nothing in it steers their terminal, and no query of a URL is in it."""

import json
import subprocess
import unicodedata
from typing import Any, ClassVar

from attack_case import ALICE, PEOPLE, SETTINGS, AttackCase, Link
from configuration import ORGANISATION, RULES, WORK, Configuration
from daemon import PROGRAM, eventually
from wire import GUARD

# Texts of the policy that repeat the URL, a browser whose arguments hold it, and links of both kinds.
TELLING = RULES + """\
  - id: told
    external: { domain: told.example }
    then: block
    message: "{url} is not for you"
"""
COMMAND = ORGANISATION.replace("{ desktopId: com.contoso.Browser.desktop }", '{ command: [/usr/bin/browser, "{url}"] }')
LINKS = COMMAND + """\
links:
  exempt: [{ match: { domain: maps.example }, desktopId: org.example.Maps.desktop }]
  managed: [{ match: { domain: meet.example }, desktopId: com.contoso.Meet.desktop }]
"""

# The steering part of what a terminal takes for more than text; each with a line of its own, so that it may pass for one.
HOSTILE = [
    "\x1b]0;owned\x07", "\x1b[2J\x1b[1;1H", "\x9b31m", "\r", "\n2. allow: all is well", "\u202egnp.exe", "\u2066a\u2069", "\u2028x",
    "\u2029x", "\u200f", "\x7f", "\b\b\b\b", "\0", "\ufeff",
]  # fmt: skip
SECRET = "s3cret"

# Each hides the secret in a part that the log leaves out.
PAGES = {
    "outside": f"https://example.net/page?token={SECRET}#{SECRET}",
    "inside": f"https://www.contoso.com/page?token={SECRET}#{SECRET}",
    "with a password": f"https://{SECRET}:{SECRET}@example.net/page?{SECRET}",
    "with a message": f"https://told.example/page?token={SECRET}",
    "exempt": f"https://maps.example/page?token={SECRET}",
    "managed": f"https://meet.example/page?token={SECRET}",
    "a socket": f"wss://example.net/page?token={SECRET}",
    "wrapped": f"view-source:https://example.net/page?token={SECRET}",
    "in a blob": f"blob:https://example.net/page?token={SECRET}",
    "mail": f"mailto:someone@example.net?body={SECRET}",
    "a call": f"tel:1?token={SECRET}",
    "an unknown scheme": f"unheard:page?token={SECRET}",
    "a file": f"file:///page?token={SECRET}",
    "no URL": f"https://[?token={SECRET}",
    "nor this": f"page?token={SECRET}",
}


class Watcher:
    """`webviewguard monitor`, which writes into a pipe."""

    def __init__(self, case: "Shown", shape: str) -> None:
        command = [str(PROGRAM), "monitor", "--format", shape, "--socket-dir", str(case.daemon.sockets)]
        self.output = case.daemon.directory / f"monitor-{shape}"
        self.seen = 0
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE)
            self.pipe = subprocess.Popen(["/bin/cat"], stdin=self.process.stdout, stdout=output)
        case.addCleanup(self.end)

    def lines(self) -> list[str]:
        """Whole lines. Nothing else ends one, whatever it is to Python."""
        return self.output.read_bytes().decode().split("\n")[:-1]

    def new(self, mark: str) -> list[str]:
        """The lines since the last time, up to that of the mark."""
        eventually(lambda: any(mark in line for line in self.lines()), "the watcher saw all")
        before, self.seen = self.seen, len(self.lines())
        return self.lines()[before : self.seen - 1]

    def end(self) -> None:
        self.process.terminate()
        for process in (self.process, self.pipe):
            process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()


class Shown(AttackCase):
    configuration: ClassVar[Configuration] = Configuration(PEOPLE, settings=SETTINGS, rules=TELLING, organisation=LINKS)

    def setUp(self) -> None:
        self.named = 0
        self.docs: Link = self.link(ALICE)
        self.managed(self.docs)

    def watchers(self) -> list[Watcher]:
        """Who watches as text and as JSON, from now on."""
        watchers = [Watcher(self, "text"), Watcher(self, "json")]
        eventually(lambda: self.decide(self.docs, "Print", "docs") and all(w.lines() for w in watchers), "they watch")
        self.seen(watchers)
        return watchers

    def seen(self, watchers: list[Watcher]) -> list[list[str]]:
        """What each saw since the last time. A question with a name of its own is the last."""
        self.named += 1
        mark = f"mark-{self.named}"
        self.answered(self.docs.call(f"{GUARD}.RegisterViewer", viewer=mark, **{"class": "documents"}))
        self.decide(self.docs, "Print", mark)
        return [watcher.new(mark) for watcher in watchers]

    def explained(self, decision: str, shape: str) -> str:
        done = subprocess.run(
            [str(PROGRAM), "explain", decision, "--format", shape, "--socket-dir", str(self.daemon.sockets)],
            capture_output=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def steers_nothing(self, text: str) -> None:
        """Nothing but newlines between what is seen."""
        steering = [character for character in text if _steers(character) and character != "\n"]
        self.assertEqual(steering, [], text)

    def asked(self, viewer: str, url: str) -> list[dict[str, Any]]:
        """Every question that a page with this URL can raise; the decisions."""
        questions: list[tuple[str, dict[str, Any]]] = [
            ("Navigate", {"frame": "main"}), ("Navigate", {"frame": "sub"}), ("Navigate", {"frame": "main", "hop": True}),
            ("Navigate", {"frame": "main", "from": url}), ("OpenURL", {}), ("OpenURL", {"from": url}),
            ("Download", {}), ("Upload", {"from": url}), ("Paste", {"selection": "clipboard", "length": 3, "from": url}),
            ("Print", {"from": url}),
        ]  # fmt: skip
        return [self.decide(self.docs, question, viewer, **({"url": url} | event)) for question, event in questions]


def _steers(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")


class SteeringTerminals(Shown):
    """L2: a page or a program that puts control characters into names and addresses."""

    def hostile(self) -> list[str]:
        """A viewer for each text, and those viewers' decisions on pages that have it in the address."""
        decisions = []
        for text in HOSTILE:
            viewer = f"tab {text} end"
            reply = self.docs.call(f"{GUARD}.RegisterViewer", viewer=viewer, **{"class": "documents"})
            self.answered(reply)
            for url in (f"https://example.net/{text}?{text}", f"https://{text}", f"unheard:{text}", f"page {text}"):
                decisions += self.asked(viewer, url)
            # A name that nobody registered.
            decisions += self.asked(f"other {text}", f"https://example.net/{text}")
        return [decision["id"] for decision in decisions]

    def test_who_watches_sees_one_line_for_each_decision(self) -> None:
        watchers = self.watchers()
        asked = self.hostile()
        text, tree = self.seen(watchers)
        for lines in (text, tree):
            self.assertEqual(len(lines), len(asked))
            self.steers_nothing("\n".join(lines))
        self.assertTrue(any(r"\u{1B}]0;owned\u{7}" in line for line in text))
        self.assertTrue(any(json.loads(line).get("viewer") == f"tab {HOSTILE[0]} end" for line in tree))

    def test_who_asks_why_sees_the_steps_and_nothing_else(self) -> None:
        # Every seventh: of each text and each question some.
        for decision in self.hostile()[::7]:
            text, tree = self.explained(decision, "text"), self.explained(decision, "json")
            self.steers_nothing(text + tree)
            steps = json.loads(tree)["steps"]
            numbers = [line.split(". ")[0] for line in text.split("\n")[:-1]]
            self.assertEqual(numbers, [str(number) for number in range(1, len(steps) + 1)])
            self.assertEqual(tree.count("\n"), 1)

    def test_a_decision_with_such_an_id_is_refused_in_one_line(self) -> None:
        for text in HOSTILE:
            if "\0" in text:
                continue
            done = subprocess.run(
                [str(PROGRAM), "explain", f"7{text}", "--socket-dir", str(self.daemon.sockets)],
                capture_output=True, text=True, timeout=60,
            )  # fmt: skip
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.steers_nothing(done.stderr)
            self.assertIn("is neither the id of a decision nor the code of a notice", done.stderr)

    def test_decisions_without_a_daemon_are_explained_in_one_line_each(self) -> None:
        lines: list[dict[str, Any]] = [{"call": "SetIdentity", "parameters": {"level": "process", "account": WORK}}]
        for text in HOSTILE:
            lines.append({"call": "RegisterViewer", "parameters": {"viewer": f"tab {text}", "class": "documents"}})
            lines.append({"event": "navigate", "viewer": f"tab {text}", "frame": "main", "url": f"https://example.net/{text}"})
            lines.append({"event": "navigate", "viewer": f"other {text}", "url": f"page {text}"})
            lines.append({"event": text})
            lines.append({"call": "ForgetViewer", "parameters": {"viewer": f"none {text}"}})
        done = subprocess.run(
            [str(PROGRAM), "decide", "--config", str(self.daemon.config), "--explain"],
            input="".join(json.dumps(line) + "\n" for line in lines).encode(), capture_output=True, timeout=60,
        )  # fmt: skip
        output, errors = done.stdout.decode(), done.stderr.decode()
        self.steers_nothing(output + errors)
        answers = [json.loads(line) for line in output.split("\n")[:-1]]
        self.assertEqual(len(answers), len(lines))
        self.assertEqual(len([answer for answer in answers if "steps" in answer]), 2 * len(HOSTILE))
        self.assertTrue(any(f"tab {HOSTILE[0]}" in step for answer in answers for step in answer.get("steps", ())))
        self.assertEqual(errors.count("error: line "), len(HOSTILE))


class ReadingQueries(Shown):
    """What a URL says behind its path is shown to nobody who may not read it in the log: the log leaves it out."""

    def test_who_watches_sees_no_query(self) -> None:
        watchers = self.watchers()
        for url in PAGES.values():
            self.asked("docs", url)
        for lines in self.seen(watchers):
            self.assertEqual(len(lines), 10 * len(PAGES))
            self.assertNotIn(SECRET, "\n".join(lines))
            self.assertTrue(any("https://example.net/page" in line for line in lines), "the page itself is shown")

    def test_who_asks_why_sees_no_query_also_not_of_what_is_offered(self) -> None:
        offers = 0
        for name, url in PAGES.items():
            for decision in self.asked("docs", url):
                with self.subTest(name, reason=decision["reason"]):
                    shown = self.explained(decision["id"], "text") + self.explained(decision["id"], "json")
                    self.assertNotIn(SECRET, shown)
                    offers += "may open in" in shown
        # Where the app itself was told it: the offer holds the query, and it works.
        told = self.decide(self.docs, "Navigate", "docs", url=PAGES["outside"], frame="main")
        self.assertIn(SECRET, told["open"]["url"])
        step = self.explained(told["id"], "text").split("\n")[-2]
        self.assertRegex(step, "`https://example.net/page` may open in managedBrowser, /usr/bin/browser")
        self.assertGreater(offers, len(PAGES))

    def test_nor_after_more_decisions_than_are_remembered(self) -> None:
        """The places of the ring are used again; what stood there before is not seen."""
        for number in range(4200):
            self.decide(self.docs, "Navigate", "docs", url=f"{PAGES['outside']}{'x' * (number % 70)}", frame="main")
        short = self.decide(self.docs, "Navigate", "docs", url="https://a.example/", frame="main")
        self.assertNotIn(SECRET, self.explained(short["id"], "json"))
        self.assertNotIn("example.net", self.explained(short["id"], "json"))
        self.assertIn("https://a.example/", self.explained(short["id"], "json"))
