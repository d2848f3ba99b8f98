"""Texts for people about accounts: the daemon's, the little browsers' and the extension's are those of the vectors."""

import re
import sys
import unittest
from pathlib import Path

from real import APP, Configuration, RealCase
from vectors import whole

ROOT = Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "examples/accounts"))

import account_life  # noqa: E402

TEXTS = whole("texts")
STRANGER = "someone@elsewhere.example"
APP_POLICY = """\
apps:
  com.contoso.portal:
    peers: [{ uid: $uid }]
    identityMode: multi
    handledSchemes: [contoso-portal]
    allowedAccounts: ["*@contoso.com"]
    classes: { documents: { policy: currentIdentity, externalURLs: contoso } }
"""


class Texts(unittest.TestCase):
    def test_the_little_browsers_and_the_extension_say_the_same(self) -> None:
        self.assertEqual((account_life.TEXTS, account_life.OTHER_TEXT), (TEXTS["browsers"], TEXTS["other"]))
        source = (ROOT / "clients/webextension/source/account-texts.js").read_text()
        block = re.search(r"^const TEXTS = \{\n(.*?)^\};", source, re.DOTALL | re.MULTILINE)
        assert block
        said = dict(re.findall(r'^  (\w+): "(.*)",$', block[1], re.MULTILINE))
        self.assertEqual(said, TEXTS["browsers"])
        self.assertIn(f'const OTHER_TEXT = "{TEXTS["other"]}";', source)


class ShippedTexts(RealCase):
    configuration = Configuration(APP_POLICY)

    def test_the_daemon_says_why_somebody_may_not_sign_in_in_the_language_of_the_person(self) -> None:
        for languages, language in ((("de-AT", "en"), "de"), (("fr",), "fr"), (("nl", "es-MX"), "es"), ((), "en")):
            with self.subTest(language):
                guard = self.guard(languages=languages)
                self.assertTrue(guard.start())
                answer = guard.accounts.may_sign_in(STRANGER)
                self.assertEqual((answer.allowed, answer.reason), (False, "accountNotAllowed"))
                text = TEXTS["notices"]["otherAccount"][language]
                words = {"app": APP, "account": STRANGER, "organization": TEXTS["placeholders"]["organization"][language]}
                for name, word in words.items():
                    text = text.replace(f"{{{name}}}", word)
                self.assertEqual(answer.text, text)
