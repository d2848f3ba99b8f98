"""The folder as others get it: installed by pip, seen by a type checker, and the example as it runs."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from real import WORK, RealCase

FOLDER = Path(__file__).resolve().parents[1]
# Debian's Python, which has setuptools; any other that has them will do.
PYTHON = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable

GOOD = """\
from webviewguard import Guard
from webviewguard.asyncio import AsyncGuard

def answer(guard: Guard) -> str:
    return guard.navigate(viewer="v1", url="u", frame="main", source=None).outcome

async def later(guard: AsyncGuard) -> bool:
    return (await guard.copy(viewer="v1", length=1)).allowed
"""
# What the daemon says may lie on the clipboard in place of a managed clip.
NOTICE = "Your organization's data cannot be pasted here."
# Each replaces a part of GOOD by a mistake that must be found.
MISTAKES = (
    ('viewer="v1", url', 'vewer="v1", url'), ('"main"', '"top"'), ("source=None", "source=1"),
    ("length=1", "length=''"), (").outcome", ").outcom"),
    ("(await guard.copy", "(guard.copy"), ("navigate(", "navigat("),
)  # fmt: skip


class Types(unittest.TestCase):
    def test_the_package_and_its_example_are_typed_strictly(self) -> None:
        for subject in ("src/webviewguard", "example.py"):
            checked = self._mypy(subject)
            self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)

    def test_mistakes_are_found(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "app.py"
            file.write_text(GOOD)
            self.assertEqual(self._mypy(str(file)).returncode, 0)
            for right, wrong in MISTAKES:
                with self.subTest(wrong):
                    self.assertIn(right, GOOD)
                    file.write_text(GOOD.replace(right, wrong))
                    self.assertEqual(self._mypy(str(file)).returncode, 1)

    def _mypy(self, subject: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["mypy", "--strict", "--config-file", "pyproject.toml", subject],
            cwd=FOLDER, check=False, capture_output=True, text=True, timeout=300,
        )  # fmt: skip


class Installed(RealCase):
    def test_pip_installs_the_wheel_and_the_example_browses(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            python = self._install(Path(directory))
            shown = subprocess.run(
                [python, "-c", "import webviewguard, webviewguard.asyncio; print(webviewguard.__file__)"],
                cwd=directory, check=True, capture_output=True, text=True,
            )  # fmt: skip
            self.assertTrue(shown.stdout.startswith(directory), shown.stdout)
            metadata = "import importlib.metadata, webviewguard as w; print(importlib.metadata.version('webviewguard') == w.__version__)"
            agrees = subprocess.run([python, "-c", metadata], cwd=directory, check=True, capture_output=True, text=True)
            self.assertEqual(agrees.stdout, "True\n")
            package = Path(shown.stdout.strip()).parent
            sources = {str(file.relative_to(FOLDER / "src/webviewguard")) for file in (FOLDER / "src/webviewguard").rglob("*.*")}
            sources = {name for name in sources if "__pycache__" not in name}
            self.assertLessEqual({"py.typed", "notice.json", "qt/__init__.py", "qt/clips.js", "qt/opened.js"}, sources)
            self.assertEqual({name for name in sources if not (package / name).exists()}, set())
            browsed = subprocess.run(
                [python, FOLDER / "example.py", "--socket", self.daemon.guard_socket, WORK,
                 "https://contoso.com/a", "https://files.sharing.example/b"],
                cwd=directory, check=True, capture_output=True, text=True,
            )  # fmt: skip
            expected = f"loads https://contoso.com/a and others may paste {NOTICE}\n"
            expected += "no: files.sharing.example is a personal file-sharing site\n"
            self.assertEqual(browsed.stdout, expected)

    def _install(self, directory: Path) -> Path:
        """A throw-away environment with nothing but the package, from a wheel that is built without the network."""
        copy = shutil.copytree(FOLDER, directory / "copy", ignore=shutil.ignore_patterns("__pycache__", "build"))
        offline = ["--quiet", "--no-deps", "--no-index"]
        self._runs(PYTHON, "-m", "pip", "wheel", *offline, "--no-build-isolation", "--wheel-dir", directory, copy)
        self._runs(PYTHON, "-m", "venv", directory / "venv")
        python = directory / "venv/bin/python"
        self._runs(python, "-m", "pip", "install", *offline, next(directory.glob("*.whl")))
        return python

    def _runs(self, *command: str | Path) -> None:
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
