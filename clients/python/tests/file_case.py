"""What the tests of files with labels stand on: programs of the organisation and of its person, and the tools that people use."""

import fcntl
import os
import pty
import shutil
import struct
import subprocess
import termios
from pathlib import Path

from real import PATIENT, WORK, Configuration, RealCase
from webviewguard import Guard
from webviewguard.errors import FileProtectionError

SECOND = "second@contoso.com"
DATA = b"the organisation's figures"


class FileCase(RealCase):
    configuration = Configuration(settings=PATIENT)

    def working(self, account: str = WORK) -> Guard:
        guard = self.guard()
        self.assertTrue(guard.start())
        guard.set_identity("process", account=account)
        return guard

    def setUp(self) -> None:
        super().setUp()
        self.folder = self.daemon.directory / "files"
        self.folder.mkdir()

    def made(self, guard: Guard, folder: Path | None = None, name: str = "report") -> Path:
        path = (folder or self.folder) / name
        with guard.files.create(path) as file:
            file.write(DATA)
        return path

    def standing(self, path: Path, guard: Guard | None = None) -> str:
        return (guard or self.reader).files.get_owner(path).standing

    @property
    def reader(self) -> Guard:
        if not hasattr(self, "_reader"):
            self._reader = self.working()
        return self._reader

    def fails(self, code: int, body: object, *arguments: object) -> FileProtectionError:
        with self.assertRaises(FileProtectionError) as caught:
            body(*arguments)  # type: ignore[operator]
        self.assertEqual(caught.exception.code, code, caught.exception)
        return caught.exception

    # Tools. One that is missing is a failure: `make test-dependencies` installs them.

    def tool(self, name: str) -> str:
        found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
        self.assertIsNotNone(found, f"{name} is not installed: make test-dependencies")
        return str(found)

    def run_tool(self, name: str, *words: object, text: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [self.tool(name), *map(str, words)], cwd=self.folder, capture_output=True, text=True, input=text, timeout=300
        )
        self.assertEqual(done.returncode, 0, f"{name}: {done.stderr}")
        return done

    def typed(self, name: str, *words: object, keys: tuple[tuple[bytes, bytes], ...]) -> None:
        """Runs a program of the terminal, and types each time when the text was seen that comes before it."""
        command = [self.tool(name), *map(str, words)]
        program, terminal = pty.fork()
        if program == 0:
            os.environ["TERM"] = "xterm"
            os.execv(command[0], command)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        for seen, key in keys:
            shown = b""
            while seen not in shown:
                shown += os.read(terminal, 4096)
            os.write(terminal, key)
        try:
            while os.read(terminal, 4096):
                pass
        except OSError:
            pass
        self.assertEqual(os.waitpid(program, 0)[1], 0)
        os.close(terminal)

    # Copies

    def expect(self, copy: Path, standing: str, way: str) -> None:
        self.assertEqual(copy.read_bytes(), DATA, way)
        self.assertEqual(self.standing(copy), standing, way)

    def copies(self, source: Path, target: Path) -> None:
        """Each way to copy a file into a folder, which may lie on another file system, and what becomes of its label.
        A sealed file goes every way."""
        sealed = source / "sealed"
        with self.reader.sealing.create(sealed, WORK) as writer:
            writer.write(DATA)
        path = self.made(self.working(), source)
        for standing, *way in WAYS:
            for each in (path, sealed):
                self.run_tool(way[0], *way[1:], each, target / "copy")
                if each is path:
                    self.expect(target / "copy", standing, " ".join(way))
                else:
                    self.opens(target / "copy")
                (target / "copy").unlink()
        for standing, pack, unpack in TAR_WAYS:
            self.run_tool("tar", "cf", "a.tar", *pack, "-C", source, "report", "sealed")
            self.run_tool("tar", "xf", "a.tar", *unpack, "-C", target, "--transform=s/$/-out/")
            self.expect(target / "report-out", standing, f"tar {pack} {unpack}")
            self.opens(target / "sealed-out")
            (target / "report-out").unlink()
        for name in ("report", "sealed"):
            self.run_tool("mv", source / name, target / "moved")
            if name == "report":
                self.expect(target / "moved", "mine", "mv")
            else:
                self.opens(target / "moved")
            self.run_tool("mv", target / "moved", source / name)
        self.expect(source / "report", "mine", "mv there and back")
        self.opens(source / "sealed")

    def opens(self, sealed: Path) -> None:
        with self.reader.sealing.open(sealed) as reader:
            self.assertEqual(reader.read(), DATA)


WAYS = (
    ("mine", "cp", "-a"), ("mine", "cp", "--preserve=xattr"), ("mine", "cp", "--preserve=all"),
    ("unmanaged", "cp"), ("unmanaged", "cp", "-p"), ("unmanaged", "install"),
    ("mine", "rsync", "-aX"), ("mine", "rsync", "-X"), ("unmanaged", "rsync", "-a"),
)  # fmt: skip
TAR_WAYS = (
    ("mine", ["--xattrs"], ["--xattrs"]), ("unmanaged", ["--xattrs"], []), ("unmanaged", [], ["--xattrs"]), ("unmanaged", [], []),
)
