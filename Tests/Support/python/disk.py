"""The disk that fails on demand: `disk.c`, built once, and what is left after its power is cut."""

import atexit
import random
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path


@cache
def library() -> Path:
    """The library that a daemon is started with."""
    directory = Path(tempfile.mkdtemp(prefix="wvg-disk-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    made = directory / "disk.so"
    source = Path(__file__).with_suffix(".c")
    command = ["cc", "-std=c17", "-Wall", "-Wextra", "-Werror", "-O2", "-shared", "-fPIC", source, "-o", made, "-ldl"]
    subprocess.run(command, check=True)
    return made


def environment(root: Path | None, **settings: object) -> dict[str, str]:
    """What a daemon needs to have its files below `root` on the failing disk: `crash_at=3` becomes DISK_CRASH_AT."""
    named = {f"DISK_{name.upper()}": str(value) for name, value in settings.items()}
    return {"LD_PRELOAD": str(library()), **({"DISK_ROOT": str(root)} if root else {}), **named}


class Clock:
    """The time of one daemon, which a test moves. Only a program that was started with `environment` believes it."""

    def __init__(self, directory: Path) -> None:
        self.file = directory / "clock"
        self.boot = directory / "boot-id"
        self.wall = self.since_boot = self.boots = 0
        self._write()
        self.restart_machine()

    @property
    def environment(self) -> dict[str, str]:
        return environment(None, clock=self.file, boot=self.boot)

    def pass_by(self, seconds: int) -> None:
        """So much time passes."""
        self.wall += seconds
        self.since_boot += seconds
        self._write()

    def set(self, seconds: int) -> None:
        """Somebody sets the clock forward, or back by a negative number; no time passes."""
        self.wall += seconds
        self._write()

    def restart_machine(self) -> None:
        """The next daemon finds another boot's id. The time since the boot goes on: it cannot be set back."""
        self.boots += 1
        self.boot.write_text(f"00000000-0000-4000-8000-{self.boots:012}\n")

    def _write(self) -> None:
        # Replaced as a whole, since the daemon may be reading it.
        new = self.file.with_suffix(".new")
        new.write_text(f"{self.wall} {self.since_boot}\n")
        new.replace(self.file)


class PowerCut:
    """Knows what was durable in some directories, and leaves only that, or a little more, when the power is cut.

    What a program synced is there afterwards. Of what it did not sync there may be any part: each file keeps a random
    length of what was appended behind its durable end, and each directory its names as they were synced or as they are.
    """

    def __init__(self, directory: Path, roots: list[Path], seed: int) -> None:
        self.roots = roots
        self.notes = directory / "notes"
        self.copies = directory / "copies"
        self.copies.mkdir(parents=True)
        self.random = random.Random(seed)

    def environment(self) -> dict[str, str]:
        root = ":".join(map(str, self.roots))
        return {**environment(Path("/"), notes=self.notes, copies=self.copies), "DISK_ROOT": root}

    def cut(self) -> None:
        """Call it when the program is dead."""
        sizes, names = self._durable()
        existing = [root for root in self.roots if root.exists()]
        for root in existing:
            self._rebuild(root, sizes, names)
        self.notes.unlink(missing_ok=True)
        for copy in self.copies.iterdir():
            copy.unlink()
        for root in existing:
            self._note(root)

    def _note(self, root: Path) -> None:
        """Everything that survived is durable from now on."""
        entries = list(root.iterdir())
        files = [entry for entry in entries if entry.is_file()]
        lines = [f"S {file.stat().st_ino} {file.stat().st_size}\n" for file in files]
        names = [f"E {entry.name} {entry.stat().st_ino}\n" for entry in entries]
        with open(self.notes, "a") as notes:
            notes.write("".join([*lines, f"D {root}\n", *names, ".\n"]))
        for file in files:
            if not file.name.endswith(".jsonl"):
                shutil.copyfile(file, self.copies / str(file.stat().st_ino))
        for entry in entries:
            if entry.is_dir():
                self._note(entry)

    def _durable(self) -> tuple[dict[int, int], dict[str, dict[str, int]]]:
        """How much of each file is on the disk, and which names each directory has there."""
        sizes: dict[int, int] = {}
        names: dict[str, dict[str, int]] = {}
        current: dict[str, int] = {}
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        for line in lines:
            kind, *words = line.split(" ")
            if kind == "S":
                sizes[int(words[0])] = int(words[1])
            elif kind == "D":
                current = names[words[0]] = {}
            elif kind == "E":
                current[words[0]] = int(words[1])
        return sizes, names

    def _rebuild(self, root: Path, sizes: dict[int, int], names: dict[str, dict[str, int]]) -> None:
        """Leaves of a directory, and of those in it, what the disk has."""
        entries = list(root.iterdir())
        for directory in filter(Path.is_dir, entries):
            self._rebuild(directory, sizes, names)
        present = {entry.name: entry.stat().st_ino for entry in entries}
        synced = names.get(str(root))
        wanted = present if synced is None or self.random.random() < 0.5 else synced
        places = {inode: root / name for name, inode in present.items()}
        directories = {inode for inode, place in places.items() if place.is_dir()}
        contents = {
            name: self._content(inode, places.get(inode), sizes)
            for name, inode in wanted.items()
            if inode not in directories
        }
        modes = {name: places[inode].stat().st_mode for name, inode in wanted.items() if inode in places}
        kept = {name: places[inode] for name, inode in wanted.items() if inode in directories}
        self._keep_directories(kept, root)
        for place in places.values():
            if place.is_file():
                place.unlink()
        for name, content in contents.items():
            file = root / name
            file.write_bytes(content)
            file.chmod(modes.get(name, 0o600) & 0o777)

    def _keep_directories(self, kept: dict[str, Path], root: Path) -> None:
        """Gives each directory the name that the disk has for it; one that it has no name for is gone."""
        for entry in list(root.iterdir()):
            if entry.is_dir() and entry not in kept.values():
                shutil.rmtree(entry)
        for name, place in kept.items():
            if place.name != name:
                place.rename(root / name)

    def _content(self, inode: int, place: Path | None, sizes: dict[int, int]) -> bytes:
        """What the disk has of a file."""
        copy = self.copies / str(inode)
        if place is None or not place.name.endswith(".jsonl"):
            # Not only appended to: what was synced last, or all of what was never synced and is still there.
            if copy.exists():
                return copy.read_bytes()
            return place.read_bytes() if place else b""
        content = place.read_bytes()
        durable = min(sizes.get(inode, 0), len(content))
        return content[: self.random.randint(durable, len(content))]
