"""The notice in C: the pages of the shared vectors, and the words that are made of clients/notice."""

import json
import subprocess
from typing import Any

from case import ClientCase
from program import CLIENT, ROOT, VECTORS
from test_vectors import cases

# C has no text with U+0000 in it; another control character is shown as the same.
NOTHING, SOMETHING = "\\u0000", "\\u0001"


class Notices(ClientCase):
    def pages(self, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
        text = "".join(json.dumps(case).replace(NOTHING, SOMETHING) + "\n" for case in told)
        program = [str(self.driver_type.folder / "notice")]
        done = subprocess.run(program, input=text, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_pages_are_those_of_the_vectors(self) -> None:
        style = "\n".join(json.loads((ROOT / "clients/notice/notice.json").read_text())["style"])
        told = cases("notices.json")
        asked = [case | ({"local": case["local"].rpartition(".")[2]} if "local" in case else {}) for case in told]
        for case, made in zip(told, self.pages(asked), strict=True):
            with self.subTest(case["name"]):
                self.assertEqual(made["page"].replace(style, "(style)").split("\n"), case["lines"])

    def test_what_could_deceive(self) -> None:
        told = json.loads((VECTORS / "notices.json").read_text())["short"]
        self.assertGreaterEqual(len(told), 45)
        for case, made in zip(told, self.pages(told), strict=True):
            with self.subTest(case["name"]):
                lines = made["page"].split("\n")
                shown = [line for line in lines if line.startswith(("<p ", "<a ", "<dt>"))]
                self.assertEqual(shown, case["shown"])

    def test_bytes_that_are_no_text(self) -> None:
        """Apps hand over what they have. Each byte of what is no UTF-8 is seen, and nothing hides in it."""
        for bad in (
            b"\x80", b"\xc0\xae", b"\xe2\x80", b"\xe2\x80<", b"\xed\xa0\x80", b"\xf4\x90\x80\x80",
            b"\xf8\x88\x80\x80\x80", b"\xff", b"\xe0\x80\xaf", b"\xf0\x82\x80\xae",
        ):  # fmt: skip
            with self.subTest(bad):
                program = [str(self.driver_type.folder / "notice"), "--bytes"]
                page = subprocess.run(program, input=bad, capture_output=True, check=True, timeout=60).stdout
                text = page.decode()
                self.assertNotIn("\u202e", text)
                seen = "".join("&lt;" if byte == 0x3C else "\ufffd" for byte in bad)
                self.assertIn(f'<p class="organization"><bdi>a{seen}b</bdi></p>', text)
                encoded = "".join("&lt;" if byte == 0x3C else f"%{byte:02X}" for byte in bad)
                self.assertIn(f"<dd><bdi dir=\"ltr\">https://a.example/{encoded}</bdi></dd>", text)

    def kept(self, suggested: bytes) -> bytes:
        program = [str(self.driver_type.folder / "notice"), "--name"]
        return subprocess.run(program, input=suggested, capture_output=True, check=True, timeout=60).stdout

    def test_names_under_which_downloads_are_kept(self) -> None:
        for case in cases("names.json"):
            with self.subTest(case["suggested"]):
                self.assertEqual(self.kept(case["suggested"].encode()).decode(), case["kept"])
        # C gets what is no UTF-8 as well: each such byte hides nothing.
        for bad, kept in ((b"a\x9bb", b"a_b"), (b"\xe2\x80", b"__"), (b"\xe2\x80.e", b"__.e"), (b"\xed\xa0\xae", b"___")):
            self.assertEqual(self.kept(bad), kept)

    def test_the_words_are_made_of_the_shared_ones(self) -> None:
        made = subprocess.run([CLIENT / "make-notice-words"], capture_output=True, text=True, check=True).stdout
        self.assertEqual((CLIENT / "webviewguard-notice-words.h").read_text(), made, "run make-notice-words")
