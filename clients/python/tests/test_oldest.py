"""The oldest Python that the client promises, beside the real daemon; skipped where this machine has none."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from real import PERSONAL, WORK, RealCase

FOLDER = Path(__file__).resolve().parents[1]
OLDEST = re.findall(r'requires-python = ">=(\d\.\d+)"', (FOLDER / "pyproject.toml").read_text())[0]
# pyenv keeps interpreters in a place of its own, where a shim of another version may refuse to find them.
PLACES = (*Path.home().glob(f".pyenv/versions/{OLDEST}.*/bin/python{OLDEST}"), shutil.which(f"python{OLDEST}"))

PROGRAM = """
import asyncio, importlib, pkgutil, sys, threading
import webviewguard
from webviewguard import Guard, GuardError, notice
from webviewguard.asyncio import AsyncGuard

assert "%d.%d" % sys.version_info[:2] == OLDEST, sys.version
for module in pkgutil.iter_modules(webviewguard.__path__, "webviewguard."):
    # Those stand on Qt and on pywebview, and sealing on `cryptography`.
    if module.name.partition(".")[2] not in ("qt", "pywebview", "_pywebview_qt"):
        importlib.import_module(module.name)

URL = dict(viewer="docs", url="https://contoso.com/", frame="main")
heard = []
with Guard(path=SOCKET) as guard:
    assert guard.start()
    guard.set_identity("process", account=WORK)
    guard.register_viewer("docs", viewer_class="documents")
    print(guard.navigate(**URL).reason)
    away = guard.navigate(viewer="docs", url="https://example.net/", frame="main")
    print(away.reason, bool(notice(away)))
    guard.decide_later("navigate", lambda decision: heard.append(decision.reason), **URL)
    news = []
    with guard.listen(policy=news.append):
        while not (heard and news):
            guard.wait(10)
    print(heard[0])
    with guard.as_account(PERSONAL):
        print(guard.navigate(**URL).identity)
    try:
        guard.call("Nonsense")
    except GuardError as problem:
        print(problem.name)

async def later():
    async with AsyncGuard(path=SOCKET) as guard:
        await guard.set_identity("process", account=WORK)
        await guard.register_viewer("docs", viewer_class="documents")
        answers = await asyncio.gather(*(guard.navigate(**URL) for _ in range(20)))
        print({answer.reason for answer in answers})

asyncio.run(later())
"""


class Oldest(RealCase):
    def test_everything_is_asked_as_by_a_newer_one(self) -> None:
        python = next(filter(None, map(str, filter(None, PLACES))), None)
        if python is None:
            self.skipTest(f"python{OLDEST} is not on this machine")
        said = self.run_with(python)
        self.assertEqual(said.returncode, 0, said.stderr)
        self.assertEqual(said.stdout, self.run_with(sys.executable, "%d.%d" % sys.version_info[:2]).stdout)
        self.assertEqual(said.stdout.splitlines()[0], "internal")
        self.assertEqual(len(said.stdout.splitlines()), 6)

    def run_with(self, python: str, version: str = OLDEST) -> "subprocess.CompletedProcess[str]":
        words = {"OLDEST": version, "SOCKET": str(self.daemon.guard_socket), "WORK": WORK, "PERSONAL": PERSONAL}
        program = "".join(f"{name} = {value!r}\n" for name, value in words.items()) + PROGRAM
        return subprocess.run(
            [python, "-c", program], env={"PYTHONPATH": str(FOLDER / "src")}, capture_output=True, text=True,
            timeout=120, check=False,
        )  # fmt: skip


class Sources(unittest.TestCase):
    def test_no_file_has_what_only_newer_ones_know(self) -> None:
        """Without them `str | None` is an error of Python 3.9, which no test here may have."""
        for file in (FOLDER / "src").rglob("*.py"):
            text = file.read_text()
            self.assertNotIn("slots=True", text, f"{file}: newer than Python 3.9")
            if " | " in text:
                self.assertIn("\nfrom __future__ import annotations\n", text, str(file))
