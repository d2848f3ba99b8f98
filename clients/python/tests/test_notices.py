"""The notice: the pages of the vectors, and what must hold of every page, whoever wrote what is in it."""

import json
import random
import re
import subprocess
import unittest
from html.parser import HTMLParser
from itertools import product
from pathlib import Path
from typing import Any

from vectors import VECTORS, cases, whole
from webviewguard import Decision, OpenOffer, Organization, download_name, notice, notice_code, notice_kind, notice_sentence
from webviewguard._decision import read_decision, refused

ROOT = Path(__file__).resolve().parents[3]
NOTICE: dict[str, Any] = json.loads((VECTORS.parent / "notice/notice.json").read_text())
STYLE = "\n".join(NOTICE["style"])
LANGUAGES = ("en", "de", "fr", "es", "ar")
LINKS = {name: f"x-app:token/{name}" for name in ("open", "exception", "retry", "back", "continue")}
OFFER = OpenOffer(target="managedBrowser", url="https://example.net/")
KINDS = {
    "block": Decision(reason="externalBlocked", open=OFFER), "warn": Decision(outcome="warn", reason="externalBlocked"),
    "redirect": Decision(outcome="redirect", reason="external", open=OFFER), "wiped": Decision(reason="accountWiped"),
    "notCompliant": Decision(reason="accountNotCompliant"), "guardAway": refused("noAnswer"),
}  # fmt: skip
# What a page may hold, and nothing else.
ELEMENTS = {
    "html": {"lang", "dir"}, "head": set(), "meta": {"charset", "http-equiv", "content", "name"}, "title": set(),
    "style": set(), "body": set(), "main": {"class"}, "p": {"class", "dir"}, "bdi": {"dir"},
    "svg": {"viewbox", "aria-hidden"}, "path": {"fill-rule", "d"}, "h1": set(), "nav": set(),
    "a": {"class", "id", "href"}, "dl": set(), "dt": set(), "dd": set(),
    "form": {"action", "method", "accept-charset"}, "label": {"for"}, "button": {"id"},
    "input": {"id", "name", "required", "maxlength", "autocomplete"},
}  # fmt: skip
HOSTILE = (
    "<", ">", '"', "'", "&", "&lt;", "</title>", "</style>", "<script>alert(1)</script>", "<!--", "]]>", "{lang}",
    "{style}", " onload=alert(1) ", "javascript:alert(1)", "\x00", "\n", "\r", "\u2028", "\u202e", "\ud800",
    "url(https://a.example)", "@", "https://", "mailto:", "#", "?", "a" * 600, "é", "🦊", "`", "=", "/",
    "\\", "%22", "&#34;",
)  # fmt: skip


class Reader(HTMLParser):
    """The elements of a page, which must all be known and closed, and the text outside of the style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text, self._open = "", list[str]()
        self.feed(page)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        strange = {name for name, _ in attrs} - ELEMENTS[tag]
        assert not strange, (tag, strange)
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, tag

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text += data

    def all(self, tag: str, attribute: str) -> list[str | None]:
        return [attributes.get(attribute) for name, attributes in self.elements if name == tag]


def everything(decision: Decision, language: str, **options: Any) -> str:
    """A page with all that it may have."""
    organization = Organization("Contoso", "the help desk", "mailto:help@contoso.com", "#005a9c", "#7cc4ff")
    defaults: dict[str, Any] = {"url": "https://example.net/a", "organization": organization, "actions": LINKS}
    return notice(decision, languages=[language], **(defaults | options))


class NoticeVectors(unittest.TestCase):
    def test_pages(self) -> None:
        for case in cases("notices"):
            with self.subTest(case["name"]):
                decision = refused(case["local"]) if "local" in case else read_decision(case["decision"])
                options = {name: case[name] for name in ("url", "languages", "organization", "actions") if name in case}
                page = notice(decision, **options)
                self.assertIn(STYLE, page)
                self.assertEqual(page.replace(STYLE, "(style)").split("\n"), case["lines"])

    def test_what_could_deceive(self) -> None:
        told = whole("notices")["short"]
        self.assertGreaterEqual(len(told), 45)
        for case in told:
            with self.subTest(case["name"]):
                options = {name: case[name] for name in ("url", "languages", "organization") if name in case}
                lines = notice(read_decision(case["decision"]), **options).split("\n")
                shown = [line for line in lines if line.startswith(("<p ", "<a ", "<dt>"))]
                self.assertEqual(shown, case["shown"])

    def test_the_copies_and_the_vectors_are_up_to_date(self) -> None:
        checked = subprocess.run([ROOT / "scripts/notices"], check=False, capture_output=True, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


class NoticeWords(unittest.TestCase):
    def test_all_languages_have_all_words(self) -> None:
        self.assertEqual(tuple(NOTICE["languages"]), LANGUAGES)
        for language, words in NOTICE["languages"].items():
            for group in ("titles", "buttons", "labels", "hints", "sentences"):
                with self.subTest(language=language, group=group):
                    self.assertEqual(list(words[group]), list(NOTICE["languages"]["en"][group]))
                    self.assertTrue(all(text.strip() == text != "" for text in words[group].values()))
        spoken = {tuple(words["sentences"].values()) for words in NOTICE["languages"].values()}
        self.assertEqual(len(spoken), len(LANGUAGES))

    def test_each_reason_has_a_kind_and_a_sentence(self) -> None:
        english = NOTICE["languages"]["en"]
        for reason, about in NOTICE["reasons"].items():
            with self.subTest(reason):
                self.assertIn(about["kind"], NOTICE["kinds"])
                self.assertIn(about["sentence"], english["sentences"])
        used = {about["sentence"] for about in NOTICE["reasons"].values()}
        self.assertEqual(used | {"other"}, set(english["sentences"]))

    def test_the_daemons_own_sentences_are_known(self) -> None:
        """docs/configuration.md lists them, and is held to the daemon by a test of its own."""
        table = (ROOT / "docs/configuration.md").read_text().partition("with the built-in texts:\n\n")[2]
        table = table.partition("\n\n")[0]
        rows = re.findall(r"^\| ((?:`\w+`(?: \*[au]\*)?(?:, )?)+) \| (.*) \|$", table, re.MULTILINE)
        self.assertGreater(len(rows), 40)
        for names, text in rows:
            for reason in re.findall(r"`(\w+)`", names):
                with self.subTest(reason):
                    key = NOTICE["reasons"][reason]["sentence"]
                    if "{" not in text and "*a*" not in names:
                        self.assertEqual(NOTICE["languages"]["en"]["sentences"][key], text)

    def test_what_this_client_says_by_itself_is_known(self) -> None:
        for case in whole("messages")["cases"]:
            with self.subTest(case["reason"]):
                decision = refused(case["reason"])
                self.assertEqual(notice_sentence(decision), case["message"])
                self.assertNotEqual(notice_sentence(decision, ["ar"]), case["message"])

    def test_names_under_which_downloads_are_kept(self) -> None:
        for case in cases("names"):
            with self.subTest(case["suggested"]):
                self.assertEqual(download_name(case["suggested"]), case["kept"])
        self.assertEqual(download_name("a\ud83d.pdf\udc68"), "a_.pdf_")

    def test_a_wider_language_is_taken(self) -> None:
        tags = ((["de-AT", "fr"], "de"), (["nl", "es_MX"], "es"), (["AR"], "ar"), ([], "en"), (["x"], "en"))
        for languages, expected in tags:
            with self.subTest(languages):
                page = Reader(notice(KINDS["block"], languages=languages))
                self.assertEqual(page.all("html", "lang"), [expected])
                self.assertEqual(page.all("html", "dir"), ["rtl" if expected == "ar" else "ltr"])

    def test_codes(self) -> None:
        for decision, code in (
            (Decision(id="7353448151165139"), "7353-4481-5116-5139"), (Decision(id="12345"), "1234-5"),
            (Decision(id="1"), "1"), (refused("a.AppMismatch"), "AppMismatch"),
            (Decision(id="", reason="ö b"), "unknown"),
            (Decision(id="٣", reason="external"), "external"),
        ):  # fmt: skip
            with self.subTest(code):
                self.assertEqual(notice_code(decision), code)
                self.assertIn(f">{code}<", notice(decision))

    def test_kinds(self) -> None:
        for kind, decision in KINDS.items():
            self.assertEqual(notice_kind(decision), kind)


class NoticePages(unittest.TestCase):
    def test_a_page_needs_nothing_and_may_nothing(self) -> None:
        for (kind, decision), language in product(KINDS.items(), LANGUAGES):
            with self.subTest(kind=kind, language=language):
                page = everything(decision, language)
                read = Reader(page)
                policy = next(a["content"] for t, a in read.elements if t == "meta" and a.get("http-equiv"))
                forms = "x-app:" if kind == "warn" else "'none'"
                wanted = f"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action {forms}"
                self.assertEqual(policy, wanted)
                self.assertNotRegex(page, r"(?i)<script|\bsrc=|@import|url\(|\bon[a-z]+=")
                # It stands before all that could load anything.
                self.assertLess(page.index("Content-Security-Policy"), page.index("<style>"))
                self.assertEqual(len(read.all("title", "x")), 1)
                self.assertRegex(page, r"<title>[^<]+</title>")

    def test_only_buttons_that_do_something(self) -> None:
        shown = {
            "block": ["open", "exception", "back", "contact"], "warn": ["back", "exception", "contact"],
            "redirect": ["open", "back", "contact"], "notCompliant": ["retry", "back", "contact"],
            "wiped": ["back", "contact"], "guardAway": ["retry", "back", "contact"],
        }  # fmt: skip
        for kind, decision in KINDS.items():
            with self.subTest(kind):
                read = Reader(everything(decision, "en"))
                self.assertEqual(read.all("a", "id"), shown[kind])
                self.assertEqual(read.all("form", "action"), ["x-app:token/continue"] if kind == "warn" else [])
                bare = Reader(notice(decision, url="https://example.net/"))
                self.assertEqual(bare.all("a", "id") + bare.all("form", "id"), [])
        # An app cannot offer to open what the policy does not.
        self.assertNotIn('id="open"', notice(Decision(reason="externalBlocked"), actions=LINKS))
        with self.assertRaisesRegex(ValueError, "no notice has the action `reload`"):
            notice(KINDS["block"], actions={"reload": "x-app:r"})

    def test_the_order_of_the_keyboard_is_that_of_the_page(self) -> None:
        for kind, decision in KINDS.items():
            with self.subTest(kind):
                page = everything(decision, "en")
                self.assertNotIn("tabindex", page)
                stops = [a["id"] for tag, a in Reader(page).elements if tag in ("a", "input", "button")]
                self.assertEqual(len(stops), len(set(stops)))
                if kind == "warn":
                    self.assertEqual(stops[:3], ["justification", "continue", "back"])
        self.assertIn(":focus-visible { outline: .2rem solid", STYLE)
        self.assertEqual(Reader(everything(KINDS["warn"], "en")).all("label", "for"), ["justification"])

    def test_text_never_becomes_markup(self) -> None:
        chance = random.Random(19)

        def nasty() -> str:
            return "".join(chance.choices(HOSTILE, k=chance.randint(1, 5)))

        for _ in range(3000):
            kind, decision = chance.choice(list(KINDS.items()))
            from_wire = {name: nasty() for name in ("name", "contact", "contactLink", "color", "darkColor")}
            changed = Decision(
                decision.outcome, chance.choice((decision.reason, nasty())), chance.choice(("1", nasty())),
                message=nasty(), identity=nasty(), rule=nasty(), rule_set=nasty(), open=decision.open,
            )  # fmt: skip
            actions = {name: nasty() for name in LINKS}
            url = chance.choice(("", "https://")) + nasty()
            page = notice(changed, url=url, languages=[nasty()], organization=from_wire, actions=actions)
            with self.subTest(decision=changed, organization=from_wire, actions=actions):
                read = Reader(page)
                kept = [tag for tag, _ in read.elements if tag not in ("a", "form", "label", "input", "button", "nav")]
                self.assertEqual(kept[:2], ["html", "head"])
                self.assertEqual((kept.count("title"), kept.count("style"), kept.count("meta")), (1, 1, 5))
                # Nothing but the app's own links, and contacts of schemes that run nothing.
                unseen = "[\x00-\x1f\x7f\u2028\u202e\ud800-\udfff]"
                clean = {re.sub(unseen, "\ufffd", link) for link in actions.values()}
                links = {link for link in read.all("a", "href") + read.all("form", "action") if link not in clean}
                self.assertTrue(all(re.match("(https|mailto|tel):", link or "") for link in links), links)
                page.encode()
                policy = next(a["content"] or "" for t, a in read.elements if t == "meta" and a.get("http-equiv"))
                self.assertRegex(policy, r"^[^;]*; [^;]*; [^;]*; form-action ('none'|'self'|[a-z][a-z0-9+.-]*:)$")

    def test_an_address_is_ascii_and_begins_with_its_host(self) -> None:
        """Whatever else is in a URL: its own host is shown, and nothing but ASCII."""
        chance = random.Random(20)
        for _ in range(2000):
            letters = chance.choices("ab.:@/\\%-\u05d0\u202e\u200b\u2028 \t\n\u00e9\U000e0041", k=chance.randint(0, 600))
            user = "".join(letter for letter in letters if letter not in "/\\")
            page = notice(KINDS["block"], url=f"https://u{user}@evil.example/{''.join(letters)}")
            (address,) = re.findall(r'<dt>Address</dt><dd><bdi dir="ltr">(.*)</bdi>', page)
            self.assertRegex(address, r"\Ahttps://evil\.example/[!-~]*…?\Z")
            self.assertIn('<p class="host"><bdi dir="ltr">evil.example</bdi></p>', page)

    def test_the_address_tells_no_secret(self) -> None:
        for url in ("https://u:sesame@a.example/b?q=sesame#sesame", "data:text/html,sesame", "blob:https://a/sesame"):
            self.assertNotIn("sesame", notice(KINDS["block"], url=url))


class NoticeColors(unittest.TestCase):
    def test_every_text_can_be_read(self) -> None:
        blocks = re.split("@media", STYLE, maxsplit=1)
        light, dark = (dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", block)) for block in blocks)
        self.assertEqual(set(light), set(dark))
        for mode, of in (("light", light), ("dark", dark)):
            pairs = [(text, ground) for text in ("text", "faint") for ground in ("card",)] + [("text", "button")]
            for text, ground in pairs:
                with self.subTest(mode=mode, text=text, ground=ground):
                    self.assertGreaterEqual(contrast(of[text], of[ground]), 4.5)
            for tone in ("stop", "ask", "tell", "rest"):
                with self.subTest(mode=mode, tone=tone):
                    self.assertGreaterEqual(contrast(of[tone], of["card"]), 4.5)

    def test_whatever_the_organisations_colours_are(self) -> None:
        chance = random.Random(19)
        greys = [f"#{level:02x}{level:02x}{level:02x}" for level in range(256)]
        chosen = greys + [f"#{chance.randrange(1 << 24):06X}" for _ in range(3000)]
        for color in chosen:
            page = notice(KINDS["block"], organization=Organization(color=color, dark_color=color))
            pairs = re.findall(r"--brand: (#\w{6}); --on-brand: (#\w{6})", page)
            self.assertEqual([pair[0] for pair in pairs], [color, color])
            self.assertTrue(all(contrast(*pair) >= 4.5 for pair in pairs), pairs)


def contrast(one: str, other: str) -> float:
    """The contrast of WCAG 2.1, 1 to 21."""
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
