"""The notice in C: the pages of the shared vectors, and the words that are made of clients/notice."""

import json
import subprocess
from typing import Any

from case import ClientCase
from program import CLIENT, ROOT
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

    def test_the_words_are_made_of_the_shared_ones(self) -> None:
        made = subprocess.run([CLIENT / "make-notice-words"], capture_output=True, text=True, check=True).stdout
        self.assertEqual((CLIENT / "webviewguard-notice-words.h").read_text(), made, "run make-notice-words")
