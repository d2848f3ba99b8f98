"""`export-config`: an extension reads what the export gives it, in a real Chromium and a real Firefox."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "Oracle"))

from cases import PROGRAM
from chromium import Chromium
from daemon import eventually
from firefox_engine import EXTENSION_UUID, STORAGE_EXTENSION, StorageFirefox

APP = "com.contoso.portal"
WORK, OTHER, STRANGER = "work@contoso.com", "other@contoso.com", "third@contoso.com"
TEXT = "<b>Move</b> & \"pack\" \\ über 漢字 \U0001f600"
POLICY = f"""\
apps:
  {APP}: {{ peers: [{{ sameUser: true }}] }}
accounts:
  - {{ upn: {WORK}, protection: standard }}
  - {{ upn: {OTHER}, protection: standard }}
  - {{ upn: {STRANGER}, protection: standard }}
protections:
  standard: {{ accounts: ["*@contoso.com"], send: managed }}
appConfig:
  - name: all
    app: {APP}
    default: true
    values:
      startPage: "https://portal.contoso.com/"
      maxTabs: 9
      beta: false
      ratio: 1.5
      below: -3
      largest: 9007199254740991
      digits: "12"
      word: "true"
      empty: ""
      banner: {json.dumps(TEXT, ensure_ascii=False)}
      undeclared: "no schema has it"
  - {{ name: b-pilot, app: {APP}, accounts: [{WORK}], values: {{ maxTabs: 3, beta: true, apiToken: token-of-work }} }}
  - {{ name: c-staff, app: {APP}, accounts: [{WORK}, {OTHER}], values: {{ maxTabs: 5 }} }}
  - {{ name: d-other, app: {APP}, accounts: [{OTHER}], values: {{ onlyOther: secret-of-other, apiToken: token-of-other }} }}
scrubKeys: [apiToken]
"""
# The values that everybody gets, by type; Firefox also reads `undeclared`.
DEFAULT: dict[str, Any] = {
    "startPage": "https://portal.contoso.com/", "maxTabs": 9, "beta": False, "ratio": 1.5, "below": -3,
    "largest": 9007199254740991, "digits": "12", "word": "true", "empty": "", "banner": TEXT,
}  # fmt: skip
BY_ACCOUNT: dict[str | None, dict[str, Any]] = {
    None: DEFAULT,
    WORK: DEFAULT | {"maxTabs": 3, "beta": True, "apiToken": "token-of-work"},
    OTHER: DEFAULT | {"maxTabs": 5, "onlyOther": "secret-of-other", "apiToken": "token-of-other"},
    STRANGER: DEFAULT,
}
# The words are those of JSON Schema, and of JavaScript's `typeof`.
TYPES = {str: "string", bool: "boolean", int: "number", float: "number"}
DECLARED = {key: TYPES[type(value)] for account in BY_ACCOUNT.values() for key, value in account.items()}
# The values as the extension has them: the word of their type is JavaScript's own.
SHOW = """
(globalThis.browser ?? chrome).storage.managed.get().then(
  values => Object.entries(values).map(([key, value]) => [key, typeof value, value]),
  error => [["", "error", String(error)]],
).then(shown => { document.body.textContent = JSON.stringify(shown); });
"""


def shown(values: dict[str, Any]) -> list[list[Any]]:
    """The rows that the page of the extension shows for these values, in the order of their keys."""
    return sorted([key, TYPES[type(value)], value] for key, value in values.items())


def make_extension(directory: Path, manifest: dict[str, Any]) -> None:
    """An extension with one page, which shows all that it was given."""
    base = {"manifest_version": 3, "name": "reader", "version": "1", "permissions": ["storage"]}
    schema = {"type": "object", "properties": {key: {"type": kind} for key, kind in DECLARED.items()}}
    (directory / "manifest.json").write_text(json.dumps(base | manifest))
    (directory / "schema.json").write_text(json.dumps(schema))
    (directory / "values.html").write_text("<!doctype html><meta charset=utf-8><body><script src=values.js></script>")
    (directory / "values.js").write_text(SHOW)


class StorageCase(unittest.TestCase):
    """A policy, and exports of it."""

    format: ClassVar[str]
    extension_id: ClassVar[str]
    extension: ClassVar[Path]
    config: ClassVar[Path]

    @classmethod
    def prepare(cls, manifest: dict[str, Any]) -> None:
        root = Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="wvg-storage-")))
        cls.extension, cls.config = root / "extension", root / "config"
        cls.extension.mkdir()
        (cls.config / "policy.d").mkdir(parents=True)
        (cls.config / "policy.d/policy.yaml").write_text(POLICY)
        make_extension(cls.extension, manifest)

    def export(self, account: str | None) -> tuple[str, str]:
        """The exported file, and the notes on it."""
        command = [str(PROGRAM), "export-config", "--config", str(self.config), "--app", APP, "--for", self.format]
        command += ["--extension", self.extension_id] + (["--account", account] if account else [])
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr

    def read(self, document: str) -> list[list[Any]]:
        """The rows that the extension shows while the file is in force."""
        raise NotImplementedError

    def hold(self, account: str | None, more: dict[str, Any]) -> None:
        document, notes = self.export(account)
        expected = BY_ACCOUNT[account] | more
        self.assertEqual(sorted(self.read(document)), shown(expected))
        # A key of `scrubKeys` is in the file, and its reader is told; its value is in no message.
        self.assertEqual("apiToken" in notes, "apiToken" in expected, notes)
        self.assertNotIn("token-of", notes)
        for other, values in BY_ACCOUNT.items():
            for secret in {values.get("apiToken"), values.get("onlyOther")} - {None}:
                self.assertEqual(secret in document, secret in expected.values(), f"{secret} of {other}")


class ChromiumStorage(StorageCase):
    """A managed policy gives the values; keys that the extension does not declare are dropped."""

    format = "chromium-storage"

    @classmethod
    def setUpClass(cls) -> None:
        key = (Path(__file__).resolve().parents[3] / "clients/webextension/key/public.base64").read_text().strip()
        cls.prepare({"key": key, "storage": {"managed_schema": "schema.json"}})
        # The id is half of the key's hash, in letters from a to p.
        digits = sha256(b64decode(key)).hexdigest()[:32]
        cls.extension_id = digits.translate(str.maketrans("0123456789abcdef", "abcdefghijklmnop"))

    def read(self, document: str) -> list[list[Any]]:
        flags = (f"--load-extension={self.extension}", "--disable-features=DisableLoadExtensionCommandLineSwitch")
        browser = Chromium(*flags)
        (browser.policies / "portal.json").write_text(document)
        with browser:
            page = browser.page(f"chrome-extension://{self.extension_id}/values.html")

            # Chromium has read its policies some time after its start.
            def values() -> list[list[Any]]:
                text = page.evaluate("document.body?.textContent ?? ''")
                if text == "[]":
                    page.evaluate("location.reload()")
                found: list[list[Any]] = json.loads(text) if text else []
                return found

            return list(eventually(values, "the extension was given values"))

    def test_values_of_everybody(self) -> None:
        self.hold(None, {})

    def test_values_of_one_account_and_of_no_other(self) -> None:
        for account in (WORK, OTHER, STRANGER):
            with self.subTest(account=account):
                self.hold(account, {})


@unittest.skipIf(os.geteuid() != 0, "a manifest for all users belongs to the machine: run as root")
class FirefoxStorage(StorageCase):
    """A manifest gives the values; Firefox has no schema, and drops none."""

    format = "firefox-storage"
    extension_id = STORAGE_EXTENSION

    @classmethod
    def setUpClass(cls) -> None:
        cls.prepare({"browser_specific_settings": {"gecko": {"id": cls.extension_id, "strict_min_version": "128.0"}}})

    def read(self, document: str) -> list[list[Any]]:
        browser = StorageFirefox(document, 9)
        try:
            browser.remote.call("Addon:Install", path=str(self.extension), temporary=True)
            browser.remote.call("WebDriver:Navigate", url=f"moz-extension://{EXTENSION_UUID}/values.html")
            script = {"script": "return document.body.textContent", "args": []}
            text = eventually(
                lambda: browser.remote.call("WebDriver:ExecuteScript", **script)["value"].strip(), "the values are shown"
            )
            found: list[list[Any]] = json.loads(text)
            return found
        finally:
            browser.close()

    def test_values_of_everybody(self) -> None:
        self.hold(None, {"undeclared": "no schema has it"})

    def test_values_of_one_account_and_of_no_other(self) -> None:
        for account in (WORK, OTHER, STRANGER):
            with self.subTest(account=account):
                self.hold(account, {"undeclared": "no schema has it"})
