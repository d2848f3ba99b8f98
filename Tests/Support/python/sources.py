"""A changed copy of the sources, to be built beside them."""

import subprocess
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def copy(into: Path, change: Callable[[str, str], str], *parts: str) -> None:
    """Brings the copy of these parts up to date, each Swift or interface file changed by `change(name, text)`.

    A file that stays as it was keeps its time, so that the next build leaves it alone.
    """
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", *parts], check=True, capture_output=True, text=True)
    files = listed.stdout.splitlines()
    for old in into.glob("Sources/**/*.*"):
        if old.is_file() and str(old.relative_to(into)) not in files:
            old.unlink()
    for file in files:
        original, new = ROOT / file, into / file
        new.parent.mkdir(parents=True, exist_ok=True)
        if original.is_symlink():
            if not new.is_symlink():
                new.symlink_to(original.readlink())
            continue
        content = original.read_bytes()
        if original.suffix in (".swift", ".varlink"):
            content = change(file, content.decode()).encode()
        if not new.exists() or new.read_bytes() != content:
            new.write_bytes(content)
            new.chmod(original.stat().st_mode)
